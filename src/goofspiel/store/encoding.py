"""How values are kept: in floating point, or as whole numbers of a unit, in four bytes or the upper three of them."""

from dataclasses import dataclass
from functools import cached_property
from math import frexp
from typing import Any

import numpy as np

from goofspiel.arrays import Floats, Values

# By the name of what is kept: in memory, and what Zarr calls it. Three bytes are an axis of their own there.
DTYPES = {"float64": ("<f8", "float64"), "float32": ("<f4", "float32"), "fixed32": ("<i4", "int32")} | {
    "fixed24": ("V3", "uint8")
}
_MARGIN = 1 - 2.0**-10  # of what whole numbers can say: values may be rounded up


@dataclass(frozen=True)
class Encoding:
    """The values of a level, none of them above a bound."""

    dtype: str
    bound: float

    @property
    def stored(self) -> "np.dtype[np.generic]":
        """The type of what is kept."""
        return np.dtype(DTYPES[self.dtype][0])

    @property
    def is_fixed(self) -> bool:
        return self.dtype.startswith("fixed")

    @cached_property
    def unit(self) -> float:
        """What a whole number counts, the lowest byte included where it is not kept: a power of two; 1 for floats."""
        return 2.0 ** (frexp(self.bound / _MARGIN)[1] - 31) if self.is_fixed else 1.0

    @property
    def rounding(self) -> float:
        """The most by which a value changes when it is kept."""
        if self.is_fixed:
            return self.unit / 2 * (1 if self.dtype == "fixed32" else 256)
        return float(np.finfo(self.dtype).eps) / 2 * self.bound

    def encode(self, values: Floats) -> Values:
        """As they are kept. What is in floating point already may be the same array."""
        if not self.is_fixed:
            return values.astype(self.stored, copy=False)
        kept: Values = np.empty(values.shape, dtype=self.stored)
        for row, into in zip(values, kept, strict=True):  # one at a time: less memory, and in the cache
            into[...] = self._encode(row)
        return kept

    def _encode(self, values: Floats) -> Values:
        if self.dtype == "fixed32":
            return np.rint(values / self.unit).astype("<i4")
        upper = np.rint(values / (self.unit * 256)).astype("<i4")
        return np.ascontiguousarray(upper[..., None].view(np.uint8)[..., :3]).view("V3")[..., 0]

    def whole_numbers(self, kept: Values) -> Values:
        """Three bytes as four; anything else as it is."""
        if self.dtype != "fixed24":
            return kept
        found = np.zeros((*kept.shape, 4), dtype=np.uint8)
        found[..., 1:] = np.ascontiguousarray(kept)[..., None].view(np.uint8)
        return found.view("<i4")[..., 0]

    def decode(self, kept: Values) -> Floats:
        """What is kept, in doubles."""
        found: Floats = self.whole_numbers(kept).astype(np.float64)
        if self.is_fixed:
            found *= self.unit
        return found

    @property
    def nothing(self) -> Any:
        """What stands where there is no value."""
        if not self.is_fixed:
            return np.nan
        return np.frombuffer(np.array([-(1 << 31)], dtype="<i4").tobytes()[-self.stored.itemsize :], self.stored)[0]

    def is_complete(self, kept: Values) -> bool:
        """Whether each is a value."""
        if not kept.size:
            return True
        if not self.is_fixed:
            return not np.isnan(kept.min())  # which is not a number if any is none
        if self.dtype == "fixed32":
            return bool(kept.min() > -(1 << 31))
        highest = kept[..., None].view(np.uint8)[..., 2]
        return not (highest == 128).any() or bool(self.whole_numbers(kept[highest == 128]).min() > -(1 << 31))
