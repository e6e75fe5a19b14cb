// What is said beside the table: a hint, and the rules.

import { exploreAddress } from "./addresses.js";
import { mixBars } from "./bars.js";
import { el } from "./dom.js";
import { percent } from "./format.js";
import { cardLabel, cardsUpTo, isSame } from "./engine/cards.js";
import { nests, usual, withCards } from "./engine/rules.js";
import { isWorkedOut } from "./engine/work.js";
import { note } from "./words.js";

/** @import { Answer } from "./api.js" */
/** @import { Rules } from "./engine/rules.js" */

/**
 * What is optimal here, in words and as bars.
 * @param {Answer} answer
 * @param {Rules} playedRules
 */
export function hintPanel(answer, playedRules) {
  return el(
    "section",
    { class: "panel hint", "aria-live": "polite" },
    el("h2", {}, "Hint"),
    el("p", {}, worth(answer), note("value", "perfect play")),
    el("p", {}, answer.unique ? "The optimal mix:" : "An optimal mix (others may be as good):", note("mix", "a mix")),
    mixBars({
      owner: "mine",
      caption: "What to bid, how often, and what each card costs",
      mix: answer.mine,
      costs: answer.regret,
      objective: answer.objective,
    }),
    el("p", { class: "remark" }, "The cost is what a card gives away.", note("cost", "the cost")),
    el(
      "a",
      {
        href: exploreAddress(answer.position, playedRules),
        "data-view": "explore",
      },
      "Explore this position",
    ),
  );
}

/** @param {Answer} answer */
function worth({ objective, value, outcomes }) {
  const both = "If both play perfectly from here,";
  if (objective === "points") {
    const size = Math.abs(value).toFixed(2);
    if (Number(size) === 0) return `${both} the game ends level on average.`;
    return `${both} you end ${size} points ${value > 0 ? "ahead" : "behind"} on average.`;
  }
  if (outcomes) {
    const [win, draw, loss] = [outcomes.win, outcomes.draw, outcomes.loss].map(percent);
    return `${both} you win ${win}, draw ${draw} and lose ${loss} of the games.`;
  }
  const size = Math.abs(100 * value).toFixed(1);
  if (Number(size) === 0) return `${both} you are as likely to win as to lose.`;
  return `${both} your chance to win is ${size} % ${value > 0 ? "above" : "below"} your chance to lose.`;
}

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
  ];
}

/**
 * What can be played instead of a game that is too large.
 * @param {Rules} rules
 */
export function tooLarge(rules) {
  if (!nests(rules)) return "With fewer cards, or with the prizes in a known order, it can be played at once.";
  const most = cardsUpTo(rules.cards).filter((cards) => isWorkedOut(withCards(rules, cards))).length;
  return rules.cards > most ? `Under these rules games of up to ${most} cards can always be played.` : "";
}
