"""Positions: what is on the table and in the hands, and the moves between them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

from goofspiel.cards import MAX_CARDS, cards_of, mask_of, prize_name
from goofspiel.errors import PositionError, RulesError, whole
from goofspiel.notation import (
    BITS,
    DECK,
    HANDS,
    LARGEST_LEAD,
    Prizes,
    arranged,
    check_fields,
    check_range,
    named,
    opening,
    read,
    without,
    write,
)
from goofspiel.rules import Rules


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Position:
    """My hand, their hand, the deck, the upcard, my lead and the pot. Hands are masks: bit (card − 1) is set.

    `Position("24/A3/Q K")` reads the notation, `Position.of` takes cards, `Position.from_masks` takes masks. Without
    rules a position is one of the usual game, a pot apart.
    """

    mine: int
    """My hand."""
    theirs: int
    """Their hand."""
    deck: Prizes
    """The prizes not yet turned up: ascending, or, when their order is known, as they come."""
    upcard: int
    """The prize to bid for; 0: still to be drawn."""
    lead: int
    """My points − their points."""
    pot: int
    """What the next round that is not tied takes besides, where ties are carried over."""

    def __init__(self, notation: str, rules: Rules | None = None) -> None:
        if not isinstance(notation, str):
            raise TypeError(f"position notation must be a str, not {type(notation).__name__}")
        mine, theirs, deck, upcard, lead, pot = read(notation, rules)
        _set_mine(self, mine)
        _set_theirs(self, theirs)
        _set_deck(self, deck)
        _set_upcard(self, upcard)
        _set_lead(self, lead)
        _set_pot(self, pot)

    @staticmethod
    def from_masks(
        mine: int,
        theirs: int,
        deck: int,
        upcard: int = 0,
        lead: int = 0,
        *,
        pot: int = 0,
        check: bool = True,
    ) -> "Position":
        """The position with these masks; without `check` the caller vouches that it is legal."""
        if check:
            masks = tuple(whole(mask, "a mask") for mask in (mine, theirs, deck))
            for name, mask in zip((*HANDS, DECK), masks, strict=True):
                if not 0 <= mask < 1 << MAX_CARDS:
                    raise PositionError(f"mask of {name} must be 0 to {(1 << MAX_CARDS) - 1}, not {mask}")
            fields = (masks[0], masks[1], cards_of(masks[2]), *_numbers(upcard, lead, pot))
            check_range(fields)
            check_fields(fields)
            return _filled(*fields)
        return _filled(mine, theirs, cards_of(deck), upcard, lead, pot)

    @staticmethod
    def of(
        mine: Iterable[int],
        theirs: Iterable[int],
        deck: Iterable[int],
        upcard: int | None = None,
        *,
        lead: int = 0,
        pot: int = 0,
        rules: Rules | None = None,
    ) -> "Position":
        """The position with these cards; an upcard of None (or 0) is still to be drawn.

        Cards are given in any order, but for a deck whose order the rules know.
        """
        masks = []
        for name, cards in zip(HANDS, (mine, theirs), strict=True):
            held = tuple(cards)
            try:
                masks.append(mask_of(held))
            except RulesError as error:
                raise PositionError(f"{error} in {name}: {held}") from None
        left = tuple(whole(prize, "a prize") for prize in deck)
        if rules is None:
            try:
                mask_of(left)
            except RulesError as error:
                raise PositionError(f"{error} in {DECK}: {left}") from None
        fields = (masks[0], masks[1], arranged(left, rules), *_numbers(upcard or 0, lead, pot))
        check_range(fields, rules)
        check_fields(fields, rules=rules)
        return _filled(*fields)

    @staticmethod
    def start(rules: Rules | int, upcard: int | None = None) -> "Position":
        """The opening position of a game; a number of cards is the usual one."""
        try:
            game = rules if isinstance(rules, Rules) else Rules(rules)
        except RulesError as error:
            raise PositionError(str(error)) from None
        start = _filled(*opening(game))
        return start.turn_up(upcard) if upcard else start

    def __str__(self) -> str:
        return write((self.mine, self.theirs, self.deck, self.upcard, self.lead, self.pot))

    def __repr__(self) -> str:
        return f"Position({str(self)!r})"

    @property
    def url(self) -> str:
        """The notation without spaces, for a URL."""
        return str(self).replace(" ", "_")

    @property
    def level(self) -> int:
        """How many cards each player holds."""
        return self.mine.bit_count()

    @property
    def prizes(self) -> Prizes:
        """All prizes that are still to be bid for, ascending: the deck and the upcard."""
        return tuple(sorted((*self.deck, self.upcard) if self.upcard else self.deck))

    @property
    def my_cards(self) -> tuple[int, ...]:
        """My hand, ascending."""
        return cards_of(self.mine)

    @property
    def their_cards(self) -> tuple[int, ...]:
        """Their hand, ascending."""
        return cards_of(self.theirs)

    @property
    def is_over(self) -> bool:
        """Whether all cards have been played; a game of fewer rounds is over before, see `Rules.is_over`."""
        return not self.mine

    @property
    def highest_card(self) -> int:
        """The largest card in a hand or among the prizes; 0 when the game is over."""
        return max((self.mine | self.theirs).bit_length(), self.upcard, *self.deck, 0)

    def under(self, rules: Rules) -> "Position":
        """The same position, its deck as the rules have it, ascending or as it comes; they must know such positions."""
        deck = arranged(self.deck, rules)
        found = self if deck == self.deck else _filled(self.mine, self.theirs, deck, self.upcard, self.lead, self.pot)
        check_fields((found.mine, found.theirs, found.deck, found.upcard, found.lead, found.pot), rules=rules)
        return found

    def turn_up(self, card: int) -> "Position":
        """The position after this card of the deck is turned up."""
        if self.upcard:
            raise PositionError(f"upcard {prize_name(self.upcard)} is already shown: {str(self)!r}")
        if card not in self.deck:
            raise PositionError(f"{named(card)} is not in the deck: {str(self)!r}")
        return _filled(self.mine, self.theirs, without(self.deck, card), int(card), self.lead, self.pot)

    def play(self, mine: int, theirs: int, *, carry: bool = False) -> "Position":
        """The position after both bids for the upcard, the next one still to be drawn.

        A tie wins nobody anything; with `carry`, what was bid for joins the pot.
        """
        my_bit, their_bit = BITS.get(mine, 0), BITS.get(theirs, 0)
        lead, pot = self.lead, 0
        if my_bit > their_bit:
            lead += self.upcard + self.pot
        elif my_bit < their_bit:
            lead -= self.upcard + self.pot
        elif carry:
            pot = self.pot + self.upcard
        if not (
            self.upcard and self.mine & my_bit and self.theirs & their_bit and -LARGEST_LEAD <= lead <= LARGEST_LEAD
        ):
            raise PositionError(f"{self._why_not(mine, theirs)}: {str(self)!r}")
        return _filled(self.mine ^ my_bit, self.theirs ^ their_bit, self.deck, 0, lead, pot)

    def _why_not(self, mine: int, theirs: int) -> str:
        """What is wrong with these bids."""
        if not self.upcard:
            return "no upcard is shown to bid for"
        if mine not in self.my_cards:
            return f"{named(mine)} is not in my hand"
        if theirs not in self.their_cards:
            return f"{named(theirs)} is not in their hand"
        return f"the lead would leave the range -{LARGEST_LEAD} to {LARGEST_LEAD}"

    def replaced(self, *, mine: int | None = None, theirs: int | None = None, lead: int | None = None) -> "Position":
        """The same but for these fields; the caller vouches that it is legal."""
        hands = (self.mine if mine is None else mine), (self.theirs if theirs is None else theirs)
        return _filled(*hands, self.deck, self.upcard, self.lead if lead is None else lead, self.pot)

    def swap(self) -> "Position":
        """The same position as the other player sees it."""
        return _filled(self.theirs, self.mine, self.deck, self.upcard, -self.lead, self.pot)


def _numbers(upcard: int, lead: int, pot: int) -> tuple[int, int, int]:
    return whole(upcard, "an upcard"), whole(lead, "a lead"), whole(pot, "a pot")


# A frozen instance is filled through its slots: the same effect as object.__setattr__, in less time.
_set_mine, _set_theirs, _set_deck, _set_upcard, _set_lead, _set_pot = (
    Position.__dict__[name].__set__ for name in Position.__slots__
)
_new = object.__new__


def _filled(mine: int, theirs: int, deck: Prizes, upcard: int, lead: int, pot: int) -> Position:  # noqa: PLR0917
    position = _new(Position)
    _set_mine(position, mine)
    _set_theirs(position, theirs)
    _set_deck(position, deck)
    _set_upcard(position, upcard)
    _set_lead(position, lead)
    _set_pot(position, pot)
    return position
