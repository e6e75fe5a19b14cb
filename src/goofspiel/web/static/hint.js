// A hint: what is best against perfect play, or against how this opponent bids.

import { exploreAddress } from "./addresses.js";
import { ask } from "./api.js";
import { mixBars } from "./bars.js";
import { chip } from "./cards.js";
import { choice, el } from "./dom.js";
import { cost, digitsOf, isFree, listed, percent, percentShort, signed, unit } from "./format.js";
import { byCard, cardName, cardSpoken } from "./engine/cards.js";
import { positionInUrl, swap } from "./engine/notation.js";
import { writeRules } from "./engine/rules.js";
import { isShared, positionOf, swapGame } from "./game.js";
import { opponentTitle } from "./opponents.js";
import { note } from "./words.js";

/** @import { Answer, ByCard } from "./api.js" */
/** @import { Marks } from "./felt.js" */
/** @import { Game, Side } from "./game.js" */

/** Against perfect play, or against them. @typedef {"1" | "them"} Against */

/**
 * What is best. `theirs` is how the opponent bids, and `gains` what each card earns against that beyond the value; both
 * are null against perfect play.
 * @typedef {{ against: Against, answer: Answer, theirs: ByCard | null, gains: ByCard | null }} Hint
 */

/**
 * Ask for a hint.
 * @param {Game} game
 * @param {Side} near who asks
 * @param {Against} against
 * @returns {Promise<Hint | null>}
 */
export async function askHint(game, near, against) {
  const position = positionOf(near === "mine" ? game : swapGame(game));
  const rules = writeRules(game.rules);
  const answer = await ask("probe", { position: positionInUrl(position), rules });
  if (!answer.mine) return null;
  if (against === "1" || isShared(game)) return { against: "1", answer, theirs: null, gains: null };
  const { mix } = await ask("mix", { position: positionInUrl(swap(position)), rules, player: game.opponent });
  return { against, answer, theirs: mix, gains: gainsOf(answer, mix) };
}

/**
 * What each of my cards earns against a mix of theirs, beyond the value.
 * @type {(answer: Answer, theirs: ByCard) => ByCard}
 */
export function gainsOf({ mine, matrix, value }, theirs) {
  const chances = byCard(theirs).map(([, chance]) => chance);
  return Object.fromEntries(
    byCard(mine).map(([card], row) => [
      cardName(card),
      matrix[row].reduce((sum, worth, column) => sum + worth * chances[column], 0) - value,
    ]),
  );
}

/**
 * The cards that gain most, and how much that is.
 * @param {ByCard} gains
 */
export function bestOf(gains) {
  const most = Math.max(...Object.values(gains));
  const cards = byCard(gains).filter(([, gain]) => isFree(most - gain));
  return { cards: cards.map(([card]) => card), most };
}

/**
 * What is written under the cards.
 * @param {Hint} hint
 * @returns {Marks}
 */
export function marksOf({ answer, gains }) {
  const digits = answer.objective === "points" ? 1 : 2;
  const named = gains ?? answer.mine;
  return Object.fromEntries(
    Object.entries(named).map(([card, number]) => [
      card,
      gains
        ? { short: signed(number, digits), said: `${signed(number, digits)} against them` }
        : { short: percentShort(number), said: `${percent(number)} in an optimal mix` },
    ]),
  );
}

/**
 * The hint in words and as bars; `choose` asks for the other one.
 * @param {Hint} hint
 * @param {Game} game
 * @param {(against: Against) => void} choose
 */
export function hintPanel(hint, game, choose) {
  /** @type {[Against, string][]} */
  const kinds = [
    ["1", "Against perfect play"],
    ["them", `Against ${opponentTitle(game.opponent)}`],
  ];
  return el(
    "section",
    { class: "panel hint", "aria-live": "polite" },
    el("h2", {}, "Hint"),
    isShared(game)
      ? null
      : choice("Against whom", "against", kinds, hint.against, choose),
    hint.theirs && hint.gains ? reply(hint.answer, hint.theirs, hint.gains) : perfect(hint.answer),
    el("a", { href: exploreAddress(hint.answer.position, game.rules), "data-view": "explore" }, "Explore this position"),
  );
}

/** @param {Answer} answer */
const perfect = (answer) => [
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
];

/** @type {(answer: Answer, theirs: ByCard, gains: ByCard) => HTMLElement[]} */
function reply(answer, theirs, gains) {
  const digits = digitsOf(answer.objective) - 1;
  return [
    el("p", { class: "advice" }, replyWords(answer, gains)),
    el("h3", {}, "How they bid here"),
    mixBars({ owner: "theirs", caption: "What they bid, and how often", mix: theirs, objective: answer.objective }),
    el("h3", {}, "What your cards gain by it"),
    el(
      "ul",
      { class: "gains" },
      byCard(gains).map(([card, gain]) =>
        el(
          "li",
          { class: bestOf(gains).cards.includes(card) ? "best" : "" },
          chip(card, "mine"),
          " ",
          el("b", {}, signed(gain, digits)),
        ),
      ),
    ),
    el(
      "p",
      { class: "remark" },
      "Beyond what the position is worth if both play perfectly. Reckoned as if both did so after this round.",
    ),
  ];
}

/**
 * The best reply, in words that hold whoever they are.
 * @type {(answer: Answer, gains: ByCard) => string}
 */
export function replyWords({ objective, regret }, gains) {
  const { cards, most } = bestOf(gains);
  if (Object.keys(gains).length === 1) return "This is your last card: there is nothing to choose.";
  const digits = digitsOf(objective) - 1;
  const named = `the ${listed(cards.map(cardSpoken)).replace(" and ", " or the ")}`;
  if (isFree(most)) {
    const only = cards.length === 1 ? `Only ${named} loses nothing` : `Nothing is lost with ${named}`;
    return `The way they bid here gives nothing away. ${only}.`;
  }
  const dear = cards.filter((card) => !isFree(regret[cardName(card)]));
  const price = dear.length ? Math.max(...dear.map((card) => regret[cardName(card)])) : 0;
  const caution = price
    ? ` Against perfect play ${dear.length < cards.length ? "it may" : "it would"} cost ${cost(price, digits)}.`
    : " Against perfect play it would cost nothing.";
  return `Bid ${named}: on average it gains ${cost(most, digits)} ${unit(objective)} against how they bid.${caution}`;
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
