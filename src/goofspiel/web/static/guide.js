// The guided game of a first visit: three rounds that show why one must mix.

import { viewAddress } from "./addresses.js";
import { ask } from "./api.js";
import { mixBars } from "./bars.js";
import { el, fill, focusKey, isTyping } from "./dom.js";
import { cardOf } from "./engine/cards.js";
import { positionInUrl, swap } from "./engine/notation.js";
import { writeRules } from "./engine/rules.js";
import { felt } from "./felt.js";
import { bidden, newSeed, playedOf, positionOf, told, turned } from "./game.js";
import { afterMixing, afterSeeing, afterShowing, answerTo, before, drawnFrom, likeliest } from "./lessons.js";
import { PRIZES, RULES } from "./lessons.js";
import { gliding } from "./motion.js";
import { isNewcomer } from "./remembered.js";
import { turns } from "./turns.js";
import { notice, retry } from "./words.js";

/** @import { Params } from "./addresses.js" */
/** @import { Answer } from "./api.js" */
/** @import { Phase } from "./felt.js" */
/** @import { Game, Side } from "./game.js" */
/** @import { Router, View } from "./router.js" */

/**
 * @typedef {object} State
 * @property {Game} game
 * @property {Phase} phase
 * @property {Partial<Record<Side, number>>} open
 * @property {Answer | null} answer for the round that is played
 * @property {string[]} lesson
 * @property {Error | null} problem
 */

export const title = "A guided game";

const ROUNDS = 3;
const THINKING = 900; // milliseconds that my open bid lies alone
const TITLES = ["You see their bid", "They see your bid", "Nobody sees anything"];
const CHOOSE = ["Their bid lies open. What do you answer?", "Bid first, face up.", "Choose a card, or let chance choose."];

/**
 * Open the view.
 * @param {HTMLElement} root
 * @param {Params} _
 * @param {Router} router
 * @returns {View}
 */
export function open(root, _, router) {
  const parts = {
    lesson: el("section", { class: "panel lesson", "aria-labelledby": "lesson-title" }),
    said: el("p", { class: "hidden", role: "status" }),
    table: el("div", { class: "table" }),
  };
  const closing = new AbortController();
  /** @type {State} */
  let state; // set by the update at the end of this function
  const waiting = turns((problem) => {
    state.problem = problem;
    show();
  });
  const { answered } = waiting;

  root.append(
    el(
      "div",
      { class: "title" },
      el("h1", {}, "A guided game of three rounds"),
      el("a", { href: viewAddress("play"), "data-view": "play", "data-key": "skip" }, "Skip it"),
    ),
    parts.said,
    el("div", { class: "at-table" }, parts.table, parts.lesson),
  );

  // What happens, in order.

  function update() {
    isNewcomer(); // who calls it by its address needs not be shown it again
    waiting.next();
    const game = { rules: RULES, opponent: "optimal", seed: newSeed(), from: null, rounds: [] };
    state = { game, phase: "deal", open: {}, answer: null, lesson: [], problem: null };
    show();
    void nextRound();
  }

  async function nextRound() {
    const round = playedOf(state.game).length;
    const found = await answered(PRIZES[round] ? turnedUp(PRIZES[round]) : hardest());
    if (!found) return;
    const { game, answer } = found;
    const upcard = game.rounds[round].upcard;
    Object.assign(state, { game, answer, phase: "bid", open: round ? {} : { theirs: upcard } });
    state.lesson = before(round + 1, upcard, answer);
    show();
    focusKey(parts.table, "hand");
    parts.table.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} upcard */
  async function turnedUp(upcard) {
    const game = turned(state.game, [...playedOf(state.game).map((round) => round.upcard), upcard]);
    const position = positionInUrl(positionOf(game));
    return { game, answer: /** @type {Answer} */ (await ask("probe", { position, rules: writeRules(RULES) })) };
  }

  /** The prize for which the perfect mix is the most even. */
  async function hardest() {
    const all = await Promise.all(positionOf(state.game).deck.map(turnedUp));
    return all.reduce((one, other) => (likeliest(other.answer.mine) < likeliest(one.answer.mine) ? other : one));
  }

  /** @type {(card: number, isDrawn?: boolean) => Promise<void>} */
  async function bid(card, isDrawn = false) {
    const { game, answer, open: lying, phase } = state;
    const round = playedOf(game).length + 1;
    if (phase !== "bid" || !answer || !positionOf(game).mine.includes(card)) return;
    let theirs = lying.theirs ?? 0;
    if (round === 2) {
      Object.assign(state, { phase: "sealed", open: { mine: card } });
      show();
      theirs = answerTo(answer, card);
      if (!(await answered(new Promise((done) => setTimeout(() => done(true), THINKING))))) return;
    }
    if (round === ROUNDS) {
      state.phase = "sealed";
      const position = positionInUrl(swap(positionOf(game)));
      const drawn = await answered(ask("bid", { position, player: "optimal", rules: writeRules(RULES), seed: game.seed }));
      if (!drawn) return;
      theirs = cardOf(drawn.bid);
    }
    Object.assign(state, { game: bidden(game, card, theirs), phase: "reveal", open: {} });
    state.lesson =
      round === 1
        ? afterSeeing(answer, card, theirs)
        : round === 2
          ? afterShowing(answer, card, theirs)
          : afterMixing(answer, card, isDrawn);
    show();
    focusKey(parts.lesson, "next");
    parts.lesson.scrollIntoView({ block: "nearest" });
  }

  // What is shown.

  function show() {
    const { game, phase, open: lying, answer, lesson, problem } = state;
    const played = playedOf(game).length;
    const round = Math.min(played + (phase === "reveal" ? 0 : 1), ROUNDS);
    const words = phase === "reveal" ? told(game) : phase === "bid" ? CHOOSE[round - 1] : "";
    const said = [phase === "reveal" ? words : "", ...lesson].join(" ").trim();
    if (parts.said.textContent !== said) parts.said.textContent = said;
    const isMixing = round === ROUNDS && phase === "bid";
    gliding(parts.table, () =>
      fill(
        parts.table,
        felt(
          { game, phase, near: "mine", down: { mine: false, theirs: isMixing }, words, marks: null, open: lying },
          { bid: (card) => void bid(card), next: null },
        ),
        problem ? notice(problem, retry(problem, update)) : null,
      ),
    );
    fill(
      parts.lesson,
      el("p", { class: "faint" }, `Round ${round} of ${ROUNDS}`),
      el("h2", { id: "lesson-title" }, TITLES[round - 1]),
      lesson.map((sentence) => el("p", {}, sentence)),
      answer && round === ROUNDS
        ? mixBars({ owner: "mine", caption: "How often to bid what", mix: answer.mine, objective: "points" })
        : null,
      isMixing && answer
        ? el(
            "button",
            {
              type: "button",
              class: "main",
              "data-key": "chance",
              onclick: () => void bid(drawnFrom(answer.mine, Math.random()), true),
            },
            "Let chance choose",
          )
        : null,
      phase === "reveal" ? onwards(played) : null,
    );
  }

  /** @param {number} played */
  function onwards(played) {
    if (played < ROUNDS)
      return el(
        "button",
        { type: "button", class: "main", "data-key": "next", onclick: () => void nextRound() },
        `Round ${played + 1}`,
      );
    return el(
      "span",
      { class: "buttons" },
      el(
        "button",
        { type: "button", class: "main", "data-key": "next", onclick: () => router.go("play", {}) },
        "Now play a game",
      ),
      el("button", { type: "button", "data-key": "again", onclick: update }, "Once more"),
    );
  }

  document.addEventListener(
    "keydown",
    (event) => {
      if (isTyping(event) || event.repeat || event.key.length !== 1 || !cardOf(event.key)) return;
      event.preventDefault();
      void bid(cardOf(event.key));
    },
    { signal: closing.signal },
  );

  update();
  return {
    update,
    close() {
      waiting.next();
      closing.abort();
    },
  };
}
