// How the game is played, in words.

import { viewAddress } from "./addresses.js";
import { el } from "./dom.js";
import { cardLabel, isSame } from "./engine/cards.js";
import { usual } from "./engine/rules.js";

/** @import { Rules } from "./engine/rules.js" */

/**
 * How the game is played.
 * @param {Rules} rules
 */
export function howToPlay({ cards, carry, prizes, order, rounds }) {
  const values = isSame(prizes, usual(cards).prizes) ? "" : ` They are worth ${prizes.join(", ")}.`;
  const known = order ? ` Both know the order in which they come: ${order.map(cardLabel).join(" ")}.` : "";
  const tie = carry
    ? "on a tie the prize waits in the pot, and whoever wins the next round takes it, too"
    : "on a tie nobody does";
  const end = rounds < cards ? `After ${rounds} of ${cards} rounds` : "When the hands are empty";
  const left = carry ? " What is left in the pot then is nobody's." : "";
  return [
    el("summary", {}, "How to play"),
    el(
      "ul",
      {},
      el("li", {}, "Both players hold the same cards. The Ace counts 1, Jack 11, Queen 12, King 13."),
      el("li", {}, `A prize is turned up. Both bid one card, face down, and turn them over together.${values}${known}`),
      el("li", {}, `The higher bid takes the prize and its points; ${tie}. Each card is bid once.`),
      el("li", {}, `${end}, who has more points wins.${left}`),
      el(
        "li",
        {},
        "Press A, 2 … 9, T, J, Q, K to bid, h for a hint, n for a new game; or click, or drag a card to your place.",
      ),
    ),
    el(
      "p",
      {},
      el("a", { href: viewAddress("guide"), "data-view": "guide" }, "A guided game of three rounds"),
      " shows why one must not bid the same way each time.",
    ),
  ];
}
