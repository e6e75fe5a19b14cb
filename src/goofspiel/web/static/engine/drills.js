// Positions to train with: drawn by theme and difficulty, the same as the library draws for the same words, and scored.

import { ascending, byCard, cardName, cardOf, cardsUpTo } from "./cards.js";
import { EngineError } from "./errors.js";
import { readPosition, start } from "./notation.js";
import { chance } from "./players.js";
import { DECIMALS, fixed, wholePercent } from "./rounded.js";
import { UNITS, usual } from "./rules.js";

/** @import { Answer, ByCard } from "./answer.js" */
/** @import { Position } from "./notation.js" */
/** @import { Rules } from "./rules.js" */

/**
 * What a drill is about.
 * @typedef {{ name: string, title: string, says: string }} Theme
 */

/**
 * A position to bid at, and which draw it is: theme, difficulty and number, `endgame 3 17`; or `daily 2026-11-18`.
 * @typedef {{ key: string, theme: Theme, difficulty: number, rules: Rules, position: Position }} Puzzle
 */

/**
 * What an answer to a puzzle is worth.
 * @typedef {object} Score
 * @property {boolean} right
 * @property {number} lost of a card its regret, of a mix its exploitability: both in the objective
 * @property {number} reply the card that punishes it most
 * @property {number} exploitability what is lost to that reply, below the value
 * @property {string} why in a sentence
 */

/** @typedef {(position: Position, rules: Rules) => Promise<Answer>} Probe */

export const HARDEST = 5;
const TRIES = 60; // positions that are drawn until one needs a mix
const SADDLE = 1e-6; // a share of the payoffs: less than this and one card is as good as any mix
const GOOD_MIX = 0.25; // of what the best single card gives away: a mix that gives away no more is right
const DAILY = 3; // the difficulty of the puzzle of the day

/** @type {Theme[]} */
export const THEMES = [
  { name: "first", title: "First bids", says: "The first prize is up, and both hold everything." },
  { name: "endgame", title: "Endgames", says: "Three to five cards are left." },
  { name: "behind", title: "From behind", says: "You are behind, and play to win." },
  { name: "king", title: "The highest prize", says: "The highest prize of all is up, somewhere in the game." },
];

/** @type {(key: string) => { theme: Theme, difficulty: number }} */
function drawOf(key) {
  const words = key.split(/\s+/).filter(Boolean);
  if (words[0] === "daily" && words.length === 2)
    return { theme: THEMES[Math.floor(chance(`${key} theme`) * THEMES.length)], difficulty: DAILY };
  const [name, difficulty, number] = words;
  if (words.length !== 3 || !/^\d+$/.test(number) || !/^0*[1-5]$/.test(difficulty))
    throw new EngineError("puzzle", `a puzzle is “endgame 3 17”, or “daily 2026-11-18”, not “${key.slice(0, 40)}”`);
  const theme = THEMES.find((one) => one.name === name);
  if (!theme) {
    const names = THEMES.map((one) => one.name).join(", ");
    throw new EngineError("puzzle", `no theme is called “${name.slice(0, 40)}”: ${names}`);
  }
  return { theme, difficulty: Number(difficulty) };
}

/**
 * The puzzle of a key: of the positions that it draws, the first that needs a mix.
 * @param {string} key
 * @param {Probe} probe
 * @returns {Promise<Puzzle>}
 */
export async function puzzleOf(key, probe) {
  const { theme, difficulty } = drawOf(key);
  for (let draw = 0; ; draw += 1) {
    const drawn = positionOf(theme.name, difficulty, `${key} ${draw}`);
    if (draw + 1 === TRIES || needsAMix(await probe(drawn.position, drawn.rules)))
      return { key, theme, difficulty, ...drawn };
  }
}

/**
 * Whether no single card is as good as a mix.
 * @param {Answer} answer
 */
export function needsAMix({ matrix }) {
  const conceded = Math.min(...matrix[0].map((_, column) => Math.max(...matrix.map((row) => row[column]))));
  return conceded - secureOf(matrix) > SADDLE * Math.max(1, ...matrix.flat().map(Math.abs));
}

/** What the best single card earns at least. @param {number[][]} matrix */
const secureOf = (matrix) => Math.max(...matrix.map((row) => Math.min(...row)));

/** @type {(theme: string, difficulty: number, words: string) => { rules: Rules, position: Position }} */
function positionOf(theme, difficulty, words) {
  if (theme === "first") {
    const rules = usual(3 + difficulty);
    return { rules, position: start(rules, 1 + Math.floor(chance(`${words} upcard`) * rules.cards)) };
  }
  const cards = theme === "king" ? 4 + Math.floor((difficulty + 1) / 2) : 7;
  const level =
    theme === "king"
      ? cards - Math.floor(chance(`${words} played`) * (cards - 2))
      : difficulty < HARDEST
        ? 3 + Math.floor(difficulty / 2)
        : 5;
  const [mine, theirs, prizes] = ["mine", "theirs", "deck"].map((who) => some(cards, level, `${words} ${who}`));
  const nothing = { mine, theirs, lead: 0, pot: 0 };
  if (theme === "king") {
    const others = prizes.includes(cards)
      ? prizes.filter((card) => card !== cards)
      : some(cards - 1, level - 1, `${words} deck`);
    return { rules: usual(cards), position: { ...nothing, deck: others, upcard: cards } };
  }
  const upcard = prizes[Math.floor(chance(`${words} upcard`) * level)];
  const position = { ...nothing, deck: prizes.filter((card) => card !== upcard), upcard };
  if (theme === "endgame") return { rules: usual(cards), position };
  const left = prizes.reduce((sum, prize) => sum + prize, 0);
  const gone = (cards * (cards + 1)) / 2 - left;
  const lead = 1 + Math.floor(chance(`${words} lead`) * Math.min(left - 1, gone));
  return { rules: usual(cards, "win"), position: { ...position, lead: -lead } };
}

/** So many of the cards, ascending. @type {(cards: number, count: number, words: string) => number[]} */
function some(cards, count, words) {
  const left = cardsUpTo(cards);
  return ascending(
    cardsUpTo(count).map((one) => left.splice(Math.floor(chance(`${words} ${one - 1}`) * left.length), 1)[0]),
  );
}

/** @param {string} sentence */
const capital = (sentence) => sentence[0].toUpperCase() + sentence.slice(1);

/**
 * What a single card is worth: right if it costs nothing against perfect play.
 * @param {Answer} answer
 * @param {number} card
 * @returns {Score}
 */
export function scoreCard(answer, card) {
  const { regret, value, objective, mine, unique } = answer;
  const name = cardName(card);
  if (!(name in regret)) throw new EngineError("puzzle", `the ${name} is not in the hand: “${answer.position}”`);
  const lost = regret[name];
  const right = lost <= SADDLE * Math.max(Math.abs(value), 1);
  const share = shareOf(answer, card);
  const { reply, exploited } = replyTo(
    answer,
    byCard(mine).map(([held]) => Number(held === card)),
  );
  const [loss, gain] = [lost, exploited].map((number) => `${fixed(number, DECIMALS[objective])} ${UNITS[objective]}`);
  let why;
  if (right && share > SADDLE) {
    const always = exploited > SADDLE ? `loses ${gain} to the ${cardName(reply)}` : "loses nothing either";
    why = `${unique ? "perfect play" : "this perfect mix"} bids the ${name} ${wholePercent(share)} of the time`;
    why += `; who always does ${always}`;
  } else if (right) why = `it costs nothing, though this mix never bids the ${name}`;
  else
    why = `against perfect play it earns ${loss} less than the position is worth; the ${cardName(reply)} punishes it most`;
  return { right, lost: right ? 0 : lost, reply, exploitability: exploited, why: `${capital(why)}.` };
}

/**
 * What a mix is worth: right if it gives away at most a quarter of what the best single card gives away.
 * @param {Answer} answer
 * @param {ByCard} shares
 * @returns {Score}
 */
export function scoreMix(answer, shares) {
  const { matrix, mine, objective, value } = answer;
  const held = byCard(mine).map(([card]) => cardName(card));
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  if (
    !(total > 0) ||
    Math.min(...Object.values(shares)) < 0 ||
    !Object.keys(shares).every((card) => held.includes(card))
  )
    throw new EngineError("puzzle", `a mix has a share for each of ${held.join(" ")}, at least one above 0`);
  const bid = Object.fromEntries(held.map((card) => [card, (shares[card] ?? 0) / total]));
  const { reply, exploited } = replyTo(
    answer,
    Object.values(held).map((card) => bid[card]),
  );
  const right = exploited <= Math.max(GOOD_MIX * (value - secureOf(matrix)), SADDLE);
  const off = held.map((name) => ({
    name,
    more: alike(answer, name).reduce((sum, one) => sum + bid[one], 0) - shareOf(answer, cardOf(name)),
  }));
  const largest = Math.max(...off.map(({ more }) => Math.abs(more)));
  const [most] = off.filter(({ more }) => Math.abs(more) >= largest - SADDLE); // the lowest of several
  let why =
    exploited > SADDLE
      ? `Their best answer, the ${cardName(reply)}, gains ${fixed(exploited, DECIMALS[objective])} ${UNITS[objective]}`
      : "No answer of theirs gains anything";
  if (Math.abs(most.more) > 0.005) {
    const how = most.more > 0 ? "more" : "less";
    why += `; you bid the ${most.name} ${wholePercent(Math.abs(most.more))} ${how} often than this perfect mix`;
  }
  return { right, lost: exploited, reply, exploitability: exploited, why: `${why}.` };
}

/**
 * How often the mix bids a card, or one that is interchangeable with it.
 * @type {(answer: Answer, card: number) => number}
 */
const shareOf = (answer, card) => alike(answer, cardName(card)).reduce((sum, one) => sum + answer.mine[one], 0);

/** The cards that no card of theirs tells apart from this one. @type {(answer: Answer, card: string) => string[]} */
const alike = ({ interchangeable }, card) => interchangeable.find((group) => group.includes(card)) ?? [card];

/**
 * The card that punishes a mix most, the lowest of several, and what it gains.
 * @param {Answer} answer
 * @param {number[]} mix
 */
function replyTo({ matrix, value, position }, mix) {
  const earned = matrix[0].map((_, column) => mix.reduce((sum, share, row) => sum + share * matrix[row][column], 0));
  const least = Math.min(...earned);
  const { theirs } = readPosition(position);
  return { reply: theirs[earned.findIndex((one) => one <= least + SADDLE)], exploited: Math.max(value - least, 0) };
}
