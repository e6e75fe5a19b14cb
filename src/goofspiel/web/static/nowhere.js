// What is shown where there is no view.

import { viewAddress } from "./addresses.js";
import { el } from "./dom.js";

/** @import { View, ViewModule } from "./router.js" */

/** @type {() => View} */
const still = () => ({ update: () => undefined, close: () => undefined });

/** An address that leads nowhere. @type {ViewModule} */
export const nowhere = {
  title: "Nothing here",
  open(root) {
    const links = Object.entries({
      play: "Play",
      train: "Train",
      habits: "Learn your habits",
      explore: "Explore a position",
      study: "Study the first move",
    });
    root.append(
      el("h1", {}, "There is nothing at this address"),
      el("p", { class: "intro" }, el("code", {}, location.pathname), " is no part of this page. These are:"),
      el(
        "ul",
        {},
        links.map(([view, words]) => el("li", {}, el("a", { href: viewAddress(view), "data-view": view }, words))),
      ),
    );
    return still();
  },
};

/** A part of the page that cannot be loaded: the host has another version by now, or there is no network. */
export const outdated = /** @type {ViewModule} */ ({
  title: "Not loaded",
  open(root) {
    root.append(
      el("h1", {}, "This part of the page cannot be loaded"),
      el(
        "div",
        { class: "notice", role: "alert" },
        el("p", {}, "Either there is no connection, or the page was updated since you opened it."),
        el("button", { type: "button", onclick: () => location.reload() }, "Load the page again"),
      ),
    );
    return still();
  },
});
