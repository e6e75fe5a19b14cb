// The opponent that learns from my games how I bid, and risks no more than it says.

import { ask } from "./api.js";
import { count, percentShort } from "./format.js";
import { fitted, mixtureName, sharesOf } from "./engine/opponents.js";
import { writeRules } from "./engine/rules.js";
import { recordsOf } from "./mygames.js";
import { doing } from "./opponents.js";

/** @import { Objective } from "./engine/rules.js" */
/** @import { Game } from "./game.js" */

/** What it may lose a game, on average, to anybody. @type {Record<Objective, number>} */
const RISK = { points: 1, win: 0.1 };
const LEARNED = /^exploit:([0-9.]+):(mix\(.*\))$/;
const STRANGER = mixtureName(fitted([])); // whom it expects before any game
const AS_MANY = 5; // of the family that are named, at most

/**
 * The game with an opponent that has learned from all games of these rules that are kept.
 * @param {Game} game
 * @returns {Promise<Game>}
 */
export async function adapted(game) {
  const rules = writeRules(game.rules);
  const { player } = await ask("model", { rules, records: recordsOf(rules) });
  return { ...game, opponent: `exploit:${RISK[game.rules.objective]}:${player}` };
}

/**
 * Whom it takes me for, in words.
 * @param {string} player a mixture
 */
export function modelWords(player) {
  const parts = (sharesOf(player) ?? []).sort((a, b) => b[0] - a[0]).slice(0, AS_MANY);
  return parts.map(([share, name]) => `${doing(name)} (${percentShort(share)})`).join(", ");
}

/**
 * Its model and its promise, in two sentences.
 * @param {Game} game
 */
export function modelSentences({ opponent, rules, from }) {
  const { objective } = rules;
  const [, risk = String(RISK[objective]), player = STRANGER] = LEARNED.exec(opponent) ?? [];
  return [
    player === STRANGER
      ? "It has seen no game of yours of these rules yet, and expects one who mostly plays perfectly."
      : `By the games that it has learned from, it takes you for one who ${modelWords(player)}.`,
    "It plays perfectly, and leans towards what gains most against that, just so far that nobody, " +
      `even knowing how it bids, ${promise(Number(risk), objective, Boolean(from))}.`,
  ];
}

/** What nobody does. @type {(risk: number, objective: Objective, isElsewhere: boolean) => string} */
function promise(risk, objective, isElsewhere) {
  const more = objective === "points" ? count(risk, "point") : percentShort(risk);
  if (isElsewhere)
    return objective === "points"
      ? `gets on average more than ${more} beyond what the position is worth to them`
      : `has a chance to win, less that to lose, that is more than ${more} beyond what the position is worth to them`;
  return objective === "points"
    ? `wins more than ${more} a game from it on average`
    : `has a chance to win that is more than ${more} above the chance to lose`;
}
