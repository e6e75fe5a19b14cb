// The table at which a game is played: both hands, the prize, the bids, what was won.

import { back, cardButton, picture, place, spokenCards } from "./cards.js";
import { el, hidden } from "./dom.js";
import { gameAfter, isOver, lengthOf, namesOf, otherSide, playedOf, positionOf } from "./game.js";
import { swapGame, takings, taker, total } from "./game.js";
import { cardLabel, cardName, cardSpoken } from "./engine/cards.js";
import { pickable } from "./motion.js";

/** @import { Position, Round } from "./engine/notation.js" */
/** @import { Game, Side } from "./game.js" */

/**
 * In `reveal` the last round lies open, and in `look`, too, long after; in `pass` the device changes hands.
 * @typedef {"deal" | "bid" | "sealed" | "pass" | "reveal" | "over" | "look" | "stuck"} Phase
 */

/** What is written under a card, and what is said of it. @typedef {Record<string, { short: string, said: string }>} Marks */

/**
 * What lies on the table. `near` is the side whose cards are nearest; `down` says which bids lie face down, mine as the
 * near side's own card, if it may be seen to leave the hand.
 * @typedef {object} Lying
 * @property {Game} game
 * @property {Phase} phase
 * @property {Side} near
 * @property {{ mine: number | boolean, theirs: boolean }} down
 * @property {string} words
 * @property {Marks | null} marks
 * @property {Partial<Record<Side, number>>} [open] bids that lie open already
 */

/**
 * The table; `above` lies at its upper edge, and `instead` in place of the near hand.
 * @param {Lying} lying
 * @param {{ bid: (card: number) => void, next: (() => void) | null }} handlers
 * @param {{ above?: HTMLElement | null, instead?: HTMLElement | null }} more
 */
export function felt({ game: played, phase, near, down, words, marks, open = {} }, { bid, next }, { above, instead } = {}) {
  const game = near === "mine" ? played : swapGame(played);
  /** @type {Owners} */
  const owners = { mine: near, theirs: otherSide(near) };
  const names = namesOf(game);
  const position = without(positionOf(game), open);
  const shown = phase === "reveal" || phase === "look" ? (playedOf(game).at(-1) ?? null) : null;
  const taken = takings(game);
  const score = { mine: total(taken.mine), theirs: total(taken.theirs) };
  // What was bid for still lies in the middle.
  const before = shown ? takings(gameAfter(game, playedOf(game).length - 1)) : taken;
  const round = shown ?? (position.upcard ? (game.rounds.at(-1) ?? null) : null);
  const sealed = typeof down.mine === "number" ? down.mine : 0;
  /** @param {Side} owner */
  const seat = (owner) =>
    side(
      owner,
      names[owners[owner]],
      before[owner],
      bidOf(owner, owners, shown, Boolean(down[owner]), owner === "mine" ? sealed : 0, open[owner] ?? 0),
      shown,
      score[owner],
    );
  return el(
    "section",
    { class: "felt", "aria-label": "The table", "data-phase": phase, onclick: phase === "reveal" ? next : null },
    above ?? null,
    el("p", { class: "holds" }, `${names[owners.theirs]} hold`),
    theirHand(position, owners),
    el(
      "div",
      { class: "middle" },
      seat("mine"),
      el(
        "div",
        { class: "prize" },
        prize(round, phase, game),
        pot(round ? before.pot : taken.pot),
        deck(position, game, taken),
      ),
      seat("theirs"),
    ),
    el("p", { class: "said" }, words),
    instead ?? myHand(position, owners, sealed, phase, marks, bid),
  );
}

/**
 * A position in which some cards lie on the table, not in the hands.
 * @type {(position: Position, open: Partial<Record<Side, number>>) => Position}
 */
const without = (position, { mine, theirs }) => ({
  ...position,
  mine: position.mine.filter((card) => card !== mine),
  theirs: position.theirs.filter((card) => card !== theirs),
});

/** Whose cards lie near, and far. @typedef {Record<Side, Side>} Owners */

const CHOSEN = { mine: "Your bid lies face down.", theirs: "Their bid lies face down." };

/**
 * @param {Side} owner
 * @param {Owners} owners
 * @param {Round | null} shown
 * @param {boolean} down
 * @param {number} sealed what leaves the hand
 * @param {number} open
 */
function bidOf(owner, owners, shown, down, sealed, open) {
  const card = shown ? shown[owner] : open;
  if (card) {
    const won = shown && taker(shown) === owner ? "won" : "";
    return picture(card, owners[owner], { class: `turned ${won}`, "data-flip": `${owners[owner]} ${card}` });
  }
  if (sealed) return back({ "data-flip": `${owners[owner]} ${sealed}` });
  if (down) return back({ class: "chosen" });
  return place(owner === "mine" ? "your bid" : "their bid");
}

/**
 * @param {Side} owner
 * @param {string} name
 * @param {Round[]} taken
 * @param {HTMLElement} card
 * @param {Round | null} shown
 * @param {number} score
 */
function side(owner, name, taken, card, shown, score) {
  const said = shown ? `bid ${cardSpoken(shown[owner])}` : card.classList.contains("back") ? CHOSEN[owner] : "";
  return el(
    "div",
    { class: `side ${owner}` },
    el("div", { class: "bid", "data-drop": owner === "mine" }, card, hidden(said)),
    el("p", { class: "score" }, el("span", {}, name), " ", el("strong", {}, String(score)), hidden(" points")),
    el(
      "div",
      { class: "pile" },
      drawn(taken),
      taken.length ? hidden(`prizes won: ${spokenCards(taken.filter(isRound).map((round) => round.upcard))}`) : null,
    ),
  );
}

/** What a game began with is no round: it counts, but has no card. @param {Round} round */
const isRound = ({ mine }) => mine > 0;
/** @param {Round[]} rounds */
const drawn = (rounds) => rounds.filter(isRound).map(prizeCard);

/**
 * The prize of a round; several may be worth the same.
 * @param {Round} round
 */
const prizeCard = (round) => picture(round.upcard, "prize", { "data-flip": flipOf(round) });

/**
 * No card is bid twice: a bid tells rounds apart, and there is one round without.
 * @param {Round} round
 */
const flipOf = ({ upcard, mine }) => `prize ${upcard} ${mine}`;

/** @type {(round: Round | null, phase: Phase, game: Game) => HTMLElement} */
function prize(round, phase, game) {
  if (round) {
    const card = picture(round.upcard, "prize", { class: phase === "bid" ? "turned" : "", "data-flip": flipOf(round) });
    return el("div", { class: "upcard" }, card, hidden(`the prize is ${cardSpoken(round.upcard)}`));
  }
  return el("div", { class: "upcard" }, isOver(game) ? place("") : back());
}

/**
 * What the winner of the round takes besides.
 * @param {Round[]} waiting
 */
function pot(waiting) {
  if (!waiting.length) return null;
  return el(
    "div",
    { class: "pot" },
    el("p", {}, el("strong", {}, `+${total(waiting)}`), " in the pot"),
    el("div", { class: "pile", "aria-hidden": "true" }, drawn(waiting)),
  );
}

/** @type {(position: Position, game: Game, taken: ReturnType<typeof takings>) => HTMLElement} */
function deck(position, game, { nobody }) {
  const { rules } = game;
  const rounds = lengthOf(game) - playedOf(game).length - (position.upcard ? 1 : 0);
  const left = rules.order ? position.deck.slice(0, rounds) : position.deck;
  const some = rules.rounds < rules.cards && !rules.order && rounds > 0 ? `${rounds} more of: ` : "to come: ";
  const words = rules.order ? (left.length > 1 ? "to come, in this order: " : "to come: ") : some;
  return el(
    "p",
    { class: "deck" },
    left.length && rounds > 0 ? [words, el("b", {}, left.map(cardLabel).join(" "))] : null,
    nobody.length
      ? el(
          "span",
          { class: "tied" },
          rules.carry
            ? `left in the pot: ${total(nobody)}`
            : `tied: ${nobody.map((round) => cardLabel(round.upcard)).join(" ")}`,
        )
      : null,
  );
}

/** @type {(position: Position, owners: Owners) => HTMLElement} */
export function theirHand(position, { theirs }) {
  return el(
    "div",
    {
      class: "hand theirs",
      role: "group",
      "aria-label": `Their hand: ${spokenCards(position.theirs)}`,
      vars: { "--count": Math.max(position.theirs.length, 13) },
    },
    position.theirs.map((card) => picture(card, theirs, { "data-flip": `${theirs} ${card}` })),
  );
}

/**
 * @param {Position} position
 * @param {Owners} owners
 * @param {number} sealed
 * @param {Phase} phase
 * @param {Marks | null} marks
 * @param {(card: number) => void} bid
 */
export function myHand(position, { mine: owner }, sealed, phase, marks, bid) {
  const drop = () => document.querySelector("[data-drop]");
  const cards = position.mine.filter((card) => card !== sealed);
  return el(
    "div",
    {
      class: `hand mine ${marks ? "hinted" : ""}`,
      role: "group",
      "aria-label": phase === "look" ? `Your hand: ${spokenCards(cards)}` : "Your hand",
      tabindex: "-1", // where the focus waits between two bids, so that a late key bids nothing
      "data-key": "hand",
      onkeydown: walk,
      vars: { "--count": Math.max(cards.length, 1) },
    },
    cards.map((card) => {
      if (phase === "look") return el("span", { class: "held" }, picture(card, owner, { "data-flip": `${owner} ${card}` }));
      const mark = marks?.[cardName(card)];
      const button = cardButton(card, owner, `Bid ${cardSpoken(card)}${mark ? `, ${mark.said}` : ""}`, {
        "data-flip": `${owner} ${card}`,
        "data-key": `bid ${card}`,
        "aria-disabled": phase === "bid" ? null : "true",
      });
      if (phase === "bid") pickable(button, drop, () => bid(card));
      return el(
        "span",
        { class: "held" },
        button,
        mark ? el("span", { class: "chance", "aria-hidden": "true" }, mark.short) : null,
      );
    }),
  );
}

/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * Arrow keys move between the cards of a hand.
 * @param {KeyboardEvent & { currentTarget: HTMLElement }} event
 */
function walk(event) {
  const step = STEPS[event.key];
  if (!step) return;
  const cards = [...event.currentTarget.querySelectorAll("button")];
  const at = cards.findIndex((card) => card === document.activeElement);
  cards[(at + step + cards.length) % cards.length]?.focus();
  event.preventDefault();
}
