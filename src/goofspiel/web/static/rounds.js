// The rounds of a game that were played, beside the table.

import { chip } from "./cards.js";
import { el } from "./dom.js";
import { playedOf, taker, takings, total } from "./game.js";

/** @import { Game } from "./game.js" */

/**
 * A list, the last round first; `back` takes the game back to before a round.
 * @param {Game} game
 * @param {(round: number) => void} back
 */
export function roundsPanel(game, back) {
  const played = playedOf(game);
  const rows = played.map((round, index) => {
    const pot = total(takings({ ...game, rounds: played.slice(0, index) }).pot);
    const who = { mine: "you", theirs: "they", nobody: game.rules.carry ? "the pot" : "nobody" }[taker(round)];
    return el(
      "tr",
      { class: taker(round) },
      el("th", { scope: "row" }, String(index + 1)),
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
  const head = ["Round", "Prize", "You", "They", "Taken by", ""];
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
