// Two people at one device: what lies in place of the cards while it changes hands.

import { el } from "./dom.js";

/** As high as the hand, so that nothing moves. @type {(cards: number, ...buttons: HTMLElement[]) => HTMLElement} */
const inPlaceOf = (cards, ...buttons) =>
  el("div", { class: "hand mine passing", vars: { "--count": Math.max(cards, 1) } }, buttons);

/**
 * The screen between two bids: no card of either is in sight.
 * @param {number} cards in a hand
 * @param {string} name of who is to take the device
 * @param {{ seen: () => void, back: () => void }} handlers
 */
export const passButtons = (cards, name, { seen, back }) =>
  inPlaceOf(
    cards,
    el("button", { type: "button", class: "main", "data-key": "hand", onclick: seen }, `I am ${name}: show my cards`),
    el("button", { type: "button", class: "small", "data-key": "take back", onclick: back }, "Take that bid back"),
  );

/** Two people may look at the bids as long as they like: a click anywhere on the table goes on. @type {(cards: number, isOver: boolean) => HTMLElement} */
export const nextButton = (cards, isOver) =>
  inPlaceOf(
    cards,
    el("button", { type: "button", class: "main", "data-key": "hand" }, isOver ? "The result" : "The next prize"),
  );
