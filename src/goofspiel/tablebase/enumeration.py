"""All positions of a level, numbered: each stands for all hands whose cards are in the same order."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Ints, Numbers
from goofspiel.batch import PositionBatch, places
from goofspiel.rules import Rules
from goofspiel.states.prize_states import Rounds
from goofspiel.states.space import level_space


class LevelPositions:
    """The positions of a level that show an upcard: equal hands among them, and where leads count every lead.

    `positions[10:20]` and `positions.some(numbers)` are batches. Of two positions that are one seen from both sides,
    only one has a number.
    """

    def __init__(self, rules: Rules, level: int) -> None:
        if not rules.last_level < level <= rules.cards:
            raise IndexError(f"levels are {rules.last_level + 1} to {rules.cards}, not {level}")
        self.rules, self.level = rules, level
        self._space = level_space(rules, level)

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def __getitem__(self, which: slice) -> PositionBatch:
        return self.some(np.arange(*which.indices(len(self))))

    def some(self, numbers: NDArray[np.integer]) -> PositionBatch:
        """The positions of these numbers."""
        numbers = np.asarray(numbers, dtype=np.int64)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(self):
            raise IndexError(f"positions are 0 to {len(self) - 1}, not {numbers.min()} to {numbers.max()}")
        round_ = np.searchsorted(self._ends, numbers, side="right")
        inside = numbers - (self._ends[round_] - self._sizes[round_])
        row = self._rounds.row[round_]
        leads = 2 * self._space.largest_leads[row] + 1
        column, lead = np.divmod(inside, leads)
        states = self._space.states
        # Equal hands come last, and have no column of their own where leads do not count.
        column[column == self._columns[row] - 1] = self._space.equal
        mine, theirs = self._space.patterns(column)
        before = PositionBatch(
            mine,
            theirs,
            states.left[row].astype(np.uint16),
            np.zeros(len(row), dtype=np.int32),
            (lead - leads // 2).astype(np.int32),
            states.pot[row].astype(np.int32),
            places(self.rules),
            self.rules,
        )
        return before.turn_up(self._rounds.prize[round_].astype(np.int32))

    @cached_property
    def _rounds(self) -> Rounds:
        return self._space.rounds(np.arange(self._space.rows))

    @cached_property
    def _columns(self) -> Ints:
        """By row: its columns, and one for equal hands, if that many cards can be left."""
        widths = np.array(
            [
                self._space.columns_with(ties) + (not self.rules.has_leads)
                for ties in range(int(self._space.states.tied.max(initial=0)) + 1)
            ]
        )
        fits = self.level + self._space.states.tied <= self.rules.cards
        return np.where(fits, widths[self._space.states.tied], 0).astype(np.int32)

    @cached_property
    def _sizes(self) -> Numbers:
        """By round: its positions."""
        row = self._rounds.row
        return self._columns[row].astype(np.int64) * (2 * self._space.largest_leads[row] + 1)

    @cached_property
    def _ends(self) -> Numbers:
        return np.cumsum(self._sizes)
