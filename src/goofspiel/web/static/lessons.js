// Why one must mix, in three rounds: what is said in each, whatever was bid.

import { isFree, percent } from "./format.js";
import { byCard, cardName, cardOf, cardSpoken } from "./engine/cards.js";
import { usual } from "./engine/rules.js";

/** @import { Answer, ByCard } from "./api.js" */

export const RULES = usual(6);
/** The prizes of the first two rounds; the third is one for which perfect play must mix. */
export const PRIZES = [3, 4];

/** @param {number} number of points */
const points = (number) => `${number.toFixed(2)} points`;

/**
 * The row of my card, or the column of theirs.
 * @type {(answer: Answer, side: "mine" | "theirs", card: number) => number}
 */
const place = (answer, side, card) => byCard(answer[side]).findIndex(([held]) => held === card);

/** What a pair of bids is worth. @type {(answer: Answer, mine: number, theirs: number) => number} */
const worth = (answer, mine, theirs) => answer.matrix[place(answer, "mine", mine)][place(answer, "theirs", theirs)];

/**
 * What I could answer best to a card of theirs, and what that is worth.
 * @type {(answer: Answer, theirs: number) => { card: number, worth: number }}
 */
export function bestAgainst(answer, theirs) {
  const all = byCard(answer.mine).map(([card]) => ({ card, worth: worth(answer, card, theirs) }));
  return all.reduce((best, one) => (one.worth > best.worth + 1e-9 ? one : best));
}

/**
 * What they answer best to a card of mine.
 * @type {(answer: Answer, mine: number) => number}
 */
export function answerTo(answer, mine) {
  const all = byCard(answer.theirs).map(([card]) => ({ card, worth: worth(answer, mine, card) }));
  return all.reduce((best, one) => (one.worth < best.worth - 1e-9 ? one : best)).card;
}

/** How likely the likeliest card of a mix is. @param {ByCard} mix */
export const likeliest = (mix) => Math.max(...Object.values(mix));

/**
 * What is said before each round.
 * @type {(round: number, upcard: number, answer: Answer) => string[]}
 */
export function before(round, upcard, answer) {
  const prize = cardSpoken(upcard);
  if (round === 1)
    return [
      "Both hold Ace to 6. A prize is turned up, each side bids one card, and the higher bid takes it; a card can be bid once.",
      `These opponents always bid what the prize is worth, so their bid may as well lie open. The prize is the ${prize}: what do you answer?`,
    ];
  if (round === 2)
    return [
      `Now the other way round. You bid first, face up, and they choose when they have seen it. The prize is the ${prize}.`,
    ];
  const value = points(Math.abs(answer.value));
  const least = Number(answer.value.toFixed(2)) === 0 ? "ends level" : `leaves you ${value} ${answer.value > 0 ? "ahead" : "behind"}`;
  return [
    `Now nobody sees anything. But who always bids the same card for the ${prize} might as well show it. So let chance choose, with the shares below.`,
    `This is the perfect mix. Whatever they bid, it ${least} on average, or better, if both play on perfectly. There is nothing to foresee.`,
  ];
}

/** What is said after the first round. @type {(answer: Answer, mine: number, theirs: number) => string[]} */
export function afterSeeing(answer, mine, theirs) {
  const best = bestAgainst(answer, theirs);
  const missed = best.worth - worth(answer, mine, theirs);
  const known = `To know their bid was worth ${points(best.worth - answer.value)} to you.`;
  const [card, other] = [cardSpoken(best.card), cardSpoken(mine)];
  return [
    isFree(missed)
      ? `Nothing answers their ${cardSpoken(theirs)} better than your ${other}. ${known}`
      : `The ${card} would have been the best answer, ${points(missed)} better than your ${other}. ${known}`,
    "Who can be foreseen is beaten by a card that is just high enough.",
  ];
}

/** What is said after the second round. @type {(answer: Answer, mine: number, theirs: number) => string[]} */
export function afterShowing(answer, mine, theirs) {
  const lost = answer.value - worth(answer, mine, theirs);
  return [
    `They saw your ${cardSpoken(mine)}, and nothing answers it better than their ${cardSpoken(theirs)}.`,
    isFree(lost)
      ? "Here it cost you nothing; mostly it does."
      : `To be seen has cost you ${points(lost)} on average, compared with a round in which nobody sees anything.`,
  ];
}

/** What is said after the third round. @type {(answer: Answer, mine: number, drawn: boolean) => string[]} */
export function afterMixing(answer, mine, drawn) {
  const share = answer.mine[cardName(mine)];
  const who = drawn ? "Chance chose" : "You chose";
  const chosen = isFree(share)
    ? `${who} the ${cardSpoken(mine)}, which this mix never bids.`
    : `${who} the ${cardSpoken(mine)}, which this mix bids in ${percent(share)} of all cases.`;
  return [
    `${chosen} Whether it went well was luck; that nobody could have known it was not.`,
    "That is the whole secret: foresee others if you can, and be hard to foresee. How to mix, the hints and the review tell.",
  ];
}

/**
 * A card drawn from a mix.
 * @param {ByCard} mix
 * @param {number} chance from 0 to 1
 */
export function drawnFrom(mix, chance) {
  let reached = 0;
  const all = Object.entries(mix).filter(([, share]) => share > 0);
  return cardOf((all.find(([, share]) => (reached += share) > chance) ?? all[all.length - 1])[0]);
}
