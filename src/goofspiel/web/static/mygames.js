// My games, kept on this device: those that were played here from the first bid to the last, and none of it taken back.

import { ROOT } from "./addresses.js";
import { writeRecord } from "./engine/notation.js";
import { writeRules } from "./engine/rules.js";
import { isOver, isShared, playedOf } from "./game.js";
import { kept } from "./remembered.js";

/** @import { Game } from "./game.js" */

/**
 * A game, its rules and its record as texts, and what a file says of it besides.
 * @typedef {{ rules: string, record: string, tags: Record<string, string> }} KeptGame
 */

/** How many are kept; when there are more, the oldest go. */
export const MOST_GAMES = 1000;
const MOST_RUNNING = 20; // games in the midst of which somebody may be
const GAMES = `goofspiel games ${ROOT}`;
const RUNNING = `goofspiel running ${ROOT}`;
const ME = "human"; // as the terminal calls me
const SPOILT = "-"; // the record of a game that does not count

/** @type {(key: string, isGood: (found: unknown) => boolean, none: string) => any} */
function stored(key, isGood, none) {
  try {
    const found = JSON.parse(kept(() => localStorage, key) ?? none);
    return isGood(found) ? found : JSON.parse(none);
  } catch {
    return JSON.parse(none);
  }
}

/** @param {any} game */
const isGame = (game) =>
  typeof game?.rules === "string" &&
  typeof game.record === "string" &&
  Object(game.tags) === game.tags &&
  Object.values(game.tags).every((value) => typeof value === "string");

/**
 * All of them, the oldest first.
 * @returns {KeptGame[]}
 */
export const keptGames = () => stored(GAMES, Array.isArray, "[]").filter(isGame);

/**
 * The records of those of some rules.
 * @param {string} rules
 */
export const recordsOf = (rules) => keptGames().flatMap((game) => (game.rules === rules ? [game.record] : []));

/**
 * Keep these and no others; whether there was room for them.
 * @param {KeptGame[]} games
 */
export function keepGames(games) {
  const text = JSON.stringify(games.slice(-MOST_GAMES));
  return kept(() => localStorage, GAMES, text) === text;
}

/** What tells games apart. @param {KeptGame} game */
const nameOf = ({ rules, record, tags }) => JSON.stringify([rules, record, tags.theirs, tags.seed, tags.date]);

/**
 * Add games to those that are kept; how many are new. As often as a game is there already, it is not added again.
 * @param {KeptGame[]} games
 */
export function addGames(games) {
  const all = keptGames();
  /** @type {Map<string, number>} */
  const known = new Map();
  for (const game of all) known.set(nameOf(game), (known.get(nameOf(game)) ?? 0) + 1);
  const fresh = games.filter((game) => {
    const there = known.get(nameOf(game)) ?? 0;
    known.set(nameOf(game), there - 1);
    return there <= 0;
  });
  return keepGames([...all, ...fresh]) ? fresh.length : 0;
}

/** The date and time of day here, as the terminal writes them. */
function now() {
  const here = new Date();
  return new Date(here.getTime() - 60_000 * here.getTimezoneOffset()).toISOString().slice(0, 19).replace("T", " ");
}

/**
 * Note that I have bid. The game is kept when it is over, if every bid was noted, each after the one before; one of two
 * people, and one that begins elsewhere, is not.
 * @param {Game} game after both bids
 */
export function noteBid(game) {
  if (isShared(game) || game.from) return;
  const [rules, words] = [writeRules(game.rules), writeRecord(playedOf(game)).split(" ")];
  const id = `${rules} ${game.seed} ${game.opponent}`;
  const running = stored(RUNNING, (found) => Object(found) === found, "{}");
  const isNext = (running[id] ?? "") === words.slice(0, -1).join(" ");
  const record = isNext ? words.join(" ") : SPOILT;
  const others = Object.entries(running).filter(([other]) => other !== id);
  kept(
    () => localStorage,
    RUNNING,
    JSON.stringify(Object.fromEntries([...others.slice(1 - MOST_RUNNING), [id, record]])),
  );
  if (!isNext || !isOver(game)) return;
  addGames([{ rules, record, tags: { mine: ME, theirs: game.opponent, seed: String(game.seed), date: now() } }]);
}
