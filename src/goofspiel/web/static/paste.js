// A game that was written down, pasted: what is read of it, or what is wrong with it.

import { el, fill } from "./dom.js";
import { NotationError } from "./engine/cards.js";
import { isPlayer } from "./engine/opponents.js";
import { readRecords } from "./engine/records.js";
import { count } from "./format.js";
import { isOver, newSeed, PERSON, playedOf, readGame, RecordError } from "./game.js";
import { OPPONENTS } from "./opponents.js";

/** @import { Game } from "./game.js" */
/** @import { Looked } from "./steps.js" */

const EXAMPLE = "524 A5A 3A3 435 242";

/**
 * The games of a text: records, or the address of a game.
 * @param {string} text
 * @returns {Game[]}
 */
function gamesOf(text) {
  if (/^https?:\/\/\S+$/.test(text.trim())) {
    const params = Object.fromEntries(new URL(text.trim()).searchParams);
    if (!params.record) throw new NotationError(`there is no game in the address “${text.trim().slice(0, 80)}”`);
    return [readGame(params)];
  }
  return readRecords(text).map(({ rules, from, rounds, tags }) => ({
    rules,
    from,
    rounds,
    opponent: tags.theirs && isPlayer(tags.theirs) ? tags.theirs : PERSON,
    seed: /^\d{1,15}$/.test(tags.seed ?? "") ? Number(tags.seed) : newSeed(),
  }));
}

/**
 * The panel; `show` is called with a game and the round to look at, null for its end.
 * @param {(game: Game, round: Looked) => void} show
 */
export function pastePanel(show) {
  const field = el("textarea", {
    name: "record",
    rows: 4,
    placeholder: EXAMPLE,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    "aria-describedby": "paste-wrong",
  });
  const who = el(
    "select",
    { name: "theirs" },
    el("option", { value: "" }, "as the record says, or estimated"),
    Object.entries(OPPONENTS).map(([name, words]) => el("option", { value: name }, words)),
  );
  const wrong = el("p", { class: "wrong", id: "paste-wrong", role: "alert" });
  const several = el("div", { class: "several" });

  /** @param {Game} game */
  function shown(game) {
    const played = playedOf(game).length;
    const seen = who.value ? { ...game, opponent: who.value } : game;
    show(seen, isOver(game) ? null : played);
    scrollTo({ top: 0 });
  }

  function read() {
    fill(several);
    wrong.textContent = "";
    field.removeAttribute("aria-invalid");
    try {
      const games = gamesOf(field.value);
      if (!games.length) throw new NotationError(`paste a game first, such as “${EXAMPLE}”`);
      const empty = games.findIndex((game) => !playedOf(game).length);
      if (empty >= 0) throw new NotationError(`nothing was bid yet in “${field.value.trim().slice(-40)}”`);
      if (games.length === 1) return shown(games[0]);
      fill(
        several,
        el("p", {}, `${count(games.length, "game")}; which one?`),
        games.map((game, index) =>
          el("button", { type: "button", class: "small", onclick: () => shown(game) }, `Game ${index + 1}`),
        ),
      );
    } catch (error) {
      if (!(error instanceof NotationError || error instanceof RecordError)) throw error;
      wrong.textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
      field.setAttribute("aria-invalid", "true");
      field.focus();
    }
  }

  return el(
    "form",
    {
      class: "pasted",
      onsubmit: (event) => {
        event.preventDefault();
        read();
      },
    },
    el(
      "p",
      {},
      "One word a round: the prize, your bid, their bid. Lines like ",
      el("code", {}, "cards: 13"),
      " or ",
      el("code", {}, "theirs: casual"),
      " may come first; goofspiel review reads the same. The address of a game will do, too.",
    ),
    el("label", {}, el("span", {}, "The record"), field),
    el("label", {}, el("span", {}, "They were"), who),
    wrong,
    several,
    el("button", { type: "submit", class: "main" }, "Review it"),
  );
}
