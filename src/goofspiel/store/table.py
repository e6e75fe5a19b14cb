"""One table on disk: created empty, filled block by block, then read.

Format 4. A Zarr v3 group with the attribute `goofspiel`: format, rules, dtype, solver (version), keep, complete,
geometry (what decides the cuts into blocks and chunks). For each level j that has rounds left, but the opening:
- `level-JJ`, where leads do not count an array of shape (prize sets, matchups): the value of each position before its
  upcard is turned up. Where they do, a group of arrays `lead-DD`, shape (prize sets, matchups, leads −DD … DD): the
  prize sets whose largest lead is DD, in the order of `LevelSpace.bands`. Where ties are carried over, rows are prize
  sets and pots, in arrays `tied-SS` or `tied-SS-lead-DD`: those whose pot takes SS tied rounds. A shard is a block, an
  inner chunk a few rows or a part of one, each with a crc32c. The fill value is NaN: what is not solved has no value.
  Between the chunks and the index of a shard stands its entry of the manifest, see `manifest`.
- `gap-JJ`, shape (blocks): the largest gap of each block's games. It is written before the block, so that a block that
  exists is done, whole and accounted for.
With `keep` = "last" the files of all levels but the last are gone once the table is complete.

Format 3 had no manifest; a table that was begun so goes on so. Format 2 said `cards` and `objective` instead of
`rules`, and no `geometry`: there was but one. Format 1 knew neither `win` nor `keep`. All are read as they are.
"""

from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import NoReturn

import numpy as np

from goofspiel.arrays import Floats, Values
from goofspiel.errors import DamagedTableError, MissingTableError, SolveError, TableVersionError
from goofspiel.interrupts import defer_sigint
from goofspiel.rules import Rules
from goofspiel.store.blocks import Layout, LeadBand, make_layout
from goofspiel.store.header import FORMAT, Header, damage, read_header
from goofspiel.store.layout import band_axes, band_document, band_name, create_arrays, gap_name, level_name
from goofspiel.store.locations import file_bytes, is_read_only, remove_tree, sync_all
from goofspiel.store.manifest import Entry, place_of, table_identity
from goofspiel.store.metadata import (
    METADATA,
    array_document,
    group_document,
    is_readable,
    is_same,
    read_document,
    shapes_of,
    write_document,
)
from goofspiel.store.paths import going_on, solve_command
from goofspiel.store.shards import (
    ShardShape,
    check_empty_rows,
    read_checksums,
    read_chunk,
    read_entry,
    read_shard,
    write_chunk,
    write_shard,
)

# A block of at least so many bytes is synced to the disk when it is written. To look whether a smaller one is whole
# takes less time than to sync it.
SYNCED_BYTES = 1 << 20


class Table:
    """A table of values. Make one with `create` or `open`."""

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self.header = header
        self._shard = cache(self._open_band)

    def __repr__(self) -> str:
        return f"Table.open({str(self.path)!r})"

    @staticmethod
    def create(path: Path, layout: Layout, *, solver: str, keep: str = "all", version: int = FORMAT) -> "Table":
        """An empty table. What is already there is left alone: creation may have been interrupted."""
        header = Header(version, layout.rules, layout.dtype, solver, keep, complete=False, geometry=layout.geometry)
        if not is_readable(path):
            write_document(path, group_document(), sync=True)
        create_arrays(path, layout)
        sync_all(path)
        table = Table(path, header)
        table._write_header()  # last, so that a header means that everything else is there
        return table

    @staticmethod
    def open(path: Path, rules: Rules | None = None) -> "Table":
        """A table that exists, checked to be the one that is asked for."""
        if not path.is_dir():
            if path.exists():
                raise DamagedTableError(f"{path} is not a table: it is not a directory")
            raise MissingTableError(f"there is no table {path}")
        repair = going_on(path, rules)
        with damage(path / METADATA, repair=repair):
            try:
                document = read_document(path)
            except FileNotFoundError:
                lost = repair and not is_read_only(path) and any(path.glob("level-*"))
                said = f"has lost its {METADATA}: {repair} --repair mends it" if lost else "was never started"
                raise MissingTableError(f"{path} {said}") from None
            attributes = document.get("attributes", {})
            if not isinstance(attributes, dict) or not is_same(document, group_document(attributes)):
                raise ValueError("it is not the document of a Zarr group of format 3")
            if "goofspiel" not in attributes:
                raise MissingTableError(f"{path} was never started: it has no header")
            header = read_header(path, attributes["goofspiel"])
        if rules is not None and rules != header.rules:
            raise TableVersionError(f"{path} holds the game {str(header.rules)!r}, not {str(rules)!r}")
        return Table(path, header)

    @property
    def rules(self) -> Rules:
        """Which game it is of."""
        return self.header.rules

    @cached_property
    def layout(self) -> Layout:
        """How it is cut."""
        return make_layout(self.rules, dtype=self.header.dtype, geometry=self.header.geometry)

    def band(self, level: int, band: int) -> LeadBand:
        """A band of a level."""
        return self.layout.level(level).bands[band]

    def _open_band(self, level: int, band: int) -> ShardShape:
        """The shape of the shards of a band, as its metadata has it."""
        wanted = self.band(level, band)
        folder = self.band_path(level, band)
        with damage(folder / METADATA, repair=self.resume_command):
            try:
                document = read_document(folder)
            except FileNotFoundError:
                self._complain_of_missing_metadata(folder)
            shards, chunks = shapes_of(document)
            # Rows of any other length would be read without complaint, and be wrong. Early tables may be cut otherwise.
            cut = (shards[0], (chunks[0], chunks[1])) if len(chunks) > 1 and not self.header.has_manifest else ()
            possible = not cut or (cut[0] <= wanted.rows and cut[0] % chunks[0] == 0 and chunks[1] <= wanted.columns)
            if not possible or not is_same(document, band_document(wanted, *cut)):
                expected = (wanted.rows, wanted.columns, wanted.leads)[: 2 + wanted.has_leads]
                there = f"{document.get('data_type')} {document.get('shape')} in chunks of {shards}"
                raise ValueError(f"{there} instead of {self.header.dtype} {expected}")
        return ShardShape(shards[0], wanted.columns, wanted.leads, chunks[0], chunks[1], wanted.encoding)

    def _complain_of_missing_metadata(self, folder: Path) -> NoReturn:
        if not self._is_there():
            raise MissingTableError(self._gone)
        raise DamagedTableError(f"{folder / METADATA} is missing: {self.resume_command} --repair mends it")

    def metadata_faults(self, level: int) -> list[str]:
        """What is wrong with the metadata of a level's values."""
        faults = []
        for band in range(len(self.layout.level(level).bands)):
            try:
                self._shard(level, band)
            except DamagedTableError as error:
                faults.append(str(error))
        return faults

    @property
    def levels(self) -> range:
        """The levels that are kept."""
        first, last = self.rules.last_level + 1, self.rules.cards - 1
        return range(first if self.header.keep == "all" else max(first, last), last + 1)

    def _band_of(self, level: int, block: int) -> tuple[int, int]:
        """The band of a block, and which of the band's blocks it is."""
        for band in range(len(self.layout.level(level).bands)):
            count = self._band_blocks(level, band)
            if block < count:
                return band, block
            block -= count
        raise IndexError(f"level {level} has no such block")

    def _band_blocks(self, level: int, band: int) -> int:
        return -(-self.band(level, band).rows // self.block_rows(level, band))

    def _blocks_before(self, level: int, band: int) -> int:
        """The blocks of the bands before one."""
        return sum(self._band_blocks(level, earlier) for earlier in range(band))

    def block_rows(self, level: int, band: int = 0) -> int:
        """The rows of a block."""
        return self._shard(level, band).rows

    def block_path(self, level: int, block: int) -> Path:
        """The file that holds a block."""
        return self._shard_path(level, *self._band_of(level, block))

    def band_path(self, level: int, band: int) -> Path:
        """The folder of a band."""
        return self.path / band_name(level, self.band(level, band), self.rules)

    def _shard_path(self, level: int, band: int, block: int) -> Path:
        zeros = ["0"] * (band_axes(self.band(level, band)) - 1)
        return self.band_path(level, band).joinpath("c", str(block), *zeros)

    def block_count(self, level: int) -> int:
        return self._blocks_before(level, len(self.layout.level(level).bands))

    def done_count(self) -> int:
        """How many blocks have been solved and are kept."""
        return sum(self.is_done(block.level, block.index) for level in self.layout.levels for block in level.blocks)

    def is_level_done(self, level: int) -> bool:
        """Whether all blocks of a level have been solved."""
        return all(self.is_done(level, block) for block in range(self.block_count(level)))

    def block_file_bytes(self, level: int, block: int) -> int:
        """The size of the file of a block."""
        return self._shard(level, self._band_of(level, block)[0]).file_bytes(entry=self.header.has_manifest)

    def is_done(self, level: int, block: int) -> bool:
        """Whether a block has been solved: it has the size that it must have, and its gap; a small one is read."""
        size = self.block_file_bytes(level, block)
        if file_bytes(self.block_path(level, block)) != size:
            return False
        try:
            if size < SYNCED_BYTES:
                self.check_block(level, block)
            else:
                self.block_gap(level, block)
        except (DamagedTableError, MissingTableError):
            return False
        return True

    @cached_property
    def identity(self) -> bytes:
        """What its blocks are known by."""
        return table_identity(self.rules, self.header.dtype)

    def _place(self, level: int, block: int) -> bytes:
        return place_of(self.identity, level, block) if self.header.has_manifest else b""

    @defer_sigint()
    def write_block(self, level: int, block: int, values: Values, gap: float) -> None:
        """Keep a block: first its gap, then its values, each written whole or not at all."""
        band, index = self._band_of(level, block)
        path, gap_path = self._shard_path(level, band, index), self.gap_path(level, block)
        shape, place = self._shard(level, band), self._place(level, block)
        sync = shape.file_bytes(entry=bool(place)) >= SYNCED_BYTES
        try:
            # The folders of arrays must be there: a table that is moved away is not begun again where it was.
            write_chunk(gap_path, np.array([gap], dtype="<f8"), below=self.path / gap_name(level), sync=sync)
            below = self.band_path(level, band)
            write_shard(path, values, shape, place=place, gap=gap, below=below, sync=sync)
        except OSError as error:
            if not self._is_there():
                raise SolveError(self._gone) from error
            reason = error.strerror or error
            raise SolveError(f"{path} cannot be written: {reason}; {self.resume_command} goes on") from error

    def check_there(self) -> None:
        """Refuse to go on with a table that was moved or deleted."""
        if not self._is_there():
            raise SolveError(self._gone)

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
        columns: slice | None = None,
        buffer: Values | None = None,
    ) -> Values:
        """The values of some rows of a band, by default of all columns, [row][column][lead], as they are kept.

        They are read into the `buffer`, if there is one.
        """
        found, shape = self.band(level, band), self._shard(level, band)
        wanted = slice(0, found.columns) if columns is None else slice(columns.start, min(columns.stop, found.columns))
        stop = min(stop, found.rows)
        size = stop - start, wanted.stop - wanted.start, shape.leads
        values: Values = np.empty(size, dtype=shape.dtype) if buffer is None else buffer
        if (values.shape, values.dtype) != (size, shape.dtype):
            raise TypeError(f"a buffer of {values.shape} {values.dtype} instead of {size} {shape.dtype}")
        before = self._blocks_before(level, band)
        for block in range(start // shape.rows, -(-stop // shape.rows)):
            first = block * shape.rows
            rows = slice(max(start - first, 0), min(stop - first, shape.rows))
            path = self._shard_path(level, band, block)
            into = values[first + rows.start - start : first + rows.stop - start]
            with damage(path, delete=self.resume_command):
                try:
                    read_shard(path, shape, rows, wanted, into=into, place=self._place(level, before + block))
                except FileNotFoundError:
                    self._complain_of_missing(level, path)
                if not shape.encoding.is_complete(into):
                    raise ValueError("not all of its values are numbers")
        return values

    def values(self, level: int, start: int, stop: int, *, band: int = 0) -> Floats:
        """The same of whole rows, in doubles, whatever they are kept in."""
        return self.layout.level(level).encoding.decode(self.read_rows(level, start, stop, band=band))

    def read_block(self, level: int, block: int) -> Values:
        """The values of a block, as they are kept."""
        band, index = self._band_of(level, block)
        rows = self.block_rows(level, band)
        return self.read_rows(level, index * rows, (index + 1) * rows, band=band)

    def entry(self, level: int, block: int) -> Entry:
        """What the manifest has of a block."""
        path, shape = self.block_path(level, block), self._shard(level, self._band_of(level, block)[0])
        with damage(path, delete=self.resume_command):
            try:
                if self.header.has_manifest:
                    return read_entry(path, shape, self._place(level, block))
                return Entry(self.block_gap(level, block), read_checksums(path, shape))
            except FileNotFoundError:
                self._complain_of_missing(level, path)

    def check_block(self, level: int, block: int) -> int:
        """Read all of a block and its gap, which must go together; how many bytes its values take."""
        values = self.read_block(level, block)
        path, shape = self.block_path(level, block), self._shard(level, self._band_of(level, block)[0])
        with damage(path, delete=self.resume_command):
            check_empty_rows(path, shape, len(values), place=self._place(level, block))
        gap, listed = self.block_gap(level, block), self.entry(level, block).gap
        if gap != listed:
            with damage(self.gap_path(level, block), repair=self.resume_command):
                raise ValueError(f"it says {gap}, its block {listed}")
        return values.nbytes

    def _complain_of_missing(self, level: int, path: Path) -> NoReturn:
        if not self._is_there():
            raise MissingTableError(self._gone)
        if self.header.complete and level not in self.levels:
            self.refuse_last(f"this needs level {level}")
        if self.header.complete:
            remedy = "" if is_read_only(path) else f": {self.resume_command} mends it"
            raise DamagedTableError(f"{path} is missing from a complete table{remedy}")
        raise MissingTableError(f"{path} is not solved yet")

    def refuse_last(self, needed: str) -> NoReturn:
        """Say what becomes of a table that keeps too little."""
        command = solve_command(self.rules, self.path.parent)
        raise MissingTableError(f"{self.path} keeps only its last level, {needed}: delete it, then {command}")

    @property
    def resume_command(self) -> str:
        """The command that solves what is missing."""
        return solve_command(self.rules, self.path.parent, keep=self.header.keep, resume=True)

    def chunk_shape(self, level: int, band: int) -> tuple[int, int]:
        """The rows and the columns that are best read together."""
        shape = self._shard(level, band)
        return shape.chunk_rows, shape.chunk_columns

    def gap_path(self, level: int, block: int) -> Path:
        """The file that holds the largest gap of a block's games."""
        return self.path / gap_name(level) / "c" / str(block)

    def block_gap(self, level: int, block: int) -> float:
        """The largest gap of a block's games."""
        file, most = self.gap_path(level, block), 2 * self.layout.level(level).space.payoff_bound
        with damage(file, repair=self.resume_command):
            try:
                gap = read_chunk(file)
            except FileNotFoundError:
                error = DamagedTableError if self.header.complete else MissingTableError
                raise error(f"{self.path / gap_name(level)} lacks the gaps of some blocks") from None
            if not 0 <= gap <= most:
                raise ValueError(f"a gap of {gap}, which must be 0 to {most:g}")
            return gap

    def level_gap(self, level: int) -> float:
        """The largest gap of a level's games."""
        folder = self.path / gap_name(level)
        with damage(folder / METADATA, repair=self.resume_command):
            try:
                document = read_document(folder)
            except FileNotFoundError:
                self._complain_of_missing_metadata(folder)
            if not is_same(document, array_document((self.block_count(level),), "float64", (1,))):
                raise ValueError(f"it is not the document of {self.block_count(level)} gaps")
        return max(self.block_gap(level, block) for block in range(self.block_count(level)))

    def mark_complete(self) -> None:
        """Say that every block is there."""
        self.check_there()
        sync_all(self.path)  # then what the header says is true whenever it can be read
        self.header = replace(self.header, complete=True)
        self._write_header()

    def _write_header(self) -> None:
        write_document(self.path, group_document({"goofspiel": self.header.attribute()}), sync=True)

    def remove_level(self, level: int) -> None:
        """Delete the blocks of a level that nothing needs any more, once what was made of them is on the disk."""
        sync_all(self.path)
        for folder in (self.path / level_name(level)).rglob("c"):
            remove_tree(folder)
