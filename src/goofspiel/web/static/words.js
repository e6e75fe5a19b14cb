// What the words mean, for people who meet them for the first time; and what is shown when something is wrong.

import { Problem } from "./api.js";
import { el } from "./dom.js";

/** @import { Child } from "./dom.js" */

const MEANINGS = {
  value: `What this position is worth to you when both sides play perfectly from here on: the average result of very many
    games. Nobody can do better against perfect play, and perfect play never gets less.`,
  win: `The chance that you win minus the chance that you lose, when both sides play to win: +1 is a sure win, 0 is even,
    −1 a sure loss. Only who is ahead at the end counts, not by how much; so the lead matters.`,
  mix: `A player who always does the same is easily beaten. So the best plan is a mix: it leaves the choice to chance,
    with these probabilities. Who bids like this cannot be outguessed.`,
  cost: `What is given away, on average, by bidding this card against a perfect opponent. Cards of cost 0 are equally
    good in this one round; how often to bid each of them is what the mix says.`,
  matrix: `Rows are your bids, columns theirs. Each number is what the game is worth to you after this pair of bids, if
    both play perfectly afterwards. Blue is better for you than the value of the position, orange is worse.`,
  unique: `Sometimes several mixes are equally good. Then one of them is shown, and the range within which each
    probability may lie in the others.`,
  gap: `The proof that comes with every answer: how much could be gained against one of the two mixes by the best reply to
    it, both sides together. At 0 nobody can do better; what is shown here is how far rounding leaves it from that.`,
  parity: `For many prizes the best first bids are all even, or all odd, or nearly so. Then a column has one colour; the
    last row counts how often the bid is even.`,
};

/**
 * A word with its explanation behind a question mark.
 * @param {keyof typeof MEANINGS} word
 * @param {string} name
 */
export const note = (word, name = word) =>
  el(
    "details",
    { class: "note" },
    el(
      "summary",
      {},
      el("span", { class: "hidden" }, `What is meant by ${name}`),
      el("span", { "aria-hidden": "true" }, "?"),
    ),
    el("p", {}, MEANINGS[word]),
  );

/**
 * A button to ask again, where that may help.
 * @param {Error} problem
 * @param {() => void} again
 */
export const retry = (problem, again) =>
  problem instanceof Problem && problem.kind === "unreachable"
    ? el("button", { type: "button", class: "small", onclick: again }, "Try again")
    : null;

const COMMAND = /(goofspiel (?:info|serve|verify|solve \d+(?: --[a-z]+ [\w,]+)*))/;

/**
 * What is wrong, with its command set as code.
 * @param {Error} problem
 * @param {Child[]} more
 */
export function notice(problem, ...more) {
  const parts = `${problem.message}`.replaceAll("`", "").split(COMMAND);
  /** @param {string} part */
  const isCommand = (part) => part.startsWith("goofspiel ");
  return el(
    "div",
    { class: "notice", role: "alert" },
    problem instanceof Problem ? el("strong", {}, problem.title) : null,
    el(
      "p",
      {},
      parts.map((part) => (isCommand(part) ? el("code", {}, part.trim()) : part)),
    ),
    more,
  );
}
