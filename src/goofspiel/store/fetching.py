"""Fetch a table from elsewhere: block by block, each checked, so that what was interrupted goes on."""

import errno
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goofspiel.errors import DamagedTableError, GoofspielError, MissingTableError, ResourceError, TableConflictError
from goofspiel.rules import Rules
from goofspiel.store.header import Header
from goofspiel.store.layout import gap_name
from goofspiel.store.locations import is_local, location, read_pieces, remove_leftovers, remove_tree, written_whole
from goofspiel.store.lock import SolveLock
from goofspiel.store.paths import ZARR, list_tables, table_path, tables_of
from goofspiel.store.shards import write_chunk
from goofspiel.store.table import Table

DOWNLOAD = ".download"  # the end of the name of a table of which not all has arrived
FETCHES = 2  # of a block that arrives damaged

OnBytes = Callable[[int, int], None]  # bytes that are there, of how many


@dataclass(frozen=True, slots=True)
class Fetched:
    """A table that is here now."""

    path: Path
    """Where it is."""
    rules: Rules
    """Which game it is."""
    bytes: int
    """How many bytes of blocks were fetched; what was here before is not counted."""
    blocks: int
    """How many blocks these were."""


def published_tables(where: Path | str) -> list[Path]:
    """The tables at a place: itself, if it is one, or those of a site or a store; smallest first."""
    place = location(where)
    if place.name.endswith(ZARR):
        return [place]
    folder = tables_of(place)
    found = [table_path(folder, rules) for rules in list_tables(folder)]
    if not found:
        raise MissingTableError(f"there are no tables at {place}: neither {ZARR} folders nor a list of them")
    return found


def fetch_table(source: Path, store: Path, *, on_bytes: OnBytes = lambda done, whole: None) -> Fetched:
    """Copy a complete table to a store of this machine. `on_bytes` is told how many bytes are there, of how many.

    What arrives is kept beside the store's tables until all of it is there and checked; a second call goes on from it.
    A table that the store has is left alone.
    """
    if not is_local(store):
        raise GoofspielError(f"tables are fetched to a folder of this machine, not to {store}")
    slug = source.name.removesuffix(ZARR)
    table = Table.open(source, Rules.from_slug(slug))
    if not table.header.complete:
        raise MissingTableError(f"{source} is not completely solved: there is nothing to fetch yet")
    path = table_path(store, table.rules)
    with SolveLock(path):
        if path.exists():
            return _there_already(path, table.rules)
        return _Download(table, path, on_bytes).run()


def _there_already(path: Path, rules: Rules) -> Fetched:
    if Table.open(path, rules).header.complete:
        return Fetched(path, rules, 0, 0)
    raise TableConflictError(f"{path} is there, and partly solved: solve it on, or delete it and fetch again")


class _Download:
    """A table on its way."""

    def __init__(self, source: Table, path: Path, on_bytes: OnBytes) -> None:
        self._source, self._path, self._on_bytes = source, path, on_bytes
        self._folder = path.with_name(path.name + DOWNLOAD)
        self._done = self._fetched = self._blocks = 0

    def run(self) -> Fetched:
        """All of it."""
        try:
            new = self._begun()
            parts = list(self._parts())
            self._whole = sum(size for _, _, size in parts)
            missing = [part for part in parts if not self._is_there(new, *part)]
            self._check_space(sum(size for _, _, size in missing))
            self._on_bytes(self._done, self._whole)
            for level, block, size in missing:
                self._fetch(new, level, block, size)
            self._fetch_lost_gaps(new)
            new.mark_complete()
            self._folder.rename(self._path)
        except OSError as error:
            if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EIO, errno.EPERM}:
                raise
            raise ResourceError(
                f"{self._folder} cannot be written: {error.strerror}; what has arrived is kept, get goes on with it"
            ) from None
        return Fetched(self._path, new.rules, self._fetched, self._blocks)

    def _begun(self) -> Table:
        """The table as far as it has arrived, or an empty one; what was begun of another is thrown away."""
        header = self._source.header
        try:
            found = Table.open(self._folder, header.rules)
            if _is_like(found.header, header):
                remove_leftovers(found.path)
                return found
        except (MissingTableError, DamagedTableError):
            pass
        if self._folder.exists():
            remove_tree(self._folder)
        return Table.create(
            self._folder, self._source.layout, solver=header.solver, keep=header.keep, version=header.format
        )

    def _parts(self) -> Iterator[tuple[int, int, int]]:
        """The level, the number and the size of every block that is kept."""
        for level in self._source.levels:
            for block in range(self._source.block_count(level)):
                yield level, block, self._source.block_file_bytes(level, block)

    def _is_there(self, new: Table, level: int, block: int, size: int) -> bool:
        """Whether a block has arrived before: all of it is read and checked."""
        try:
            new.check_block(level, block)
        except (MissingTableError, DamagedTableError):
            return False
        self._done += size
        return True

    def _check_space(self, needed: int) -> None:
        free = shutil.disk_usage(self._folder).free
        if needed > free:
            raise ResourceError(
                f"{needed / 2**20:,.0f} MiB are to be fetched, and {self._path.parent} has {free / 2**20:,.0f} MiB free"
            )

    def _fetch(self, new: Table, level: int, block: int, size: int) -> None:
        source, path = self._source.block_path(level, block), new.block_path(level, block)
        for attempt in range(FETCHES):
            arrived = self._copy(source, path, new.path / path.relative_to(new.path).parts[0])
            try:
                gap = self._source.block_gap(level, block)
                write_chunk(new.gap_path(level, block), np.array([gap], dtype="<f8"), below=new.path / gap_name(level))
                new.check_block(level, block)
                break
            except DamagedTableError as error:
                path.unlink(missing_ok=True)
                new.gap_path(level, block).unlink(missing_ok=True)
                self._done -= arrived
                if attempt == FETCHES - 1:
                    why = error.__cause__ or error
                    raise DamagedTableError(
                        f"{source} is damaged where it is published, or on its way: {why}; the other blocks that have "
                        "arrived are kept"
                    ) from None
        self._fetched += size
        self._blocks += 1

    def _copy(self, source: Path, path: Path, below: Path) -> int:
        """How many bytes arrived."""
        arrived = 0
        try:
            with written_whole(path, below=below) as file:
                for piece in read_pieces(source):
                    file.write(piece)
                    arrived += len(piece)
                    self._done += len(piece)
                    self._on_bytes(min(self._done, self._whole), self._whole)
        except FileNotFoundError:
            if not self._folder.is_dir():
                raise
            raise DamagedTableError(f"{source} is missing from a complete table") from None
        return arrived

    def _fetch_lost_gaps(self, new: Table) -> None:
        """The gaps of levels whose blocks are not kept."""
        for level in self._source.layout.levels:
            if level.level in self._source.levels:
                continue
            for block in range(self._source.block_count(level.level)):
                gap = np.array([self._source.block_gap(level.level, block)], dtype="<f8")
                write_chunk(new.gap_path(level.level, block), gap, below=new.path / gap_name(level.level))


def _is_like(header: Header, other: Header) -> bool:
    """Whether what was begun is a part of the same table."""
    fields = "format", "rules", "dtype", "solver", "keep", "geometry"
    return all(getattr(header, name) == getattr(other, name) for name in fields)
