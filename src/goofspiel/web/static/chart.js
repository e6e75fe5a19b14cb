// The curve of a game: what was to be expected after each round, and what each bid cost.

import { svg } from "./dom.js";
import { signed } from "./format.js";

const HEIGHT = 270;
const MARGIN = { left: 52, right: 16, top: 18, bottom: 34 };

/** @typedef {{ label: string, value: number, cost?: number, title: string }} Step */

/**
 * Round numbers from below `low` to above `high`, a handful of them.
 * @param {number} low
 * @param {number} high
 * @param {number} most
 */
export function ticks(low, high, most = 6) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((factor) => factor * power).find((size) => size >= rough * (1 - 1e-9)) ?? 10 * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/**
 * A line through the values, drawn for a place of this width in pixels; the first of the steps is the start.
 * A cost is an orange bar that hangs from the line of its round; `marked` is the index of the worst one.
 * @param {Step[]} steps
 * @param {{ digits: number, label: string, width: number, marked?: number | null, most?: number }} options `most` is
 *   the largest value that there can be
 */
export function valueCurve(steps, { digits, label, width, marked = null, most = Infinity }) {
  const values = steps.map((step) => step.value);
  const reach = Math.max(1e-9, ...values.map(Math.abs), ...steps.map((step) => step.cost ?? 0));
  const [least, largest] = [Math.min(0, ...values) - 0.06 * reach, Math.max(0, ...values) + 0.06 * reach];
  const lines = ticks(Math.max(-most, least), Math.min(most, largest));
  const [low, high] = [lines[0], lines[lines.length - 1]];
  /** @param {number} index */
  const x = (index) => MARGIN.left + (index * (width - MARGIN.left - MARGIN.right)) / Math.max(1, steps.length - 1);
  /** @param {number} value */
  const y = (value) => MARGIN.top + ((high - value) * (HEIGHT - MARGIN.top - MARGIN.bottom)) / (high - low);
  const places = Math.max(0, Math.min(digits, Math.ceil(-Math.log10(lines[1] - lines[0]) - 1e-9)));

  const grid = lines.map((value) =>
    svg(
      "g",
      { class: Math.abs(value) < 1e-9 ? "zero" : "line" },
      svg("line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
      svg("text", { x: MARGIN.left - 8, y: y(value) + 4, "text-anchor": "end" }, signed(value, places)),
    ),
  );
  const path = values.map((value, index) => `${index ? "L" : "M"}${x(index)} ${y(value)}`).join("");
  const area = `${path}L${x(steps.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z`;
  const costs = steps.map((step, index) =>
    step.cost
      ? svg("line", {
          class: index === marked ? "cost worst" : "cost",
          x1: x(index),
          x2: x(index),
          y1: y(step.value),
          y2: Math.max(y(step.value + step.cost), MARGIN.top),
        })
      : null,
  );
  const dots = steps.map((step, index) =>
    svg(
      "g",
      { class: index === marked ? "dot worst" : "dot" },
      svg("circle", { cx: x(index), cy: y(step.value), r: index === marked ? 7 : 4.5 }, svg("title", {}, step.title)),
      svg("text", { x: x(index), y: HEIGHT - 10, "text-anchor": "middle" }, step.label),
    ),
  );
  return svg(
    "svg",
    { class: "curve", viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
    grid,
    svg("path", { class: "area", d: area }),
    costs,
    svg("path", { class: "value", d: path }),
    dots,
  );
}
