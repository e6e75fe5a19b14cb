// Small games in whole numbers and fractions: all optimal mixes, beyond doubt.

import { interchangeableGroups } from "./matchups.js";
import { play, turnUp } from "./notation.js";
import { atTheEnd, hasLeads, isOverAt } from "./rules.js";

/** @import { Position } from "./notation.js" */
/** @import { Ranges } from "./optimal_face.js" */
/** @import { Rules } from "./rules.js" */

/** @typedef {[above: bigint, below: bigint]} Fraction  The lower part is positive. */

/** Cards in a hand up to which all that follows is worked out in fractions. */
export const MOST_EXACT = 3;
const LARGEST = 5; // rows and columns: all square parts of a game are looked at

/**
 * The ranges of the probabilities of rows over all optimal mixes, from payoffs that are whole numbers; null where they
 * are not, or the game is too large.
 * @param {number[][]} matrix
 * @returns {Ranges | null}
 */
export function exactRanges(matrix) {
  if (matrix.every((row) => row.every((cell) => cell === matrix[0][0])))
    return { spans: matrix.map(() => [0, 1]), unique: matrix.length === 1 };
  if (Math.max(matrix.length, matrix[0].length) > LARGEST || !matrix.flat().every(Number.isSafeInteger)) return null;
  return rangesOf(matrix.map((row) => row.map(BigInt)));
}

/**
 * The same at a position with few cards, whatever its payoffs are.
 * @param {Position} position
 * @param {Rules} rules
 */
export const exactRangesAt = (position, rules) => rangesOf(scaled(payoffs(position, rules)).whole);

/**
 * @param {bigint[][]} matrix
 * @returns {Ranges}
 */
function rangesOf(matrix) {
  const mixes = corners(matrix).map(({ mix, sum }) => mix.map((share) => fraction(share, sum)));
  const spans = matrix.map((_, row) => {
    const shares = mixes.map((mix) => mix[row]).sort((a, b) => compare(a, b));
    return [shares[0], shares[shares.length - 1]];
  });
  return {
    spans: spans.map(([least, greatest]) => [asNumber(least), asNumber(greatest)]),
    unique: spans.every(([least, greatest]) => !compare(least, greatest)),
  };
}

/** @type {(a: Fraction, b: Fraction) => number} */
const compare = (a, b) => Number(a[0] * b[1] - b[0] * a[1]);
/** @param {Fraction} fraction */
const asNumber = ([above, below]) => Number((above * 2n ** 80n) / below) / 2 ** 80;

/** @type {(a: bigint, b: bigint) => bigint} */
const common = (a, b) => (b ? common(b, a % b) : a < 0n ? -a : a);

/** @type {(above: bigint, below: bigint) => Fraction} */
function fraction(above, below) {
  const by = common(above, below) * (below < 0n ? -1n : 1n);
  return [above / by, below / by];
}

/**
 * The corners of the set of optimal mixes of the row player: each is that of a square part of the game (Shapley and
 * Snow), and all of them are looked at.
 * @param {bigint[][]} matrix
 */
function corners(matrix) {
  const columns = matrix[0].map((_, j) => matrix.map((row) => row[j]));
  const mirrored = columns.map((column) => column.map((cell) => -cell));
  const [mine, theirs] = [matrix, mirrored].map(candidates);
  // The value is the best that a mix is sure of; that it is, the best of the other side proves.
  const [best, other] = [mine, theirs].map((found) =>
    found.map(({ floor }) => floor).reduce((most, floor) => (compare(floor, most) > 0 ? floor : most)),
  );
  if (best[0] * other[1] + other[0] * best[1]) throw new Error("the two sides of a game have different values");
  return mine.filter(({ floor }) => !compare(floor, best));
}

/**
 * Mixes that make some columns worth the same, and what each is sure of.
 * @param {bigint[][]} matrix
 */
function candidates(matrix) {
  const [height, width] = [matrix.length, matrix[0].length];
  const found = [];
  for (let size = 1; size <= Math.min(height, width); size += 1)
    for (const rows of choices(height, size))
      for (const columns of choices(width, size)) {
        const shares = levelling(rows.map((i) => columns.map((j) => matrix[i][j])));
        if (!shares) continue;
        const mix = matrix.map((_, i) => (rows.includes(i) ? shares[rows.indexOf(i)] : 0n));
        const sum = shares.reduce((total, share) => total + share, 0n);
        const earned = matrix[0].map((_, j) => mix.reduce((total, share, i) => total + share * matrix[i][j], 0n));
        const least = earned.reduce((a, b) => (b < a ? b : a));
        found.push({ mix, sum, floor: /** @type {Fraction} */ ([least, sum]) });
      }
  return found;
}

/** @type {(count: number, size: number) => number[][]} */
function choices(count, size) {
  if (!size) return [[]];
  if (count < size) return [];
  return [...choices(count - 1, size), ...choices(count - 1, size - 1).map((chosen) => [...chosen, count - 1])];
}

/**
 * Shares of the rows of a square game, not below 0, in which all columns earn the same; null where there are none, or
 * many.
 * @param {bigint[][]} square
 * @returns {bigint[] | null}
 */
function levelling(square) {
  const size = square.length;
  // Unknown are the shares and what is earned: share · column − earned = 0; the shares sum to 1.
  const system = [
    ...square[0].map((_, j) => [...square.map((row) => row[j]), -1n, 0n]),
    [...square.map(() => 1n), 0n, 1n],
  ];
  for (let k = 0, before = 1n; k <= size; k += 1) {
    const at = system.findIndex((row, i) => i >= k && row[k]);
    if (at < 0) return null;
    [system[k], system[at]] = [system[at], system[k]];
    const head = system[k][k];
    system.forEach((row, i) => {
      if (i !== k) system[i] = row.map((cell, j) => (cell * head - row[k] * system[k][j]) / before); // leaves no rest
    });
    before = head;
  }
  const sign = system[0][0] < 0n ? -1n : 1n; // all are divided by the same number
  const shares = system.slice(0, size).map((row) => row[size + 1] * sign);
  return shares.every((share) => share >= 0n) ? shares : null;
}

/**
 * Fractions as whole numbers, and by which factor.
 * @param {Fraction[][]} matrix
 */
function scaled(matrix) {
  const by = matrix.flat().reduce((all, [, below]) => (all / common(all, below)) * below, 1n);
  return { whole: matrix.map((row) => row.map(([above, below]) => above * (by / below))), by };
}

/**
 * The payoffs of the distinct cards at a position with an upcard.
 * @param {Position} position
 * @param {Rules} rules
 */
function payoffs(position, rules) {
  const [rows, columns] = [
    interchangeableGroups(position.mine, position.theirs),
    interchangeableGroups(position.theirs, position.mine),
  ];
  return rows.map(([mine]) => columns.map(([theirs]) => valueBefore(play(position, mine, theirs, rules.carry), rules)));
}

/**
 * What a position before its upcard is worth.
 * @param {Position} position
 * @param {Rules} rules
 * @returns {Fraction}
 */
function valueBefore(position, rules) {
  if (isOverAt(rules, position.mine.length)) return [BigInt(atTheEnd(rules, position.lead)), 1n];
  if (!hasLeads(rules) && position.lead) {
    const [above, below] = valueBefore({ ...position, lead: 0 }, rules);
    return [above + BigInt(position.lead) * below, below];
  }
  const upcards = rules.order ? position.deck.slice(0, 1) : position.deck;
  /** @type {Fraction} */
  let sum = [0n, 1n];
  for (const upcard of upcards) {
    const [above, below] = gameValue(payoffs(turnUp(position, upcard, Boolean(rules.order)), rules));
    sum = fraction(sum[0] * below + above * sum[1], sum[1] * below);
  }
  return fraction(sum[0], sum[1] * BigInt(upcards.length));
}

/**
 * @param {Fraction[][]} matrix
 * @returns {Fraction}
 */
function gameValue(matrix) {
  const { whole, by } = scaled(matrix);
  const [{ floor }] = corners(whole);
  return fraction(floor[0], floor[1] * by);
}
