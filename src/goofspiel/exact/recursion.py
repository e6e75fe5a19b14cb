"""Exact values straight from the recursion, without a table: for positions with few cards, whatever their prizes."""

from functools import cache

from flint import fmpq

from goofspiel.answer import interchangeable_groups
from goofspiel.exact.cells import worth_at_the_end
from goofspiel.games.exact import exact_value
from goofspiel.position import Position
from goofspiel.rules import Objective


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
            return fmpq((lead > 0) - (lead < 0)) if abs(lead) > left else self._by_order(position)
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
    mine = theirs = 0
    place = 1
    held = position.mine | position.theirs
    while held:
        bit = held & -held
        mine |= place * bool(position.mine & bit)
        theirs |= place * bool(position.theirs & bit)
        held ^= bit
        place <<= 1
    return Position.from_masks(mine, theirs, position.deck, 0, position.lead)
