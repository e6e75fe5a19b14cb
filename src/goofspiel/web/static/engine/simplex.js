// Linear programs of a few rows and columns, dense, by the simplex method.

const PIVOT = 1e-9; // a smaller entry is no pivot: rows and columns are scaled to about 1
const COST = 1e-12; // a smaller reduced cost is none
const STEPS = 500; // more than any such program takes

/**
 * An optimum of: maximise cost · z where rows · z ≤ limits and z ≥ 0, all limits at least 0.
 * @typedef {object} Optimum
 * @property {Float64Array} primal z
 * @property {Float64Array} dual the price of each row
 * @property {number[]} basis what is basic, by row: a column, or as many columns plus a row
 */

/**
 * Solve such a program; null when the steps do not suffice. The first steps take the steepest column; those after so
 * many the first one that helps, which never goes round in a circle.
 * @param {ArrayLike<number>} cost
 * @param {ArrayLike<number>} rows row by row
 * @param {ArrayLike<number>} limits
 * @param {number} careful after so many steps
 * @returns {Optimum | null}
 */
export function maximise(cost, rows, limits, careful = STEPS / 4) {
  const [height, width] = [limits.length, cost.length];
  const wide = width + 1; // of the tableau: the last column holds the limits, the last row the costs
  const tableau = new Float64Array((height + 1) * wide);
  for (let i = 0; i < height; i += 1) {
    for (let j = 0; j < width; j += 1) tableau[i * wide + j] = rows[i * width + j];
    tableau[i * wide + width] = limits[i];
  }
  for (let j = 0; j < width; j += 1) tableau[height * wide + j] = cost[j];
  const free = Array.from({ length: width }, (_, j) => j); // what is not basic, by column
  const basis = Array.from({ length: height }, (_, i) => width + i);
  for (let step = 0; step < STEPS; step += 1) {
    const column = step < careful ? steepest(tableau, height, width) : firstUseful(tableau, height, free);
    if (column < 0) return optimum(tableau, height, width, basis, free);
    const row = tightest(tableau, height, wide, column, basis);
    if (row < 0) return null;
    pivot(tableau, height, wide, row, column);
    [basis[row], free[column]] = [free[column], basis[row]];
  }
  return null;
}

/** @type {(tableau: Float64Array, height: number, width: number) => number} */
function steepest(tableau, height, width) {
  let [column, most] = [-1, COST];
  for (let j = 0, at = height * (width + 1); j < width; j += 1, at += 1)
    if (tableau[at] > most) [column, most] = [j, tableau[at]];
  return column;
}

/** @type {(tableau: Float64Array, height: number, free: number[]) => number} */
function firstUseful(tableau, height, free) {
  const at = height * (free.length + 1);
  let column = -1;
  for (let j = 0; j < free.length; j += 1)
    if (tableau[at + j] > COST && (column < 0 || free[j] < free[column])) column = j;
  return column;
}

/** @type {(tableau: Float64Array, height: number, wide: number, column: number, basis: number[]) => number} */
function tightest(tableau, height, wide, column, basis) {
  let [row, least] = [-1, Infinity];
  for (let i = 0; i < height; i += 1) {
    const entry = tableau[i * wide + column];
    if (entry <= PIVOT) continue;
    const ratio = tableau[i * wide + wide - 1] / entry;
    if (ratio < least || (ratio === least && basis[i] < basis[row])) [row, least] = [i, ratio];
  }
  return row;
}

/** @type {(tableau: Float64Array, height: number, wide: number, row: number, column: number) => void} */
function pivot(tableau, height, wide, row, column) {
  const at = row * wide;
  const inverse = 1 / tableau[at + column];
  for (let j = 0; j < wide; j += 1) tableau[at + j] *= inverse;
  tableau[at + column] = inverse;
  for (let i = 0; i <= height; i += 1) {
    const here = i * wide;
    const factor = tableau[here + column];
    if (i === row || !factor) continue;
    for (let j = 0; j < wide; j += 1) tableau[here + j] -= factor * tableau[at + j];
    tableau[here + column] = -factor * inverse;
  }
  for (let i = 0; i < height; i += 1) {
    const limit = i * wide + wide - 1;
    if (tableau[limit] < 0) tableau[limit] = 0; // rounding
  }
}

/** @type {(tableau: Float64Array, height: number, width: number, basis: number[], free: number[]) => Optimum} */
function optimum(tableau, height, width, basis, free) {
  const [primal, dual] = [new Float64Array(width), new Float64Array(height)];
  basis.forEach((name, i) => {
    if (name < width) primal[name] = tableau[i * (width + 1) + width];
  });
  free.forEach((name, j) => {
    if (name >= width) dual[name - width] = Math.max(-tableau[height * (width + 1) + j], 0);
  });
  return { primal, dual, basis };
}

/**
 * The solution of a square system of equations, row by row with its right side; null when it has none, or many.
 * @param {number[][]} rows
 */
export function solveSystem(rows) {
  const system = rows.map((row) => [...row]);
  const size = system.length;
  for (let k = 0; k < size; k += 1) {
    let best = k;
    for (let i = k + 1; i < size; i += 1) if (Math.abs(system[i][k]) > Math.abs(system[best][k])) best = i;
    [system[k], system[best]] = [system[best], system[k]];
    if (!system[k][k]) return null;
    for (let i = 0; i < size; i += 1) {
      const factor = i === k ? 0 : system[i][k] / system[k][k];
      if (factor) for (let j = k; j < system[i].length; j += 1) system[i][j] -= factor * system[k][j];
    }
  }
  return system.map((row, k) => row.slice(size).map((side) => side / row[k]));
}
