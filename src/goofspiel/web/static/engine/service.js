// Answer the questions of a page from tables: what is asked, in words and numbers, and its answer.

import { Asker } from "./asking.js";
import { cardName, cardsUpTo, MAX_CARDS, NotationError } from "./cards.js";
import { EngineError } from "./errors.js";
import { firstMove } from "./first_moves.js";
import { play, positionAfter, readPosition, readRecord, start } from "./notation.js";
import { knownPlayer, mixAt } from "./opponents.js";
import { bidOf, deckOf, isSimple, PLAYERS, simpleMix } from "./players.js";
import { reviewOf } from "./reviews.js";
import { hasLeads, isDecided, readRules, usual, writeRules } from "./rules.js";
import { mostLeft } from "./tablebase.js";
import { workOf } from "./work.js";

/** @import { Answer, ByCard, ChanceAnswer, Outcomes } from "./answer.js" */
/** @import { Host } from "./asking.js" */
/** @import { FirstMove } from "./first_moves.js" */
/** @import { Habits } from "./habits.js" */
/** @import { Position, Round } from "./notation.js" */
/** @import { Model } from "./models.js" */
/** @import { Review } from "./reviews.js" */
/** @import { Rules } from "./rules.js" */
/** @import { TableFacts } from "./table.js" */

/**
 * The answer to each question.
 * @typedef {object} Answers
 * @property {{ bid: string }} bid
 * @property {{ upcards: string[] }} deck
 * @property {Habits & { model: Model }} habits
 * @property {{ mix: ByCard }} mix
 * @property {Model} model
 * @property {true} keep
 * @property {{ cards: number, bytes: number, missing: number }} offline
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
 * @property {string} [position] of a game: where it began, if not at the opening
 * @property {number | null} [cards] of the table to ask
 * @property {boolean} [outcomes] whether a second may be spent on P(draw)
 * @property {string} [record]
 * @property {string[]} [records] of many games of the same rules
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
    return { bid: cardName(bidOf(await this.#mix(player, position, rules), position, seed)) };
  }

  /** @type {(asked: Asked) => Promise<{ mix: ByCard }>} */
  async mix({ rules: text, position: written, player = "optimal", cards = null }) {
    const rules = rulesOf(text);
    const position = readPosition(written ?? "", rules);
    const mix = await this.#mix(player, position, rules, cards);
    return { mix: Object.fromEntries(position.mine.map((card, rank) => [cardName(card), mix[rank]])) };
  }

  /** @type {(player: string, position: Position, rules: Rules, cards?: number | null) => Promise<number[]>} */
  async #mix(player, position, rules, cards = null) {
    if (isSimple(player)) return simpleMix(player, position, rules);
    const name = knownPlayer(player);
    return this.asker.ask(position, rules, (tablebase) => mixAt(name, position, rules, tablebase), cards);
  }

  /** @type {(asked: Asked) => Promise<{ upcards: string[] }>} */
  async deck({ rules: text, position: written, seed = 0 }) {
    const rules = rulesOf(text);
    return { upcards: deckOf(rules, seed, written ? readPosition(written, rules) : start(rules)).map(cardName) };
  }

  /** @type {(asked: Asked) => Promise<Review>} */
  async review({ rules: text, position: written, record = "", player }) {
    const rules = rulesOf(text);
    const rounds = readRecord(record);
    const first = written ? readPosition(written, rules) : null;
    positionAfter(rules, rounds, first);
    const theirs = player ? knownPlayer(player) : null;
    const game = { rules, rounds, first };
    return this.asker.ask(first ?? start(rules), rules, (tablebase) => reviewOf(game, tablebase, theirs));
  }

  /** @type {(asked: Asked) => Promise<Model>} */
  async model({ rules: text, records = [] }) {
    const { modelOf, remembering } = await import("./models.js"); // not needed by who only plays
    const { rules, games } = gamesOf(text, records);
    return this.asker.askGame(rules, (tablebase) => modelOf(rules, games, remembering(tablebase)));
  }

  /** @type {(asked: Asked) => Promise<Answers["habits"]>} */
  async habits({ rules: text, records = [] }) {
    const [{ habitsOf }, { modelOf, remembering }] = await Promise.all([import("./habits.js"), import("./models.js")]);
    const { rules, games } = gamesOf(text, records);
    return this.asker.askGame(rules, async (tablebase) => {
      const known = remembering(tablebase);
      return { ...(await habitsOf(rules, games, known)), model: await modelOf(rules, games, known) };
    });
  }

  /** @type {(asked: Asked) => Promise<FirstMove>} */
  async table({ rules: text }) {
    const rules = rulesOf(text);
    return this.asker.askGame(rules, (tablebase) => firstMove(rules, tablebase));
  }

  /**
   * What would be kept for games without a network, and how many tables of it are not yet.
   * @type {() => Promise<Answers["offline"]>}
   */
  async offline() {
    const tables = await this.asker.offline();
    const has = await Promise.all(tables.map(({ table, files }) => this.asker.host.has?.(table, files) ?? false));
    return {
      cards: tables.length ? Math.min(...tables.map(({ table }) => readRules(table.rules).cards)) : 0,
      bytes: tables.flatMap(({ files }) => files).reduce((sum, { size }) => sum + size, 0),
      missing: has.filter((kept) => !kept).length,
    };
  }

  /** @type {() => Promise<true>} */
  async keep() {
    await this.asker.host.keep?.(await this.asker.offline());
    return true;
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

/**
 * Games of the same rules.
 * @type {(text: string | undefined, records: string[]) => { rules: Rules, games: Round[][] }}
 */
function gamesOf(text, records) {
  const rules = rulesOf(text);
  const games = records.map(readRecord);
  for (const rounds of games) positionAfter(rules, rounds);
  return { rules, games };
}
