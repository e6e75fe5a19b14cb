// Edit a position by clicking cards.

import { cardButton } from "./cards.js";
import { el, hidden } from "./dom.js";
import { cardLabel, cardSpoken, cardsUpTo, MAX_LEAD, prizesOf, turnUp, writePosition } from "./notation.js";

const toggled = (cards, card) =>
  cards.includes(card) ? cards.filter((other) => other !== card) : [...cards, card].sort((a, b) => a - b);

/**
 * The rows of cards, the lead and the notation; `text` is one that cannot be read. `change` takes the new position,
 * `read` the text of the notation; `more` stands beside them.
 */
export function editor(position, { size, text, problem }, { change, read }, ...more) {
  const cards = cardsUpTo(size);
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

function upcardRow(position, change) {
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

/** A row of buttons: Tab reaches one of them, arrow keys the others. */
function rowOf(name, buttons, extra = "cards") {
  buttons.forEach((button, index) => button.setAttribute("tabindex", index ? "-1" : "0"));
  const focus = (event) => {
    if (buttons.includes(event.target))
      buttons.forEach((b) => b.setAttribute("tabindex", b === event.target ? "0" : "-1"));
  };
  const walk = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = buttons.indexOf(event.target);
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

function leadField(position, change) {
  const lead = (value) =>
    change({ ...position, lead: Math.max(-MAX_LEAD, Math.min(MAX_LEAD, Math.trunc(value) || 0)) });
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
        onchange: (event) => lead(Number(event.target.value)),
      }),
      step(1, "+", "One point more"),
    ),
  );
}

function notationField(text, read, problem) {
  return el(
    "form",
    {
      class: "field notation",
      onsubmit: (event) => {
        event.preventDefault();
        read(event.target.elements.position.value);
      },
    },
    el("label", { for: "notation" }, "In notation"),
    el(
      "span",
      { class: "stepper" },
      el("input", {
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
      }),
      el("button", { type: "submit", "data-key": "show notation" }, "Show"),
    ),
  );
}
