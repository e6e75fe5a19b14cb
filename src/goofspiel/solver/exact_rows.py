"""Rows of a table in rationals: read or worked out one by one, and the games that make the next."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from flint import fmpq

from goofspiel.arrays import Numbers
from goofspiel.games.exact import exact_value, rational_cells
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver.endgame import endgame_of
from goofspiel.states.matchups import Successors
from goofspiel.states.space import Array, LevelSpace, Shown, level_space

MOST_KEPT = 1 << 16  # values


class ExactRows:
    """Stored values in rationals, from rows that a function gives: `[place · leads + lead]`, by level and number."""

    dtype = object

    def __init__(self, rules: Rules, row: Callable[[int, int], list[fmpq]]) -> None:
        self._rules, self._row = rules, row

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Array:
        """By level, row, column and lead."""
        found, space = np.empty(column.shape, dtype=object), level_space(self._rules, level)
        rows = np.broadcast_to(row.reshape(-1, *[1] * (column.ndim - 1)), column.shape)
        place = space.place_of(rows, column)
        for index in np.ndindex(column.shape):
            number = int(rows[index])
            reach = space.largest_lead(number)
            after = 0 if lead is None else int(lead[index])
            found[index] = self._row(level, number)[int(place[index]) * (2 * reach + 1) + reach + after]
        return found


class ExactEndgame:
    """Values of a level and of those below it in rationals: each is worked out when it is needed, and kept."""

    dtype = object

    def __init__(self, space: LevelSpace) -> None:
        self.space = space
        self._value = lru_cache(maxsize=MOST_KEPT)(self._work_out)

    @staticmethod
    def of(position: Position, rules: Rules) -> "ExactEndgame":
        """All that can follow a position, whatever its cards."""
        return ExactEndgame(endgame_of(position, rules))

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Array:
        """By level, row, column and lead."""
        found = np.empty(column.shape, dtype=object)
        for index in np.ndindex(column.shape):
            after = 0 if lead is None else int(lead[index])
            found[index] = self._value(level, int(row[index[0]]), int(column[index]), after)
        return found

    def _work_out(self, level: int, row: int, column: int, lead: int) -> fmpq:
        space = self.space.at(level)
        (value,) = mean_values(space, space.successors(np.array([column])), 0, row, np.array([lead]), stored=self)
        return value


def mean_values(
    space: LevelSpace,
    successors: Successors,
    which: int,
    row: int,
    leads: Numbers,
    *,
    stored: "ExactRows | ExactEndgame",
) -> list[fmpq]:
    """The values of a game of some successors in a row, for each lead: the mean over its upcards."""
    ((_, codes),) = successors.by_shape(np.array([which]))
    codes = np.broadcast_to(codes, (len(leads), *codes.shape[1:]))
    rounds = space.rounds(np.array([row]))
    totals = [fmpq(0)] * len(leads)
    for won, prize, pot, copies in np.stack([rounds.won, rounds.prize, rounds.pot, rounds.copies], axis=1).tolist():
        deck = np.full(len(leads), space.below.states.left[won])
        upcard, waiting = (np.full(len(leads), number, dtype=np.int32) for number in (prize, pot))
        payoffs = space.payoffs(codes, Shown(deck, waiting, upcard, leads.astype(np.int32)), stored)
        for index, matrix in enumerate(payoffs):
            totals[index] += copies * exact_value(rational_cells(matrix.tolist()))
    return [total / rounds.size for total in totals]
