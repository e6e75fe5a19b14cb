// Edit a position by clicking cards.

import { cardButton } from "./cards.js";
import { el, hidden } from "./dom.js";
import { ascending, cardLabel, cardSpoken, cardsUpTo, without } from "./engine/cards.js";
import { beforeUpcard, countOf, mostPoints, prizesOf, turnUp, writePosition } from "./engine/notation.js";
import { nests } from "./engine/rules.js";

/** @import { Owner } from "./cards.js" */
/** @import { Child } from "./dom.js" */
/** @import { Position } from "./engine/notation.js" */
/** @import { Rules } from "./engine/rules.js" */

/** @typedef {(position: Position) => void} Change  Takes the new position. */
/** @typedef {(text: string) => void} Read  Takes the text of the notation. */

/** @type {(cards: number[], card: number) => number[]} */
const toggled = (cards, card) =>
  cards.includes(card) ? cards.filter((other) => other !== card) : [...cards, card].sort((a, b) => a - b);

/**
 * The rows of cards, the lead and the notation; `text` is one that cannot be read; `more` stands beside them.
 * @param {Position} position
 * @param {{ rules: Rules, size: number, text: string | null, problem: string | null }} state
 * @param {{ change: Change, read: Read }} handlers
 * @param {Child[]} more
 */
export function editor(position, { rules, size, text, problem }, { change, read }, ...more) {
  const cards = cardsUpTo(size);
  /** @type {(field: "mine" | "theirs") => (card: number) => void} */
  const toggle = (field) => (card) => change({ ...position, [field]: toggled(position[field], card) });
  const rows = [
    row("Your hand", "mine", cards, {
      isOn: (card) => position.mine.includes(card),
      label: (card) => `${cardSpoken(card)} in your hand`,
      pick: toggle("mine"),
    }),
    row("Their hand", "theirs", cards, {
      isOn: (card) => position.theirs.includes(card),
      label: (card) => `${cardSpoken(card)} in their hand`,
      pick: toggle("theirs"),
    }),
    prizeRow(position, nests(rules) ? cards : (rules.order ?? rules.prizes), rules, change),
    upcardRow(position, rules, change),
  ];
  const most = mostPoints(rules);
  const fields = [
    pointsField("lead", "Your lead in points", position.lead, [-most, most], (lead) => change({ ...position, lead })),
    rules.carry
      ? pointsField("pot", "Points in the pot", position.pot, [0, most], (pot) => change({ ...position, pot }))
      : null,
    notationField(text ?? writePosition(position), read, problem),
  ];
  return [el("div", { class: "edit-rows" }, rows), el("div", { class: "fields" }, fields, more)];
}

/**
 * @typedef {object} Buttons
 * @property {(card: number) => boolean} isOn
 * @property {(card: number) => boolean} [isUp]
 * @property {(card: number) => string} label
 * @property {(card: number) => void} pick
 */

/** @type {(name: string, owner: Owner, cards: number[], buttons: Buttons) => HTMLElement} */
function row(name, owner, cards, { isOn, isUp = () => false, label, pick }) {
  return rowOf(
    name,
    cards.map((card) =>
      cardButton(card, owner, label(card), {
        class: `${isOn(card) ? "on" : "off"} ${isUp(card) ? "up" : ""}`,
        "aria-pressed": String(isOn(card)),
        "data-key": `${owner} ${card}`,
        onclick: () => pick(card),
      }),
    ),
  );
}

/**
 * The prizes that are left. Several may be worth the same; in a known order they are those that the hands leave.
 * @param {Position} position
 * @param {number[]} prizes
 * @param {Rules} rules
 * @param {Change} change
 */
function prizeRow(position, prizes, rules, change) {
  const left = rules.order ? beforeUpcard(position, true).deck : prizesOf(position);
  // Of equal prizes the first ones are shown as left.
  const isLeft = prizes.map((prize, at) =>
    rules.order ? at >= prizes.length - left.length : countOf(prizes.slice(0, at), prize) < countOf(left, prize),
  );
  const up = rules.order
    ? prizes.length - left.length
    : prizes.findIndex((prize, at) => prize === position.upcard && isLeft[at]);
  const buttons = prizes.map((prize, at) =>
    cardButton(prize, "prize", `${cardSpoken(prize)} among the prizes left`, {
      class: `${isLeft[at] ? "on" : "off"} ${position.upcard && at === up ? "up" : ""}`,
      "aria-pressed": String(isLeft[at]),
      "aria-disabled": rules.order ? "true" : null,
      "data-key": `prize ${prize} ${at}`,
      onclick: rules.order ? null : () => change(withPrize(position, prize, !isLeft[at])),
    }),
  );
  return rowOf(rules.order ? "Prizes in order" : "Prizes left", buttons);
}

/** @type {(position: Position, prize: number, added: boolean) => Position} */
function withPrize(position, prize, added) {
  if (added) return { ...position, deck: ascending([...position.deck, prize]) };
  return position.deck.includes(prize)
    ? { ...position, deck: without(position.deck, prize) }
    : { ...position, upcard: 0 };
}

/** @type {(position: Position, rules: Rules, change: Change) => HTMLElement} */
function upcardRow(position, rules, change) {
  const before = beforeUpcard(position, Boolean(rules.order));
  const choices = rules.order ? before.deck.slice(0, 1) : [...new Set(before.deck)];
  /** @param {number} card */
  const option = (card) =>
    el(
      "button",
      {
        type: "button",
        class: "option",
        "aria-pressed": String(card === position.upcard),
        "data-key": `up ${card}`,
        onclick: () => change(card ? turnUp(before, card, Boolean(rules.order)) : before),
      },
      card ? [el("span", { "aria-hidden": "true" }, cardLabel(card)), hidden(cardSpoken(card))] : "none yet",
    );
  return rowOf("Turned up", [0, ...choices].map(option), "options");
}

/** @type {Record<string, number>} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * A row of buttons: Tab reaches one of them, arrow keys the others.
 * @param {string} name
 * @param {HTMLButtonElement[]} buttons
 * @param {string} extra
 */
function rowOf(name, buttons, extra = "cards") {
  buttons.forEach((button, index) => button.setAttribute("tabindex", index ? "-1" : "0"));
  /** @param {Event} event */
  const focus = (event) => {
    if (buttons.some((button) => button === event.target))
      buttons.forEach((b) => b.setAttribute("tabindex", b === event.target ? "0" : "-1"));
  };
  /** @param {KeyboardEvent} event */
  const walk = (event) => {
    const step = STEPS[event.key];
    const at = buttons.findIndex((button) => button === event.target);
    if (!step || at < 0) return;
    buttons[(at + step + buttons.length) % buttons.length].focus();
    event.preventDefault();
  };
  return el(
    "div",
    { class: "edit-row" },
    el("span", { class: "row-name", "aria-hidden": "true" }, name),
    el("div", { class: extra, role: "group", "aria-label": name, onfocusin: focus, onkeydown: walk }, buttons),
  );
}

/**
 * @param {"lead" | "pot"} id
 * @param {string} label
 * @param {number} value
 * @param {[number, number]} range
 * @param {(points: number) => void} set
 */
function pointsField(id, label, value, [least, most], set) {
  const wrong = el("span", { class: "wrong", role: "alert", id: `${id}-wrong` });
  /** @param {number} points */
  const bounded = (points) => set(Math.max(least, Math.min(most, points)));
  /** @param {HTMLInputElement} input */
  const typed = (input) => {
    const points = Number(input.value || NaN);
    if (Number.isInteger(points) && points >= least && points <= most) return set(points);
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", wrong.id);
    const signs = [least, most].map((number) => String(number).replace("-", "−")).join(" to ");
    wrong.textContent = `A whole number from ${signs}. Until then it stays at ${String(value).replace("-", "−")}.`;
  };
  /** @type {(by: number, sign: string, words: string) => HTMLElement} */
  const step = (by, sign, words) =>
    el(
      "button",
      { type: "button", "aria-label": words, "data-key": `${id} ${words}`, onclick: () => bounded(value + by) },
      sign,
    );
  const where = id === "lead" ? "" : " in the pot";
  return el(
    "div",
    { class: "field" },
    el("label", { for: id }, label),
    el(
      "span",
      { class: "stepper" },
      step(-1, "−", `One point less${where}`),
      el("input", {
        id,
        type: "number",
        min: least,
        max: most,
        value,
        "data-key": id,
        onchange: (event) => typed(event.currentTarget),
      }),
      step(1, "+", `One point more${where}`),
    ),
    wrong,
  );
}

/** @type {(text: string, read: Read, problem: string | null) => HTMLElement} */
function notationField(text, read, problem) {
  const input = el("input", {
    id: "notation",
    name: "position",
    type: "text",
    value: text,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    "data-key": "notation",
    "aria-invalid": problem ? "true" : null,
    "aria-describedby": problem ? "problem" : null,
  });
  return el(
    "form",
    {
      class: "field notation",
      onsubmit: (event) => {
        event.preventDefault();
        read(input.value);
      },
    },
    el("label", { for: "notation" }, "In notation"),
    el(
      "span",
      { class: "stepper" },
      input,
      el("button", { type: "submit", "data-key": "show notation" }, "Show"),
    ),
  );
}
