// The opponent that learns from my games how I bid, and risks no more than it says.

import { ask } from "./api.js";
import { el } from "./dom.js";
import { count, percentShort } from "./format.js";
import { fitted, mixtureName, sharesOf } from "./engine/opponents.js";
import { writeRules } from "./engine/rules.js";
import { newSeed } from "./game.js";
import { recordsOf } from "./mygames.js";
import { ADAPT, doing } from "./opponents.js";

/** @import { Objective, Rules } from "./engine/rules.js" */
/** @import { Game } from "./game.js" */

/** What it may lose a game, on average, to anybody. @type {Record<Objective, number>} */
const RISK = { points: 1, win: 0.1 };
const LEARNED = /^exploit:([0-9.]+):(mix\(.*\))$/;
const STRANGER = mixtureName(fitted([])); // whom it expects before any game
const AS_MANY = 5; // of the family that are named, at most

/** Whether it is this opponent, with what it has learned. @param {string} opponent */
export const isAdapted = (opponent) => LEARNED.test(opponent);

/** As it is chosen, before it has learned. @param {string} opponent */
export const chosen = (opponent) => (isAdapted(opponent) ? ADAPT : opponent);

/**
 * Another game of the same kind against the same opponent.
 * @param {Game} game
 * @returns {Game}
 */
export const anew = (game) => ({ ...game, opponent: chosen(game.opponent), seed: newSeed(), rounds: [] });

/**
 * The opponent for a new game: it has learned from all games of these rules that are kept.
 * @param {Rules} rules
 */
export async function adapted(rules) {
  const { player } = await ask("model", { rules: writeRules(rules), records: recordsOf(writeRules(rules)) });
  return `exploit:${RISK[rules.objective]}:${player}`;
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
 * Its promise and its model, on request; nothing for other opponents.
 * @param {string} opponent
 * @param {Rules} rules
 */
export function modelNote(opponent, { objective }) {
  if (chosen(opponent) !== ADAPT) return null;
  const [, risk = String(RISK[objective]), player = STRANGER] = LEARNED.exec(opponent) ?? [];
  const most =
    objective === "points"
      ? `wins more than ${count(Number(risk), "point")} a game from it on average`
      : `has a chance to win that is more than ${percentShort(Number(risk))} above the chance to lose`;
  return el(
    "details",
    { class: "model" },
    el("summary", { "data-key": "model" }, "What it takes you for, and what it risks"),
    el(
      "p",
      {},
      player === STRANGER
        ? "It knows no game of yours of these rules yet, and expects one who mostly plays perfectly."
        : `From your games of these rules it takes you for one who ${modelWords(player)}.`,
    ),
    el(
      "p",
      {},
      "It plays perfectly, and leans towards what gains most against that, just so far that nobody, ",
      `even knowing how it bids, ${most}.`,
    ),
  );
}
