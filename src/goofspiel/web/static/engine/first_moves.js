// The first-move table of the paper: an optimal mix for each upcard.

import { answerOf } from "./answer.js";
import { cardName } from "./cards.js";
import { start, turnUp } from "./notation.js";
import { writeRules } from "./rules.js";
import { nextUpcards } from "./tablebase.js";

/** @import { Objective, Rules } from "./rules.js" */
/** @import { Tablebase } from "./tablebase.js" */

/**
 * `probability[bid − 1][upcard]`; `unique` by upcard; upcards by their place in `upcards`.
 * @typedef {object} FirstMove
 * @property {string} rules
 * @property {number} cards
 * @property {Objective} objective
 * @property {number[]} upcards
 * @property {number[][]} probability
 * @property {(boolean | null)[]} unique
 * @property {number} gap
 */

/**
 * The first-move table of a game.
 * @param {Rules} rules
 * @param {Tablebase} tablebase
 * @returns {Promise<FirstMove>}
 */
export async function firstMove(rules, tablebase) {
  const opening = start(rules);
  const upcards = nextUpcards(opening, rules);
  const answers = await Promise.all(
    upcards.map(async (card) => answerOf(await tablebase.solve(turnUp(opening, card, Boolean(rules.order))))),
  );
  return {
    rules: writeRules(rules),
    cards: rules.cards,
    objective: rules.objective,
    upcards,
    probability: opening.mine.map((card) => answers.map(({ mine }) => mine[cardName(card)])),
    unique: answers.map(({ unique }) => unique),
    gap: Math.max(...answers.map(({ gap }) => gap)),
  };
}
