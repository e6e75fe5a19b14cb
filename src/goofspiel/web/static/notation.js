// Cards, positions and records of games: read them, write them, play them.

/**
 * Cards are in ascending order.
 * @typedef {object} Position
 * @property {number[]} mine
 * @property {number[]} theirs
 * @property {number[]} deck
 * @property {number} upcard 0 when it is to come
 * @property {number} lead
 */

/** @typedef {{ upcard: number, mine: number, theirs: number }} Round  The bids are 0 when they are to come. */

export const MAX_CARDS = 16;
export const MAX_LEAD = (MAX_CARDS * (MAX_CARDS + 1)) / 2;

const NAMES = [..."A23456789TJQK", "[14]", "[15]", "[16]"];
/** @type {Record<number, string>} */
const SPOKEN = { 1: "Ace", 11: "Jack", 12: "Queen", 13: "King" };
const FIELDS = { mine: "my hand", theirs: "their hand", deck: "the deck" };

export class NotationError extends Error {}

/**
 * As positions write it: A 2 … 9 T J Q K [14] …
 * @param {number} card
 */
export const cardName = (card) => NAMES[card - 1];

/**
 * As it is printed on a card: A 2 … 10 J Q K 14 …
 * @param {number} card
 */
export const cardLabel = (card) => (card === 10 ? "10" : card > 13 ? String(card) : NAMES[card - 1]);

/**
 * As it is said: Ace, 2, …
 * @param {number} card
 */
export const cardSpoken = (card) => SPOKEN[card] ?? String(card);

/**
 * What an answer says by name of card, as [card, what] in ascending order: objects have an order of their own.
 * @template What
 * @param {Record<string, What>} named
 */
export const byCard = (named) =>
  Object.entries(named)
    .map(([name, what]) => /** @type {[number, What]} */ ([cardOf(name), what]))
    .sort((a, b) => a[0] - b[0]);

/**
 * 1 … n.
 * @param {number} n
 */
export const cardsUpTo = (n) => Array.from({ length: n }, (_, index) => index + 1);

/** @param {number[]} cards */
const ascending = (cards) => [...cards].sort((a, b) => a - b);

/**
 * The card that a name, or a key, stands for; 0 when it is none.
 * @param {string} name
 */
export function cardOf(name) {
  const upper = name.toUpperCase();
  if (upper === "1" || upper === "[1]") return 1;
  const bracketed = /^\[(\d{1,2})\]$/.exec(upper);
  if (bracketed) return Number(bracketed[1]) <= MAX_CARDS ? Number(bracketed[1]) : 0;
  return NAMES.indexOf(upper) + 1;
}

/** @type {(text: string, where: string) => number[]} */
function readCards(text, where) {
  const cards = text.match(/\[[^\]]*\]?|./gu) ?? [];
  return cards.map((name) => {
    const card = cardOf(name);
    if (!card) throw new NotationError(`unknown card “${name}” in ${where}`);
    return card;
  });
}

/** @type {(text: string, where: string) => number[]} */
function readHand(text, where) {
  if (text === "-") return [];
  if (!text) throw new NotationError(`${where} is missing, write - when it is empty`);
  const cards = readCards(text, where);
  const twice = cards.find((card, index) => cards.indexOf(card) !== index);
  if (twice) throw new NotationError(`card ${cardName(twice)} repeated in ${where}`);
  return ascending(cards);
}

/** @param {string} text */
function readUpcard(text) {
  if (text === "-") return 0;
  const cards = readCards(text, "the upcard");
  if (cards.length !== 1) throw new NotationError(`the upcard is one card or -, not “${text}”`);
  return cards[0];
}

/**
 * Read a position; it may be one that cannot occur: see `problemOf`.
 * @param {string} text
 * @returns {Position}
 */
export function readPosition(text) {
  const words = text.trim().replaceAll("_", " ").split(/ +/);
  if (words[0].toLowerCase() === "start") return readStart(words.slice(1));
  const hands = words[0].split("/");
  if (words.length > 3 || hands.length !== 3) throw new NotationError("a position is mine/theirs/deck upcard [lead]");
  if (words.length === 1) throw new NotationError("upcard missing, write - when it is still to be drawn");
  const [mine, theirs, deck] = Object.values(FIELDS).map((where, index) => readHand(hands[index], where));
  const lead = words[2] ?? "0";
  if (!/^[+-]?\d{1,3}$/.test(lead) || Math.abs(Number(lead)) > MAX_LEAD)
    throw new NotationError(`the lead is a whole number from −${MAX_LEAD} to ${MAX_LEAD}, not “${lead}”`);
  return { mine, theirs, deck, upcard: readUpcard(words[1]), lead: Number(lead) };
}

/** @param {string[]} words */
function readStart(words) {
  const cards = Number(words[0]);
  if (!/^\d{1,2}$/.test(words[0] ?? "") || cards < 1 || cards > MAX_CARDS || words.length > 2)
    throw new NotationError(`start takes a number of cards, 1 to ${MAX_CARDS}, and perhaps an upcard`);
  const upcard = words[1] ? readUpcard(words[1]) : 0;
  if (upcard > cards) throw new NotationError(`upcard ${cardName(upcard)} is not among the cards 1 to ${cards}`);
  return start(cards, upcard);
}

/**
 * The opening position.
 * @param {number} cards
 * @param {number} upcard
 * @returns {Position}
 */
export function start(cards, upcard = 0) {
  const all = cardsUpTo(cards);
  return { mine: all, theirs: all, deck: all.filter((card) => card !== upcard), upcard, lead: 0 };
}

/**
 * What is wrong with a position, in one line; null when it can occur.
 * @param {Position} position
 */
export function problemOf({ mine, theirs, deck, upcard }) {
  /** @type {(number: number, noun: string) => string} */
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const prizes = deck.length + (upcard ? 1 : 0);
  if (mine.length !== theirs.length) {
    const more = mine.length > theirs.length ? "you hold more" : "they hold more";
    return `The hands are of different sizes, ${mine.length} and ${theirs.length}: ${more}.`;
  }
  if (upcard && deck.includes(upcard)) return `The upcard ${cardLabel(upcard)} is also in the deck.`;
  if (prizes !== mine.length)
    return `There are ${count(prizes, "prize")} left, but each hand holds ${count(mine.length, "card")}.`;
  return null;
}

/**
 * The notation of a position.
 * @param {Position} position
 */
export function writePosition({ mine, theirs, deck, upcard, lead }) {
  const hands = [mine, theirs, deck].map((cards) => cards.map(cardName).join("") || "-").join("/");
  return `${hands} ${upcard ? cardName(upcard) : "-"}${lead ? ` ${lead}` : ""}`;
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
 */
export function turnUp(position, card) {
  return { ...position, deck: prizesOf(position).filter((other) => other !== card), upcard: card };
}

/**
 * The position in which the upcard is back in the deck.
 * @param {Position} position
 */
export const beforeUpcard = (position) => ({ ...position, deck: prizesOf(position), upcard: 0 });

/**
 * The position after both bids. A tie wins nobody anything.
 * @param {Position} position
 * @param {number} mine
 * @param {number} theirs
 * @returns {Position}
 */
export function play(position, mine, theirs) {
  if (!position.upcard || !position.mine.includes(mine) || !position.theirs.includes(theirs))
    throw new NotationError(`${cardName(mine)} and ${cardName(theirs)} cannot be bid here`);
  return {
    mine: position.mine.filter((card) => card !== mine),
    theirs: position.theirs.filter((card) => card !== theirs),
    deck: position.deck,
    upcard: 0,
    lead: position.lead + Math.sign(mine - theirs) * position.upcard,
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
    const [upcard, mine = 0, theirs = 0, ...more] = readCards(word, `round ${index + 1}`);
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
 * Where a game of so many cards stands after these rounds; refuses a record that cannot have happened.
 * @param {number} cards
 * @param {Round[]} rounds
 */
export function positionAfter(cards, rounds) {
  let position = start(cards);
  rounds.forEach(({ upcard, mine, theirs }, index) => {
    if (position.upcard || !position.deck.includes(upcard))
      throw new NotationError(`round ${index + 1}: ${cardName(upcard)} cannot be turned up`);
    position = turnUp(position, upcard);
    if (mine) position = play(position, mine, theirs);
  });
  return position;
}
