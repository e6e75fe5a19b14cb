// The service worker: it keeps the page, so that it opens without a network. Tables are kept by the engine's worker.

/** @type {string[]} addresses of all files of this version of the page, filled in where the page is written */
const FILES = [];

const PATIENCE = 3000; // milliseconds that a host may take for a document before the kept one is shown
const KEPT_VERSIONS = 3; // a page that is open goes on with the files it began with, after updates, too

/** @type {any} the types of pages and of service workers exclude each other */
const worker = self;
const ROOT = new URL("./", worker.location.href);
const PREFIX = `goofspiel page ${ROOT.pathname} `;
/** @param {string} name */
const versionOf = (name) => /static\/([0-9a-f]+)\//.exec(name)?.[1] ?? "";
const CACHE = PREFIX + FILES.map(versionOf).find(Boolean);

async function keep() {
  const cache = await caches.open(CACHE);
  // What has its version in its name is taken from where the browser has it already.
  const requests = FILES.map((name) => new Request(new URL(name, ROOT), { cache: versionOf(name) ? "default" : "reload" }));
  await cache.addAll(requests);
  await worker.skipWaiting(); // versions do not disturb each other
}

async function forget() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(names.slice(0, Math.max(0, names.length + 1 - KEPT_VERSIONS)).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/**
 * A document: from the host, if it answers soon, or as it was kept.
 * @param {Request} request
 */
async function documentOf(request) {
  const { pathname, search } = new URL(request.url);
  const path = pathname.slice(ROOT.pathname.length).replace(/(index\.html)?$/, "");
  const folder = (path && !path.endsWith("/") ? `${path}/` : path).toLowerCase();
  const cache = await caches.open(CACHE);
  const found = await cache.match(new URL(folder, ROOT));
  const kept = found && folder !== path ? Response.redirect(`${ROOT.pathname}${folder}${search}`) : found;
  const asked = fetch(request);
  if (!kept) return asked;
  /** @type {Promise<Response>} */
  const late = new Promise((resolve) => setTimeout(() => resolve(kept.clone()), PATIENCE));
  return Promise.race([asked.catch(() => kept), late]);
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(keep()));
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(forget()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { method, mode, url } = /** @type {Request} */ (event.request);
  if (method !== "GET" || !url.startsWith(ROOT.href)) return;
  const name = url.slice(ROOT.href.length);
  if (mode === "navigate" && !/^(api|tables)\/|\.txt$/.test(name)) event.respondWith(documentOf(event.request));
  else if (versionOf(name) || name === "manifest.webmanifest")
    event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)));
});
