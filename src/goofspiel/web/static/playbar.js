// Above the table: who the opponent is, and what can be done with the game.

import { exploreAddress } from "./addresses.js";
import { el, fill, select } from "./dom.js";
import { isShared, playedOf } from "./game.js";
import { ADAPT, adapting, chosen, OPPONENTS, opponentTitle, opponentWords } from "./opponents.js";
import { writePosition } from "./engine/notation.js";
import { writeRules } from "./engine/rules.js";

/** @import { Child } from "./dom.js" */
/** @import { Game } from "./game.js" */

/**
 * @typedef {object} Handlers
 * @property {(changes?: Partial<Game>) => void} begun starts a new game
 * @property {() => void} undo
 * @property {() => void} again
 * @property {() => void} hint
 */

/**
 * The line of settings.
 * @param {Game} game
 * @param {{ isEnded: boolean, isHinted: boolean, canHint: boolean }} shown
 * @param {Handlers} handlers
 */
export function playbar(game, { isEnded, isHinted, canHint }, { begun, undo, again, hint }) {
  const { from, rules } = game;
  const opponent = chosen(game.opponent);
  const own = Object.hasOwn(OPPONENTS, opponent) ? {} : { [opponent]: opponentTitle(opponent) };
  const options = Object.entries({ ...OPPONENTS, ...own });
  return [
    select("Opponent", { name: "opponent", "data-key": "opponent" }, opponent, options, (other) =>
      begun({ opponent: other }),
    ),
    el("p", { class: "says" }, opponentWords(opponent, from ? null : writeRules(rules))),
    opponent === ADAPT ? modelNote(game) : null,
    from ? beginning(game, begun) : null,
    el(
      "span",
      { class: "buttons" },
      button("undo", { disabled: !playedOf(game).length, onclick: undo }, "Undo ", el("kbd", {}, "u")),
      isEnded
        ? button(
            "again",
            {
              title: `The same prizes in the same order, ${isShared(game) ? "once more" : "against the same opponent"}`,
              onclick: again,
            },
            "Play these cards again",
          )
        : button(
            "hint",
            { "aria-pressed": String(isHinted), disabled: !canHint, onclick: hint },
            "Hint ",
            el("kbd", {}, "h"),
          ),
      button("new", { class: "main", onclick: () => begun() }, "New game ", el("kbd", {}, "n")),
    ),
  ];
}

/** @type {(key: string, attributes: import("./dom.js").Attributes<HTMLButtonElement>, ...words: Child[]) => HTMLElement} */
const button = (key, attributes, ...words) => el("button", { type: "button", "data-key": key, ...attributes }, words);

/** What an opponent has learned, and what it promises, on request. @param {Game} game */
function modelNote(game) {
  const told = el("div", {});
  const tell = async () => {
    const sentences = await adapting()
      .then(({ modelSentences }) => modelSentences(game))
      .catch((error) => [error.message]);
    fill(
      told,
      sentences.map((sentence) => el("p", {}, sentence)),
    );
  };
  const summary = el("summary", { "data-key": "model" }, "What it takes you for, and what it risks");
  return el("details", { class: "model", ontoggle: () => void tell() }, summary, told);
}

/** @type {(game: Game, begun: Handlers["begun"]) => HTMLElement | null} */
function beginning({ from, rules }, begun) {
  if (!from) return null;
  const written = writePosition(from);
  return el(
    "p",
    { class: "says from" },
    "This game begins at ",
    el("a", { href: exploreAddress(written, rules), "data-view": "explore" }, written),
    el(
      "button",
      { type: "button", class: "small", "data-key": "opening", onclick: () => begun({ from: null }) },
      "Play from the opening",
    ),
  );
}
