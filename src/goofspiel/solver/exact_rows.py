"""Rows of a table in rationals: read or worked out one by one, and the games that make the next."""

from collections.abc import Callable
from functools import cache

import numpy as np
from flint import fmpq

from goofspiel.arrays import Numbers
from goofspiel.games.exact import exact_value, rational_cells
from goofspiel.rules import MAX_CARDS, Rules
from goofspiel.states.matchups import Successors
from goofspiel.states.space import Array, LevelSpace, level_space


class ExactRows:
    """Stored values in rationals, from rows that a function gives: `[column · leads + lead]`, by level and number."""

    dtype = object

    def __init__(self, rules: Rules, row: Callable[[int, int], list[fmpq]]) -> None:
        self._rules, self._row = rules, row

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Array:
        """By level, number of a prize set, column and lead."""
        found = np.empty(column.shape, dtype=object)
        for index in np.ndindex(column.shape):
            number = int(row[index[0]])
            reach = level_space(self._rules, level).largest_lead(number)
            after = 0 if lead is None else int(lead[index])
            found[index] = self._row(level, number)[int(column[index]) * (2 * reach + 1) + reach + after]
        return found


class ExactEndgame:
    """All that can follow a position in rationals, whatever its cards: each value is worked out when it is needed."""

    dtype = object

    def __init__(self, rules: Rules) -> None:
        self.rules = rules.with_cards(MAX_CARDS)
        self._value = cache(self._work_out)

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Array:
        """By level, number of a prize set, column and lead."""
        found = np.empty(column.shape, dtype=object)
        for index in np.ndindex(column.shape):
            after = 0 if lead is None else int(lead[index])
            found[index] = self._value(level, int(row[index[0]]), int(column[index]), after)
        return found

    def _work_out(self, level: int, row: int, column: int, lead: int) -> fmpq:
        space = level_space(self.rules, level)
        (value,) = mean_values(space, space.successors(np.array([column])), 0, row, np.array([lead]), stored=self)
        return value


def mean_values(
    space: LevelSpace,
    successors: Successors,
    which: int,
    prize_set: int,
    leads: Numbers,
    *,
    stored: "ExactRows | ExactEndgame",
) -> list[fmpq]:
    """The values of a game of some successors at a numbered prize set, for each lead: the mean over its upcards."""
    ((_, codes),) = successors.by_shape(np.array([which]))
    codes = np.broadcast_to(codes, (len(leads), *codes.shape[1:]))
    rounds = space.rounds(space.sets[prize_set : prize_set + 1])
    totals = [fmpq(0)] * len(leads)
    for child, prize in zip(rounds.child.tolist(), rounds.prize.tolist(), strict=True):
        deck = np.full(len(leads), space.below.sets[child])
        upcard = np.full(len(leads), int(prize), dtype=np.int32)
        payoffs = space.payoffs(codes, deck, upcard, leads.astype(np.int32), stored)
        for index, matrix in enumerate(payoffs):
            totals[index] += exact_value(rational_cells(matrix.tolist()))
    return [total / space.level for total in totals]
