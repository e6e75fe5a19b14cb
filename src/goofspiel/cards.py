"""Cards and prizes: what they are called, and sets of them as masks."""

import re
from collections.abc import Iterable
from functools import cache
from operator import index

from goofspiel.errors import RulesError, whole

MAX_CARDS = 16
MAX_PRIZE = 999  # three digits: leads stay within what a table can hold

_NAMES: tuple[str, ...] = ("A", *"23456789", "T", "J", "Q", "K", *(f"[{card}]" for card in range(14, MAX_CARDS + 1)))

# What a card may be called. Only these: str.upper and int accept many more that merely look like cards and digits.
CARD_NAMES = {name: card for card, name in enumerate(_NAMES, start=1)}
CARD_NAMES |= {name.lower(): card for name, card in CARD_NAMES.items()}
CARD_NAMES |= {f"[{card}]": card for card in range(1, MAX_CARDS + 1)} | {"1": 1}
_BRACKETED = re.compile(r"\[[1-9][0-9]{0,2}\]")


def counted(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def card_name(card: int) -> str:
    """The card as positions write it: A 2 … 9 T J Q K [14] [15] [16]."""
    if not 1 <= index(card) <= MAX_CARDS:
        raise RulesError(f"card must be 1 to {MAX_CARDS}, not {card}")
    return _NAMES[card - 1]


def prize_name(prize: int) -> str:
    """The prize as positions write it: like a card, or in brackets."""
    return _NAMES[prize - 1] if 1 <= prize <= MAX_CARDS else f"[{prize}]"


def read_prize(word: str) -> int:
    """The prize of such a name; 0 when it is none."""
    if word in CARD_NAMES:
        return CARD_NAMES[word]
    return int(word[1:-1]) if _BRACKETED.fullmatch(word) else 0


def mask_of(cards: Iterable[int]) -> int:
    """The set of cards as a mask: bit (card − 1) is set."""
    mask = 0
    for card in cards:
        if not 1 <= whole(card, "a card") <= MAX_CARDS:
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
