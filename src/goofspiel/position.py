"""Positions: their notation, what makes them legal, and the moves between them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import TypeAlias, final

from goofspiel.errors import PositionError, RulesError
from goofspiel.rules import CARD_NAMES, MAX_CARDS, card_name, cards_of, check_cards, mask_of

MAX_LEAD = MAX_CARDS * (MAX_CARDS + 1) // 2  # all the prizes of the largest game

_Fields: TypeAlias = tuple[int, int, int, int, int]  # of a Position, in its order

_HANDS = ("my hand", "their hand", "the deck")
_SHOWN_LENGTH = 80  # of an input that an error quotes

_BITS = {card: 1 << card - 1 for card in range(1, MAX_CARDS + 1)}
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")  # bounded: int refuses, slowly, what is thousands of digits long


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Position:
    """My hand, their hand, the deck, the upcard and my lead. Sets of cards are masks: bit (card − 1) is set.

    `Position("24/A3/Q K")` reads the notation, `Position.of` takes cards, `Position.from_masks` takes masks.
    """

    mine: int
    """My hand."""
    theirs: int
    """Their hand."""
    deck: int
    """The prizes not yet turned up."""
    upcard: int
    """The prize to bid for; 0: still to be drawn."""
    lead: int
    """My points − their points."""

    def __init__(self, notation: str) -> None:
        if not isinstance(notation, str):
            raise TypeError(f"position notation must be a str, not {type(notation).__name__}")
        for put, field in zip(_SLOTS, _read(notation), strict=True):
            put(self, field)

    @staticmethod
    def from_masks(
        mine: int, theirs: int, deck: int, upcard: int = 0, lead: int = 0, *, check: bool = True
    ) -> "Position":
        """The position with these masks; without `check` the caller vouches that it is legal."""
        if check:
            # index takes NumPy's integers too, and refuses floats
            fields = (index(mine), index(theirs), index(deck), index(upcard), index(lead))
            _check_range(fields)
            _check(fields)
            mine, theirs, deck, upcard, lead = fields
        return _filled(mine, theirs, deck, upcard, lead)

    @staticmethod
    def of(
        mine: Iterable[int], theirs: Iterable[int], deck: Iterable[int], upcard: int | None = None, *, lead: int = 0
    ) -> "Position":
        """The position with these cards, in any order; an upcard of None (or 0) is still to be drawn."""
        masks = []
        for name, cards in zip(_HANDS, (mine, theirs, deck), strict=True):
            held = tuple(cards)
            try:
                masks.append(mask_of(held))
            except RulesError as error:
                raise PositionError(f"{error} in {name}: {held}") from None
        return Position.from_masks(masks[0], masks[1], masks[2], upcard or 0, lead)

    @staticmethod
    def start(n: int, upcard: int | None = None) -> "Position":
        """The opening position of the game with n cards."""
        try:
            all_cards = (1 << check_cards(n)) - 1
        except RulesError as error:
            raise PositionError(str(error)) from None
        opening = Position.from_masks(all_cards, all_cards, all_cards, check=False)
        return opening.turn_up(upcard) if upcard else opening

    def __str__(self) -> str:
        return _write((self.mine, self.theirs, self.deck, self.upcard, self.lead))

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
    def prizes(self) -> int:
        """The mask of all prizes still to be won: the deck and the upcard."""
        return self.deck | 1 << self.upcard >> 1

    @property
    def my_cards(self) -> tuple[int, ...]:
        """My hand, ascending."""
        return cards_of(self.mine)

    @property
    def their_cards(self) -> tuple[int, ...]:
        """Their hand, ascending."""
        return cards_of(self.theirs)

    @property
    def deck_cards(self) -> tuple[int, ...]:
        """The prizes not yet turned up, ascending."""
        return cards_of(self.deck)

    @property
    def is_over(self) -> bool:
        """Whether all cards have been played."""
        return not self.mine

    @property
    def highest_card(self) -> int:
        """The largest card in a hand or among the prizes; 0 when the game is over."""
        return (self.mine | self.theirs | self.prizes).bit_length()

    def turn_up(self, card: int) -> "Position":
        """The position after this card of the deck is turned up."""
        bit = _BITS.get(card, 0)
        if self.upcard:
            raise PositionError(f"upcard {card_name(self.upcard)} is already shown: {str(self)!r}")
        if not self.deck & bit:
            raise PositionError(f"{_named(card)} is not in the deck: {str(self)!r}")
        return _filled(self.mine, self.theirs, self.deck ^ bit, bit.bit_length(), self.lead)

    def play(self, mine: int, theirs: int) -> "Position":
        """The position after both bids for the upcard, the next one still to be drawn. A tie wins nobody anything."""
        my_bit, their_bit = _BITS.get(mine, 0), _BITS.get(theirs, 0)
        lead = self.lead
        if my_bit > their_bit:
            lead += self.upcard
        elif my_bit < their_bit:
            lead -= self.upcard
        if not (self.upcard and self.mine & my_bit and self.theirs & their_bit and -MAX_LEAD <= lead <= MAX_LEAD):
            raise PositionError(f"{self._why_not(mine, theirs)}: {str(self)!r}")
        return _filled(self.mine ^ my_bit, self.theirs ^ their_bit, self.deck, 0, lead)

    def _why_not(self, mine: int, theirs: int) -> str:
        """What is wrong with these bids."""
        if not self.upcard:
            return "no upcard is shown to bid for"
        if mine not in self.my_cards:
            return f"{_named(mine)} is not in my hand"
        if theirs not in self.their_cards:
            return f"{_named(theirs)} is not in their hand"
        return f"the lead would leave the range -{MAX_LEAD} to {MAX_LEAD}"

    def swap(self) -> "Position":
        """The same position as the other player sees it."""
        return _filled(self.theirs, self.mine, self.deck, self.upcard, -self.lead)


# A frozen instance is filled through its slots: the same effect as object.__setattr__, in less time.
_SLOTS = tuple(Position.__dict__[name].__set__ for name in Position.__slots__)
_set_mine, _set_theirs, _set_deck, _set_upcard, _set_lead = _SLOTS
_new = object.__new__


def _filled(mine: int, theirs: int, deck: int, upcard: int, lead: int) -> Position:
    position = _new(Position)
    _set_mine(position, mine)
    _set_theirs(position, theirs)
    _set_deck(position, deck)
    _set_upcard(position, upcard)
    _set_lead(position, lead)
    return position


def _check_range(fields: _Fields) -> None:
    """Refuse numbers that cannot be written in the notation."""
    *masks, upcard, lead = fields
    for name, mask in zip(_HANDS, masks, strict=True):
        if not 0 <= mask < 1 << MAX_CARDS:
            raise PositionError(f"mask of {name} must be 0 to {(1 << MAX_CARDS) - 1}, not {mask}")
    if not 0 <= upcard <= MAX_CARDS:
        raise PositionError(f"upcard must be 1 to {MAX_CARDS}, or 0 for none, not {upcard}")
    if abs(lead) > MAX_LEAD:
        raise PositionError(f"lead must be an integer from -{MAX_LEAD} to {MAX_LEAD}, not {lead}")


def _check(fields: _Fields, source: str | None = None) -> None:
    """Refuse a position that cannot occur, quoting its source, by default its notation."""
    mine, theirs, deck, upcard, _ = fields
    hand, other, prizes = mine.bit_count(), theirs.bit_count(), deck.bit_count() + (upcard > 0)
    if hand != other:
        wrong = f"hands of different sizes ({hand} and {other})"
    elif upcard and deck >> upcard - 1 & 1:
        wrong = f"upcard {card_name(upcard)} is also in the deck"
    elif prizes != hand:
        wrong = f"deck and upcard hold {_count(prizes, 'prize')} but each hand holds {_count(hand, 'card')}"
    else:
        return
    raise PositionError(f"{wrong}: {source or repr(_write(fields))}")


def _write(fields: _Fields) -> str:
    *masks, upcard, lead = fields
    hands = "/".join("".join(map(card_name, cards_of(mask))) or "-" for mask in masks)
    return f"{hands} {card_name(upcard) if upcard else '-'}" + (f" {lead}" if lead else "")


def _read(notation: str) -> _Fields:
    source = _quoted(notation)
    words = [word for word in notation.strip().replace("_", " ").split(" ") if word]
    if words and words[0].lower() == "start":
        return _read_start(words[1:], source)
    if not 1 <= len(words) <= 3:
        raise PositionError(f"a position is mine/theirs/deck upcard [lead]: {source}")
    hands = words[0].split("/", 3)
    if len(hands) != 3:
        raise PositionError(f"a position starts with mine/theirs/deck: {source}")
    if len(words) == 1:
        raise PositionError(f"upcard missing, write - when it is still to be drawn: {source}")
    mine, theirs, deck = (_read_hand(hand, name, source) for hand, name in zip(hands, _HANDS, strict=True))
    upcard = _read_upcard(words[1], source)
    lead = _read_lead(words[2], source) if len(words) == 3 else 0
    _check(fields := (mine, theirs, deck, upcard, lead), source)
    return fields


def _read_start(words: list[str], source: str) -> _Fields:
    if not 1 <= len(words) <= 2:
        raise PositionError(f"start takes a number of cards and perhaps an upcard: {source}")
    if not _INTEGER.fullmatch(words[0]):
        raise PositionError(f"number of cards must be 1 to {MAX_CARDS}, not {_quoted(words[0])}: {source}")
    try:
        cards = check_cards(int(words[0]))
    except RulesError as error:
        raise PositionError(f"{error}: {source}") from None
    upcard = _read_upcard(words[1], source) if len(words) == 2 else 0
    if upcard > cards:
        raise PositionError(f"upcard {card_name(upcard)} is not among the cards 1 to {cards}: {source}")
    everything = (1 << cards) - 1
    return everything, everything, everything ^ (1 << upcard >> 1), upcard, 0


def _read_hand(text: str, name: str, source: str) -> int:
    if text == "-":
        return 0
    if not text:
        raise PositionError(f"{name} is missing, write - when it is empty: {source}")
    mask = at = 0
    while at < len(text):
        card, at = read_card(text, at, source)
        if mask & _BITS[card]:
            raise PositionError(f"card {card_name(card)} repeated in {name}: {source}")
        mask |= _BITS[card]
    return mask


def read_card(text: str, at: int, source: str) -> tuple[int, int]:
    """The card that starts here in a text, and where the next one would; an error quotes the source."""
    # Four characters hold the longest card; looking no further for the bracket keeps reading linear.
    end = text.find("]", at, at + 4) + 1 if text[at] == "[" else at + 1
    word = text[at:end] if end else text[at : at + 4]
    if word not in CARD_NAMES:
        raise PositionError(f"unknown card {word!r} in {source}")
    return CARD_NAMES[word], end


def _read_upcard(text: str, source: str) -> int:
    if text == "-":
        return 0
    card, end = read_card(text, 0, source)
    if end < len(text):
        raise PositionError(f"upcard must be one card or -, not {_quoted(text)}: {source}")
    return card


def _read_lead(text: str, source: str) -> int:
    if _INTEGER.fullmatch(text) and abs(lead := int(text)) <= MAX_LEAD:
        return lead
    raise PositionError(f"lead must be an integer from -{MAX_LEAD} to {MAX_LEAD}, not {_quoted(text)}: {source}")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…")


def _named(card: int) -> str:
    return f"card {card_name(card)}" if card in _BITS else f"card {card!r}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
