"""What a site would hold: which tables, in what type and cuts, and how large that gets."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from goofspiel.errors import GoofspielError, MissingTableError
from goofspiel.rules import Rules
from goofspiel.site.page import page_files
from goofspiel.store import Header, Layout, Table, make_layout, table_path
from goofspiel.store.blocks import Geometry, check_solvable
from goofspiel.store.shards import ShardShape
from goofspiel.tablebase.opening import on_first_use

MOST_FILE_BYTES = 95_000_000  # some hosts take no file of 100 MB
# Blocks that hosts and caches take. A reader waits for a chunk; with leads, cutting rows less leaves less room unused.
GEOMETRY = Geometry(block_bytes=16 << 20, least_rows=1, least_lead_rows=1, most_values=1 << 22, chunk_bytes=32 << 10)
LEADS_GEOMETRY = replace(GEOMETRY, chunk_bytes=192 << 10)
FOUR_BYTES = "fixed32"  # what doubles are published in


@dataclass(frozen=True)
class SiteTable:
    """A table to be published."""

    rules: Rules
    dtype: str

    @property
    def geometry(self) -> Geometry:
        """What decides how it is cut."""
        return LEADS_GEOMETRY if self.rules.has_leads else GEOMETRY

    @cached_property
    def layout(self) -> Layout:
        """How it is cut."""
        return make_layout(self.rules, dtype=self.dtype, geometry=self.geometry)

    @cached_property
    def file_bytes(self) -> list[int]:
        """The sizes of the files that hold its values."""
        return [
            ShardShape(
                band.block_rows, band.columns, band.leads, band.chunk_rows, band.chunk_columns, band.encoding
            ).file_bytes(entry=True)
            for level in self.layout.levels
            for band in level.bands
            for _ in range(band.block_count)
        ]


@dataclass(frozen=True)
class SitePlan:
    """The tables of a site."""

    tables: tuple[SiteTable, ...]
    missing: tuple[Rules, ...]
    """Games that were asked for, but are not solved here, or keep only their first moves."""

    @property
    def bytes(self) -> int:
        """Of the page and of all values."""
        return sum(map(len, page_files().values())) + sum(sum(table.file_bytes) for table in self.tables)

    @property
    def largest_file(self) -> int:
        """Its size in bytes."""
        return max((size for table in self.tables for size in table.file_bytes), default=0)


def plan_site(games: Iterable[Rules], store: Path, *, dtype: str | None = None) -> SitePlan:
    """Which of the games can be published from a store. Small ones that are missing are solved when it is written.

    Doubles are published in four bytes, other tables as they are, unless a type is given.
    """
    tables, missing = [], []
    for rules in games:
        check_solvable(rules)
        header = _header(table_path(store, rules), rules)
        solved = header is not None and header.complete
        if (header.keep != "all") if header and solved else not on_first_use(rules):
            missing.append(rules)
            continue
        own = header.dtype if header else make_layout(rules).dtype
        tables.append(SiteTable(rules, dtype or (FOUR_BYTES if own == "float64" else own)))
    plan = SitePlan(tuple(tables), tuple(missing))
    if plan.largest_file > MOST_FILE_BYTES:
        raise GoofspielError(f"a row of {plan.largest_file:,} bytes is more than a file of a site may have")
    return plan


def _header(path: Path, rules: Rules) -> Header | None:
    """What a table says of itself, if there is one."""
    try:
        return Table.open(path, rules).header
    except MissingTableError:
        return None
