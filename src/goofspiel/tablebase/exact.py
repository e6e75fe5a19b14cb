"""Ask an exact table about positions."""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import fmpq

from goofspiel.arrays import Floats
from goofspiel.batch import batch_of
from goofspiel.games.exact import exact_value, rational_cells, to_fraction, to_rational
from goofspiel.position import Position
from goofspiel.solver.exact_rows import ExactRows
from goofspiel.states.space import LevelSpace, Stored, level_space
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase.base import BaseTablebase, check_many, mean_of, next_upcards, payoffs_at


class ExactTablebase(BaseTablebase[Fraction]):
    """A solved exact table: `probe` gives answers in fractions."""

    exact = True

    def __init__(self, table: ExactTable) -> None:
        super().__init__(table.path, table.rules)
        self._table = table
        self.row = lru_cache(maxsize=256)(table.read)  # the values of a prize set: (level, number)
        self._rows = ExactRows(table.rules, self.row)

    def __reduce__(self) -> Any:
        return _reopened, (self.path,)

    def close(self) -> None:
        """Let go of what was read."""
        self.row.cache_clear()

    @property
    def _stored(self) -> Stored:
        return self._rows

    def stored(self, position: Position) -> fmpq:
        """What is kept of a position before its upcard: nothing is solved."""
        space = level_space(self.rules, position.level)
        batch = batch_of([position], space)
        column, sign = space.column_of(batch.mine, batch.theirs)
        row = space.row_of(batch.deck, batch.pot)
        return to_rational(space.worth(row, column, sign, batch.lead, self._rows)[0])

    def values(self, positions: Iterable[Position | str]) -> Floats:
        """The values of many positions, in their order, rounded to doubles."""
        return np.array([float(self.probe(position).value) for position in check_many(positions)])

    def _payoff_error(self, position: Position) -> float:
        return 0.0

    def _value_bound(self, position: Position) -> Fraction:
        return Fraction(0)

    def _values_with_upcards(self, position: Position) -> list[Fraction]:
        return exact_values(position, level_space(self.rules, position.level), self._rows)


def exact_values(position: Position, space: LevelSpace, stored: Stored) -> list[Fraction]:
    """The value of a position before its upcard, and once each prize that may come is turned up."""
    upcards = next_upcards(position, space.rules)
    shown = [
        exact_value(rational_cells(payoffs_at(position.turn_up(card), space, stored).tolist())) for card in upcards
    ]
    value = mean_of(position, upcards, shown) if shown else fmpq(space.rules.at_the_end(position.lead))
    return [to_fraction(number) for number in (value, *shown)]


def _reopened(path: Any) -> ExactTablebase:
    return ExactTablebase(ExactTable.open(path))
