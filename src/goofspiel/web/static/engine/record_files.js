// Files of games, as the library reads and writes them: tags, lines like `cards: 9`, then one round a word.

import { cardsUpTo, isSame, ascending, MAX_CARDS, NotationError } from "./cards.js";
import { positionAfter, readRecord, writeRecord } from "./notation.js";
import { isUsual, readRules, usual, writeRules } from "./rules.js";

/** @import { Round } from "./notation.js" */
/** @import { Rules } from "./rules.js" */

/** A game, or the part of it that was played, and what a file says of it besides. @typedef {object} GameRecord
 * @property {Rules} rules
 * @property {Round[]} rounds
 * @property {Record<string, string>} tags mine, theirs, seed, …
 */

const LINES = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/**
 * The games of a text, each a record or what is wrong with it.
 * @param {string} text
 * @returns {(GameRecord | NotationError)[]}
 */
export function readRecords(text) {
  return split(text).map(({ tags, words }) => {
    try {
      return recordOf(tags, words);
    } catch (error) {
      if (error instanceof NotationError) return error;
      throw error;
    }
  });
}

/** The tags and the words of each game. @param {string} text */
function split(text) {
  /** @type {{ tags: Record<string, string>, words: string[] }[]} */
  const games = [];
  let ended = true; // what comes next begins a game
  for (const raw of text.replace(/^\ufeff/, "").split(LINES)) {
    const line = raw.trim();
    const last = games.at(-1);
    if (!line) {
      ended ||= Boolean(last?.words.length);
      continue;
    }
    const [, name, value] = /^([a-z]+):\s*(.*)$/.exec(line) ?? [];
    const words = line.split("#")[0].split(/\s+/).filter(Boolean);
    if (!name && !words.length) continue; // a remark
    if (ended || !last || (name && (last.words.length || name in last.tags))) games.push({ tags: {}, words: [] });
    ended = false;
    const game = games[games.length - 1];
    if (name) game.tags[name] = value;
    else game.words.push(...words);
  }
  return games;
}

/** @type {(tags: Record<string, string>, words: string[]) => GameRecord} */
function recordOf({ cards: counted, rules: written, ...tags }, words) {
  const rounds = readRecord(words.join(" "));
  const { objective = "" } = tags;
  if ("objective" in tags && objective !== "points" && objective !== "win")
    throw new NotationError(`the objective of a record is points or win, not “${objective.slice(0, 40)}”`);
  const count = counted === undefined ? complete(rounds) : Number(/^0{0,3}([1-9]\d?)$/.exec(counted)?.[1] ?? 0);
  if (counted !== undefined && !(count && count <= MAX_CARDS))
    throw new NotationError(`number of cards must be 1 to ${MAX_CARDS}, not “${counted.slice(0, 40)}”`);
  const rules =
    written === undefined ? count && usual(count, objective === "win" ? "win" : "points") : readRules(written);
  if (!rules) throw new NotationError("the record is not of a complete game and does not say how many cards there are");
  if ((objective && objective !== rules.objective) || (counted !== undefined && count !== rules.cards))
    throw new NotationError(`the record is of the game “${writeRules(rules)}”, and says something else, too`);
  positionAfter(rules, rounds);
  return { rules, rounds, tags };
}

/** The number of cards of a game in which all of them were played; 0 of another one. @param {Round[]} rounds */
function complete(rounds) {
  const all = cardsUpTo(rounds.length);
  /** @param {(round: Round) => number} card */
  const isAll = (card) => isSame(ascending(rounds.map(card)), all);
  return isAll(({ upcard }) => upcard) && isAll(({ mine }) => mine) && isAll(({ theirs }) => theirs)
    ? rounds.length
    : 0;
}

/**
 * A game as a file holds it, with everything that is known of it.
 * @param {GameRecord} record
 */
export function writeRecordFile({ rules, rounds, tags }) {
  const said = isUsual(rules)
    ? { cards: String(rules.cards), ...(rules.objective === "win" ? { objective: "win" } : {}) }
    : { rules: writeRules(rules) };
  const lines = Object.entries({ ...said, ...tags }).map(([name, value]) =>
    `${name}: ${value.trim().replace(/\s+/g, " ")}`.trimEnd(),
  );
  return [...lines, "", writeRecord(rounds), ""].join("\n");
}
