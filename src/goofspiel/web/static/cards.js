// Playing cards, drawn.

import { el, svg } from "./dom.js";
import { cardLabel, cardSpoken } from "./engine/cards.js";

/** @import { Attributes, DrawingAttributes } from "./dom.js" */

/** @typedef {"mine" | "theirs" | "prize"} Owner */
/** @typedef {keyof typeof SHAPES} Suit */

/**
 * Mine are spades, theirs hearts, the prizes diamonds.
 * @type {Record<Owner, Suit>}
 */
export const SUITS = { mine: "spade", theirs: "heart", prize: "diamond" };

export const SHAPES = {
  spade:
    "M50 6C58 24 94 40 94 63C94 78 82 86 71 86C63 86 57 82 53 75C54 84 58 91 65 95L35 95C42 91 46 84 47 75" +
    "C43 82 37 86 29 86C18 86 6 78 6 63C6 40 42 24 50 6Z",
  heart: "M50 94C20 68 5 50 5 31C5 16 16 7 28 7C38 7 46 13 50 23C54 13 62 7 72 7C84 7 95 16 95 31C95 50 80 68 50 94Z",
  diamond: "M50 4C58 20 72 38 86 50C72 62 58 80 50 96C42 80 28 62 14 50C28 38 42 20 50 4Z",
};

// A card is 250 wide and 350 high. Places of the pips: columns and rows.
const [LEFT, MIDDLE, RIGHT] = [86, 125, 164];
const [TOP, UPPER, CENTRE, LOWER, BOTTOM] = [66, 139, 175, 211, 284];
const FOUR = [
  [LEFT, TOP],
  [RIGHT, TOP],
  [LEFT, BOTTOM],
  [RIGHT, BOTTOM],
];
const SIX = [...FOUR, [LEFT, CENTRE], [RIGHT, CENTRE]];
const EIGHT = [...FOUR, [LEFT, UPPER], [RIGHT, UPPER], [LEFT, LOWER], [RIGHT, LOWER]];
/** @type {Record<number, number[][]>} */
const PIPS = {
  2: [
    [MIDDLE, TOP],
    [MIDDLE, BOTTOM],
  ],
  3: [
    [MIDDLE, TOP],
    [MIDDLE, CENTRE],
    [MIDDLE, BOTTOM],
  ],
  4: FOUR,
  5: [...FOUR, [MIDDLE, CENTRE]],
  6: SIX,
  7: [...SIX, [MIDDLE, 120]],
  8: [...SIX, [MIDDLE, 120], [MIDDLE, 230]],
  9: [...EIGHT, [MIDDLE, CENTRE]],
  10: [...EIGHT, [MIDDLE, 102], [MIDDLE, 248]],
};

/** @type {(suit: Suit, x: number, y: number, size: number, turned?: boolean) => SVGElement} */
function pip(suit, x, y, size, turned = false) {
  const turn = turned ? ` rotate(180 ${x} ${y})` : "";
  const place = `translate(${x - size / 2} ${y - size / 2}) scale(${size / 100})`;
  return svg("path", { d: SHAPES[suit], transform: `${turn} ${place}`.trim() });
}

/**
 * @param {string} label
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {DrawingAttributes} more
 */
const text = (label, x, y, size, more = {}) =>
  svg("text", { x, y, "font-size": size, "text-anchor": "middle", ...more }, label);

/** @type {(card: number, suit: Suit) => SVGElement} */
function corner(card, suit) {
  const label = cardLabel(card);
  const narrow = label.length > 1 ? { textLength: 42, lengthAdjust: "spacingAndGlyphs" } : {};
  return svg("g", {}, text(label, 29, 58, 54, narrow), pip(suit, 29, 82, 30));
}

/**
 * A crown with so many points, for Jack, Queen and King.
 * @param {number} points
 */
function crown(points) {
  const [left, right, top, base] = [85, 165, 92, 140];
  const step = (right - left) / (points - 1);
  const tips = Array.from({ length: points }, (_, index) => left + index * step);
  const zigzag = tips
    .map((x, index) => (index ? `L${x - step / 2} ${base - 18}L${x} ${top}` : `M${x} ${top}`))
    .join("");
  return [
    svg("path", { d: `${zigzag}L${right - 8} ${base}L${left + 8} ${base}Z` }),
    ...tips.map((x) => svg("circle", { cx: x, cy: top - 6, r: 7 })),
  ];
}

/** @type {(card: number, suit: Suit) => SVGElement | SVGElement[]} */
function middle(card, suit) {
  if (card === 1) return pip(suit, 125, 175, 130);
  if (PIPS[card]) return PIPS[card].map(([x, y]) => pip(suit, x, y, card > 8 ? 40 : 48, y > CENTRE));
  const frame = svg("rect", { class: "frame", x: 62, y: 48, width: 126, height: 254, rx: 10 });
  if (card > 13) return [frame, text(String(card), 125, 200, 84), pip(suit, 125, 245, 50), pip(suit, 125, 100, 50)];
  return [frame, ...crown(card - 8), text(cardLabel(card), 125, 234, 104), text(String(card), 125, 284, 38)];
}

/**
 * The face of a card, large, and one that is readable when it is small.
 * @param {number} card
 * @param {Suit} suit
 */
function face(card, suit) {
  const whole = svg(
    "g",
    { class: "large" },
    corner(card, suit),
    svg("g", { transform: "rotate(180 125 175)" }, corner(card, suit)),
    middle(card, suit),
  );
  const label = cardLabel(card);
  const narrow = label.length > 1 ? { textLength: 176, lengthAdjust: "spacingAndGlyphs" } : {};
  const plain = svg("g", { class: "small" }, text(label, 125, 172, 176, narrow), pip(suit, 125, 256, 122));
  return svg("svg", { viewBox: "0 0 250 350", "aria-hidden": "true", focusable: "false" }, whole, plain);
}

/**
 * A card that is only looked at.
 * @param {number} card
 * @param {Owner} owner
 * @param {Attributes<HTMLSpanElement>} attributes
 */
export function picture(card, owner, attributes = {}) {
  const { class: more = "", ...rest } = attributes;
  return el("span", { class: `card ${SUITS[owner]} ${more}`, ...rest }, face(card, SUITS[owner]));
}

/**
 * A card that can be pressed; `label` says what that does.
 * @param {number} card
 * @param {Owner} owner
 * @param {string} label
 * @param {Attributes<HTMLButtonElement>} attributes
 */
export function cardButton(card, owner, label, attributes = {}) {
  const { class: more = "", ...rest } = attributes;
  return el(
    "button",
    { type: "button", class: `card ${SUITS[owner]} ${more}`, "aria-label": label, ...rest },
    face(card, SUITS[owner]),
  );
}

/**
 * A card that lies face down.
 * @param {Attributes<HTMLSpanElement>} attributes
 */
export const back = (attributes = {}) => el("span", { ...attributes, class: `card back ${attributes.class ?? ""}` });

/**
 * The place where a card may lie.
 * @param {string} label
 */
export const place = (label) => el("span", { class: "card place" }, el("span", { "aria-hidden": "true" }, label));

/**
 * A card in a line of text or a table.
 * @param {number} card
 * @param {Owner} owner
 */
export const chip = (card, owner) =>
  el(
    "span",
    { class: `chip ${SUITS[owner]}` },
    el("span", {}, cardLabel(card)),
    svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, svg("path", { d: SHAPES[SUITS[owner]] })),
  );

/**
 * Cards for a screen reader: “Ace, 2, King”, or “none”.
 * @param {number[]} cards
 */
export const spokenCards = (cards) => (cards.length ? cards.map(cardSpoken).join(", ") : "none");
