// How I bid, by many games: as a mixture of players, which who adapts expects.

import { play, start, turnUp, writePosition } from "./notation.js";
import { evidenceOf, FAMILY, fitted, mixtureName } from "./opponents.js";
import { Tablebase } from "./tablebase.js";

/** @import { ByCard, Solved } from "./answer.js" */
/** @import { Round } from "./notation.js" */
/** @import { Observed } from "./opponents.js" */
/** @import { Rules } from "./rules.js" */

/**
 * How somebody bids: the player that bids so, and how often as which of the family.
 * @typedef {{ player: string, shares: ByCard }} Model
 */

/**
 * My bids in a game, each with the position that I saw.
 * @param {Rules} rules
 * @param {Round[]} rounds
 * @returns {Observed[]}
 */
export function observed(rules, rounds) {
  let position = start(rules);
  return rounds
    .filter(({ mine }) => mine)
    .map(({ upcard, mine, theirs }) => {
      const seen = turnUp(position, upcard, Boolean(rules.order));
      position = play(seen, mine, theirs, rules.carry);
      return [seen, mine];
    });
}

/**
 * How I bid, by my games of these rules; without any, nearly perfectly.
 * @param {Rules} rules
 * @param {Round[][]} games
 * @param {Tablebase} tablebase
 * @returns {Promise<Model>}
 */
export async function modelOf(rules, games, tablebase) {
  const bids = games.flatMap((rounds) => observed(rules, rounds));
  const { likelihoods, tells } = await evidenceOf(bids, rules, tablebase);
  const shares = fitted(likelihoods.filter((_, which) => tells[which]));
  const named = Object.fromEntries(FAMILY.map((name, which) => [name, shares[which]]));
  return { player: mixtureName(shares), shares: named };
}

/**
 * The same table, which solves each position once: those of many games repeat.
 * @param {Tablebase} tablebase
 */
export function remembering(tablebase) {
  const { rules, start: first, stored, error, rounding, elsewhere } = tablebase;
  const same = new Tablebase(rules, first, stored, error, rounding, elsewhere);
  /** @type {Map<string, Promise<Solved>>} */
  const known = new Map();
  same.solve = (position) => {
    const key = writePosition(position);
    const solved = known.get(key) ?? tablebase.solve(position);
    known.set(key, solved);
    return solved;
  };
  return same;
}
