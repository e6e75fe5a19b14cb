"""Positions side by side: the fields of many positions as arrays, and what a table must hold to answer them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Ints
from goofspiel.errors import MissingTableError
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Rules
from goofspiel.states import prize_sets
from goofspiel.states.subsets import Masks


@dataclass(frozen=True, slots=True, eq=False)
class PositionBatch:
    """The fields of `Position`, one element a position."""

    mine: Masks
    theirs: Masks
    deck: Masks
    upcard: Ints
    lead: Ints

    @staticmethod
    def of(positions: Sequence[Position]) -> "PositionBatch":
        """The positions, in their order."""
        fields = [(p.mine, p.theirs, p.deck, p.upcard, p.lead) for p in positions]
        mine, theirs, deck, upcard, lead = np.array(fields, dtype=np.int32).reshape(-1, 5).T
        masks = mine.astype(np.uint16), theirs.astype(np.uint16), deck.astype(np.uint16)
        return PositionBatch(*masks, upcard, lead)

    def __getitem__(self, some: NDArray[np.intp]) -> "PositionBatch":
        return PositionBatch(self.mine[some], self.theirs[some], self.deck[some], self.upcard[some], self.lead[some])

    def __len__(self) -> int:
        return len(self.mine)

    @staticmethod
    def start(count: int, cards: int) -> "PositionBatch":
        """The opening of a game, so many times, the upcard still to be drawn."""
        everything = np.full(count, (1 << cards) - 1, dtype=np.uint16)
        nothing = np.zeros(count, dtype=np.int32)
        return PositionBatch(everything, everything, everything, nothing, nothing)

    def turn_up(self, upcard: Ints) -> "PositionBatch":
        """The positions after these cards of their decks are turned up."""
        return PositionBatch(self.mine, self.theirs, self.deck ^ _bit(upcard), upcard, self.lead)

    def play(self, mine: Ints, theirs: Ints) -> "PositionBatch":
        """The positions after these bids, the next upcards still to be drawn."""
        lead = self.lead + np.sign(mine - theirs) * self.upcard
        hands = self.mine ^ _bit(mine), self.theirs ^ _bit(theirs)
        return PositionBatch(*hands, self.deck, np.zeros_like(self.upcard), lead)

    def swap(self) -> "PositionBatch":
        """The same positions as the other player sees them."""
        return PositionBatch(self.theirs, self.mine, self.deck, self.upcard, -self.lead)

    def position(self, which: int) -> Position:
        """One of the positions."""
        fields = (self.mine, self.theirs, self.deck, self.upcard, self.lead)
        return Position.from_masks(*(int(field[which]) for field in fields), check=False)

    @property
    def level(self) -> NDArray[np.uint8]:
        """The cards of each hand."""
        return np.bitwise_count(self.mine)

    def cards_needed(self, rules: Rules) -> NDArray[np.int64]:
        """The least number of cards of a table that holds each: its prizes, the order of its hands, its lead."""
        highest_prize = np.maximum(np.frexp(self.deck.astype(np.float64))[1], self.upcard)
        held = np.bitwise_count(self.mine | self.theirs)
        needed: NDArray[np.int64] = np.maximum(np.maximum(highest_prize, held), 1).astype(np.int64)
        if rules.has_leads:
            # The lead was won with prizes that are gone; when it is larger than those that are left, it is decided.
            left = prize_sets.totals(self.deck) + self.upcard
            reached = np.where(rules.is_decided(self.lead, left), 0, left + np.abs(self.lead))
            needed = np.maximum(needed, np.searchsorted(prize_sets.total(np.arange(MAX_CARDS + 1)), reached))
        return needed


def _bit(card: Ints) -> Masks:
    return np.uint16(1) << (card - 1).astype(np.uint16)


def cards_needed(position: Position, rules: Rules) -> int:
    """The least number of cards of a table of such rules that holds the position."""
    return int(PositionBatch.of([position]).cards_needed(rules)[0])


def no_such_game(position: Position) -> MissingTableError:
    """What is wrong with a position that needs more cards than there are."""
    return MissingTableError(f"{str(position)!r}: no game of up to {MAX_CARDS} cards comes to such a lead")
