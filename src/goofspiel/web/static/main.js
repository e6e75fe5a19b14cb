// Start the page.

import * as explore from "./explore.js";
import * as play from "./play.js";
import { startRouter } from "./router.js";
import * as study from "./study.js";
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

themeButton(part("theme"));
startRouter(part("view"), { play, explore, study }, { fallback: "play" });
