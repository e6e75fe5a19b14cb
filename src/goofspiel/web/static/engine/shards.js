// One block of a table: a Zarr v3 shard, chunks with a checksum each, the block's entry of the manifest, an index.
//
// Where the chunks are follows from the shape of the block, so a chunk is read by one request for a part of the file.

import { ITEM_BYTES } from "./encoding.js";
import { crc32c } from "./digests.js";
import { EngineError } from "./errors.js";

/** @import { Band } from "./blocks.js" */
/** @import { Dtype } from "./encoding.js" */

/**
 * A host of files: some bytes of one of them, which is so long as a whole; if `fresh`, not as they were kept anywhere.
 * @typedef {object} Source
 * @property {(path: string, start: number, length: number, size: number, fresh?: boolean) => Promise<Uint8Array>} read
 */

const CHECKSUM = 4;
const INDEXED = 16; // bytes of the index for a chunk
const PLACE = 40; // magic word, table, level, block
const MAGIC = "GOOFSPIELBLOCK04";

/** The blocks of a band. */
export class Shards {
  /**
   * @param {Source} source
   * @param {Band} band
   * @param {{ dtype: Dtype, identity: Uint8Array, level: number, hasManifest: boolean }} table
   */
  constructor(source, band, { dtype, identity, level, hasManifest }) {
    this.source = source;
    this.band = band;
    this.identity = identity;
    this.level = level;
    this.across = Math.ceil(band.columns / band.chunkColumns);
    this.chunkBytes = band.chunkRows * band.chunkColumns * band.leads * ITEM_BYTES[dtype];
    this.chunks = (band.blockRows / band.chunkRows) * this.across;
    this.entryStart = this.chunks * (this.chunkBytes + CHECKSUM);
    this.entryBytes = hasManifest ? PLACE + 8 + this.chunks * CHECKSUM : 0;
    const entry = hasManifest ? this.entryBytes + CHECKSUM : 0;
    this.size = this.entryStart + entry + this.chunks * INDEXED + CHECKSUM;
    /** @type {Map<number, Promise<DataView>>} by block: the checksums that the manifest has of its chunks */
    this.entries = new Map();
  }

  /**
   * The bytes of a chunk, `down` chunks from the first row of the band and `along` from the first column; checked.
   * @param {number} down
   * @param {number} along
   */
  async chunk(down, along) {
    const inBlock = this.band.blockRows / this.band.chunkRows;
    const block = Math.floor(down / inBlock);
    const number = (down % inBlock) * this.across + along;
    try {
      return await this.#chunk(block, number);
    } catch (error) {
      if (!(error instanceof EngineError) || error.kind !== "damaged") throw error;
      this.entries.delete(block); // what is damaged may be a copy
      return this.#chunk(block, number, true);
    }
  }

  /** How many blocks there are. */
  get blocks() {
    return Math.ceil(this.band.rows / this.band.blockRows);
  }

  /** @type {(block: number, number: number, fresh?: boolean) => Promise<Uint8Array>} */
  async #chunk(block, number, fresh = false) {
    const path = this.path(block);
    const start = number * (this.chunkBytes + CHECKSUM);
    const [bytes, listed] = await Promise.all([
      this.source.read(path, start, this.chunkBytes + CHECKSUM, this.size, fresh),
      this.#entry(block, path, fresh),
    ]);
    const checksum = this.#checked(bytes, path);
    if (listed && listed.getUint32(number * CHECKSUM, true) !== checksum)
      throw damaged(path, "a chunk is not the one that the manifest has for its place");
    return bytes.subarray(0, this.chunkBytes);
  }

  /**
   * The name of the file of a block.
   * @param {number} block
   */
  path(block) {
    return [this.band.path, "c", block, ...new Array(this.band.axes - 1).fill(0)].join("/");
  }

  /** @type {(block: number, path: string, fresh: boolean) => Promise<DataView> | null} */
  #entry(block, path, fresh) {
    if (!this.entryBytes) return null;
    let entry = this.entries.get(block);
    if (!entry) {
      entry = this.#readEntry(block, path, fresh);
      this.entries.set(block, entry);
      entry.catch(() => this.entries.delete(block));
    }
    return entry;
  }

  /** @type {(block: number, path: string, fresh: boolean) => Promise<DataView>} */
  async #readEntry(block, path, fresh) {
    const bytes = await this.source.read(path, this.entryStart, this.entryBytes + CHECKSUM, this.size, fresh);
    this.#checked(bytes, path);
    const view = new DataView(bytes.buffer, bytes.byteOffset, this.entryBytes);
    const isOurs =
      [...MAGIC].every((letter, at) => bytes[at] === letter.charCodeAt(0)) &&
      this.identity.every((byte, at) => bytes[16 + at] === byte) &&
      view.getUint32(32, true) === this.level &&
      view.getUint32(36, true) === this.band.blocksBefore + block;
    if (!isOurs) throw damaged(path, "it is another block than its name says");
    return new DataView(bytes.buffer, bytes.byteOffset + PLACE + 8, this.chunks * CHECKSUM);
  }

  /** @type {(bytes: Uint8Array, path: string) => number} */
  #checked(bytes, path) {
    const body = bytes.length - CHECKSUM;
    const checksum = crc32c(bytes.subarray(0, body));
    if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(body, true) !== checksum)
      throw damaged(path, "a checksum does not match");
    return checksum;
  }
}

/** @type {(path: string, why: string) => EngineError} */
export const damaged = (path, why) => new EngineError("damaged", `${path} is damaged: ${why}`);
