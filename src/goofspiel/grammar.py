"""The text of rules: how it is written, and what it says of a game."""

import re
from enum import StrEnum
from typing import Any

from goofspiel.cards import MAX_PRIZE, read_prize
from goofspiel.errors import RulesError
from goofspiel.objective import PAYOFF, Objective

GRAMMAR = "N [win] [carry] [hidden] [prizes=1,1,2,…] [order=ascending|descending|3,1,2,…] [rounds=K]"

_SHOWN_LENGTH = 80  # of an input that an error quotes
_NUMBER = re.compile(r"[1-9][0-9]{0,2}")


class Ties(StrEnum):
    """What becomes of a prize for which both bid the same."""

    DISCARD = "discard"
    """Nobody has it: for two players the same as splitting it."""
    CARRY = "carry"
    """It joins the pot, which the next round that is not tied takes."""

    def __repr__(self) -> str:
        return f"Ties.{self.name}"


class Bids(StrEnum):
    """What the players learn of each other's bids."""

    OPEN = "open"
    """Both bids, after the round."""
    HIDDEN = "hidden"
    """Only who won the round."""

    def __repr__(self) -> str:
        return f"Bids.{self.name}"


ASCENDING, DESCENDING = "ascending", "descending"

CHOICES = {"ties": Ties, "objective": Objective, "bids": Bids}
_WORDS: dict[str, tuple[str, Any]] = {str(v): (name, v) for name, kind in CHOICES.items() for v in kind}


def read_rules(text: str) -> tuple[int, dict[str, Any]]:
    """The number of cards and the fields that a text names, written as `GRAMMAR` says."""
    number, *words = text.replace("_", " ").split() or [""]
    if not re.fullmatch("[0-9]{1,4}", number):
        raise RulesError(f"rules start with a number of cards, as in '13 win': {quoted(text)}")
    fields: dict[str, Any] = {}
    for word in words:
        name, _, said = word.partition("=")
        if said:
            value: Any = _FIELDS[name](said) if name in _FIELDS else None
            name = "objective" if name == PAYOFF else name
        else:
            name, value = _WORDS.get(word, (word, None))
        if value is None:
            raise RulesError(f"rules know no {word[:_SHOWN_LENGTH]!r}: {quoted(text)}; they are written {GRAMMAR}")
        if name in fields:
            raise RulesError(f"{name} is said twice: {quoted(text)}")
        fields[name] = value
    return int(number), fields


def read_prizes(text: str) -> tuple[int, ...]:
    """Prizes as they are listed, by number or by the name of a card: `1,1,2,5,8`, `K,2,9`."""
    found = []
    for word in text.split(","):
        prize = read_prize(word) or (int(word) if _NUMBER.fullmatch(word) else 0)
        if not prize:
            raise RulesError(f"a prize is a number from 1 to {MAX_PRIZE} or a card, not {word[:_SHOWN_LENGTH]!r}")
        found.append(prize)
    return tuple(found)


def read_order(text: str) -> "str | tuple[int, ...]":
    """An order as it is written: ascending, descending, or the prizes as they come."""
    listed = "," in text or read_prize(text) or _NUMBER.fullmatch(text)
    return read_prizes(text) if listed else text


def _read_rounds(text: str) -> int:
    if not re.fullmatch("[1-9][0-9]?", text):
        raise RulesError(f"rounds is a whole number from 1 on, not {quoted(text)}")
    return int(text)


_FIELDS: dict[str, Any] = {
    PAYOFF: lambda text: Objective(f"{PAYOFF}={text}"),
    "prizes": lambda text: tuple(sorted(read_prizes(text))),
    "order": read_order,
    "rounds": _read_rounds,
}


def slug_text(slug: str) -> str:
    """The text of the rules in a name of a file."""
    found = re.fullmatch(r"([a-z]+)-([0-9]+)((?:-[a-z0-9]+)*)", slug)
    if not found:
        return ""
    words: list[str] = [found[2], found[1]]
    for part in found[3].split("-")[1:]:
        if part in _FIELDS:
            words.append(f"{part}=")
        elif words[-1].endswith("="):
            words[-1] += part
        elif "=" in words[-1] and part.isdigit():
            words[-1] += f",{part}"
        else:
            words.append(part)
    return " ".join(words)


def quoted(text: str) -> str:
    """A text as errors show it."""
    return repr(text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…")
