// What is going on at the table, and what is said of it while it is.

import { cardSpoken, cardsUpTo } from "./engine/cards.js";
import { nests, withCards } from "./engine/rules.js";
import { isWorkedOut } from "./engine/work.js";
import { firstBidder, isShared, lengthOf, namesOf, otherSide, positionOf } from "./game.js";

/** @import { Bid, Review } from "./api.js" */
/** @import { Rules } from "./engine/rules.js" */
/** @import { Phase } from "./felt.js" */
/** @import { Game, Side } from "./game.js" */
/** @import { Hint } from "./hint.js" */
/** @import { Looked } from "./steps.js" */

/**
 * @typedef {object} State
 * @property {Game} game
 * @property {Phase} phase
 * @property {string} words
 * @property {Side} near whose cards are nearest: mine, or those of who holds the device
 * @property {{ side: Side, card: number } | null} sealed a bid while it is still face down
 * @property {Promise<Bid> | null} theirs their bid, once it is asked for
 * @property {number[]} upcards the prizes in the order in which they are turned up
 * @property {Hint | null} hint
 * @property {Looked} looked the round that is looked at
 * @property {Side} side whose play is reviewed
 * @property {Review | null} review
 * @property {Error | null} problem
 * @property {boolean} broken whether the record cannot be played
 */

/** @type {(game: Game) => State} */
export const dealt = (game) => ({
  game,
  phase: "deal",
  words: "The cards are dealt.",
  near: "mine",
  sealed: null,
  theirs: null,
  upcards: [],
  hint: null,
  looked: null,
  side: "mine",
  review: null,
  problem: null,
  broken: false,
});

/**
 * What is said when a prize is turned up.
 * @param {Game} game
 */
export function roundWords(game) {
  const { upcard, pot } = positionOf(game);
  const [number, first, names] = [game.rounds.length, firstBidder(game), namesOf(game)];
  const prize = `The prize is the ${cardSpoken(upcard)}${pot ? `, and ${pot} in the pot` : ""}.`;
  const choose = isShared(game)
    ? `${names[first]} bid first; ${names[otherSide(first)]} look away.`
    : number > 1
      ? "Choose your bid."
      : "Choose a card: the higher bid takes it, and each card can be bid once.";
  return `Round ${number} of ${lengthOf(game)}. ${prize} ${choose}`;
}

/** Which bids lie face down. @param {State} state */
export function downOf({ game, phase, near, sealed }) {
  if (phase === "sealed") return { mine: sealed?.card ?? 0, theirs: true };
  if (!isShared(game)) return { mine: false, theirs: phase === "bid" };
  return { mine: false, theirs: sealed !== null && sealed.side !== near };
}

/**
 * What can be played without a table, where one is missing.
 * @param {Rules} rules
 */
export function tooLarge(rules) {
  if (!nests(rules)) return "With fewer cards, or with the prizes in a known order, it can be played at once.";
  const most = cardsUpTo(rules.cards).filter((cards) => isWorkedOut(withCards(rules, cards))).length;
  return rules.cards > most ? `Under these rules games of up to ${most} cards can always be played.` : "";
}
