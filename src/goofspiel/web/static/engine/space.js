// Where the value of a position stands, and what follows a pair of bids.
//
// A table holds the values of positions before their upcard. Level by level, a value has a row, the prizes that are
// left and the pot; a column, the matchup; and, where leads count, a lead. Rows that are equally long form a band.

import { MAX_CARDS } from "./cards.js";
import { interchangeableGroups, matchupCount, numberOf } from "./matchups.js";
import { deckMask, PrizeStatesByRound } from "./prize_states.js";
import { atTheEnd, hasLeads, isDecided, isOverAt, lastLevel, payoffBound } from "./rules.js";
import { maskOf } from "./subsets.js";

/** @import { Position } from "./notation.js" */
/** @import { PrizeCourse } from "./prize_states.js" */
/** @import { Rules } from "./rules.js" */

/**
 * The bands of a level, shortest rows first, and where each row is found.
 * @typedef {object} Bands
 * @property {{ lead: number, ties: number, rows: number }[]} all the largest lead of their rows, the tied rounds in
 *   their pots, and how many rows they have
 * @property {number[]} band by the number of a row
 * @property {number[]} row by the number of a row: its place in that band
 */

/**
 * A value that is kept: where, and for which lead, 0 where leads do not count.
 * @typedef {{ row: number, column: number, lead: number }} Place
 */

/** @typedef {(space: LevelSpace, places: Place[]) => Promise<ArrayLike<number>>} Stored  The values of a level. */

/** All positions of a game in which each player holds so many cards, before the upcard is turned up. */
export class LevelSpace {
  /**
   * @param {Rules} rules
   * @param {number} level
   * @param {Start} start
   */
  constructor(rules, level, start) {
    this.rules = rules;
    this.level = level;
    this.start = start;
    /** The column that stands for equal hands: the last one where leads count, and none elsewhere. */
    this.equal = matchupCount(start.cards, level);
    /** @type {Bands | null} */
    this.foundBands = null;
  }

  /** What a round leads to. */
  get below() {
    return this.start.at(this.level - 1);
  }

  /**
   * How many columns a row has with so many tied rounds in the pot.
   * @param {number} ties
   */
  columnsWith(ties) {
    return matchupCount(this.start.cards - ties, this.level) + (hasLeads(this.rules) ? 1 : 0);
  }

  /**
   * Where the value of a hand pair is found in a row, and from which side: value = sign · stored value. Where leads
   * count, the sign is also that of the lead. A sign of 0 means that nothing is kept.
   * @param {number} mine
   * @param {number} theirs
   * @returns {[column: number, sign: number]}
   */
  columnOf(mine, theirs) {
    const [column, sign] = numberOf(mine, theirs, this.level);
    return sign ? [column, sign] : [this.equal, hasLeads(this.rules) ? 1 : 0];
  }

  /**
   * Where a column is kept in a row: equal hands come last, and rows with a pot are shorter.
   * @param {number} row
   * @param {number} column
   */
  placeOf(row, column) {
    return column === this.equal ? this.columnsWith(this.states.tied[row]) - 1 : column;
  }

  /** What may be left to bid for: one row each. */
  get states() {
    return this.start.states.after(this.start.level - this.level);
  }

  /**
   * The largest lead that is kept in a row; 0 where leads do not count.
   * @param {number} row
   */
  largestLead(row) {
    return hasLeads(this.rules) ? Math.min(this.states.most(row), this.states.gone(row) + this.start.lead) : 0;
  }

  /** Where each row is; in a band, those that are worth the same stand together. */
  get bands() {
    return (this.foundBands ??= bandsOf(this));
  }

  /** What a position of the level is worth at most, its lead apart. */
  get payoffBound() {
    const { states, rules } = this;
    if (hasLeads(rules)) return payoffBound(rules);
    return states.left.reduce((most, _, row) => Math.max(most, states.most(row)), 0);
  }

  /** Whether values are whole numbers: those of a last round with one possible upcard. */
  get hasWholeValues() {
    const { states } = this;
    return this.below.isOver && states.left.every((_, row) => states.upcards(row).length === 1);
  }

  /** Whether nothing is left to win. */
  get isOver() {
    return isOverAt(this.rules, this.level);
  }

  /** Whether a table has this level: at the end nothing is left to win, at the start both hold the same. */
  get isStored() {
    return !this.isOver && this.level < this.start.level;
  }
}

/** From where on a game is looked at: its beginning, or some position. */
export class Start {
  /**
   * @param {Rules} rules
   * @param {PrizeCourse} course
   * @param {{ level: number, lead: number, cards: number }} from the cards in a hand, the lead that somebody has, and
   *   the cards that both hands hold together, at most
   */
  constructor(rules, course, { level, lead, cards }) {
    this.rules = rules;
    this.states = new PrizeStatesByRound(course);
    this.level = level;
    this.lead = lead;
    this.cards = cards;
    /** @type {LevelSpace[]} */
    this.spaces = [];
  }

  /**
   * The level of so many cards in a hand.
   * @param {number} level
   */
  at(level) {
    return (this.spaces[level] ??= new LevelSpace(this.rules, level, this));
  }

  /**
   * The mask of a deck.
   * @param {number[]} deck
   */
  mask(deck) {
    return deckMask(this.states.course, deck);
  }
}

/**
 * A whole game.
 * @param {Rules} rules
 */
export function beginning(rules) {
  const { cards, prizes, order, carry, rounds } = rules;
  return new Start(rules, { prizes, order, carry, pot: 0, rounds }, { level: cards, lead: 0, cards });
}

/**
 * A position, its upcard not yet turned up, as the beginning of a game of its own; its columns are those of any cards.
 * @param {Position} position
 * @param {Rules} rules
 */
export function endgameStart({ mine, deck, upcard, lead, pot }, rules) {
  const left = upcard ? [upcard, ...deck] : deck;
  const prizes = [...left].sort((a, b) => a - b);
  const rounds = mine.length - lastLevel(rules);
  const course = { prizes, order: rules.order ? left : null, carry: rules.carry, pot, rounds };
  return new Start(rules, course, { level: mine.length, lead: Math.abs(lead), cards: MAX_CARDS });
}

/**
 * @param {LevelSpace} space
 * @returns {Bands}
 */
function bandsOf(space) {
  const { states } = space;
  const numbers = states.left.map((_, row) => row);
  const leads = numbers.map((row) => space.largestLead(row));
  const worth = hasLeads(space.rules) ? numbers.map((row) => states.worth(row)) : null;
  const order = numbers.sort(
    (a, b) =>
      leads[a] - leads[b] ||
      states.tied[a] - states.tied[b] ||
      (worth ? worth[a] - worth[b] || states.pot[a] - states.pot[b] : 0) ||
      a - b,
  );
  /** @type {Bands} */
  const found = { all: [], band: [], row: [] };
  for (const row of order) {
    let last = found.all.at(-1);
    if (!last || last.lead !== leads[row] || last.ties !== states.tied[row])
      found.all.push((last = { lead: leads[row], ties: states.tied[row], rows: 0 }));
    found.band[row] = found.all.length - 1;
    found.row[row] = last.rows;
    last.rows += 1;
  }
  return found;
}

/**
 * What positions before their upcard, all of one level, are worth.
 * @param {LevelSpace} space
 * @param {{ mine: number, theirs: number, row: number, lead: number }[]} positions hands as masks
 * @param {Stored} stored
 */
async function worthOf(space, positions, stored) {
  const { rules } = space;
  const leads = hasLeads(rules);
  const worth = positions.map(({ lead }) => atTheEnd(rules, lead) + 0);
  if (!space.isStored) return worth;
  /** @type {Place[]} */
  const places = [];
  /** @type {[index: number, sign: number][]} */
  const into = [];
  positions.forEach(({ mine, theirs, row, lead }, index) => {
    const [column, sign] = space.columnOf(mine, theirs);
    if (!sign || isDecided(rules, lead, space.states.most(row))) return;
    places.push({ row, column, lead: leads ? sign * lead : 0 });
    into.push([index, sign]);
  });
  const values = await stored(space, places);
  into.forEach(([index, sign], at) => {
    worth[index] = (leads ? 0 : worth[index]) + sign * values[at] + 0; // no negative zero
  });
  return worth;
}

/**
 * What a position before its upcard is worth.
 * @param {Position} position
 * @param {Start} start
 * @param {Stored} stored
 */
export async function worthBefore({ mine, theirs, deck, lead, pot }, start, stored) {
  const space = start.at(mine.length);
  const row = space.isStored ? space.states.numberOf(start.mask(deck), pot) : 0;
  const [worth] = await worthOf(space, [{ mine: maskOf(mine), theirs: maskOf(theirs), row, lead }], stored);
  return worth;
}

/**
 * The payoffs of the distinct cards at a position with an upcard, its lead included; rows are my cards.
 * @param {Position} position
 * @param {Start} start
 * @param {Stored} stored
 */
export async function payoffsAt({ mine, theirs, deck, upcard, lead, pot }, start, stored) {
  const below = start.at(mine.length - 1);
  const { rules } = start;
  const [rows, columns] = [interchangeableGroups(mine, theirs), interchangeableGroups(theirs, mine)];
  const [held, against, left] = [maskOf(mine), maskOf(theirs), start.mask(deck)];
  const stake = upcard + pot;
  /** @param {number} waits */
  const rowWith = (waits) => (below.isStored ? below.states.numberOf(left, waits) : 0);
  const [won, tied] = [rowWith(0), rowWith(rules.carry ? stake : 0)];
  const cells = rows.flatMap(([bid]) =>
    columns.map(([reply]) => ({
      mine: held ^ (1 << (bid - 1)),
      theirs: against ^ (1 << (reply - 1)),
      row: bid === reply ? tied : won,
      lead: lead + Math.sign(bid - reply) * stake,
    })),
  );
  const worth = await worthOf(below, cells, stored);
  return rows.map((_, row) => worth.slice(row * columns.length, (row + 1) * columns.length));
}
