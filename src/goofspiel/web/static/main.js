// Start the page.

import { ROOT } from "./addresses.js";
import { ask } from "./api.js";
import { el } from "./dom.js";
import { keepOffline } from "./offline.js";
import { startRouter } from "./router.js";
import { themeButton } from "./theme.js";

/**
 * An element of index.html.
 * @param {string} id
 */
function part(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}

/** What else the host has: its API, or a notice of what it holds. */
async function more() {
  const { hasApi } = await ask("tables");
  const [words, address] = hasApi ? ["The API answers programs", "api/v1/docs"] : ["What this site holds", "NOTICE.txt"];
  part("more").append(el("a", { href: `${ROOT}${address}` }, words), ".");
}

themeButton(part("theme"));
const views = {
  play: () => import("./play.js"),
  guide: () => import("./guide.js"),
  train: () => import("./train.js"),
  habits: () => import("./habits.js"),
  explore: () => import("./explore.js"),
  study: () => import("./study.js"),
};
startRouter(part("view"), views, { fallback: "play", newcomer: "guide" });
void more().catch(() => null); // what is wrong is said where something is asked
void keepOffline(part("offline"));
