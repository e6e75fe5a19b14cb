// How many cards a game must have that comes to a position: its prizes, the order of its hands, its lead and pot.

import { MAX_CARDS } from "./cards.js";
import { EngineError } from "./errors.js";
import { prizesOf, writePosition } from "./notation.js";
import { hasLeads, isDecided, isOverAt, nests, totalOf, withCards, writeRules } from "./rules.js";
import { beginning } from "./space.js";
import { maskOf, sizeOf } from "./subsets.js";

/** @import { Position } from "./notation.js" */
/** @import { Rules } from "./rules.js" */

/**
 * The smallest game, other than that like the given one, whose table holds a position.
 * @param {Position} position
 * @param {Rules} rules
 * @returns {Rules}
 */
export function neededRules(position, rules) {
  const cards = nests(rules) ? cardsNeeded(position, rules) : isKnown(position, rules) ? rules.cards : Infinity;
  if (cards <= MAX_CARDS) return nests(rules) ? withCards(rules, cards) : rules;
  const what = position.pot && hasLeads(rules) ? "lead and pot" : position.pot ? "pot" : "lead";
  const game = nests(rules) ? `no game of up to ${MAX_CARDS} cards` : `no game of the rules “${writeRules(rules)}”`;
  throw new EngineError("position", `“${writePosition(position)}”: ${game} comes to such a ${what}`);
}

/** @param {Position} position */
const heldOf = ({ mine, theirs }) => sizeOf(maskOf(mine) | maskOf(theirs));
/** @param {Position} position */
const leftOf = (position) => prizesOf(position).reduce((sum, prize) => sum + prize, position.pot);

/** @type {(position: Position, rules: Rules) => number} */
function cardsNeeded(position, rules) {
  const { lead, pot } = position;
  const [held, left, prizes] = [heldOf(position), leftOf(position), prizesOf(position)];
  let cards = Math.max(1, held, ...prizes);
  // The lead was won with prizes that are gone; when it is larger than those that are left, it is decided.
  const reached = hasLeads(rules) && !isDecided(rules, lead, left) ? left + Math.abs(lead) : 0;
  while ((cards * (cards + 1)) / 2 < reached) cards += 1;
  for (; pot && cards <= MAX_CARDS; cards += 1) {
    // With so many tied prizes in the pot, as many equal cards are gone from both hands.
    const gone = Array.from({ length: cards }, (_, index) => index + 1).filter((prize) => !prizes.includes(prize));
    if (held + fewest(pot, gone) <= cards) break;
  }
  return cards;
}

/**
 * How few of the prizes make a total.
 * @param {number} total
 * @param {number[]} prizes
 */
function fewest(total, prizes) {
  const found = new Map([[0, 0]]);
  for (const prize of prizes)
    for (const [reached, count] of [...found])
      found.set(reached + prize, Math.min(count + 1, found.get(reached + prize) ?? Infinity));
  return found.get(total) ?? Infinity;
}

/**
 * Whether a lead and a pot can be reached, or are decided, in a game that does not nest.
 * @param {Position} position
 * @param {Rules} rules
 */
function isKnown(position, rules) {
  const { mine, deck, upcard, lead, pot } = position;
  const level = mine.length;
  const canLead = Math.abs(lead) <= totalOf(rules) - leftOf(position);
  if (isOverAt(rules, level)) return canLead;
  const start = beginning(rules);
  const { states } = start.at(upcard ? level - 1 : level);
  const row = states.numberOf(start.mask(deck), rules.carry ? pot + upcard : 0);
  if (row < 0 || heldOf(position) - (upcard ? 1 : 0) > rules.cards - states.tied[row]) return false;
  return canLead || isDecided(rules, lead, states.most(row) + (rules.carry ? 0 : upcard));
}
