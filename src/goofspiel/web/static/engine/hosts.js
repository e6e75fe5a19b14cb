// Hosts of tables: any that sends files by HTTP, or parts of them.

import { EngineError } from "./errors.js";

/** @import { Index } from "./asking.js" */
/** @import { Source } from "./shards.js" */
/** @import { TableFacts } from "./table.js" */

/**
 * Some bytes that were read before, by address.
 * @typedef {object} Kept
 * @property {(address: string) => Promise<Uint8Array | null>} get
 * @property {(address: string, bytes: Uint8Array) => Promise<void>} put
 */

const WHOLE_BYTES = 128 << 10; // a file of no more is read at once
const MOST_WHOLE_BYTES = 8 << 20; // a file of no more is read at once from a host that sends no parts
const FILES_BYTES = 32 << 20; // of whole files that are remembered
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
    return /** @type {Index} */ (await this.#json("index.json"));
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
      read: (name, start, length, size) => this.#read(new URL(`${path}/${name}?${digest}`, this.base), start, length, size),
    };
  }

  /** @param {string} name */
  async #json(name) {
    const response = await this.#fetched(new URL(name, this.base));
    return response.json();
  }

  /** @type {(address: URL, start: number, length: number, size: number) => Promise<Uint8Array>} */
  async #read(address, start, length, size) {
    if (size <= WHOLE_BYTES) return (await this.#whole(address, size)).subarray(start, start + length);
    const part = `${address}#${start}-${start + length - 1}`;
    const known = await this.kept?.get(part);
    if (known?.length === length) return known;
    if (!this.sendsParts) return (await this.#whole(address, size)).subarray(start, start + length);
    const response = await this.#fetched(address, { Range: `bytes=${start}-${start + length - 1}` });
    if (response.status !== 206) {
      await response.body?.cancel();
      this.sendsParts = false;
      return this.#read(address, start, length, size);
    }
    const bytes = await this.#bytes(response, length, address);
    void this.kept?.put(part, bytes);
    return bytes;
  }

  /** @type {(address: URL, size: number) => Promise<Uint8Array>} */
  #whole(address, size) {
    const name = String(address);
    const known = this.files_.get(name);
    if (known) return known;
    const file = this.#readWhole(address, size);
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

  /** @type {(address: URL, size: number) => Promise<Uint8Array>} */
  async #readWhole(address, size) {
    if (size > MOST_WHOLE_BYTES)
      throw new EngineError(
        "ranges",
        `${named(address)} has ${Math.round(size / 2 ** 20)} MiB, and this host sends only whole files: tables like ` +
          "this one need a host that answers requests for parts (HTTP ranges)",
      );
    const known = await this.kept?.get(String(address));
    if (known?.length === size) return known;
    const bytes = await this.#bytes(await this.#fetched(address), size, address);
    void this.kept?.put(String(address), bytes);
    return bytes;
  }

  /** @type {(response: Response, length: number, address: URL) => Promise<Uint8Array>} */
  async #bytes(response, length, address) {
    const bytes = await response.arrayBuffer().then((buffer) => new Uint8Array(buffer), lost(address));
    if (bytes.length !== length)
      throw new EngineError("damaged", `${named(address)} is damaged: ${bytes.length} bytes instead of ${length}`);
    return bytes;
  }

  /** @type {(address: URL, headers?: Record<string, string>) => Promise<Response>} */
  async #fetched(address, headers = {}) {
    for (let tries = 1; ; tries += 1) {
      const response = await fetch(address, { headers }).catch(lost(address));
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

/** @param {URL} address */
const named = ({ pathname }) => decodeURIComponent(pathname.split("/").slice(-5).join("/"));

/** @type {(address: URL) => () => never} */
const lost = (address) => () => {
  const isHere = /^(localhost|127\..*|\[::1\])$/.test(address.hostname);
  const asked = isHere ? "Is goofspiel serve still running?" : "Is there a connection?";
  throw new EngineError("unreachable", `${address.host} does not answer. ${asked}`);
};
