// Numbers and words for people.

/** @import { Objective } from "./engine/rules.js" */

export { counted as count } from "./engine/cards.js";
export { UNITS } from "./engine/rules.js";

const ROUNDING = 5e-6; // less than this is rounding: tables to win are stored in single precision

/**
 * Digits after the point that suit an objective.
 * @param {Objective} objective
 */
export const digitsOf = (objective) => (objective === "win" ? 4 : 3);

/**
 * With a sign, but never a negative zero.
 * @param {number} number
 * @param {number} digits
 */
export function signed(number, digits) {
  const text = Math.abs(number).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${number < 0 ? "−" : "+"}${text}`;
}

/**
 * A probability in per cent.
 * @param {number} probability
 */
export function percent(probability) {
  if (probability <= 1e-9) return "0\u00a0%";
  if (probability >= 1 - 1e-9) return "100\u00a0%";
  if (probability < 0.0005) return "<0.1\u00a0%";
  if (probability > 0.9995) return ">99.9\u00a0%";
  return `${(100 * probability).toFixed(1)}\u00a0%`;
}

/**
 * The same where there is little room.
 * @param {number} probability
 */
export function percentShort(probability) {
  if (probability <= 1e-9) return "–";
  return probability < 0.005 ? "<1\u00a0%" : `${Math.round(100 * probability)}\u00a0%`;
}

/**
 * A probability in a narrow cell: .066
 * @param {number} probability
 */
export function short(probability) {
  if (probability <= 1e-9) return "0";
  const text = probability.toFixed(3);
  return text === "1.000" ? "1" : text.replace(/^0/, "");
}

/**
 * What a card costs: a small cost is not 0.
 * @param {number} number
 * @param {number} digits
 */
export function cost(number, digits) {
  if (number < ROUNDING) return "0";
  const text = number.toFixed(digits);
  return Number(text) ? text : number.toPrecision(1);
}

/**
 * A gap, which is tiny: 3.1e−15.
 * @param {number} number
 */
export const tiny = (number) => number.toExponential(1).replace("-", "−");

/**
 * The unit of what is lost or gained, in a sentence.
 * @param {Objective} objective
 */
export const unit = (objective) => (objective === "points" ? "points" : "of P(win) − P(loss)");

/** @param {number} number */
export const isFree = (number) => number < ROUNDING;

/**
 * One, two and three.
 * @param {string[]} words
 */
export function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
