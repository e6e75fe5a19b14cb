// Ask the table that holds a position; where there is none and little can follow, work the answer out.

import { Endgame } from "./endgame.js";
import { EngineError } from "./errors.js";
import { neededRules } from "./needed.js";
import { problemOf, start as opening, writePosition } from "./notation.js";
import { isUsual, nests, orderName, readRules, slugOf, usual, withCards, writeRules } from "./rules.js";
import { ChunkCache, Table } from "./table.js";
import { Tablebase } from "./tablebase.js";
import { MOST_WORK, workOf } from "./work.js";

/** @import { Position } from "./notation.js" */
/** @import { Objective, Rules } from "./rules.js" */
/** @import { Source } from "./shards.js" */
/** @import { TableFacts, TableFile } from "./table.js" */

/**
 * What a host has; one that `solves` makes tables of up to so many cards when they are asked for, and some others.
 * Games of up to `offline` cards are to be kept by whoever can.
 * @typedef {{ tables: TableFacts[], solves?: number, offline?: number }} Index
 */

/**
 * Where tables come from.
 * @typedef {object} Host
 * @property {() => Promise<Index>} index
 * @property {(slug: string) => Promise<TableFacts>} make a table that is not listed; throws why there is none
 * @property {(facts: TableFacts) => Source} files of a table
 * @property {(tables: { table: TableFacts, files: TableFile[] }[]) => Promise<void>} [keep] them, for later
 * @property {(table: TableFacts, files: TableFile[]) => Promise<boolean>} [has] whether it is kept
 */

const KEPT_ENDGAMES = 3;
/** @type {Objective[]} */
const OBJECTIVES = ["points", "win"];

/** Answers positions of any rules. */
export class Asker {
  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.cache = new ChunkCache();
    /** @type {Promise<Index> | null} */
    this.listed = null;
    /** @type {Map<string, Table>} by digest */
    this.tables = new Map();
    /** @type {Endgame[]} the last ones, the latest first */
    this.endgames = [];
    /** @type {Map<string, Promise<TableFacts>>} by name, of tables that were made */
    this.made = new Map();
  }

  /** What the host has. */
  index() {
    this.listed ??= this.host.index().catch((error) => {
      this.listed = null;
      throw error;
    });
    return this.listed;
  }

  /**
   * What a table says of a position, or what is worked out; of several tables the smallest that can be read.
   * @template Found
   * @param {Position} position
   * @param {Rules} rules with another number of cards, if a table of just so many is to be asked
   * @param {(tablebase: Tablebase) => Promise<Found>} ask
   * @param {number | null} cards of the table to ask
   * @returns {Promise<Found>}
   */
  async ask(position, rules, ask, cards = null) {
    const wrong = problemOf(position, rules);
    if (wrong) throw new EngineError("position", `${wrong} “${writePosition(position)}”`);
    const needed = neededRules(position, rules);
    if (cards !== null && needed.cards > cards)
      throw new EngineError(
        "position",
        `“${writePosition(position)}” needs a table of ${needed.cards} cards, not of ${cards}`,
      );
    const wanted = cards !== null && nests(rules) ? withCards(rules, cards) : needed;
    /** @type {unknown} */
    let failed = null;
    for (let lists = 1; ; lists += 1) {
      for (const facts of candidates(wanted, await this.#tables(), cards !== null)) {
        try {
          return await ask(Tablebase.of(this.#opened(facts)));
        } catch (error) {
          if (!(error instanceof EngineError) || error.kind === "proof") throw error;
          failed ??= error; // a larger one may answer
        }
      }
      if (lists > 1 || !(await this.#isOutdated(failed))) break;
      failed = null;
    }
    const made = await this.#worked(position, wanted, failed).catch((error) => {
      throw failed ?? error;
    });
    return ask(made);
  }

  /**
   * The same for a whole game: what answers its opening answers all that follows.
   * @template Found
   * @param {Rules} rules
   * @param {(tablebase: Tablebase) => Promise<Found>} ask
   */
  askGame(rules, ask) {
    return this.ask(opening(rules), rules, ask);
  }

  /**
   * All that can follow a position, worked out; null where that would take too long.
   * @param {Position} position
   * @param {Rules} rules
   * @param {number} most work
   */
  endgame(position, rules, most = MOST_WORK) {
    const known = this.endgames.find((one) => one.holds(position, rules));
    if (!known && workOf(position, rules) > most) return null;
    const found = known ?? new Endgame(position, rules);
    this.endgames = [found, ...this.endgames.filter((one) => one !== found)].slice(0, KEPT_ENDGAMES);
    return found;
  }

  /**
   * Whether the host has other tables now than when its list was read: the new list is taken.
   * @param {unknown} failed what is wrong with those of the old one
   */
  async #isOutdated(failed) {
    if (!(failed instanceof EngineError) || !["damaged", "missing"].includes(failed.kind)) return false;
    /** @param {Index} index */
    const digests = ({ tables }) => tables.map(({ digest }) => digest).join();
    const [before, now] = [await this.index(), await this.host.index().catch(() => null)];
    if (!now || digests(before) === digests(now)) return false;
    this.listed = Promise.resolve(now);
    return true;
  }

  /**
   * The tables that hold all games of up to so many cards as the host has for games without a network: the largest of
   * each objective.
   */
  async offline() {
    const { tables, offline = 0, solves = 0 } = await this.index();
    const most = offline || solves;
    const found = await Promise.all(
      OBJECTIVES.map(async (objective) => {
        const listed = tables.filter(({ rules: text, keep }) => {
          const rules = readRules(text);
          return keep === "all" && isUsual(rules) && rules.objective === objective && rules.cards <= most;
        });
        const largest = listed.sort((a, b) => readRules(b.rules).cards - readRules(a.rules).cards).at(0);
        const rules = usual(most, objective);
        return solves && largest?.rules !== writeRules(rules) ? this.#made(rules) : largest;
      }),
    );
    return found.flatMap((table) => (table ? [{ table, files: this.#opened(table).files() }] : []));
  }

  /** @type {() => Promise<TableFacts[]>} */
  async #tables() {
    const made = await Promise.all([...this.made.values()].map((facts) => facts.catch(() => null)));
    return [...(await this.index()).tables, ...made.filter((facts) => facts !== null)];
  }

  /** @type {(position: Position, rules: Rules, failed: unknown) => Promise<Tablebase>} */
  async #worked(position, rules, failed) {
    const endgame = this.endgame(position, rules);
    if (endgame) return Tablebase.worked(endgame, (other) => this.endgame(other, rules, Infinity) ?? endgame);
    if (failed) throw failed;
    if (!(await this.index()).solves) throw missing(rules);
    return Tablebase.of(this.#opened(await this.#made(rules)));
  }

  /**
   * What a host says of a table that it does not list, but makes.
   * @param {Rules} rules
   */
  #made(rules) {
    const slug = slugOf(rules);
    let facts = this.made.get(slug);
    if (!facts) {
      facts = this.host.make(slug);
      this.made.set(slug, facts);
      facts.catch(() => this.made.delete(slug));
    }
    return facts;
  }

  /** @param {TableFacts} facts */
  #opened(facts) {
    const key = `${facts.path} ${facts.digest}`;
    const table = this.tables.get(key) ?? new Table(facts, this.host.files(facts), this.cache);
    this.tables.set(key, table);
    return table;
  }
}

/**
 * Which tables hold what the wanted one would, smallest first: of games like it, with no fewer cards.
 * @param {Rules} wanted
 * @param {TableFacts[]} listed
 * @param {boolean} exactly with just as many
 */
function candidates(wanted, listed, exactly) {
  return listed
    .map((facts) => ({ facts, rules: readRules(facts.rules) }))
    .filter(({ rules }) => {
      const isLarger = !exactly && nests(wanted) && nests(rules) && rules.cards >= wanted.cards;
      return writeRules(isLarger ? withCards(rules, wanted.cards) : rules) === writeRules(wanted);
    })
    .sort((a, b) => a.rules.cards - b.rules.cards)
    .map(({ facts }) => facts);
}

/** @param {Rules} rules */
function missing(rules) {
  const named = isUsual(rules) ? `the ${rules.objective} table of ${rules.cards} cards` : `the table of “${writeRules(rules)}”`;
  return new EngineError(
    "missing",
    `${named} is not published here; on a machine of your own, ${solveCommand(rules)} makes it and goofspiel serve shows it`,
  );
}

/** @param {Rules} rules */
function solveCommand(rules) {
  const { cards, objective, carry, prizes, order, rounds } = rules;
  const own = writeRules({ ...rules, order: null, rounds: cards });
  return [
    `goofspiel solve ${cards}`,
    objective === "points" ? "" : `--objective ${objective}`,
    carry ? "--ties carry" : "",
    own.includes("prizes=") ? `--prizes ${prizes.join(",")}` : "",
    order ? `--order ${orderName(rules) ?? order.join(",")}` : "",
    rounds === cards ? "" : `--rounds ${rounds}`,
  ]
    .filter(Boolean)
    .join(" ");
}
