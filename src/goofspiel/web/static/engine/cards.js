// Cards and prizes: what they are called, in notation, on a card and aloud.

export const MAX_CARDS = 16;
export const MAX_PRIZE = 999;

const NAMES = [..."A23456789TJQK", "[14]", "[15]", "[16]"];
/** @type {Record<number, string>} */
const SPOKEN = { 1: "Ace", 11: "Jack", 12: "Queen", 13: "King" };

/** What is wrong with a notation. */
export class NotationError extends Error {}

/**
 * As positions write it: A 2 … 9 T J Q K [14] …; a prize may be worth more than any card.
 * @param {number} card
 */
export const cardName = (card) => NAMES[card - 1] ?? `[${card}]`;

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
 * The card that a name, or a key, stands for; 0 when it is none.
 * @param {string} name
 */
export function cardOf(name) {
  const prize = prizeOf(name);
  return prize <= MAX_CARDS ? prize : 0;
}

/**
 * The prize of such a name; 0 when it is none.
 * @param {string} name
 */
export function prizeOf(name) {
  const upper = /^[a-z]$/.test(name) ? name.toUpperCase() : name;
  if (upper === "1") return 1;
  const bracketed = /^\[([1-9]\d{0,2})\]$/.exec(upper);
  return bracketed ? Number(bracketed[1]) : NAMES.indexOf(upper) + 1;
}

/**
 * What an answer says by name of card, as [card, what] in ascending order: objects have an order of their own.
 * @template What
 * @param {Record<string, What>} named
 */
export const byCard = (named) =>
  Object.entries(named)
    .map(([name, what]) => /** @type {[number, What]} */ ([prizeOf(name), what]))
    .sort((a, b) => a[0] - b[0]);

/**
 * 1 … n.
 * @param {number} n
 */
export const cardsUpTo = (n) => Array.from({ length: n }, (_, index) => index + 1);

/** @param {number[]} cards */
export const ascending = (cards) => [...cards].sort((a, b) => a - b);

/** @type {(some: number[], others: number[]) => boolean} */
export const isSame = (some, others) =>
  some.length === others.length && some.every((card, index) => card === others[index]);

/**
 * Cards without one of them; without any that is not there.
 * @param {number[]} cards
 * @param {number} card
 */
export function without(cards, card) {
  const at = cards.indexOf(card);
  return at < 0 ? cards : [...cards.slice(0, at), ...cards.slice(at + 1)];
}

/**
 * 1 card, 2 cards.
 * @param {number} number
 * @param {string} noun
 */
export const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
