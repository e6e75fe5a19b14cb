"""The matrix games of one level, handed to the kernel block by block."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goofspiel import _kernel, matchups, prizes
from goofspiel.errors import SolveError
from goofspiel.games.solution import Floats
from goofspiel.plan import Block, LevelPlan
from goofspiel.solver.children import Children
from goofspiel.store.table import Values


class LevelSolver:
    """What all blocks of a level share: the successors of its matchups."""

    def __init__(self, level: LevelPlan, *, kernel: str = "") -> None:
        self.level = level
        self._kernel = kernel
        words = matchups.all_matchups(level.cards, level.level)
        self._successors = matchups.successors(*words, level.level, matchups.count(level.cards, level.level - 1))
        self._sets = prizes.all_prize_sets(level.cards, level.level)

    def start(self, block: Block, children: Children) -> "BlockWork":
        """A block with the rows that it needs, nothing solved yet."""
        rounds = prizes.rounds(self._sets[block.start : block.stop], self.level.level)
        rows, child = children.rows(rounds.child)
        out = np.zeros((block.stop - block.start, self.level.matchups))
        return BlockWork(block, self.level, self._successors, rounds, rows, child, out, self._kernel)


@dataclass(frozen=True, slots=True)
class BlockWork:
    """A block that is being solved. Its matchups can be cut into slices: the result does not depend on the cuts."""

    block: Block
    level: LevelPlan
    successors: matchups.Successors
    rounds: prizes.Rounds
    rows: Values  # of the level below
    child: NDArray[np.int32]  # row of each round
    values: Floats  # the result, complete when all slices are solved
    kernel: str

    @property
    def games(self) -> int:
        return len(self.child) * self.level.matchups

    def cuts(self, slices: int) -> list[int]:
        """The edges of slices with as many cells each."""
        cells = self.successors.offsets
        edges: list[int] = np.searchsorted(cells, cells[-1] * np.arange(slices + 1) // slices).tolist()
        return edges

    def solve(self, begin: int, end: int) -> float:
        """Solve a slice; the largest gap of its games. The interpreter is free meanwhile."""
        failures, gap, _ = _kernel.solve_block(
            self.rows,
            self.child,
            self.rounds.prize,
            self.rounds.row,
            1 / self.level.level,
            self.successors.shapes,
            self.successors.offsets,
            self.successors.codes,
            begin,
            end,
            self.level.payoff_bound,
            self.values,
            kernel=self.kernel,
        )
        if failures:
            where = f"block {self.block.index} of level {self.level.level}"
            raise SolveError(f"{failures} games without a proof of optimality in {where}")
        return gap
