"""Which game is played: its cards, prizes and their order, what becomes of ties, and what the players want."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from operator import index
from typing import Any

from goofspiel.cards import MAX_CARDS, MAX_PRIZE, read_prize
from goofspiel.errors import RulesError
from goofspiel.objective import PAYOFF, Objective

__all__ = ["ASCENDING", "DESCENDING", "GRAMMAR", "Bids", "Objective", "Rules", "Ties", "check_cards", "read_order"]
__all__ += ["read_prizes"]

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


@dataclass(frozen=True, init=False, repr=False)
class Rules:
    """Which game is played. `Rules.parse` reads the text that `str` writes: `13`, `13 win`, `9 win order=descending`.

    >>> Rules(13, objective="win")
    Rules(13, objective='win')
    >>> str(Rules(5, prizes=(1, 1, 2, 5, 8), ties="carry"))
    '5 carry prizes=1,1,2,5,8'
    """

    cards: int
    """Both hands hold the cards 1 … cards."""
    prizes: tuple[int, ...]
    """What the prizes are worth, ascending; by default 1 … cards."""
    order: tuple[int, ...] | None
    """The prizes in the order in which they come, known to both; None: shuffled."""
    ties: Ties
    """What becomes of a prize for which both bid the same."""
    rounds: int
    """After so many rounds the game ends; by default all cards are played."""
    bids: Bids
    """What the players learn of each other's bids."""
    objective: Objective
    """What both players maximise."""

    def __init__(
        self,
        cards: int,
        *,
        prizes: Iterable[int] = (),
        order: str | Iterable[int] | None = None,
        ties: Ties | str = Ties.DISCARD,
        rounds: int = 0,
        bids: Bids | str = Bids.OPEN,
        objective: Objective | str | Sequence[float] = Objective.POINTS,
    ) -> None:
        count = check_cards(cards)
        played = _check_rounds(rounds, count)
        listed = _check_prizes(prizes, count, played)
        fields = {
            "cards": count,
            "prizes": listed,
            "order": _check_order(order, listed),
            "ties": _choice("ties", ties),
            "rounds": played,
            "bids": _choice("bids", bids),
            "objective": _choice("objective", objective),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def of(rules: "Rules | int | str", **fields: Any) -> "Rules":
        """The rules of a game, given as such, as a number of cards or as text; fields that are given hold."""
        given = {name: value for name, value in fields.items() if value is not None}
        if isinstance(rules, str):
            rules = Rules.parse(rules)
        if isinstance(rules, Rules):
            return replace(rules, **given) if given else rules
        return Rules(rules, **given)

    @staticmethod
    def parse(text: str) -> "Rules":
        """The rules that a text names, written as `GRAMMAR` says."""
        number, *words = text.replace("_", " ").split() or [""]
        if not re.fullmatch("[0-9]{1,4}", number):
            raise RulesError(f"rules start with a number of cards, as in '13 win': {_quoted(text)}")
        fields: dict[str, Any] = {}
        for word in words:
            name, _, said = word.partition("=")
            if said:
                value: Any = _FIELDS[name](said) if name in _FIELDS else None
                name = "objective" if name == PAYOFF else name
            else:
                name, value = _WORDS.get(word, (word, None))
            if value is None:
                raise RulesError(f"rules know no {word[:_SHOWN_LENGTH]!r}: {_quoted(text)}; they are written {GRAMMAR}")
            if name in fields:
                raise RulesError(f"{name} is said twice: {_quoted(text)}")
            fields[name] = value
        return Rules(int(number), **fields)

    def __str__(self) -> str:
        words = [str(self.cards)]
        words += [
            str(value) for name in ("objective", "ties", "bids") if (value := getattr(self, name)) != _DEFAULT[name]
        ]
        if self.prizes != _all_cards(self.cards):
            words.append(f"prizes={_listed(self.prizes)}")
        if self.order is not None:
            words.append(f"order={self._order_name}")
        if self.rounds != self.cards:
            words.append(f"rounds={self.rounds}")
        return " ".join(words)

    def options(self) -> dict[str, str]:
        """What is not as usual, its number of cards apart: field → text."""
        found = {name: str(value) for name in _CHOICES if (value := getattr(self, name)) != _DEFAULT[name]}
        if self.prizes != _all_cards(self.cards):
            found["prizes"] = _listed(self.prizes)
        if self.order is not None:
            found["order"] = self._order_name
        if self.rounds != self.cards:
            found["rounds"] = str(self.rounds)
        return found

    def __repr__(self) -> str:
        said = [str(self.cards)]
        if self.prizes != _all_cards(self.cards):
            said.append(f"prizes={self.prizes}")
        if self.order is not None:
            known = self._order_name
            said.append(f"order={repr(known) if known in (ASCENDING, DESCENDING) else self.order}")
        said += [f"{name}={str(value)!r}" for name in _CHOICES if (value := getattr(self, name)) != _DEFAULT[name]]
        if self.rounds != self.cards:
            said.append(f"rounds={self.rounds}")
        return f"Rules({', '.join(said)})"

    @property
    def _order_name(self) -> str:
        named = {self.prizes: ASCENDING, self.prizes[::-1]: DESCENDING}
        return named.get(self.order or (), _listed(self.order or ()))

    @property
    def slug(self) -> str:
        """The rules in a name of a file: `points-13`, `win-9-order-descending`."""
        words = str(self).split()[1:]
        rest = [re.sub("[=,]", "-", word) for word in words if word != self.objective]
        objective = self.objective.partition("=")[0]
        if objective == PAYOFF:
            objective += sha256(self.objective.encode()).hexdigest()[:12]
        return "-".join([objective, str(self.cards), *rest])

    @staticmethod
    def from_slug(slug: str) -> "Rules | None":
        """The rules of such a name; None when it is none."""
        try:
            rules = Rules.parse(_slug_text(slug))
        except RulesError:
            return None
        return rules if rules.slug == slug else None

    # What the rules mean for those who solve and ask. Code asks these, not for names.

    @property
    def has_leads(self) -> bool:
        """Whether what is left to win is worth more or less by who leads: values have an axis for the lead."""
        return self.objective is not Objective.POINTS

    @property
    def has_pots(self) -> bool:
        """Whether prizes of tied rounds may wait for a winner."""
        return self.ties is Ties.CARRY

    @cached_property
    def is_usual(self) -> bool:
        """Whether, the objective apart, it is the game of the paper."""
        return self == Rules(self.cards, objective=self.objective)

    @cached_property
    def nests(self) -> bool:
        """Whether a game of more cards holds all of it: prizes 1 … cards, shuffled, played to the end."""
        alike = self.prizes == _all_cards(self.cards) and self.order is None and self.rounds == self.cards
        return alike and self.objective in (Objective.POINTS, Objective.WIN)

    @property
    def last_level(self) -> int:
        """The cards in a hand when the game is over."""
        return self.cards - self.rounds

    @property
    def has_whole_ends(self) -> bool:
        """Whether what a lead is worth at the end is a whole number, which no store rounds."""
        return not self.has_leads or self.can_be_decided

    def is_over(self, level: int) -> bool:
        """Whether no round is left with so many cards in a hand."""
        return level <= self.last_level

    def prizes_left(self, level: int) -> int:
        """How many prizes are still to be bid for, or left over, with so many cards in a hand."""
        return len(self.prizes) - self.cards + level

    @cached_property
    def total(self) -> int:
        """What all prizes are worth."""
        return sum(self.prizes)

    @property
    def payoff_bound(self) -> float:
        """What a game can be worth at most: all prizes, or a win."""
        return 1.0 if self.has_leads else float(self.total)

    @property
    def can_be_decided(self) -> bool:
        """Whether a lead may be so large that no play can change what it is worth."""
        return self.objective is Objective.WIN

    @property
    def last_lead(self) -> int:
        """The largest lead at the end whose worth is kept: that of larger ones is known, or there are none."""
        return self.total if self.has_leads and not self.can_be_decided else 0

    def at_the_end(self, lead: Any) -> Any:
        """What a lead is worth when nothing is left to win: a number, or an array of them."""
        if not self.has_leads:
            return lead
        sign = (lead > 0) * 1 - (lead < 0) * 1
        if self.can_be_decided:
            return sign
        import numpy as np

        payoffs = np.array(self._payoffs)
        return sign * payoffs[np.minimum(np.abs(lead), len(payoffs) - 1)]

    @cached_property
    def _payoffs(self) -> tuple[float, ...]:
        return self.objective.payoffs

    def is_decided(self, lead: Any, left: Any) -> Any:
        """Whether no play can change what a lead is worth, with so much left to win."""
        return (abs(lead) > left) & self.can_be_decided

    @lru_cache(maxsize=1024)  # noqa: B019 - rules are small
    def with_cards(self, cards: int) -> "Rules":
        """The same for another number of cards."""
        if cards == self.cards:
            return self
        if not self.nests:
            raise RulesError(f"the game {str(self)!r} has {self.cards} cards, not {cards}")
        return replace(self, cards=cards, prizes=(), rounds=0)


_CHOICES = {"ties": Ties, "objective": Objective, "bids": Bids}
_DEFAULT = {"ties": Ties.DISCARD, "objective": Objective.POINTS, "bids": Bids.OPEN}
_WORDS: dict[str, tuple[str, Any]] = {str(v): (name, v) for name, kind in _CHOICES.items() for v in kind}
GRAMMAR = "N [win] [carry] [hidden] [prizes=1,1,2,…] [order=ascending|descending|3,1,2,…] [rounds=K]"


def check_cards(n: int) -> int:
    """The number of cards of a game, if there can be such a game."""
    if not 1 <= index(n) <= MAX_CARDS:
        raise RulesError(f"number of cards must be 1 to {MAX_CARDS}, not {n}")
    return int(n)


def _check_rounds(rounds: int, cards: int) -> int:
    if not 0 <= index(rounds) <= cards:
        raise RulesError(f"a game of {cards} cards has 1 to {cards} rounds, not {rounds}")
    return int(rounds) or cards


def _check_prizes(prizes: Iterable[int], cards: int, rounds: int) -> tuple[int, ...]:
    found = tuple(int(index(prize)) for prize in prizes) or _all_cards(cards)
    for prize in found:
        if not 1 <= prize <= MAX_PRIZE:
            raise RulesError(f"a prize is worth 1 to {MAX_PRIZE}, not {prize}: prizes={_listed(found)}")
    if len(found) > MAX_CARDS:
        raise RulesError(f"there are up to {MAX_CARDS} prizes, not {len(found)}: prizes={_listed(found)}")
    if len(found) < cards or (len(found) > cards and rounds == cards):
        wanted = f"{cards} cards and {rounds} rounds" if rounds < cards else f"{cards} cards"
        raise RulesError(
            f"{wanted} need {cards} prizes{' or more' * (rounds < cards)}, not {len(found)}: {_listed(found)}"
        )
    if list(found) != sorted(found):
        raise RulesError(f"prizes are written in ascending order, {_listed(sorted(found))}, not {_listed(found)}")
    return found


def _check_order(order: "str | Iterable[int] | None", prizes: tuple[int, ...]) -> tuple[int, ...] | None:
    if order is None:
        return None
    if isinstance(order, str):
        if order not in (ASCENDING, DESCENDING):
            raise RulesError(f"an order is {ASCENDING}, {DESCENDING} or the prizes as they come, not {_quoted(order)}")
        return prizes if order == ASCENDING else prizes[::-1]
    found = tuple(int(index(prize)) for prize in order)
    if tuple(sorted(found)) != prizes:
        raise RulesError(f"an order has each of the prizes {_listed(prizes)} once, not {_listed(found)}")
    return found


def _choice(name: str, value: Any) -> Any:
    try:
        return _CHOICES[name](value)
    except (TypeError, ValueError):
        odd = "; or what leads of 0, 1, … are worth, 0 and numbers from -1 to 1" * (not isinstance(value, str))
        raise RulesError(f"{name} must be {' or '.join(_CHOICES[name])}{odd}, not {value!r}") from None


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
        raise RulesError(f"rounds is a whole number from 1 on, not {_quoted(text)}")
    return int(text)


_FIELDS: dict[str, Any] = {
    PAYOFF: lambda text: Objective(f"{PAYOFF}={text}"),
    "prizes": lambda text: tuple(sorted(read_prizes(text))),
    "order": read_order,
    "rounds": _read_rounds,
}


def _slug_text(slug: str) -> str:
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


@cache
def _all_cards(cards: int) -> tuple[int, ...]:
    return tuple(range(1, cards + 1))


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…")
