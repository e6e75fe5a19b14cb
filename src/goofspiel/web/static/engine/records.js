// Records of games as texts, with tags and remarks, as the library reads and writes them.

import { cardName, MAX_CARDS, NotationError } from "./cards.js";
import { positionAfter, problemOf, readPosition, readRecord, writePosition, writeRecord } from "./notation.js";
import { isUsual, nests, playedFor, readRules, usual, withCards, writeRules } from "./rules.js";

/** @import { Position, Round } from "./notation.js" */
/** @import { Rules } from "./rules.js" */

/**
 * @typedef {object} GameRecord
 * @property {Rules} rules
 * @property {Position | null} from where it began, if not at the opening
 * @property {Round[]} rounds
 * @property {Record<string, string>} tags
 */

const LINES = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/; // as Python parts them
const SHOWN = 40; // characters of a text that an error quotes
/** @param {string} text */
const quoted = (text) => `“${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}”`;

/**
 * All games of a text, each a record or what is wrong with it: a sentence that quotes it, and among several games names
 * the game.
 * @param {string} text
 * @returns {(GameRecord | NotationError)[]}
 */
export function readEach(text) {
  const games = split(text);
  return games.map(({ tags, words }, index) => {
    try {
      return readGame(tags, words);
    } catch (error) {
      if (!(error instanceof NotationError)) throw error;
      const which = games.length > 1 ? `game ${index + 1}: ` : "";
      const what = error.message.includes("“") ? "" : `: ${quoted(words.join(" "))}`;
      return new NotationError(`${which}${error.message.replace(/\.$/, "")}${what}`);
    }
  });
}

/**
 * All games of a text; throws what is wrong with the first that cannot be read.
 * @param {string} text
 */
export const readRecords = (text) =>
  readEach(text).map((found) => {
    if (found instanceof NotationError) throw found;
    return found;
  });

/**
 * A game from the opening as a file holds it, with everything that is known of it.
 * @param {Pick<GameRecord, "rules" | "rounds" | "tags">} record
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

/**
 * The tags and the words of each game: tags after rounds, a tag that the game has already, or a blank line after rounds
 * begin the next one.
 * @param {string} text
 */
function split(text) {
  /** @type {{ tags: Record<string, string>, words: string[] }[]} */
  const games = [];
  let ended = true;
  for (const raw of text.replace(/^\ufeff/, "").split(LINES)) {
    const line = raw.trim();
    const tag = /^([a-z]+):\s*(.*)$/.exec(line);
    const words = line.split("#")[0].split(/[\s_]+/).filter(Boolean);
    let game = games[games.length - 1];
    if (!line) ended ||= game.words.length > 0;
    if (!tag && !words.length) continue;
    if (ended || (tag && (game.words.length || Object.hasOwn(game.tags, tag[1])))) {
      games.push((game = { tags: {}, words: [] }));
      ended = false;
    }
    if (tag) game.tags[tag[1]] = tag[2];
    else game.words.push(...words);
  }
  return games;
}

/** @type {(tags: Record<string, string>, words: string[]) => GameRecord} */
function readGame({ cards: said, rules: written, from: began, ...tags }, words) {
  const rounds = readRecord(words.join(" "));
  const { objective = null } = tags;
  if (objective !== null && objective !== "win" && objective !== "points")
    throw new NotationError(`one plays for points or to win, not for ${quoted(objective)}`);
  const count = said === undefined ? null : countOf(said);
  let rules = written === undefined ? null : readRules(written);
  if (rules && ((count ?? rules.cards) !== rules.cards || (objective ?? rules.objective) !== rules.objective))
    throw new NotationError(`the record is of the game “${writeRules(rules)}”, and says otherwise besides`);
  const known = count ?? completeGame(rounds) ?? (began === undefined ? null : MAX_CARDS);
  const again = rules || known ? null : repeated(rounds);
  if (again) throw new NotationError(again);
  if (!rules && !known)
    throw new NotationError(
      `the record is not of a complete game and does not say how many cards there are ` +
        `(a line “cards: 13”): ${quoted(words.join(" "))}`,
    );
  rules ??= playedFor(usual(known ?? MAX_CARDS), objective ?? "points");
  const from = began === undefined ? null : readPosition(began, rules);
  const wrong = from && problemOf(from, rules);
  if (from && wrong) throw new NotationError(`${wrong} “${writePosition(from)}”`);
  if (from && (count || written) && highest(from) > rules.cards && nests(rules))
    throw new NotationError(`a game of ${rules.cards} cards has no ${cardName(highest(from))}: “${writePosition(from)}”`);
  if (from && nests(rules) && !count && !written) rules = withCards(rules, highest(from));
  const open = rounds.findIndex(({ mine }, index) => !mine && index < rounds.length - 1);
  if (open >= 0)
    throw new NotationError(`round ${open + 1}: only the last round may be open, not “${cardName(rounds[open].upcard)}”`);
  positionAfter(rules, rounds, from);
  return { rules, from, rounds, tags };
}

/** @param {Position} from */
const highest = ({ mine, theirs, deck, upcard }) => Math.max(...mine, ...theirs, ...deck, upcard);

/**
 * What no game has, however many cards there are: a card bid twice, or a prize that came before; else null.
 * @param {Round[]} rounds
 */
function repeated(rounds) {
  const seen = new Set();
  for (const [index, { upcard, mine, theirs }] of rounds.entries()) {
    const said = [`the prize ${cardName(upcard)} came`];
    if (mine) said.push(`you bid the ${cardName(mine)}`, `they bid the ${cardName(theirs)}`);
    const again = said.find((one) => seen.has(one));
    if (again) return `round ${index + 1}: ${again} before`;
    for (const one of said) seen.add(one);
  }
  return null;
}

/** @param {string} said */
function countOf(said) {
  const cards = /^0{0,3}[1-9][0-9]?$/.test(said) ? Number(said) : 0;
  if (!cards || cards > MAX_CARDS) throw new NotationError(`a game has 1 to ${MAX_CARDS} cards, not ${quoted(said)}`);
  return cards;
}

/**
 * The number of cards of a game in which all of them were played, else null.
 * @param {Round[]} rounds
 */
function completeGame(rounds) {
  /** @param {"upcard" | "mine" | "theirs"} what */
  const isAll = (what) => new Set(rounds.map((round) => round[what])).size === rounds.length;
  const all = rounds.flatMap(({ upcard, mine, theirs }) => [upcard, mine, theirs]);
  const isComplete = isAll("upcard") && isAll("mine") && isAll("theirs");
  return rounds.length && isComplete && Math.min(...all) === 1 && Math.max(...all) === rounds.length ? rounds.length : null;
}
