// Checksums of what is read (crc32c), and digests that name things and draw by chance (sha256).

const POLYNOMIAL = 0x82f63b78; // Castagnoli's, reflected

const CRC = new Uint32Array(256).map((_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ POLYNOMIAL : rest >>> 1;
  return rest;
});

/**
 * The crc32c of some bytes.
 * @param {Uint8Array} bytes
 */
export function crc32c(bytes) {
  let rest = -1;
  for (let at = 0; at < bytes.length; at += 1) rest = (rest >>> 8) ^ CRC[(rest ^ bytes[at]) & 255];
  return ~rest >>> 0;
}

/** The first 32 bits of the fraction of a number. @param {number} number */
const fraction = (number) => Math.floor((number % 1) * 2 ** 32) >>> 0;

/** @type {number[]} */
const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number += 1) if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
const FIRST = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUND = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

/** @type {(word: number, by: number) => number} */
const turned = (word, by) => (word >>> by) | (word << (32 - by));

/**
 * The sha256 of a text. Browsers have it too, but not for pages without https.
 * @param {string} text
 */
export function sha256(text) {
  const said = new TextEncoder().encode(text);
  const padded = new Uint8Array(Math.ceil((said.length + 9) / 64) * 64);
  padded.set(said);
  padded[said.length] = 128;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, said.length * 8);
  const state = Uint32Array.from(FIRST);
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 64; i += 1) {
      const [early, late] = [words[i - 15], words[i - 2]];
      words[i] =
        i < 16
          ? view.getUint32(block + 4 * i)
          : (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)) +
            words[i - 7] +
            (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)) +
            words[i - 16];
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + words[i];
      const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setUint32(4 * i, word));
  return new Uint8Array(digest.buffer);
}
