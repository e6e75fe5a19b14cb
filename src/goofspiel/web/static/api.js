// Ask the server.

import { query } from "./addresses.js";

/** @import { Question } from "./addresses.js" */
/** @import { Objective } from "./engine/rules.js" */

// What it answers, as web/models.py describes it.

/** @typedef {Record<string, number>} ByCard  By name of card. */
/** @typedef {{ win: number, draw: number, loss: number }} Outcomes */

/**
 * What is optimal at a position with an upcard. Rows of the matrix are my cards, columns theirs, ascending.
 * @typedef {object} Answer
 * @property {string} position
 * @property {string} rules
 * @property {Objective} objective
 * @property {number} value
 * @property {Outcomes | null} [outcomes] only for win; null where they are not worked out
 * @property {ByCard} mine
 * @property {ByCard} theirs
 * @property {number[][]} matrix
 * @property {ByCard} regret
 * @property {number} gap
 * @property {boolean | null} unique
 * @property {number} bound
 * @property {boolean} occurs
 * @property {Record<string, [number, number]>} ranges
 * @property {string[][]} interchangeable
 * @property {undefined} [upcards] of a ChanceAnswer alone: so they are told apart
 */

/**
 * What a position is worth before its upcard is drawn.
 * @typedef {object} ChanceAnswer
 * @property {string} position
 * @property {string} rules
 * @property {Objective} objective
 * @property {number} value
 * @property {Outcomes | null} [outcomes]
 * @property {ByCard} upcards
 * @property {undefined} [mine] of an Answer alone
 */

/**
 * The first-move table: `probability[bid − 1][upcard]`; `unique` by upcard; upcards by their place in `upcards`.
 * @typedef {object} FirstMove
 * @property {string} rules
 * @property {number[]} upcards
 * @property {number} cards
 * @property {Objective} objective
 * @property {number[][]} probability
 * @property {(boolean | null)[]} unique
 * @property {number} gap
 */

/**
 * @typedef {object} ReviewedRound
 * @property {number} round
 * @property {string} position
 * @property {string} upcard
 * @property {number} pot
 * @property {string | null} mine null in a round without bids
 * @property {string | null} theirs
 * @property {number} value_before
 * @property {number} draw_luck
 * @property {number} value
 * @property {number} cost
 * @property {number} their_cost
 * @property {number} bid_luck
 * @property {number} value_after
 * @property {ByCard} mix
 * @property {ByCard} their_mix
 * @property {number | null} probability
 * @property {ByCard} regret
 * @property {string[]} best
 * @property {number} gap
 */

/**
 * @typedef {object} Review
 * @property {"mine" | "theirs"} side
 * @property {string} record
 * @property {string} rules
 * @property {number} cards
 * @property {Objective} objective
 * @property {Record<string, string>} tags
 * @property {ReviewedRound[]} rounds
 * @property {number} draw_luck
 * @property {number} cost
 * @property {number} their_cost
 * @property {number} bid_luck
 * @property {number} value
 * @property {number | null} result
 * @property {number | null} worst
 */

/**
 * @typedef {object} Table
 * @property {string} rules
 * @property {Objective} objective
 * @property {number} cards
 * @property {boolean} complete
 * @property {"all" | "last"} keep
 * @property {number} games
 * @property {number | null} value_bound
 * @property {number | null} exploitability_bound
 * @property {string | null} etag
 */

/** @typedef {{ bid: string }} Bid */
/** @typedef {{ upcards: string[] }} Deck */
/** @typedef {{ tables: Table[], players: string[], solved_on_first_use: number }} Tables */

/**
 * The answer to each question.
 * @typedef {object} Answers
 * @property {Bid} bid
 * @property {Deck} deck
 * @property {Answer | ChanceAnswer} probe
 * @property {Review} review
 * @property {FirstMove} table
 * @property {Tables} tables
 */

const KEPT = 200; // answers that are remembered
const MOST_TRIES = 3; // of a server that is busy, solving a table perhaps
const RETRY_SECONDS = 2;

/** An error as the server explains it. */
export class Problem extends Error {
  /**
   * @param {number} status 0 when there was no answer
   * @param {string} title
   * @param {string} detail
   */
  constructor(status, title, detail) {
    super(detail);
    this.status = status;
    this.title = title;
  }
}

/**
 * What was thrown, as an error.
 * @param {unknown} thrown
 */
export const asError = (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** @type {Map<string, Promise<unknown>>} */
const answers = new Map();

/**
 * The address of a question.
 * @param {keyof Answers} what
 * @param {Question} params
 */
export const address = (what, params) => `/api/v1/${what}${query(params)}`;

/**
 * The answer to a question; what was answered once is not asked again.
 * @template {keyof Answers} What
 * @param {What} what
 * @param {Question} params
 * @returns {Promise<Answers[What]>}
 */
export function ask(what, params = {}) {
  const url = address(what, params);
  if (!answers.has(url)) {
    const [oldest] = answers.keys();
    if (answers.size >= KEPT) answers.delete(oldest);
    const answer = fetched(url);
    answers.set(url, answer);
    answer.catch(() => answers.delete(url));
  }
  return /** @type {Promise<Answers[What]>} */ (answers.get(url)); // what the server promises
}

/** @param {number} time */
const seconds = (time) => new Promise((done) => setTimeout(done, 1000 * time));

/**
 * @param {string} url
 * @returns {Promise<unknown>}
 */
async function fetched(url) {
  let response;
  for (let tries = 1; ; tries += 1) {
    try {
      response = await fetch(url, { headers: { Accept: "application/json" } });
    } catch {
      throw new Problem(0, "No answer", "The server does not answer. Is `goofspiel serve` still running?");
    }
    if (response.status !== 503 || tries === MOST_TRIES) break;
    await seconds(Number(response.headers.get("Retry-After")) || RETRY_SECONDS);
  }
  if (response.ok) return response.json();
  /** @type {{ title?: string, detail?: unknown }} */
  const problem = await response.json().catch(() => ({}));
  const detail = typeof problem.detail === "string" ? problem.detail : `${response.status} ${response.statusText}`;
  throw new Problem(response.status, problem.title ?? "Not answered", detail);
}
