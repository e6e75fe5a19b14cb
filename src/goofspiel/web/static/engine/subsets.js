// Subsets of up to 16 things as bit masks: how many there are, and their colexicographic ranks.

const MOST = 33;

/** Binomial coefficients, `CHOOSE[n][k]`; 0 where k is more than n. */
export const CHOOSE = Array.from({ length: MOST }, () => new Array(MOST).fill(0));
for (let n = 0; n < MOST; n += 1)
  for (let k = 0; k <= n; k += 1) CHOOSE[n][k] = k === 0 ? 1 : CHOOSE[n - 1][k - 1] + CHOOSE[n - 1][k];

/**
 * How many bits are set.
 * @param {number} mask
 */
export function sizeOf(mask) {
  let size = 0;
  for (let left = mask; left; left &= left - 1) size += 1;
  return size;
}

/**
 * The rank of a mask among those with as many bits, in numeric order: the sum of C(sᵢ, i) over its bits s₁ < s₂ < …
 * @param {number} mask
 */
export function rankOf(mask) {
  let [rank, count] = [0, 0];
  for (let left = mask; left; left &= left - 1) rank += CHOOSE[31 - Math.clz32(left & -left)][(count += 1)];
  return rank;
}

/**
 * All masks of so many of the bits 0 … n − 1, in the order of their ranks.
 * @param {number} n
 * @param {number} size
 */
export function allSubsets(n, size) {
  const found = [];
  for (let mask = 0; mask < 1 << n; mask += 1) if (sizeOf(mask) === size) found.push(mask);
  return found;
}

/**
 * The bits of a mask at the places of `kept`, moved together.
 * @param {number} mask
 * @param {number} kept
 */
export function squeeze(mask, kept) {
  let [squeezed, place] = [0, 1];
  for (let left = kept; left; left &= left - 1, place <<= 1) if (mask & left & -left) squeezed |= place;
  return squeezed;
}

/**
 * A hand as a mask: bit (card − 1) is set.
 * @param {number[]} cards
 */
export const maskOf = (cards) => cards.reduce((mask, card) => mask | (1 << (card - 1)), 0);

/**
 * The cards of a mask, ascending.
 * @param {number} mask
 */
export function cardsOf(mask) {
  const cards = [];
  for (let left = mask; left; left &= left - 1) cards.push(32 - Math.clz32(left & -left));
  return cards;
}
