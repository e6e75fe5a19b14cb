// The games that are kept: save them, read others, delete them, review one.

import { viewAddress } from "./addresses.js";
import { afterAsking, fileButton } from "./device.js";
import { el, saved, tableHead } from "./dom.js";
import { count } from "./format.js";
import { takings, total, writeGame } from "./game.js";
import { readRecord } from "./engine/notation.js";
import { isPlayer } from "./engine/opponents.js";
import { writeRecordFile } from "./engine/records.js";
import { readRules } from "./engine/rules.js";
import { MOST_GAMES } from "./mygames.js";
import { opponentTitle } from "./opponents.js";
import { specials } from "./rulespanel.js";

/** @import { Rules } from "./engine/rules.js" */
/** @import { KeptGame } from "./mygames.js" */

const FIRST = 10; // that are listed before one asks for all

/**
 * A game: `9 cards for points, ties carried over`.
 * @param {Rules} rules
 */
export const described = (rules) =>
  [`${count(rules.cards, "card")} ${rules.objective === "win" ? "to win" : "for points"}`, ...specials(rules)].join(
    ", ",
  );

/**
 * The rules that were played and how often, those of most games first.
 * @param {KeptGame[]} games
 */
export function byRules(games) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { rules } of games) counts.set(rules, (counts.get(rules) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

/**
 * All of it.
 * @param {KeptGame[]} games
 * @param {object} more
 * @param {boolean} more.all whether all are listed
 * @param {HTMLElement} more.said what is told of a file, or of what was deleted
 * @param {(text: string) => void} more.read a file
 * @param {(left: KeptGame[]) => void} more.keepOnly
 * @param {() => void} more.showAll
 */
export function gamesPanel(games, { all, said, read, keepOnly, showAll }) {
  const several = byRules(games).length > 1;
  const newest = [...games].reverse().slice(0, all ? undefined : FIRST);
  const rows = newest.map((game) => gameRow(game, several, () => keepOnly(games.filter((one) => one !== game))));
  const heads = ["When", ...(several ? ["Game"] : []), "Against", "Points", "Review", "Delete"];
  const file = games.map(({ rules, record, tags }) =>
    writeRecordFile({ rules: readRules(rules), rounds: readRecord(record), tags }),
  );
  return [
    el("h2", { id: "games-title" }, games.length ? `All ${count(games.length, "game")}` : "Games"),
    el(
      "p",
      { class: "faint" },
      `Games that you play here to the end are kept on this device alone, the last ${MOST_GAMES}; not those from a `,
      "position, of two people, or in which you took a bid back or played cards again. The file is one that ",
      el("code", {}, "goofspiel habits"),
      " and ",
      el("code", {}, "goofspiel judge"),
      " read.",
    ),
    el(
      "div",
      { class: "row" },
      games.length ? saved("Save them as a file", "games.txt", file.join("\n")) : null,
      fileButton("Read a file", ".txt,text/plain", read),
      games.length
        ? afterAsking("Delete all …", "They cannot be brought back.", `Delete ${count(games.length, "game")}`, () =>
            keepOnly([]),
          )
        : null,
    ),
    said,
    rows.length ? listed(heads, rows) : null,
    games.length > rows.length
      ? el(
          "p",
          {},
          el(
            "button",
            { type: "button", class: "small", "data-key": "all games", onclick: showAll },
            `Show all ${games.length}`,
          ),
        )
      : null,
  ];
}

/** @type {(heads: string[], rows: HTMLElement[]) => HTMLElement} */
const listed = (heads, rows) =>
  el(
    "div",
    { class: "frame", tabindex: "0", role: "region", "aria-label": "Games that are kept" },
    el(
      "table",
      { class: "games" },
      el("caption", { class: "hidden" }, "Games that are kept, the latest first"),
      tableHead(heads),
      el("tbody", {}, rows),
    ),
  );

/** @type {(kept: KeptGame, several: boolean, remove: () => void) => HTMLElement} */
function gameRow({ rules: text, record, tags }, several, remove) {
  const opponent = (tags.theirs ?? "").replace(/^optimal:(points|win)$/, "optimal"); // as matches name it
  const [rules, rounds] = [readRules(text), readRecord(record)];
  const game = { rules, rounds, opponent, seed: Number(tags.seed) || 0, from: null };
  const taken = takings(game);
  const when = tags.date?.slice(0, 16) ?? "";
  const name = `the game of ${when || record}`;
  return el(
    "tr",
    {},
    el("td", {}, when),
    several ? el("td", {}, described(rules)) : null,
    el("td", {}, opponent ? opponentTitle(opponent) : ""),
    el("td", {}, `${total(taken.mine)} : ${total(taken.theirs)}`),
    el(
      "td",
      {},
      isPlayer(opponent)
        ? el(
            "a",
            { href: viewAddress("play", writeGame(game)), "data-view": "play", "aria-label": `Review of ${name}` },
            "review",
          )
        : null,
    ),
    el(
      "td",
      {},
      el("button", { type: "button", class: "small", "aria-label": `Delete ${name}`, onclick: remove }, "✕"),
    ),
  );
}
