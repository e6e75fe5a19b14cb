"""What it takes to solve a table: memory and time, level by level. Nothing is executed here."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from goofspiel import _kernel
from goofspiel.rules import Rules
from goofspiel.states import matchups
from goofspiel.store.blocks import Layout, LevelLayout

IN_FLIGHT = 2  # blocks: while one is finished and written, the next keeps the threads busy
KERNEL_BYTES = 4 * _kernel.BASIS_CACHE  # the bases that it remembers of a matchup, with leads of some neighbours
LANE_BYTES = 8 * _kernel.LANES  # a child in all lanes, laid out side by side
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


RATE, LEAD_RATE = Rate(9.5, 0.097, 1.6), Rate(5.0, 0.21, 1.6)
SAMPLE = 512  # matchups of a level that are looked at to know how many cells its games have


def size_text(size: float) -> str:
    """Bytes, readable."""
    for unit, digits in (("B", 0), ("KiB", 1), ("MiB", 1), ("GiB", 2)):
        if size < 1024:
            return f"{size:.{digits}f} {unit}"
        size /= 1024
    return f"{size:.2f} TiB"


@lru_cache(maxsize=1024)
def cells(rules: Rules, level: int) -> float:
    """The cells of a game of a level, on average, from an even sample of its matchups."""
    some = np.unique(np.linspace(0, matchups.count(rules.cards, level) - 1, SAMPLE).astype(np.int64))
    mine, theirs = matchups.patterns(some, level)
    rows = np.bitwise_count(matchups.distinct_cards(mine, theirs)).astype(np.float64)
    return float((rows * np.bitwise_count(matchups.distinct_cards(theirs, mine))).mean())


def cpu_seconds(level: LevelLayout) -> float:
    """For a level, on the machine that the rates were measured on."""
    rate = LEAD_RATE if level.rules.has_leads else RATE
    return level.games * rate.nanoseconds(cells(level.rules, level.level)) * 1e-9


@lru_cache(maxsize=1024)
def block_children(level: LevelLayout) -> tuple[int, ...]:
    """Of each block: the rows that remain after any upcard of any of its rows."""
    return tuple(len(np.unique(level.space.rounds(level.rows_of(block)).won)) for block in level.blocks)


@lru_cache(maxsize=1024)
def tied_children(level: LevelLayout) -> tuple[int, ...]:
    """Of each block: the rows that remain after a tie in any of its rows."""
    return tuple(len(np.unique(level.space.rounds(level.rows_of(block)).tied)) for block in level.blocks)


@dataclass(frozen=True)
class Plan:
    """A solve of a table on so many threads."""

    layout: Layout
    threads: int

    @property
    def cpu_seconds(self) -> float:
        """On the machine that the rates were measured on."""
        return sum(map(cpu_seconds, self.layout.levels))

    @property
    def blocks_at_work(self) -> int:
        """How many blocks are in memory: all threads share one, or each has its own, and one is being written."""
        return self.threads + 1 if self.layout.rules.has_leads else IN_FLIGHT

    def level_memory(self, level: LevelLayout, *, children_held: bool, held: bool) -> int:
        """What it takes to solve a level while keeping, or not, all values of the level below and of its own."""
        largest, threads = level.largest, self.threads
        tables = level.columns * (4 * cells(level.rules, level.level) + 10)
        # A block's results, the same in the precision of the store, and the copy that is being written.
        blocks = self.blocks_at_work * largest.block_bytes // level.itemsize * 8 + 2 * largest.block_bytes
        workers = threads * KERNEL_BYTES * level.columns * -(-largest.leads // _kernel.NEIGHBOURS)
        children = 0
        if not level.is_first:
            below = self._below(level)
            if level.rules.has_leads:
                # The children of a round, laid out beyond both ends by its upcard.
                most = int(level.space.states.pot.max()) + max(level.rules.prizes)
                reach = max(level.space.bands.leads) + most + _kernel.LANES
                workers += threads * (2 * reach + 1) * 4 * below.columns * (1 + level.rules.has_pots)
            else:
                workers += threads * LANE_BYTES * below.columns * (1 + level.rules.has_pots)
            children = below.bytes if children_held else min(self._streamed_bytes(level), below.bytes)
            if level.rules.has_pots and not level.rules.has_leads:
                # What follows ties is put together for each block.
                children += IN_FLIGHT * max(tied_children(level)) * below.largest.row_bytes
        return int(INTERPRETER_BYTES + tables + blocks + workers + children + held * level.bytes)

    def _below(self, level: LevelLayout) -> LevelLayout:
        return self.layout.level(level.level - 1)

    def _streamed_bytes(self, level: LevelLayout) -> int:
        """The children of all blocks that are at work when each reads its own, with leads a round's at a time."""
        below = self._below(level)
        if level.rules.has_leads:
            return 2 * self.threads * max(band.row_bytes for band in below.bands)
        return IN_FLIGHT * max(block_children(level)) * below.largest.row_bytes

    def reads_whole(self, level: LevelLayout) -> bool:
        """Whether blocks that read their own children would hold more than all there are."""
        return not level.is_first and self._streamed_bytes(level) >= self._below(level).bytes

    def held_levels(self, memory: int) -> frozenset[int]:
        """The levels whose values are kept in memory until the next one is solved; the others are read as needed."""
        held: set[int] = set()
        for level in self.layout.levels:
            below = level.level - 1 in held or level.is_first
            here = self.level_memory(level, children_held=below, held=True)
            above = [other for other in self.layout.levels if other.level == level.level + 1]
            there = (self.level_memory(next_, children_held=True, held=False) for next_ in above)
            if max(here, *there, 0) <= memory:
                held.add(level.level)
        return frozenset(held)

    def memory_bytes(self, memory: int) -> int:
        """The most memory in use at any time, given how much may be used; more than that when it is too little."""
        held = self.held_levels(memory)
        return max(
            (
                self.level_memory(level, children_held=level.level - 1 in held, held=level.level in held)
                for level in self.layout.levels
            ),
            default=INTERPRETER_BYTES,
        )
