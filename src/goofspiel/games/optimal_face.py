"""All optimal mixes of a game: is there only one, and within what range is each probability?

The payoffs may be wrong by a known error. Then a mix is called unique only if it is the only optimal one whatever the
true payoffs are; that another one exists can be said of exact payoffs alone, since the least change may leave but one.
"""

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction

import numpy as np

from goofspiel.arrays import Flags, Floats, Ints
from goofspiel.errors import SolveError
from goofspiel.games.exact import exact_ranges, solve_exactly, to_fraction
from goofspiel.games.highs import FEASIBILITY, linear_program, optimise
from goofspiel.games.payoffs import Payoffs, check_finite, take_matrix
from goofspiel.games.solution import KERNEL_SIZE, BatchSolution, Ranges, Solution, indifference

# A probability below this is none: no support of a basis has one.
NONE = 1e-12
# What may change by so many times too much has no bound that is of use.
NO_BOUND = 1e100
# Rounding of payoffs and of what is computed from them, as a share of the payoffs, in a game of up to 16 × 16.
ROUNDING = 1e-13
# Far beyond any scaled payoff.
NEVER_PLAYED = 16.0


def optimal_ranges(
    matrix: Payoffs, solution: Solution, *, error: float | None = None, surely_unique: bool | None = None
) -> Ranges:
    """The ranges of the row player's probabilities over all optimal mixes.

    Every payoff is within `error` of the true one, by default within rounding; 0 says that all are exact, which is of
    use in games of up to 16 × 16. `surely_unique` is what `is_surely_unique` says, if that is known.
    """
    matrix = take_matrix(matrix)
    check_finite(matrix, "")
    if matrix.shape != (len(solution.row_mix), len(solution.column_mix)):
        solved = f"{len(solution.row_mix)} × {len(solution.column_mix)}"
        raise ValueError(f"the solution is of a game of {solved}, not of {' × '.join(map(str, matrix.shape))}")
    if error is not None and not 0 <= error < float("inf"):
        raise ValueError(f"an error is a number from 0 on, not {error!r}")
    if len(matrix) == 1:
        return Ranges(np.ones(1), np.ones(1), unique=True)
    if is_surely_unique(matrix, solution, error or 0.0) if surely_unique is None else surely_unique:
        return Ranges(solution.row_mix, solution.row_mix, unique=True)
    scaled, power = _scaled(matrix[None])
    if error == 0 and max(matrix.shape) <= KERNEL_SIZE:
        return _exact_ranges(scaled[0], solution)
    value, gap, wrong = (float(np.ldexp(part, -power[0])) for part in (solution.value, solution.gap, error or 0.0))
    return _outer_ranges(scaled[0], solution, value - gap / 2 - 2 * (wrong + _rounding(matrix.shape)))


def is_surely_unique(matrix: Floats, solution: Solution, error: float) -> bool:
    """Whether a game has no other optimal mixes, for either player, however each payoff is changed by up to the error.

    Its supports stay optimal, every sign strict, for any such payoffs, the true ones among them.
    """
    mixes = solution.row_mix[None], solution.column_mix[None]
    alone = BatchSolution(np.array([solution.value]), *mixes, np.array([solution.gap]))
    return bool(are_surely_unique([(matrix[None], alone, np.array([error]))], matrix.shape)[0][0])


def are_surely_unique(stacks: Sequence[tuple[Floats, BatchSolution, Floats]], size: tuple[int, ...]) -> list[Flags]:
    """The same for stacks of games of up to this size, side by side.

    Small ones become as large as the others by rows and columns that nobody would ever play.
    """
    counts = [len(matrices) for matrices, _, _ in stacks]
    ends = np.cumsum(counts)
    padded, error = np.zeros((sum(counts), *size)), np.empty(sum(counts))
    rows, columns = (np.zeros((sum(counts), length)) for length in size)
    shapes = np.repeat([matrices.shape[1:] for matrices, _, _ in stacks], counts, axis=0)
    for end, (matrices, solution, wrong) in zip(ends.tolist(), stacks, strict=True):
        here, (height, width) = slice(end - len(matrices), end), matrices.shape[1:]
        padded[here, :height, :width], error[here] = matrices, wrong
        rows[here, :height], columns[here, :width] = solution.row_mix, solution.column_mix
    scaled, power = _scaled(padded)
    scaled[np.arange(size[0]) >= shapes[:, :1]] = -NEVER_PLAYED
    scaled.transpose(0, 2, 1)[np.arange(size[1]) >= shapes[:, 1:]] = NEVER_PLAYED
    error = np.ldexp(error, -power) + _rounding(size)
    idle = ~(rows > NONE), ~(columns > NONE)
    # The supports first, ascending, then what is idle.
    row, column = (np.argsort(side, axis=1, kind="stable") for side in idle)
    ordered = scaled[np.arange(len(scaled))[:, None, None], row[:, :, None], column[:, None, :]]
    support, of_columns = (np.count_nonzero(~side, axis=1) for side in idle)
    played = np.where(support == of_columns, support, 0)
    unique = np.zeros(len(ordered), dtype=np.bool_)
    for count in np.unique(played[played > 0]).tolist():
        some = np.flatnonzero(played == count)
        unique[some] = _stay_optimal(ordered[some], count, error[some])
    return np.split(unique, ends[:-1])


def _scaled(matrices: Floats) -> tuple[Floats, Ints]:
    """By a power of 2, which rounds nothing, the largest payoff comes to 1/2 … 1; and the powers."""
    power = np.frexp(np.abs(matrices).max(axis=(1, 2)))[1]
    return np.ldexp(matrices, -power[:, None, None]), power


def _rounding(shape: tuple[int, ...]) -> float:
    return ROUNDING * max(1.0, max(shape) / KERNEL_SIZE)


def _exact_ranges(matrix: Floats, solution: Solution) -> Ranges:
    """Of payoffs that are what they are: doubles are fractions. The mix that was found is rounded, and among them."""
    cells = [[Fraction(cell) for cell in row] for row in matrix.tolist()]
    found = exact_ranges(cells, solve_exactly(cells))
    least, greatest = (np.array([float(to_fraction(span[end])) for span in found]) for end in (0, 1))
    unique = all(low == high for low, high in found)
    return Ranges(np.minimum(least, solution.row_mix), np.maximum(greatest, solution.row_mix), unique)


def _stay_optimal(payoffs: Floats, size: int, error: Floats) -> Flags:
    """Whether the first rows and columns of games stay the supports, as above."""
    try:
        inverse = np.asarray(np.linalg.inv(indifference(payoffs[:, :size, :size])), dtype=np.float64)
    except np.linalg.LinAlgError:  # of one of them
        if len(payoffs) == 1:
            return np.zeros(1, dtype=np.bool_)
        return np.concatenate([_stay_optimal(payoffs[i : i + 1], size, error[i : i + 1]) for i in range(len(payoffs))])
    y, y_error, value, value_error = _support_mixes(inverse, error)
    # The other side's equations have the payoffs transposed: the inverse, too, but for the sign of the mix.
    x, x_error, _, _ = _support_mixes(inverse.transpose(0, 2, 1), error)
    x = -x
    # Changes of a mix sum to 0, so payoffs count from the value. NaN is not above anything.
    below, beside = (payoffs - value[:, None, None])[:, size:, :size], (payoffs - value[:, None, None])[:, :size, size:]
    margin = (value_error + error)[:, None]
    lost = -np.einsum("gij,gj->gi", below, y) - np.einsum("gij,gj->gi", np.abs(below), y_error)
    gained = np.einsum("gij,gi->gj", beside, x) - np.einsum("gij,gi->gj", np.abs(beside), x_error)
    strict = (y > y_error).all(axis=1) & (x > x_error).all(axis=1)
    stays: Flags = strict & (lost > margin).all(axis=1) & (gained > margin).all(axis=1)
    return stays


def _support_mixes(inverse: Floats, error: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The mixes that make all rows of square games worth the same, that worth, and how far both may be off.

    From the inverse of the equations.
    """
    size = inverse.shape[1] - 1
    moved = np.abs(inverse[:, :, :size]).sum(axis=2) * error[:, None]
    spread = size * moved[:, :size].max(axis=1)
    moved *= np.where(spread < 0.5, 1 / (1 - np.minimum(spread, 0.5)), NO_BOUND)[:, None]
    solved = inverse[:, :, size]
    return solved[:, :size], moved[:, :size], solved[:, size], moved[:, size]


def _outer_ranges(matrix: Floats, solution: Solution, least_worth: float) -> Ranges:
    """Limits of all mixes that may be optimal: each earns the value, but for what may be wrong, in every column."""
    count, width = matrix.shape
    rows = np.vstack([matrix.T, np.ones((1, count))])
    lower = np.append(np.full(width, least_worth - FEASIBILITY), 1.0 - FEASIBILITY)
    upper = np.append(np.full(width, np.inf), 1.0 + FEASIBILITY)
    highs = linear_program(np.zeros(count), rows, lower, upper, np.ones(count))
    ends = np.array([np.zeros(count), np.ones(count)])
    for row in range(count):
        for end, sign in zip(ends, (1.0, -1.0), strict=True):
            if solution.row_mix[row] != end[row]:  # which would be the end of all ranges
                highs.changeColCost(row, sign)  # the last basis is where the next search begins
                with suppress(SolveError):  # what is at the end of all ranges stays so
                    end[row] = optimise(highs)[0][row]
        highs.changeColCost(row, 0.0)
    least, greatest = ends.clip(0, 1)
    return Ranges(np.minimum(least, solution.row_mix), np.maximum(greatest, solution.row_mix), unique=None)
