"""Decide how a table is solved: levels, blocks of prize sets, and what it will take. Nothing is executed here."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from goofspiel import matchups, prizes
from goofspiel.errors import SolveError
from goofspiel.rules import Objective, check_cards

BLOCK_BYTES = 64 << 20  # a block is what is lost when a solve is killed: a few seconds of work
LEAST_BLOCK_ROWS = 64  # the bases remembered within a block pay only over many prize sets
CHUNK_BYTES = 256 << 10  # the least that a probe reads
SINGLE_PRECISION_FROM = 15  # cards: from here on a table of doubles is too large to keep

# Seconds of one core for a game of so many cells, measured on an AVX2 core: NS_A_GAME + NS_A_CELL · cells.
NS_A_GAME = 20.0
NS_A_CELL = 2.4
SAMPLE = 512  # matchups of a level that are looked at to know how many cells its games have


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

    @cached_property
    def cells(self) -> float:
        """The cells of a game of this level, on average, from an even sample of its matchups."""
        some = np.unique(np.linspace(0, self.matchups - 1, SAMPLE).astype(np.int64))
        mine, theirs = matchups.words(some, self.level)
        rows = np.bitwise_count(matchups.distinct_cards(mine, theirs)).astype(np.float64)
        return float((rows * np.bitwise_count(matchups.distinct_cards(theirs, mine))).mean())

    @property
    def cpu_seconds(self) -> float:
        return self.games * (NS_A_GAME + NS_A_CELL * self.cells) * 1e-9


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

    def memory_bytes(self, threads: int) -> int:
        """Two levels, the successors of one, and what the threads work on."""
        most, child_bytes, child_width = 0, 0, 0
        for level in self.levels:
            tables = level.matchups * (4 * level.cells + 10)
            blocks = (blocks_in_flight(threads) + 1) * level.block_rows * level.matchups * 8
            workers = threads * (32 * child_width + 16 * level.matchups)
            most = max(most, int(child_bytes + level.bytes + tables + blocks + workers))
            child_bytes, child_width = level.bytes, level.matchups
        return most + (150 << 20)  # the interpreter and its libraries


def blocks_in_flight(threads: int) -> int:
    """How many blocks are worked on at a time: one is finished while the next keeps the threads busy."""
    return 1 + -(-threads // SLICES)


SLICES = 4  # a block's matchups are cut into so many tasks; the result does not depend on it


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
