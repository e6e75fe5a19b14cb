// The view of the first-move tables: every solved number of cards, points beside win.

import { address, asError, ask } from "./api.js";
import { chip } from "./cards.js";
import { el, fill, hidden } from "./dom.js";
import { count, percent, short, signed, tiny } from "./format.js";
import { heatMap, legend } from "./heatmap.js";
import { cardLabel, cardsUpTo, MAX_CARDS } from "./notation.js";
import { parityShade, probabilityShade, signedShade } from "./palette.js";
import { thumbnail } from "./thumbnail.js";
import { note, notice, retry } from "./words.js";

/** @import { FirstMove, Objective, Table } from "./api.js" */
/** @import { Params, Router, View } from "./router.js" */

/** @typedef {FirstMove | { problem: Error }} FoundTable */

/**
 * @typedef {object} State
 * @property {number} cards
 * @property {keyof typeof SHADES} shade
 * @property {Partial<Record<Objective, FoundTable>>} tables what was found of those that are shown
 * @property {Table[] | null} solved the tables that there are
 * @property {Error | null} problem why that is not known
 */

export const title = "Study";

const FIRST = 9;
/** @type {Objective[]} */
const OBJECTIVES = ["points", "win"];
const TITLES = { points: "For points", win: "To win" };
const SHADES = { parity: parityShade, plain: probabilityShade };

/**
 * Open the view.
 * @param {HTMLElement} root
 * @param {Params} params
 * @param {Router} router
 * @returns {View}
 */
export function open(root, params, router) {
  const parts = {
    choice: el("div", { class: "tools" }),
    tables: el("div", { class: "first-moves" }),
    gallery: el("section", { class: "panel gallery", "aria-labelledby": "gallery-title" }),
  };
  /** @type {State} */
  let state = { cards: FIRST, shade: "parity", tables: {}, solved: null, problem: null };
  let turn = 0;

  root.append(
    el("h1", {}, "The first move"),
    el(
      "p",
      { class: "intro" },
      "How to bid in the first round: in the column of the prize, each number is how often to bid the card of its row.",
    ),
    parts.choice,
    parts.tables,
    parts.gallery,
  );

  /** @param {Params} next */
  function update(next) {
    turn += 1;
    const asked = /^\d{1,2}$/.test(next.cards ?? "") ? Number(next.cards) : 0;
    const cards = asked >= 1 && asked <= MAX_CARDS ? asked : FIRST;
    state = { ...state, cards, shade: next.shade === "plain" ? "plain" : "parity", tables: {} };
    show();
    OBJECTIVES.forEach((objective) => void askTable(objective));
    void solved();
  }

  /** @param {Objective} objective */
  async function askTable(objective) {
    const asked = turn;
    const found = await ask("table", { cards: state.cards, objective }).catch((error) => ({ problem: asError(error) }));
    if (asked !== turn) return;
    state.tables[objective] = found;
    show();
  }

  /** Which tables there are; then all of them, one after the other, for the gallery. */
  async function solved() {
    if (state.solved) return;
    try {
      state.solved = (await ask("tables")).tables;
    } catch (error) {
      state.problem = asError(error);
    }
    show();
    for (const { cards, objective } of state.solved ?? []) {
      const found = await ask("table", { cards, objective }).catch(() => null);
      const place = parts.gallery.querySelector(`[data-thumbnail="${objective} ${cards}"]`);
      if (found && place) fill(place, thumbnail(found));
    }
  }

  /** @param {Partial<Pick<State, "cards" | "shade">>} changes */
  const go = (changes) => {
    const { cards, shade } = { ...state, ...changes };
    router.go("study", { cards, shade: shade === "parity" ? null : shade });
  };

  function show() {
    fill(parts.choice, choice());
    parts.tables.style.setProperty("--columns", String(state.cards));
    const { points, win } = state.tables;
    fill(
      parts.tables,
      OBJECTIVES.map((objective) => panel(objective, state.tables[objective])),
      difference(points, win),
    );
    if (parts.gallery.dataset.for !== `${state.solved?.length} ${state.cards}`) gallery();
  }

  function choice() {
    const numbers = [...new Set((state.solved ?? []).map(({ cards }) => cards))].sort((a, b) => a - b);
    if (!numbers.includes(state.cards)) numbers.push(state.cards);
    /** @param {boolean} now */
    const chosen = (now) => (now ? "page" : null);
    return [
      el(
        "nav",
        { class: "numbers", "aria-label": "Number of cards" },
        el("span", { "aria-hidden": "true" }, "Cards"),
        numbers.map((cards) =>
          el(
            "a",
            {
              href: `/study?cards=${cards}`,
              "data-view": "study",
              "data-key": `n ${cards}`,
              "aria-current": chosen(cards === state.cards),
            },
            hidden("the game of "),
            String(cards),
            hidden(" cards"),
          ),
        ),
      ),
      el(
        "label",
        {},
        el("span", {}, "Colours"),
        el(
          "select",
          {
            "data-key": "shade",
            onchange: (event) => go({ shade: event.currentTarget.value === "plain" ? "plain" : "parity" }),
          },
          [
            ["parity", "even and odd bids"],
            ["plain", "probability only"],
          ].map(([value, words]) => el("option", { value, selected: value === state.shade }, words)),
        ),
      ),
    ];
  }

  /** @type {(objective: Objective, table: FoundTable | undefined) => HTMLElement} */
  function panel(objective, table) {
    const title = el(
      "div",
      { class: "title" },
      el("h2", { id: `title-${objective}` }, TITLES[objective]),
      table && "probability" in table
        ? el(
            "a",
            {
              class: "raw",
              href: address("table", { cards: state.cards, objective, format: "csv" }),
              download: `${objective}-${state.cards}.csv`,
            },
            "csv",
          )
        : null,
    );
    const body = !table
      ? el("p", { class: "faint" }, "Asking …")
      : "problem" in table
        ? notice(
            table.problem,
            retry(table.problem, () => void askTable(objective)),
          )
        : [
            firstMoveMap(table, objective, state.shade),
            state.shade === "parity"
              ? legend([parityShade(0.6, 2), "even bids"], [parityShade(0.6, 1), "odd bids"])
              : null,
            el("p", { class: "remark" }, remark(table)),
          ];
    return el("section", { class: "panel", "aria-labelledby": `title-${objective}` }, title, body);
  }

  /** @type {(points: FoundTable | undefined, win: FoundTable | undefined) => HTMLElement | null} */
  function difference(points, win) {
    if (!points || "problem" in points || !win || "problem" in win) return null;
    const change = points.probability.map((row, bid) => row.map((chance, up) => win.probability[bid][up] - chance));
    const limit = Math.max(...change.flat().map(Math.abs));
    return el(
      "section",
      { class: "panel", "aria-labelledby": "title-difference" },
      el("div", { class: "title" }, el("h2", { id: "title-difference" }, "To win, minus for points")),
      heatMap({
        caption: `Difference of the first-move tables, ${count(state.cards, "card")}`,
        corner: hidden("bid down, prize across"),
        heads: cardsUpTo(state.cards).map((card) => chip(card, "prize")),
        sides: cardsUpTo(state.cards).map((card) => chip(card, "mine")),
        cell: (bid, up) => {
          const by = change[bid][up];
          const text = signed(by, state.cards > 7 ? 2 : 3).replace("0.", ".");
          const nil = Number(text.replace("−", "-")) === 0;
          const label = `bid ${cardLabel(bid + 1)} for ${cardLabel(up + 1)}: ${signed(by, 6)}`;
          return { text: nil ? "0" : text, shade: signedShade(by, limit), label, mark: nil ? "nil" : "" };
        },
      }),
      legend(
        [signedShade(limit, limit), "bid more often to win"],
        [signedShade(-limit, limit), "bid less often to win"],
      ),
    );
  }

  function gallery() {
    const solved = state.solved ?? [];
    parts.gallery.dataset.for = `${state.solved?.length} ${state.cards}`;
    /** @param {Objective} objective */
    const row = (objective) =>
      el(
        "div",
        { class: "thumbnails", role: "group", "aria-label": TITLES[objective] },
        el("h3", {}, TITLES[objective]),
        solved
          .filter((table) => table.objective === objective)
          .map(({ cards }) =>
            el(
              "a",
              {
                href: `/study?cards=${cards}`,
                "data-view": "study",
                "aria-current": cards === state.cards ? "page" : null,
              },
              el("span", { "data-thumbnail": `${objective} ${cards}`, class: "thumbnail" }),
              el("span", {}, count(cards, "card")),
            ),
          ),
      );
    fill(
      parts.gallery,
      el("h2", { id: "gallery-title" }, "Every solved game at a glance", note("parity", "even and odd")),
      state.problem ? notice(state.problem) : OBJECTIVES.map(row),
    );
  }

  update(params);
  return { update, close: () => (turn += 1) };
}

/**
 * Bids down, prizes across; below, how often the bid is even.
 * @param {FirstMove} table
 * @param {Objective} objective
 * @param {keyof typeof SHADES} shade
 */
function firstMoveMap({ cards, probability }, objective, shade) {
  const all = cardsUpTo(cards);
  const even = all.map((_, up) => probability.reduce((sum, row, bid) => sum + (bid % 2 ? row[up] : 0), 0));
  return heatMap({
    caption: `First bid, ${count(cards, "card")}, ${objective === "win" ? "to win" : "for points"}`,
    corner: hidden("bid down, prize across"),
    heads: all.map((card) => chip(card, "prize")),
    sides: all.map((card) => chip(card, "mine")),
    cell: (bid, up) => {
      const chance = probability[bid][up];
      const text = short(chance);
      return {
        text,
        shade: SHADES[shade](chance, bid + 1),
        label: `bid ${cardLabel(bid + 1)} for ${cardLabel(up + 1)}: ${percent(chance)}`,
        mark: text === "0" ? "nil" : "",
      };
    },
    foot: el(
      "tr",
      {},
      el("th", { scope: "row" }, "even"),
      even.map((share) =>
        el(
          "td",
          { vars: { "--share": share }, title: `${percent(share)} of the bids are even` },
          el("span", {}, String(Math.round(100 * share))),
        ),
      ),
    ),
  });
}

/** @param {FirstMove} table */
function remark({ unique, gap }) {
  /** @type {(wanted: boolean | null) => string} */
  const prizes = (wanted) => unique.flatMap((only, up) => (only === wanted ? [cardLabel(up + 1)] : [])).join(", ");
  const [others, untold] = [prizes(false), prizes(null)];
  const words = others ? `For the prizes ${others} other mixes are as good as the one shown. ` : "";
  const rest = untold ? `Whether others are as good for ${untold}, this table cannot tell. ` : "";
  return `${words || rest ? words + rest : "No other mix is optimal. "}Last row: per cent of even bids. Gap ${tiny(gap)}.`;
}
