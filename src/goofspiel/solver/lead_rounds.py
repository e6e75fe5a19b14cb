"""Rounds of games at every lead, handed to the kernel one by one."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goofspiel import _kernel
from goofspiel.arrays import Floats, Values
from goofspiel.states.matchups import Successors

Singles = NDArray[np.float32]


class LeadChildren(NamedTuple):
    """What a round leads to: values, [column][lead], and perhaps the probabilities of a draw."""

    values: Values  # in single precision, or whole numbers of a unit
    draws: Singles | None = None
    unit: float = 1.0


class LeadRounds:
    """Some matchups over many rounds: the memory that the kernel works in, and the bases it remembers in between."""

    def __init__(
        self,
        successors: Successors,
        some: tuple[int, int],
        lead: int,
        largest_prize: int,
        child_count: int,
        *,
        draws: bool = False,
        stop: NDArray[np.int32] | None = None,
        kernel: str = "",
    ) -> None:
        self._successors = successors
        self._some = some
        self._stop, self._kernel = stop, kernel
        reach = lead + largest_prize + _kernel.LANES - 1
        self._laid_out = np.empty((1 + draws) * child_count * (2 * reach + 1), dtype=np.uint32)
        groups = -(-(2 * lead + 1) // _kernel.NEIGHBOURS)
        self._basis_cache = np.zeros((some[1] - some[0]) * groups * _kernel.BASIS_CACHE, dtype=np.uint32)

    def solve(
        self,
        won: LeadChildren,
        prize: int,
        share: float,
        out: Floats,
        *,
        tied: LeadChildren | None = None,
        draws: Floats | None = None,
    ) -> tuple[int, float]:
        """Add a share of the values of one round to `out`: the games without a proof, and the largest gap.

        `tied` follows a tie, where that makes a difference. A share of the probabilities of a draw is added to `draws`.
        """
        failures, gap, _ = _kernel.solve_round(
            np.ascontiguousarray(won.values),
            prize,
            share,
            *self._successors,
            *self._some,
            out,
            self._laid_out,
            self._basis_cache,
            unit=won.unit,
            child_draws=won.draws,
            tied=None if tied is None else np.ascontiguousarray(tied.values),
            tied_draws=None if tied is None else tied.draws,
            draws=draws,
            stop=self._stop,
            kernel=self._kernel,
        )
        return failures, gap
