"""All optimal mixes of a game: is there only one, and what is the range of each probability?"""

from dataclasses import dataclass

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.games.highs import linear_program, optimise
from goofspiel.games.solution import Solution

# A slack or a probability below this share counts as zero. Far above rounding, far below what a table could show.
DEGENERATE = 1e-9
# Ranges narrower than this are one number.
SAME = 1e-7
# Room for rounding in the equations, as a share of the payoffs.
FEASIBLE = 1e-11


@dataclass(frozen=True, slots=True, eq=False)
class Ranges:
    """The least and greatest probability of each row over all optimal mixes of the row player."""

    least: Floats
    greatest: Floats

    @property
    def unique(self) -> bool:
        """Whether there is only one optimal mix."""
        return bool((self.greatest - self.least).max() <= SAME)


def optimal_ranges(matrix: Floats, solution: Solution) -> Ranges:
    """The ranges of the row player's probabilities over all optimal mixes.

    An optimal mix gives nothing to rows that lose against `column_mix`, and exactly the value against every column that
    `column_mix` plays. Where these conditions already leave only one mix, no program is solved.
    """
    scale = max(float(np.abs(matrix).max()), 1e-300)
    slack = (solution.value - matrix @ solution.column_mix) / scale
    rows = np.flatnonzero(slack <= DEGENERATE)
    played = solution.column_mix > DEGENERATE
    tight = matrix[rows][:, played].T
    conditions = np.vstack([tight / scale, np.ones((1, len(rows)))])
    if np.linalg.matrix_rank(conditions, tol=DEGENERATE) == len(rows):
        return Ranges(solution.row_mix, solution.row_mix)
    bounds = matrix[rows][:, ~played].T
    program_rows = np.vstack([conditions, bounds / scale])
    value = solution.value / scale
    exact = np.append(np.full(len(tight), value), 1.0)
    lower = np.append(exact, np.full(len(bounds), value))
    upper = np.append(exact, np.full(len(bounds), np.inf))
    least, greatest = np.zeros(len(matrix)), np.zeros(len(matrix))
    for place, row in enumerate(rows):
        cost = np.zeros(len(rows))
        for sign, result in ((1.0, least), (-1.0, greatest)):
            cost[place] = sign
            # The equations hold only up to the rounding of the value: without room, HiGHS may call them infeasible.
            model = linear_program(cost, program_rows, lower - FEASIBLE, upper + FEASIBLE, np.ones(len(rows)))
            result[row] = min(max(optimise(model)[0][place], 0.0), 1.0)
    return Ranges(np.minimum(least, solution.row_mix), np.maximum(greatest, solution.row_mix))
