// Review a game: what the draw brought, what my bids gained or cost against how they bid, and what was chance.
//
// In a round the value moves three times: by the draw of the upcard; by what my bid earns on average against the mix that
// they bid by, known or estimated from their other bids; and by what became of it. The moves add up to the result.

import { mixOf, regretsOf, swapped } from "./answer.js";
import { cardName } from "./cards.js";
import { interchangeableGroups } from "./matchups.js";
import { positionAfter, swap, turnUp, writePosition, writeRecord } from "./notation.js";
import { FAMILY, matrixOf, sideOf } from "./opponents.js";
import { atTheEnd, isDecided, isOverAt, lastLevel, writeRules } from "./rules.js";
import { mostLeft } from "./tablebase.js";

/** @import { ByCard, Solved } from "./answer.js" */
/** @import { Position, Round } from "./notation.js" */
/** @import { Observed } from "./opponents.js" */
/** @import { Objective, Rules } from "./rules.js" */
/** @import { Tablebase } from "./tablebase.js" */

/**
 * @typedef {object} ReviewedRound
 * @property {number} round
 * @property {string} position
 * @property {string} upcard
 * @property {number} pot
 * @property {string | null} mine null in a round without bids
 * @property {string | null} theirs
 * @property {number} value_before
 * @property {number} draw_luck
 * @property {number} value
 * @property {number} gain what my bid is worth against how they bid, beyond the value
 * @property {number} chance
 * @property {number} value_after
 * @property {number} cost what my bid would have cost against perfect play
 * @property {number} their_cost
 * @property {ByCard} mix
 * @property {ByCard} their_mix
 * @property {ByCard} their_play the mix that they bid by
 * @property {number | null} probability
 * @property {ByCard} regret
 * @property {string[]} best
 * @property {number} gap
 */

/**
 * @typedef {object} Review
 * @property {string} record
 * @property {string} rules
 * @property {number} cards
 * @property {Objective} objective
 * @property {ReviewedRound[]} rounds
 * @property {Side} theirs
 * @property {number} start what the position was worth where the game began: 0 at an opening
 * @property {number} draw_luck
 * @property {number} gain
 * @property {number} chance
 * @property {number} value the sum of these four
 * @property {number | null} result
 * @property {number} cost
 * @property {number} their_cost
 * @property {number | null} worst
 * @property {number | null} won_after the round after which it was certain who wins
 * @property {number | null} settled_after the round after which nothing could change the result
 */

/**
 * How they bid: a known player, or how often as which.
 * @typedef {{ player: string | null, estimate: ByCard | null, contradiction: string }} Side
 */

const COST_TOLERANCE = 1e-9; // a regret below this is rounding, and costs nothing

/**
 * A game: where it began, if not at the opening, and what was played.
 * @typedef {{ rules: Rules, rounds: Round[], first: Position | null }} Played
 */

/**
 * Review my play in a game.
 * @param {Played} game
 * @param {Tablebase} tablebase
 * @param {string | null} theirs who they are, where that is known
 * @returns {Promise<Review>}
 */
export async function reviewOf({ rules, rounds: played, first }, tablebase, theirs = null) {
  const tolerance = Math.max(COST_TOLERANCE, 2 * tablebase.rounding);
  const games = await Promise.all(
    played.map(({ upcard }, index) =>
      tablebase.solve(turnUp(positionAfter(rules, played.slice(0, index), first), upcard, Boolean(rules.order))),
    ),
  );
  const seen = games.map(({ position }, index) => /** @type {Observed} */ ([swap(position), played[index].theirs]));
  const side = await sideOf(theirs, seen, rules, tablebase);
  const start = first ? (await tablebase.probe(first)).value : 0;
  /** @type {ReviewedRound[]} */
  const rounds = [];
  for (const [index, round] of played.entries()) {
    const before = rounds.at(-1)?.value_after ?? start;
    rounds.push(reviewedRound(index + 1, round, games[index], before, tolerance, side.mixes[index]));
  }
  /** @param {"draw_luck" | "gain" | "chance" | "cost" | "their_cost"} what */
  const sum = (what) => rounds.reduce((total, round) => total + round[what], 0);
  const end = positionAfter(rules, played, first);
  const isOver = !end.upcard && isOverAt(rules, end.mine.length);
  const most = Math.max(0, ...rounds.map(({ cost }) => cost));
  const value = isOver ? atTheEnd(rules, end.lead) : (rounds.at(-1)?.value_after ?? start);
  return {
    record: writeRecord(played),
    rules: writeRules(rules),
    cards: rules.cards,
    objective: rules.objective,
    theirs: {
      player: side.player,
      estimate: side.player ? null : Object.fromEntries(FAMILY.map((name, which) => [name, side.shares[which]])),
      contradiction: side.contradiction,
    },
    rounds,
    start,
    draw_luck: sum("draw_luck"),
    gain: sum("gain"),
    chance: sum("chance"),
    value,
    result: isOver ? value : null,
    cost: sum("cost"),
    their_cost: sum("their_cost"),
    worst: most ? (rounds.find(({ cost }) => cost === most)?.round ?? null) : null,
    won_after: firstAfter({ rules, rounds: played, first }, ({ lead }, left) => Math.abs(lead) > left),
    settled_after: firstAfter({ rules, rounds: played, first }, (position) => isSettled(position, rules)),
  };
}

/**
 * Whether nothing can change the result any more: the lead is out of reach, or one hand beats the other whatever is bid.
 * @param {Position} position
 * @param {Rules} rules
 */
export function isSettled(position, rules) {
  if (isDecided(rules, position.lead, mostLeft(position, rules))) return true;
  const { mine, theirs } = position;
  const allComes = Boolean(rules.order) || lastLevel(rules) === 0;
  return allComes && mine.length > 0 && (mine[0] > theirs[theirs.length - 1] || mine[mine.length - 1] < theirs[0]);
}

/** @type {(game: Played, holds: (position: Position, left: number) => boolean) => number | null} */
function firstAfter({ rules, rounds, first }, holds) {
  const closed = rounds.filter(({ mine }) => mine);
  const found = closed.findIndex((_, index) => {
    const after = positionAfter(rules, closed.slice(0, index + 1), first);
    return !isOverAt(rules, after.mine.length) && after.mine.length > 1 && holds(after, mostLeft(after, rules));
  });
  return found < 0 ? null : found + 1;
}

/**
 * @param {number} number
 * @param {Round} round
 * @param {Solved} game
 * @param {number} before
 * @param {number} tolerance
 * @param {number[]} play the mix that they bid by
 * @returns {ReviewedRound}
 */
function reviewedRound(number, { upcard, mine, theirs }, game, before, tolerance, play) {
  const { position, payoffs, solution } = game;
  const other = swapped(game);
  const [regret, theirRegret] = [regretsOf(game), regretsOf(other)];
  /** @type {(regrets: ByCard, bid: number) => number} */
  const charged = (regrets, bid) => (bid && regrets[cardName(bid)] > tolerance ? regrets[cardName(bid)] : 0);
  const [cost, theirCost] = [charged(regret, mine), charged(theirRegret, theirs)];
  const [rows, columns] = [
    interchangeableGroups(position.mine, position.theirs),
    interchangeableGroups(position.theirs, position.mine),
  ];
  // What the position is worth after the bids is a cell of its game.
  const after = mine
    ? payoffs[rows.findIndex((group) => group.includes(mine))][columns.findIndex((group) => group.includes(theirs))]
    : solution.value;
  const mix = mixWith(mixOf(game), rows, mine);
  const row = mine ? matrixOf(game)[position.mine.indexOf(mine)] : [];
  const gained = mine ? row.reduce((sum, worth, column) => sum + worth * play[column], -solution.value) : 0;
  const gain = Math.abs(gained) > tolerance ? gained : 0;
  return {
    round: number,
    position: writePosition(position),
    upcard: cardName(upcard),
    pot: position.pot,
    mine: mine ? cardName(mine) : null,
    theirs: theirs ? cardName(theirs) : null,
    value_before: before,
    draw_luck: solution.value - before,
    value: solution.value,
    gain,
    chance: after - solution.value - gain,
    value_after: after,
    cost,
    their_cost: theirCost,
    mix,
    their_mix: mixWith(mixOf(other), columns, theirs),
    their_play: Object.fromEntries(position.theirs.map((card, column) => [cardName(card), play[column]])),
    probability: mine ? mix[cardName(mine)] : null,
    regret,
    best: position.mine.map(cardName).filter((card) => regret[card] <= tolerance),
    gap: solution.gap,
  };
}

/**
 * A mix; when cards are interchangeable with the bid, the bid has all of their probability.
 * @param {ByCard} mix
 * @param {number[][]} groups
 * @param {number} bid
 */
function mixWith(mix, groups, bid) {
  const group = groups.find((cards) => cards.includes(bid));
  if (!group) return mix;
  const whole = group.reduce((sum, card) => sum + mix[cardName(card)], 0);
  return { ...mix, ...Object.fromEntries(group.map((card) => [cardName(card), card === bid ? whole : 0])) };
}
