// Addresses: the parameters in which a view keeps its state, and where views are found.

import { MAX_CARDS, NotationError } from "./engine/cards.js";
import { isUsual, playedFor, readRules, usual, writeRules } from "./engine/rules.js";

/** @import { Rules } from "./engine/rules.js" */

/** @typedef {Record<string, string | undefined>} Params  The parameters of an address. */
/** @typedef {Record<string, string | number | boolean | null | undefined>} NewParams  Those of an address to come. */

/** The path of the folder of the site, wherever its host has put it. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/**
 * Where a view is found.
 * @param {string} view
 * @param {NewParams} params
 */
export const viewAddress = (view, params = {}) => `${ROOT}${view}/${query(params)}`;

/**
 * Parameters as a URL has them; the slashes and brackets of a position, and the rules, stay readable.
 * @param {NewParams} params
 */
function query(params) {
  const words = Object.entries(params).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [`${name}=${readable(encodeURIComponent(value))}`],
  );
  return words.length ? `?${words.join("&")}` : "";
}

/** @param {string} text */
const readable = (text) => text.replace(/%(?:2F|5B|5D|2C|3D)/g, decodeURIComponent);

/**
 * The parameters of an address that say which game it is.
 * @param {Rules} rules
 * @returns {NewParams}
 */
export const gameParams = (rules) =>
  isUsual(rules)
    ? { cards: rules.cards, objective: rules.objective }
    : { rules: writeRules(rules).replaceAll(" ", "_") };

/**
 * The game that an address names; throws what is wrong with it.
 * @param {Params} params
 * @param {{ cards: number }} fallback
 */
export function readGameParams(params, { cards }) {
  if (params.rules) return readRules(params.rules);
  const asked = params.cards ? wholeNumber(params.cards) : cards;
  if (asked === null || asked < 1 || asked > MAX_CARDS)
    throw new NotationError(`a game has 1 to ${MAX_CARDS} cards, not “${(params.cards ?? "").slice(0, 20)}”`);
  const { objective = "points" } = params;
  if (objective !== "win" && objective !== "points")
    throw new NotationError(`one plays for points or to win, not for “${objective.slice(0, 20)}”`);
  return usual(asked, objective);
}

/**
 * A number as digits, or null.
 * @param {string} text
 */
const wholeNumber = (text) => (/^\d{1,3}$/.test(text) ? Number(text) : null);

/**
 * Where a position of a game is explored.
 * @param {string} position
 * @param {Rules} rules
 */
export function exploreAddress(position, rules) {
  const { cards: _, ...game } = gameParams(rules);
  return viewAddress("explore", { position: position.replaceAll(" ", "_"), ...game });
}

/**
 * Where the first moves of a game are shown.
 * @param {Rules} rules
 */
export function studyAddress(rules) {
  const { objective: _, ...params } = gameParams(playedFor(rules, "points"));
  return viewAddress("study", params);
}
