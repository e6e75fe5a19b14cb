// How much follows a position: what is worked out without a table, and what would take too long.

import { start } from "./notation.js";
import { hasLeads, lastLevel } from "./rules.js";
import { CHOOSE } from "./subsets.js";

/** @import { Position } from "./notation.js" */
/** @import { Rules } from "./rules.js" */

/** What is worked out at once: about so many cells of games, some seconds. */
export const MOST_WORK = 3e8;
const SMALL_GAME = 12; // a game takes as long as so many cells more

/**
 * Whether a whole game is worked out without a table.
 * @param {Rules} rules
 */
export const isWorkedOut = (rules) => workOf(start(rules), rules) <= MOST_WORK;

/**
 * About how many cells the games have that follow a position, a small game counted as some more.
 * @param {Position} position
 * @param {Rules} rules
 */
export function workOf({ mine, deck, upcard, lead }, rules) {
  const level = mine.length;
  const prizes = upcard ? [...deck, upcard] : deck;
  const all = prizes.reduce((sum, prize) => sum + prize, 0);
  let work = 0;
  for (let gone = upcard ? 1 : 0; gone < level - lastLevel(rules); gone += 1) {
    const hands = CHOOSE[level][gone];
    const left = prizes.length - gone;
    const rounds = rules.order ? 1 : CHOOSE[prizes.length][gone] * left;
    const share = left / prizes.length;
    const leads = hasLeads(rules) ? 1 + all * Math.min(share, 2 * (1 - share) + (2 * Math.abs(lead)) / all) : 1;
    const pots = rules.carry ? 1 + 2 ** gone / 4 : 1;
    work += ((hands * (hands + 1)) / 2) * rounds * leads * pots * ((level - gone) ** 2 + SMALL_GAME);
  }
  return work;
}
