"""What a solver of matrix games returns, and the payoff matrices it takes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MAX_SIZE = 16  # rows or columns of a game that the kernel takes


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


@dataclass(frozen=True, slots=True, eq=False)
class BatchSolution:
    """Solved games of one shape, one a row."""

    value: Floats
    """The value of each game."""
    row_mix: Floats
    """Optimal mixes of the row player, `[game][row]`."""
    column_mix: Floats
    """Optimal mixes of the column player, `[game][column]`."""
    gap: Floats
    """The proof of each game: 0 is perfect."""


def check_matrices(matrices: ArrayLike, *, ndim: int, largest: int = MAX_SIZE) -> Floats:
    """The payoffs as an array of doubles, or a ValueError that says what is wrong with them."""
    try:
        array = np.asarray(matrices, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"a payoff matrix needs rows of equal length and real numbers: {error}") from None
    kind = "a payoff matrix has 2 dimensions" if ndim == 2 else "a batch of payoff matrices has 3 dimensions"
    if array.ndim != ndim:
        raise ValueError(f"{kind}, not {array.ndim}")
    rows, columns = array.shape[-2:]
    if not (1 <= rows <= largest and 1 <= columns <= largest):
        raise ValueError(f"a game has 1 to {largest} rows and columns, not {rows} × {columns}")
    if not np.isfinite(array).all():
        raise ValueError("payoffs must be finite")
    return array


def gap_of(matrix: Floats, row_mix: Floats, column_mix: Floats) -> float:
    """How much the two sides could gain together by best replies."""
    return float((matrix @ column_mix).max() - (row_mix @ matrix).min())
