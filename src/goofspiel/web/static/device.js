// What only some views need: their styles, files that are read from this device, and a second thought.

import { el } from "./dom.js";

/** @import { Child } from "./dom.js" */

/**
 * Load the styles of a view.
 * @param {string} name of the file
 */
export const styled = (name) =>
  new Promise((resolve, reject) => {
    const { href } = new URL(`./${name}`, import.meta.url);
    if ([...document.querySelectorAll("link")].some((link) => link.href === href)) resolve(null);
    else document.head.append(el("link", { rel: "stylesheet", href, onload: resolve, onerror: reject }));
  });

/**
 * A button that reads a file of this device.
 * @param {string} words
 * @param {string} kinds of files
 * @param {(text: string) => void} read
 */
export const fileButton = (words, kinds, read) =>
  el(
    "button",
    {
      type: "button",
      class: "small",
      onclick: () => {
        const field = el("input", { type: "file", accept: kinds });
        field.addEventListener("change", () => void field.files?.[0]?.text().then(read));
        field.click();
      },
    },
    words,
  );

/**
 * Something that cannot be undone: it is asked once more.
 * @param {string} words
 * @param {string} warning
 * @param {string} act what the second button says
 * @param {() => void} done
 * @param {Child[]} more
 */
export const afterAsking = (words, warning, act, done, ...more) =>
  el(
    "details",
    { class: "asking" },
    el("summary", {}, words),
    el("p", {}, warning, more),
    el("button", { type: "button", class: "small", onclick: done }, act),
  );
