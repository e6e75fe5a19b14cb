// Hosts of tables: any that sends files by HTTP, or parts of them.

import { EngineError } from "./errors.js";
import { readRules, slugOf } from "./rules.js";

/** @import { Index } from "./asking.js" */
/** @import { Source } from "./shards.js" */
/** @import { TableFacts, TableFile } from "./table.js" */

/**
 * Bytes that were read before, by address; what follows a # says which part of the file they are.
 * @typedef {object} Kept
 * @property {(address: string, length: number) => Promise<Uint8Array | null>} get
 * @property {(address: string, bytes: Uint8Array<ArrayBuffer>, lasting?: boolean) => Promise<void>} put what is to
 *   last is kept until it is not wanted any more, and throws where there is no room; other bytes within a budget
 * @property {(address: string, length: number) => Promise<void>} forget
 * @property {(address: string) => Promise<boolean>} has a file that is to last
 * @property {(addresses: string[]) => Promise<void>} only these files last
 */

const WHOLE_BYTES = 128 << 10; // a file of no more is read at once
const MOST_WHOLE_BYTES = 8 << 20; // a file of no more is read at once from a host that sends no parts
const FILES_BYTES = 32 << 20; // of whole files that are remembered
const INDEX = "index.json";
const TRIES = 3; // of a host that is busy, solving a table perhaps
const RETRY_SECONDS = 2;

/** @param {number} time */
const seconds = (time) => new Promise((done) => setTimeout(done, 1000 * time));

/** Tables below an address: `index.json` lists them. */
export class HttpHost {
  /**
   * @param {string | URL} base of the folder, with a slash at its end
   * @param {{ kept?: Kept | null }} options
   */
  constructor(base, { kept = null } = {}) {
    this.base = new URL(base);
    this.kept = kept;
    this.sendsParts = true;
    this.bytes = 0;
    /** @type {Map<string, Promise<Uint8Array>>} whole files, the oldest first */
    this.files_ = new Map();
  }

  /** @returns {Promise<Index>} */
  async index() {
    return /** @type {Index} */ (await this.#json(INDEX));
  }

  /**
   * @param {string} slug
   * @returns {Promise<TableFacts>}
   */
  async make(slug) {
    return /** @type {TableFacts} */ (await this.#json(`${slug}.json`));
  }

  /**
   * @param {TableFacts} facts
   * @returns {Source}
   */
  files({ path, digest }) {
    return {
      read: (name, start, length, size, fresh = false) =>
        this.#read(this.#address({ path, digest }, name), start, length, size, fresh),
    };
  }

  /** @type {(table: Pick<TableFacts, "path" | "digest">, name: string) => URL} */
  #address({ path, digest }, name) {
    return new URL(`${path}/${name}?${digest}`, this.base);
  }

  /** @type {(table: TableFacts, files: TableFile[]) => Promise<boolean>} whether all files of a table are kept */
  async has(table, files) {
    const found = files.map(({ name }) => this.kept?.has(String(this.#address(table, name))) ?? false);
    return (await Promise.all(found)).every(Boolean);
  }

  /**
   * Keep all files of some tables, so that they can be read without the host, and no others.
   * @param {{ table: TableFacts, files: TableFile[] }[]} tables
   */
  async keep(tables) {
    const all = tables.flatMap(({ table, files }) =>
      files.map(({ name, size }) => ({ address: this.#address(table, name), size })),
    );
    for (const { address, size } of all) {
      if (!this.kept || (await this.kept.has(String(address)))) continue;
      const bytes = await this.#bytes(await this.#fetched(address), size, address);
      await this.kept.put(String(address), bytes, true);
    }
    const named = [INDEX, ...tables.map(({ table }) => `${slugOf(readRules(table.rules))}.json`)];
    await this.kept?.only([...all.map(({ address }) => String(address)), ...named.map((name) => String(new URL(name, this.base)))]);
  }

  /**
   * A list, always as it is now; without the host as it was.
   * @param {string} name
   */
  async #json(name) {
    const address = new URL(name, this.base);
    try {
      const response = await this.#fetched(address, { cache: "no-cache" });
      const bytes = new Uint8Array(await response.arrayBuffer().catch(lost(address)));
      void this.kept?.put(String(address), bytes, true).catch(() => null);
      return parsed(bytes, address);
    } catch (error) {
      const isGone = error instanceof EngineError && error.kind === "unreachable";
      const known = isGone ? await this.kept?.get(String(address), 0) : null;
      if (!known) throw error;
      return parsed(known, address);
    }
  }

  /** @type {(address: URL, start: number, length: number, size: number, fresh: boolean) => Promise<Uint8Array>} */
  async #read(address, start, length, size, fresh) {
    if (size <= WHOLE_BYTES) return (await this.#whole(address, size, fresh)).subarray(start, start + length);
    const part = `${address}#${start}-${start + length - 1}`;
    if (fresh) await this.kept?.forget(part, length);
    const known = await this.kept?.get(part, length);
    if (known?.length === length) return known;
    if (!this.sendsParts) return (await this.#whole(address, size, fresh)).subarray(start, start + length);
    const range = { Range: `bytes=${start}-${start + length - 1}` };
    const response = await this.#fetched(address, { headers: range, cache: fresh ? "reload" : "default" });
    if (response.status !== 206) {
      await response.body?.cancel();
      this.sendsParts = false;
      return this.#read(address, start, length, size, fresh);
    }
    const bytes = await this.#bytes(response, length, address);
    void this.kept?.put(part, bytes);
    return bytes;
  }

  /** @type {(address: URL, size: number, fresh: boolean) => Promise<Uint8Array>} */
  #whole(address, size, fresh) {
    const name = String(address);
    if (fresh) this.#forget(name, size);
    const known = this.files_.get(name);
    if (known) return known;
    const file = this.#readWhole(address, size, fresh);
    this.files_.set(name, file);
    this.bytes += size;
    file.catch(() => this.#forget(name, size));
    for (const [oldest, promise] of this.files_) {
      if (this.bytes <= FILES_BYTES || oldest === name) break;
      void promise.then((bytes) => this.#forget(oldest, bytes.length));
    }
    return file;
  }

  /** @type {(name: string, size: number) => void} */
  #forget(name, size) {
    if (this.files_.delete(name)) this.bytes -= size;
  }

  /** @type {(address: URL, size: number, fresh: boolean) => Promise<Uint8Array>} */
  async #readWhole(address, size, fresh) {
    if (size > MOST_WHOLE_BYTES)
      throw new EngineError(
        "ranges",
        `${named(address)} has ${Math.round(size / 2 ** 20)} MiB, and this host sends only whole files: tables like ` +
          "this one need a host that answers requests for parts (HTTP ranges)",
      );
    if (fresh) await this.kept?.forget(String(address), size);
    const known = await this.kept?.get(String(address), size);
    if (known?.length === size) return known;
    const response = await this.#fetched(address, { cache: fresh ? "reload" : "default" });
    const bytes = await this.#bytes(response, size, address);
    void this.kept?.put(String(address), bytes);
    return bytes;
  }

  /** @type {(response: Response, length: number, address: URL) => Promise<Uint8Array<ArrayBuffer>>} */
  async #bytes(response, length, address) {
    const bytes = await response.arrayBuffer().then((buffer) => new Uint8Array(buffer), lost(address));
    if (bytes.length !== length)
      throw new EngineError("damaged", `${named(address)} is damaged: ${bytes.length} bytes instead of ${length}`);
    return bytes;
  }

  /** @type {(address: URL, how?: RequestInit) => Promise<Response>} */
  async #fetched(address, how = {}) {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(address, how).catch(lost(address));
      if (response.ok) return response;
      if (response.status === 503 && tries < TRIES) {
        await seconds(Number(response.headers.get("Retry-After")) || RETRY_SECONDS);
        continue;
      }
      /** @type {{ title?: string, detail?: string }} */
      const problem = await response.json().catch(() => ({}));
      const kind = response.status === 404 ? "missing" : "unreachable";
      const detail = problem.detail ?? `${named(address)}: the host answers ${response.status} ${response.statusText}`;
      throw new EngineError(kind, detail.trim(), problem.title);
    }
  }
}

/** @type {(bytes: Uint8Array, address: URL) => unknown} */
function parsed(bytes, address) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new EngineError("damaged", `${named(address)} is damaged: it is not JSON`);
  }
}

/** @param {URL} address */
const named = ({ pathname }) => decodeURIComponent(pathname.split("/").slice(-5).join("/"));

/** @type {(address: URL) => () => never} */
const lost = (address) => () => {
  const isHere = /^(localhost|127\..*|\[::1\])$/.test(address.hostname);
  const asked = isHere ? "Is goofspiel serve still running?" : "Is there a connection?";
  throw new EngineError("unreachable", `${address.host} does not answer. ${asked}`);
};
