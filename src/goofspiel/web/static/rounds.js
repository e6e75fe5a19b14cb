// The rounds of a game that were played, beside the table.

import { chip } from "./cards.js";
import { el } from "./dom.js";
import { gameAfter, isShared, namesOf, playedOf, taker, takings, total } from "./game.js";

/** @import { Game } from "./game.js" */
/** @import { Looked } from "./steps.js" */

/**
 * A list, the last round first; `back` takes the game back to before a round, `look` shows one again.
 * @param {Game} game
 * @param {{ looked: Looked, look: (round: Looked) => void, back: (round: number) => void }} handlers
 */
export function roundsPanel(game, { looked, look, back }) {
  const [played, names] = [playedOf(game), namesOf(game)];
  const rows = played.map((round, index) => {
    const pot = total(takings(gameAfter(game, index)).pot);
    const mine = isShared(game) ? names.mine : "you";
    const who = { mine, theirs: names.them, nobody: game.rules.carry ? "the pot" : "nobody" }[taker(round)];
    return el(
      "tr",
      { class: taker(round), "aria-current": looked === index + 1 ? "true" : null },
      el(
        "th",
        { scope: "row" },
        el(
          "button",
          {
            type: "button",
            class: "small",
            "data-key": `look ${index}`,
            "aria-label": `Look at round ${index + 1}`,
            title: `Look at round ${index + 1}`,
            onclick: () => look(index + 1),
          },
          String(index + 1),
        ),
      ),
      el("td", {}, chip(round.upcard, "prize"), pot ? ` +${pot}` : null),
      el("td", {}, chip(round.mine, "mine")),
      el("td", {}, chip(round.theirs, "theirs")),
      el("td", {}, who),
      el(
        "td",
        {},
        el(
          "button",
          {
            type: "button",
            class: "small",
            "data-key": `back ${index}`,
            "aria-label": `Play on from round ${index + 1}`,
            title: `Play on from round ${index + 1}`,
            onclick: () => back(index),
          },
          "↶",
        ),
      ),
    );
  });
  const head = ["Round", "Prize", names.mine, names.theirs, "Taken by", ""];
  return el(
    "section",
    { class: "panel history", "aria-labelledby": "rounds-title" },
    el("h2", { id: "rounds-title" }, "Rounds"),
    rows.length
      ? el(
          "table",
          {},
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              head.map((words) => (words ? el("th", { scope: "col" }, words) : el("td", {}))),
            ),
          ),
          el("tbody", {}, rows.reverse()),
        )
      : el("p", { class: "faint" }, "What was bid, and who took what, is listed here."),
  );
}
