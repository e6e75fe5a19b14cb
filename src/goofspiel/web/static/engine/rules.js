// Which game is played: read its rules, write them, check them field by field.

import { ascending, cardsUpTo, isSame, MAX_CARDS, MAX_PRIZE, NotationError, prizeOf } from "./cards.js";

/** @typedef {"points" | "win"} Objective */

/**
 * @typedef {object} Rules
 * @property {number} cards both hands hold 1 … cards
 * @property {Objective} objective
 * @property {boolean} carry whether a tied prize joins the pot; else it is nobody's
 * @property {number[]} prizes ascending
 * @property {number[] | null} order the prizes as they come; null: shuffled
 * @property {number} rounds
 */

/** @typedef {"cards" | "prizes" | "order" | "rounds"} Field  Of what can be wrong. */

/** What is wrong with rules, and with which of their fields. */
export class RulesError extends NotationError {
  /**
   * @param {string} message
   * @param {Field | null} field
   */
  constructor(message, field = null) {
    super(message);
    this.field = field;
  }
}

/**
 * The usual game.
 * @param {number} cards
 * @param {Objective} objective
 * @returns {Rules}
 */
export const usual = (cards, objective = "points") => ({
  cards,
  objective,
  carry: false,
  prizes: cardsUpTo(cards),
  order: null,
  rounds: cards,
});

/**
 * Whether prizes are 1 … cards, shuffled, and all are played for: then the table of a larger game holds this one.
 * @param {Rules} rules
 */
export const nests = ({ cards, prizes, order, rounds }) =>
  !order && rounds === cards && isSame(prizes, cardsUpTo(cards));

/**
 * Whether it is the usual game, for points or to win.
 * @param {Rules} rules
 */
export const isUsual = (rules) => nests(rules) && !rules.carry;

/**
 * Whether no round is left with so many cards in a hand.
 * @param {Rules} rules
 * @param {number} level
 */
export const isOverAt = ({ cards, rounds }, level) => level <= cards - rounds;

/**
 * How many prizes are left, to be bid for or never, with so many cards in a hand.
 * @param {Rules} rules
 * @param {number} level
 */
export const prizesLeft = ({ cards, prizes }, level) => prizes.length - cards + level;

/**
 * The same game, for points or to win.
 * @param {Rules} rules
 * @param {Objective} objective
 * @returns {Rules}
 */
export const playedFor = (rules, objective) => ({ ...rules, objective });

/**
 * The same for another number of cards, if it is a game that nests.
 * @param {Rules} rules
 * @param {number} cards
 * @returns {Rules}
 */
export const withCards = (rules, cards) => ({ ...usual(cards, rules.objective), carry: rules.carry });

/**
 * The rules, if there can be such a game.
 * @param {Rules} rules
 */
export function checked(rules) {
  const { cards, prizes, order, rounds } = rules;
  if (!(Number.isInteger(cards) && cards >= 1 && cards <= MAX_CARDS))
    throw new RulesError(`there are 1 to ${MAX_CARDS} cards, not ${cards}`, "cards");
  if (!(Number.isInteger(rounds) && rounds >= 1 && rounds <= cards))
    throw new RulesError(`${cards} cards are enough for 1 to ${cards} rounds, not ${rounds}`, "rounds");
  const wrong = prizes.find((prize) => !(prize >= 1 && prize <= MAX_PRIZE));
  if (wrong !== undefined) throw new RulesError(`a prize is worth 1 to ${MAX_PRIZE}, not ${wrong}`, "prizes");
  if (prizes.length > MAX_CARDS)
    throw new RulesError(`there are up to ${MAX_CARDS} prizes, not ${prizes.length}`, "prizes");
  if (prizes.length < cards || (prizes.length > cards && rounds === cards))
    throw new RulesError(
      `${cards} cards need ${cards} prizes${rounds < cards ? " or more" : ""}, not ${prizes.length}`,
      "prizes",
    );
  if (order && !isSame(ascending(order), prizes))
    throw new RulesError(`an order has each of the prizes ${prizes.join(", ")} once, not ${order.join(", ")}`, "order");
  return rules;
}

/**
 * Prizes as they are listed, by number or by the name of a card: `1,1,2,5,8`, `K 2 9`.
 * @param {string} text
 * @param {Field} field
 */
export function readPrizes(text, field = "prizes") {
  return text
    .trim()
    .split(/[\s,;]+/)
    .map((word) => {
      const prize = prizeOf(word) || (/^[1-9]\d{0,2}$/.test(word) ? Number(word) : 0);
      if (!prize) throw new RulesError(`a prize is a number from 1 to ${MAX_PRIZE} or a card, not “${word}”`, field);
      return prize;
    });
}

/** @type {Record<string, Partial<Rules>>} */
const WORDS = {
  points: { objective: "points" },
  win: { objective: "win" },
  discard: { carry: false },
  carry: { carry: true },
};

/**
 * The rules that a text names, as Python writes them: `13`, `13 carry`, `9 win order=descending`.
 * @param {string} text
 * @returns {Rules}
 */
export function readRules(text) {
  const [number, ...words] = text.replaceAll("_", " ").trim().split(/\s+/);
  if (!/^\d{1,4}$/.test(number)) throw new RulesError(`rules start with a number of cards, as in “13 win”: “${text}”`);
  /** @type {Partial<Rules>} */
  const found = {};
  /** @type {string | null} */
  let order = null;
  for (const word of words) {
    const [, name, said] = /^(\w+)=(.+)$/.exec(word) ?? [];
    /** @type {Partial<Rules>} */
    let more;
    if (Object.hasOwn(WORDS, word)) more = WORDS[word];
    else if (name === "prizes") more = { prizes: ascending(readPrizes(said)) };
    else if (name === "order") [more, order] = [{ order: [] }, said];
    else if (name === "rounds" && /^[1-9]\d?$/.test(said)) more = { rounds: Number(said) };
    else throw new RulesError(`rules know no “${word}”: “${text}”`);
    const twice = Object.keys(more).find((key) => key in found);
    if (twice) throw new RulesError(`${twice} is said twice: “${text}”`);
    Object.assign(found, more);
  }
  const rules = { ...usual(Math.min(Number(number), MAX_CARDS + 1)), ...found };
  return checked({ ...rules, order: order === null ? null : orderOf(order, rules.prizes) });
}

/**
 * An order as it is written: ascending, descending, or the prizes as they come.
 * @param {string} text
 * @param {number[]} prizes
 */
export const orderOf = (text, prizes) =>
  text === "ascending" ? prizes : text === "descending" ? [...prizes].reverse() : readPrizes(text, "order");

/**
 * What an order is called: shuffled, ascending, descending, or none of these.
 * @param {Rules} rules
 */
export function orderName({ order, prizes }) {
  if (!order) return "shuffled";
  return isSame(order, [...prizes].reverse()) ? "descending" : isSame(order, prizes) ? "ascending" : null;
}

/**
 * The text that `readRules` reads, as Python writes it.
 * @param {Rules} rules
 */
export function writeRules(rules) {
  const words = [String(rules.cards)];
  if (rules.objective === "win") words.push("win");
  if (rules.carry) words.push("carry");
  if (!isSame(rules.prizes, cardsUpTo(rules.cards))) words.push(`prizes=${rules.prizes.join(",")}`);
  if (rules.order) words.push(`order=${orderName(rules) ?? rules.order.join(",")}`);
  if (rules.rounds !== rules.cards) words.push(`rounds=${rules.rounds}`);
  return words.join(" ");
}

// What the rules mean for those who solve and ask.

/** What values are counted in. @type {Record<Objective, string>} */
export const UNITS = { points: "points", win: "P(win) − P(loss)" };

/**
 * Whether what is left to win is worth more or less by who leads: values have an axis for the lead.
 * @param {Rules} rules
 */
export const hasLeads = ({ objective }) => objective !== "points";

/**
 * The cards in a hand when the game is over.
 * @param {Rules} rules
 */
export const lastLevel = ({ cards, rounds }) => cards - rounds;

/**
 * What all prizes are worth.
 * @param {Rules} rules
 */
export const totalOf = ({ prizes }) => prizes.reduce((sum, prize) => sum + prize, 0);

/**
 * What a game can be worth at most: all prizes, or a win.
 * @param {Rules} rules
 */
export const payoffBound = (rules) => (hasLeads(rules) ? 1 : totalOf(rules));

/**
 * What a lead is worth when nothing is left to win.
 * @param {Rules} rules
 * @param {number} lead
 */
export const atTheEnd = (rules, lead) => (hasLeads(rules) ? Math.sign(lead) : lead);

/**
 * Whether no play can change what a lead is worth, with so much left to win.
 * @param {Rules} rules
 * @param {number} lead
 * @param {number} left
 */
export const isDecided = (rules, lead, left) => hasLeads(rules) && Math.abs(lead) > left;

/**
 * The rules in the name of a table: `points-13`, `win-9-order-descending`.
 * @param {Rules} rules
 */
export function slugOf(rules) {
  const words = writeRules(rules).split(" ").slice(1);
  const rest = words.filter((word) => word !== rules.objective).map((word) => word.replace(/[=,]/g, "-"));
  return [rules.objective, rules.cards, ...rest].join("-");
}
