// Colours of heat maps, for a light and a dark page at once, safe for colour-blind readers.

// Hues of OKLCH, in degrees. Blue against orange and green against purple differ in all common kinds of vision.
const BLUE = 250;
const ORANGE = 55;
const GREEN = 160;
const PURPLE = 310;

/**
 * OKLCH to sRGB, each part from 0 to 1.
 * @param {number} lightness
 * @param {number} chroma
 * @param {number} hue
 */
function rgb(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((part) => {
    const kept = Math.min(1, Math.max(0, part));
    return kept <= 0.0031308 ? 12.92 * kept : 1.055 * kept ** (1 / 2.4) - 0.055;
  });
}

/**
 * Relative luminance, as the contrast of text is measured.
 * @param {number[]} parts
 */
function luminance(parts) {
  const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {number[]} parts */
const hex = (parts) =>
  `#${parts
    .map((part) =>
      Math.round(255 * part)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;

/**
 * Black or white, whichever is read more easily. Either way the contrast is above 4.5.
 * @param {number[]} parts
 */
const inkOn = (parts) => (luminance(parts) > 0.179 ? "#000" : "#fff");

/**
 * A colour on the way, from 0 to 1, from the page to a strong hue: as custom properties of a cell.
 * @param {number} strength
 * @param {number} hue
 */
function shade(strength, hue) {
  const at = Math.min(1, Math.max(0, strength));
  const light = rgb(0.965 - 0.5 * at, 0.005 + 0.125 * at ** 0.7, hue);
  const dark = rgb(0.27 + 0.5 * at, 0.006 + 0.115 * at ** 0.7, hue);
  return {
    "--cell": `light-dark(${hex(light)}, ${hex(dark)})`,
    "--on-cell": `light-dark(${inkOn(light)}, ${inkOn(dark)})`,
  };
}

/**
 * Small probabilities must still be seen: the root spreads them.
 * @param {number} probability
 */
const spread = (probability) => (probability <= 1e-9 ? 0 : 0.06 + 0.94 * Math.sqrt(probability));

/**
 * A probability.
 * @param {number} probability
 */
export const probabilityShade = (probability) => shade(spread(probability), BLUE);

/**
 * The probability of a bid: even bids are green, odd ones purple.
 * @param {number} probability
 * @param {number} bid
 */
export const parityShade = (probability, bid) => shade(spread(probability), bid % 2 ? PURPLE : GREEN);

const LEAST = 1e-6; // differences below this are rounding, and have no colour

/**
 * What I gain (blue) or lose (orange), up to a limit.
 * @param {number} value
 * @param {number} limit
 */
export function signedShade(value, limit) {
  const part = limit > LEAST ? Math.min(1, Math.abs(value) / limit) : 0;
  return shade(0.95 * part ** 0.8, value < 0 ? ORANGE : BLUE);
}
