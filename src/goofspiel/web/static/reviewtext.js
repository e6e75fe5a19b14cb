// A review as a text that people can read, and that `goofspiel review` and the page can: remarks above a record.

import { cost, percent, signed } from "./format.js";
import { cardName } from "./engine/cards.js";
import { writePosition } from "./engine/notation.js";
import { isUsual } from "./engine/rules.js";
import { ended, isOver, isShared, namesOf, PERSON, swapGame } from "./game.js";
import { opponentTitle } from "./opponents.js";
import { basis, DIGITS, supportOf, totalsOf, verdict } from "./review.js";
import { specials } from "./rulespanel.js";

/** @import { Review, ReviewedRound } from "./api.js" */
/** @import { About } from "./review.js" */

/**
 * Which game it was, in a line.
 * @param {About} about
 */
export function gameLine({ game, side }) {
  const { rules } = game;
  const goal = rules.objective === "win" ? "just to win" : "for points";
  const whom = isShared(game) ? `review for ${namesOf(game)[side]}` : `against ${opponentTitle(game.opponent)}`;
  const from = game.from ? [`from ${writePosition(game.from)}`] : [];
  return [`${rules.cards} cards`, goal, ...specials(rules), ...from, whom].join(" · ");
}

/**
 * How it ended, or that it did not.
 * @param {About} about
 */
export const resultLine = ({ game }) => (isOver(game) ? ended(game) : "The game is not over.");

/**
 * The text.
 * @type {(review: Review, about: About, link: string) => string}
 */
export function reviewText(review, about, link) {
  const digits = DIGITS[review.objective];
  const rows = review.rounds.map((round) => [
    String(round.round),
    `${round.upcard}${round.pot ? `+${round.pot}` : ""}`,
    round.mine ?? "",
    round.theirs ?? "",
    signed(round.value_after, digits),
    cost(round.cost, digits),
    mixText(round),
  ]);
  const remarks = [
    `Goofspiel: ${gameLine(about)}`,
    resultLine(about),
    ...verdict(review, digits),
    ...totalsOf(review).map(([words, number]) => `${words}: ${number}`),
    basis(review),
    "",
    ...aligned([["round", "prize", "you", "they", "expected", "cost", "perfect mix, your bid marked"], ...rows]),
    "",
    link,
  ];
  return `${remarks.map((remark) => `# ${remark}`.trimEnd()).join("\n")}\n${tags(review, about)}\n\n${review.record}\n`;
}

/** @param {ReviewedRound} round */
function mixText({ mix, mine }) {
  const support = supportOf(mix).map(([card, chance]) => /** @type {[string, number]} */ ([cardName(card), chance]));
  if (mine && !support.some(([card]) => card === mine)) support.push([mine, 0]);
  return support.map(([card, chance]) => `${card === mine ? "*" : ""}${card} ${percent(chance)}`).join(", ");
}

/** @param {string[][]} rows */
function aligned(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const last = widths.length - 1;
  return rows.map((row) => row.map((cell, at) => (at === last ? cell : cell.padStart(widths[at]))).join("  ").trimEnd());
}

/** @type {(review: Review, about: About) => string} */
function tags(review, { game, side }) {
  const { rules, from } = side === "mine" ? game : swapGame(game);
  const which = isUsual(rules)
    ? [`cards: ${rules.cards}`, `objective: ${rules.objective}`]
    : [`rules: ${review.rules}`];
  const begun = from ? [`from: ${writePosition(from)}`] : [];
  return [...which, ...begun, `mine: ${PERSON}`, `theirs: ${game.opponent}`].join("\n");
}
