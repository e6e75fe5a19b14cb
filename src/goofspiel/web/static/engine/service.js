// Answer the questions of a page from tables: what is asked, in words and numbers, and its answer.

import { mixOf } from "./answer.js";
import { Asker } from "./asking.js";
import { cardName, cardsUpTo, MAX_CARDS, NotationError } from "./cards.js";
import { EngineError } from "./errors.js";
import { firstMove } from "./first_moves.js";
import { play, positionAfter, readPosition, readRecord, start } from "./notation.js";
import { bidOf, deckOf, PLAYERS, simpleMix } from "./players.js";
import { reviewOf } from "./reviews.js";
import { hasLeads, isDecided, readRules, usual, writeRules } from "./rules.js";
import { mostLeft } from "./tablebase.js";
import { workOf } from "./work.js";

/** @import { Answer, ChanceAnswer, Outcomes } from "./answer.js" */
/** @import { Host } from "./asking.js" */
/** @import { FirstMove } from "./first_moves.js" */
/** @import { Position } from "./notation.js" */
/** @import { Review } from "./reviews.js" */
/** @import { Rules } from "./rules.js" */
/** @import { TableFacts } from "./table.js" */

/**
 * The answer to each question.
 * @typedef {object} Answers
 * @property {{ bid: string }} bid
 * @property {{ upcards: string[] }} deck
 * @property {Answer | ChanceAnswer} probe
 * @property {Review} review
 * @property {FirstMove} table
 * @property {Games} tables
 */

/**
 * What can be asked.
 * @typedef {object} Games
 * @property {string[]} games those that are solved, or soon worked out: their rules, the smallest first
 * @property {string[]} players
 * @property {TableFacts[]} tables
 * @property {boolean} hasApi whether the host answers programs, too
 */

/**
 * The parameters of a question: the rules of the game as a text, and whatever else it asks about.
 * @typedef {object} Asked
 * @property {string} [rules]
 * @property {string} [position]
 * @property {number | null} [cards] of the table to ask
 * @property {boolean} [outcomes] whether a second may be spent on P(draw)
 * @property {string} [record]
 * @property {string} [player]
 * @property {number} [seed]
 */

const QUICK_WORK = 1e7; // what may follow a position for P(draw) to be worked out unasked

/** Answers questions. */
export class Service {
  /** @param {Host} host */
  constructor(host) {
    this.asker = new Asker(host);
  }

  /**
   * The answer to a question; throws an `EngineError`.
   * @template {keyof Answers} What
   * @param {What} what
   * @param {Asked} asked
   * @returns {Promise<Answers[What]>}
   */
  async answer(what, asked = {}) {
    try {
      return /** @type {Answers[What]} */ (await this[what](asked));
    } catch (error) {
      throw error instanceof NotationError ? new EngineError("position", error.message) : error;
    }
  }

  /** @type {(asked: Asked) => Promise<Answer | ChanceAnswer>} */
  async probe({ rules: text, position: written, cards = null, outcomes = false }) {
    const rules = rulesOf(text);
    const position = readPosition(written ?? "", rules);
    const answer = await this.asker.ask(position, rules, (tablebase) => tablebase.probe(position), cards);
    return hasLeads(rules) ? { ...answer, outcomes: this.#outcomes(answer, position, rules, outcomes) } : answer;
  }

  /**
   * How likely a win, a draw, a loss are when both play to win, this round with the mixes of the answer.
   * @param {Answer | ChanceAnswer} answer
   * @param {Position} position
   * @param {Rules} rules
   * @param {boolean} thorough
   * @returns {Outcomes | null}
   */
  #outcomes(answer, position, rules, thorough) {
    let draw = 0;
    if (!isDecided(rules, position.lead, mostLeft(position, rules))) {
      const endgame = this.asker.endgame(position, rules, thorough ? undefined : QUICK_WORK);
      if (!endgame) return null;
      const { mine, theirs } = answer.mine ? answer : { mine: null, theirs: null };
      if (!mine) draw = endgame.draw(position);
      else
        for (const bid of position.mine)
          for (const reply of position.theirs) {
            const share = mine[cardName(bid)] * theirs[cardName(reply)];
            if (share) draw += share * endgame.draw(play(position, bid, reply, rules.carry));
          }
    }
    const decided = 1 - draw;
    return { win: Math.max((decided + answer.value) / 2, 0), draw, loss: Math.max((decided - answer.value) / 2, 0) };
  }

  /** @type {(asked: Asked) => Promise<{ bid: string }>} */
  async bid({ rules: text, position: written, player = "optimal", seed = 0 }) {
    const rules = rulesOf(text);
    const position = readPosition(written ?? "", rules);
    if (!position.upcard) throw new EngineError("position", `no upcard is shown to bid for: “${written}”`);
    if (player !== "optimal") return { bid: cardName(bidOf(simpleMix(player, position, rules), position, seed)) };
    const mine = mixOf(await this.asker.ask(position, rules, (tablebase) => tablebase.solve(position)));
    const mix = position.mine.map((card) => mine[cardName(card)]);
    return { bid: cardName(bidOf(mix, position, seed)) };
  }

  /** @type {(asked: Asked) => Promise<{ upcards: string[] }>} */
  async deck({ rules: text, seed = 0 }) {
    return { upcards: deckOf(rulesOf(text), seed).map(cardName) };
  }

  /** @type {(asked: Asked) => Promise<Review>} */
  async review({ rules: text, record = "" }) {
    const rules = rulesOf(text);
    const rounds = readRecord(record);
    positionAfter(rules, rounds);
    return this.asker.askGame(rules, (tablebase) => reviewOf(rules, rounds, tablebase));
  }

  /** @type {(asked: Asked) => Promise<FirstMove>} */
  async table({ rules: text }) {
    const rules = rulesOf(text);
    return this.asker.askGame(rules, (tablebase) => firstMove(rules, tablebase));
  }

  /** @type {() => Promise<Answers["tables"]>} */
  async tables() {
    const { tables, solves = 0 } = await this.asker.index();
    const soon = cardsUpTo(MAX_CARDS)
      .flatMap((cards) => [usual(cards), usual(cards, "win")])
      .filter((rules) => rules.cards <= solves || workOf(start(rules), rules) <= QUICK_WORK);
    const games = new Set([...tables.map(({ rules }) => rules), ...soon.map(writeRules)]);
    const sorted = [...games].sort((a, b) => readRules(a).cards - readRules(b).cards || (a < b ? -1 : 1));
    return { games: sorted, players: PLAYERS, tables, hasApi: solves > 0 };
  }
}

/** @param {string | undefined} text */
const rulesOf = (text) => readRules(text ?? "");
