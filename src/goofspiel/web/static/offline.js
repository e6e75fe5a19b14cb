// Keep the page, and games of up to nine cards, on this device, so that they work without a network.

import { ROOT } from "./addresses.js";
import { ask } from "./api.js";
import { el, fill } from "./dom.js";

const SOON = 4000; // milliseconds after which nothing more urgent is to be loaded

/** @param {number} bytes */
const megabytes = (bytes) => `${Math.max(1, Math.round(bytes / 1e6))} MB`;

/**
 * Install the service worker, and have the tables kept; what there is is said in `place`.
 * @param {HTMLElement} place
 */
export async function keepOffline(place) {
  if (!("serviceWorker" in navigator) || !("caches" in globalThis)) return; // pages of plain http have neither
  await new Promise((done) => setTimeout(done, SOON));
  try {
    await navigator.serviceWorker.register(`${ROOT}sw.js`, { scope: ROOT, updateViaCache: "none" });
    await navigator.serviceWorker.ready;
  } catch {
    return; // the page works as before
  }
  /** @type {{ saveData?: boolean } | undefined} */
  const connection = /** @type {any} */ (navigator).connection;
  const { cards, bytes, missing } = await ask("offline").catch(() => ({ cards: 0, bytes: 0, missing: 0 }));
  if (!cards) return;
  const all = `games of up to ${cards} cards (${megabytes(bytes)})`;
  const keep = async () => {
    fill(place, `Keeping ${all} on this device …`);
    const kept = await ask("keep").catch(() => null);
    fill(
      place,
      kept
        ? `On this device: the page and ${all}. They work without a network.`
        : `This device has no room for ${all}, or the connection was lost.`,
    );
  };
  if (missing && connection?.saveData)
    fill(place, el("button", { type: "button", class: "small", onclick: () => void keep() }, `Keep ${all} on this device`));
  else await keep();
}
