// The first-move table as csv, with the columns that `goofspiel table --csv` writes.

/** @import { FirstMove } from "./first_moves.js" */

/**
 * Header `bid` and the upcards, one row a bid; rules but the usual have a column.
 * @param {FirstMove} table
 */
export function firstMoveCsv({ rules, upcards, probability }) {
  const named = /^\d+$/.test(rules) ? [] : [/[,"]/.test(rules) ? `"${rules}"` : rules];
  const lines = probability.map((row, bid) => [bid + 1, ...row, ...named]);
  return [["bid", ...upcards, ...named.map(() => "rules")], ...lines].map((line) => `${line.join(",")}\n`).join("");
}
