"""Decide how a table is solved: levels, blocks of prize sets, and what it will take. Nothing is executed here."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from goofspiel import _kernel
from goofspiel.errors import SolveError
from goofspiel.rules import Objective, check_cards
from goofspiel.states import matchups, prize_sets
from goofspiel.states.bands import Bands, bands_of, matchup_count

BLOCK_BYTES = 64 << 20  # a block is what is lost when a solve is killed: seconds of work, a minute of the largest
# The bases basis_cache within a block pay only over many prize sets.
LEAST_BLOCK_ROWS = {Objective.POINTS: 256, Objective.WIN: 8}
LARGE_BLOCK = 1 << 27  # values: but no more than these
CHUNK_BYTES = 256 << 10  # the least that a probe reads
DTYPES = ("float64", "float32")
SINGLE_PRECISION_FROM = 15  # cards: from here on a points table of doubles is too large to keep

IN_FLIGHT = 2  # blocks: while one is finished and written, the next keeps the threads busy
KERNEL_BYTES = 4 * _kernel.BASIS_CACHE  # the bases that it remembers of a matchup, for `win` of eight leads of it
LANE_BYTES = 64  # a child of eight lanes, laid out side by side
INTERPRETER_BYTES = 150 << 20


@dataclass(frozen=True, slots=True)
class Rate:
    """Nanoseconds of one core, fitted to measurements on an AVX2 core: a game + a cell · cells ** power."""

    game: float
    cell: float
    power: float

    def nanoseconds(self, cells: float) -> float:
        """For a game of so many cells."""
        return self.game + self.cell * float(cells**self.power)


RATES = {Objective.POINTS: Rate(9.5, 0.097, 1.6), Objective.WIN: Rate(5.0, 0.21, 1.6)}
SAMPLE = 512  # matchups of a level that are looked at to know how many cells its games have


def size_text(size: float) -> str:
    """Bytes, readable."""
    for unit, digits in (("B", 0), ("KiB", 1), ("MiB", 1), ("GiB", 2)):
        if size < 1024:
            return f"{size:.{digits}f} {unit}"
        size /= 1024
    return f"{size:.2f} TiB"


@dataclass(frozen=True, slots=True)
class Block:
    """Some prize sets of a level: the unit of work, of storage and of resumption."""

    level: int
    index: int  # among all blocks of the level
    band: int
    start: int  # rows of the band
    stop: int


@dataclass(frozen=True, slots=True)
class LeadBand:
    """Prize sets of a level whose rows are equally long: how they are cut into blocks, and blocks into chunks."""

    objective: Objective
    prize_sets: int
    matchups: int
    lead: int  # the largest; `points` has none
    itemsize: int

    @property
    def leads(self) -> int:
        """The values of a matchup."""
        return 2 * self.lead + 1

    @property
    def row_bytes(self) -> int:
        return self.matchups * self.leads * self.itemsize

    @property
    def block_rows(self) -> int:
        """Prize sets in a block."""
        least = min(LEAST_BLOCK_ROWS[self.objective], max(1, LARGE_BLOCK // (self.matchups * self.leads)))
        rows = min(max(least, BLOCK_BYTES // self.row_bytes // 4 * 4), self.prize_sets)
        if self.objective == Objective.POINTS:
            return rows
        return -(-self.prize_sets // -(-self.prize_sets // rows))  # as many blocks, none much smaller than the others

    @property
    def block_count(self) -> int:
        return -(-self.prize_sets // self.block_rows)

    @property
    def block_bytes(self) -> int:
        return self.block_rows * self.row_bytes

    @property
    def chunk_rows(self) -> int:
        """Prize sets that are read together: a divisor of the rows of a block."""
        least = CHUNK_BYTES // self.row_bytes
        if least >= self.block_rows:
            return self.block_rows
        return max(rows for rows in range(1, max(1, least) + 1) if self.block_rows % rows == 0)

    @property
    def chunk_matchups(self) -> int:
        """Matchups that are read together: of a long row with leads, only a part."""
        if self.objective == Objective.POINTS or self.row_bytes <= CHUNK_BYTES:
            return self.matchups
        return max(1, CHUNK_BYTES // (self.leads * self.itemsize))


@dataclass(frozen=True)
class LevelPlan:
    """One level: its positions, and how they are cut into blocks."""

    cards: int
    level: int
    objective: Objective
    itemsize: int

    @cached_property
    def matchups(self) -> int:
        return matchup_count(self.cards, self.level, self.objective)

    @property
    def where(self) -> Bands:
        """Where each prize set is found."""
        return bands_of(self.cards, self.level, self.objective)

    @cached_property
    def bands(self) -> tuple[LeadBand, ...]:
        where = self.where
        return tuple(
            LeadBand(self.objective, len(sets), self.matchups, lead, self.itemsize)
            for sets, lead in zip(where.sets, where.leads, strict=True)
        )

    @property
    def prize_sets(self) -> int:
        return prize_sets.count(self.cards, self.level)

    @property
    def games(self) -> int:
        return sum(band.prize_sets * band.leads for band in self.bands) * self.matchups * self.level

    @property
    def bytes(self) -> int:
        return sum(band.prize_sets * band.row_bytes for band in self.bands)

    @property
    def payoff_bound(self) -> float:
        """A bound on the absolute value of every position of the level: all its prizes, or a win."""
        if self.objective == Objective.WIN:
            return 1.0
        return float(sum(range(self.cards - self.level + 1, self.cards + 1)))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """LeadBand by band."""
        found: list[Block] = []
        for number, band in enumerate(self.bands):
            for start in range(0, band.prize_sets, band.block_rows):
                stop = min(start + band.block_rows, band.prize_sets)
                found.append(Block(self.level, len(found), number, start, stop))
        return tuple(found)

    @property
    def block_count(self) -> int:
        return sum(band.block_count for band in self.bands)

    def block_games(self, block: Block) -> int:
        """The games of a block."""
        return (block.stop - block.start) * self.bands[block.band].leads * self.matchups * self.level

    def block_shape(self, block: Block) -> tuple[int, int, int]:
        """The values of a block, [row][matchup][lead]."""
        band = self.bands[block.band]
        return block.stop - block.start, band.matchups, band.leads

    @property
    def largest(self) -> LeadBand:
        """The band with the largest blocks."""
        return max(self.bands, key=lambda band: band.block_bytes)

    @cached_property
    def block_children(self) -> tuple[int, ...]:
        """Of each block: the prize sets that remain after any upcard of any of its sets."""
        return tuple(
            len(np.unique(prize_sets.rounds(self.where.sets[block.band][block.start : block.stop], self.level).child))
            for block in self.blocks
        )

    @cached_property
    def cells(self) -> float:
        """The cells of a game of this level, on average, from an even sample of its matchups."""
        some = np.unique(np.linspace(0, matchups.count(self.cards, self.level) - 1, SAMPLE).astype(np.int64))
        mine, theirs = matchups.words(some, self.level)
        rows = np.bitwise_count(matchups.distinct_cards(mine, theirs)).astype(np.float64)
        return float((rows * np.bitwise_count(matchups.distinct_cards(theirs, mine))).mean())

    @property
    def cpu_seconds(self) -> float:
        """On the machine that the rates were measured on."""
        return self.games * RATES[self.objective].nanoseconds(self.cells) * 1e-9


@dataclass(frozen=True)
class Plan:
    """A whole table."""

    cards: int
    objective: Objective
    dtype: str
    levels: tuple[LevelPlan, ...]  # level 1 first; equal hands are worth 0, so the last level needs no table

    @property
    def games(self) -> int:
        return sum(level.games for level in self.levels)

    @property
    def payoff_bound(self) -> float:
        """A bound on the absolute value of every position: all prizes, or a win."""
        return 1.0 if self.objective == Objective.WIN else float(prize_sets.total(self.cards))

    def disk_bytes(self, keep: str = "all") -> int:
        """What the table takes on disk; when only the last level is kept, while it is being solved."""
        sizes = [level.bytes for level in self.levels]
        return sum(sizes) if keep == "all" else max(map(sum, pairwise([0, *sizes])), default=0)

    @property
    def block_count(self) -> int:
        return sum(level.block_count for level in self.levels)

    @property
    def cpu_seconds(self) -> float:
        return sum(level.cpu_seconds for level in self.levels)

    def blocks_at_work(self, threads: int) -> int:
        """How many blocks are in memory: all threads share one, or each has its own, and one is being written."""
        return IN_FLIGHT if self.objective == Objective.POINTS else threads + 1

    def level_memory(self, level: LevelPlan, threads: int, *, children_held: bool, held: bool) -> int:
        """What it takes to solve a level while keeping, or not, all values of the level below and of its own."""
        largest = level.largest
        at_work = self.blocks_at_work(threads)
        tables = level.matchups * (4 * level.cells + 10)
        # A block's results, the same in the precision of the store, and the copy that is being written.
        blocks = at_work * largest.block_bytes // level.itemsize * 8 + 2 * largest.block_bytes
        workers = threads * KERNEL_BYTES * level.matchups * -(-largest.leads // _kernel.LANES)
        children = 0
        if level.level > 1:
            below = self.levels[level.level - 2]
            if self.objective == Objective.POINTS:
                workers += threads * LANE_BYTES * below.matchups
            else:
                # The children of a round, laid out beyond both ends by its upcard.
                reach = max(level.where.leads) + self.cards + _kernel.LANES
                workers += threads * (2 * reach + 1) * 4 * below.matchups
            children = below.bytes if children_held else min(self._streamed_bytes(level, threads), below.bytes)
        return int(INTERPRETER_BYTES + tables + blocks + workers + children + held * level.bytes)

    def _streamed_bytes(self, level: LevelPlan, threads: int) -> int:
        """The children of all blocks that are at work when each reads its own, for `win` a round's at a time."""
        below = self.levels[level.level - 2]
        if self.objective == Objective.POINTS:
            return IN_FLIGHT * max(level.block_children) * below.largest.row_bytes
        return 2 * threads * max(band.row_bytes for band in below.bands)

    def reads_whole(self, level: LevelPlan, threads: int) -> bool:
        """Whether blocks that read their own children would hold more than all there are."""
        return level.level > 1 and self._streamed_bytes(level, threads) >= self.levels[level.level - 2].bytes

    def held_levels(self, threads: int, memory: int) -> frozenset[int]:
        """The levels whose values are kept in memory until the next one is solved; the others are read as needed."""
        held: set[int] = set()
        for level in self.levels:
            below = level.level - 1 in held or level.level == 1
            here = self.level_memory(level, threads, children_held=below, held=True)
            above = self.levels[level.level : level.level + 1]
            there = (self.level_memory(next_, threads, children_held=True, held=False) for next_ in above)
            if max(here, *there, 0) <= memory:
                held.add(level.level)
        return frozenset(held)

    def memory_bytes(self, threads: int, memory: int) -> int:
        """The most memory in use at any time, given how much may be used; more than that when it is too little."""
        held = self.held_levels(threads, memory)
        return max(
            (
                self.level_memory(level, threads, children_held=level.level - 1 in held, held=level.level in held)
                for level in self.levels
            ),
            default=INTERPRETER_BYTES,
        )


def make_plan(cards: int, *, objective: Objective = Objective.POINTS, dtype: str | None = None) -> Plan:
    """The plan of a table: it depends on nothing but its arguments."""
    check_cards(cards)
    objective = Objective(objective)
    single = objective == Objective.WIN or cards >= SINGLE_PRECISION_FROM
    chosen = np.dtype(dtype or ("float32" if single else "float64"))
    if chosen.name not in DTYPES:
        raise SolveError(f"values are stored as {' or '.join(DTYPES)}, not as {chosen}")
    if objective == Objective.WIN and chosen != np.float32:
        raise SolveError(f"a win table is kept in float32, not in {chosen}")
    levels = tuple(LevelPlan(cards, level, objective, chosen.itemsize) for level in range(1, cards))
    return Plan(cards, objective, chosen.name, levels)
