// Answers the questions of a test, one JSON object a line, from the tables of folders of this machine.

import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const engine = pathToFileURL(process.argv[2]);
/** @param {string} name */
const load = (name) => import(new URL(name, engine).href);
const { EngineError } = await load("errors.js");
const { Service } = await load("service.js");

/** A host of files of this machine: `tables` are facts, each with the folder that holds the table. */
class FolderHost {
  constructor(tables) {
    this.tables = tables;
    this.reads = 0;
  }

  async index() {
    return { tables: this.tables };
  }

  files({ folder, path }) {
    return {
      read: async (name, start, length) => {
        const file = await open(`${folder}/${path}/${name}`).catch(() => {
          throw new EngineError("missing", `${name} is not there`);
        });
        const bytes = new Uint8Array(length);
        const { bytesRead } = await file.read(bytes, 0, length, start);
        await file.close();
        if (bytesRead !== length) throw new EngineError("damaged", `${name} is too short`);
        return bytes;
      },
    };
  }
}

let service = new Service(new FolderHost([]));
const answers = {
  tables: ({ tables }) => void (service = new Service(new FolderHost(tables))),
  ask: ({ what, asked }) => service.answer(what, asked),
  // Any function of a module, applied to each of many lists of arguments.
  call: async ({ module, name, all }) => {
    const found = (await load(module))[name];
    return all.map((args) => {
      try {
        return { value: found(...args) };
      } catch (error) {
        return { error: error.message };
      }
    });
  },
  // A function of a test's own, which is given what loads a module, and who answers questions.
  run: async ({ code, given }) => (await (0, eval)(code))(load, given, service),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { question, ...rest } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await answers[question](rest)) ?? null };
  } catch (error) {
    answer = { error: error.message, kind: error.kind ?? "fault", stack: error.kind ? null : error.stack };
  }
  process.stdout.write(`${JSON.stringify(answer, (_, part) => (typeof part === "bigint" ? String(part) : part))}\n`);
}
