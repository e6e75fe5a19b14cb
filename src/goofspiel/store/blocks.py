"""How a table is cut: levels into bands of equally long rows, bands into blocks, blocks into chunks."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from goofspiel.arrays import Ints
from goofspiel.errors import OptionError, RulesError
from goofspiel.rules import Bids, Rules
from goofspiel.states.space import LevelSpace, level_space
from goofspiel.store.encoding import DTYPES, Encoding

FOUR_BYTES_FROM = 15  # cards: from here on a points table of doubles is too large to keep
MOST_POINTS = 1000  # in all, where leads count: the kernel takes leads up to half of it


@dataclass(frozen=True, slots=True)
class Geometry:
    """What decides the cuts. It is written into the table: a solve goes on with the blocks that it began with."""

    block_bytes: int = 64 << 20
    """A block is what is lost when a solve is killed: seconds of work, a minute of the largest."""
    least_rows: int = 256
    """Rows of a block without leads: the bases remembered within a block pay only over many."""
    least_lead_rows: int = 8
    """The same with leads."""
    most_values: int = 1 << 27
    """Values of a block, but for these rows."""
    chunk_bytes: int = 256 << 10
    """The least that a probe reads."""


GEOMETRY = Geometry()


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows of a band: the unit of work, of storage and of resumption."""

    level: int
    index: int  # among all blocks of the level
    band: int
    start: int  # rows of the band
    stop: int


@dataclass(frozen=True, slots=True)
class LeadBand:
    """Rows of a level that are equally long: how they are cut into blocks, and blocks into chunks."""

    has_leads: bool
    rows: int
    columns: int
    lead: int  # the largest; 0 where leads do not count
    ties: int  # tied rounds in the pots of its rows
    encoding: Encoding
    geometry: Geometry

    @property
    def itemsize(self) -> int:
        """The bytes of a value."""
        return self.encoding.stored.itemsize

    @property
    def leads(self) -> int:
        """The values of a matchup."""
        return 2 * self.lead + 1

    @property
    def row_bytes(self) -> int:
        return self.columns * self.leads * self.itemsize

    @property
    def bytes(self) -> int:
        return self.rows * self.row_bytes

    @property
    def block_rows(self) -> int:
        """Rows in a block."""
        cut = self.geometry
        least = cut.least_lead_rows if self.has_leads else cut.least_rows
        least = min(least, max(1, cut.most_values // (self.columns * self.leads)))
        rows = min(max(least, cut.block_bytes // self.row_bytes // 4 * 4), self.rows)
        if not self.has_leads:
            return rows
        return -(-self.rows // -(-self.rows // rows))  # as many blocks, none much smaller than the others

    @property
    def block_count(self) -> int:
        return -(-self.rows // self.block_rows)

    @property
    def block_bytes(self) -> int:
        return self.block_rows * self.row_bytes

    @property
    def chunk_rows(self) -> int:
        """Rows that are read together: a divisor of the rows of a block."""
        least = self.geometry.chunk_bytes // self.row_bytes
        if least >= self.block_rows:
            return self.block_rows
        return max(rows for rows in range(1, max(1, least) + 1) if self.block_rows % rows == 0)

    @property
    def chunk_columns(self) -> int:
        """Columns that are read together: of a long row with leads, only a part."""
        if not self.has_leads or self.row_bytes <= self.geometry.chunk_bytes:
            return self.columns
        return max(1, self.geometry.chunk_bytes // (self.leads * self.itemsize))


@dataclass(frozen=True)
class LevelLayout:
    """One level of a table: its positions, and how they are cut into blocks."""

    space: LevelSpace
    encoding: Encoding
    geometry: Geometry

    @property
    def itemsize(self) -> int:
        """The bytes of a value."""
        return self.encoding.stored.itemsize

    @property
    def level(self) -> int:
        return self.space.level

    @property
    def rules(self) -> Rules:
        return self.space.rules

    @property
    def columns(self) -> int:
        return self.space.columns

    @cached_property
    def bands(self) -> tuple[LeadBand, ...]:
        found = self.space.bands
        return tuple(
            LeadBand(
                self.rules.has_leads, len(rows), self.space.columns_with(ties), lead, ties, self.encoding, self.geometry
            )
            for rows, lead, ties in zip(found.members, found.leads, found.ties, strict=True)
            if self.space.columns_with(ties)
        )

    @cached_property
    def games(self) -> int:
        return sum(map(self.block_games, self.blocks))

    @property
    def is_first(self) -> bool:
        """Whether nothing is left to win after a round."""
        return self.space.below.is_over

    def rows_of(self, block: Block) -> Ints:
        """The numbers of the rows of a block."""
        return self.space.bands.members[block.band][block.start : block.stop]

    @property
    def bytes(self) -> int:
        return sum(band.bytes for band in self.bands)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Band by band."""
        found: list[Block] = []
        for number, band in enumerate(self.bands):
            for start in range(0, band.rows, band.block_rows):
                stop = min(start + band.block_rows, band.rows)
                found.append(Block(self.level, len(found), number, start, stop))
        return tuple(found)

    @property
    def block_count(self) -> int:
        return sum(band.block_count for band in self.bands)

    def block_games(self, block: Block) -> int:
        """The games of a block."""
        band, upcards = self.bands[block.band], self.space.states.upcards[self.rows_of(block)]
        return int(upcards.sum(dtype=np.int64)) * band.leads * band.columns

    def block_shape(self, block: Block) -> tuple[int, int, int]:
        """The values of a block, [row][column][lead]."""
        band = self.bands[block.band]
        return block.stop - block.start, band.columns, band.leads

    @cached_property
    def largest(self) -> LeadBand:
        """The band with the largest blocks."""
        return max(self.bands, key=lambda band: band.block_bytes)


@dataclass(frozen=True)
class Layout:
    """A whole table."""

    rules: Rules
    dtype: str
    geometry: Geometry

    @cached_property
    def levels(self) -> tuple[LevelLayout, ...]:
        """That of the last round first; equal hands are worth 0, so the opening needs no table."""
        found = (level_space(self.rules, level) for level in range(self.rules.last_level + 1, self.rules.cards))
        return tuple(LevelLayout(space, Encoding(self.dtype, space.payoff_bound), self.geometry) for space in found)

    def level(self, level: int) -> LevelLayout:
        """That of so many cards in a hand."""
        return self.levels[level - self.rules.last_level - 1]

    @property
    def games(self) -> int:
        return sum(level.games for level in self.levels)

    @property
    def block_count(self) -> int:
        return sum(level.block_count for level in self.levels)

    def disk_bytes(self, keep: str = "all") -> int:
        """What the table takes on disk; when only the last level is kept, while it is being solved."""
        sizes = [level.bytes for level in self.levels]
        return sum(sizes) if keep == "all" else max(map(sum, pairwise([0, *sizes])), default=0)


def make_layout(rules: Rules, *, dtype: str | None = None, geometry: Geometry | None = None) -> Layout:
    """The layout of a table: it depends on nothing but its arguments."""
    check_solvable(rules)
    large = rules.has_leads or (rules.cards >= FOUR_BYTES_FROM - rules.has_pots * 2 and rules.order is None)
    chosen = dtype or ("fixed32" if large else "float64")
    if chosen not in DTYPES:
        raise OptionError(f"values are stored as {', '.join(DTYPES)}, not as {chosen}")
    if rules.has_leads and chosen == "float64":
        raise OptionError(f"a {rules.objective} table is kept in four bytes a value, or in three, not in {chosen}")
    return Layout(rules, chosen, geometry or GEOMETRY)


def check_open_bids(rules: Rules) -> Rules:
    """The rules, if the players see each other's bids."""
    if rules.bids is not Bids.OPEN:
        raise RulesError(f"only games with open bids can be had here, goofspiel.hidden has the others: {str(rules)!r}")
    return rules


def check_solvable(rules: Rules) -> Rules:
    """The rules, if there is a solver for them."""
    check_open_bids(rules)
    if rules.has_leads and rules.total > MOST_POINTS:
        raise RulesError(
            f"prizes that are worth {rules.total} in all are too many to play to win, at most {MOST_POINTS}: {rules}"
        )
    return rules
