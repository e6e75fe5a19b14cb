"""Ask an exact table about positions; or none, where few cards are left."""

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from flint import fmpq

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch, cards_needed
from goofspiel.errors import ResourceError
from goofspiel.games.exact import exact_value, rational_cells, to_fraction, to_rational
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Objective, Rules
from goofspiel.solver.exact_rows import ExactEndgame, ExactRows
from goofspiel.states.space import Stored, level_space
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase.answer import Answer, ByCard, ChanceAnswer, make_answer
from goofspiel.tablebase.base import BaseTablebase, as_position, payoffs_at

MOST_ALONE = 5  # cards in a hand that are solved without a table: seconds


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
        batch, space = PositionBatch.of([position]), level_space(self.rules, position.level)
        column, sign = space.column_of(batch.mine, batch.theirs)
        return to_rational(space.worth(batch.deck, column, sign, batch.lead, self._rows)[0])

    def values(self, positions: Iterable[Position | str]) -> Floats:
        """The values of many positions, in their order, rounded to doubles."""
        return np.array([float(self.probe(position).value) for position in positions])

    def _payoff_error(self, position: Position) -> float:
        return 0.0

    def _value_bound(self, position: Position) -> Fraction:
        return Fraction(0)

    def _values_with_upcards(self, position: Position) -> list[Fraction]:
        return _values_with_upcards(position, self.rules, self._rows)


def _values_with_upcards(position: Position, rules: Rules, stored: Stored) -> list[Fraction]:
    shown = [
        exact_value(rational_cells(payoffs_at(position.turn_up(card), rules, stored).tolist()))
        for card in position.deck_cards
    ]
    value = sum(shown, fmpq(0)) / len(shown) if shown else fmpq(rules.at_the_end(position.lead))
    return [to_fraction(number) for number in (value, *shown)]


def _reopened(path: Any) -> ExactTablebase:
    return ExactTablebase(ExactTable.open(path))


def probe_alone(
    position: Position | str, *, objective: Objective | str = Objective.POINTS
) -> Answer[Fraction] | ChanceAnswer[Fraction]:
    """The exact answer at a position without any table: everything that can follow it is solved."""
    asked = as_position(position)
    if asked.level > MOST_ALONE:
        raise ResourceError(
            f"{str(asked)!r} has {asked.level} cards in a hand: "
            f"without a table, exact answers are for up to {MOST_ALONE}"
        )
    like = Rules(max(asked.level, 1), objective=Objective(objective))
    endgame, rules = ExactEndgame(like), like.with_cards(min(cards_needed(asked, like), MAX_CARDS))
    if asked.upcard:
        return make_answer(asked, rules, payoffs_at(asked, endgame.rules, endgame))
    value, *shown = _values_with_upcards(asked, endgame.rules, endgame)
    upcards = ByCard(dict(zip(asked.deck_cards, shown, strict=True)))
    return ChanceAnswer(asked, rules, value, upcards, Fraction(0))
