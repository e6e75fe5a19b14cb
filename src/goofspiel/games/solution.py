"""What a solver of matrix games returns."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from goofspiel.arrays import Flags, Floats

KERNEL_SIZE = 16  # rows or columns of a game that the kernel takes
LARGEST = 1000  # rows or columns of any game: above, dense rows are no way to write a linear program
# The gap that is accepted at last, as a share of the largest payoff. Above it there is no answer.
ACCEPTED_GAP = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """Between which limits the probability of each row lies in all optimal mixes of the row player.

    Where there is only one, both limits are its probabilities as they were found.
    """

    least: Floats
    """No optimal mix has less."""
    greatest: Floats
    """No optimal mix has more."""
    unique: bool | None
    """Whether there is only one; None when that cannot be told from payoffs that may be wrong."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchRanges:
    """The same for many games: a player's probabilities over all of its optimal mixes, `[…][choice]`.

    Where there is only one, both limits are its probabilities as they were found.
    """

    least: Floats
    """No optimal mix has less."""
    greatest: Floats
    """No optimal mix has more."""
    unique: Flags
    """Whether it is proved, `[…]`, that there is only one."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A solved game. The row player maximises."""

    value: float
    """What the row player can be sure of, on average."""
    row_mix: Floats
    """An optimal mix of the row player: the probability of each row."""
    column_mix: Floats
    """An optimal mix of the column player: the probability of each column."""
    gap: float
    """The best reply to `column_mix` minus the best reply to `row_mix`: 0 is perfect."""
    row_ranges: Ranges | None = None
    """All optimal mixes of the row player, if asked for."""
    column_ranges: Ranges | None = None
    """All optimal mixes of the column player, if asked for."""

    def swap(self) -> "Solution":
        """The same game as the column player sees it, who then has the rows."""
        value = -self.value + 0.0  # no negative zero
        return Solution(value, self.column_mix, self.row_mix, self.gap, self.column_ranges, self.row_ranges)


@dataclass(frozen=True, slots=True, eq=False)
class BatchSolution:
    """Solved games, in arrays with the leading dimensions of the batch, `[…]`; a list of games has one.

    Of games of different shapes, mixes are as long as the longest: a row that a game does not have is never played.
    """

    value: Floats
    """The value of each game, `[…]`."""
    row_mix: Floats
    """Optimal mixes of the row player, `[…][row]`."""
    column_mix: Floats
    """Optimal mixes of the column player, `[…][column]`."""
    gap: Floats
    """The proof of each game, `[…]`: 0 is perfect."""
    row_ranges: BatchRanges | None = None
    """All optimal mixes of the row player, if asked for."""
    column_ranges: BatchRanges | None = None
    """All optimal mixes of the column player, if asked for."""


# The value, a mix of either player and the gap of each game, `[…]`.
Found: TypeAlias = tuple[Floats, Floats, Floats, Floats]


def empty(leading: tuple[int, ...], rows: int, columns: int) -> Found:
    """Arrays for what is found."""
    return np.empty(leading), np.empty((*leading, rows)), np.empty((*leading, columns)), np.empty(leading)


def gap_of(matrix: Floats, row_mix: Floats, column_mix: Floats) -> float:
    """How much the two sides could gain together by best replies."""
    return float((matrix @ column_mix).max() - (row_mix @ matrix).min())


def indifference(payoffs: Floats) -> Floats:
    """The equations of a column mix that makes all rows of a square game worth the same, and of that worth.

    Of one game, or of many: `[…][row][column]`.
    """
    *leading, size, _ = payoffs.shape
    system = np.ones((*leading, size + 1, size + 1))
    system[..., :size, :size] = payoffs
    system[..., :size, size] = -1
    system[..., size, size] = 0
    return system
