// What is said about a position: value, mixes, matrix, regrets, gap, uniqueness.

import { cardName } from "./cards.js";
import { exactRangesAt, MOST_EXACT } from "./exact.js";
import { ROUNDINGS } from "./endgame.js";
import { solve } from "./games.js";
import { interchangeableGroups } from "./matchups.js";
import { swap, writePosition } from "./notation.js";
import { optimalRanges } from "./optimal_face.js";
import { writeRules } from "./rules.js";

/** @import { Solution } from "./games.js" */
/** @import { Position } from "./notation.js" */
/** @import { Objective, Rules } from "./rules.js" */

/** @typedef {Record<string, number>} ByCard  By name of card. */
/** @typedef {{ win: number, draw: number, loss: number }} Outcomes */

/**
 * What is optimal at a position with an upcard. Rows of the matrix are my cards, columns theirs, ascending.
 * @typedef {object} Answer
 * @property {string} position
 * @property {string} rules the game whose table was asked
 * @property {Objective} objective
 * @property {number} value
 * @property {number} cards
 * @property {Outcomes | null} [outcomes] only for win; null where they are not worked out
 * @property {ByCard} mine
 * @property {ByCard} theirs
 * @property {number[][]} matrix
 * @property {ByCard} regret
 * @property {number} gap
 * @property {number} bound the value, and each payoff, is within this of the true one
 * @property {boolean | null} unique
 * @property {Record<string, [number, number]>} ranges
 * @property {string[][]} interchangeable
 * @property {undefined} [upcards] of a ChanceAnswer alone: so they are told apart
 */

/**
 * What a position is worth before its upcard is drawn.
 * @typedef {object} ChanceAnswer
 * @property {string} position
 * @property {string} rules
 * @property {Objective} objective
 * @property {number} value
 * @property {number} cards
 * @property {Outcomes | null} [outcomes]
 * @property {ByCard} upcards
 * @property {number} bound each of these values is within this of the true one
 * @property {undefined} [mine] of an Answer alone
 */

/** What is computed from payoffs is rounded by no more than this share of them. */
export const ROUNDING = (ROUNDINGS * Number.EPSILON) / 2;
/** The gap that a mix may have when it is asked for, as a share of what is played for. */
export const ANSWER_GAP = 1e-13;

/**
 * A position with an upcard, its payoffs, and their game solved.
 * @typedef {object} Solved
 * @property {Position} position
 * @property {Rules} rules
 * @property {number[][]} payoffs of the distinct cards
 * @property {Solution} solution
 * @property {number} error each payoff is within this of the true one
 */

/**
 * @param {Position} position
 * @param {Rules} rules
 * @param {number[][]} payoffs
 * @param {number} error
 * @returns {Solved}
 */
export const solved = (position, rules, payoffs, error) => ({
  position,
  rules,
  payoffs,
  solution: solve(payoffs),
  error,
});

/**
 * The same as the other player sees it.
 * @param {Solved} game
 * @returns {Solved}
 */
export function swapped({ position, rules, payoffs, solution, error }) {
  const { value, rowMix, columnMix, gap } = solution;
  return {
    position: swap(position),
    rules,
    payoffs: payoffs[0].map((_, j) => payoffs.map((row) => 0 - row[j])),
    solution: { value: 0 - value, rowMix: columnMix, columnMix: rowMix, gap },
    error,
  };
}

/** @type {(hand: number[], other: number[]) => { groups: number[][], groupOf: Map<number, number> }} */
function grouped(hand, other) {
  const groups = interchangeableGroups(hand, other);
  return { groups, groupOf: new Map(groups.flatMap((group, at) => group.map((card) => [card, at]))) };
}

/**
 * Something for each card of a hand, from what there is for each group: all of it goes to the lowest card.
 * @template What
 * @param {number[][]} groups
 * @param {What[]} each
 * @param {What} nothing
 * @returns {Record<string, What>}
 */
const spread = (groups, each, nothing) =>
  Object.fromEntries(
    groups.flatMap((group, at) => group.map((card, rank) => [cardName(card), rank ? nothing : each[at]])),
  );

/**
 * What each of my cards loses against an optimal opponent.
 * @param {Solved} game
 * @returns {ByCard}
 */
export function regretsOf({ position, payoffs, solution }) {
  const { groupOf } = grouped(position.mine, position.theirs);
  const lost = payoffs.map((row) => {
    const earned = row.reduce((sum, payoff, j) => sum + payoff * solution.columnMix[j], 0);
    return Math.max(solution.value - earned, 0);
  });
  return Object.fromEntries([...groupOf].map(([card, group]) => [cardName(card), lost[group]]));
}

/**
 * An optimal mix of mine.
 * @param {Solved} game
 * @returns {ByCard}
 */
export const mixOf = ({ position, solution }) =>
  spread(interchangeableGroups(position.mine, position.theirs), solution.rowMix, 0);

/**
 * The answer.
 * @param {Solved} game
 * @returns {Answer}
 */
export function answerOf(game) {
  const { position, rules, payoffs, solution, error } = game;
  const [mine, theirs] = [grouped(position.mine, position.theirs), grouped(position.theirs, position.mine)];
  const largest = Math.max(...payoffs.flat().map(Math.abs));
  let ranges = optimalRanges(payoffs, solution, error);
  if (ranges.unique === null && position.mine.length <= MOST_EXACT) ranges = exactRangesAt(position, rules);
  return {
    position: writePosition(position),
    rules: writeRules(rules),
    objective: rules.objective,
    value: solution.value,
    cards: rules.cards,
    mine: mixOf(game),
    theirs: spread(theirs.groups, solution.columnMix, 0),
    matrix: [...mine.groupOf.values()].map((i) => [...theirs.groupOf.values()].map((j) => payoffs[i][j])),
    regret: regretsOf(game),
    gap: solution.gap,
    bound: error + solution.gap / 2 + ROUNDING * largest,
    unique: ranges.unique,
    ranges: spread(mine.groups, ranges.spans, /** @type {[number, number]} */ ([0, 0])),
    interchangeable: mine.groups.filter((group) => group.length > 1).map((group) => group.map(cardName)),
  };
}
