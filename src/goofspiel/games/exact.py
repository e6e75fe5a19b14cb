"""Solve matrix games in rational arithmetic: no floating-point number is trusted for the result.

The kernel proposes the supports of two mixes. The linear equations that they stand for are solved exactly, and exact
signs prove the result optimal. Where the proposal fails, as it may in degenerate games, an exact simplex decides.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from goofspiel.games.exact_program import Program
from goofspiel.games.fast import solve_stack
from goofspiel.games.solution import KERNEL_SIZE, empty

ExactNumber: TypeAlias = int | Rational | fmpq | np.integer[Any]  # to a type checker an int is no Rational
Cells = Sequence[Sequence[fmpq]]  # [row][column]

SUPPORT = 1e-9  # a probability above this is proposed for the support
PROOF_BITS = 128  # of the balls that prove signs, each a number with a rigorous bound on its error


@dataclass(frozen=True, slots=True)
class ExactSolution:
    """A solved game in rationals. The row player maximises."""

    value: fmpq
    """What the row player can be sure of, on average."""
    row_mix: tuple[fmpq, ...]
    """An optimal mix of the row player: the probability of each row."""
    column_mix: tuple[fmpq, ...]
    """An optimal mix of the column player: the probability of each column."""


@dataclass(frozen=True, slots=True)
class _Supports:
    rows: list[int]
    columns: list[int]


def solve_exactly(matrix: Iterable[Iterable[ExactNumber]]) -> ExactSolution:
    """Solve one game of integers and fractions, exactly.

    >>> solve_exactly([[1, -2, 3], [-4, 5, -6], [7, -8, 9]])
    ExactSolution(value=0, row_mix=(1/4, 1/2, 1/4), column_mix=(1/4, 1/2, 1/4))
    """
    cells = rational_cells(matrix)
    return _solve_from(cells, _propose(cells))


def exact_value(cells: Cells) -> fmpq:
    """The value alone: the signs are proved by balls where that is enough, which spares the exact mixes."""
    supports = _propose(cells)
    if supports and _is_proved(cells, supports):
        return _one_side(cells, supports)[-1]
    return _solve_from(cells, supports).value


def _solve_from(cells: Cells, supports: _Supports | None) -> ExactSolution:
    """What the supports stand for, if exact signs prove it optimal; or else what the simplex finds."""
    found = _solve_supports(cells, supports) if supports else None
    return found if found and _is_optimal(cells, found) else _solve_by_simplex(cells)


def exact_ranges(matrix: Iterable[Iterable[ExactNumber]], solution: ExactSolution) -> list[tuple[fmpq, fmpq]]:
    """The least and greatest probability of each row over all optimal mixes of the row player."""
    cells = rational_cells(matrix)
    rows = [i for i, p in enumerate(solution.row_mix) if p]
    columns = [j for j, p in enumerate(solution.column_mix) if p]
    if len(rows) == len(columns) and _is_proved(cells, _Supports(rows, columns)):
        return [(p, p) for p in solution.row_mix]  # all signs are strict: there is no other
    # Mixes x with Σ x ≤ 1, −Σ x ≤ −1 and, in each column, −x·A ≤ −value; of rows that are no best reply to the other
    # player's mix, no optimal mix has any.
    replies = [i for i, row in enumerate(cells) if _earned(row, solution.column_mix) == solution.value]
    count = len(replies)
    limits = [[fmpq(1)] * count, [fmpq(-1)] * count]
    limits += [[-cells[i][j] for i in replies] for j in range(len(cells[0]))]
    program = Program(limits, [fmpq(1), fmpq(-1)] + [-solution.value] * len(cells[0]))
    ranges = [(fmpq(0), fmpq(0))] * len(cells)
    for place, i in enumerate(replies):
        unit = [fmpq(int(place == other)) for other in range(count)]
        greatest = program.maximise(unit).value
        least = -program.maximise([-u for u in unit]).value if solution.row_mix[i] else fmpq(0)
        ranges[i] = least, greatest
    return ranges


def rational_cells(matrix: Iterable[Iterable[ExactNumber]]) -> list[list[fmpq]]:
    """The payoffs as rationals, or a ValueError that says what is wrong with them."""
    cells = [[to_rational(cell) for cell in row] for row in matrix]
    width = len(cells[0]) if cells else 0
    if odd := [len(row) for row in cells if len(row) != width]:
        raise ValueError(f"a payoff matrix needs rows of equal length, not of {width} and {odd[0]}")
    if not (1 <= len(cells) <= KERNEL_SIZE and 1 <= width <= KERNEL_SIZE):
        raise ValueError(f"a game has 1 to {KERNEL_SIZE} rows and columns, not {len(cells)} × {width}")
    return cells


def to_rational(number: ExactNumber) -> fmpq:
    """An integer or a fraction as a rational of FLINT."""
    if isinstance(number, fmpq):
        return number
    if isinstance(number, (Rational, np.integer)):
        return fmpq(int(number.numerator), int(number.denominator))
    raise ValueError(f"an exact payoff is an integer or a fraction, not {number!r}")


def to_fraction(number: fmpq) -> Fraction:
    """The same number for the standard library, without its slow search for common factors: there are none."""
    coprime: Any = _Coprime(int(number.p), int(number.q))
    fraction: Fraction = Fraction(coprime)
    return fraction


@Rational.register
@dataclass(frozen=True, slots=True)
class _Coprime:
    """What `Fraction` takes as it is."""

    numerator: int
    denominator: int


def _propose(cells: Cells) -> _Supports | None:
    """The supports of the mixes that the kernel finds in doubles, if they can be those of a basis."""
    largest = max(abs(cell) for row in cells for cell in row)
    scale = arb(largest or fmpq(1))
    matrix = np.array([[[float((arb(cell) / scale).mid()) for cell in row] for row in cells]])
    _, row_mix, column_mix, _ = found = empty((1,), *matrix.shape[1:])
    if len(solve_stack(matrix, found)):
        return None
    rows = np.flatnonzero(row_mix[0] > SUPPORT).tolist()
    columns = np.flatnonzero(column_mix[0] > SUPPORT).tolist()
    return _Supports(rows, columns) if len(rows) == len(columns) else None


def _system(cells: Sequence[Sequence[Any]], supports: _Supports) -> list[list[Any]]:
    """The equations of the column player's mix: every row of the support earns the value, and Σ = 1."""
    equations = [[*(cells[i][j] for j in supports.columns), -1] for i in supports.rows]
    return [*equations, [*[1] * len(supports.columns), 0]]


def _one_side(cells: Cells, supports: _Supports) -> list[fmpq]:
    """The column player's probabilities on the support, then the value."""
    size = len(supports.rows)
    solved = fmpq_mat(_system(cells, supports)).solve(fmpq_mat(size + 1, 1, [0] * size + [1]))
    return [solved[q, 0] for q in range(size + 1)]


def _transposed(cells: Cells) -> Cells:
    return list(zip(*cells, strict=True))


def _solve_supports(cells: Cells, supports: _Supports) -> ExactSolution | None:
    """Both mixes of a pair of supports; None when their equations have no single solution."""
    try:
        *column_part, value = _one_side(cells, supports)
        *row_part, _ = _one_side(_transposed(cells), _Supports(supports.columns, supports.rows))
    except ZeroDivisionError:
        return None
    row_mix, column_mix = [fmpq(0)] * len(cells), [fmpq(0)] * len(cells[0])
    for i, p in zip(supports.rows, row_part, strict=True):
        row_mix[i] = p
    for j, p in zip(supports.columns, column_part, strict=True):
        column_mix[j] = p
    return ExactSolution(value, tuple(row_mix), tuple(column_mix))


def _is_optimal(cells: Cells, found: ExactSolution) -> bool:
    """Exact signs: both mixes are mixes, and neither side has a better reply."""
    if min(found.row_mix) < 0 or min(found.column_mix) < 0:
        return False
    return all(_earned(row, found.column_mix) <= found.value for row in cells) and all(
        _earned(column, found.row_mix) >= found.value for column in _transposed(cells)
    )


def _earned(payoffs: Sequence[fmpq], mix: Sequence[fmpq]) -> fmpq:
    return sum((payoff * p for payoff, p in zip(payoffs, mix, strict=True) if p), fmpq(0))


def _is_proved(cells: Cells, supports: _Supports) -> bool:
    """Whether balls prove the supports optimal, every sign strict; then there are no other optimal mixes."""
    with ctx.workprec(PROOF_BITS):
        balls = [[arb(cell) for cell in row] for row in cells]
        try:
            y, value = _in_balls(balls, supports)
            x, _ = _in_balls(list(zip(*balls, strict=True)), _Supports(supports.columns, supports.rows))
        except ZeroDivisionError:
            return False
        if not all(p > 0 for p in (*x, *y)):
            return False
        idle_rows = set(range(len(cells))) - set(supports.rows)
        idle_columns = set(range(len(cells[0]))) - set(supports.columns)
        return all(
            sum(balls[i][j] * p for j, p in zip(supports.columns, y, strict=True)) < value for i in idle_rows
        ) and all(sum(balls[i][j] * p for i, p in zip(supports.rows, x, strict=True)) > value for j in idle_columns)


def _in_balls(balls: Sequence[Sequence[arb]], supports: _Supports) -> tuple[list[arb], arb]:
    """One side's probabilities on the support, and the value."""
    size = len(supports.rows)
    solved = arb_mat(_system(balls, supports)).solve(arb_mat(size + 1, 1, [0] * size + [1]))
    return [solved[q, 0] for q in range(size)], solved[size, 0]


def _solve_by_simplex(cells: Cells) -> ExactSolution:
    """With all payoffs above 0: the greatest Σ z such that A z ≤ 1 is 1 / value, z / Σ z the column player's mix."""
    lift = 1 - min(cell for row in cells for cell in row)
    raised = [[cell + lift for cell in row] for row in cells]
    found = Program(raised, [fmpq(1)] * len(raised)).maximise([fmpq(1)] * len(raised[0]))
    value = 1 / found.value
    return ExactSolution(value - lift, tuple(p * value for p in found.prices), tuple(p * value for p in found.solution))
