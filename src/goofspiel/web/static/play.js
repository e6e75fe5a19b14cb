// The view in which one plays against the players of the engine.

import { adapted, anew, chosen, modelNote } from "./adapting.js";
import { asError, ask } from "./api.js";
import { el, fill, focusKey, isTyping } from "./dom.js";
import { felt } from "./felt.js";
import {
  bidden,
  ended,
  isOver,
  playedOf,
  positionOf,
  readGame,
  RecordError,
  told,
  turned,
  writeGame,
} from "./game.js";
import { hintPanel, howToPlay, tooLarge } from "./hint.js";
import { gliding } from "./motion.js";
import { cardOf, cardSpoken, prizeOf } from "./engine/cards.js";
import { positionInUrl, swap } from "./engine/notation.js";
import { noteBid } from "./mygames.js";
import { ADAPT, OPPONENTS, opponentTitle, opponentWords } from "./opponents.js";
import { keepGame, lastGame } from "./remembered.js";
import { askReview, reviewed } from "./review.js";
import { roundsPanel } from "./rounds.js";
import { writeRules } from "./engine/rules.js";
import { rulesPanel } from "./rulespanel.js";
import { notice, retry } from "./words.js";

/** @import { Params } from "./addresses.js" */
/** @import { Answer, Bid, Review } from "./api.js" */
/** @import { Phase } from "./felt.js" */
/** @import { Game } from "./game.js" */
/** @import { Router, View } from "./router.js" */

/**
 * @typedef {object} State
 * @property {Game} game
 * @property {Phase} phase
 * @property {string} words
 * @property {number} mine my bid while it is still face down, else 0
 * @property {Promise<Bid> | null} theirs their bid, once it is asked for
 * @property {number[]} upcards the prizes in the order in which they are turned up
 * @property {Answer | null} hint
 * @property {Review | null} review
 * @property {Error | null} problem
 * @property {boolean} broken whether the record cannot be played
 */

export const title = "Play";

const SHOWN = 1700; // milliseconds that both bids lie open
const AT_LEAST = 400; // of these, before a click ends it: a double click is one

/**
 * Open the view.
 * @param {HTMLElement} root
 * @param {Params} params
 * @param {Router} router
 * @returns {View}
 */
export function open(root, params, router) {
  const parts = {
    settings: el("form", { class: "settings", "aria-label": "The game", onsubmit: (event) => event.preventDefault() }),
    table: el("div", { class: "table" }),
    aside: el("aside", { class: "aside", "aria-label": "Hint and history" }),
    after: el("div", { class: "after" }),
    said: el("p", { class: "hidden", role: "status" }), // stays in place: only then its changes are read out
    how: el("details", { class: "rules panel" }),
  };
  const panel = rulesPanel({ fewest: 2, change: (rules) => begun({ rules }) });
  const closing = new AbortController();
  /** @type {State} */
  let state; // set by the update at the end of this function
  let turn = 0; // a later turn outdates the answers of an earlier one
  let timer = 0;
  let revealed = 0; // when both bids were turned over

  root.append(
    el("h1", { class: "hidden" }, "Play Goofspiel"),
    parts.said,
    parts.settings,
    panel.node,
    el("div", { class: "at-table" }, parts.table, parts.aside),
    parts.after,
    parts.how,
  );

  // What happens, in order.

  /** @type {(game: Game) => State} */
  const dealt = (game) => ({
    game,
    phase: "deal",
    words: "The cards are dealt.",
    mine: 0,
    theirs: null,
    upcards: [],
    hint: null,
    review: null,
    problem: null,
    broken: false,
  });

  /** @param {Partial<State>} changes */
  const change = (changes) => Object.assign(state, changes);

  /** @param {Params} next */
  function update(next) {
    clearTimeout(timer);
    turn += 1;
    try {
      state = dealt(readGame(Object.keys(next).length ? next : lastGame()));
      if (next.seed === undefined) keep();
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      state = { ...dealt(error.game), problem: error, broken: true, words: "This record cannot be played." };
    }
    show();
    if (!state.broken) void begin(next.hint === "1");
  }

  /** @param {boolean} hinted */
  async function begin(hinted) {
    const { rules, seed, opponent } = state.game;
    if (opponent === ADAPT) {
      const learned = await answered(adapted(rules));
      if (!learned) return;
      state.game = { ...state.game, opponent: learned };
    }
    const upcards = await answered(ask("deck", { rules: writeRules(rules), seed }));
    if (!upcards) return;
    state.upcards = upcards.upcards.map(prizeOf);
    nextRound();
    if (hinted && state.phase === "bid") void hint();
  }

  function nextRound() {
    clearTimeout(timer);
    change({ mine: 0, hint: null, problem: null });
    state.game = turned(state.game, state.upcards);
    keep();
    if (isOver(state.game)) return void finish();
    const { rules, rounds } = state.game;
    const { upcard, pot } = positionOf(state.game);
    const prize = `The prize is the ${cardSpoken(upcard)}${pot ? `, and ${pot} in the pot` : ""}.`;
    const first = "Choose a card: the higher bid takes it, and each card can be bid once.";
    state.phase = "bid";
    const choose = rounds.length > 1 ? "Choose your bid." : first;
    state.words = `Round ${rounds.length} of ${rules.rounds}. ${prize} ${choose}`;
    // Their bid is drawn before mine is known, and mine is never sent.
    state.theirs = ask("bid", {
      position: positionInUrl(swap(positionOf(state.game))),
      player: state.game.opponent,
      rules: writeRules(rules),
      seed: state.game.seed,
    });
    show();
    void theirBid();
  }

  /** @param {number} card */
  async function bid(card) {
    const { mine: held } = positionOf(state.game);
    if (state.phase !== "bid" || !held.includes(card)) return;
    const hadFocus = parts.table.contains(document.activeElement);
    change({ phase: "sealed", mine: card, hint: null });
    show();
    const answer = await theirBid();
    if (!answer) return;
    state.game = bidden(state.game, card, cardOf(answer.bid));
    change({ phase: "reveal", mine: 0, words: told(state.game) });
    revealed = performance.now();
    noteBid(state.game);
    keep();
    show();
    if (hadFocus) focusKey(parts.table, "hand");
    timer = setTimeout(nextRound, SHOWN);
  }

  /** Their bid; when they have none, why is said below the table. */
  async function theirBid() {
    const { theirs } = state;
    if (!theirs) return null;
    const answer = await answered(theirs);
    if (answer || state.theirs !== theirs) return answer;
    change({ phase: "stuck", mine: 0, words: "They cannot bid. Why, is said below." });
    show();
    return null;
  }

  async function finish() {
    change({ phase: "over", words: ended(state.game) });
    show();
    const review = await answered(askReview(state.game));
    if (!review) return;
    state.review = review;
    show();
  }

  async function hint() {
    if (state.phase !== "bid") return;
    if (state.hint) {
      state.hint = null;
      keep();
      return show();
    }
    const position = positionInUrl(positionOf(state.game));
    const answer = await answered(ask("probe", { position, rules: writeRules(state.game.rules) }));
    if (!answer?.mine || state.phase !== "bid") return;
    state.hint = answer;
    keep();
    show();
  }

  /**
   * An answer, unless a later turn has begun meanwhile; what is wrong is shown.
   * @template Answered
   * @param {Promise<Answered>} promise
   */
  async function answered(promise) {
    const asked = turn;
    try {
      const answer = await promise;
      return asked === turn ? answer : null;
    } catch (error) {
      if (asked !== turn) return null;
      state.problem = asError(error);
      show();
      return null;
    }
  }

  function keep() {
    const params = writeGame(state.game, Boolean(state.hint));
    keepGame(isOver(state.game) ? writeGame(anew(state.game)) : params);
    router.go("play", params, { replace: true, keep: true });
  }

  /** @param {Partial<Game>} changes */
  const begun = (changes = {}) =>
    router.go("play", writeGame({ ...anew(state.game), ...changes }));

  /** @param {number} round before which the game goes on */
  const backTo = (round) => router.go("play", writeGame({ ...state.game, rounds: playedOf(state.game).slice(0, round) }));

  function undo() {
    const played = playedOf(state.game).length;
    if (played) backTo(played - 1);
  }

  // What is shown.

  function show() {
    if (parts.said.textContent !== state.words) parts.said.textContent = state.words;
    const key = [
      state.phase === "over",
      playedOf(state.game).length > 0,
      Boolean(state.hint),
      ...Object.values(writeGame({ ...state.game, rounds: [] })),
    ];
    if (parts.settings.dataset.shown !== String(key)) fill(parts.settings, settings());
    parts.settings.dataset.shown = String(key); // a list that is being chosen from stays open
    panel.show(state.game.rules);
    const written = writeRules(state.game.rules);
    if (parts.how.dataset.rules !== written) fill(parts.how, howToPlay(state.game.rules));
    parts.how.dataset.rules = written;
    gliding(parts.table, () =>
      fill(
        parts.table,
        felt(
          { ...state, hint: state.hint?.mine ?? null },
          {
            bid: (card) => void bid(card),
            next: () => (performance.now() - revealed > AT_LEAST ? nextRound() : undefined),
          },
        ),
        state.problem ? notice(state.problem, advice(state.problem)) : null,
      ),
    );
    fill(
      parts.aside,
      state.hint ? hintPanel(state.hint, state.game.rules) : null,
      roundsPanel(state.game, backTo),
    );
    fill(parts.after, state.review ? reviewed(state.review) : null);
  }

  function settings() {
    const { opponent: learned, rules } = state.game;
    const opponent = chosen(learned);
    const own = Object.hasOwn(OPPONENTS, opponent) ? {} : { [opponent]: opponentTitle(opponent) };
    return [
      select("Opponent", "opponent", opponent, Object.entries({ ...OPPONENTS, ...own })),
      el("p", { class: "says" }, opponentWords(opponent, writeRules(rules))),
      modelNote(learned, rules),
      el(
        "span",
        { class: "buttons" },
        el(
          "button",
          { type: "button", "data-key": "undo", disabled: !playedOf(state.game).length, onclick: undo },
          "Undo ",
          el("kbd", {}, "u"),
        ),
        state.phase === "over"
          ? el(
              "button",
              {
                type: "button",
                "data-key": "again",
                title: "The same prizes in the same order, against the same opponent",
                onclick: () => backTo(0),
              },
              "Play these cards again",
            )
          : el(
              "button",
              {
                type: "button",
                "data-key": "hint",
                "aria-pressed": String(Boolean(state.hint)),
                onclick: () => void hint(),
              },
              "Hint ",
              el("kbd", {}, "h"),
            ),
        el(
          "button",
          { type: "button", class: "main", "data-key": "new", onclick: () => begun() },
          "New game ",
          el("kbd", {}, "n"),
        ),
      ),
    ];
  }

  /**
   * @param {string} label
   * @param {string} name
   * @param {string | number} value
   * @param {[value: string | number, words: string][]} options
   */
  function select(label, name, value, options) {
    return el(
      "label",
      {},
      el("span", {}, label),
      el(
        "select",
        { name, "data-key": name, onchange: (event) => begun({ opponent: event.currentTarget.value }) },
        options.map(([key, words]) => el("option", { value: key, selected: String(key) === String(value) }, words)),
      ),
    );
  }

  /** @param {Error} problem */
  const advice = (problem) =>
    retry(problem, () => update(Object.fromEntries(new URLSearchParams(location.search)))) ??
    (state.broken
      ? el("button", { type: "button", onclick: () => begun() }, "New game")
      : tooLarge(state.game.rules)
        ? el("p", {}, tooLarge(state.game.rules))
        : null);

  // The keyboard, wherever the focus is.

  document.addEventListener(
    "keydown",
    (event) => {
      if (isTyping(event) || event.repeat) return;
      const key = event.key.toLowerCase();
      const control = event.target instanceof Element ? event.target.closest("button, a, summary") : null;
      if ((key === "enter" || key === " ") && control && !parts.table.contains(control)) return;
      const name = key === "0" ? "T" : key;
      if (key === "n") begun();
      else if (key === "u") undo();
      else if (key === "h") void hint();
      else if (state.phase === "reveal" && (key.length === 1 || key === "enter")) nextRound();
      else if (state.phase === "bid" && key.length === 1 && cardOf(name)) void bid(cardOf(name));
      else return;
      event.preventDefault();
    },
    { signal: closing.signal },
  );

  update(params);
  return {
    update,
    close() {
      turn += 1;
      clearTimeout(timer);
      closing.abort();
    },
  };
}
