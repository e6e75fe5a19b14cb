// Review a game: what each bid cost, and what was luck.
//
// In a round the value moves three times: by the draw of the upcard, by what the two bids give away against an optimal
// mix of the other side, and by how these two bids happened to meet. The moves add up to the result of the game.

import { mixOf, regretsOf, swapped } from "./answer.js";
import { cardName } from "./cards.js";
import { interchangeableGroups } from "./matchups.js";
import { positionAfter, turnUp, writePosition, writeRecord } from "./notation.js";
import { atTheEnd, isOverAt, writeRules } from "./rules.js";

/** @import { ByCard, Solved } from "./answer.js" */
/** @import { Round } from "./notation.js" */
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
 * @property {number} cost
 * @property {number} their_cost
 * @property {number} bid_luck
 * @property {number} value_after
 * @property {ByCard} mix
 * @property {ByCard} their_mix
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
 * @property {number} draw_luck
 * @property {number} cost
 * @property {number} their_cost
 * @property {number} bid_luck
 * @property {number} value
 * @property {number | null} result
 * @property {number | null} worst
 */

const COST_TOLERANCE = 1e-9; // a regret below this is rounding, and costs nothing

/**
 * Review my play in a game.
 * @param {Rules} rules
 * @param {Round[]} played
 * @param {Tablebase} tablebase
 * @returns {Promise<Review>}
 */
export async function reviewOf(rules, played, tablebase) {
  const tolerance = Math.max(COST_TOLERANCE, 2 * tablebase.rounding);
  const games = await Promise.all(
    played.map(({ upcard }, index) =>
      tablebase.solve(turnUp(positionAfter(rules, played.slice(0, index)), upcard, Boolean(rules.order))),
    ),
  );
  /** @type {ReviewedRound[]} */
  const rounds = [];
  for (const [index, round] of played.entries()) {
    const before = rounds.at(-1)?.value_after ?? 0;
    rounds.push(reviewedRound(index + 1, round, games[index], before, tolerance));
  }
  /** @param {"draw_luck" | "cost" | "their_cost" | "bid_luck"} what */
  const sum = (what) => rounds.reduce((total, round) => total + round[what], 0);
  const end = positionAfter(rules, played);
  const isOver = !end.upcard && isOverAt(rules, end.mine.length);
  const most = Math.max(0, ...rounds.map(({ cost }) => cost));
  const value = isOver ? atTheEnd(rules, end.lead) : (rounds.at(-1)?.value_after ?? 0);
  return {
    record: writeRecord(played),
    rules: writeRules(rules),
    cards: rules.cards,
    objective: rules.objective,
    rounds,
    draw_luck: sum("draw_luck"),
    cost: sum("cost"),
    their_cost: sum("their_cost"),
    bid_luck: sum("bid_luck"),
    value,
    result: isOver ? value : null,
    worst: most ? (rounds.find(({ cost }) => cost === most)?.round ?? null) : null,
  };
}

/** @type {(number: number, round: Round, game: Solved, before: number, tolerance: number) => ReviewedRound} */
function reviewedRound(number, { upcard, mine, theirs }, game, before, tolerance) {
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
    cost,
    their_cost: theirCost,
    bid_luck: after - solution.value - (theirCost - cost),
    value_after: after,
    mix,
    their_mix: mixWith(mixOf(other), columns, theirs),
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
