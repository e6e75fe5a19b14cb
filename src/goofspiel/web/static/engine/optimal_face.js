// All optimal mixes of a game: whether there is only one, and within what range each probability lies.
//
// The payoffs may be wrong by a known error. Then a mix is called unique only if it is the only optimal one whatever
// the true payoffs are; that another one exists can be said of exact payoffs alone: the least change may leave but one.

import { exactRanges } from "./exact.js";
import { maximise, solveSystem } from "./simplex.js";

/** @import { Solution } from "./games.js" */

/**
 * Between which limits the probability of each row lies in all optimal mixes of the row player.
 * @typedef {object} Ranges
 * @property {[least: number, greatest: number][]} spans by row
 * @property {boolean | null} unique whether there is only one; null when that cannot be told
 */

const NONE = 1e-12; // a probability below this is none: no support of a basis has one
const ROUNDING = 1e-13; // of payoffs and of what is computed from them, as a share of the payoffs
const FEASIBILITY = 1e-10; // what limits leave to the rounding of the programs that find them

/**
 * The ranges of the row player's probabilities over all optimal mixes; every payoff is within the error of the true
 * one, and 0 says that all are exact.
 * @param {number[][]} matrix
 * @param {Solution} solution
 * @param {number} error
 * @returns {Ranges}
 */
export function optimalRanges(matrix, solution, error) {
  if (matrix.length === 1) return { spans: [[1, 1]], unique: true };
  const exact = error ? null : exactRanges(matrix);
  if (exact) return within(solution, exact);
  const scale = Math.max(...matrix.flat().map(Math.abs), 1e-300);
  const wrong = error + ROUNDING * scale;
  if (isSurelyUnique(matrix, solution, wrong))
    return { spans: solution.rowMix.map((share) => [share, share]), unique: true };
  return within(solution, outerRanges(matrix, solution.value, (solution.gap / 2 + 2 * wrong) / scale, scale));
}

/**
 * The mix that was found is rounded, and among them.
 * @param {Solution} solution
 * @param {Ranges} ranges
 * @returns {Ranges}
 */
const within = ({ rowMix }, { spans, unique }) => ({
  spans: spans.map(([least, greatest], row) => [Math.min(least, rowMix[row]), Math.max(greatest, rowMix[row])]),
  unique,
});

/** @type {(mix: number[]) => [support: number[], idle: number[]]} */
const parted = (mix) => {
  const all = mix.map((_, index) => index);
  return [all.filter((index) => mix[index] > NONE), all.filter((index) => !(mix[index] > NONE))];
};

/**
 * Whether the supports stay optimal, every sign strict, however the payoffs are changed by no more than the error. Then
 * there is no other optimal mix for any of these payoffs, the true ones among them.
 * @param {number[][]} matrix
 * @param {Solution} solution
 * @param {number} error
 */
function isSurelyUnique(matrix, { rowMix, columnMix }, error) {
  const [[rows, idleRows], [columns, idleColumns]] = [parted(rowMix), parted(columnMix)];
  if (rows.length !== columns.length) return false;
  const y = supportMix(
    rows.map((i) => columns.map((j) => matrix[i][j])),
    error,
  );
  const x = supportMix(
    columns.map((j) => rows.map((i) => matrix[i][j])),
    error,
  );
  if (!x || !y) return false;
  const { value, valueError } = y;
  // Changes of a mix sum to 0, so payoffs count from the value.
  /** @type {(payoffs: number[], found: NonNullable<typeof x>, sign: number) => boolean} */
  const isStrict = (payoffs, { mix, mixError }, sign) => {
    const lost = sign * payoffs.reduce((sum, payoff, at) => sum + (value - payoff) * mix[at], 0);
    return lost > payoffs.reduce((sum, payoff, at) => sum + Math.abs(payoff - value) * mixError[at], valueError + error);
  };
  return (
    idleRows.every((i) => isStrict(columns.map((j) => matrix[i][j]), y, 1)) &&
    idleColumns.every((j) => isStrict(rows.map((i) => matrix[i][j]), x, -1))
  );
}

/**
 * The mix that makes all rows of a square game worth the same, that worth, and how far both may be off; null where a
 * probability may be none, or nothing can be said.
 * @param {number[][]} square
 * @param {number} error
 */
function supportMix(square, error) {
  const size = square.length;
  const ones = square.map(() => 1);
  /** @type {(row: number) => number[]} */
  const unit = (row) => Array.from({ length: size + 1 }, (_, index) => (index === row ? 1 : 0));
  const inverse = solveSystem([
    ...square.map((row, i) => [...row, -1, ...unit(i)]),
    [...ones, 0, ...unit(size)],
  ]);
  if (!inverse) return null;
  const moved = inverse.map((row) => row.slice(0, size).reduce((sum, entry) => sum + Math.abs(entry), 0) * error);
  const spread = size * Math.max(...moved.slice(0, size));
  if (!(spread < 0.5)) return null; // too ill for a bound
  const [mix, mixError] = [inverse.map((row) => row[size]), moved.map((by) => by / (1 - spread))];
  if (!mix.slice(0, size).every((share, at) => share > mixError[at])) return null;
  return { mix, mixError, value: mix[size], valueError: mixError[size] };
}

/**
 * Limits of all mixes that may be optimal: each earns the value, but for what may be wrong, in every column. A multiple
 * of such a mix does so, too: the program is over those that sum to at most 1, so nothing is where it can start.
 * @param {number[][]} matrix
 * @param {number} value
 * @param {number} slack as a share of the scale
 * @param {number} scale
 * @returns {Ranges}
 */
function outerRanges(matrix, value, slack, scale) {
  const [height, width] = [matrix.length, matrix[0].length];
  const wanted = value / scale - slack - FEASIBILITY;
  const rows = new Float64Array((width + 1) * height).fill(1);
  for (let j = 0; j < width; j += 1)
    for (let i = 0; i < height; i += 1) rows[j * height + i] = wanted - matrix[i][j] / scale;
  const limits = new Float64Array(width + 1);
  limits[width] = 1;
  /** @param {(row: number) => number} cost */
  const most = (cost) => {
    const costs = matrix.map((_, row) => cost(row));
    const found = maximise(costs, rows, limits, 0);
    if (!found) return 1; // which no probability passes
    return Math.min(costs.reduce((sum, share, row) => sum + share * found.primal[row], FEASIBILITY), 1);
  };
  return {
    spans: matrix.map((_, row) => [
      1 - most((other) => (other === row ? 0 : 1)),
      most((other) => (other === row ? 1 : 0)),
    ]),
    unique: null,
  };
}
