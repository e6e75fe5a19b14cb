// Edit a position by clicking cards.

import { cardButton } from "./cards.js";
import { el, hidden } from "./dom.js";
import { cardLabel, cardSpoken, cardsUpTo, MAX_LEAD, prizesOf, turnUp, writePosition } from "./notation.js";

/** @import { Owner } from "./cards.js" */
/** @import { Child } from "./dom.js" */
/** @import { Position } from "./notation.js" */

/** @typedef {(position: Position) => void} Change  Takes the new position. */
/** @typedef {(text: string) => void} Read  Takes the text of the notation. */

/** @type {(cards: number[], card: number) => number[]} */
const toggled = (cards, card) =>
  cards.includes(card) ? cards.filter((other) => other !== card) : [...cards, card].sort((a, b) => a - b);

/**
 * The rows of cards, the lead and the notation; `text` is one that cannot be read; `more` stands beside them.
 * @param {Position} position
 * @param {{ size: number, text: string | null, problem: string | null }} state
 * @param {{ change: Change, read: Read }} handlers
 * @param {Child[]} more
 */
export function editor(position, { size, text, problem }, { change, read }, ...more) {
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
    row("Prizes left", "prize", cards, {
      isOn: (card) => prizesOf(position).includes(card),
      isUp: (card) => card === position.upcard,
      label: (card) => `${cardSpoken(card)} among the prizes left`,
      pick: (card) =>
        change(
          card === position.upcard ? { ...position, upcard: 0 } : { ...position, deck: toggled(position.deck, card) },
        ),
    }),
    upcardRow(position, change),
  ];
  const fields = [leadField(position, change), notationField(text ?? writePosition(position), read, problem)];
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

/** @type {(position: Position, change: Change) => HTMLElement} */
function upcardRow(position, change) {
  /** @param {number} card */
  const option = (card) =>
    el(
      "button",
      {
        type: "button",
        class: "option",
        "aria-pressed": String(card === position.upcard),
        "data-key": `up ${card}`,
        onclick: () => change(card ? turnUp(position, card) : { ...position, deck: prizesOf(position), upcard: 0 }),
      },
      card ? [el("span", { "aria-hidden": "true" }, cardLabel(card)), hidden(cardSpoken(card))] : "none yet",
    );
  return rowOf("Turned up", [0, ...prizesOf(position)].map(option), "options");
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

/** @type {(position: Position, change: Change) => HTMLElement} */
function leadField(position, change) {
  /** @param {number} value */
  const lead = (value) =>
    change({ ...position, lead: Math.max(-MAX_LEAD, Math.min(MAX_LEAD, Math.trunc(value) || 0)) });
  /** @type {(by: number, sign: string, words: string) => HTMLElement} */
  const step = (by, sign, words) =>
    el(
      "button",
      { type: "button", "aria-label": words, "data-key": words, onclick: () => lead(position.lead + by) },
      sign,
    );
  return el(
    "div",
    { class: "field" },
    el("label", { for: "lead" }, "Your lead in points"),
    el(
      "span",
      { class: "stepper" },
      step(-1, "−", "One point less"),
      el("input", {
        id: "lead",
        type: "number",
        min: -MAX_LEAD,
        max: MAX_LEAD,
        value: position.lead,
        "data-key": "lead",
        onchange: (event) => lead(Number(event.currentTarget.value)),
      }),
      step(1, "+", "One point more"),
    ),
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
