"""Exact values straight from the recursion, without a table: for positions with few cards, whatever their prizes."""

from functools import cache

import numpy as np
from flint import fmpq

from goofspiel.games.exact import exact_value
from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.solver.exact_cells import worth_at_the_end
from goofspiel.states.matchups import patterns_of
from goofspiel.tablebase.answer import interchangeable_groups


class Recursion:
    """The values of positions before their upcard, each worked out once."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._value = cache(self._work_out)

    def cells(self, position: Position) -> list[list[fmpq]]:
        """The payoffs of the distinct cards of both hands."""
        mine, _ = interchangeable_groups(position.mine, position.theirs)
        theirs, _ = interchangeable_groups(position.theirs, position.mine)
        return [[self.worth(position.play(my_group[0], group[0])) for group in theirs] for my_group in mine]

    def worth(self, position: Position) -> fmpq:
        """The value of a position before its upcard; for `points` the lead is added to that without one."""
        lead = position.lead
        if self._objective == Objective.WIN:
            left = sum(position.deck_cards)
            return worth_at_the_end(lead, self._objective) if abs(lead) > left else self._by_order(position)
        if not lead:
            return self._by_order(position)
        return self._by_order(Position.from_masks(position.mine, position.theirs, position.deck)) + lead

    def _by_order(self, position: Position) -> fmpq:
        """Only the order of the cards matters, and swapping the sides negates the value."""
        ordered = _close_up(position)
        swapped = ordered.swap()
        if (swapped.mine, swapped.theirs) < (ordered.mine, ordered.theirs):
            return -self._value(swapped)
        return self._value(ordered)

    def _work_out(self, position: Position) -> fmpq:
        upcards = position.deck_cards
        if not upcards:
            return worth_at_the_end(position.lead, self._objective)
        return sum((exact_value(self.cells(position.turn_up(card))) for card in upcards), fmpq(0)) / len(upcards)


def _close_up(position: Position) -> Position:
    """The same order of cards with the lowest cards there are."""
    hands = np.array([position.mine], dtype=np.uint16), np.array([position.theirs], dtype=np.uint16)
    mine, theirs = (int(word[0]) for word in patterns_of(*hands))
    return Position.from_masks(mine, theirs, position.deck, 0, position.lead)
