// Tables in colour whose numbers are always printed.

import { el, fill } from "./dom.js";

/** @import { Child, Vars } from "./dom.js" */

/** @typedef {{ text: string, shade: Vars, label: string, mark?: string, href?: string }} Cell  `href`: a position */

/**
 * A table of rows × columns.
 * @param {object} shown
 * @param {string} shown.caption
 * @param {Child} shown.corner
 * @param {(Child | Child[])[]} shown.heads contents of the header cells
 * @param {(Child | Child[])[]} shown.sides
 * @param {(row: number, column: number) => Cell} shown.cell
 * @param {(row: number, column: number) => void} [shown.pick] called for a cell that is pressed: arrow keys move
 *   between cells
 * @param {Child} [shown.foot]
 * @param {string} [shown.name] tells the cells of several tables apart
 */
export function heatMap({ caption, corner, heads, sides, cell, pick, foot, name = "" }) {
  const headRow = el(
    "tr",
    {},
    el("td", { class: "corner" }, corner),
    heads.map((head) => el("th", { scope: "col" }, head)),
  );
  const cells = sides.map((_, row) => heads.map((_, column) => cell(row, column)));
  const rows = sides.map((side, row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, side),
      cells[row].map((one, column) =>
        cellOf(one, `${name} cell ${row} ${column}`, !(row || column), pick && (() => pick(row, column))),
      ),
    ),
  );
  const chars = Math.max(...cells.flat().map(({ text }) => text.length));
  const table = el(
    "table",
    { class: "heat", role: pick ? "grid" : null, vars: { "--columns": heads.length, "--chars": chars } },
    el("caption", {}, caption),
    el("thead", {}, headRow),
    el("tbody", {}, rows),
    foot ? el("tfoot", {}, foot) : null,
  );
  if (pick) walkable(table, "td");
  else if (cells[0]?.[0]?.href) walkable(table, "td > a");
  // A table wider than the page is scrolled within its own frame, by keyboard too.
  return el("div", { class: "frame sized", tabindex: pick ? null : "0", role: "region", "aria-label": caption }, table);
}

/**
 * @param {Cell} cell
 * @param {string} key
 * @param {boolean} isFirst
 * @param {(() => void) | undefined} pick
 */
function cellOf({ text, shade, label, mark = "", href }, key, isFirst, pick) {
  const common = { vars: shade, class: mark, title: label };
  if (href)
    return el(
      "td",
      common,
      el("a", { href, "data-view": "explore", tabindex: isFirst ? "0" : "-1", "aria-label": label }, text),
    );
  if (!pick) return el("td", common, text);
  return el(
    "td",
    {
      ...common,
      role: "gridcell",
      tabindex: isFirst ? "0" : "-1",
      "aria-label": label,
      "data-key": key,
      onclick: pick,
    },
    text,
  );
}

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * One cell of a table can be reached by Tab, the others by arrow keys.
 * @param {HTMLTableElement} table
 * @param {string} which what is reached in a cell
 */
function walkable(table, which) {
  const rows = [...table.tBodies[0].rows].map((row) => [
    .../** @type {NodeListOf<HTMLElement>} */ (row.querySelectorAll(which)),
  ]);
  /** @param {HTMLElement} target */
  const at = (target) => {
    const row = rows.findIndex((cells) => cells.includes(target));
    return [row, row < 0 ? -1 : rows[row].indexOf(target)];
  };
  /** @type {(row: number, column: number) => void} */
  const focus = (row, column) => {
    rows.flat().forEach((cell) => cell.setAttribute("tabindex", "-1"));
    rows[row][column].setAttribute("tabindex", "0");
    rows[row][column].focus();
  };
  table.addEventListener("keydown", (event) => {
    const { target } = event;
    if (!(target instanceof HTMLElement)) return;
    const [row, column] = at(target);
    if (row < 0) return;
    const step = STEPS[event.key];
    if (step) focus(bounded(row + step[0], rows.length), bounded(column + step[1], rows[row].length));
    else if (event.key === "Home") focus(row, 0);
    else if (event.key === "End") focus(row, rows[row].length - 1);
    else if ((event.key === "Enter" || event.key === " ") && which === "td") target.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** @type {(index: number, length: number) => number} */
const bounded = (index, length) => Math.min(Math.max(index, 0), length - 1);

/**
 * What the colours mean: samples with words.
 * @param {[Vars, string][]} samples
 */
export const legend = (...samples) =>
  fill(
    el("p", { class: "legend" }),
    samples.map(([shade, words]) => el("span", {}, el("i", { vars: shade, class: "sample" }), words)),
  );
