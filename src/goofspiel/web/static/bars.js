// A mix as bars: how likely each card is, what it costs, and within which range other optimal mixes lie.

import { chip } from "./cards.js";
import { el, hidden, tableHead } from "./dom.js";
import { cost, digitsOf, isFree, percent } from "./format.js";
import { byCard, cardName, cardSpoken } from "./engine/cards.js";

/** @import { Answer, ByCard } from "./api.js" */
/** @import { Objective } from "./engine/rules.js" */

const SAME = 1e-6; // a range narrower than this is a point
const LEAST_SCALE = 0.4; // the probability of the longest bar is at least this

/**
 * A table, one row a card.
 * @param {object} shown
 * @param {"mine" | "theirs"} shown.owner
 * @param {string} shown.caption
 * @param {ByCard} shown.mix
 * @param {ByCard} [shown.costs]
 * @param {Answer["ranges"] | null} [shown.ranges] where the mix is not unique
 * @param {Objective} shown.objective
 */
export function mixBars({ owner, caption, mix, costs, ranges, objective }) {
  const widest = Math.max(LEAST_SCALE, ...Object.values(mix), ...Object.values(ranges ?? {}).map((range) => range[1]));
  const rows = byCard(mix).map(([card, probability]) => {
    const name = cardName(card);
    const range = ranges?.[name];
    const span = range && range[1] - range[0] > SAME ? range : null;
    return el(
      "tr",
      { class: probability > 1e-9 ? "played" : "unplayed" },
      el("th", { scope: "row" }, chip(card, owner), hidden(cardSpoken(card))),
      el(
        "td",
        { class: "track" },
        el("span", { class: `bar ${owner}`, vars: { "--share": probability / widest } }),
        span ? el("span", { class: "range", vars: { "--from": span[0] / widest, "--to": span[1] / widest } }) : null,
      ),
      el("td", { class: "number" }, percent(probability)),
      ranges ? el("td", { class: "number faint" }, span ? `${percent(span[0])} – ${percent(span[1])}` : "") : null,
      costs
        ? el("td", { class: isFree(costs[name]) ? "number faint" : "number" }, cost(costs[name], digitsOf(objective)))
        : null,
    );
  });
  const head = ["Card", hidden("Chance as a bar"), "Chance", ranges ? "Range" : null, costs ? "Cost" : null];
  return el(
    "table",
    { class: "bars" },
    el("caption", { class: "hidden" }, caption),
    tableHead(head.filter(Boolean)),
    el("tbody", {}, rows),
  );
}

/**
 * What each of their cards costs them, by name of card: the other side of the same matrix.
 * @param {Answer} answer
 */
export function theirCosts({ mine, theirs, matrix, value }) {
  const chances = byCard(mine);
  return Object.fromEntries(
    byCard(theirs).map(([card], column) => {
      const earned = chances.reduce((sum, [, chance], row) => sum + chance * matrix[row][column], 0);
      return [cardName(card), Math.max(0, earned - value)];
    }),
  );
}
