// Players: a position in, a mix out; and what is drawn by chance, the same for the same seed.

import { cardsUpTo, without } from "./cards.js";
import { sha256 } from "./digests.js";
import { EngineError } from "./errors.js";
import { LADDER } from "./ladder.js";
import { countOf, writePosition } from "./notation.js";
import { lastLevel, nests } from "./rules.js";

/** @import { Position } from "./notation.js" */
/** @import { Rules } from "./rules.js" */

/** Who can be asked for a bid: the ladder, which asks a table, and the simplest. */
export const PLAYERS = [...LADDER.map(({ name }) => name), "uniform", "match", "match+1"];

/** Whether a player needs no table. @param {string} player */
export const isSimple = (player) => player === "uniform" || player.startsWith("match");

/**
 * The mix of a player that needs no table: a probability for each card of its hand, ascending.
 * @param {string} player
 * @param {Position} position as the player sees it
 * @param {Rules} rules
 * @returns {number[]}
 */
export function simpleMix(player, position, rules) {
  const { mine } = position;
  if (player === "uniform") return mine.map(() => 1 / mine.length);
  const found = /^match([+-][0-9]{1,2})?$/.exec(player);
  if (!found) throw new EngineError("player", `no player is called “${player.slice(0, 40)}” here: ${PLAYERS.join(", ")}`);
  const wanted = Math.max(cardFor(position, rules) + Number(found[1] ?? 0), 1);
  const bid = mine.find((card) => card >= wanted) ?? mine[0];
  return mine.map((card) => (card === bid ? 1 : 0));
}

/**
 * The card that is for the upcard: of the same rank where the prizes are not the cards.
 * @param {Position} position
 * @param {Rules} rules
 */
function cardFor({ deck, upcard }, rules) {
  if (nests(rules)) return upcard;
  const place = rules.prizes.indexOf(upcard) + countOf(deck, upcard);
  return Math.ceil(((place + 1) * rules.cards) / rules.prizes.length);
}

/**
 * A number from 0 to 1 that looks drawn by chance, and is the same on every machine.
 * @param {string} what
 */
export function chance(what) {
  const view = new DataView(sha256(what).buffer);
  return (view.getUint32(0) * 2 ** 21 + (view.getUint32(4) >>> 11)) / 2 ** 53;
}

/**
 * Which of the cards of a mix is bid: never one of probability 0.
 * @param {number[]} mix
 * @param {number} drawn from 0 to 1
 */
function drawFrom(mix, drawn) {
  const all = mix.reduce((sum, share) => sum + share, 0);
  let reached = 0;
  const rank = mix.findIndex((share) => (reached += share) > drawn * all);
  return rank < 0 ? mix.map((share) => share > 0).lastIndexOf(true) : rank;
}

/**
 * The card that is bid by a mix at a position.
 * @param {number[]} mix
 * @param {Position} position as the player sees it
 * @param {number} seed
 */
export const bidOf = (mix, position, seed) =>
  position.mine[drawFrom(mix, chance(`${seed} bid ${writePosition(position)}`))];

/**
 * The order in which the prizes of a game are turned up: that of `goofspiel play --seed`.
 * @param {Rules} rules
 * @param {number} seed
 * @param {Position} first where it begins
 */
export function deckOf(rules, seed, { mine, deck, upcard: shown }) {
  const rounds = mine.length - lastLevel(rules);
  let left = deck;
  return cardsUpTo(rounds).map((round) => {
    if (round === 1 && shown) return shown;
    if (rules.order) return deck[round - (shown ? 2 : 1)];
    const upcard = left[Math.floor(chance(`${seed} 0 upcard ${round}`) * left.length)];
    left = without(left, upcard);
    return upcard;
  });
}
