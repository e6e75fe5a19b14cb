// The view of the first-move tables: every solved number of cards, points beside win.

import { exploreAddress, gameParams, readGameParams, studyAddress } from "./addresses.js";
import { asError, ask } from "./api.js";
import { chip } from "./cards.js";
import { el, fill, hidden, saved, select } from "./dom.js";
import { count, percent, short, signed, tiny } from "./format.js";
import { heatMap, legend } from "./heatmap.js";
import { cardLabel, cardsUpTo } from "./engine/cards.js";
import { parityShade, probabilityShade, signedShade } from "./palette.js";
import { start, turnUp, writePosition } from "./engine/notation.js";
import { firstMoveCsv } from "./engine/first_move_csv.js";
import { isUsual, nests, playedFor } from "./engine/rules.js";
import { readRules, usual, withCards, writeRules } from "./engine/rules.js";
import { rulesPanel, specials } from "./rulespanel.js";
import { thumbnail } from "./thumbnail.js";
import { note, notice, retry } from "./words.js";

/** @import { Params } from "./addresses.js" */
/** @import { FirstMove } from "./api.js" */
/** @import { Objective, Rules } from "./engine/rules.js" */
/** @import { Router, View } from "./router.js" */

/** @typedef {FirstMove | { problem: Error }} FoundTable */

/**
 * @typedef {object} State
 * @property {Rules} rules
 * @property {keyof typeof SHADES} shade
 * @property {Partial<Record<Objective, FoundTable>>} tables what was found of those that are shown
 * @property {string[] | null} solved the games that there are, their rules
 * @property {Error | null} problem why that is not known
 * @property {string} wrong what is wrong with the rules of the address
 */

export const title = "Study";

const FIRST = 9;
/** @type {Objective[]} */
const OBJECTIVES = ["points", "win"];
const TITLES = { points: "For points", win: "To win" };
const COLOURS = [
  ["parity", "even and odd bids"],
  ["plain", "probability only"],
];
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
  parts.gallery.hidden = true; // until what is above it is there

  /** @type {State} */
  let state = { rules: usual(FIRST), shade: "parity", tables: {}, solved: null, problem: null, wrong: "" };
  const rules = rulesPanel({ objective: false, change: (changed) => go({ rules: changed }) });
  let turn = 0;

  root.append(
    el("h1", {}, "The first move"),
    el(
      "p",
      { class: "intro" },
      "How to bid in the first round: in the column of the prize, each number is how often to bid the card of its row.",
    ),
    rules.node,
    parts.choice,
    parts.tables,
    parts.gallery,
  );

  /** @param {Params} next */
  function update(next) {
    turn += 1;
    state = { ...state, shade: next.shade === "plain" ? "plain" : "parity", tables: {}, wrong: "" };
    try {
      state.rules = playedFor(readGameParams(next, { cards: FIRST }), "points");
    } catch (error) {
      [state.rules, state.wrong] = [usual(FIRST), asError(error).message];
    }
    show();
    if (next.cards || next.rules) askTables();
    else void suggested().then(askTables);
    void solved();
  }

  function askTables() {
    if (!state.wrong) OBJECTIVES.forEach((objective) => void askTable(objective));
  }

  /** Where the address names no game: the largest of those that are quickly looked at. */
  async function suggested() {
    const asked = turn;
    const { games } = await ask("tables").catch(() => ({ games: [] }));
    if (asked !== turn) return;
    const found = games.map(readRules).filter((rules) => isUsual(rules) && rules.cards <= FIRST);
    state.rules = usual(found.length ? Math.max(...found.map(({ cards }) => cards)) : FIRST);
    show();
  }

  /** @param {Objective} objective */
  const asks = (objective) => ({ rules: writeRules(playedFor(state.rules, objective)) });

  /** @param {Objective} objective */
  async function askTable(objective) {
    const asked = turn;
    const found = await ask("table", asks(objective)).catch((error) => ({ problem: asError(error) }));
    if (asked !== turn) return;
    state.tables[objective] = found;
    show();
  }

  /** Which tables there are. */
  async function solved() {
    if (state.solved) return;
    try {
      state.solved = (await ask("tables")).games;
    } catch (error) {
      state.problem = asError(error);
    }
    show();
  }

  /** @param {string} text the rules of a game */
  async function draw(text) {
    const found = await ask("table", { rules: text }).catch(() => null);
    const place = parts.gallery.querySelector(`[data-thumbnail="${text}"]`);
    if (found && place) fill(place, thumbnail(found));
  }

  /** @param {Partial<Pick<State, "rules" | "shade">>} changes */
  const go = (changes) => {
    const { rules: game, shade } = { ...state, ...changes };
    const { objective: _, ...params } = gameParams(game);
    router.go("study", { ...params, shade: shade === "parity" ? null : shade });
  };

  function show() {
    rules.show(state.rules);
    fill(parts.choice, choice());
    parts.tables.style.setProperty("--columns", String(state.rules.cards));
    const { points, win } = state.tables;
    fill(
      parts.tables,
      state.wrong ? notice(new Error(`There are no such rules: ${state.wrong}.`)) : null,
      state.wrong ? null : OBJECTIVES.map((objective) => panel(objective, state.tables[objective])),
      difference(points, win),
    );
    const isAsking = !state.wrong && OBJECTIVES.some((objective) => !state.tables[objective]);
    if (!isAsking && parts.gallery.dataset.for !== `${state.solved?.length} ${state.rules.cards}`) gallery();
  }

  function choice() {
    const usually = (state.solved ?? []).map(readRules).filter(isUsual);
    const numbers = [...new Set(usually.map(({ cards }) => cards))].sort((a, b) => a - b);
    if (!numbers.includes(state.rules.cards)) numbers.push(state.rules.cards);
    /** @param {boolean} now */
    const chosen = (now) => (now ? "page" : null);
    return [
      select("Colours", { "data-key": "shade" }, state.shade, COLOURS, (shade) =>
        go({ shade: shade === "plain" ? "plain" : "parity" }),
      ),
      nests(state.rules)
        ? el(
            "nav",
            { class: "numbers", "aria-label": "Number of cards" },
            el("span", { "aria-hidden": "true" }, "Cards"),
            numbers.map((cards) =>
              el(
                "a",
                {
                  href: studyAddress(withCards(state.rules, cards)),
                  "data-view": "study",
                  "data-key": `n ${cards}`,
                  "aria-current": chosen(cards === state.rules.cards),
                },
                hidden("the game of "),
                String(cards),
                hidden(" cards"),
              ),
            ),
          )
        : null,
    ];
  }

  /** @type {(objective: Objective, table: FoundTable | undefined) => HTMLElement} */
  function panel(objective, table) {
    const title = el(
      "div",
      { class: "title" },
      el("h2", { id: `title-${objective}` }, TITLES[objective]),
      table && "probability" in table
        ? saved("csv", `${writeRules(playedFor(state.rules, objective))}.csv`, firstMoveCsv(table))
        : null,
    );
    const body = !table
      ? asking()
      : "problem" in table
        ? notice(
            table.problem,
            retry(table.problem, () => void askTable(objective)),
          )
        : [
            firstMoveMap(table, playedFor(state.rules, objective), state.shade),
            state.shade === "parity"
              ? legend([parityShade(0.6, 2), "even bids"], [parityShade(0.6, 1), "odd bids"])
              : null,
            el("p", { class: "remark" }, remark(table)),
          ];
    return el("section", { class: "panel", "aria-labelledby": `title-${objective}` }, title, body);
  }

  /** @type {(points: FoundTable | undefined, win: FoundTable | undefined) => HTMLElement | null} */
  function difference(points, win) {
    if ((points && "problem" in points) || (win && "problem" in win)) return null;
    const title = el("div", { class: "title" }, el("h2", { id: "title-difference" }, "To win, minus for points"));
    if (!points || !win)
      return el("section", { class: "panel", "aria-labelledby": "title-difference" }, title, asking());
    const change = points.probability.map((row, bid) => row.map((chance, up) => win.probability[bid][up] - chance));
    const limit = Math.max(...change.flat().map(Math.abs));
    return el(
      "section",
      { class: "panel", "aria-labelledby": "title-difference" },
      title,
      heatMap({
        caption: `Difference of the first-move tables, ${count(points.cards, "card")}`,
        corner: hidden("bid down, prize across"),
        heads: points.upcards.map((card) => chip(card, "prize")),
        sides: cardsUpTo(points.cards).map((card) => chip(card, "mine")),
        cell: (bid, up) => {
          const by = change[bid][up];
          const text = signed(by, points.upcards.length > 7 ? 2 : 3).replace("0.", ".");
          const nil = Number(text.replace("−", "-")) === 0;
          const label = `bid ${cardLabel(bid + 1)} for ${cardLabel(points.upcards[up])}: ${signed(by, 6)}`;
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
    const solved = (state.solved ?? []).filter(isShown);
    parts.gallery.dataset.for = `${state.solved?.length} ${state.rules.cards}`;
    /** @param {Objective} objective */
    const row = (objective) =>
      el(
        "div",
        { class: "thumbnails", role: "group", "aria-label": TITLES[objective] },
        el("h3", {}, TITLES[objective]),
        solved
          .filter((text) => readRules(text).objective === objective)
          .map((text) => {
            const game = readRules(text);
            return el(
              "a",
              {
                href: studyAddress(game),
                "data-view": "study",
                "aria-current": writeRules(playedFor(game, "points")) === writeRules(state.rules) ? "page" : null,
              },
              el("span", { "data-thumbnail": text, class: "thumbnail" }),
              el("span", {}, [count(game.cards, "card"), ...specials(game)].join(", ")),
            );
          }),
      );
    fill(
      parts.gallery,
      el("h2", { id: "gallery-title" }, "Every solved game at a glance", note("parity", "even and odd")),
      state.problem ? notice(state.problem) : OBJECTIVES.map(row),
    );
    parts.gallery.hidden = false;
    for (const text of solved) void draw(text);
  }

  update(params);
  return { update, close: () => (turn += 1) };
}

const asking = () => el("p", { class: "faint" }, "Asking …");

/**
 * Whether a game has a place in the gallery: its table has many columns.
 * @param {string} rules
 */
const isShown = (rules) => !readRules(rules).order;

/**
 * Bids down, prizes across; below, how often the bid is even.
 * @param {FirstMove} table
 * @param {Rules} rules
 * @param {keyof typeof SHADES} shade
 */
function firstMoveMap({ cards, upcards, probability }, rules, shade) {
  const { objective } = rules;
  const first = start(rules);
  const even = upcards.map((_, up) => probability.reduce((sum, row, bid) => sum + (bid % 2 ? row[up] : 0), 0));
  return heatMap({
    caption: `First bid, ${count(cards, "card")}, ${objective === "win" ? "to win" : "for points"}`,
    corner: hidden("bid down, prize across"),
    heads: upcards.map((card) => chip(card, "prize")),
    sides: cardsUpTo(cards).map((card) => chip(card, "mine")),
    cell: (bid, up) => {
      const chance = probability[bid][up];
      const text = short(chance);
      return {
        text,
        shade: SHADES[shade](chance, bid + 1),
        label: `bid ${cardLabel(bid + 1)} for ${cardLabel(upcards[up])}: ${percent(chance)}`,
        href: exploreAddress(writePosition(turnUp(first, upcards[up], Boolean(rules.order))), rules),
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
function remark({ upcards, unique, gap }) {
  /** @type {(wanted: boolean | null) => string} */
  const prizes = (wanted) => unique.flatMap((only, up) => (only === wanted ? [cardLabel(upcards[up])] : [])).join(", ");
  const [others, untold] = [prizes(false), prizes(null)];
  const words = others ? `For the prizes ${others} other mixes are as good as the one shown. ` : "";
  const rest = untold ? `Whether others are as good for ${untold}, this table cannot tell. ` : "";
  return `${words || rest ? words + rest : "No other mix is optimal. "}Last row: per cent of even bids. Gap ${tiny(gap)}.`;
}
