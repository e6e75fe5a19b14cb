"""What a block says of itself: which block of which table it is, its largest gap, and the checksum of every chunk."""

from dataclasses import astuple, dataclass
from hashlib import sha256
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from goofspiel.rules import Rules
from goofspiel.store.blocks import Geometry

MAGIC = b"GOOFSPIELBLOCK04"
_PLACE = Struct("<16s16sII")  # magic word, table, level, block of the level
_GAP = Struct("<d")
_CHECKSUM = np.dtype("<u4")


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """The part of the manifest that stands in a block."""

    gap: float
    checksums: NDArray[np.uint32]  # of the chunks, in their order

    def to_bytes(self, place: bytes) -> bytes:
        """As it is written into the block of a place."""
        return place + _GAP.pack(self.gap) + self.checksums.astype(_CHECKSUM).tobytes()

    @staticmethod
    def read(raw: bytes, place: bytes) -> "Entry":
        """What stands in the block of a place, or a ValueError: another block may have been put there."""
        if not raw.startswith(place):
            raise ValueError(f"it is {_what(raw)} instead of {_what(place)}")
        (gap,) = _GAP.unpack_from(raw, _PLACE.size)
        return Entry(gap, np.frombuffer(raw, dtype=_CHECKSUM, offset=_PLACE.size + _GAP.size))


def entry_bytes(chunks: int) -> int:
    """The size of the entry of a block of so many chunks."""
    return _PLACE.size + _GAP.size + chunks * _CHECKSUM.itemsize


def table_identity(rules: Rules, dtype: str, geometry: Geometry) -> bytes:
    """Of the game, the type of its values, and the cuts: what two tables must share to share a block."""
    return sha256(f"{rules} {dtype} {' '.join(map(str, astuple(geometry)))}".encode()).digest()[:16]


def place_of(identity: bytes, level: int, block: int) -> bytes:
    """How the entry of a block begins, and of no other."""
    return _PLACE.pack(MAGIC, identity, level, block)


def _what(raw: bytes) -> str:
    if not raw.startswith(MAGIC) or len(raw) < _PLACE.size:
        return "no block"
    _, identity, level, block = _PLACE.unpack_from(raw)
    return f"block {block} of level {level} of table {identity.hex()[:8]}"
