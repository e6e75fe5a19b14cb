"""Solve matrix games in the native kernel."""

import numpy as np
from numpy.typing import ArrayLike

from goofspiel import _kernel
from goofspiel.errors import SolveError
from goofspiel.games.solution import BatchSolution, Solution, check_matrices


def kernels() -> list[str]:
    """The builds of the kernel that this CPU can run, best first."""
    return list(_kernel.kernels())


def solve(matrix: ArrayLike) -> Solution:
    """Solve one game, given as its payoff matrix: rows are the maximiser's choices.

    >>> solve([[1, -2, 3], [-4, 5, -6], [7, -8, 9]]).row_mix
    array([0.25, 0.5 , 0.25])
    """
    batch = solve_batch(check_matrices(matrix, ndim=2)[None])
    return Solution(float(batch.value[0]), batch.row_mix[0], batch.column_mix[0], float(batch.gap[0]))


def solve_batch(matrices: ArrayLike, *, independent: bool = False, kernel: str = "") -> BatchSolution:
    """Solve games of one shape, `[game][row][column]`.

    Games that are alike are solved faster together, but where several mixes are optimal, which of them is found then
    depends on the company; `independent` looks at each game by itself. `kernel` names a build other than the best.
    """
    array = check_matrices(matrices, ndim=3)
    count, rows, columns = array.shape
    value, gap = np.empty(count), np.empty(count)
    row_mix, column_mix = np.empty((count, rows)), np.empty((count, columns))
    failures, _ = _kernel.solve_batch(array, value, row_mix, column_mix, gap, independent=independent, kernel=kernel)
    if failures:
        # Perhaps only because their products are no doubles: by powers of 2, which round nothing, into the middle.
        power = np.frexp(np.abs(array).max(axis=(1, 2)))[1]
        scaled = np.ldexp(array, -power[:, None, None])
        failures, _ = _kernel.solve_batch(
            scaled, value, row_mix, column_mix, gap, independent=independent, kernel=kernel
        )
        value, gap = np.ldexp(value, power), np.ldexp(gap, power)
    if failures:
        worst = array[np.isnan(value)][0].tolist()
        raise SolveError(f"{failures} of {count} games have no answer that proves itself optimal, the first is {worst}")
    return BatchSolution(value, row_mix, column_mix, gap)
