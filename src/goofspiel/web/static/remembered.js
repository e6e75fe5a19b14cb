// What a visitor comes back to: where each room was left, in this tab, and the last game, on this device.

import { ROOT } from "./addresses.js";

const GAME = `goofspiel game ${ROOT}`;
const GUIDED = `goofspiel guided ${ROOT}`;
/** @param {string} view */
const room = (view) => `goofspiel room ${ROOT}${view}`;

/**
 * Some storage; a browser may refuse it.
 * @param {() => Storage} storage
 * @param {string} key
 * @param {string} [text] to be kept
 */
export function kept(storage, key, text) {
  try {
    if (text !== undefined) storage().setItem(key, text);
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/**
 * Where a room was left.
 * @param {string} view
 */
export const leftAt = (view) => kept(() => sessionStorage, room(view));

/**
 * @param {string} view
 * @param {string} address
 */
export const leave = (view, address) => kept(() => sessionStorage, room(view), address);

/**
 * The parameters of the last game.
 * @returns {Record<string, string>}
 */
export function lastGame() {
  try {
    const found = JSON.parse(kept(() => localStorage, GAME) ?? "{}");
    return typeof found === "object" && found && Object.values(found).every((text) => typeof text === "string") ? found : {};
  } catch {
    return {};
  }
}

/** @param {Record<string, unknown>} params */
export const keepGame = (params) => {
  const texts = Object.entries(params).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]));
  kept(() => localStorage, GAME, JSON.stringify(Object.fromEntries(texts)));
};

/** Whether nobody has played here yet, said once; never where nothing can be remembered. */
export function isNewcomer() {
  const local = () => localStorage;
  return !kept(local, GAME) && !kept(local, GUIDED) && kept(local, GUIDED, "1") === "1";
}
