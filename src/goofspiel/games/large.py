"""Solve games that are too large for the kernel, or too ill: its method in NumPy, of any size and with more digits."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.errors import ProofError
from goofspiel.games.solution import ACCEPTED_GAP, KERNEL_SIZE, Solution, gap_of, indifference

Basis: TypeAlias = tuple[list[int], list[int]]  # rows and columns of the supports

# The gap that ends the search, as a share of the largest payoff, in a game of up to 16 × 16.
GOOD_GAP = 1e-13
# The longest kind of number; with MSVC and on Apple's ARM it has no more digits than a double.
LONG: type[np.floating[Any]] = np.longdouble
# What may be a pivot, and what is 0, as shares of the spread of the payoffs, in doubles and with more digits.
TOLERANCES, LONG_TOLERANCES = (1e-9, 1e-13), (1e-13, 1e-17)
# Payoffs as they are; then rounded to so many bits below the largest: less than the gap that is accepted at last.
ATTEMPTS = ((False, None), (True, None), (True, 44), (True, 38), (True, 33))  # with more digits or not
GOLDEN = (5**0.5 - 1) / 2


def solve_large(matrix: Floats, name: str = "the game") -> Solution:
    """Solve a game of finite doubles, or raise a ProofError that calls it by its name."""
    power = int(np.frexp(np.abs(matrix).max())[1])
    payoffs = np.ldexp(matrix, -power)  # powers of 2 round nothing; the largest payoff is then 1/2 … 1
    good = GOOD_GAP * max(1.0, max(payoffs.shape) / KERNEL_SIZE)
    best: tuple[float, Floats, Floats] | None = None
    for is_long, bits in ATTEMPTS:
        rounded = payoffs if bits is None else np.ldexp(np.rint(np.ldexp(payoffs, bits)), -bits)
        basis = _find_basis(rounded, LONG if is_long else np.float64)
        mixes = _mixes_of(rounded, basis) if basis else None
        if mixes is None:
            continue
        gap = max(gap_of(payoffs, *mixes), 0.0)
        if best is None or gap < best[0]:
            best = gap, *mixes
        if gap <= good:
            break
    if best is None or not best[0] <= ACCEPTED_GAP * np.abs(payoffs).max():
        raise ProofError(f"{name} of {len(matrix)} × {matrix.shape[1]} has no answer that proves itself optimal")
    gap, row_mix, column_mix = best
    value = ((payoffs @ column_mix).max() + (row_mix @ payoffs).min()) / 2
    return Solution(float(np.ldexp(value, power)), row_mix, column_mix, float(np.ldexp(gap, power)))


def _find_basis(payoffs: Floats, real: type[np.floating[Any]]) -> Basis | None:
    """The parametric self-dual simplex method of `native/pivot.hpp`; None when rounding has led astray."""
    count, width = payoffs.shape
    tableau, basic, nonbasic = _first_tableau(payoffs, real)
    buffer = np.empty_like(tableau)
    can_pivot, is_zero = LONG_TOLERANCES if np.finfo(real).eps < 1e-18 else TOLERANCES
    b, p = tableau[:count, width], tableau[:count, width + 1]
    c, q = tableau[count, :width], tableau[count + 1, :width]
    for _ in range(50 + 10 * (count + width)):
        row_mu = np.divide(-b, p, out=np.zeros_like(b), where=p > can_pivot)
        column_mu = np.divide(-c, q, out=np.zeros_like(c), where=q > can_pivot)
        row, column = int(row_mu.argmax()), int(column_mu.argmax())
        mu = max(row_mu[row], column_mu[column])
        if mu <= is_zero:
            rows = np.sort(nonbasic[nonbasic >= width] - width)
            return rows.tolist(), np.sort(basic[basic < width]).tolist()
        if row_mu[row] >= column_mu[column]:
            able = np.flatnonzero(tableau[row, :width] < -can_pivot)
            ratios = (c + mu * q)[able] / -tableau[row, able]
            column = int(able[ratios.argmin()]) if len(able) else -1
        else:
            able = np.flatnonzero(tableau[:count, column] > can_pivot)
            ratios = (b + mu * p)[able] / tableau[able, column]
            row = int(able[ratios.argmin()]) if len(able) else -1
        if row < 0 or column < 0:
            return None
        _pivot(tableau, row, column, buffer)
        basic[row], nonbasic[column] = nonbasic[column], basic[row]
    return None


def _first_tableau(
    payoffs: Floats, real: type[np.floating[Any]]
) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """That of the choices of the best guaranteed payoffs, and which variables are basic and nonbasic in it.

    Rows: the basic variables, then c, then q. Columns: the nonbasic variables, then b, then p. Mixes y come first, then
    slacks.
    """
    count, width = payoffs.shape
    cells = payoffs.astype(real)
    spread = cells.max() - cells.min()
    cells /= spread if spread > 0 else 1
    first, last = int(cells.min(axis=1).argmax()), int(cells.max(axis=0).argmin())
    lost, gained = cells[:, last] - cells[first, last], cells[first] - cells[first, last]
    tableau = np.zeros((count + 2, width + 2), dtype=real)
    tableau[:count, :width] = cells - gained - cells[first, last] - lost[:, None]
    tableau[:count, last] = -1
    tableau[:count, width] = -lost
    tableau[first, :width] = 1
    tableau[first, last] = 0
    tableau[first, width] = 1
    tableau[count, :width] = gained
    tableau[count, last] = 1
    # Unequal numbers between 1 and 2: nothing ties.
    direction = 1 + np.arange(1, count + width + 1) * GOLDEN % 1
    tableau[:count, width + 1], tableau[count + 1, :width] = direction[:count], direction[count:]
    basic, nonbasic = np.arange(width, width + count), np.arange(width)
    basic[first], nonbasic[last] = last, width + first
    return tableau, basic, nonbasic


def _pivot(tableau: NDArray[Any], row: int, column: int, buffer: NDArray[Any]) -> None:
    inverse = 1 / tableau[row, column]
    factors = tableau[:, column].copy()
    factors[row] = 0
    tableau[:, column] = 0
    tableau[row] *= inverse
    tableau[row, column] = inverse
    np.multiply(factors[:, None], tableau[row], out=buffer)
    tableau -= buffer


def _mixes_of(payoffs: Floats, basis: Basis) -> tuple[Floats, Floats] | None:
    """Both mixes of a basis; None when its equations have no single solution."""
    rows, columns = basis
    square = payoffs[np.ix_(rows, columns)]
    row_mix, column_mix = np.zeros(len(payoffs)), np.zeros(payoffs.shape[1])
    try:
        column_mix[columns] = _make_indifferent(square)
        row_mix[rows] = _make_indifferent(square.T)
    except np.linalg.LinAlgError:
        return None
    return row_mix, column_mix


def _make_indifferent(payoffs: Floats) -> Floats:
    """The column mix that makes all rows worth the same; what is left over is computed with more digits."""
    system = indifference(payoffs)
    careful = system.astype(LONG)
    right = np.append(np.zeros(len(payoffs)), 1.0)
    found = np.linalg.solve(system, right).astype(LONG)
    for _ in range(2):
        found += np.linalg.solve(system, (right - careful @ found).astype(np.float64))
    mix: Floats = np.maximum(found[:-1], 0).astype(np.float64)
    total = float(mix.sum())
    if not 0 < total < np.inf:
        raise np.linalg.LinAlgError
    return mix / total
