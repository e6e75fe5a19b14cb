// The view in which one trains: a position, a card or a mix, and what that is worth.

import { ROOT, viewAddress } from "./addresses.js";
import { asError, ask } from "./api.js";
import { afterAsking, fileButton, styled } from "./device.js";
import { el, fill, focusKey, isTyping, saved } from "./dom.js";
import { drillFelt, mixPanel, question, resultPanel, verdict } from "./drill.js";
import { count } from "./format.js";
import { cardName, cardOf } from "./engine/cards.js";
import { after, newCourse, nextKey, readCourse } from "./engine/course.js";
import { HARDEST, puzzleOf, scoreCard, scoreMix, THEMES } from "./engine/drills.js";
import { EngineError } from "./engine/errors.js";
import { positionInUrl } from "./engine/notation.js";
import { writeRules } from "./engine/rules.js";
import { gliding } from "./motion.js";
import { kept } from "./remembered.js";
import { notice, retry } from "./words.js";

/** @import { Params } from "./addresses.js" */
/** @import { Answer, ByCard } from "./api.js" */
/** @import { Drill } from "./drill.js" */
/** @import { Course } from "./engine/course.js" */
/** @import { Position } from "./engine/notation.js" */
/** @import { Score } from "./engine/drills.js" */
/** @import { Rules } from "./engine/rules.js" */
/** @import { Router, View } from "./router.js" */

export const title = "Train";

const COURSE = `goofspiel course ${ROOT}`;
const AT_LEAST = 400; // milliseconds that a verdict is shown before a key or a click goes on: a double click is one
const NO_COURSE = "This file holds no course of drills: one that was saved here, or by goofspiel train, does.";

await styled("training.css");

/** @returns {Course} */
function readKept() {
  try {
    return readCourse(JSON.parse(kept(() => localStorage, COURSE) ?? "null")) ?? newCourse();
  } catch {
    return newCourse();
  }
}

/** The day here, as in 2026-11-18. */
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** @type {(position: Position, rules: Rules) => Promise<Answer>} */
const probe = async (position, rules) =>
  /** @type {Answer} */ (await ask("probe", { position: positionInUrl(position), rules: writeRules(rules) }));

/**
 * Open the view.
 * @param {HTMLElement} root
 * @param {Params} params
 * @param {Router} router
 * @returns {View}
 */
export function open(root, params, router) {
  const parts = {
    themes: el("nav", { class: "themes", "aria-label": "Themes" }),
    about: el("p", { class: "about" }),
    said: el("p", { class: "hidden", role: "status" }), // stays in place: only then its changes are read out
    table: el("div", { class: "table" }),
    aside: el("div", { class: "aside" }),
    course: el("details", { class: "panel course" }),
  };
  const closing = new AbortController();
  let course = readKept();
  /** @type {string | null} */
  let theme = null;
  /** @type {string | null} a certain puzzle instead of the next */
  let key = null;
  /** @type {Drill | null} */
  let drill = null;
  /** @type {Error | null} */
  let problem = null;
  let told = ""; // of a file that was read
  let turn = 0; // a later puzzle outdates one that is still being drawn
  let scored = 0; // when

  parts.course.hidden = true; // until what is above it is there
  root.append(
    el("h1", {}, "Train"),
    el("p", { class: "intro" }, "A position, and your bid: what it is worth against perfect play, and why."),
    parts.themes,
    parts.about,
    parts.said,
    el("div", { class: "at-table" }, parts.table, parts.aside),
    parts.course,
  );

  /** @param {Params} next */
  function update(next) {
    const named = next.theme ?? null;
    [theme, key, problem] = [named, next.puzzle?.replaceAll("_", " ").trim() || null, null];
    if (named && !THEMES.some(({ name }) => name === named)) {
      const names = THEMES.map(({ name }) => name).join(", ");
      problem = new EngineError("puzzle", `no theme is called “${named.slice(0, 40)}”: ${names}`);
      [theme, drill] = [null, null];
      return show();
    }
    void draw();
  }

  async function draw() {
    const asked = (turn += 1);
    course = readKept(); // another tab may have gone on
    try {
      const puzzle = await puzzleOf(key ?? nextKey(course, theme), probe);
      const answer = await probe(puzzle.position, puzzle.rules);
      if (asked !== turn) return;
      [drill, problem] = [{ puzzle, answer, score: null, card: 0, mix: {} }, null];
    } catch (error) {
      if (asked !== turn) return;
      [drill, problem] = [null, asError(error)];
    }
    show();
  }

  /** @param {number} card */
  function bid(card) {
    if (!drill || drill.score || !drill.puzzle.position.mine.includes(card)) return;
    answered(scoreCard(drill.answer, card), card, { [cardName(card)]: 1 });
  }

  /** @param {ByCard} shares */
  function setMix(shares) {
    if (!drill || drill.score) return;
    const whole = Object.values(shares).reduce((sum, share) => sum + share, 0);
    const mix = Object.fromEntries(Object.entries(shares).map(([card, share]) => [card, share / whole]));
    answered(scoreMix(drill.answer, shares), 0, mix);
  }

  /** @type {(score: Score, card: number, mix: ByCard) => void} */
  function answered(score, card, mix) {
    if (!drill) return;
    drill = { ...drill, score, card, mix };
    course = after(readKept(), drill.puzzle.key, score.right);
    kept(() => localStorage, COURSE, JSON.stringify(course));
    scored = performance.now();
    show();
    focusKey(parts.table, "next");
  }

  function next() {
    if (!drill?.score || performance.now() - scored < AT_LEAST) return;
    if (key) return router.go("train", { theme });
    void draw().then(() => focusKey(parts.table, "hand"));
  }

  /** @param {Course} other */
  function begin(other) {
    kept(() => localStorage, COURSE, JSON.stringify(other));
    if (key) router.go("train", { theme });
    else void draw();
  }

  /** @param {string} text of a file */
  function read(text) {
    let found = null;
    try {
      found = readCourse(JSON.parse(text));
    } catch {
      // what is no json is no course
    }
    told = found ? `Read: ${count(found.answered, "puzzle")} answered, ${found.right} right.` : NO_COURSE;
    if (found) begin(found);
    else show();
  }

  // What is shown.

  function show() {
    const words = problem
      ? ""
      : drill
        ? drill.score
          ? `${verdict(drill.score)} ${drill.score.why}`
          : question(drill.puzzle)
        : "";
    if (parts.said.textContent !== words) parts.said.textContent = words;
    fill(parts.themes, themes());
    fill(parts.about, drill ? about(drill) : "\u00a0");
    gliding(parts.table, () =>
      fill(
        parts.table,
        drill ? drillFelt(drill, words, { bid, next }) : null,
        problem
          ? notice(
              problem,
              retry(problem, () => void draw()),
              anew(),
            )
          : null,
      ),
    );
    const shown = drill && `${drill.puzzle.key} ${drill.score ? "scored" : "asked"}`;
    if (parts.aside.dataset.shown !== String(shown)) fill(parts.aside, beside()); // bars that were moved stay so
    parts.aside.dataset.shown = String(shown);
    fill(parts.course, progress());
    parts.course.hidden = false;
  }

  const beside = () => {
    if (!drill) return null;
    const { score } = drill;
    return score ? resultPanel({ ...drill, score }) : mixPanel(drill.puzzle.position.mine, setMix);
  };

  /** A way out of an address that leads to no puzzle. */
  const anew = () =>
    key || problem instanceof EngineError
      ? el("a", { href: viewAddress("train"), "data-view": "train" }, "Go on with the next puzzle")
      : null;

  function themes() {
    const day = today();
    const isDone = course.days.includes(day);
    /** @type {[words: string, params: Record<string, string>, isHere: boolean][]} */
    const links = [
      ["All in turn", {}, !theme && !key],
      ...THEMES.map(
        (one) =>
          /** @type {[string, Record<string, string>, boolean]} */ ([
            one.title,
            { theme: one.name },
            theme === one.name && !key,
          ]),
      ),
      [`Puzzle of the day${isDone ? " ✓" : ""}`, { puzzle: `daily_${day}` }, key === `daily ${day}`],
    ];
    return links.map(([words, to, isHere]) =>
      el(
        "a",
        {
          href: viewAddress("train", to),
          "data-view": "train",
          "data-key": words,
          "aria-current": isHere ? "page" : null,
        },
        words,
      ),
    );
  }

  /** @param {Drill} drill */
  function about({ puzzle, score }) {
    const isBack = !score && course.due.some((due) => due.key === puzzle.key);
    return [
      el("strong", {}, puzzle.theme.title),
      ` ${puzzle.theme.says} `,
      el(
        "span",
        { class: "level", role: "img", "aria-label": `Difficulty ${puzzle.difficulty} of ${HARDEST}` },
        "●".repeat(puzzle.difficulty) + "○".repeat(HARDEST - puzzle.difficulty),
      ),
      isBack ? el("span", { class: "tag" }, "comes back") : null,
      el("span", { class: "tag" }, `streak ${course.streak}`),
    ];
  }

  function progress() {
    const { answered: all, right, streak, best, due, days, difficulty } = course;
    const back = due.length
      ? `${count(due.length, "puzzle")} still to come back: what went wrong does until it was right twice.`
      : "";
    return [
      el(
        "summary",
        { "data-key": "course" },
        `Your course: ${right} of ${all} right, streak ${streak}, longest ${best}`,
      ),
      el(
        "p",
        {},
        `Difficulty by theme, of ${HARDEST}: ${THEMES.map((one) => `${one.title} ${difficulty[one.name]}`).join(", ")}.`,
      ),
      el("p", {}, `Three right ones in a row, and a theme gets harder; two wrong ones, and it gets easier. ${back}`),
      days.length ? el("p", {}, `The puzzle of the day was right on ${count(days.length, "day")}.`) : null,
      el(
        "p",
        { class: "faint" },
        "It is kept on this device alone. The file that is saved can be read here, and by ",
        el("code", {}, "goofspiel train --course FILE"),
        ".",
      ),
      el(
        "div",
        { class: "row" },
        saved("Save it as a file", "course.json", JSON.stringify(course)),
        fileButton("Read a file", ".json,application/json", read),
        afterAsking("Begin anew …", "All of this is forgotten.", "Forget it", () => begin(newCourse())),
      ),
      told ? el("p", { role: "status" }, told) : null,
    ];
  }

  // The keyboard, wherever the focus is.

  document.addEventListener(
    "keydown",
    (event) => {
      if (isTyping(event) || event.repeat) return;
      const pressed = event.key.toLowerCase();
      const card = pressed.length === 1 ? cardOf(pressed === "0" ? "T" : pressed) : 0;
      const control = event.target instanceof Element && event.target.closest("button, a, summary");
      if (drill?.score && (pressed === "n" || (pressed === "enter" && !control))) next();
      else if (card && !drill?.score) bid(card);
      else return;
      event.preventDefault();
    },
    { signal: closing.signal },
  );

  show();
  parts.course.hidden = true;
  update(params);
  return {
    update,
    close() {
      turn += 1;
      closing.abort();
    },
  };
}
