"""Linear programs in rationals: the simplex method with Bland's rule, which never cycles."""

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq

from goofspiel.errors import SolveError


@dataclass(frozen=True, slots=True)
class Optimum:
    """The greatest value of a program, where it is reached, and what each limit would be worth to loosen."""

    value: fmpq
    solution: list[fmpq]
    prices: list[fmpq]


class Program:
    """All z ≥ 0 such that limits · z ≤ bounds: where the last search ended, the next begins.

    Equations basic = right − Σ row · nonbasic. Variables are the z, then a slack for each limit, then a helper.
    """

    def __init__(self, limits: Sequence[Sequence[fmpq]], bounds: Sequence[fmpq]) -> None:
        self._count = len(limits[0])
        self._limits = len(limits)
        self._nonbasic = list(range(self._count))
        self._basic = list(range(self._count, self._count + self._limits))
        self._rows = [list(row) for row in limits]
        self._right = list(bounds)
        self._gains = [fmpq(0)] * self._count
        self._value = fmpq(0)
        self._make_feasible()

    def maximise(self, gains: Sequence[fmpq]) -> Optimum:
        """The greatest gains · z."""
        self._set_gains(gains)
        self._optimise()
        return self._optimum()

    def _make_feasible(self) -> None:
        """Bring all right-hand sides to 0 or above, with a helper that is taken away as far as possible."""
        worst = min(range(self._limits), key=lambda i: self._right[i])
        if self._right[worst] >= 0:
            return
        helper = self._count + self._limits
        self._nonbasic.append(helper)
        for row in self._rows:
            row.append(fmpq(-1))
        self._gains = [fmpq(0)] * self._count + [fmpq(-1)]
        self._pivot(worst, self._count)
        self._optimise()
        if self._value != 0:
            raise SolveError("the linear program has no solution")
        if helper in self._basic:
            place = self._basic.index(helper)
            self._pivot(place, next(j for j, cell in enumerate(self._rows[place]) if cell))
        column = self._nonbasic.index(helper)
        del self._nonbasic[column]
        for cells in self._rows:
            del cells[column]

    def _set_gains(self, gains: Sequence[fmpq]) -> None:
        """What is maximised, in terms of the variables that are nonbasic now."""
        self._gains = [gains[v] if v < self._count else fmpq(0) for v in self._nonbasic]
        self._value = fmpq(0)
        for variable, row, right in zip(self._basic, self._rows, self._right, strict=True):
            if variable < self._count and gains[variable]:
                self._value += gains[variable] * right
                self._gains = [g - gains[variable] * cell for g, cell in zip(self._gains, row, strict=True)]

    def _optimise(self) -> None:
        """Pivot until nothing gains. Of all choices the variable with the lowest number: nothing is met twice."""
        while True:
            gaining = [j for j, gain in enumerate(self._gains) if gain > 0]
            if not gaining:
                return
            column = min(gaining, key=lambda j: self._nonbasic[j])
            limiting = [i for i, row in enumerate(self._rows) if row[column] > 0]
            if not limiting:
                raise SolveError("the linear program has no greatest value")
            self._pivot(min(limiting, key=lambda i: (self._right[i] / self._rows[i][column], self._basic[i])), column)

    def _pivot(self, r: int, c: int) -> None:
        pivot = self._rows[r][c]
        row = [cell / pivot for cell in self._rows[r]]
        row[c] = 1 / pivot
        right = self._right[r] / pivot
        for i, other in enumerate(self._rows):
            factor = other[c]
            if i != r and factor:
                self._rows[i] = [cell - factor * p for cell, p in zip(other, row, strict=True)]
                self._rows[i][c] = -factor * row[c]
                self._right[i] -= factor * right
        gain = self._gains[c]
        self._gains = [g - gain * p for g, p in zip(self._gains, row, strict=True)]
        self._gains[c] = -gain * row[c]
        self._value += gain * right
        self._rows[r], self._right[r] = row, right
        self._basic[r], self._nonbasic[c] = self._nonbasic[c], self._basic[r]

    def _optimum(self) -> Optimum:
        solution, prices = [fmpq(0)] * self._count, [fmpq(0)] * self._limits
        for variable, right in zip(self._basic, self._right, strict=True):
            if variable < self._count:
                solution[variable] = right
        for variable, gain in zip(self._nonbasic, self._gains, strict=True):
            if variable >= self._count:
                prices[variable - self._count] = -gain
        return Optimum(self._value, solution, prices)
