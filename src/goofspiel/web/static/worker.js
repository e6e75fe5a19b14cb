// The engine as a worker: questions come in as messages, answers go out.

import { EngineError } from "./engine/errors.js";
import { HttpHost } from "./engine/hosts.js";
import { Service } from "./engine/service.js";
import { CacheKept } from "./kept.js";

const base = new URL("../../tables/", import.meta.url);
const kept = "caches" in self ? new CacheKept(base.pathname) : null; // pages of plain http have no caches
const service = new Service(new HttpHost(base, { kept }));

self.addEventListener("message", async (event) => {
  const { id, what, asked } = event.data;
  try {
    self.postMessage({ id, answer: await service.answer(what, asked) });
  } catch (error) {
    if (!(error instanceof EngineError)) console.error(error);
    const { kind, title, message } =
      error instanceof EngineError ? error : { kind: "fault", title: "The page failed", message: String(error) };
    self.postMessage({ id, wrong: { kind, title, message } });
  }
});
