// What players are called, and what they do, in words.

import { LADDER } from "./engine/ladder.js";
import { loaded } from "./api.js";
import { newSeed, PERSON } from "./game.js";

/** @import { Game } from "./game.js" */

/** Who learns from my games, as it is chosen. */
export const ADAPT = "adapt";

/** As an opponent is chosen, before it has learned. @param {string} name */
export const chosen = (name) => (/^exploit:[0-9.]+:mix\(/.test(name) ? ADAPT : name);

/**
 * Another game of the same kind against the same opponent.
 * @param {Game} game
 * @returns {Game}
 */
export const anew = (game) => ({ ...game, opponent: chosen(game.opponent), seed: newSeed(), rounds: [] });

/** What learns is loaded when it is needed. */
export const adapting = () => loaded(import("./adapting.js"));

/**
 * The game, its opponent having learned, if it does.
 * @param {Game} game
 */
export const seated = async (game) => (game.opponent === ADAPT ? (await adapting()).adapted(game) : game);

/** By the name that the engine knows; the ladder from the weakest to perfect play. */
export const OPPONENTS = Object.fromEntries([
  ...LADDER.map(({ name, title }) => [name, title]),
  [ADAPT, "Adapts to you"],
  ["uniform", "Random bids"],
  ["match", "Bids the prize"],
  ["match+1", "Bids one more"],
  [PERSON, "A person beside you"],
]);

/** @type {Record<string, string>} */
const DOING = {
  optimal: "plays perfectly",
  forgetful: "forgets which cards the other side has left",
  predictable: "bids the likeliest card of perfect play",
  match: "bids what the prize is worth",
  "match+1": "bids one more than the prize",
  "match-1": "bids one less than the prize",
  "match-16": "bids the lowest card",
  uniform: "bids any card",
};

/** What one of the family does. @param {string} name */
export const doing = (name) => DOING[name] ?? "plays perfectly";

/** @param {string} name */
export const opponentTitle = (name) => OPPONENTS[name] ?? (name.startsWith("exploit:") ? "one that adapts to you" : name);

/**
 * An opponent in a sentence, with its measured strength in a game of such rules where that is known.
 * @param {string} name
 * @param {string | null} rules null for a game that began elsewhere
 */
export function opponentWords(name, rules) {
  if (name === ADAPT || name.startsWith("exploit:")) return "Learns from your games how you bid, and makes the most of it.";
  if (name === PERSON)
    return "Two people, one device: Spades and Hearts. Whoever is to bid holds it, and no bid is seen before both are made.";
  const rung = LADDER.find((one) => one.name === name);
  if (!rung) return "";
  /** @type {Record<string, { perfect: number, best_response: number } | undefined>} */
  const measured = rung.strength;
  const lost = rules === null ? undefined : measured[rules];
  if (!lost || rules === null) return rung.says;
  const [digits, unit] = / win/.test(rules) ? [3, "of P(win) − P(loss)"] : [2, "points"];
  const [perfect, best] = [lost.perfect, lost.best_response].map((number) => number.toFixed(digits));
  return `${rung.says} Loses ${perfect} ${unit} a game to perfect play, ${best} to a best response.`;
}
