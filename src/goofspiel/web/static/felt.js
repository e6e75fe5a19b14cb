// The table at which a game is played: both hands, the prize, the bids, what was won.

import { back, cardButton, picture, place, spokenCards } from "./cards.js";
import { el, hidden } from "./dom.js";
import { percent, percentShort } from "./format.js";
import { isOver, playedOf, positionOf, takings, taker, total } from "./game.js";
import { cardLabel, cardName, cardSpoken } from "./engine/cards.js";
import { pickable } from "./motion.js";

/** @import { ByCard } from "./api.js" */
/** @import { Position, Round } from "./engine/notation.js" */
/** @import { Game } from "./game.js" */

/** @typedef {"mine" | "theirs"} Side */
/** @typedef {"deal" | "bid" | "sealed" | "reveal" | "over" | "stuck"} Phase  In `reveal` the last round lies open. */

/**
 * The table. `mine` is my bid while it is still face down, else 0; `hint` a mix.
 * @param {{ game: Game, phase: Phase, mine: number, words: string, hint: ByCard | null }} state
 * @param {{ bid: (card: number) => void, next: () => void }} handlers
 */
export function felt({ game, phase, mine, words, hint }, { bid, next }) {
  const position = positionOf(game);
  const shown = phase === "reveal" ? (playedOf(game).at(-1) ?? null) : null;
  const taken = takings(game);
  const score = { mine: total(taken.mine), theirs: total(taken.theirs) };
  // What was bid for still lies in the middle.
  const before = shown ? takings({ ...game, rounds: playedOf(game).slice(0, -1) }) : taken;
  const round = shown ?? (position.upcard ? (game.rounds.at(-1) ?? null) : null);
  return el(
    "section",
    { class: "felt", "aria-label": "The table", "data-phase": phase, onclick: phase === "reveal" ? next : null },
    el("p", { class: "holds" }, "They hold"),
    theirHand(position),
    el(
      "div",
      { class: "middle" },
      side("mine", "You", before.mine, bidOf("mine", shown, mine, phase), shown, score.mine),
      el(
        "div",
        { class: "prize" },
        prize(round, phase, game),
        pot(round ? before.pot : taken.pot),
        deck(position, game, taken),
      ),
      side("theirs", "They", before.theirs, bidOf("theirs", shown, 0, phase), shown, score.theirs),
    ),
    el("p", { class: "said" }, words),
    myHand(position, mine, phase, hint, bid),
  );
}

const CHOSEN = { mine: "Your bid lies face down.", theirs: "Their bid lies face down." };

/**
 * @param {Side} owner
 * @param {Round | null} shown
 * @param {number} sealed
 * @param {Phase} phase
 */
function bidOf(owner, shown, sealed, phase) {
  if (shown) {
    const card = shown[owner];
    const won = taker(shown) === owner ? "won" : "";
    return picture(card, owner, { class: `turned ${won}`, "data-flip": `${owner} ${card}` });
  }
  if (owner === "mine" && sealed) return back({ "data-flip": `mine ${sealed}` });
  if (owner === "theirs" && (phase === "bid" || phase === "sealed")) return back({ class: "chosen" });
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
      taken.map(prizeCard),
      taken.length ? hidden(`prizes won: ${spokenCards(taken.map((round) => round.upcard))}`) : null,
    ),
  );
}

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
    el("div", { class: "pile", "aria-hidden": "true" }, waiting.map(prizeCard)),
  );
}

/** @type {(position: Position, game: Game, taken: ReturnType<typeof takings>) => HTMLElement} */
function deck(position, { rules }, { nobody }) {
  const rounds = position.mine.length - (rules.cards - rules.rounds) - (position.upcard ? 1 : 0);
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
          `${rules.carry ? "left in the pot" : "tied"}: ${nobody.map((round) => cardLabel(round.upcard)).join(" ")}`,
        )
      : null,
  );
}

/** @param {Position} position */
export function theirHand(position) {
  return el(
    "div",
    {
      class: "hand theirs",
      role: "group",
      "aria-label": `Their hand: ${spokenCards(position.theirs)}`,
      vars: { "--count": Math.max(position.theirs.length, 13) },
    },
    position.theirs.map((card) => picture(card, "theirs", { "data-flip": `theirs ${card}` })),
  );
}

/**
 * @param {Position} position
 * @param {number} sealed
 * @param {Phase} phase
 * @param {ByCard | null} hint
 * @param {(card: number) => void} bid
 */
export function myHand(position, sealed, phase, hint, bid) {
  const drop = () => document.querySelector("[data-drop]");
  const cards = position.mine.filter((card) => card !== sealed);
  return el(
    "div",
    {
      class: `hand mine ${hint ? "hinted" : ""}`,
      role: "group",
      "aria-label": "Your hand",
      tabindex: "-1", // where the focus waits between two bids, so that a late key bids nothing
      "data-key": "hand",
      onkeydown: walk,
      vars: { "--count": Math.max(cards.length, 1) },
    },
    cards.map((card) => {
      const chance = hint?.[cardName(card)];
      const said = chance === undefined ? "" : `, ${percent(chance)} in an optimal mix`;
      const button = cardButton(card, "mine", `Bid ${cardSpoken(card)}${said}`, {
        "data-flip": `mine ${card}`,
        "data-key": `bid ${card}`,
        "aria-disabled": phase === "bid" ? null : "true",
      });
      if (phase === "bid") pickable(button, drop, () => bid(card));
      return el(
        "span",
        { class: "held" },
        button,
        chance === undefined ? null : el("span", { class: "chance", "aria-hidden": "true" }, percentShort(chance)),
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
