"""How many cards a game has, what they are called, and what its players want."""

from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from operator import index

from goofspiel.errors import RulesError

MAX_CARDS = 16

_NAMES: tuple[str, ...] = ("A", *"23456789", "T", "J", "Q", "K", *(f"[{card}]" for card in range(14, MAX_CARDS + 1)))

# What a card may be called. Only these: str.upper and int accept many more that merely look like cards and digits.
CARD_NAMES = {name: card for card, name in enumerate(_NAMES, start=1)}
CARD_NAMES |= {name.lower(): card for name, card in CARD_NAMES.items()}
CARD_NAMES |= {f"[{card}]": card for card in range(1, MAX_CARDS + 1)} | {"1": 1}


class Objective(StrEnum):
    """What both players maximise."""

    POINTS = "points"
    """Expected point difference."""
    WIN = "win"
    """P(win) − P(loss)."""

    def __repr__(self) -> str:
        return f"Objective.{self.name}"

    @property
    def unit(self) -> str:
        """What values are counted in."""
        return "points" if self is Objective.POINTS else "P(win) − P(loss)"


def check_cards(n: int) -> int:
    """The number of cards of a game, if there can be such a game."""
    if not 1 <= index(n) <= MAX_CARDS:
        raise RulesError(f"number of cards must be 1 to {MAX_CARDS}, not {n}")
    return int(n)


def card_name(card: int) -> str:
    """The card as positions write it: A 2 … 9 T J Q K [14] [15] [16]."""
    if not 1 <= index(card) <= MAX_CARDS:
        raise RulesError(f"card must be 1 to {MAX_CARDS}, not {card}")
    return _NAMES[card - 1]


def mask_of(cards: Iterable[int]) -> int:
    """The set of cards as a mask: bit (card − 1) is set."""
    mask = 0
    for card in cards:
        if not 1 <= index(card) <= MAX_CARDS:
            raise RulesError(f"card must be 1 to {MAX_CARDS}, not {card}")
        bit = 1 << int(card) - 1
        if mask & bit:
            raise RulesError(f"card {card_name(card)} repeated")
        mask |= bit
    return mask


@cache  # at most 2**16 masks are ever kept
def cards_of(mask: int) -> tuple[int, ...]:
    """The cards of a mask, ascending."""
    if not 0 <= index(mask) < 1 << MAX_CARDS:
        raise RulesError(f"mask must be 0 to {(1 << MAX_CARDS) - 1}, not {mask}")
    return tuple(card for card in range(1, MAX_CARDS + 1) if mask >> card - 1 & 1)
