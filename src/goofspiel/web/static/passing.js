// Two people at one device: what lies in place of the cards while it changes hands.

import { el } from "./dom.js";

/**
 * The screen between two bids: no card of either is in sight.
 * @param {string} name of who is to take the device
 * @param {{ seen: () => void, back: () => void }} handlers
 */
export const passButtons = (name, { seen, back }) =>
  el(
    "div",
    { class: "hand mine passing" },
    el("button", { type: "button", class: "main", "data-key": "hand", onclick: seen }, `I am ${name}: show my cards`),
    el("button", { type: "button", class: "small", "data-key": "take back", onclick: back }, "Take that bid back"),
  );

/** Two people may look at the bids as long as they like: a click anywhere on the table goes on. @param {boolean} isOver */
export const nextButton = (isOver) =>
  el(
    "div",
    { class: "hand mine passing" },
    el("button", { type: "button", class: "main", "data-key": "hand" }, isOver ? "The result" : "The next prize"),
  );
