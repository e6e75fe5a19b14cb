// Number the hand pairs of a level, up to order: what is left of two hands when only comparisons count.
//
// With j cards in each hand, of which d are not matched by an equal card of the other, matchups are numbered by d, then
// by the places of the ties, then by which of the 2d other places are mine. Half of them have a number: those whose
// highest unmatched card is theirs. The others are their mirror images, worth the negative.

import { CHOOSE, rankOf, sizeOf, squeeze } from "./subsets.js";

/**
 * Half of the ways to deal 2d unmatched places to two players.
 * @param {number} d
 */
const half = (d) => CHOOSE[2 * d][d] / 2;

/** @type {number[][]} */
const offsets = [];

/**
 * The number of matchups of a level with fewer than d unmatched cards.
 * @param {number} level
 * @param {number} d
 */
function offset(level, d) {
  const known = (offsets[level] ??= [0, 0]);
  for (let e = known.length - 1; e < d; e += 1) known.push(known[e] + CHOOSE[level + e][level - e] * half(e));
  return known[Math.max(d, 0)];
}

/**
 * How many matchups of a level have a number, in a game of so many cards.
 * @param {number} cards
 * @param {number} level
 */
export const matchupCount = (cards, level) => offset(level, Math.min(level, cards - level) + 1);

/**
 * The number of a hand pair and its sign: value(hands) = sign · value(number). The sign is 0 for equal hands, which
 * have no number.
 * @param {number} mine
 * @param {number} theirs
 * @param {number} level
 * @returns {[number: number, sign: -1 | 0 | 1]}
 */
export function numberOf(mine, theirs, level) {
  if (mine === theirs) return [0, 0];
  const [held, ties] = [mine | theirs, mine & theirs];
  const d = level - sizeOf(ties);
  const ways = half(d);
  const dealt = rankOf(squeeze(mine, held ^ ties));
  const first = offset(level, d) + rankOf(squeeze(ties, held)) * ways;
  return dealt < ways ? [first + dealt, 1] : [first + 2 * ways - 1 - dealt, -1];
}

/**
 * The cards of a hand in groups that no card of the other hand tells apart.
 * @param {number[]} hand
 * @param {number[]} other
 */
export function interchangeableGroups(hand, other) {
  /** @type {number[][]} */
  const groups = [];
  for (const card of hand) {
    const group = groups.at(-1);
    const before = group?.at(-1) ?? 0;
    if (group && !other.some((theirs) => theirs >= before && theirs <= card)) group.push(card);
    else groups.push([card]);
  }
  return groups;
}
