// Start the page.

import * as explore from "./explore.js";
import * as play from "./play.js";
import { startRouter } from "./router.js";
import * as study from "./study.js";
import { themeButton } from "./theme.js";

themeButton(document.getElementById("theme"));
startRouter(document.getElementById("room"), { play, explore, study }, { fallback: "play" });
