"""Real positions of a level: as the solver meets them, and as plain payoff matrices."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goofspiel import Objective
from goofspiel.errors import GoofspielError
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.solver.block_solver import LevelSolver, RoundWork
from goofspiel.solver.children import StreamedChildren
from goofspiel.states import matchups
from goofspiel.store import Table, default_store, table_path


@dataclass(frozen=True)
class LevelSample:
    """A block of a level, and what the table says of it."""

    work: RoundWork
    stored: np.ndarray  # [prize set][matchup]

    @property
    def games(self) -> int:
        return self.work.level.block_games(self.work.block)

    def solve(self) -> np.ndarray:
        """The whole block on this thread, as a solve does it: the values, [prize set][matchup]."""
        self.work.values[:] = 0
        self.work.solve(0, self.work.level.matchups)
        return self.work.values[..., 0]

    def matrices(self, positions: int, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """Some positions as [position][prize set, matchup], and their games, one matrix an upcard."""
        work, random = self.work, np.random.default_rng(seed)
        sets, width = self.stored.shape
        chosen = np.stack([random.integers(sets, size=positions), random.integers(width, size=positions)], axis=1)
        rounds_of = np.argsort(work.rounds.row, kind="stable").reshape(sets, -1)
        # One more column for equal hands, which are worth 0.
        children = np.pad(work.rows, ((0, 0), (0, 1))).astype(np.float64)
        found = []
        for row, matchup in chosen:
            cells = slice(*work.successors.offsets[matchup : matchup + 2])
            codes = work.successors.codes[cells].reshape(work.successors.shapes[matchup])
            for upcard in rounds_of[row]:
                child = children[work.child[upcard], codes >> matchups.INDEX_SHIFT]
                won = matchups.UPCARD_SIGN[codes & 3] * work.rounds.prize[upcard]
                found.append(child * matchups.CHILD_SIGN[codes & 7] + won)
        return chosen, found


def sample_level(table: Table, level: int) -> LevelSample:
    """The block in the middle of a level."""
    plan = table.plan.levels[level - 1]
    block = plan.blocks[plan.block_count // 2]
    work = LevelSolver(plan).start(block, StreamedChildren(table, level - 1))
    assert isinstance(work, RoundWork)
    return LevelSample(work, table.read_rows(level, block.start, block.stop))


def open_table(cards: int, store: Path) -> Table:
    """The table in the user's store if it is solved, or else one solved now into `store`."""
    try:
        table = Table.open(table_path(default_store(), Rules(cards, objective=Objective.POINTS)))
        if table.header.complete:
            return table
    except GoofspielError:
        pass
    return Table.open(solve(cards, store=store))
