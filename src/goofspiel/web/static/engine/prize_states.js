// Number what is left to bid for, the prizes that are still to come and the pot, and list what may be turned up.
//
// Prizes are known by their places among all of them, ascending: a set of them is a mask. Of prizes that are worth the
// same, those at the lowest places are left. States are numbered by their masks, then by their pots.

import { allSubsets, rankOf } from "./subsets.js";

const POTS = 1 << 20; // more than any pot

/**
 * What is bid for from some point of a game on.
 * @typedef {object} PrizeCourse
 * @property {number[]} prizes that are left, ascending
 * @property {number[] | null} order as they come, if that is known
 * @property {boolean} carry whether tied prizes join the pot
 * @property {number} pot that there is already
 * @property {number} rounds that are left
 */

/** @typedef {{ prize: number, left: number, copies: number }} Upcard  A prize that may come, and what it leaves. */

/**
 * The mask of some of the prizes of a course.
 * @param {PrizeCourse} course
 * @param {number[]} deck
 */
export function deckMask({ prizes }, deck) {
  let mask = 0;
  for (const prize of new Set(deck)) {
    const copies = deck.filter((other) => other === prize).length;
    mask |= ((1 << copies) - 1) << prizes.indexOf(prize);
  }
  return mask;
}

/** All states after so many rounds, in the order of their numbers. */
export class PrizeStates {
  /**
   * @param {PrizeCourse} course
   * @param {number} played rounds
   * @param {number[]} left by state: the prizes that are not turned up yet
   * @param {number[]} pot
   * @param {number[]} tied the fewest rounds that make the pot
   */
  constructor(course, played, left, pot, tied) {
    this.course = course;
    this.played = played;
    this.left = left;
    this.pot = pot;
    this.tied = tied;
    this.isPlain = isPlain(course);
    /** @type {Map<number, number> | null} */
    this.numbers = null;
  }

  get size() {
    return this.left.length;
  }

  /**
   * The number of a state; −1 where there is no such state.
   * @param {number} left
   * @param {number} pot
   */
  numberOf(left, pot) {
    if (this.isPlain && this.played) return pot ? -1 : rankOf(left);
    this.numbers ??= new Map(this.left.map((mask, state) => [mask * POTS + this.pot[state], state]));
    return this.numbers.get(left * POTS + pot) ?? -1;
  }

  /**
   * What all prizes that are left are worth.
   * @param {number} state
   */
  worth(state) {
    return this.course.prizes.reduce((sum, prize, place) => sum + ((this.left[state] >> place) & 1) * prize, 0);
  }

  /**
   * What can still be won: the pot and the best prizes of the rounds that are left.
   * @param {number} state
   */
  most(state) {
    const { prizes, order, rounds } = this.course;
    const left = prizes.filter((_, place) => (this.left[state] >> place) & 1).reverse();
    const coming = order ? order.slice(this.played, rounds) : left.slice(0, Math.max(rounds - this.played, 0));
    return coming.reduce((sum, prize) => sum + prize, this.pot[state]);
  }

  /**
   * What was won by anybody since the beginning of the course.
   * @param {number} state
   */
  gone(state) {
    const { prizes, pot } = this.course;
    return prizes.reduce((sum, prize) => sum + prize, pot) - this.worth(state) - this.pot[state];
  }

  /**
   * What may come next.
   * @param {number} state
   * @returns {Upcard[]}
   */
  upcards(state) {
    const { prizes, order } = this.course;
    const left = this.left[state];
    if (order) {
      const prize = order[this.played];
      return [{ prize, left: deckMask(this.course, order.slice(this.played + 1)), copies: 1 }];
    }
    const found = [];
    for (let place = 0, copies = 0; place < prizes.length; place += 1) {
      const bit = 1 << place;
      if (!(left & bit)) continue;
      // Of equal prizes, the one at the highest place stands for all: it is the one that goes.
      copies = prizes[place] === prizes[place - 1] ? copies + 1 : 1;
      if (prizes[place + 1] === prizes[place] && left & (bit << 1)) continue;
      found.push({ prize: prizes[place], left: left ^ bit, copies });
    }
    return found;
  }

  /** The states after one more round. */
  next() {
    /** @type {Map<number, number>} by key: the fewest ties */
    const found = new Map();
    /** @type {(key: number, ties: number) => void} */
    const add = (key, ties) => void found.set(key, Math.min(ties, found.get(key) ?? ties));
    for (let state = 0; state < this.size; state += 1)
      for (const { prize, left } of this.upcards(state)) {
        add(left * POTS, 0);
        if (this.course.carry) add(left * POTS + this.pot[state] + prize, this.tied[state] + 1);
      }
    const keys = [...found.keys()].sort((a, b) => a - b);
    return new PrizeStates(
      this.course,
      this.played + 1,
      keys.map((key) => Math.floor(key / POTS)),
      keys.map((key) => key % POTS),
      keys.map((key) => found.get(key) ?? 0),
    );
  }
}

/** @param {PrizeCourse} course */
const isPlain = ({ prizes, order, carry }) => !carry && !order && new Set(prizes).size === prizes.length;

/** What is bid for from some point of a game on, round by round. */
export class PrizeStatesByRound {
  /** @param {PrizeCourse} course */
  constructor(course) {
    this.course = course;
    /** @type {PrizeStates[]} */
    this.known = [];
  }

  /**
   * All states that there can be after so many rounds.
   * @param {number} rounds
   * @returns {PrizeStates}
   */
  after(rounds) {
    return (this.known[rounds] ??= this.#after(rounds));
  }

  /** @param {number} rounds */
  #after(rounds) {
    const { course } = this;
    const all = course.prizes.length;
    if (!rounds) return new PrizeStates(course, 0, [(1 << all) - 1], [course.pot], [0]);
    if (!isPlain(course)) return this.after(rounds - 1).next();
    const left = allSubsets(all, all - rounds);
    const nothing = left.map(() => 0);
    return new PrizeStates(course, rounds, left, nothing, nothing);
  }
}
