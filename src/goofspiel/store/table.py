"""One table on disk: created empty, filled block by block, then read.

Format 2. A Zarr v3 group with the attribute `goofspiel`: format, cards, objective, dtype, solver (version), keep,
complete. For each level j = 1 … cards − 1:
- `level-JJ`, for `points` an array of shape (prize sets, matchups): the value of each position before its upcard is
  turned up. For `win` a group of arrays `lead-DD`, shape (prize sets, matchups, leads −DD … DD): the prize sets whose
  largest lead is DD, in the order of `bands.bands_of`. A shard is a block, an inner chunk a few prize sets or a part of
  one, each with a crc32c. The fill value is NaN: what is not solved has no value.
- `gap-JJ`, shape (blocks): the largest gap of each block's games. It is written before the block, so that a block that
  exists is done, whole and accounted for.
With `keep` = "last" the files of all levels but the last are gone once the table is complete.

Format 1 knew neither `win` nor `keep`; its tables are read as they are.
"""

from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from goofspiel.errors import DamagedTableError, MissingTableError, SolveError, TableVersionError
from goofspiel.interrupts import defer_sigint
from goofspiel.plan import Plan, make_plan
from goofspiel.rules import Objective
from goofspiel.store.header import FORMAT, Header, damage, header_attribute, read_header
from goofspiel.store.layout import METADATA, band_name, create_arrays, gap_name, level_name
from goofspiel.store.locations import PARTIAL, for_zarr, remove_tree
from goofspiel.store.paths import solve_command
from goofspiel.store.shards import ShardShape, Values, read_chunk, read_shard, write_chunk, write_shard

if TYPE_CHECKING:
    import zarr


class Table:
    """A table of values. Make one with `create` or `open`."""

    def __init__(self, path: Path, group: "zarr.Group", header: Header) -> None:
        self.path = path
        self.header = header
        self._group = group
        self._shard = cache(self._open_band)

    def __repr__(self) -> str:
        return f"Table.open({str(self.path)!r})"

    @staticmethod
    @defer_sigint()
    def create(path: Path, plan: Plan, *, solver: str, keep: str = "all") -> "Table":
        """An empty table for a plan. What is already there is left alone: creation may have been interrupted."""
        import zarr

        header = Header(FORMAT, plan.cards, plan.objective, plan.dtype, solver, keep, complete=False)
        group = zarr.open_group(for_zarr(path), mode="a", zarr_format=3)
        with damage(path):
            create_arrays(group, plan)
        # Last, so that a header means that everything else is there.
        group.attrs["goofspiel"] = header_attribute(header)
        return Table(path, group, header)

    @staticmethod
    @defer_sigint()
    def open(path: Path, *, cards: int | None = None, objective: Objective | None = None) -> "Table":
        """A table that exists, checked to be the one that is asked for."""
        import zarr

        if path.exists() and not path.is_dir():
            raise DamagedTableError(f"{path} is not a table: it is not a directory")
        if not path.is_dir():
            raise MissingTableError(f"there is no table {path}")
        with damage(path / METADATA):
            try:
                group = zarr.open_group(for_zarr(path), mode="r+", zarr_format=3)
            except FileNotFoundError:
                raise MissingTableError(f"{path} was never started: it has no zarr.json") from None
            if group.metadata.zarr_format != 3:
                raise ValueError(f"Zarr format {group.metadata.zarr_format} instead of 3")
            attribute = group.attrs.get("goofspiel")
        if attribute is None:
            raise MissingTableError(f"{path} was never started: it has no header")
        header = read_header(path, attribute)
        for wanted, found, what in ((cards, header.cards, "cards"), (objective, header.objective, "objective")):
            if wanted is not None and wanted != found:
                raise TableVersionError(f"{path} holds {what} {found}, not {wanted}")
        return Table(path, group, header)

    @defer_sigint()
    def _open_band(self, level: int, band: int) -> ShardShape:
        """The shape of the shards of a band, as its metadata has it."""
        import zarr

        wanted = self.plan.levels[level - 1].bands[band]
        name = band_name(level, wanted)
        with damage(self.path / name / METADATA, repair=self._mend_command):
            try:
                array = self._group[name]
            except (KeyError, FileNotFoundError):
                self._complain_of_missing_metadata(name)
        if not isinstance(array, zarr.Array):
            raise DamagedTableError(f"{self.path / name} is not an array: {self._mend_command} --repair mends it")
        shape = (wanted.prize_sets, wanted.matchups, wanted.leads)[: array.ndim]
        shards, chunks = (array.shards or array.chunks), array.chunks
        across = -(-wanted.matchups // chunks[1]) * chunks[1] if array.ndim > 1 and chunks[1] else 0
        # Rows of any other length would be read without complaint, and be wrong.
        if (array.shape, array.dtype.name, shards[1:]) != (shape, self.header.dtype, (across, *shape[2:])):
            found = f"{array.dtype} {array.shape} in chunks of {shards}"
            raise DamagedTableError(
                f"{self.path / name / METADATA} is damaged ({self._mend_command} --repair mends it): "
                f"{found} instead of {self.header.dtype} {shape}"
            )
        return ShardShape(shards[0], wanted.matchups, wanted.leads, chunks[0], chunks[1], self.header.dtype)

    def _complain_of_missing_metadata(self, name: str) -> NoReturn:
        if not self._is_there():
            raise MissingTableError(self._gone)
        raise DamagedTableError(f"{self.path / name / METADATA} is missing: {self._mend_command} --repair mends it")

    def metadata_faults(self, level: int) -> list[str]:
        """What is wrong with the metadata of a level's values."""
        faults = []
        for band in range(len(self.plan.levels[level - 1].bands)):
            try:
                self._shard(level, band)
            except DamagedTableError as error:
                faults.append(str(error))
        return faults

    @property
    def levels(self) -> range:
        """The levels that are kept."""
        last = self.header.cards - 1
        return range(1 if self.header.keep == "all" else max(1, last), last + 1)

    @cached_property
    def plan(self) -> Plan:
        """The plan that the table is made by."""
        return make_plan(self.header.cards, objective=self.header.objective, dtype=self.header.dtype)

    def _band_of(self, level: int, block: int) -> tuple[int, int]:
        """The band of a block, and which of the band's blocks it is."""
        for band, plan in enumerate(self.plan.levels[level - 1].bands):
            count = -(-plan.prize_sets // self.block_rows(level, band))
            if block < count:
                return band, block
            block -= count
        raise IndexError(f"level {level} has no such block")

    def block_rows(self, level: int, band: int = 0) -> int:
        """The prize sets of a block."""
        return self._shard(level, band).rows

    def block_path(self, level: int, block: int) -> Path:
        """The file that holds a block."""
        return self._shard_path(level, *self._band_of(level, block))

    def band_path(self, level: int, band: int) -> Path:
        """The folder of a band."""
        return self.path / band_name(level, self.plan.levels[level - 1].bands[band])

    def _shard_path(self, level: int, band: int, block: int) -> Path:
        zeros = ["0"] * (1 if self.header.objective == Objective.POINTS else 2)
        return self.band_path(level, band).joinpath("c", str(block), *zeros)

    def block_count(self, level: int) -> int:
        bands = self.plan.levels[level - 1].bands
        return sum(-(-band.prize_sets // self.block_rows(level, which)) for which, band in enumerate(bands))

    def done_count(self) -> int:
        """How many blocks of the plan have been solved and are kept."""
        return sum(self.is_done(block.level, block.index) for level in self.plan.levels for block in level.blocks)

    def is_level_done(self, level: int) -> bool:
        """Whether all blocks of a level have been solved."""
        return all(self.is_done(level, block) for block in range(self.block_count(level)))

    def is_done(self, level: int, block: int) -> bool:
        """Whether a block has been solved."""
        return self.block_path(level, block).is_file()

    @defer_sigint()
    def write_block(self, level: int, block: int, values: Values, gap: float) -> None:
        """Keep a block: first its gap, then its values, each written whole or not at all."""
        band, index = self._band_of(level, block)
        path, gap_path = self._shard_path(level, band, index), self.gap_path(level, block)
        try:
            # The folders of arrays must be there: a table that is moved away is not begun again where it was.
            write_chunk(gap_path, np.array([gap], dtype="<f8"), below=self.path / gap_name(level))
            write_shard(path, values, self._shard(level, band), below=self.band_path(level, band))
        except OSError as error:
            if not self._is_there():
                raise SolveError(self._gone) from error
            reason = error.strerror or error
            raise SolveError(f"{path} cannot be written: {reason}; {self._mend_command} goes on") from error

    def _is_there(self) -> bool:
        return (self.path / METADATA).is_file()

    @property
    def _gone(self) -> str:
        return f"{self.path} is gone: it was moved or deleted while it was in use"

    def read_rows(
        self,
        level: int,
        start: int,
        stop: int,
        *,
        band: int = 0,
        matchups: slice | None = None,
        room: Values | None = None,
    ) -> Values:
        """The values of some rows of a band, by default of all matchups; for `win` with a last axis for the leads.

        They are read into the `room`, [row][matchup][lead], if there is one.
        """
        plan, shape = self.plan.levels[level - 1].bands[band], self._shard(level, band)
        columns = (
            slice(0, plan.matchups) if matchups is None else slice(matchups.start, min(matchups.stop, plan.matchups))
        )
        stop = min(stop, plan.prize_sets)
        size = stop - start, columns.stop - columns.start, shape.leads
        values: Values = np.empty(size, dtype=shape.dtype) if room is None else room
        if (values.shape, values.dtype) != (size, np.dtype(shape.dtype)):
            raise ValueError(f"room for {values.shape} of {values.dtype} instead of {size} of {shape.dtype}")
        for block in range(start // shape.rows, -(-stop // shape.rows)):
            first = block * shape.rows
            rows = slice(max(start - first, 0), min(stop - first, shape.rows))
            path = self._shard_path(level, band, block)
            into = values[first + rows.start - start : first + rows.stop - start]
            with damage(path, mend=self._mend_command):
                try:
                    read_shard(path, shape, rows, columns, into=into)
                except FileNotFoundError:
                    self._complain_of_missing(level, path)
                if into.size and np.isnan(into.min()):  # which is, if any is
                    raise ValueError("not all of its values are numbers")
        return values[..., 0] if self.header.objective == Objective.POINTS else values

    def read_block(self, level: int, block: int) -> Values:
        """The values of a block."""
        band, index = self._band_of(level, block)
        rows = self.block_rows(level, band)
        return self.read_rows(level, index * rows, (index + 1) * rows, band=band)

    def _complain_of_missing(self, level: int, path: Path) -> NoReturn:
        if not self._is_there():
            raise MissingTableError(self._gone)
        if self.header.complete and level not in self.levels:
            command = solve_command(self.header.cards, self.header.objective, self.path.parent)
            raise MissingTableError(
                f"{self.path} keeps only its last level, this needs level {level}: delete it, then {command}"
            )
        if self.header.complete:
            raise DamagedTableError(f"{path} is missing from a complete table: {self._mend_command} mends it")
        raise MissingTableError(f"{path} is not solved yet")

    @property
    def _mend_command(self) -> str:
        header = self.header
        return solve_command(header.cards, header.objective, self.path.parent, keep=header.keep, resume=True)

    def chunk_shape(self, level: int, band: int) -> tuple[int, int]:
        """The prize sets and the matchups that are best read together."""
        shape = self._shard(level, band)
        return shape.chunk_rows, shape.chunk_matchups

    def gap_path(self, level: int, block: int) -> Path:
        """The file that holds the largest gap of a block's games."""
        return self.path / gap_name(level) / "c" / str(block)

    def block_gap(self, level: int, block: int) -> float:
        """The largest gap of a block's games."""
        file = self.gap_path(level, block)
        with damage(file, repair=self._mend_command):
            return read_chunk(file)

    @defer_sigint()
    def level_gap(self, level: int) -> float:
        """The largest gap of a level's games."""
        path = self.path / gap_name(level)
        with damage(path, repair=self._mend_command):
            gaps = np.asarray(self._group[gap_name(level)][:])  # type: ignore[index]
        if gaps.shape != (self.block_count(level),) or np.isnan(gaps).any():
            error = DamagedTableError if self.header.complete else MissingTableError
            raise error(f"{path} lacks the gaps of some blocks")
        return float(gaps.max())

    @defer_sigint()
    def mark_complete(self) -> None:
        """Say that every block is there."""
        if not self._is_there():
            raise SolveError(self._gone)
        self.header = replace(self.header, complete=True)
        self._group.attrs["goofspiel"] = header_attribute(self.header)

    def remove_level(self, level: int) -> None:
        """Delete the blocks of a level that nothing needs any more."""
        for folder in (self.path / level_name(level)).rglob("c"):
            remove_tree(folder)

    def remove_leftovers(self) -> None:
        """Delete what a killed process had begun to write."""
        for leftover in self.path.rglob(f"*{PARTIAL}"):
            leftover.unlink(missing_ok=True)
