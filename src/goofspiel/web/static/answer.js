// What is said about a position: the value, the mixes, the matrix, the value for each upcard.

import { mixBars, theirCosts } from "./bars.js";
import { chip } from "./cards.js";
import { el, hidden, saved } from "./dom.js";
import { digitsOf, percent, signed, tiny, UNITS } from "./format.js";
import { heatMap, legend } from "./heatmap.js";
import { byCard, cardName, cardOf, cardSpoken } from "./engine/cards.js";
import { signedShade } from "./palette.js";
import { note, notice, retry } from "./words.js";

/** @import { Answer, ByCard, ChanceAnswer, Outcomes } from "./api.js" */
/** @import { Objective } from "./engine/rules.js" */

/** @typedef {(mine: number, theirs: number) => void} PlayBids  Plays a pair of bids. */
/** @typedef {(card: number) => void} TurnUp  Turns a prize up. */

/**
 * What was found out so far; `upcards` is the value for each prize that could be up.
 * @typedef {{ answer?: Answer | ChanceAnswer, problem?: Error, upcards?: ByCard }} Found
 */

/**
 * What the buttons of a column do: `first` puts it first, `again` asks again.
 * @typedef {{ pick: PlayBids, turn: TurnUp, first: (() => void) | null, again: () => void }} Actions
 */

const SAME = 5e-9; // values that differ by less are shown as one
const TITLES = { points: "Playing for points", win: "Playing to win" };

/**
 * A column; `upcard` is the name of the prize that is up.
 * @param {Objective} objective
 * @param {Found} found
 * @param {string | null} upcard
 * @param {Actions} actions
 */
export function answerPanel(objective, found, upcard, { pick, turn, first, again }) {
  const { answer, problem } = found;
  const title = el(
    "div",
    { class: "title" },
    el("h2", { id: `title-${objective}` }, TITLES[objective]),
    first ? el("button", { type: "button", class: "small", "data-key": "first", onclick: first }, "Put first") : null,
    answer ? saved("JSON", "answer.json", JSON.stringify(answer)) : null,
  );
  /** @param {(HTMLElement | null)[]} children */
  const frame = (...children) =>
    el(
      "section",
      { class: `panel answer ${objective} ${answer ? "" : "alone"}`, "aria-labelledby": `title-${objective}` },
      title,
      children,
    );
  if (problem) return frame(notice(problem, retry(problem, again)));
  if (!answer) return frame();
  if (!answer.mine) return frame(valueOf(answer), upcards(answer.upcards, null, objective, turn));
  return frame(
    valueOf(answer),
    mixes(answer),
    matrix(answer, pick),
    found.upcards ? upcards(found.upcards, upcard, objective, turn) : null,
  );
}

/** @param {Answer | ChanceAnswer} answer */
function valueOf({ objective, value, outcomes, upcards: later }) {
  const over = later && !Object.keys(later).length;
  return el(
    "div",
    { class: "value" },
    el("p", { class: "number", title: String(value) }, signed(value, digitsOf(objective))),
    el(
      "p",
      {},
      over ? "The game is over: this is its result, in " : "The value to you, in ",
      `${UNITS[objective]}.`,
      note(objective === "win" ? "win" : "value", "the value"),
    ),
    outcomes ? outcomeBar(outcomes) : null,
  );
}

/** @param {Outcomes} outcomes */
function outcomeBar({ win, draw, loss }) {
  const parts = Object.entries({ win, draw, loss });
  return el(
    "p",
    { class: "outcomes" },
    el(
      "span",
      { class: "track", "aria-hidden": "true" },
      parts.map(([name, chance]) => el("i", { class: name, vars: { "--share": chance } })),
    ),
    parts.map(([name, chance]) => el("span", { class: `words ${name}` }, el("b", {}, percent(chance)), ` ${name}`)),
  );
}

/**
 * What can be said of other mixes: tables are not exact, and some cannot tell.
 * @param {Answer} answer
 */
function uniqueness({ unique }) {
  if (unique === null) return "This table is not exact enough to tell whether others are optimal; none leaves the range.";
  return unique ? "The only optimal mix." : "Not the only one: the range spans all optimal mixes.";
}

/** @param {Answer} answer */
function mixes(answer) {
  const ranges = answer.unique ? null : answer.ranges;
  const alike = answer.interchangeable.map((group) => group.map(cardOf).map(cardSpoken).join(", "));
  return el(
    "div",
    { class: "mixes" },
    el(
      "div",
      {},
      el("h3", {}, answer.unique ? "Your optimal mix" : "An optimal mix of yours", note("mix", "a mix")),
      mixBars({
        owner: "mine",
        caption: "What you bid, how often, and what each card costs",
        mix: answer.mine,
        costs: answer.regret,
        ranges,
        objective: answer.objective,
      }),
      el(
        "p",
        { class: "remark" },
        uniqueness(answer),
        answer.unique ? null : note("unique", "not the only one"),
        alike.map((cards) => ` ${cards} are as good as each other: the lowest stands for all.`),
        ` Gap ${tiny(answer.gap)}`,
        note("gap", "the gap"),
        ` The value is within ${tiny(answer.bound)} of the true one.`,
      ),
    ),
    el(
      "div",
      {},
      el("h3", {}, "An optimal mix of theirs", note("cost", "the cost")),
      mixBars({
        owner: "theirs",
        caption: "What they bid, how often, and what each card costs them",
        mix: answer.theirs,
        costs: theirCosts(answer),
        objective: answer.objective,
      }),
    ),
  );
}

/** @type {(answer: Answer, pick: PlayBids) => HTMLElement} */
function matrix(answer, pick) {
  const { mine, theirs, objective } = answer;
  const [rows, columns] = [byCard(mine), byCard(theirs)];
  const limit = Math.max(...answer.matrix.flat().map((value) => Math.abs(value - answer.value)));
  const digits = objective === "win" ? 3 : rows.length > 9 ? 1 : rows.length > 5 ? 2 : 3;
  /** @type {(owner: "mine" | "theirs") => (bid: [number, number]) => HTMLElement[]} */
  const head =
    (owner) =>
    ([card, chance]) => [chip(card, owner), el("small", { class: chance > 1e-9 ? "" : "faint" }, percent(chance))];
  return el(
    "div",
    { class: "matrix" },
    el("h3", {}, "Every pair of bids", note("matrix", "this table")),
    heatMap({
      caption: `Value after each pair of bids, ${objective === "points" ? "in points" : "playing to win"}`,
      corner: hidden("your bids down, their bids across"),
      heads: columns.map(head("theirs")),
      sides: rows.map(head("mine")),
      cell: (row, column) => {
        const value = answer.matrix[row][column];
        const [you, they] = [rows[row][0], columns[column][0]].map(cardSpoken);
        return {
          text: signed(value, digits),
          shade: signedShade(value - answer.value, limit),
          label: `you ${you}, they ${they}: ${signed(value, digitsOf(objective) + 2)}`,
          mark: rows[row][1] > 1e-9 && columns[column][1] > 1e-9 ? "likely" : "",
        };
      },
      name: objective,
      pick: (row, column) => pick(rows[row][0], columns[column][0]),
    }),
    legend(
      [signedShade(limit, limit), "better for you than the value"],
      [signedShade(-limit, limit), "better for them"],
    ),
    el(
      "p",
      { class: "remark" },
      "Pick a cell to play that pair of bids and go on. Bold: both bids occur in these mixes.",
    ),
  );
}

/** @type {(values: ByCard, current: string | null, objective: Objective, turn: TurnUp) => HTMLElement | null} */
function upcards(values, current, objective, turn) {
  const entries = byCard(values);
  if (!entries.length) return null;
  const isSame = entries.every(([, value]) => Math.abs(value - entries[0][1]) < SAME);
  const mean = entries.reduce((sum, [, value]) => sum + value, 0) / entries.length;
  const limit = Math.max(...entries.map(([, value]) => Math.abs(value - mean)));
  return el(
    "div",
    { class: "upcards" },
    el("h3", {}, current ? "The value for each prize that could be up" : "The value for each next prize"),
    isSame && entries.length > 1
      ? el("p", { class: "remark" }, `It is ${signed(entries[0][1], digitsOf(objective))}, whichever prize it is.`)
      : null,
    el(
      "div",
      { class: "upcard-values", role: "group", "aria-label": `Turn up a prize, ${TITLES[objective].toLowerCase()}` },
      entries.map(([card, value]) =>
        el(
          "button",
          {
            type: "button",
            "data-key": `${objective} turn ${card}`,
            "aria-pressed": current ? String(cardName(card) === current) : null,
            vars: signedShade(value - mean, limit),
            onclick: () => turn(card),
          },
          chip(card, "prize"),
          hidden(`turn up ${cardSpoken(card)}${isSame ? "" : ": "}`),
          isSame ? null : el("b", {}, signed(value, digitsOf(objective))),
        ),
      ),
    ),
  );
}
