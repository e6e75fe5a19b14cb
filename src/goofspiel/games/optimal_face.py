"""All optimal mixes of a game: is there only one, and within what range is each probability?

The payoffs may be wrong by a known error. Then a mix is called unique only if it is the only optimal one whatever the
true payoffs are; that another one exists can be said of exact payoffs alone, since the least change may leave but one.
"""

from fractions import Fraction

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.games.exact import exact_ranges, solve_exactly, to_fraction
from goofspiel.games.highs import FEASIBILITY, linear_program, optimise
from goofspiel.games.solution import KERNEL_SIZE, Ranges, Solution, indifference

# A probability below this is none: no support of a basis has one.
NONE = 1e-12
# Rounding of payoffs and of what is computed from them, as a share of the payoffs, in a game of up to 16 × 16.
ROUNDING = 1e-13


def optimal_ranges(matrix: Floats, solution: Solution, *, error: float | None = None) -> Ranges:
    """The ranges of the row player's probabilities over all optimal mixes.

    Every payoff is within `error` of the true one, by default within rounding; 0 says that all are exact, which is of
    use in games of up to 16 × 16.
    """
    if len(matrix) == 1:
        return Ranges(np.ones(1), np.ones(1), unique=True)
    # By a power of 2, which rounds nothing, the largest payoff comes to 1/2 … 1.
    power = int(np.frexp(np.abs(matrix).max())[1])
    scaled = np.ldexp(matrix, -power)
    wrong = float(np.ldexp(error or 0.0, -power)) + ROUNDING * max(1.0, max(matrix.shape) / KERNEL_SIZE)
    if _is_surely_unique(scaled, solution, wrong):
        return Ranges(solution.row_mix, solution.row_mix, unique=True)
    if error == 0 and max(matrix.shape) <= KERNEL_SIZE:
        return _exact_ranges(scaled, solution)
    value, gap = float(np.ldexp(solution.value, -power)), float(np.ldexp(solution.gap, -power))
    return _outer_ranges(scaled, solution, value - gap / 2 - 2 * wrong)


def _exact_ranges(matrix: Floats, solution: Solution) -> Ranges:
    """Of payoffs that are what they are: doubles are fractions. The mix that was found is rounded, and among them."""
    cells = [[Fraction(cell) for cell in row] for row in matrix.tolist()]
    found = exact_ranges(cells, solve_exactly(cells))
    least, greatest = (np.array([float(to_fraction(span[end])) for span in found]) for end in (0, 1))
    unique = all(low == high for low, high in found)
    return Ranges(np.minimum(least, solution.row_mix), np.maximum(greatest, solution.row_mix), unique)


def _is_surely_unique(matrix: Floats, solution: Solution, error: float) -> bool:
    """Whether the supports stay optimal, every sign strict, however the payoffs are changed by no more than the error.

    Then there is no other optimal mix for any of these payoffs, the true ones among them.
    """
    rows, columns = np.flatnonzero(solution.row_mix > NONE), np.flatnonzero(solution.column_mix > NONE)
    if len(rows) != len(columns):
        return False
    try:
        y, y_error, value, value_error = _support_mix(matrix[np.ix_(rows, columns)], error)
        x, x_error, _, _ = _support_mix(matrix[np.ix_(rows, columns)].T, error)
    except np.linalg.LinAlgError:
        return False
    if not ((y > y_error).all() and (x > x_error).all()):
        return False  # NaN is not above anything
    idle_rows = np.setdiff1d(np.arange(matrix.shape[0]), rows)
    idle_columns = np.setdiff1d(np.arange(matrix.shape[1]), columns)
    # Changes of a mix sum to 0, so payoffs count from the value.
    lost = value - matrix[np.ix_(idle_rows, columns)] @ y
    row_margin = value_error + error + np.abs(matrix[np.ix_(idle_rows, columns)] - value) @ y_error
    gained = matrix[np.ix_(rows, idle_columns)].T @ x - value
    column_margin = value_error + error + np.abs(matrix[np.ix_(rows, idle_columns)].T - value) @ x_error
    return bool((lost > row_margin).all() and (gained > column_margin).all())


def _support_mix(payoffs: Floats, error: float) -> tuple[Floats, Floats, float, float]:
    """The mix that makes all rows of a square game worth the same, that worth, and how far both may be off."""
    size = len(payoffs)
    inverse = np.asarray(np.linalg.inv(indifference(payoffs)), dtype=np.float64)
    moved = np.abs(inverse[:, :size]).sum(axis=1) * error
    spread = size * float(moved[:size].max())
    if not spread < 0.5:
        raise np.linalg.LinAlgError  # too ill for a bound
    solved, moved = inverse[:, size], moved / (1 - spread)
    return solved[:size], moved[:size], float(solved[size]), float(moved[size])


def _outer_ranges(matrix: Floats, solution: Solution, least_worth: float) -> Ranges:
    """Limits of all mixes that may be optimal: each earns the value, but for what may be wrong, in every column."""
    count, width = matrix.shape
    rows = np.vstack([matrix.T, np.ones((1, count))])
    lower = np.append(np.full(width, least_worth - FEASIBILITY), 1.0 - FEASIBILITY)
    upper = np.append(np.full(width, np.inf), 1.0 + FEASIBILITY)
    highs = linear_program(np.zeros(count), rows, lower, upper, np.ones(count))
    ends = np.empty((2, count))
    for row in range(count):
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            highs.changeColCost(row, sign)  # the last basis is where the next search begins
            end[row] = optimise(highs)[0][row]
        highs.changeColCost(row, 0.0)
    least, greatest = ends.clip(0, 1)
    return Ranges(np.minimum(least, solution.row_mix), np.maximum(greatest, solution.row_mix), unique=None)
