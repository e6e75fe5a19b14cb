// A review for others: its link, its text, its picture.

import { loaded } from "./api.js";
import { el, fill } from "./dom.js";
import { reviewText } from "./reviewtext.js";

/** @import { Review } from "./api.js" */
/** @import { About } from "./review.js" */

/**
 * The buttons; what became of it is said beside them.
 * @param {Review} review
 * @param {About} about
 */
export function sharing(review, about) {
  const said = el("span", { class: "remark", role: "status" });
  const refused = el("div", {});
  /** @type {(what: string, text: string) => Promise<void>} */
  const copy = async (what, text) => {
    fill(refused);
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = `${what} copied.`;
    } catch {
      said.textContent = "Your browser does not let pages copy: it is here, to be copied by hand.";
      fill(refused, byHand(what, text));
    }
  };
  /** @param {(picture: HTMLCanvasElement) => Promise<void> | void} use */
  const drawn = async (use) => {
    try {
      const { reviewPicture } = await loaded(import("./reviewpicture.js"));
      await use(reviewPicture(review, about));
    } catch (error) {
      said.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  const copyPicture = () =>
    drawn(async (picture) => {
      try {
        await navigator.clipboard.write([new ClipboardItem({ "image/png": blobOf(picture) })]);
        said.textContent = "Image copied.";
      } catch {
        said.textContent = "Your browser does not let pages copy images: save it instead.";
      }
    });
  const savePicture = () =>
    drawn((picture) => {
      el("a", { href: picture.toDataURL("image/png"), download: "goofspiel-review.png" }).click();
      said.textContent = "Image saved.";
    });
  /** @type {(words: string, act: () => Promise<void>) => HTMLElement} */
  const button = (words, act) =>
    el("button", { type: "button", "data-key": `share ${words}`, onclick: () => void act() }, words);
  return el(
    "div",
    { class: "sharing", role: "group", "aria-label": "Share the review" },
    button("Copy link", () => copy("Link", location.href)),
    button("Copy text", () => copy("Text", reviewText(review, about, location.href))),
    button("Copy image", copyPicture),
    button("Save image", savePicture),
    said,
    refused,
  );
}

/** @type {(what: string, text: string) => HTMLElement} */
const byHand = (what, text) => {
  const field = el("textarea", { "aria-label": what, rows: 4, readonly: true, onfocus: () => field.select() }, text);
  return field;
};

/** @param {HTMLCanvasElement} picture @returns {Promise<Blob>} */
const blobOf = (picture) =>
  new Promise((resolve, reject) =>
    picture.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the image is too large"))), "image/png"),
  );
