// What was read of tables, kept on this device: rows within a budget, and whole files for games without a network.

/** @import { Kept } from "./engine/hosts.js" */

/** Bytes of rows that are kept; when there are more, those that were kept first go. */
const BUDGET = 64 << 20;

/** @param {string} address */
const isPart = (address) => address.includes("#");
/** The length of what is kept at a key: it is written there. @param {string} key */
const lengthOf = (key) => Number(/[?&]length=(\d+)$/.exec(key)?.[1] ?? 0);

/** Bytes in the browser's caches. @implements {Kept} */
export class CacheKept {
  /** @param {string} name of the host, as several may be at one origin */
  constructor(name) {
    this.name = name;
    /** @type {Promise<number> | null} bytes of rows */
    this.bytes = null;
  }

  /** @param {boolean} lasting */
  #cache(lasting) {
    return caches.open(`goofspiel ${lasting ? "games" : "rows"} ${this.name}`);
  }

  /** @type {Kept["get"]} */
  async get(address, length) {
    try {
      const found = (await (await this.#cache(false)).match(key(address, length))) ?? (await this.#lasting(address));
      if (!found) return null;
      const blob = await found.blob();
      const [from, to] = isPart(address) && found.headers.get("Part") === null ? spanOf(address) : [0, blob.size];
      const part = from || to < blob.size ? blob.slice(from, to) : blob;
      return new Uint8Array(await part.arrayBuffer());
    } catch {
      return null; // the browser may forget, or refuse
    }
  }

  /** The whole file, of which a part is asked for, perhaps. @param {string} address */
  async #lasting(address) {
    return (await this.#cache(true)).match(address.split("#")[0]);
  }

  /** @type {Kept["has"]} */
  async has(address) {
    return Boolean(await this.#lasting(address).catch(() => null));
  }

  /** @type {Kept["put"]} */
  async put(address, bytes, lasting = false) {
    if (lasting) {
      await (await this.#cache(true)).put(address, new Response(bytes));
      return;
    }
    try {
      const cache = await this.#cache(false);
      this.bytes ??= cache.keys().then((keys) => keys.reduce((sum, { url }) => sum + lengthOf(url), 0));
      await cache.put(key(address, bytes.length), new Response(bytes, { headers: { Part: "1" } }));
      this.bytes = Promise.resolve((await this.bytes) + bytes.length);
      if ((await this.bytes) > BUDGET) await this.#shrink(cache);
    } catch {
      this.bytes = null; // no room: it is read again next time
    }
  }

  /** @param {Cache} cache */
  async #shrink(cache) {
    const keys = await cache.keys(); // in the order in which they were put
    let bytes = keys.reduce((sum, { url }) => sum + lengthOf(url), 0);
    for (const request of keys) {
      if (bytes <= 0.75 * BUDGET) break;
      await cache.delete(request);
      bytes -= lengthOf(request.url);
    }
    this.bytes = Promise.resolve(bytes);
  }

  /** @type {Kept["forget"]} */
  async forget(address, length) {
    await (await this.#cache(false)).delete(key(address, length)).catch(() => false);
    await (await this.#cache(true)).delete(address.split("#")[0]).catch(() => false);
  }

  /** @type {Kept["only"]} */
  async only(addresses) {
    const [cache, wanted] = [await this.#cache(true), new Set(addresses)];
    for (const request of await cache.keys()) if (!wanted.has(request.url)) await cache.delete(request);
  }
}

/**
 * Under which address some bytes are kept: caches do not look at what follows the #.
 * @param {string} address
 * @param {number} length
 */
function key(address, length) {
  const [file, part] = address.split("#");
  return `${file}${file.includes("?") ? "&" : "?"}${part ? `part=${part}&` : ""}length=${length}`;
}

/** @type {(address: string) => [from: number, to: number]} */
function spanOf(address) {
  const [from, last] = address.split("#")[1].split("-").map(Number);
  return [from, last + 1];
}
