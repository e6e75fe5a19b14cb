// The view in which one plays, against the players of the engine or a person at the same device.

import { ask, loaded } from "./api.js";
import { el, fill, focusKey, isTyping } from "./dom.js";
import { felt } from "./felt.js";
import { bidden, ended, firstBidder, gameAfter, isOver, isShared, namesOf, otherSide } from "./game.js";
import { playedOf, positionOf, readGame, RecordError, told, turned, writeGame } from "./game.js";
import { howToPlay } from "./howto.js";
import { gliding } from "./motion.js";
import { cardOf, prizeOf } from "./engine/cards.js";
import { positionInUrl, swap } from "./engine/notation.js";
import { writeRules } from "./engine/rules.js";
import { anew, seated } from "./opponents.js";
import { nextButton, passButtons } from "./passing.js";
import { playbar } from "./playbar.js";
import { dealt, downOf, roundWords, tooLarge } from "./playing.js";
import { keepGame, lastGame } from "./remembered.js";
import { roundsPanel } from "./rounds.js";
import { rulesPanel } from "./rulespanel.js";
import { stepped, stepper } from "./steps.js";
import { turns } from "./turns.js";
import { notice, retry } from "./words.js";

/** @import { Params } from "./addresses.js" */
/** @import { Game, Side } from "./game.js" */
/** @import { Against } from "./hint.js" */
/** @import { State } from "./playing.js" */
/** @import { Router, View } from "./router.js" */
/** @import { Looked } from "./steps.js" */

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
    paste: el("details", { class: "paste panel" }, el("summary", {}, "Review a game that you have written down")),
  };
  const panel = rulesPanel({ fewest: 2, change: (rules) => begun({ rules, from: null }) });
  const closing = new AbortController();
  /** @type {State} */
  let state; // set by the update at the end of this function
  /** @type {typeof import("./hint.js") | null} */
  let hints = null; // what is not needed for the first bid is loaded when it is
  /** @type {typeof import("./afterwards.js") | null} */
  let afterwards = null;
  /** @type {State["review"]} */
  let shownReview = null;
  let timer = 0;
  let turnedOver = 0; // when both bids were, or the device changed hands
  const waiting = turns((problem) => {
    state.problem = problem;
    show();
  });
  const { answered } = waiting;

  root.append(
    el("h1", { class: "hidden" }, "Play Goofspiel"),
    parts.said,
    parts.settings,
    panel.node,
    el("div", { class: "at-table" }, parts.table, parts.aside),
    parts.after,
    parts.how,
    parts.paste,
  );
  parts.paste.addEventListener("toggle", () => void pasting());

  // What happens, in order.

  /** @param {Partial<State>} changes */
  const change = (changes) => Object.assign(state, changes);

  /** @param {Params} next */
  function update(next) {
    clearTimeout(timer);
    waiting.next();
    try {
      state = dealt(readGame(Object.keys(next).length ? next : lastGame()));
      if (next.seed === undefined) keep();
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      state = { ...dealt(error.game), problem: error, broken: true, words: "This record cannot be played." };
    }
    if (!state.broken) void begin(next);
    show();
  }

  /** @param {Params} next */
  async function begin({ hint, round, side }) {
    const { rules, seed, from } = state.game;
    state.side = side === "theirs" ? "theirs" : "mine";
    const looked = Number(round);
    if (playedOf(state.game)[looked - 1]) return look(looked);
    const game = await answered(seated(state.game));
    if (!game) return;
    state.game = game;
    const position = from ? positionInUrl(from) : undefined;
    const upcards = await answered(ask("deck", { rules: writeRules(rules), seed, position }));
    if (!upcards) return;
    state.upcards = upcards.upcards.map(prizeOf);
    nextRound();
    // Now that a card can be played, what may be needed later is loaded, while there is a connection.
    for (const later of [import("./hint.js"), import("./afterwards.js"), import("./mygames.js")]) later.catch(() => null);
    if (hint && state.phase === "bid") void hinted(hint === "them" ? "them" : "1");
  }

  function nextRound() {
    clearTimeout(timer);
    change({ sealed: null, hint: null, problem: null, looked: null });
    state.game = turned(state.game, state.upcards);
    keep();
    if (isOver(state.game)) return void finish();
    const { rules, seed, opponent } = state.game;
    change({ phase: "bid", near: firstBidder(state.game), words: roundWords(state.game) });
    // Their bid is drawn before mine is known, and mine is never sent.
    const position = positionInUrl(swap(positionOf(state.game)));
    state.theirs = isShared(state.game) ? null : ask("bid", { position, player: opponent, rules: writeRules(rules), seed });
    show();
    void theirBid();
  }

  /** @param {number} card */
  async function bid(card) {
    const { near, sealed, phase } = state;
    if (phase !== "bid" || !positionOf(state.game)[near].includes(card)) return;
    const hadFocus = parts.table.contains(document.activeElement);
    state.hint = null;
    if (isShared(state.game)) {
      if (sealed) return turnOver({ [near]: card, [sealed.side]: sealed.card }, hadFocus);
      return pass({ side: near, card });
    }
    change({ phase: "sealed", sealed: { side: near, card } });
    show();
    const answer = await theirBid();
    if (answer) turnOver({ mine: card, theirs: cardOf(answer.bid) }, hadFocus);
  }

  /** @type {(bids: Partial<Record<Side, number>>, hadFocus: boolean) => void} */
  function turnOver({ mine = 0, theirs = 0 }, hadFocus) {
    state.game = bidden(state.game, mine, theirs);
    change({ phase: "reveal", sealed: null, words: told(state.game) });
    turnedOver = performance.now();
    const { game } = state;
    void import("./mygames.js").then(({ noteBid }) => noteBid(game)).catch(() => null); // not kept, then
    keep();
    show();
    if (hadFocus) focusKey(parts.table, "hand");
    if (!isShared(state.game)) timer = setTimeout(nextRound, SHOWN);
  }

  /** The first of two people has bid. @param {NonNullable<State["sealed"]>} sealed */
  function pass(sealed) {
    const names = namesOf(state.game);
    const [done, next] = [names[sealed.side], names[otherSide(sealed.side)]];
    change({ phase: "pass", sealed, near: otherSide(sealed.side) });
    state.words = `The bid of ${done} lies face down. Pass the device to ${next}.`;
    turnedOver = performance.now();
    show();
    focusKey(parts.table, "hand");
  }

  /** The other one has the device, or the first one thinks again. @param {boolean} back */
  function passed(back) {
    if (performance.now() - turnedOver < AT_LEAST) return;
    const { sealed, near } = state;
    if (back) change({ sealed: null, near: otherSide(near) });
    const names = namesOf(state.game);
    const lies = back || !sealed ? "" : `; that of ${names[sealed.side]} lies face down`;
    change({ phase: "bid", words: `${names[state.near]}, choose your bid${lies}.` });
    show();
    focusKey(parts.table, "hand");
  }

  /** Their bid; when they have none, why is said below the table. */
  async function theirBid() {
    const { theirs } = state;
    if (!theirs) return null;
    const answer = await answered(theirs);
    if (answer || state.theirs !== theirs) return answer;
    change({ phase: "stuck", sealed: null, words: "They cannot bid. Why, is said below." });
    show();
    return null;
  }

  async function finish() {
    change({ phase: "over", near: "mine", words: ended(state.game) });
    show();
    await reviewing();
  }

  /** What there is to say of the game, as far as it was played. */
  async function reviewing() {
    afterwards ??= await answered(loaded(import("./afterwards.js")));
    if (!afterwards) return;
    show();
    const review = await answered(afterwards.askReview(state.game, state.side));
    if (!review) return;
    state.review = review;
    show();
  }

  /** Look at a round, or at the end; a game that goes on is at its end. @param {Looked} round */
  function look(round) {
    const unknown = !state.review;
    if (round === null) {
      if (!isOver(state.game)) return router.go("play", { ...writtenGame(), round: null }, { replace: true });
      change({ looked: null, phase: "over", near: "mine", words: ended(state.game) });
    } else {
      clearTimeout(timer);
      change({ looked: round, phase: "look", near: state.side, words: told(gameAfter(state.game, round)) });
      change({ hint: null, theirs: null, sealed: null });
    }
    keep();
    show();
    if (unknown) void reviewing();
  }

  /** Whose play is reviewed. @param {Side} side */
  function reviewFor(side) {
    state.side = side;
    if (state.phase === "look") state.near = side;
    keep();
    show();
    void reviewing();
  }

  /** @param {Against | null} against null: the hint goes, or comes */
  async function hinted(against) {
    if (state.phase !== "bid") return;
    if (!against && state.hint) {
      state.hint = null;
      keep();
      return show();
    }
    hints ??= await answered(loaded(import("./hint.js")));
    const hint = hints && (await answered(hints.askHint(state.game, state.near, against ?? "1")));
    if (!hint || state.phase !== "bid") return;
    state.hint = hint;
    keep();
    show();
  }

  async function pasting() {
    if (!parts.paste.open || parts.paste.childElementCount > 1) return;
    const module = await answered(loaded(import("./paste.js")));
    if (module) parts.paste.append(module.pastePanel((game, round) => router.go("play", writeGame(game, { round }))));
  }

  const writtenGame = () =>
    writeGame(state.game, { hint: state.hint?.against, round: state.looked, side: state.side });

  function keep() {
    const params = writtenGame();
    keepGame(isOver(state.game) ? writeGame({ ...anew(state.game), from: null }) : params);
    router.go("play", params, { replace: true, keep: true });
  }

  /** @param {Partial<Game>} changes */
  const begun = (changes = {}) =>
    router.go("play", writeGame({ ...anew(state.game), ...changes }));

  /** @param {number} round before which the game goes on */
  const backTo = (round) => router.go("play", writeGame(gameAfter(state.game, round)));

  function undo() {
    const played = playedOf(state.game).length;
    if (played) backTo(played - 1);
  }

  // What is shown.

  function show() {
    const { game, phase, hint, looked } = state;
    if (parts.said.textContent !== state.words) parts.said.textContent = state.words;
    const bar = { isEnded: isOver(game), isHinted: Boolean(hint), canHint: phase === "bid" };
    const played = playedOf(game).length;
    const key = [...Object.values(bar), played > 0, ...Object.values(writeGame({ ...game, rounds: [] }))];
    if (parts.settings.dataset.shown !== String(key))
      fill(parts.settings, playbar(game, bar, { begun, undo, again: () => backTo(0), hint: () => void hinted(null) }));
    parts.settings.dataset.shown = String(key); // a list that is being chosen from stays open
    panel.show(game.rules);
    const written = writeRules(game.rules);
    if (parts.how.dataset.rules !== written) fill(parts.how, howToPlay(game.rules));
    parts.how.dataset.rules = written;
    gliding(parts.table, () =>
      fill(parts.table, table(), state.problem ? notice(state.problem, advice(state.problem)) : null),
    );
    fill(
      parts.aside,
      hint && hints ? hints.hintPanel(hint, game, (against) => void hinted(against)) : null,
      looked && state.review && afterwards ? afterwards.roundPanel(state.review, looked) : null,
      roundsPanel(game, { looked, look, back: backTo }),
    );
    if (shownReview === state.review) return;
    shownReview = state.review;
    const about = { game, side: state.side, reviewFor };
    fill(parts.after, state.review && afterwards ? afterwards.reviewed(state.review, about) : null);
  }

  function table() {
    const { game, phase, looked, hint } = state;
    const count = playedOf(game).length;
    const end = isOver(game) ? "The result" : "The game goes on";
    const isBack = phase === "over" || phase === "look";
    const held = positionOf(game).mine.length;
    return felt(
      {
        ...state,
        game: looked ? gameAfter(game, looked) : game,
        down: downOf(state),
        marks: hint && hints ? hints.marksOf(hint) : null,
      },
      {
        bid: (card) => void bid(card),
        next: () => (performance.now() - turnedOver > AT_LEAST ? nextRound() : undefined),
      },
      {
        above: isBack ? stepper({ looked, count, end }, { look, playOn: backTo }) : null,
        instead:
          phase === "pass"
            ? passButtons(held, namesOf(game)[state.near], { seen: () => passed(false), back: () => passed(true) })
            : phase === "reveal" && isShared(game)
              ? nextButton(held, isOver(game))
              : null,
      },
    );
  }

  /** @param {Error} problem */
  const advice = (problem) =>
    retry(problem, () => update(Object.fromEntries(new URLSearchParams(location.search)))) ??
    (state.broken
      ? el("button", { type: "button", onclick: () => begun({ from: null }) }, "New game")
      : el("p", {}, tooLarge(state.game.rules)));

  // The keyboard, wherever the focus is.

  document.addEventListener(
    "keydown",
    (event) => {
      if (isTyping(event) || event.repeat) return;
      const key = event.key.toLowerCase();
      const control = event.target instanceof Element ? event.target.closest("button, a, summary") : null;
      if ((key === "enter" || key === " ") && control && !parts.table.contains(control)) return;
      const name = key === "0" ? "T" : key;
      const step = ["over", "look"].includes(state.phase)
        ? stepped(key, state.looked, playedOf(state.game).length)
        : undefined;
      if (key === "n") begun();
      else if (key === "u") undo();
      else if (key === "h") void hinted(null);
      else if (step !== undefined) look(step);
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
      waiting.next();
      clearTimeout(timer);
      closing.abort();
    },
  };
}
