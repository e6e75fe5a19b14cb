// The review of a game: the curve of what was to be expected, what each bid cost, and the worst one in a sentence.

import { exploreAddress } from "./addresses.js";
import { ask } from "./api.js";
import { chip } from "./cards.js";
import { valueCurve } from "./chart.js";
import { el, hidden } from "./dom.js";
import { cost, isFree, listed, percent, signed } from "./format.js";
import { byCard, cardLabel, cardOf, cardSpoken, prizeOf } from "./engine/cards.js";
import { writeRecord } from "./engine/notation.js";
import { readRules, writeRules } from "./engine/rules.js";
import { note } from "./words.js";

/** @import { ByCard, Review, ReviewedRound } from "./api.js" */
/** @import { Objective, Rules } from "./engine/rules.js" */
/** @import { Game } from "./game.js" */

const DIGITS = { points: 2, win: 3 };
const SEVERAL = 4; // cards of a mix that a sentence names

/**
 * Ask for the review of a game.
 * @param {Game} game
 */
export const askReview = (game) =>
  ask("review", { record: writeRecord(game.rounds), rules: writeRules(game.rules) });

/**
 * All of it.
 * @param {Review} review
 */
export function reviewed(review) {
  const digits = DIGITS[review.objective];
  return el(
    "section",
    { class: "review panel", "aria-labelledby": "review-title" },
    el("h2", { id: "review-title" }, "The review"),
    el("p", { class: "lead" }, worstSentence(review, digits)),
    el("div", { class: "totals" }, totals(review, digits)),
    curve(review, digits),
    table(review, digits),
  );
}

/** @param {Objective} objective */
const unit = (objective) => (objective === "points" ? "points" : "of P(win) − P(loss)");

/**
 * The cards that a mix bids, [card, chance], the likeliest first.
 * @param {ByCard} mix
 */
const supportOf = (mix) =>
  byCard(mix)
    .filter(([, chance]) => chance > 1e-9)
    .sort((a, b) => b[1] - a[1]);

/**
 * The likeliest cards of a mix, in words.
 * @param {ByCard} mix
 */
function mixWords(mix) {
  const support = supportOf(mix);
  const words = support.slice(0, SEVERAL).map(([card, chance]) => `the ${cardSpoken(card)} (${percent(chance)})`);
  if (support.length > SEVERAL) words.push("others");
  return listed(words);
}

/** @type {(review: Review, digits: number) => string} */
function worstSentence(review, digits) {
  const worst = review.rounds.find((round) => round.round === review.worst);
  if (!worst?.mine || isFree(worst.cost))
    return "Every bid of yours was among the best: against perfect play, nobody could have done better.";
  const [bid, prize] = [cardSpoken(cardOf(worst.mine)), cardSpoken(prizeOf(worst.upcard))];
  const likely = (worst.probability ?? 0) > 1e-9 ? "" : " Perfect play never does that here:";
  const lost = `${cost(worst.cost, digits)} ${unit(review.objective)}`;
  return (
    `Your most expensive bid was the ${bid} for the ${prize}, in round ${worst.round}: it gave away ${lost}.` +
    `${likely || " Perfect play rarely does that:"} it bids ${mixWords(worst.mix)}.`
  );
}

/** @type {(review: Review, digits: number) => HTMLElement[]} */
function totals(review, digits) {
  /** @type {[string, string, "cost" | null]} */
  const draw = ["Luck of the draw", signed(review.draw_luck, digits), null];
  /** @type {[string, string, "cost" | null][]} */
  const lines = [
    ["Your bids gave away", cost(review.cost, digits), "cost"],
    ["Their bids gave away", cost(review.their_cost, digits), null],
    ...(readRules(review.rules).order ? [] : [draw]),
    ["Luck of how the bids met", signed(review.bid_luck, digits), null],
    ["Result", signed(review.value, review.objective === "points" ? 0 : digits), null],
  ];
  return lines.map(([words, number, word]) =>
    el("div", { class: "total" }, el("span", {}, words, word ? note(word) : null), el("strong", {}, number)),
  );
}

/** @type {(review: Review, digits: number) => HTMLElement} */
function curve(review, digits) {
  const worst = review.rounds.findIndex((round) => round.round === review.worst);
  const steps = review.rounds.map((round) => ({
    label: String(round.round),
    value: round.value_after,
    cost: isFree(round.cost) ? 0 : round.cost,
    title: `Round ${round.round}: ${signed(round.value_after, digits)}`,
  }));
  const words = review.objective === "points" ? "expected point difference" : "expected P(win) − P(loss)";
  const list = review.rounds.map((round) => signed(round.value_after, digits)).join(", ");
  return el(
    "figure",
    {},
    valueCurve([{ label: "start", value: 0, title: "Start: both have the same chances" }, ...steps], {
      digits,
      width: matchMedia("(max-width: 40rem)").matches ? 340 : 760,
      label: `Curve of the ${words} after each round: 0, ${list}`,
      marked: worst < 0 || isFree(review.rounds[worst].cost) ? null : worst + 1,
    }),
    el(
      "figcaption",
      {},
      `The ${words} after each round, if both play perfectly from there on. An orange bar is what your bid gave away.`,
    ),
  );
}

/** @type {(review: Review, digits: number) => HTMLElement} */
function table(review, digits) {
  const head = [
    "Round",
    "Prize",
    "You",
    "They",
    "Your cost",
    "Expected",
    "Their cost",
    "Luck",
    "Perfect mix",
    hidden("Explore"),
  ];
  const rows = review.rounds.map((round) => {
    const worst = round.round === review.worst && !isFree(round.cost);
    /** @param {number} number */
    const price = (number) => el("td", { class: isFree(number) ? "number faint" : "number" }, cost(number, digits));
    /** @type {(card: string | null, owner: "mine" | "theirs") => HTMLElement} */
    const bid = (card, owner) => el("td", {}, card ? chip(cardOf(card), owner) : null);
    return el(
      "tr",
      { class: worst ? "worst" : "" },
      el("th", { scope: "row" }, String(round.round)),
      el("td", {}, chip(prizeOf(round.upcard), "prize"), round.pot ? ` +${round.pot}` : null),
      bid(round.mine, "mine"),
      bid(round.theirs, "theirs"),
      price(round.cost),
      el("td", { class: "number" }, signed(round.value_after, digits)),
      price(round.their_cost),
      el("td", { class: "number" }, signed(round.draw_luck + round.bid_luck, digits)),
      el("td", { class: "mix" }, mixShort(round.mix)),
      el("td", {}, exploreLink(round, readRules(review.rules))),
    );
  });
  return el(
    "div",
    { class: "frame", tabindex: "0", role: "region", "aria-label": "Each round and its cost" },
    el(
      "table",
      { class: "rounds" },
      el("caption", { class: "hidden" }, "Each round and its cost"),
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head.map((words, index) => el("th", { scope: "col", class: index > 3 && index < 8 ? "number" : "" }, words)),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}

/** @param {ByCard} mix */
function mixShort(mix) {
  const support = supportOf(mix);
  const words = support.slice(0, 3).map(([card, chance]) => `${cardLabel(card)} ${percent(chance)}`);
  return words.join(", ") + (support.length > 3 ? ", …" : "");
}

/** @type {(round: ReviewedRound, rules: Rules) => HTMLElement} */
const exploreLink = (round, rules) =>
  el(
    "a",
    {
      href: exploreAddress(round.position, rules),
      "data-view": "explore",
      "aria-label": `Explore round ${round.round}`,
    },
    "explore",
  );
