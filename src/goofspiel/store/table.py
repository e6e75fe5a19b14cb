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
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from goofspiel import matchups, prizes
from goofspiel.errors import DamagedTableError, MissingTableError, SolveError, TableVersionError
from goofspiel.plan import Plan, make_plan
from goofspiel.rules import Objective, check_cards
from goofspiel.store.interrupts import uninterrupted
from goofspiel.store.paths import solve_command

if TYPE_CHECKING:
    import zarr

FORMAT = 1
DTYPES = ("float64", "float32")

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
    @uninterrupted()
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
    @uninterrupted()
    def open(path: Path, *, cards: int | None = None, objective: Objective | None = None) -> "Table":
        """A table that exists, checked to be the one that is asked for."""
        import zarr

        if path.exists() and not path.is_dir():
            raise DamagedTableError(f"{path} is not a table: it is not a directory")
        if not path.is_dir():
            raise MissingTableError(f"there is no table {path}")
        with _damage(path / "zarr.json"):
            try:
                group = zarr.open_group(path, mode="r+", zarr_format=3)
            except FileNotFoundError:
                raise MissingTableError(f"{path} was never started: it has no zarr.json") from None
            if group.metadata.zarr_format != 3:
                raise ValueError(f"Zarr format {group.metadata.zarr_format} instead of 3")
            attribute = group.attrs.get("goofspiel")
        if attribute is None:
            raise MissingTableError(f"{path} was never started: it has no header")
        header = _read_header(path, attribute)
        for wanted, found, what in ((cards, header.cards, "cards"), (objective, header.objective, "objective")):
            if wanted is not None and wanted != found:
                raise TableVersionError(f"{path} holds {what} {found}, not {wanted}")
        return Table(path, group, header)

    @uninterrupted()
    def _open_level(self, level: int) -> "zarr.Array[Any]":
        import zarr

        path = self.path / _level_name(level)
        with _damage(path / "zarr.json"):
            array = self._group[_level_name(level)]
        if not isinstance(array, zarr.Array):
            raise DamagedTableError(f"{path} is not an array")
        shape = prizes.count(self.header.cards, level), matchups.count(self.header.cards, level)
        block = array.shards or array.chunks
        # Rows of any other width would be read without complaint, and be wrong.
        if array.shape != shape or array.dtype != self.header.dtype or {block[1], array.chunks[1]} != {shape[1]}:
            found = f"{array.dtype} {array.shape} in chunks of {block}"
            raise DamagedTableError(f"{path / 'zarr.json'} is damaged: {found} instead of {self.header.dtype} {shape}")
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

    @property
    def plan(self) -> Plan:
        """The plan that the table is made by."""
        return make_plan(self.header.cards, objective=self.header.objective, dtype=self.header.dtype)

    def done_count(self) -> int:
        """How many blocks of the plan have been solved."""
        return sum(self.is_done(level.level, block.index) for level in self.plan.levels for block in level.blocks())

    def is_done(self, level: int, block: int) -> bool:
        """Whether a block has been solved."""
        return self.block_path(level, block).is_file()

    @uninterrupted()
    def write_block(self, level: int, block: int, values: Values, gap: float) -> None:
        """Keep a block: first its gap, then its values, each written whole or not at all."""
        start = block * self.block_rows(level)
        try:
            self._group[_gap_name(level)][block] = gap  # type: ignore[index]
            self._level(level)[start : start + len(values)] = values
        except OSError as error:
            path = self.block_path(level, block)
            raise SolveError(f"{path} cannot be written: {error.strerror}; {self._mend_command} goes on") from error

    @uninterrupted()
    def read_rows(self, level: int, start: int, stop: int) -> Values:
        """The values of some prize sets, all matchups."""
        array, rows = self._level(level), self.block_rows(level)
        stop = min(stop, int(array.shape[0]))
        values: Values = np.empty((stop - start, array.shape[1]), dtype=self.header.dtype)
        for block in range(start // rows, -(-stop // rows)):
            part = slice(max(start, block * rows), min(stop, (block + 1) * rows))
            into = values[part.start - start : part.stop - start]
            with _damage(self.block_path(level, block), mend=self._mend_command):
                into[:] = array[part]
            if np.isnan(into).any():
                self._complain_of_missing(level, block)
        return values

    def _complain_of_missing(self, level: int, block: int) -> NoReturn:
        path = self.block_path(level, block)
        if self.is_done(level, block):
            raise DamagedTableError(f"{path} is damaged: not all of its values are numbers")
        if self.header.complete:
            raise DamagedTableError(f"{path} is missing from a complete table: {self._mend_command} mends it")
        raise MissingTableError(f"{path} is not solved yet")

    @property
    def _mend_command(self) -> str:
        return solve_command(self.header.cards, self.header.objective, self.path.parent, resume=True)

    def chunk_rows(self, level: int) -> int:
        """The prize sets that are best read together."""
        return int(self._level(level).chunks[0])

    @uninterrupted()
    def level_gap(self, level: int) -> float:
        """The largest gap of a level's games."""
        path = self.path / _gap_name(level)
        with _damage(path):
            gaps = np.asarray(self._group[_gap_name(level)][:])  # type: ignore[index]
        if gaps.shape != (self.block_count(level),) or np.isnan(gaps).any():
            error = DamagedTableError if self.header.complete else MissingTableError
            raise error(f"{path} lacks the gaps of some blocks")
        return float(gaps.max())

    @uninterrupted()
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


def _read_header(path: Path, attribute: Any) -> Header:
    """The header, if it is one that this version can read."""
    if isinstance(attribute, dict) and type(version := attribute.get("format")) is int and version > FORMAT:
        raise TableVersionError(f"{path} has format {version}, this version of goofspiel reads up to {FORMAT}")
    kinds = {"format": int, "cards": int, "objective": str, "dtype": str, "solver": str, "complete": bool}
    if not isinstance(attribute, dict) or {name: type(field) for name, field in attribute.items()} != kinds:
        raise DamagedTableError(f"{path / 'zarr.json'} has a damaged header: {attribute!r}")
    with _damage(path / "zarr.json"):
        check_cards(attribute["cards"])
        if attribute["dtype"] not in DTYPES:
            raise ValueError(f"dtype must be one of {DTYPES}, not {attribute['dtype']!r}")
        return Header(**{**attribute, "objective": Objective(attribute["objective"])})


def _header_attribute(header: Header) -> dict[str, Any]:
    return {name: getattr(header, name) for name in Header.__slots__} | {"objective": str(header.objective)}


@contextmanager
def _damage(path: Path, *, mend: str = "") -> Iterator[None]:
    """Whatever goes wrong while reading is damage to what is read; the message names it, and what mends it."""
    try:
        yield
    except (MissingTableError, OSError, MemoryError):
        raise
    except Exception as error:  # zarr and its codecs raise all kinds
        remedy = f" (delete it, then {mend})" if mend else ""
        raise DamagedTableError(f"{path} is damaged{remedy}: {error}") from error
