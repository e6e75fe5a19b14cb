"""One table on disk: created empty, filled block by block, then read.

Format 1. A Zarr v3 group with the attribute `goofspiel`: format, cards, objective, solver (version), complete.
For each level j = 1 … cards − 1 two arrays:
- `level-JJ`, shape (prize sets, matchups): the value of each position before its upcard is turned up. A shard is a
  block, an inner chunk a few prize sets, each with a crc32c. The fill value is NaN: what is not solved has no value.
- `gap-JJ`, shape (blocks): the largest gap of each block's games. It is written before the block, so that a block that
  exists is done, whole and accounted for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from goofspiel.errors import DamagedTableError, MissingTableError, TableVersionError
from goofspiel.plan import Plan
from goofspiel.rules import Objective

if TYPE_CHECKING:
    import zarr

FORMAT = 1

Values = NDArray[np.float64] | NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Header:
    """What a table says of itself."""

    format: int
    cards: int
    objective: Objective
    dtype: str
    solver: str
    complete: bool


class Table:
    """A table of values. Make one with `create` or `open`."""

    def __init__(self, path: Path, group: "zarr.Group", header: Header) -> None:
        self.path = path
        self.header = header
        self._group = group
        self._level = cache(self._open_level)

    def __repr__(self) -> str:
        return f"Table.open({str(self.path)!r})"

    @staticmethod
    def create(path: Path, plan: Plan, *, solver: str) -> "Table":
        """An empty table for a plan. What is already there is left alone: creation may have been interrupted."""
        import zarr
        from zarr.codecs import BytesCodec, Crc32cCodec

        header = Header(FORMAT, plan.cards, plan.objective, plan.dtype, solver, complete=False)
        group = zarr.open_group(path, mode="a", zarr_format=3)
        for level in plan.levels:
            for name, shape, shards, chunks, dtype in (
                (_gap_name(level.level), (level.block_count,), None, (1,), "float64"),
                (
                    _level_name(level.level),
                    (level.prize_sets, level.matchups),
                    (level.block_rows, level.matchups),
                    (level.chunk_rows, level.matchups),
                    plan.dtype,
                ),
            ):
                if name not in group:
                    group.create_array(
                        name,
                        shape=shape,
                        shards=shards,
                        chunks=chunks,
                        dtype=dtype,
                        filters=None,
                        serializer=BytesCodec(endian="little"),
                        compressors=(Crc32cCodec(),),
                        fill_value=float("nan"),
                        config={"write_empty_chunks": True},
                    )
        # Last, so that a header means that everything else is there.
        group.attrs["goofspiel"] = _header_attribute(header)
        return Table(path, group, header)

    @staticmethod
    def open(path: Path, *, cards: int | None = None, objective: Objective | None = None) -> "Table":
        """A table that exists, checked to be the one that is asked for."""
        import zarr

        if not path.is_dir():
            raise MissingTableError(f"there is no table {path}")
        with _damage(path):
            group = zarr.open_group(path, mode="r+", zarr_format=3)
            attribute = group.attrs.get("goofspiel")
            if attribute is None:
                raise MissingTableError(f"{path} was never started: it has no header")
            if not isinstance(attribute, dict) or not isinstance(attribute.get("format"), int):
                raise DamagedTableError(f"{path} has a damaged header: {attribute!r}")
            if attribute["format"] > FORMAT:
                raise TableVersionError(
                    f"{path} has format {attribute['format']}, this version of goofspiel reads up to {FORMAT}"
                )
            header = Header(**{**attribute, "objective": Objective(attribute["objective"])})
        for wanted, found, what in ((cards, header.cards, "cards"), (objective, header.objective, "objective")):
            if wanted is not None and wanted != found:
                raise TableVersionError(f"{path} holds {what} {found}, not {wanted}")
        return Table(path, group, header)

    def _open_level(self, level: int) -> "zarr.Array[Any]":
        import zarr

        with _damage(self.path / _level_name(level)):
            array = self._group[_level_name(level)]
        if not isinstance(array, zarr.Array):
            raise DamagedTableError(f"{self.path / _level_name(level)} is not an array")
        return array

    @property
    def levels(self) -> range:
        """The levels that are stored."""
        return range(1, self.header.cards)

    def block_rows(self, level: int) -> int:
        """The prize sets of a block."""
        array = self._level(level)
        return int((array.shards or array.chunks)[0])

    def block_path(self, level: int, block: int) -> Path:
        """The file that holds a block."""
        return self.path / _level_name(level) / "c" / str(block) / "0"

    def block_count(self, level: int) -> int:
        return -(-int(self._level(level).shape[0]) // self.block_rows(level))

    def is_done(self, level: int, block: int) -> bool:
        """Whether a block has been solved."""
        return self.block_path(level, block).is_file()

    def write_block(self, level: int, block: int, values: Values, gap: float) -> None:
        """Keep a block: first its gap, then its values, each written whole or not at all."""
        gaps = self._group[_gap_name(level)]
        gaps[block] = gap  # type: ignore[index]
        start = block * self.block_rows(level)
        self._level(level)[start : start + len(values)] = values

    def read_rows(self, level: int, start: int, stop: int) -> Values:
        """The values of some prize sets, all matchups."""
        with _damage(self.block_path(level, start // self.block_rows(level))):
            values: Values = np.asarray(self._level(level)[start:stop])
        if values.size and np.isnan(values).any():
            missing = start + int(np.isnan(values).any(axis=1).argmax())
            block = self.block_path(level, missing // self.block_rows(level))
            if self.header.complete:
                raise DamagedTableError(f"{block} is missing from a complete table: goofspiel solve --resume mends it")
            raise MissingTableError(f"{block} is not solved yet")
        return values

    def chunk_rows(self, level: int) -> int:
        """The prize sets that are best read together."""
        return int(self._level(level).chunks[0])

    def level_gap(self, level: int) -> float:
        """The largest gap of a level's games."""
        with _damage(self.path / _gap_name(level)):
            gaps = np.asarray(self._group[_gap_name(level)][:])  # type: ignore[index]
        return float(gaps.max())

    def mark_complete(self) -> None:
        """Say that every block is there."""
        self.header = Header(**{**_header_attribute(self.header), "objective": self.header.objective, "complete": True})
        self._group.attrs["goofspiel"] = _header_attribute(self.header)

    def remove_leftovers(self) -> None:
        """Delete what a killed process had begun to write."""
        for leftover in self.path.rglob("*.partial"):
            leftover.unlink(missing_ok=True)


def _level_name(level: int) -> str:
    return f"level-{level:02}"


def _gap_name(level: int) -> str:
    return f"gap-{level:02}"


def _header_attribute(header: Header) -> dict[str, Any]:
    return {name: getattr(header, name) for name in Header.__slots__} | {"objective": str(header.objective)}


@contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Whatever goes wrong while reading is damage to what is read; the message names it."""
    try:
        yield
    except (KeyError, ValueError, TypeError, RuntimeError) as error:
        if isinstance(error, MissingTableError):
            raise
        raise DamagedTableError(f"{path} is damaged: {error}") from error
