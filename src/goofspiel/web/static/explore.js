// The view in which any position can be looked at.

import { gameParams, readGameParams, viewAddress } from "./addresses.js";
import { answerPanel } from "./answer.js";
import { asError, ask } from "./api.js";
import { el, fill, select } from "./dom.js";
import { editor } from "./editor.js";
import { count, digitsOf, signed } from "./format.js";
import { cardName, cardsUpTo, MAX_CARDS } from "./engine/cards.js";
import {
  beforeUpcard,
  comingOf,
  highestCard,
  play,
  positionInUrl,
  problemOf,
  readPosition,
  start,
  swap,
  turnUp,
  writePosition,
} from "./engine/notation.js";
import { isOverAt, isUsual, nests, playedFor, usual, withCards, writeRules } from "./engine/rules.js";
import { lastGame } from "./remembered.js";
import { rulesPanel } from "./rulespanel.js";

/** @import { Params } from "./addresses.js" */
/** @import { Found } from "./answer.js" */
/** @import { Position } from "./engine/notation.js" */
/** @import { Objective, Rules } from "./engine/rules.js" */
/** @import { Asked } from "./engine/service.js" */
/** @import { Router, View } from "./router.js" */

/**
 * @typedef {object} State
 * @property {Rules} rules its objective is that of the column that is first
 * @property {Position} position
 * @property {Position} good the last position that can occur: what the answers are for
 * @property {string | null} text a notation that cannot be read
 * @property {string | null} problem
 * @property {number | null} cards the table to ask, of the usual game; null for any
 */

/** @typedef {[value: string | number, words: string]} Option */

export const title = "Explore";

const FIRST = "245/A35/A3_4"; // small, and solved at once
const SHOWN_CARDS = 13; // of the editor, unless more are needed
/** @type {Objective[]} */
const OBJECTIVES = ["points", "win"];

/**
 * Open the view.
 * @param {HTMLElement} root
 * @param {Params} params
 * @param {Router} router
 * @returns {View}
 */
export function open(root, params, router) {
  const parts = {
    editor: el("div", { class: "editor panel" }),
    problem: el("p", { class: "problem", id: "problem", role: "alert" }),
    said: el("p", { class: "hidden", role: "status" }),
    answers: el("div", { class: "answers" }),
  };
  /** @type {Record<Objective, HTMLElement>} */
  const columns = { points: el("div", { class: "column" }), win: el("div", { class: "column" }) };
  /** @type {State} */
  let state = {
    rules: usual(SHOWN_CARDS),
    position: readPosition(FIRST),
    good: readPosition(FIRST),
    text: null,
    problem: null,
    cards: null,
  };
  const panel = rulesPanel({
    change: (rules) => {
      const cards = rules.cards === state.rules.cards ? state.cards : rules.cards;
      go(fitted(state.position, rules), { rules, cards });
    },
  });
  let turn = 0; // a later position outdates the answers for an earlier one
  /** @type {Objective | null} */
  let following = null; // the objective in whose column the keyboard was when a move was made

  root.append(
    el("h1", {}, "Explore a position"),
    el(
      "p",
      { class: "intro" },
      "Click cards to set up any position: the answer follows. Click a cell of a table to play that pair of bids.",
    ),
    panel.node,
    parts.editor,
    parts.problem,
    parts.said,
    parts.answers,
  );

  /** @param {Params} next */
  function update(next) {
    turn += 1;
    const table = /^\d{1,2}$/.test(next.cards ?? "") ? Number(next.cards) : 0;
    state = {
      ...state,
      rules: usual(SHOWN_CARDS),
      text: null,
      problem: null,
      cards: !next.rules && table >= 1 && table <= MAX_CARDS ? table : null,
    };
    let text = "";
    try {
      state.rules = readGameParams(next, { cards: SHOWN_CARDS });
      text = (next.position ?? (next.rules ? writePosition(start(state.rules)) : FIRST)).replaceAll("_", " ");
      state.position = readPosition(text, state.rules);
      state.problem = problemOf(state.position, state.rules);
    } catch (error) {
      const { message } = asError(error);
      state.problem = `${message[0].toUpperCase()}${message.slice(1)}${text ? `: ${text}` : ""}`;
      state.text = text || (next.position ?? "").replaceAll("_", " ");
    }
    showEditor();
    /** @type {Objective[]} */
    const order = state.rules.objective === "win" ? ["win", "points"] : OBJECTIVES;
    if (parts.answers.firstChild !== columns[order[0]]) parts.answers.append(...order.map((name) => columns[name]));
    // What was said of another position stays, greyed, until there is something better.
    for (const column of Object.values(columns)) column.classList.add("stale");
    if (state.problem) return;
    state.good = state.position;
    for (const objective of OBJECTIVES) void answer(objective);
  }

  /** @type {(position: Position, objective: Objective) => Asked} */
  const question = (position, objective) => ({
    position: positionInUrl(position),
    rules: writeRules(playedFor(state.rules, objective)),
    cards: isUsual(state.rules) ? state.cards : null,
  });

  /** @param {Objective} objective */
  async function answer(objective) {
    const [asked, position] = [turn, state.good];
    /** @type {Found} */
    const found = {};
    /** @param {Found} more */
    const tell = (more) => {
      if (asked !== turn) return false;
      Object.assign(found, more);
      showAnswer(objective, found);
      return true;
    };
    try {
      const first = await ask("probe", question(position, objective));
      if (!tell({ answer: first })) return;
      if (following === objective) follow(objective);
      const value = signed(first.value, digitsOf(objective));
      if (objective === state.rules.objective) parts.said.textContent = `Value ${value}`;
      // In a known order no other prize could be up.
      if (position.upcard && position.deck.length && !state.rules.order) {
        const before = await ask("probe", question(beforeUpcard(position, Boolean(state.rules.order)), objective));
        if (!tell({ upcards: before.upcards })) return;
      }
      if (first.outcomes === null)
        tell({ answer: await ask("probe", { ...question(position, objective), outcomes: true }) });
    } catch (error) {
      if (!found.answer) tell({ problem: asError(error) });
    }
  }

  /**
   * The keyboard stays in its column when a move replaces what it was on.
   * @param {Objective} objective
   */
  function follow(objective) {
    following = null;
    if (document.activeElement !== document.body) return;
    /** @type {HTMLElement | null} */
    const next = columns[objective].querySelector(':is([role="gridcell"][tabindex="0"], .upcard-values button)');
    next?.focus({ preventScroll: true });
  }

  /**
   * Go to a position; edits in a row count as one step back.
   * @param {Position | string} position
   * @param {{ kind?: "move" | "edit" } & Partial<Pick<State, "rules" | "cards">>} way
   */
  function go(position, { kind = "move", ...changes } = {}) {
    following = OBJECTIVES.find((name) => columns[name].contains(document.activeElement)) ?? null;
    const { rules, cards } = { ...state, ...changes };
    const text = typeof position === "string" ? position : positionInUrl(position);
    const replace = kind === "edit" && router.state.kind === "edit";
    const params = { position: text, ...gameParams(rules), ...(isUsual(rules) ? { cards } : {}) };
    router.go("explore", params, { replace, kind });
  }

  function showEditor() {
    const { rules, position, problem, cards, text } = state;
    panel.show(rules);
    /** @type {Parameters<typeof editor>[2]} */
    const handlers = {
      change: (changed) => go(rules.order ? fitted(changed, rules) : changed, { kind: "edit" }),
      read: (said) => go(said.trim().replaceAll(" ", "_")),
    };
    const known = isUsual(rules) ? (cards ?? SHOWN_CARDS) : rules.cards;
    const size = nests(rules) ? Math.max(known, highestCard(position)) : rules.cards;
    const shown = { rules, size, text, problem };
    fill(parts.editor, editor(position, shown, handlers, el("div", { class: "tools" }, tools())));
    if (parts.problem.textContent !== (problem ?? "")) parts.problem.textContent = problem ?? "";
  }

  /** @type {(objective: Objective, found: Found) => void} */
  function showAnswer(objective, found) {
    const { good, rules } = state;
    columns[objective].classList.remove("stale");
    fill(
      columns[objective],
      answerPanel(
        objective,
        found,
        good.upcard ? cardName(good.upcard) : null,
        {
          pick: (mine, theirs) => go(play(good, mine, theirs, rules.carry)),
          turn: (card) => go(turnUp(good, card, Boolean(rules.order))),
          first: objective === rules.objective ? null : () => go(good, { rules: playedFor(rules, objective) }),
          again: () => void answer(objective),
        },
      ),
    );
  }

  function tools() {
    const { rules, cards, position } = state;
    /** @type {(words: string, act: () => void, disabled?: boolean) => HTMLElement} */
    const action = (words, act, disabled = false) =>
      el("button", { type: "button", "data-key": words, onclick: act, disabled }, words);
    /** @type {Option[]} */
    const sizes = cardsUpTo(MAX_CARDS).map((n) => [n, count(n, "card")]);
    return [
      playable(position, rules)
        ? el(
            "a",
            { class: "button main", "data-key": "play", "data-view": "play", href: playAddress(position, rules) },
            "Play from here",
          )
        : null,
      action("Back", () => history.back(), router.state.depth === 0),
      action("Swap sides", () => go(swap(position))),
      isUsual(rules)
        ? select("Opening", { "data-key": "opening" }, "", [["", "of …"], ...sizes], (value) => {
            if (value) go(start(usual(Number(value))));
          })
        : action("Opening", () => go(start(rules))),
      isUsual(rules)
        ? select("Table of", { "data-key": "table" }, cards ?? "", [["", "any size"], ...sizes], (value) =>
            go(position, { cards: value ? Number(value) : null }),
          )
        : null,
    ];
  }

  update(params);
  return { update, close: () => (turn += 1) };
}

/** Whether there is something to bid for. @type {(position: Position, rules: Rules) => boolean} */
const playable = (position, rules) => !problemOf(position, rules) && !isOverAt(rules, position.mine.length);

/**
 * Where a position is played on, against whom one has played last.
 * @param {Position} position
 * @param {Rules} rules
 */
function playAddress(position, rules) {
  const game = nests(rules) ? withCards(rules, Math.max(2, highestCard(position))) : rules;
  const { opponent } = lastGame();
  return viewAddress("play", { ...gameParams(game), opponent, from: positionInUrl(position) });
}

/**
 * A position as other rules have it: in a known order its prizes are those to come; otherwise the opening, if it cannot
 * be one of theirs.
 * @param {Position} position
 * @param {Rules} rules
 * @returns {Position}
 */
function fitted(position, rules) {
  const pot = rules.carry ? position.pot : 0;
  let found = { ...position, pot };
  if (rules.order) {
    const coming = comingOf(rules, position.mine.length);
    found = { ...found, deck: coming, upcard: 0 };
    if (position.upcard && coming.length) found = turnUp(found, coming[0], true);
    if (position.mine.length !== position.theirs.length) return found; // while it is edited
  }
  return problemOf(found, rules) ? start(rules) : found;
}
