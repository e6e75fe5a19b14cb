// What the engine offers: `new Service(host)` answers questions; the parts are there to be used one by one.

export { Asker } from "./asking.js";
export { Endgame } from "./endgame.js";
export { EngineError } from "./errors.js";
export { solve } from "./games.js";
export { HttpHost } from "./hosts.js";
export { play, positionAfter, problemOf, readPosition, readRecord, start, turnUp, writePosition } from "./notation.js";
export { readRules, slugOf, usual, writeRules } from "./rules.js";
export { Service } from "./service.js";
export { Table } from "./table.js";
export { Tablebase } from "./tablebase.js";
