// Step through the rounds that were played: the buttons at the upper edge of the table, and their keys.

import { el } from "./dom.js";

/** Where one looks: a round, or null for the end. @typedef {number | null} Looked */

/** @type {Record<string, (at: number, count: number) => number>} */
const KEYS = {
  home: () => 1,
  arrowleft: (at) => Math.max(at - 1, 1),
  arrowright: (at, count) => Math.min(at + 1, count + 1),
  end: (_, count) => count,
};

/**
 * Where a key leads to from a round; undefined if it is no such key. After the last round comes the end.
 * @type {(key: string, looked: Looked, count: number) => Looked | undefined}
 */
export function stepped(key, looked, count) {
  if (!count || !Object.hasOwn(KEYS, key)) return undefined;
  const to = KEYS[key](looked ?? count + 1, count);
  return to > count ? null : to;
}

/**
 * The buttons.
 * @param {{ looked: Looked, count: number, end: string }} shown `end` says what is after the last round
 * @param {{ look: (round: Looked) => void, playOn: (round: number) => void }} handlers
 */
export function stepper({ looked, count, end }, { look, playOn }) {
  /** @type {(words: string, sign: string, key: string) => HTMLElement} */
  const button = (words, sign, key) => {
    const to = stepped(key, looked, count);
    return el(
      "button",
      {
        type: "button",
        class: "step",
        "data-key": `step ${key}`,
        "aria-label": words,
        title: words,
        "aria-disabled": to === looked ? "true" : null, // it keeps the focus
        onclick: () => (to === undefined || to === looked ? undefined : look(to)),
      },
      el("span", { "aria-hidden": "true" }, sign),
    );
  };
  return el(
    "div",
    { class: "steps", role: "group", "aria-label": "Step through the game" },
    button("First round", "«", "home"),
    button("Previous round", "‹", "arrowleft"),
    el("span", { class: "where" }, looked === null ? end : `Round ${looked} of ${count}`),
    button("Next round", "›", "arrowright"),
    button("Last round", "»", "end"),
    el(
      "button",
      {
        type: "button",
        class: "step on",
        "data-key": "play on",
        disabled: looked === null,
        onclick: () => playOn((looked ?? 1) - 1),
      },
      "Play on from here",
    ),
  );
}
