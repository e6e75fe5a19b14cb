// Solve all that can follow a position, whatever its cards, without a table: a small game of its own.

import { ascending } from "./cards.js";
import { solveFlat } from "./games.js";
import { interchangeableGroups } from "./matchups.js";
import { hasLeads, lastLevel, writeRules } from "./rules.js";
import { endgameStart } from "./space.js";
import { cardsOf, maskOf, sizeOf } from "./subsets.js";

/** @import { Position } from "./notation.js" */
/** @import { Rules } from "./rules.js" */
/** @import { LevelSpace, Place } from "./space.js" */

/** Roundings of one game: cells, best replies and the mean over upcards, in units of the last place of a double. */
export const ROUNDINGS = 64;

/**
 * A matchup that can follow: what each pair of bids leads to, row by row.
 * @typedef {object} Matchup
 * @property {number} height
 * @property {number} width
 * @property {Int32Array} child by cell: the place of the matchup below; −1 for equal hands that are worth nothing
 * @property {Int8Array} sign of the child's value
 * @property {Int8Array} won who wins the upcard: 1 for me, −1 for them, 0 for nobody
 * @property {number} ties the most rounds that may have been tied before it
 */

/**
 * What can follow with so many cards in a hand.
 * @typedef {object} Level
 * @property {Map<number, number>} places by column of the largest game
 * @property {Float64Array[]} values by row, [matchup][lead]
 * @property {Float64Array[]} draws probabilities of a draw, where leads count
 */

/** The values of all positions before their upcard that can follow a position. */
export class Endgame {
  /**
   * Solve everything below a position that has an upcard; else the position itself, too.
   * @param {Position} position
   * @param {Rules} rules
   */
  constructor(position, rules) {
    this.rules = rules;
    this.start = endgameStart(position, rules);
    this.hands = [maskOf(position.mine), maskOf(position.theirs)];
    /** Every value is within this of the true one. */
    this.error = 0;
    /** @type {Level[]} */
    this.levels = [];
    const last = position.mine.length - (position.upcard ? 1 : 0);
    for (let level = Math.min(lastLevel(rules), position.mine.length); level <= last; level += 1) this.#solve(level);
  }

  /**
   * Whether a position of some rules is among those that follow.
   * @param {Position} position
   * @param {Rules} rules
   */
  holds({ mine, theirs, deck, upcard, lead, pot }, rules) {
    const [level, left] = [mine.length, ascending(upcard ? [...deck, upcard] : deck)];
    const [hands, prizes] = [[maskOf(mine), maskOf(theirs)], this.start.states.course.prizes];
    if (writeRules({ ...rules, cards: 0 }) !== writeRules({ ...this.rules, cards: 0 })) return false;
    if (!this.levels[upcard ? level - 1 : level] || hands.some((hand, side) => hand & ~this.hands[side])) return false;
    if (left.some((prize) => !prizes.includes(prize))) return false;
    const { states } = this.start.at(level);
    const row = states.numberOf(this.start.mask(left), pot);
    return row >= 0 && Math.abs(lead) <= states.gone(row) + this.start.lead;
  }

  /**
   * The values of some places of a level, as a table has them.
   * @param {LevelSpace} space
   * @param {Place[]} places
   */
  async values(space, places) {
    return places.map((place) => this.#at(space, place, "values"));
  }

  /**
   * The probability of a draw at a position before its upcard, when both play on by the mixes found.
   * @param {Position} position
   */
  draw({ mine, theirs, deck, lead, pot }) {
    const space = this.start.at(mine.length);
    if (space.isOver) return lead ? 0 : 1;
    const row = space.states.numberOf(this.start.mask(deck), pot);
    if (Math.abs(lead) > space.largestLead(row)) return 0; // decided
    const [column, sign] = space.columnOf(maskOf(mine), maskOf(theirs));
    return this.#at(space, { row, column, lead: sign * lead }, "draws");
  }

  /** @type {(space: LevelSpace, place: Place, kind: "values" | "draws") => number} */
  #at(space, { row, column, lead }, kind) {
    const { places, [kind]: kept } = this.levels[space.level];
    const most = space.largestLead(row);
    return kept[row][(places.get(column) ?? NaN) * (2 * most + 1) + most + lead];
  }

  /** @param {number} level */
  #solve(level) {
    const space = this.start.at(level);
    const { places, matchups } = this.#matchups(space);
    /** @type {Level} */
    const here = { places, values: [], draws: [] };
    this.levels[level] = here;
    if (space.isOver) return;
    let gap = 0;
    for (let row = 0; row < space.states.size; row += 1) gap = Math.max(gap, this.#solveRow(space, row, matchups));
    if (gap || !space.hasWholeValues)
      this.error += gap / 2 + ((ROUNDINGS + 1) / 2) * Number.EPSILON * space.payoffBound;
  }

  /**
   * All matchups of a row, at every lead that can occur and is not decided; the largest gap of their games.
   * @param {LevelSpace} space
   * @param {number} row
   * @param {Matchup[]} matchups
   */
  #solveRow(space, row, matchups) {
    const { states, below, level } = space;
    const leads = hasLeads(this.rules);
    const most = space.largestLead(row);
    const count = 2 * most + 1;
    const upcards = states.upcards(row);
    const all = upcards.reduce((sum, { copies }) => sum + copies, 0);
    const values = new Float64Array(matchups.length * count);
    const draws = new Float64Array(leads ? values.length : 0);
    const { values: under, draws: drawn } = this.levels[level - 1];
    const [cells, ends] = [new Float64Array(level * level), new Float64Array(level * level)];
    let worst = 0;
    for (const { prize, left, copies } of upcards) {
      const stake = prize + states.pot[row];
      const [won, tied] = [0, this.rules.carry ? stake : 0].map((pot) => {
        const child = below.isOver ? 0 : below.states.numberOf(left, pot);
        return { most: below.isOver ? 0 : below.largestLead(child), values: under[child], draws: drawn[child] };
      });
      matchups.forEach((matchup, place) => {
        if (matchup.ties < states.tied[row]) return;
        const { height, width, child, sign, won: wins } = matchup;
        for (let lead = -most; lead <= most; lead += 1) {
          for (let at = 0; at < child.length; at += 1) {
            const after = lead + wins[at] * stake;
            const next = wins[at] ? won : tied;
            if (!leads) {
              const rest = child[at] < 0 || below.isOver ? 0 : sign[at] * next.values[child[at]];
              cells[at] = wins[at] * stake + rest;
            } else if (below.isOver || Math.abs(after) > next.most) {
              cells[at] = Math.sign(after);
              ends[at] = after ? 0 : 1;
            } else {
              const from = child[at] * (2 * next.most + 1) + next.most + sign[at] * after;
              cells[at] = sign[at] * next.values[from];
              ends[at] = next.draws[from];
            }
          }
          const solved = solveFlat(cells, height, width);
          if (solved.gap > worst) worst = solved.gap;
          const [into, share] = [place * count + lead + most, copies / all];
          values[into] += share * solved.value;
          if (leads) draws[into] += share * expected(ends, solved.rowMix, solved.columnMix);
        }
      });
    }
    this.levels[level].values[row] = values;
    this.levels[level].draws[row] = draws;
    return worst;
  }

  /**
   * The matchups of a level that can follow, and what they lead to.
   * @param {LevelSpace} space
   */
  #matchups(space) {
    const [mine, theirs] = this.hands.map((hand) => subsetsOf(cardsOf(hand), space.level));
    /** @type {Map<number, number>} */
    const places = new Map();
    /** @type {Matchup[]} */
    const matchups = [];
    for (const held of mine)
      for (const against of theirs) {
        const [column, sign] = space.columnOf(held, against);
        if (!sign) continue;
        const ties = sizeOf((this.hands[0] ^ held) & (this.hands[1] ^ against));
        const known = places.get(column);
        if (known !== undefined) {
          matchups[known].ties = Math.max(matchups[known].ties, ties);
          continue;
        }
        places.set(column, matchups.length);
        // A column is seen from the side that has a positive sign.
        matchups.push(this.#matchup(space, sign < 0 ? [against, held] : [held, against], ties));
      }
    return { places, matchups };
  }

  /** @type {(space: LevelSpace, hands: number[], ties: number) => Matchup} */
  #matchup(space, [held, against], ties) {
    const [mine, theirs] = [cardsOf(held), cardsOf(against)];
    const [rows, columns] = [interchangeableGroups(mine, theirs), interchangeableGroups(theirs, mine)];
    const size = rows.length * columns.length;
    const found = { child: new Int32Array(size), sign: new Int8Array(size), won: new Int8Array(size) };
    const below = space.isOver ? null : space.below;
    rows.forEach(([bid], i) =>
      columns.forEach(([reply], j) => {
        const at = i * columns.length + j;
        found.won[at] = Math.sign(bid - reply);
        if (!below) return;
        const [column, sign] = below.columnOf(held ^ (1 << (bid - 1)), against ^ (1 << (reply - 1)));
        found.child[at] = this.levels[below.level].places.get(column) ?? -1;
        found.sign[at] = sign;
      }),
    );
    return { ...found, height: rows.length, width: columns.length, ties };
  }
}

/** @type {(ends: Float64Array, rowMix: Float64Array, columnMix: Float64Array) => number} */
function expected(ends, rowMix, columnMix) {
  const width = columnMix.length;
  let sum = 0;
  for (let i = 0; i < rowMix.length; i += 1)
    if (rowMix[i]) for (let j = 0; j < width; j += 1) sum += rowMix[i] * columnMix[j] * ends[i * width + j];
  return sum;
}

/** @type {(cards: number[], size: number) => number[]} */
function subsetsOf(cards, size) {
  if (!size) return [0];
  if (cards.length < size) return [];
  const [first, ...rest] = cards;
  return [...subsetsOf(rest, size - 1).map((mask) => mask | (1 << (first - 1))), ...subsetsOf(rest, size)];
}
