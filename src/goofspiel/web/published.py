"""The tables as files, for the engine of the page and for other machines: what there is, and parts of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goofspiel import __version__
from goofspiel.errors import DamagedTableError
from goofspiel.rules import Bids, Objective, Rules
from goofspiel.site.facts import table_facts
from goofspiel.store import Table
from goofspiel.store.locations import file_bytes, open_bytes
from goofspiel.tablebase import SOLVED_ON_FIRST_USE
from goofspiel.web.probing import as_json
from goofspiel.web.problems import ProblemError
from goofspiel.web.service import Reply
from goofspiel.web.tables import OpenTable, Tables

PREFIX = "/tables/"
_ADDRESS = re.compile(
    rf"{PREFIX}(?:index\.json|([a-z0-9-]+)(?:\.json|\.zarr/((?:[a-z0-9-]+/)*(?:[a-z0-9-]+|zarr\.json))))"
)
_RANGE = re.compile(r"bytes=([0-9]{1,15})-([0-9]{0,15})")
PIECE_BYTES = 1 << 20  # of a file that is sent piece by piece


@dataclass(frozen=True)
class Part:
    """Some bytes of a file, from start up to stop."""

    path: Path
    start: int
    stop: int
    size: int
    etag: str

    @property
    def is_whole(self) -> bool:
        return (self.start, self.stop) == (0, self.size)

    def pieces(self) -> Iterator[bytes]:
        """The bytes, some at a time."""
        with open_bytes(self.path, min(self.stop - self.start, PIECE_BYTES), size=self.size) as file:
            file.seek(self.start)
            left = self.stop - self.start
            while left:
                piece = file.read(min(left, PIECE_BYTES))
                if not piece:
                    raise DamagedTableError(f"{self.path} has become shorter")
                left -= len(piece)
                yield piece


def is_address(path: str) -> bool:
    """Whether a path is that of the list, of a table or of one of its files, as far as can be told from its form."""
    return _ADDRESS.fullmatch(path) is not None


class Published:
    """The tables that are complete; small ones that are missing are made when their facts are asked for."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._facts: dict[str, dict[str, Any]] = {}  # by tag

    def index(self) -> bytes:
        """What there is."""
        found = [
            table for rules in self._tables.in_store() if _is_for_pages(rules) and (table := self._tables.load(rules))
        ]
        listed = [self._facts_of(table) for table in found if _has_usual_cuts(table.table)]
        return as_json({"version": __version__, "solves": SOLVED_ON_FIRST_USE, "tables": listed})

    def ask(self, address: str, range_: str | None) -> Reply | Part:
        """What is said of a table, or some bytes of one of its files."""
        found = _ADDRESS.fullmatch(address)
        slug, name = found.groups() if found else (None, None)
        rules = Rules.from_slug(slug) if slug else None
        if rules is None or not _is_for_pages(rules):
            raise ProblemError("not-found", f"there is nothing at {address[:80]!r}")
        table = self._tables.get(rules)
        if name is None:
            return Reply(table.etag, as_json(self._facts_of(table)))
        path = table.table.path / name
        size = file_bytes(path)
        if size is None or not path.is_file():
            raise ProblemError("not-found", f"there is nothing at {address[:80]!r}")
        start, stop = _asked(range_, size)
        return Part(path, start, stop, size, table.etag)

    def _facts_of(self, table: OpenTable) -> dict[str, Any]:
        if table.etag not in self._facts:
            self._facts[table.etag] = table_facts(table.table)
        return self._facts[table.etag]


def _is_for_pages(rules: Rules) -> bool:
    """Whether the engine of the page knows such games."""
    return rules.bids is Bids.OPEN and rules.objective in list(Objective)


def _has_usual_cuts(table: Table) -> bool:
    """Whether a table is cut as its geometry says: early ones may not be."""
    return table.header.has_manifest or all(
        (table.block_rows(level.level, number), *table.chunk_shape(level.level, number))
        == (band.block_rows, band.chunk_rows, band.chunk_columns)
        for level in table.layout.levels
        if level.level in table.levels
        for number, band in enumerate(level.bands)
    )


def _asked(range_: str | None, size: int) -> tuple[int, int]:
    """From where to where; all of it, where one part is not what is asked for."""
    found = _RANGE.fullmatch(range_ or "")
    if not found:
        return 0, size
    start, stop = int(found[1]), min(int(found[2]) + 1, size) if found[2] else size
    return (start, stop) if start < stop else (0, size)
