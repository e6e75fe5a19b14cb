// Ask about positions: a table, or what was worked out without one.

import { ANSWER_GAP, answerOf, ROUNDING, solved } from "./answer.js";
import { ascending, cardName, isSame } from "./cards.js";
import { countOf, turnUp, writePosition } from "./notation.js";
import { atTheEnd, isDecided, isOverAt, lastLevel, payoffBound, writeRules } from "./rules.js";
import { payoffsAt, worthBefore } from "./space.js";

/** @import { Answer, ChanceAnswer, Solved } from "./answer.js" */
/** @import { Endgame } from "./endgame.js" */
/** @import { Position } from "./notation.js" */
/** @import { Rules } from "./rules.js" */
/** @import { Start, Stored } from "./space.js" */
/** @import { Table } from "./table.js" */

/**
 * The prizes that may be turned up now, ascending.
 * @param {Position} position
 * @param {Rules} rules
 */
export function nextUpcards({ mine, deck, upcard }, rules) {
  if (upcard || isOverAt(rules, mine.length)) return [];
  return rules.order ? deck.slice(0, 1) : [...new Set(ascending(deck))];
}

/**
 * What can still be won: the pot and the best prizes of the rounds that are left.
 * @param {Position} position
 * @param {Rules} rules
 */
export function mostLeft({ mine, deck, upcard, pot }, rules) {
  const rounds = Math.max(mine.length - lastLevel(rules) - (upcard ? 1 : 0), 0);
  const left = rules.order ? deck : ascending(deck).reverse();
  return left.slice(0, rounds).reduce((sum, prize) => sum + prize, pot + upcard);
}

/** Answers from values that are kept somewhere. */
export class Tablebase {
  /**
   * @param {Rules} rules
   * @param {Start} start
   * @param {Stored} stored
   * @param {(level: number) => number} error what the values of a level may be wrong by
   * @param {number} rounding what values may differ by because they are rounded when they are kept
   * @param {(position: Position) => Tablebase | null} elsewhere what holds a position that this does not
   */
  constructor(rules, start, stored, error, rounding, elsewhere = () => null) {
    this.rules = rules;
    this.start = start;
    this.stored = stored;
    this.error = error;
    this.rounding = rounding;
    this.elsewhere = elsewhere;
  }

  /** @param {Table} table */
  static of(table) {
    const first = lastLevel(table.rules) + 1;
    const { level_bounds: bounds } = table.facts;
    return new Tablebase(
      table.rules,
      table.start,
      (space, places) => table.values(space, places),
      (level) => bounds[level - first] ?? 0,
      table.rounding,
    );
  }

  /**
   * @param {Endgame} endgame
   * @param {((position: Position) => Endgame) | null} other for what does not follow: a player may think of other hands
   * @returns {Tablebase}
   */
  static worked(endgame, other = null) {
    const { rules, start, error } = endgame;
    return new Tablebase(
      rules,
      start,
      (space, places) => endgame.values(space, places),
      () => error,
      0,
      (position) => (!other || endgame.holds(position, rules) ? null : Tablebase.worked(other(position))),
    );
  }

  /**
   * The game of a position with an upcard, solved.
   * @param {Position} position
   * @returns {Promise<Solved>}
   */
  async solve(position) {
    const other = this.elsewhere(position);
    if (other) return other.solve(position);
    const decided = isDecided(this.rules, position.lead, mostLeft(position, this.rules));
    const error = decided ? 0 : this.error(position.mine.length - 1);
    return solved(position, this.rules, await payoffsAt(position, this.start, this.stored), error);
  }

  /**
   * What is optimal at a position with an upcard, or what it is worth before.
   * @param {Position} position
   * @returns {Promise<Answer | ChanceAnswer>}
   */
  async probe(position) {
    const { rules } = this;
    if (position.upcard) return answerOf(await this.solve(position));
    const upcards = nextUpcards(position, rules);
    const values = await Promise.all(
      upcards.map(async (card) => (await this.solve(turnUp(position, card, Boolean(rules.order)))).solution.value),
    );
    const level = position.mine.length;
    const scale = payoffBound(rules) + Math.abs(position.lead);
    const stored = Math.max(this.error(level - 1), this.error(level));
    return {
      position: writePosition(position),
      rules: writeRules(rules),
      objective: rules.objective,
      value: await this.#worthBefore(position, upcards, values),
      cards: rules.cards,
      upcards: Object.fromEntries(upcards.map((card, at) => [cardName(card), values[at]])),
      bound: upcards.length ? stored + (ANSWER_GAP + ROUNDING) * scale : 0,
    };
  }

  /** @type {(position: Position, upcards: number[], values: number[]) => Promise<number>} */
  async #worthBefore(position, upcards, values) {
    const { mine, theirs, lead, deck } = position;
    if (!upcards.length) return atTheEnd(this.rules, lead);
    if (!lead && isSame(mine, theirs)) return 0; // what is mine may as well be theirs
    if (this.start.at(mine.length).isStored) return worthBefore(position, this.start, this.stored);
    const copies = upcards.map((card) => countOf(deck, card));
    const all = copies.reduce((sum, count) => sum + count, 0);
    return values.reduce((sum, value, at) => sum + copies[at] * value, 0) / all;
  }
}
