// One table: its values, read a chunk at a time; the recently read ones are kept in memory.

import { bandsOf } from "./blocks.js";
import { cardsUpTo } from "./cards.js";
import { sha256 } from "./digests.js";
import { decode, roundingOf } from "./encoding.js";
import { EngineError } from "./errors.js";
import { lastLevel, readRules } from "./rules.js";
import { damaged, Shards } from "./shards.js";
import { beginning } from "./space.js";

/** @import { Geometry } from "./blocks.js" */
/** @import { Dtype } from "./encoding.js" */
/** @import { Source } from "./shards.js" */
/** @import { LevelSpace, Place } from "./space.js" */

/**
 * What is said of a table where it is listed.
 * @typedef {object} TableFacts
 * @property {string} rules
 * @property {string} path of its folder
 * @property {number} format
 * @property {Dtype} dtype
 * @property {Geometry} geometry
 * @property {"all" | "last"} keep the levels that are kept
 * @property {number} bytes
 * @property {number} games the matrix games that were solved for it
 * @property {number} value_bound every value is within this of the true one
 * @property {number} exploitability_bound
 * @property {number[]} level_bounds every value of a level is within this of the true one, the last round first
 * @property {string} digest of all that it holds
 */

/** @typedef {{ name: string, size: number }} TableFile  A file of values. */

const MANIFEST_FORMAT = 4; // since then every block says of itself which it is

/** A table of values. */
export class Table {
  /**
   * @param {TableFacts} facts
   * @param {Source} source of the files of the table
   * @param {ChunkCache} cache
   */
  constructor(facts, source, cache = new ChunkCache()) {
    this.facts = facts;
    this.rules = readRules(facts.rules);
    this.start = beginning(this.rules);
    this.cache = cache;
    this.source = source;
    this.identity = sha256(`${facts.rules} ${facts.dtype}`).subarray(0, 16);
    /** @type {Shards[][]} by level and band */
    this.shards = [];
  }

  /**
   * Whether the values of a level are kept.
   * @param {number} level
   */
  keeps(level) {
    return this.facts.keep === "all" || level === this.rules.cards - 1;
  }

  /**
   * The files that hold its values.
   * @returns {TableFile[]}
   */
  files() {
    const levels = cardsUpTo(this.rules.cards - 1).filter((level) => level > lastLevel(this.rules) && this.keeps(level));
    return levels
      .flatMap((level) => this.#level(this.start.at(level)))
      .flatMap((shards) =>
        Array.from({ length: shards.blocks }, (_, block) => ({ name: shards.path(block), size: shards.size })),
      );
  }

  /** What stored values may differ by because they are rounded, all levels together. */
  get rounding() {
    let sum = 0;
    for (let level = lastLevel(this.rules) + 1; level < this.rules.cards; level += 1)
      sum += roundingOf(this.facts.dtype, this.start.at(level).payoffBound);
    return sum;
  }

  /**
   * The values of some places of a level.
   * @param {LevelSpace} space
   * @param {Place[]} places
   */
  async values(space, places) {
    if (!this.keeps(space.level))
      throw new EngineError("missing", `the table of “${this.facts.rules}” keeps only its first moves`);
    const { bands } = space;
    const shards = this.#level(space);
    const found = places.map((place) => {
      const [band, row, column] = [bands.band[place.row], bands.row[place.row], space.placeOf(place.row, place.column)];
      const cut = shards[band].band;
      const [down, along] = [Math.floor(row / cut.chunkRows), Math.floor(column / cut.chunkColumns)];
      const inChunk = (row % cut.chunkRows) * cut.chunkColumns + (column % cut.chunkColumns);
      return { band, down, along, at: inChunk * cut.leads + place.lead + cut.lead };
    });
    const chunks = new Map(found.map((place) => [`${place.band}/${place.down}/${place.along}`, place]));
    /** @type {Map<string, Float64Array>} */
    const values = new Map();
    await Promise.all(
      [...chunks].map(async ([key, { band, down, along }]) => {
        values.set(key, await this.#chunk(space, band, down, along));
      }),
    );
    return found.map(({ band, down, along, at }) => {
      const value = values.get(`${band}/${down}/${along}`)?.[at] ?? NaN;
      if (Number.isNaN(value)) throw damaged(shards[band].band.path, "not all of its values are numbers");
      return value;
    });
  }

  /** @param {LevelSpace} space */
  #level(space) {
    const { dtype, geometry, format } = this.facts;
    const { level } = space;
    const table = { dtype, identity: this.identity, level, hasManifest: format >= MANIFEST_FORMAT };
    return (this.shards[level] ??= bandsOf(space, dtype, geometry).map((band) => new Shards(this.source, band, table)));
  }

  /** @type {(space: LevelSpace, band: number, down: number, along: number) => Promise<Float64Array>} */
  #chunk(space, band, down, along) {
    const key = [this.facts.path, this.facts.digest, space.level, band, down, along].join("/");
    return this.cache.get(key, async () => {
      const bytes = await this.#level(space)[band].chunk(down, along);
      return decode(bytes, this.facts.dtype, space.payoffBound);
    });
  }
}

/** Chunks by name, the recently used ones, no more than so many bytes of them. */
export class ChunkCache {
  /** @param {number} mostBytes */
  constructor(mostBytes = 64 << 20) {
    this.mostBytes = mostBytes;
    this.bytes = 0;
    /** @type {Map<string, { chunk: Promise<Float64Array>, bytes: number }>} the one that was not used longest first */
    this.kept = new Map();
  }

  /**
   * A chunk, read now if it is not kept.
   * @param {string} key
   * @param {() => Promise<Float64Array>} read
   */
  get(key, read) {
    const found = this.kept.get(key) ?? { chunk: this.#read(key, read), bytes: 0 };
    this.kept.delete(key);
    this.kept.set(key, found);
    return found.chunk;
  }

  /** @type {(key: string, read: () => Promise<Float64Array>) => Promise<Float64Array>} */
  async #read(key, read) {
    try {
      const values = await read();
      const entry = this.kept.get(key);
      if (entry) entry.bytes = values.byteLength;
      this.bytes += values.byteLength;
      for (const [oldest, { bytes }] of this.kept) {
        if (this.bytes <= this.mostBytes || oldest === key) break;
        this.kept.delete(oldest);
        this.bytes -= bytes;
      }
      return values;
    } catch (error) {
      this.kept.delete(key);
      throw error;
    }
  }
}
