"""Solve matrix games of one shape in the native kernel."""

import numpy as np
from numpy.typing import NDArray

from goofspiel import _kernel
from goofspiel.arrays import Floats
from goofspiel.games.solution import Found, empty

NOTHING = np.empty(0, dtype=np.intp)


def kernels() -> list[str]:
    """The builds of the kernel that this CPU can run, best first."""
    return list(_kernel.kernels())


def solve_stack(matrices: Floats, found: Found, *, kernel: str = "") -> NDArray[np.intp]:
    """Solve games, `[game][row][column]`; which of them are left without a proof."""
    failures, _ = _kernel.solve_batch(matrices, *found, kernel=kernel)
    if not failures:
        return NOTHING
    # Perhaps only because their products are no doubles: by powers of 2, which round nothing, into the middle.
    failed = np.flatnonzero(np.isnan(found[0]))
    power = np.frexp(np.abs(matrices[failed]).max(axis=(1, 2)))[1]
    scaled = np.ldexp(matrices[failed], -power[:, None, None])
    value, *mixes, gap = again = empty((len(failed),), *matrices.shape[1:])
    _kernel.solve_batch(scaled, *again, kernel=kernel)
    for array, part in zip(found, (np.ldexp(value, power), *mixes, np.ldexp(gap, power)), strict=True):
        array[failed] = part
    return failed[np.isnan(value)]
