// Ask the engine, which runs beside the page in a worker of its own.

/** @import { Answers, Asked } from "./engine/service.js" */

/** @typedef {import("./engine/answer.js").Answer} Answer */
/** @typedef {import("./engine/answer.js").ByCard} ByCard */
/** @typedef {import("./engine/answer.js").ChanceAnswer} ChanceAnswer */
/** @typedef {import("./engine/answer.js").Outcomes} Outcomes */
/** @typedef {import("./engine/first_moves.js").FirstMove} FirstMove */
/** @typedef {import("./engine/reviews.js").Review} Review */
/** @typedef {import("./engine/reviews.js").ReviewedRound} ReviewedRound */
/** @typedef {Answers["bid"]} Bid */

/** @typedef {{ kind: string, title: string, message: string }} Wrong */
/** @typedef {{ id: number, answer?: unknown, wrong?: Wrong }} Reply */

const KEPT = 200; // answers that are remembered

/** What is wrong, as the engine explains it. */
export class Problem extends Error {
  /** @param {Wrong} wrong */
  constructor({ kind, title, message }) {
    super(message);
    this.kind = kind;
    this.title = title;
  }
}

/**
 * What was thrown, as an error.
 * @param {unknown} thrown
 */
export const asError = (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * A part of the page that is loaded when it is needed; throws why it cannot be.
 * @template Module
 * @param {Promise<Module>} module
 */
export const loaded = (module) =>
  module.catch(() => {
    const message = "Either there is no connection, or the page was updated since you opened it.";
    throw new Problem({ kind: "unreachable", title: "This part of the page cannot be loaded", message });
  });

/** A worker, and who waits for its replies. */
class Engine {
  constructor() {
    /** @type {Map<number, (reply: Reply) => void>} */
    this.waiting = new Map();
    this.last = 0;
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.worker.addEventListener("message", (event) => this.#settle(event.data));
    this.worker.addEventListener("error", (event) => {
      event.preventDefault();
      const wrong = { kind: "unreachable", title: "The page cannot start", message: "Its engine cannot be loaded." };
      for (const id of [...this.waiting.keys()]) this.#settle({ id, wrong });
    });
  }

  /** @param {Reply} reply */
  #settle(reply) {
    this.waiting.get(reply.id)?.(reply);
    this.waiting.delete(reply.id);
  }

  /**
   * @param {keyof Answers} what
   * @param {Asked} asked
   * @returns {Promise<unknown>}
   */
  ask(what, asked) {
    const id = (this.last += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ answer, wrong }) => (wrong ? reject(new Problem(wrong)) : resolve(answer)));
      this.worker.postMessage({ id, what, asked });
    });
  }
}

/** @type {Engine | null} */
let quick = null;
/** @type {Engine | null} for what may take seconds, so that nothing else waits for it */
let slow = null;
const slowly = () => (slow ??= new Engine());

/** @type {Map<string, Promise<unknown>>} */
const answers = new Map();
let asking = 0;

/**
 * The answer to a question; what was answered once is not asked again, unless it is about many games.
 * @template {keyof Answers} What
 * @param {What} what
 * @param {Asked} asked
 * @returns {Promise<Answers[What]>}
 */
export function ask(what, asked = {}) {
  if (what === "habits") return /** @type {Promise<Answers[What]>} */ (counted(slowly().ask(what, asked)));
  const key = JSON.stringify([what, asked]);
  let answer = answers.get(key);
  if (!answer) {
    const [oldest] = answers.keys();
    if (answers.size >= KEPT) answers.delete(oldest);
    const engine = asked.outcomes ? slowly() : (quick ??= new Engine());
    answer = counted(engine.ask(what, asked));
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
  }
  return /** @type {Promise<Answers[What]>} */ (answer); // what the engine promises
}

/**
 * While something is asked, the document says so.
 * @template Answered
 * @param {Promise<Answered>} answer
 */
async function counted(answer) {
  document.documentElement.dataset.asking = String((asking += 1));
  try {
    return await answer;
  } finally {
    asking -= 1;
    if (asking) document.documentElement.dataset.asking = String(asking);
    else delete document.documentElement.dataset.asking;
  }
}
