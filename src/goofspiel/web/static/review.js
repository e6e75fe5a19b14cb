// The review of a game: what the result is made of, the curve of what was to be expected, and each round with its mix.

import { exploreAddress } from "./addresses.js";
import { ask } from "./api.js";
import { chip } from "./cards.js";
import { valueCurve } from "./chart.js";
import { choice, el, hidden } from "./dom.js";
import { cost, isFree, listed, percent, signed, unit } from "./format.js";
import { byCard, cardLabel, cardOf, cardSpoken, prizeOf } from "./engine/cards.js";
import { positionInUrl, writeRecord } from "./engine/notation.js";
import { readRules, writeRules } from "./engine/rules.js";
import { isShared, namesOf, otherSide, playedOf, swapGame } from "./game.js";
import { doing, opponentTitle } from "./opponents.js";
import { note } from "./words.js";

/** @import { ByCard, Review, ReviewedRound } from "./api.js" */
/** @import { Rules } from "./engine/rules.js" */
/** @import { Game, Side } from "./game.js" */

/** The game of a review, and whose play it is about. @typedef {{ game: Game, side: Side }} About */

export const DIGITS = { points: 2, win: 3 };
const SEVERAL = 4; // cards of a mix that a sentence names

/**
 * Ask for the review of a game, for one of its sides.
 * @param {Game} game
 * @param {Side} side
 */
export function askReview(game, side) {
  const { rules, opponent, from, ...seen } = side === "mine" ? game : swapGame(game);
  return ask("review", {
    record: writeRecord(playedOf({ ...game, ...seen })),
    rules: writeRules(rules),
    position: from ? positionInUrl(from) : undefined,
    player: isShared(game) ? undefined : opponent,
  });
}

/**
 * All of it; `reviewFor` is called for the other side, `more` stands below.
 * @param {Review} review
 * @param {About & { reviewFor: (side: Side) => void }} about
 * @param {HTMLElement} more
 */
export function reviewPanel(review, { game, side, reviewFor }, more) {
  const digits = DIGITS[review.objective];
  return el(
    "section",
    { class: "review panel", "aria-labelledby": "review-title" },
    el("h2", { id: "review-title" }, isShared(game) ? `The review for ${namesOf(game)[side]}` : "The review"),
    isShared(game) ? sides(game, side, reviewFor) : null,
    el("p", { class: "lead" }, ...verdict(review, digits).flatMap((sentence) => [sentence, " "])),
    el("div", { class: "totals" }, totals(review)),
    el("p", { class: "faint" }, basis(review)),
    curve(review, digits),
    table(review, digits, side),
    more,
  );
}

/** @type {(game: Game, side: Side, choose: (side: Side) => void) => HTMLElement} */
function sides(game, side, choose) {
  const names = namesOf(game);
  /** @type {[Side, string][]} */
  const both = [
    ["mine", `For ${names.mine}`],
    ["theirs", `For ${names.theirs}`],
  ];
  return choice("Whose bids", "review", both, side, choose);
}

/**
 * What the review says of one round, beside the table.
 * @param {Review} review
 * @param {number} number
 */
export function roundPanel(review, number) {
  const round = review.rounds[number - 1];
  if (!round?.mine) return null;
  const digits = DIGITS[review.objective];
  /** @type {[string, string][]} */
  const parts = [
    ...(readRules(review.rules).order ? [] : [/** @type {[string, string]} */ (["Draw", signed(round.draw_luck, digits)])]),
    ["Your bid, against them", signed(round.gain, digits)],
    ["Chance", signed(round.chance, digits)],
    ["Expected result", signed(round.value_after, digits)],
  ];
  return el(
    "section",
    { class: "panel looked", "aria-live": "polite", "aria-labelledby": "looked-title" },
    el("h2", { id: "looked-title" }, `Round ${number}`),
    el("p", {}, roundWords(review, round)),
    el("p", { class: "mix" }, "Perfect mix, your bid marked: ", markedMix(round)),
    el("dl", { class: "parts" }, parts.map(([words, value]) => [el("dt", {}, words), el("dd", {}, value)])),
    exploreLink(round, readRules(review.rules), "Explore this position"),
  );
}

/**
 * A round in a sentence or two that hold for every game.
 * @type {(review: Review, round: ReviewedRound) => string}
 */
export function roundWords(review, round) {
  const [bid, prize] = [cardSpoken(cardOf(round.mine ?? "")), cardSpoken(prizeOf(round.upcard))];
  const digits = DIGITS[review.objective];
  const said = `Your ${bid} for the ${prize} is ${rarity(round.probability ?? 0)}`;
  const settled = review.settled_after !== null && round.round > review.settled_after;
  if (settled) return `${said}. The result was settled before: nothing that was bid here could change it.`;
  if (Object.keys(round.mix).length === 1) return `Your ${bid} for the ${prize} was your last card: there was no choice.`;
  if (isFree(round.cost)) return `${said}, and costs nothing against perfect play.`;
  return `${said}. Against perfect play it costs ${cost(round.cost, digits)} ${unit(review.objective)}.`;
}

/**
 * The cards that a mix bids, [card, chance], the likeliest first.
 * @param {ByCard} mix
 */
export const supportOf = (mix) =>
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

/**
 * What can be said of a game, whatever it was: every sentence holds for every game.
 * @type {(review: Review, digits: number) => string[]}
 */
export function verdict(review, digits) {
  const closed = review.rounds.filter(({ mine }) => mine);
  if (!closed.length) return ["Nothing was bid yet."];
  return [...decided(review), worstSentence(review, closed, digits)];
}

/** @param {Review} review */
function decided({ settled_after: settled, won_after: won }) {
  if (settled) return [`The result was settled after round ${settled}: nothing that was bid afterwards could change it.`];
  if (won) return [`Who wins was settled after round ${won}: from then on only the margin was at stake.`];
  return [];
}

/** @type {(review: Review, closed: ReviewedRound[], digits: number) => string} */
function worstSentence(review, closed, digits) {
  const worst = closed.find((round) => round.round === review.worst);
  if (worst && !isFree(worst.cost)) {
    const lost = `${cost(worst.cost, digits)} ${unit(review.objective)}`;
    const who = review.theirs.player;
    const here = `${who ? "here" : "by the estimate, here"} it ${worst.gain > 0 ? "gained" : "cost"}`;
    const other = who === "optimal" ? "" : `; ${here} ${cost(Math.abs(worst.gain), digits)}`;
    return (
      `Against perfect play your most expensive bid was ${bidWords(worst)}: it bids ${mixWords(worst.mix)}. ` +
      `Your bid costs ${lost} there${other}.`
    );
  }
  const last = review.settled_after ?? Infinity;
  const open = closed.filter((round) => Object.keys(round.mix).length > 1 && round.round <= last);
  const none = "None of your bids would have cost anything against perfect play";
  if (!open.length) return `${none}: there was nothing to choose.`;
  const rarest = open.reduce((one, other) => ((other.probability ?? 0) < (one.probability ?? 0) ? other : one));
  if ((rarest.probability ?? 0) >= 1 - 1e-9) return `${none}: it bids the same, every time.`;
  return `${none}; one game cannot tell whether you make them as often as you should. The rarest was ${bidWords(rarest)}.`;
}

/** @param {ReviewedRound} round */
function bidWords(round) {
  const [bid, prize] = [cardSpoken(cardOf(round.mine ?? "")), cardSpoken(prizeOf(round.upcard))];
  return `the ${bid} for the ${prize} in round ${round.round}, ${rarity(round.probability ?? 0)}`;
}

/** How often perfect play makes a bid. @param {number} share */
function rarity(share) {
  if (share <= 1e-9) return "a bid that this mix never makes";
  const shown = percent(share);
  return `a${/^(8|11\b|18\b)/.test(shown) ? "n" : ""} ${shown} bid`;
}

/** How it is known how they bid. @param {Review} review */
export function basis(review) {
  const { player, estimate, contradiction } = review.theirs;
  if (player) return `How they bid is known: ${opponentTitle(player)}.`;
  const never = contradiction ? `They are not ${contradiction}. ` : "";
  const told = review.rounds.filter(({ mine, mix }) => mine && Object.keys(mix).length > 1).length;
  if (told < 2) return `${never}How they bid is not known, and one bid tells nothing of it: gain and chance are a guess.`;
  const like = Object.entries(estimate ?? {})
    .sort((a, b) => b[1] - a[1])
    .slice(0, 2)
    .map(([name, share]) => `${doing(name)} (${percent(share)})`);
  return `${never}How they bid is estimated, each round from their other bids: they look like one who ${like.join(", or ")}.`;
}

/**
 * What the result is made of, and what stands beside it: words, and a number.
 * @type {(review: Review) => [words: string, number: string][]}
 */
export function totalsOf(review) {
  const digits = DIGITS[review.objective];
  const isOver = review.result !== null;
  return [
    ...(review.start ? [line("Where it began", signed(review.start, digits))] : []),
    ...(readRules(review.rules).order ? [] : [line("Luck of the draw", signed(review.draw_luck, digits))]),
    line("Your bids, against them", signed(review.gain, digits)),
    line("Chance in the bids", signed(review.chance, digits)),
    line(
      isOver ? "Result" : "To be expected so far",
      signed(review.value, isOver && review.objective === "points" ? 0 : digits),
    ),
    line(COSTS, cost(review.cost, digits)),
  ];
}

/** @type {(words: string, number: string) => [string, string]} */
const line = (words, number) => [words, number];
const COSTS = "Your bids would cost against perfect play";

/** @param {Review} review */
const totals = (review) =>
  totalsOf(review).map(([words, number]) =>
    el("div", { class: "total" }, el("span", {}, words, words === COSTS ? note("cost") : null), el("strong", {}, number)),
  );

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
    valueCurve([{ label: "start", value: review.start, title: `Start: ${signed(review.start, digits)}` }, ...steps], {
      digits,
      most: review.objective === "win" ? 1 : Infinity,
      width: matchMedia("(max-width: 40rem)").matches ? 340 : 760,
      label: `Curve of the ${words} after each round: ${signed(review.start, digits)}, ${list}`,
      marked: worst < 0 || isFree(review.rounds[worst].cost) ? null : worst + 1,
    }),
    el(
      "figcaption",
      {},
      `The ${words} after each round, if both play perfectly from there on. An orange bar is what your bid would have cost against perfect play.`,
    ),
  );
}

/** @type {(review: Review, digits: number, side: Side) => HTMLElement} */
function table(review, digits, side) {
  const head = [
    "Round",
    "Prize",
    "You",
    "They",
    "Draw",
    "Your bid",
    "Chance",
    "Expected",
    "Cost if they were perfect",
    "Perfect mix, your bid marked",
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
      bid(round.mine, side),
      bid(round.theirs, otherSide(side)),
      ...[round.draw_luck, round.gain, round.chance, round.value_after].map((number) =>
        el("td", { class: "number" }, signed(number, digits)),
      ),
      price(round.cost),
      el("td", { class: "mix" }, markedMix(round)),
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
          head.map((words, index) => el("th", { scope: "col", class: index > 3 && index < 9 ? "number" : "" }, words)),
        ),
      ),
      el("tbody", {}, rows),
    ),
  );
}

/**
 * The whole mix, the bid marked, also where the mix never makes it.
 * @param {ReviewedRound} round
 */
function markedMix({ mix, mine }) {
  const bid = mine ? cardOf(mine) : 0;
  const support = supportOf(mix);
  if (bid && !support.some(([card]) => card === bid)) support.push([bid, 0]);
  return support.map(([card, chance]) => {
    const words = `${cardLabel(card)} ${chance ? percent(chance) : "0 %"}`;
    return el("span", { class: "share" }, card === bid ? el("mark", {}, words) : words);
  });
}

/** @type {(round: ReviewedRound, rules: Rules, words?: string) => HTMLElement} */
const exploreLink = (round, rules, words = "explore") =>
  el(
    "a",
    {
      href: exploreAddress(round.position, rules),
      "data-view": "explore",
      "aria-label": words === "explore" ? `Explore round ${round.round}` : null,
    },
    words,
  );
