// The view of all my games: how often I make a bid beside perfect play, what that costs, how sure that is.

import { gameParams, viewAddress } from "./addresses.js";
import { modelWords } from "./adapting.js";
import { asError, ask } from "./api.js";
import { styled } from "./device.js";
import { el, fill, select } from "./dom.js";
import { count, percentShort, UNITS } from "./format.js";
import { byRules, described, gamesPanel } from "./gameslist.js";
import { NotationError, prizeOf } from "./engine/cards.js";
import { STAGES, SURE, WHOLE } from "./engine/habits.js";
import { positionAfter, readRecord, writeRecord } from "./engine/notation.js";
import { readEach } from "./engine/records.js";
import { fixed } from "./engine/rounded.js";
import { readRules, writeRules } from "./engine/rules.js";
import { addGames, keepGames, keptGames } from "./mygames.js";
import { ADAPT } from "./opponents.js";
import { notice, retry } from "./words.js";

/** @import { Params } from "./addresses.js" */
/** @import { Habit, Habits } from "./engine/habits.js" */
/** @import { Model } from "./engine/models.js" */
/** @import { KeptGame } from "./mygames.js" */
/** @import { Router, View } from "./router.js" */

export const title = "Habits";

const FIRST = 10; // habits that are listed before one asks for all
const DIGITS = { points: 2, win: 3 };
const ANY = "any";

await styled("training.css");

/** What is kept, without what was damaged there. */
const readable = () =>
  keptGames().filter(({ rules, record }) => {
    try {
      return positionAfter(readRules(rules), readRecord(record));
    } catch {
      return false;
    }
  });

/**
 * Open the view.
 * @param {HTMLElement} root
 * @param {Params} params
 * @param {Router} router
 * @returns {View}
 */
export function open(root, params, router) {
  const parts = {
    choice: el("form", { class: "tools", "aria-label": "Which of them", onsubmit: (event) => event.preventDefault() }),
    found: el("div", { class: "found" }),
    games: el("section", { class: "panel found", "aria-labelledby": "games-title" }),
    said: el("p", { role: "status" }),
  };
  /** @type {KeptGame[]} */
  let games = [];
  let rules = "";
  let [prize, stage] = [ANY, ANY];
  /** @type {(Habits & { model: Model }) | null} */
  let found = null;
  /** @type {Error | null} */
  let problem = null;
  let [allHabits, allGames] = [false, false];
  let turn = 0;

  root.append(
    el("h1", {}, "Your games"),
    el(
      "p",
      { class: "intro" },
      "One game cannot judge a mix, fifty can: how often you make a bid, beside how often perfect play makes it ",
      "in the same positions, what that costs, and how sure it is.",
    ),
    parts.choice,
    parts.found,
    parts.games,
  );

  /** @param {Params} next */
  function update(next) {
    [prize, stage] = [next.prize ?? ANY, next.stage?.replaceAll("_", " ") ?? ANY];
    games = readable();
    const counts = byRules(games);
    const asked = next.rules?.replaceAll("_", " ");
    const chosen = asked && counts.some(([one]) => one === asked) ? asked : (counts[0]?.[0] ?? "");
    if (chosen !== rules || !found) {
      rules = chosen;
      void look();
    } else show();
  }

  async function look() {
    const asked = (turn += 1);
    [found, problem, allHabits] = [null, null, false];
    show();
    if (!rules) return;
    const records = games.filter((game) => game.rules === rules).map(({ record }) => record);
    try {
      const answer = await ask("habits", { rules, records });
      if (asked !== turn) return;
      found = answer;
    } catch (error) {
      if (asked !== turn) return;
      problem = asError(error);
    }
    show();
  }

  /** Look again at what is kept by now. */
  const again = () => {
    games = readable();
    if (!games.some((game) => game.rules === rules)) rules = byRules(games)[0]?.[0] ?? "";
    void look();
  };

  /** @param {string} text of a file */
  function read(text) {
    const records = readEach(text);
    /** @type {string[]} */
    const wrong = [];
    const good = records.flatMap((record, index) => {
      if (record instanceof NotationError) wrong.push(record.message);
      else if (record.from) wrong.push(`game ${index + 1}: it does not begin at the opening`);
      else if (record.rounds.some(({ mine }) => mine))
        return [{ rules: writeRules(record.rules), record: writeRecord(record.rounds), tags: record.tags }];
      return [];
    });
    const fresh = addGames(good);
    const why = wrong.length ? ` Left out: ${wrong[0]}${wrong.length > 1 ? `, and ${wrong.length - 1} more` : ""}.` : "";
    const known = good.length > fresh ? `, ${good.length - fresh} were there already` : "";
    parts.said.textContent = `${count(fresh, "new game")} read${known}.${why}`;
    again();
  }

  /** @param {KeptGame[]} left */
  function keepOnly(left) {
    keepGames(left);
    parts.said.textContent = `${count(games.length - left.length, "game")} deleted.`;
    again();
  }

  /** @param {{ prize?: string, stage?: string, rules?: string }} changes */
  function choose(changes) {
    const now = { rules, prize, stage, ...changes };
    /** @param {string} word */
    const said = (word) => (word === ANY ? null : word.replaceAll(" ", "_"));
    router.go("habits", { rules: said(now.rules), prize: said(now.prize), stage: said(now.stage) }, { replace: true });
  }

  // What is shown.

  function show() {
    fill(parts.choice, games.length ? choice() : null);
    fill(
      parts.found,
      !games.length ? nothing() : found ? [summary(found), list(found), taken(found)] : null,
      games.length && !found && !problem
        ? el("p", { class: "panel" }, `Looking at ${count(countOf(rules), "game")} …`)
        : null,
      problem
        ? notice(
            problem,
            retry(problem, () => void look()),
          )
        : null,
    );
    fill(
      parts.games,
      gamesPanel(games, {
        all: allGames,
        said: parts.said,
        read,
        keepOnly,
        showAll: () => ((allGames = true), show()),
      }),
    );
  }

  /** @param {string} text */
  const countOf = (text) => games.filter((game) => game.rules === text).length;

  const nothing = () =>
    el(
      "section",
      { class: "panel" },
      el("p", { class: "lead" }, "No game is kept yet."),
      el(
        "p",
        {},
        el("a", { href: viewAddress("play"), "data-view": "play" }, "Play one"),
        " to the end, or read a file of games that you have played elsewhere.",
      ),
    );

  function choice() {
    const upcards = [...new Set((found?.habits ?? []).flatMap(({ upcard }) => upcard ?? []))];
    const prizes = upcards.sort((a, b) => prizeOf(a) - prizeOf(b));
    return [
      filter(
        "Game",
        "rules",
        rules,
        byRules(games).map(([one, number]) => [one, `${described(readRules(one))} (${number})`]),
      ),
      filter("Prize", "prize", prize, [
        [ANY, "any"],
        ...prizes.map((one) => /** @type {[string, string]} */ ([one, one])),
      ]),
      filter("Part of the game", "stage", stage, [
        [ANY, "any"],
        ...[WHOLE, ...STAGES].map((one) => /** @type {[string, string]} */ ([one, one])),
      ]),
    ];
  }

  /**
   * @param {string} label
   * @param {"rules" | "prize" | "stage"} name
   * @param {string} value
   * @param {[value: string, words: string][]} options
   */
  const filter = (label, name, value, options) =>
    select(label, { name, "data-key": name }, value, options, (chosen) => choose({ [name]: chosen }));

  /** @param {Habits} all */
  function summary({ games: number, bids, regret, regret_error: error }) {
    const { objective } = readRules(rules);
    const digits = DIGITS[objective];
    const about = error === null ? "" : ` ± ${fixed(error, digits)}`;
    return el(
      "p",
      { class: "lead" },
      `${count(number, "game")} of ${described(readRules(rules))}, ${count(bids, "bid")} that mattered. `,
      `Against perfect play your bids cost ${fixed(regret, digits)}${about} ${UNITS[objective]} a game.`,
    );
  }

  /** @param {Habits} all */
  function list({ habits }) {
    const some = habits.filter(
      (habit) => (prize === ANY || habit.upcard === prize) && (stage === ANY || habit.stage === stage),
    );
    const sure = some.filter((habit) => habit.sure >= SURE);
    const rest = some.filter((habit) => habit.sure < SURE);
    const shown = allHabits ? some.length : FIRST;
    return el(
      "section",
      { class: "panel found", "aria-labelledby": "habits-title" },
      el("h2", { id: "habits-title" }, "Habits, the worst first"),
      sure.length ? el("ul", { class: "habits" }, sure.slice(0, shown).map(habitItem)) : el("p", {}, surely(habits)),
      rest.length && sure.length < shown
        ? [
            el("h3", {}, "What may be chance"),
            el("ul", { class: "habits" }, rest.slice(0, shown - sure.length).map(habitItem)),
          ]
        : null,
      some.length > shown
        ? el(
            "p",
            {},
            el(
              "button",
              { type: "button", class: "small", "data-key": "all habits", onclick: () => showAll() },
              `Show all ${some.length}`,
            ),
          )
        : null,
    );
  }

  /** @param {Habit[]} habits */
  const surely = (habits) =>
    habits.some(({ sure }) => sure >= SURE)
      ? "Nothing that you do here is surely a habit."
      : "Nothing that you do is surely a habit yet: perfect play may look like this by chance.";

  const showAll = () => {
    allHabits = true;
    show();
  };

  /** @param {Habit} habit */
  function habitItem({ words, rate, perfect, sure }) {
    /** @type {(name: string, kind: string, share: number) => HTMLElement[]} */
    const bar = (name, kind, share) => [
      el("span", {}, name),
      el("span", { class: `bar ${kind}`, vars: { "--share": share } }),
      el("span", { class: "number" }, percentShort(share)),
    ];
    return el(
      "li",
      { class: sure >= SURE ? "habit sure" : "habit" },
      el("p", {}, words),
      el(
        "div",
        { class: "rates", "aria-hidden": "true" },
        bar("You", "mine", rate),
        bar("Perfect", "perfect", perfect),
      ),
    );
  }

  /** @param {{ model: Model }} all */
  const taken = ({ model }) =>
    el(
      "p",
      {},
      `An opponent that adapts takes you for one who ${modelWords(model.player)}. `,
      el(
        "a",
        { href: viewAddress("play", { ...gameParams(readRules(rules)), opponent: ADAPT }), "data-view": "play" },
        "Play against it",
      ),
    );

  update(params);
  return {
    update,
    close() {
      turn += 1;
    },
  };
}
