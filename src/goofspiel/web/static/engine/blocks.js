// How a table is cut: levels into bands of equally long rows, bands into blocks, blocks into chunks.

import { ITEM_BYTES } from "./encoding.js";
import { hasLeads } from "./rules.js";

/** @import { Dtype } from "./encoding.js" */
/** @import { LevelSpace } from "./space.js" */

/**
 * What decides the cuts, as the table says.
 * @typedef {object} Geometry
 * @property {number} block_bytes
 * @property {number} least_rows
 * @property {number} least_lead_rows
 * @property {number} most_values
 * @property {number} chunk_bytes
 */

/**
 * Rows of a level that are equally long.
 * @typedef {object} Band
 * @property {string} path of its folder
 * @property {number} rows
 * @property {number} columns
 * @property {number} lead the largest; 0 where leads do not count
 * @property {number} leads the values of a matchup
 * @property {number} blockRows
 * @property {number} chunkRows
 * @property {number} chunkColumns
 * @property {number} blocksBefore blocks of the level in the bands before
 * @property {number} axes of its array
 */

/** @type {(above: number, below: number) => number} */
const quotient = (above, below) => Math.floor(above / below);
/** @param {number} number */
const two = (number) => String(number).padStart(2, "0");

/**
 * The bands of a level.
 * @param {LevelSpace} space
 * @param {Dtype} dtype
 * @param {Geometry} cut
 * @returns {Band[]}
 */
export function bandsOf(space, dtype, cut) {
  const leads = hasLeads(space.rules);
  let blocksBefore = 0;
  return space.bands.all.flatMap(({ lead, ties, rows }) => {
    const columns = space.columnsWith(ties);
    if (!columns) return [];
    const shape = { rows, columns, lead, leads: 2 * lead + 1 };
    const parts = [...(space.rules.carry ? [`tied-${two(ties)}`] : []), ...(leads ? [`lead-${two(lead)}`] : [])];
    const path = [`level-${two(space.level)}`, parts.join("-")].filter(Boolean).join("/");
    const axes = 2 + (leads ? 1 : 0) + (dtype === "fixed24" ? 1 : 0);
    const band = { ...shape, ...cutsOf(shape, leads, ITEM_BYTES[dtype], cut), path, axes, blocksBefore };
    blocksBefore += Math.ceil(rows / band.blockRows);
    return [band];
  });
}

/**
 * How a band is cut.
 * @param {{ rows: number, columns: number, leads: number }} shape
 * @param {boolean} byLead whether leads count
 * @param {number} itemBytes
 * @param {Geometry} cut
 */
function cutsOf({ rows, columns, leads }, byLead, itemBytes, cut) {
  const rowBytes = columns * leads * itemBytes;
  const least = Math.min(
    byLead ? cut.least_lead_rows : cut.least_rows,
    Math.max(1, quotient(cut.most_values, columns * leads)),
  );
  let blockRows = Math.min(Math.max(least, quotient(quotient(cut.block_bytes, rowBytes), 4) * 4), rows);
  if (byLead) blockRows = Math.ceil(rows / Math.ceil(rows / blockRows)); // none much smaller than the others
  let chunkRows = Math.min(Math.max(1, quotient(cut.chunk_bytes, rowBytes)), blockRows);
  while (blockRows % chunkRows) chunkRows -= 1;
  const whole = !byLead || rowBytes <= cut.chunk_bytes;
  const chunkColumns = whole ? columns : Math.max(1, quotient(cut.chunk_bytes, leads * itemBytes));
  return { blockRows, chunkRows, chunkColumns };
}
