// Positions and records of games: read them, write them, play them.

import { ascending, cardLabel, cardName, cardOf, isSame, MAX_CARDS, MAX_PRIZE, NotationError } from "./cards.js";
import { counted as count, prizeOf, without } from "./cards.js";
import { isOverAt, nests, prizesLeft, RulesError, usual, withCards } from "./rules.js";

/** @import { Rules } from "./rules.js" */

/**
 * Cards are in ascending order, a deck, too, unless the order of the prizes is known: then it is as they come.
 * @typedef {object} Position
 * @property {number[]} mine
 * @property {number[]} theirs
 * @property {number[]} deck
 * @property {number} upcard 0 when it is to come
 * @property {number} lead
 * @property {number} pot
 */

/** @typedef {{ upcard: number, mine: number, theirs: number }} Round  The bids are 0 when they are to come. */

const FIELDS = ["my hand", "their hand", "the deck"];

/**
 * The largest lead, and the largest pot, that a position of a game may have.
 * @param {Rules | null} rules
 */
export const mostPoints = (rules) =>
  !rules || nests(rules) ? (MAX_CARDS * (MAX_CARDS + 1)) / 2 : MAX_CARDS * MAX_PRIZE;

/** @type {(text: string, where: string, read?: (name: string) => number) => number[]} */
function readCards(text, where, read = cardOf) {
  const cards = text.match(/\[[^\]]*\]?|./gu) ?? [];
  return cards.map((name) => {
    const card = read(name);
    if (!card) throw new NotationError(`unknown card “${name}” in ${where}`);
    return card;
  });
}

/** @type {(text: string, where: string, prizesOf?: Rules | null) => number[]} */
function readHand(text, where, prizesOf = null) {
  if (text === "-") return [];
  if (!text) throw new NotationError(`${where} is missing, write - when it is empty`);
  const cards = readCards(text, where, prizesOf ? prizeOf : cardOf);
  const twice = cards.find((card, index) => cards.indexOf(card) !== index);
  if (twice && !prizesOf) throw new NotationError(`card ${cardName(twice)} repeated in ${where}`);
  return prizesOf?.order ? cards : ascending(cards);
}

/** @type {(text: string, rules: Rules | null) => number} */
function readUpcard(text, rules) {
  if (text === "-") return 0;
  const cards = readCards(text, "the upcard", rules && !nests(rules) ? prizeOf : cardOf);
  if (cards.length !== 1) throw new NotationError(`the upcard is one card or -, not “${text}”`);
  return cards[0];
}

/** @type {(text: string, name: string, least: number, most: number) => number} */
function readPoints(text, name, least, most) {
  const points = Number(text);
  if (!/^[+-]?\d{1,9}$/.test(text) || points < least || points > most)
    throw new NotationError(`${name} is a whole number from ${least ? "−" : ""}${-least} to ${most}, not “${text}”`);
  return points || 0; // no negative zero
}

/**
 * Read a position; it may be one that cannot occur: see `problemOf`. Without rules it is one of the usual game.
 * @param {string} text
 * @param {Rules | null} rules
 * @returns {Position}
 */
export function readPosition(text, rules = null) {
  const words = text.trim().replaceAll("_", " ").split(/ +/);
  if (words[0].toLowerCase() === "start") return readStart(words.slice(1), rules);
  const hands = words[0].split("/");
  if (words.length > 4 || hands.length !== 3)
    throw new NotationError("a position is mine/theirs/deck upcard [lead [pot]]");
  if (words.length === 1) throw new NotationError("upcard missing, write - when it is still to be drawn");
  const own = rules && !nests(rules) ? rules : null; // whose prizes are not the cards
  const [mine, theirs, deck] = hands.map((hand, index) => readHand(hand, FIELDS[index], index === 2 ? own : null));
  const upcard = readUpcard(words[1], rules);
  const most = mostPoints(rules);
  const lead = readPoints(words[2] ?? "0", "the lead", -most, most);
  return { mine, theirs, deck, upcard, lead, pot: readPoints(words[3] ?? "0", "the pot", 0, most) };
}

/** @type {(words: string[], rules: Rules | null) => Position} */
function readStart(words, rules) {
  const cards = Number(words[0]);
  if (!/^\+?\d{1,9}$/.test(words[0] ?? "") || cards < 1 || cards > MAX_CARDS || words.length > 2)
    throw new NotationError(`start takes a number of cards, 1 to ${MAX_CARDS}, and perhaps an upcard`);
  if (rules && !nests(rules) && rules.cards !== cards)
    throw new RulesError(`this game has ${rules.cards} cards, not ${cards}`);
  const game = rules ? (nests(rules) ? withCards(rules, cards) : rules) : usual(cards);
  const upcard = words[1] ? readUpcard(words[1], game) : 0;
  if (upcard && !game.prizes.includes(upcard))
    throw new NotationError(`upcard ${cardName(upcard)} is not among the prizes ${game.prizes.join(", ")}`);
  return start(game, upcard);
}

/**
 * The opening position.
 * @param {Rules} rules
 * @param {number} upcard
 * @returns {Position}
 */
export function start({ cards, order, prizes }, upcard = 0) {
  const all = usual(cards).prizes;
  return { mine: all, theirs: all, deck: without(order ?? prizes, upcard), upcard, lead: 0, pot: 0 };
}

/**
 * The prizes that a position has in a known order, as they come; the game may be over before the last of them.
 * @param {Rules} rules
 * @param {number} level
 */
export const comingOf = ({ cards, order }, level) => (order ?? []).slice(Math.max(cards - level, 0));

/**
 * What is wrong with a position, in one line; null when it can occur. Without rules it is one of the usual game, a pot
 * apart.
 * @param {Position} position
 * @param {Rules | null} rules
 */
export function problemOf(position, rules = null) {
  const { mine, theirs, deck, upcard } = position;
  const level = mine.length;
  const prizes = deck.length + (upcard ? 1 : 0);
  const wanted = rules ? prizesLeft(rules, level) : level;
  if (level !== theirs.length) {
    const more = level > theirs.length ? "you hold more" : "they hold more";
    return `The hands are of different sizes, ${level} and ${theirs.length}: ${more}.`;
  }
  if (upcard && deck.includes(upcard) && (!rules || nests(rules)))
    return `The upcard ${cardLabel(upcard)} is also in the deck.`;
  if (prizes !== wanted) {
    const should = wanted === level ? "" : `: ${Math.max(wanted, 0)} should be left`;
    return `There are ${count(prizes, "prize")} left, but each hand holds ${count(level, "card")}${should}.`;
  }
  return rules ? problemWith(position, rules) : null;
}

/** @type {(position: Position, rules: Rules) => string | null} */
function problemWith({ mine, theirs, deck, upcard, pot }, rules) {
  const level = mine.length;
  const left = upcard ? [upcard, ...deck] : deck;
  if (!nests(rules)) {
    if (level < rules.cards - rules.rounds || (upcard && isOverAt(rules, level)))
      return `After ${count(rules.rounds, "round")} the game is over, with ${rules.cards - rules.rounds} in a hand.`;
    const highest = Math.max(0, ...mine, ...theirs);
    if (highest > rules.cards) return `A game of ${rules.cards} cards has no ${cardLabel(highest)}.`;
    const coming = comingOf(rules, level);
    if (rules.order && !isSame(left, coming))
      return `With ${count(level, "card")} in a hand the prizes come in the order ${coming.map(cardLabel).join(" ")}.`;
    const strange = left.find((prize) => countOf(left, prize) > countOf(rules.prizes, prize));
    if (strange) return `The prize ${cardLabel(strange)} is not left: the prizes are ${rules.prizes.join(", ")}.`;
  }
  if (pot && !rules.carry) return "There is no pot where ties are nobody's.";
  return null;
}

/** @type {(cards: number[], card: number) => number} */
export const countOf = (cards, card) => cards.filter((other) => other === card).length;

/**
 * The notation of a position.
 * @param {Position} position
 */
export function writePosition({ mine, theirs, deck, upcard, lead, pot }) {
  const hands = [mine, theirs, deck].map((cards) => cards.map(cardName).join("") || "-").join("/");
  return `${hands} ${upcard ? cardName(upcard) : "-"}${lead || pot ? ` ${lead}` : ""}${pot ? ` ${pot}` : ""}`;
}

/**
 * The notation as a URL holds it.
 * @param {Position} position
 */
export const positionInUrl = (position) => writePosition(position).replaceAll(" ", "_");

/**
 * All prizes that are left: the deck and the upcard.
 * @param {Position} position
 */
export const prizesOf = ({ deck, upcard }) => ascending(upcard ? [...deck, upcard] : deck);

/**
 * The largest card anywhere; 0 when the game is over.
 * @param {Position} position
 */
export const highestCard = (position) => Math.max(0, ...position.mine, ...position.theirs, ...prizesOf(position));

/**
 * The position after this card is turned up; one that is up already goes back into the deck.
 * @param {Position} position
 * @param {number} card
 * @param {boolean} isKnown whether the deck is in a known order
 */
export function turnUp(position, card, isKnown = false) {
  return { ...position, deck: without(beforeUpcard(position, isKnown).deck, card), upcard: card };
}

/**
 * The position in which the upcard is back in the deck, on top of one whose order is known.
 * @param {Position} position
 * @param {boolean} isKnown
 */
export function beforeUpcard(position, isKnown = false) {
  const { deck, upcard } = position;
  return { ...position, deck: isKnown ? (upcard ? [upcard, ...deck] : deck) : prizesOf(position), upcard: 0 };
}

/**
 * The position after both bids. A tie wins nobody anything; where it is carried, it adds to the pot.
 * @param {Position} position
 * @param {number} mine
 * @param {number} theirs
 * @param {boolean} carry
 * @returns {Position}
 */
export function play(position, mine, theirs, carry = false) {
  if (!position.upcard || !position.mine.includes(mine) || !position.theirs.includes(theirs))
    throw new NotationError(`${cardName(mine)} and ${cardName(theirs)} cannot be bid here`);
  const stake = position.upcard + position.pot;
  return {
    mine: without(position.mine, mine),
    theirs: without(position.theirs, theirs),
    deck: position.deck,
    upcard: 0,
    lead: position.lead + Math.sign(mine - theirs) * stake,
    pot: carry && mine === theirs ? stake : 0,
  };
}

/**
 * The same position as the other player sees it.
 * @param {Position} position
 */
export const swap = (position) => ({
  ...position,
  mine: position.theirs,
  theirs: position.mine,
  lead: position.lead ? -position.lead : 0,
});

/**
 * Read a record, `K53 2AJ 7`: its rounds, the last one perhaps without bids.
 * @param {string} text
 */
export function readRecord(text) {
  const words = text.trim().split(/[_ ]+/).filter(Boolean);
  return words.map((word, index) => {
    const [upcard, mine = 0, theirs = 0, ...more] = readCards(word, `round ${index + 1}`, prizeOf);
    if (more.length || Boolean(mine) !== Boolean(theirs))
      throw new NotationError(`round ${index + 1} is upcard, my bid, their bid, or an upcard alone, not “${word}”`);
    return { upcard, mine, theirs };
  });
}

/**
 * The notation of a record.
 * @param {Round[]} rounds
 */
export const writeRecord = (rounds) =>
  rounds.map(({ upcard, mine, theirs }) => [upcard, mine, theirs].filter(Boolean).map(cardName).join("")).join(" ");

/**
 * Where a game stands after these rounds; refuses a record that cannot have happened.
 * @param {Rules} rules
 * @param {Round[]} rounds
 * @param {Position | null} first where it began, if not at the opening; its upcard, if there is one, is the first
 */
export function positionAfter(rules, rounds, first = null) {
  let position = first ?? start(rules);
  rounds.forEach(({ upcard, mine, theirs }, index) => {
    const deck = rules.order ? position.deck.slice(0, 1) : position.deck;
    const next = position.upcard ? [position.upcard].filter(() => !index) : deck;
    if (isOverAt(rules, position.mine.length) || !next.includes(upcard))
      throw new NotationError(`round ${index + 1}: ${cardName(upcard)} cannot be turned up`);
    position = turnUp(position, upcard, Boolean(rules.order));
    if (!mine) return;
    if (!position.mine.includes(mine)) throw new NotationError(`round ${index + 1}: you hold no ${cardName(mine)}`);
    if (!position.theirs.includes(theirs)) throw new NotationError(`round ${index + 1}: they hold no ${cardName(theirs)}`);
    position = play(position, mine, theirs, rules.carry);
  });
  return position;
}
