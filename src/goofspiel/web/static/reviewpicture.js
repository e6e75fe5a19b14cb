// A review as a picture: drawn on a canvas, in colours of its own.

import { SHAPES, SUITS } from "./cards.js";
import { ticks } from "./chart.js";
import { cost, isFree, percent, signed } from "./format.js";
import { cardLabel, cardOf, prizeOf } from "./engine/cards.js";
import { otherSide } from "./game.js";
import { DIGITS, supportOf, totalsOf, verdict } from "./review.js";
import { gameLine, resultLine } from "./reviewtext.js";

/** @import { Review, ReviewedRound } from "./api.js" */
/** @import { Owner } from "./cards.js" */
/** @import { About } from "./review.js" */

const [WIDTH, MARGIN, SCALE] = [1080, 48, 2];
const [HEAD, CURVE, ROW] = [150, 250, 40]; // heights in pixels
const COLOURS = {
  page: "#fffdf8",
  felt: "#2c6350",
  light: "#f4f6ee",
  ink: "#1c2420",
  soft: "#55605a",
  line: "#dcd7c9",
  sunk: "#ece8dc",
  worst: "#fff0e2",
  cost: "#b4500a",
};
/** @type {Record<Owner, string>} */
const INKS = { mine: "#24405f", theirs: "#a3203a", prize: "#8a5200" };
const SERIF = '"Iowan Old Style", "Palatino Linotype", Palatino, P052, Georgia, serif';
const SANS = 'Inter, system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';

/** @typedef {CanvasRenderingContext2D} Pen */

/**
 * The picture.
 * @type {(review: Review, about: About) => HTMLCanvasElement}
 */
export function reviewPicture(review, about) {
  const canvas = document.createElement("canvas");
  const pen = /** @type {Pen} */ (canvas.getContext("2d"));
  pen.font = `22px ${SERIF}`;
  const words = verdict(review, DIGITS[review.objective]).flatMap((sentence) => wrapped(pen, sentence, WIDTH - 2 * MARGIN));
  const [top, boxes] = [HEAD + 28 + 32 * words.length, 92];
  const height = top + boxes + CURVE + ROW * (review.rounds.length + 1) + 84;
  [canvas.width, canvas.height] = [WIDTH * SCALE, height * SCALE];
  pen.scale(SCALE, SCALE);
  block(pen, COLOURS.page, 0, 0, WIDTH, height);
  block(pen, COLOURS.felt, 0, 0, WIDTH, HEAD);
  write(pen, resultLine(about), MARGIN, 76, `600 44px ${SERIF}`, COLOURS.light);
  write(pen, gameLine(about), MARGIN, 116, `20px ${SANS}`, COLOURS.light);
  (/** @type {Owner[]} */ (["mine", "theirs", "prize"])).forEach((owner, at) =>
    suit(pen, owner, WIDTH - MARGIN - 126 + 44 * at, 52, 36, COLOURS.light),
  );
  words.forEach((line, at) => write(pen, line, MARGIN, HEAD + 44 + 32 * at, `22px ${SERIF}`, COLOURS.ink));
  totals(pen, review, top);
  curve(pen, review, top + boxes);
  const from = top + boxes + CURVE + 20;
  heads(pen, from);
  review.rounds.forEach((round, at) => row(pen, review, about, round, from + ROW * (at + 1)));
  write(pen, review.record, MARGIN, height - 22, `16px ${SANS}`, COLOURS.soft);
  return canvas;
}

/** @type {(pen: Pen, colour: string, x: number, y: number, width: number, height: number) => void} */
function block(pen, colour, x, y, width, height) {
  pen.fillStyle = colour;
  pen.fillRect(x, y, width, height);
}

/** @type {(pen: Pen, text: string, x: number, y: number, font: string, colour: string, align?: CanvasTextAlign, most?: number) => void} */
function write(pen, text, x, y, font, colour, align = "left", most = WIDTH - 2 * MARGIN) {
  Object.assign(pen, { font, fillStyle: colour, textAlign: align });
  pen.fillText(text, x, y, most);
}

/** @type {(pen: Pen, text: string, width: number) => string[]} */
function wrapped(pen, text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (pen.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** @type {(pen: Pen, owner: Owner, x: number, y: number, size: number, colour: string) => void} */
function suit(pen, owner, x, y, size, colour) {
  pen.save();
  pen.translate(x, y);
  pen.scale(size / 100, size / 100);
  pen.fillStyle = colour;
  pen.fill(new Path2D(SHAPES[SUITS[owner]]));
  pen.restore();
}

/** @type {(pen: Pen, review: Review, top: number) => void} */
function totals(pen, review, top) {
  const all = totalsOf(review);
  const width = (WIDTH - 2 * MARGIN - 12 * (all.length - 1)) / all.length;
  all.forEach(([words, number], at) => {
    const x = MARGIN + at * (width + 12);
    block(pen, COLOURS.sunk, x, top, width, 80);
    pen.font = `14px ${SANS}`;
    wrapped(pen, words, width - 20).forEach((line, row) =>
      write(pen, line, x + 10, top + 20 + 16 * row, `14px ${SANS}`, COLOURS.soft),
    );
    write(pen, number, x + 10, top + 71, `600 26px ${SERIF}`, COLOURS.ink);
  });
}

/** @type {(pen: Pen, review: Review, top: number) => void} */
function curve(pen, review, top) {
  const values = [review.start, ...review.rounds.map((round) => round.value_after)];
  const reach = Math.max(1e-9, ...values.map(Math.abs));
  const most = review.objective === "win" ? 1 : Infinity;
  const least = Math.max(-most, Math.min(0, ...values) - 0.06 * reach);
  const lines = ticks(least, Math.min(most, Math.max(0, ...values) + 0.06 * reach), 5);
  const [low, high] = [lines[0], lines[lines.length - 1]];
  const [left, right, upper, lower] = [MARGIN + 52, WIDTH - MARGIN, top + 18, top + CURVE - 34];
  /** @param {number} at */
  const x = (at) => left + (at * (right - left)) / Math.max(1, values.length - 1);
  /** @param {number} value */
  const y = (value) => upper + ((high - value) * (lower - upper)) / (high - low);
  const digits = Math.max(0, Math.ceil(-Math.log10(lines[1] - lines[0]) - 1e-9));
  for (const value of lines) {
    block(pen, Math.abs(value) < 1e-9 ? COLOURS.soft : COLOURS.line, left, y(value), right - left, 1);
    write(pen, signed(value, digits), left - 10, y(value) + 5, `14px ${SANS}`, COLOURS.soft, "right");
  }
  review.rounds.forEach((round, at) => {
    if (isFree(round.cost)) return;
    const end = Math.max(y(round.value_after + round.cost), upper);
    block(pen, COLOURS.cost, x(at + 1) - 3, end, 6, y(round.value_after) - end);
  });
  pen.beginPath();
  values.forEach((value, at) => pen.lineTo(x(at), y(value)));
  Object.assign(pen, { strokeStyle: INKS.mine, lineWidth: 3, lineJoin: "round" });
  pen.stroke();
  values.forEach((value, at) => {
    pen.beginPath();
    pen.arc(x(at), y(value), 5, 0, 2 * Math.PI);
    pen.fillStyle = COLOURS.page;
    pen.fill();
    pen.stroke();
    write(pen, at ? String(at) : "start", x(at), lower + 26, `14px ${SANS}`, COLOURS.soft, "center");
  });
}

// Where the columns of the rounds are: the right edge of numbers, the left one of cards and mixes.
const PLACES = { round: 84, prize: 120, mine: 206, theirs: 292, expected: 450, cost: 550, mix: 586 };

/** @type {(pen: Pen, y: number) => void} */
function heads(pen, y) {
  /** @type {[string, number, CanvasTextAlign][]} */
  const all = [
    ["Round", PLACES.round, "right"],
    ["Prize", PLACES.prize, "left"],
    ["You", PLACES.mine, "left"],
    ["They", PLACES.theirs, "left"],
    ["Expected", PLACES.expected, "right"],
    ["Cost", PLACES.cost, "right"],
    ["Perfect mix, your bid marked", PLACES.mix, "left"],
  ];
  for (const [words, x, align] of all) write(pen, words, x, y + 26, `14px ${SANS}`, COLOURS.soft, align);
}

/** @type {(pen: Pen, review: Review, about: About, round: ReviewedRound, y: number) => void} */
function row(pen, review, { side }, round, y) {
  const digits = DIGITS[review.objective];
  const isWorst = round.round === review.worst && !isFree(round.cost);
  if (isWorst) block(pen, COLOURS.worst, MARGIN, y, WIDTH - 2 * MARGIN, ROW);
  block(pen, COLOURS.line, MARGIN, y, WIDTH - 2 * MARGIN, 1);
  const base = y + 27;
  /** @type {(column: Owner, value: number, owner?: Owner) => void} */
  const card = (column, value, owner = column) => {
    if (!value) return;
    write(pen, cardLabel(value), PLACES[column], base, `600 20px ${SANS}`, INKS[owner]);
    suit(pen, owner, PLACES[column] + pen.measureText(cardLabel(value)).width + 4, base - 15, 16, INKS[owner]);
  };
  write(pen, String(round.round), PLACES.round, base, `18px ${SANS}`, COLOURS.ink, "right");
  card("prize", prizeOf(round.upcard));
  if (round.pot) write(pen, `+${round.pot}`, PLACES.prize + 46, base, `16px ${SANS}`, COLOURS.soft);
  card("mine", cardOf(round.mine ?? ""), side);
  card("theirs", cardOf(round.theirs ?? ""), otherSide(side));
  write(pen, signed(round.value_after, digits), PLACES.expected, base, `18px ${SANS}`, COLOURS.ink, "right");
  write(pen, cost(round.cost, digits), PLACES.cost, base, `18px ${SANS}`, isWorst ? COLOURS.cost : COLOURS.soft, "right");
  mix(pen, round, base);
}

/** @type {(pen: Pen, round: ReviewedRound, base: number) => void} */
function mix(pen, { mix: shares, mine }, base) {
  const bid = cardOf(mine ?? "");
  const support = supportOf(shares);
  if (bid && !support.some(([card]) => card === bid)) support.push([bid, 0]);
  const shown = support.map(([card, chance]) => {
    const text = `${cardLabel(card)} ${percent(chance)}`;
    pen.font = `${card === bid ? "700" : "400"} 16px ${SANS}`;
    return { card, text, font: pen.font, width: pen.measureText(text).width };
  });
  const all = shown.reduce((sum, { width }) => sum + width + 14, PLACES.mix);
  if (all > WIDTH - MARGIN) shown.sort((a, b) => Number(b.card === bid) - Number(a.card === bid)); // the bid is always seen
  let x = PLACES.mix;
  for (const { card, text, font, width } of shown) {
    pen.font = font;
    if (x + width > WIDTH - MARGIN - 16) return write(pen, "…", x, base, pen.font, COLOURS.soft);
    write(pen, text, x, base, pen.font, card === bid ? COLOURS.ink : COLOURS.soft);
    if (card === bid) block(pen, COLOURS.ink, x, base + 5, width, 2);
    x += width + 14;
  }
}
