// A course of drills: what comes next, how hard it is, what comes back; the object of json that the library keeps, too.

import { HARDEST, THEMES } from "./drills.js";

/**
 * A puzzle that was wrong, and comes back: `at` which number of answered puzzles, and how often it was right since.
 * @typedef {{ key: string, at: number, right: number }} Due
 */

/**
 * How far somebody has come.
 * @typedef {object} Course
 * @property {number} answered
 * @property {number} right
 * @property {number} streak right ones in a row
 * @property {number} best the longest streak
 * @property {Record<string, number>} difficulty by theme
 * @property {Record<string, number>} runs by theme: right ones in a row, or, negative, wrong ones
 * @property {Due[]} due
 * @property {string[]} days whose puzzle was right
 */

const LATER = 3; // puzzles until a wrong one comes back
const TWICE = 2; // times in a row that it must then be right
const HARDER = 3; // right ones in a row after which it gets harder
const EASIER = 2; // wrong ones in a row after which it gets easier

/** @param {number} number */
const each = (number) => Object.fromEntries(THEMES.map(({ name }) => [name, number]));

/** @returns {Course} */
export const newCourse = () => ({
  answered: 0,
  right: 0,
  streak: 0,
  best: 0,
  difficulty: each(1),
  runs: each(0),
  due: [],
  days: [],
});

/**
 * The key of the next puzzle: one that comes back, or a new one; of a theme, or of each in turn.
 * @param {Course} course
 * @param {string | null} theme
 */
export function nextKey(course, theme = null) {
  const themes = theme ? [theme] : THEMES.map(({ name }) => name);
  const back = course.due.find(({ key, at }) => at <= course.answered && (!theme || key.split(" ")[0] === theme));
  if (back) return back.key;
  const chosen = themes[course.answered % themes.length];
  return `${chosen} ${course.difficulty[chosen]} ${course.answered}`;
}

/**
 * The course after an answer; the puzzle of a day counts until it was right, and where it comes back.
 * @param {Course} course
 * @param {string} key
 * @param {boolean} right
 * @returns {Course}
 */
export function after(course, key, right) {
  const [theme, ...rest] = key.split(" ");
  if (theme === "daily" && course.days.includes(rest[0]) && course.due.every((one) => one.key !== key)) return course;
  const streak = right ? course.streak + 1 : 0;
  const changed = {
    ...course,
    answered: course.answered + 1,
    right: course.right + Number(right),
    streak,
    best: Math.max(course.best, streak),
    due: dueAfter(course, key, right),
  };
  if (theme === "daily")
    return right && !course.days.includes(rest[0]) ? { ...changed, days: [...course.days, rest[0]] } : changed;
  const run = right ? Math.max(course.runs[theme], 0) + 1 : Math.min(course.runs[theme], 0) - 1;
  const step = Number(run >= HARDER) - Number(run <= -EASIER);
  const level = Math.min(Math.max(course.difficulty[theme] + step, 1), HARDEST);
  return {
    ...changed,
    difficulty: { ...course.difficulty, [theme]: level },
    runs: { ...course.runs, [theme]: step ? 0 : run },
  };
}

/** @type {(course: Course, key: string, right: boolean) => Due[]} */
function dueAfter({ due, answered }, key, right) {
  const before = due.find((one) => one.key === key);
  const rest = due.filter((one) => one.key !== key);
  if (right && (!before || before.right + 1 >= TWICE)) return rest;
  return [...rest, { key, at: answered + 1 + LATER, right: right && before ? before.right + 1 : 0 }];
}

/**
 * The course of an object of json; null where it is none.
 * @param {any} found
 * @returns {Course | null}
 */
export function readCourse(found) {
  /** @type {(number: unknown, least?: number) => boolean} */
  const isCount = (number, least = 0) => Number.isSafeInteger(number) && Number(number) >= least;
  /** @param {any} table */
  const isTable = (table) => Object(table) === table && THEMES.every(({ name }) => Number.isSafeInteger(table[name]));
  /** @param {any} one */
  const isDue = (one) => typeof one?.key === "string" && isCount(one.at) && isCount(one.right) && isKey(one.key);
  const isCourse =
    Object(found) === found &&
    [found.answered, found.right, found.streak, found.best].every((number) => isCount(number)) &&
    isTable(found.difficulty) &&
    isTable(found.runs) &&
    THEMES.every(({ name }) => found.difficulty[name] >= 1 && found.difficulty[name] <= HARDEST) &&
    Array.isArray(found.due) &&
    found.due.every(isDue) &&
    Array.isArray(found.days) &&
    found.days.every((/** @type {unknown} */ day) => typeof day === "string");
  if (!isCourse) return null;
  const { answered, right, streak, best, difficulty, runs, due, days } = found;
  return { answered, right, streak, best, difficulty, runs, due, days };
}

/** Whether a puzzle may come back under this key. @param {string} key */
const isKey = (key) =>
  /^daily \S+$/.test(key) || (/^\w+ [1-5] \d+$/.test(key) && THEMES.some(({ name }) => name === key.split(" ")[0]));
