// A first-move table as a small picture.

import { svg } from "./dom.js";
import { parityShade } from "./palette.js";

/** @import { FirstMove } from "./api.js" */

/**
 * Bids down, prizes across, even bids green, odd ones purple.
 * @param {FirstMove} table
 */
export function thumbnail({ cards, upcards, probability }) {
  const cells = probability.flatMap((row, bid) =>
    row.map((chance, up) =>
      chance > 1e-9
        ? svg("rect", { x: up, y: bid, width: 0.94, height: 0.94, vars: parityShade(chance, bid + 1) })
        : null,
    ),
  );
  return svg("svg", { viewBox: `0 0 ${upcards.length} ${cards}`, "aria-hidden": "true" }, cells);
}
