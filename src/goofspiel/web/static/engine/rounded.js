// Numbers in sentences, rounded as the library rounds them: a half goes to the even neighbour.

/** @import { Objective } from "./rules.js" */

/** How many digits of a value are worth reading. @type {Record<Objective, number>} */
export const DECIMALS = { points: 2, win: 3 };

/**
 * A number with so many digits after the point.
 * @param {number} number
 * @param {number} digits
 */
export function fixed(number, digits) {
  const scaled = number * 10 ** digits;
  // A half that is exact: other numbers only look like one when they are multiplied.
  const isHalf = Number.isInteger(number * 2 ** (digits + 1)) && Math.abs(scaled % 1) === 0.5;
  return (isHalf ? (2 * Math.round(scaled / 2)) / 10 ** digits : number).toFixed(digits);
}

/** @param {number} share */
export const wholePercent = (share) => `${fixed(100 * share, 0)} %`;
