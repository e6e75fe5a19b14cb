// Solve matrix games: the value, a mix of each side, and the gap that proves them optimal.

import { EngineError } from "./errors.js";
import { maximise, solveSystem } from "./simplex.js";

/**
 * A solved game; the row player maximises.
 * @typedef {object} Solution
 * @property {number} value what the row player can be sure of, on average
 * @property {number[]} rowMix
 * @property {number[]} columnMix
 * @property {number} gap the best reply to the column mix minus the best reply to the row mix: 0 is perfect
 */

/** @typedef {{ value: number, rowMix: Float64Array, columnMix: Float64Array, gap: number }} FlatSolution */

const GAP = 1e-13; // that is accepted at once, as a share of the spread of the payoffs
const LARGEST_GAP = 1e-9; // that is accepted at all

/**
 * Solve a game, given as its payoff matrix, row by row.
 * @param {number[][]} matrix
 * @returns {Solution}
 */
export function solve(matrix) {
  const [height, width] = [matrix.length, matrix[0].length];
  const found = solveFlat(Float64Array.from(matrix.flat()), height, width);
  return { ...found, rowMix: [...found.rowMix], columnMix: [...found.columnMix] };
}

/**
 * The same for a matrix that is one array, row by row.
 * @param {ArrayLike<number>} payoffs
 * @param {number} height
 * @param {number} width
 * @returns {FlatSolution}
 */
export function solveFlat(payoffs, height, width) {
  const pure = saddlePoint(payoffs, height, width);
  if (pure) return pure;
  let [lowest, highest] = [Infinity, -Infinity];
  for (let at = 0; at < height * width; at += 1) {
    if (payoffs[at] < lowest) lowest = payoffs[at];
    if (payoffs[at] > highest) highest = payoffs[at];
  }
  const spread = highest - lowest;
  // Payoffs are brought to 1 … 2. Then the column player's program is: as much as possible in all where no row earns
  // more than 1; the prices of the rows are the row player's mix.
  const scaled = new Float64Array(height * width);
  for (let at = 0; at < scaled.length; at += 1) scaled[at] = (payoffs[at] - lowest) / spread + 1;
  const ones = new Float64Array(Math.max(height, width)).fill(1);
  /** @type {FlatSolution | null} */
  let best = null;
  for (const careful of [undefined, 0]) {
    const found = maximise(ones.subarray(0, width), scaled, ones.subarray(0, height), careful);
    if (!found) continue;
    const { primal, dual } = found;
    const plain = proven(payoffs, height, width, dual, primal);
    if (plain.gap <= GAP * spread) return plain;
    const refined = refine(payoffs, height, width, found.basis);
    for (const one of [plain, ...refined]) if (!best || one.gap < best.gap) best = one;
    if (best && best.gap <= GAP * spread) break;
  }
  if (best && best.gap <= LARGEST_GAP * spread) return best;
  throw new EngineError("proof", `no answer to a game of ${height} × ${width} bids proves itself optimal`);
}

/** @type {(payoffs: ArrayLike<number>, height: number, width: number) => FlatSolution | null} */
function saddlePoint(payoffs, height, width) {
  let [row, floor] = [0, -Infinity]; // what a row earns at least
  for (let i = 0; i < height; i += 1) {
    let least = Infinity;
    for (let j = 0; j < width; j += 1) if (payoffs[i * width + j] < least) least = payoffs[i * width + j];
    if (least > floor) [row, floor] = [i, least];
  }
  let [column, ceiling] = [0, Infinity];
  for (let j = 0; j < width; j += 1) {
    let most = -Infinity;
    for (let i = 0; i < height; i += 1) if (payoffs[i * width + j] > most) most = payoffs[i * width + j];
    if (most < ceiling) [column, ceiling] = [j, most];
  }
  if (floor !== ceiling) return null;
  const [rowMix, columnMix] = [new Float64Array(height), new Float64Array(width)];
  rowMix[row] = columnMix[column] = 1;
  return { value: floor, rowMix, columnMix, gap: 0 };
}

/**
 * What two mixes are worth, once they sum to 1.
 * @param {ArrayLike<number>} payoffs
 * @param {number} height
 * @param {number} width
 * @param {Float64Array} rowMix
 * @param {Float64Array} columnMix
 */
function proven(payoffs, height, width, rowMix, columnMix) {
  for (const mix of [rowMix, columnMix]) {
    const sum = mix.reduce((total, share) => total + share, 0);
    for (let at = 0; at < mix.length; at += 1) mix[at] /= sum;
  }
  let most = -Infinity;
  for (let i = 0; i < height; i += 1) {
    let earned = 0;
    for (let j = 0; j < width; j += 1) earned += payoffs[i * width + j] * columnMix[j];
    if (earned > most) most = earned;
  }
  let least = Infinity;
  for (let j = 0; j < width; j += 1) {
    let earned = 0;
    for (let i = 0; i < height; i += 1) earned += payoffs[i * width + j] * rowMix[i];
    if (earned < least) least = earned;
  }
  return { value: (most + least) / 2 + 0, rowMix, columnMix, gap: Math.max(most - least, 0) };
}

/**
 * The mixes of a basis anew, from its equations: rounding of the steps that led to it is gone.
 * @param {ArrayLike<number>} payoffs
 * @param {number} height
 * @param {number} width
 * @param {number[]} basis
 */
function refine(payoffs, height, width, basis) {
  const columns = basis.filter((name) => name < width);
  const slack = new Set(basis.filter((name) => name >= width).map((name) => name - width));
  const rows = Array.from({ length: height }, (_, i) => i).filter((i) => !slack.has(i));
  /** @param {number[][]} square */
  const levelled = (square) =>
    solveSystem([...square.map((row) => [...row, -1, 0]), [...square.map(() => 1), 0, 1]])?.map(([share]) => share);
  const [y, x] = [
    levelled(rows.map((i) => columns.map((j) => payoffs[i * width + j]))),
    levelled(columns.map((j) => rows.map((i) => payoffs[i * width + j]))),
  ];
  if (!x || !y) return [];
  const [rowMix, columnMix] = [new Float64Array(height), new Float64Array(width)];
  rows.forEach((i, at) => (rowMix[i] = Math.max(x[at], 0)));
  columns.forEach((j, at) => (columnMix[j] = Math.max(y[at], 0)));
  return [proven(payoffs, height, width, rowMix, columnMix)];
}
