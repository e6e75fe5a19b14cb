"""Decide how a table is solved: levels, blocks of prize sets, and what it will take. Nothing is executed here."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from goofspiel import matchups, prizes
from goofspiel.errors import SolveError
from goofspiel.rules import Objective, check_cards

BLOCK_BYTES = 64 << 20  # a block is what is lost when a solve is killed: a few seconds of work
LEAST_BLOCK_ROWS = 128  # the bases remembered within a block pay only over many prize sets
CHUNK_BYTES = 256 << 10  # the least that a probe reads
SINGLE_PRECISION_FROM = 15  # cards: from here on a table of doubles is too large to keep

IN_FLIGHT = 2  # blocks: while one is finished and written, the next keeps the threads busy
KERNEL_BYTES = 24  # the bases that the kernel remembers of a matchup
LANE_BYTES = 64  # a child of eight lanes, laid out side by side
INTERPRETER_BYTES = 150 << 20

# Nanoseconds of one core for a game of so many cells, fitted to measurements on an AVX2 core:
# NS_A_GAME + NS_A_CELL · cells ** CELL_POWER.
NS_A_GAME = 10.4
NS_A_CELL = 0.111
CELL_POWER = 1.6
SAMPLE = 512  # matchups of a level that are looked at to know how many cells its games have


def size_text(size: float) -> str:
    """Bytes, readable."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.2f} GiB"


@dataclass(frozen=True, slots=True)
class Block:
    """Some prize sets of a level: the unit of work, of storage and of resumption."""

    level: int
    index: int
    start: int
    stop: int


@dataclass(frozen=True)
class LevelPlan:
    """One level: its positions, and how they are cut into blocks."""

    cards: int
    level: int
    prize_sets: int
    matchups: int
    itemsize: int

    @property
    def games(self) -> int:
        return self.prize_sets * self.matchups * self.level

    @property
    def bytes(self) -> int:
        return self.prize_sets * self.matchups * self.itemsize

    @property
    def block_rows(self) -> int:
        """Prize sets in a block."""
        rows = max(LEAST_BLOCK_ROWS, BLOCK_BYTES // (self.matchups * self.itemsize) // 4 * 4)
        return min(rows, self.prize_sets)

    @property
    def chunk_rows(self) -> int:
        """Prize sets that are read together: a divisor of the rows of a block."""
        least = CHUNK_BYTES // (self.matchups * self.itemsize)
        if least >= self.block_rows:
            return self.block_rows
        return max(rows for rows in range(1, max(1, least) + 1) if self.block_rows % rows == 0)

    @property
    def payoff_bound(self) -> float:
        """A bound on the absolute value of every position of the level: all its prizes."""
        return float(sum(range(self.cards - self.level + 1, self.cards + 1)))

    def blocks(self) -> Iterator[Block]:
        for index, start in enumerate(range(0, self.prize_sets, self.block_rows)):
            yield Block(self.level, index, start, min(start + self.block_rows, self.prize_sets))

    @property
    def block_count(self) -> int:
        return -(-self.prize_sets // self.block_rows)

    @property
    def block_bytes(self) -> int:
        return self.block_rows * self.matchups * self.itemsize

    @cached_property
    def block_children(self) -> int:
        """The prize sets that remain after any upcard of any set of a block: of the one in the middle."""
        start = self.block_count // 2 * self.block_rows
        sets = prizes.all_prize_sets(self.cards, self.level)[start : start + self.block_rows]
        return len(np.unique(prizes.rounds(sets, self.level).child))

    @cached_property
    def cells(self) -> float:
        """The cells of a game of this level, on average, from an even sample of its matchups."""
        some = np.unique(np.linspace(0, self.matchups - 1, SAMPLE).astype(np.int64))
        mine, theirs = matchups.words(some, self.level)
        rows = np.bitwise_count(matchups.distinct_cards(mine, theirs)).astype(np.float64)
        return float((rows * np.bitwise_count(matchups.distinct_cards(theirs, mine))).mean())

    @property
    def cpu_seconds(self) -> float:
        """On the machine that the rates were measured on."""
        return self.games * (NS_A_GAME + NS_A_CELL * float(self.cells**CELL_POWER)) * 1e-9


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
    def disk_bytes(self) -> int:
        return sum(level.bytes for level in self.levels)

    @property
    def block_count(self) -> int:
        return sum(level.block_count for level in self.levels)

    @property
    def cpu_seconds(self) -> float:
        return sum(level.cpu_seconds for level in self.levels)

    def level_memory(self, level: LevelPlan, threads: int, *, children_held: bool, held: bool) -> int:
        """What it takes to solve a level while keeping, or not, all values of the level below and of its own."""
        tables = level.matchups * (4 * level.cells + 10)
        # A block's results, the same in the precision of the store, and the copy that is being written.
        blocks = IN_FLIGHT * level.block_rows * level.matchups * 8 + 2 * level.block_bytes
        workers = threads * KERNEL_BYTES * level.matchups
        children = 0
        if level.level > 1:
            below = self.levels[level.level - 2]
            workers += threads * LANE_BYTES * below.matchups
            streamed = (IN_FLIGHT + 1) * level.block_children * below.matchups * below.itemsize
            children = below.bytes if children_held else min(streamed, below.bytes)
        return int(INTERPRETER_BYTES + tables + blocks + workers + children + held * level.bytes)

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
    if objective != Objective.POINTS:
        raise SolveError(f"only the points objective can be solved, not {objective}")
    chosen = np.dtype(dtype or ("float32" if cards >= SINGLE_PRECISION_FROM else "float64"))
    levels = tuple(
        LevelPlan(cards, level, prizes.count(cards, level), matchups.count(cards, level), chosen.itemsize)
        for level in range(1, cards)
    )
    return Plan(cards, Objective(objective), chosen.name, levels)
