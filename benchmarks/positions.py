"""Real positions of a level: as the solver meets them, and as plain payoff matrices."""

from dataclasses import dataclass

import numpy as np

from goofspiel import matchups, prizes
from goofspiel.plan import make_plan
from goofspiel.store import Table

ROWS = 64  # prize sets: the least that a block has


@dataclass(frozen=True)
class LevelSample:
    """Neighbouring prize sets of a level with all matchups, and what a solve knows when it comes to them."""

    children: np.ndarray  # [row][matchup]: the rows of the level below that are needed
    child_of: np.ndarray  # [rank of the upcard][prize set]: the row that remains
    prize: np.ndarray  # [rank of the upcard][prize set]
    successors: matchups.Successors
    scale: float
    stored: np.ndarray  # [prize set][matchup]: the values in the table

    @property
    def games(self) -> int:
        return self.prize.size * self.stored.shape[1]

    def matrices(self, positions: int, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
        """Some positions as [position][prize set, matchup], and their games, one matrix an upcard, rank by rank."""
        random = np.random.default_rng(seed)
        ranks, sets = self.prize.shape
        chosen = np.stack(
            [random.integers(sets, size=positions), random.integers(self.stored.shape[1], size=positions)]
        )
        # One more column for equal hands, which are worth 0.
        children = np.pad(self.children, ((0, 0), (0, 1)))
        found = []
        for row, matchup in chosen.T:
            cells = slice(*self.successors.offsets[matchup : matchup + 2])
            codes = self.successors.codes[cells].reshape(self.successors.shapes[matchup])
            for rank in range(ranks):
                child = children[self.child_of[rank, row], codes >> matchups.INDEX_SHIFT]
                upcard = matchups.UPCARD_SIGN[codes & 3] * self.prize[rank, row]
                found.append(child * matchups.CHILD_SIGN[codes & 7] + upcard)
        return chosen.T, found


def sample_level(table: Table, level: int) -> LevelSample:
    """The prize sets in the middle of a level."""
    plan = make_plan(table.header.cards, dtype=table.header.dtype).levels[level - 1]
    start = max(0, (plan.prize_sets - ROWS) // 2)
    stop = min(start + ROWS, plan.prize_sets)
    child_of, prize = prizes.children(prizes.all_prize_sets(plan.cards, level)[start:stop], level)
    needed, compact = np.unique(child_of, return_inverse=True)
    children = np.concatenate([table.read_rows(level - 1, row, row + 1) for row in needed.tolist()])
    words = matchups.all_matchups(plan.cards, level)
    return LevelSample(
        children,
        compact.reshape(child_of.shape).astype(np.int32),
        prize,
        matchups.successors(*words, level, children.shape[1]),
        plan.payoff_bound,
        table.read_rows(level, start, stop),
    )
