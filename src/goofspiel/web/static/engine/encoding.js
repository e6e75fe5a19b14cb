// How values are kept: in floating point, or as whole numbers of a unit, in four bytes or in the upper three of them.

/** @typedef {"float64" | "float32" | "fixed32" | "fixed24"} Dtype */

/** @type {Record<Dtype, number>} */
export const ITEM_BYTES = { float64: 8, float32: 4, fixed32: 4, fixed24: 3 };

const MARGIN = 1 - 2 ** -10; // of what whole numbers can say: values may be rounded up
const NOTHING = -(2 ** 31); // where there is no value

/** @param {Dtype} dtype */
const isFixed = (dtype) => dtype.startsWith("fixed");

/**
 * What a whole number counts, the lowest byte included where it is not kept: a power of two.
 * @param {number} bound no value is above it
 */
function unitOf(bound) {
  let exponent = -31;
  while (2 ** (exponent + 31) <= bound / MARGIN) exponent += 1;
  return 2 ** exponent;
}

/**
 * The most by which a value changes when it is kept.
 * @param {Dtype} dtype
 * @param {number} bound
 */
export function roundingOf(dtype, bound) {
  if (isFixed(dtype)) return (unitOf(bound) / 2) * (dtype === "fixed32" ? 1 : 256);
  return ((dtype === "float64" ? Number.EPSILON : 2 ** -23) / 2) * bound;
}

/**
 * What is kept, in doubles; not a number where there is no value.
 * @param {Uint8Array} bytes
 * @param {Dtype} dtype
 * @param {number} bound
 */
export function decode(bytes, dtype, bound) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float64Array(bytes.byteLength / ITEM_BYTES[dtype]);
  const unit = unitOf(bound);
  for (let at = 0; at < values.length; at += 1) {
    if (dtype === "float64") values[at] = view.getFloat64(8 * at, true);
    else if (dtype === "float32") values[at] = view.getFloat32(4 * at, true);
    else {
      const lower = 3 * at;
      const whole =
        dtype === "fixed32"
          ? view.getInt32(4 * at, true)
          : (bytes[lower] << 8) | (bytes[lower + 1] << 16) | (bytes[lower + 2] << 24);
      values[at] = whole === NOTHING ? NaN : whole * unit;
    }
  }
  return values;
}
