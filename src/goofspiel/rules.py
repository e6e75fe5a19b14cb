"""Which game is played: its cards, prizes and their order, what becomes of ties, and what the players want."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from typing import Any

from goofspiel.cards import MAX_CARDS, MAX_PRIZE, counted
from goofspiel.errors import RulesError, whole
from goofspiel.grammar import (
    ASCENDING,
    CHOICES,
    DESCENDING,
    GRAMMAR,
    Bids,
    Ties,
    quoted,
    read_order,
    read_prizes,
    read_rules,
    slug_text,
)
from goofspiel.objective import PAYOFF, Objective

__all__ = ["ASCENDING", "DESCENDING", "GRAMMAR", "Bids", "Objective", "Rules", "Ties", "check_cards", "read_order"]
__all__ += ["read_prizes"]


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
        rounds: int | None = None,
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
        """The rules of a game, given as such, as a number of cards or as text; fields that are given hold.

        Where a text says something else of a field, that is an error.
        """
        given = {name: value for name, value in fields.items() if value is not None}
        if isinstance(rules, str):
            return _agreed(rules, given)
        if isinstance(rules, Rules):
            return replace(rules, **given) if given else rules
        return Rules(rules, **given)

    @staticmethod
    def parse(text: str) -> "Rules":
        """The rules that a text names, written as `GRAMMAR` says."""
        cards, said = read_rules(text)
        return Rules(cards, **said)

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
        found = {name: str(value) for name in CHOICES if (value := getattr(self, name)) != _DEFAULT[name]}
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
        said += [f"{name}={str(value)!r}" for name in CHOICES if (value := getattr(self, name)) != _DEFAULT[name]]
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
            rules = Rules.parse(slug_text(slug))
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
        return replace(self, cards=cards, prizes=(), rounds=cards)


_DEFAULT = {"ties": Ties.DISCARD, "objective": Objective.POINTS, "bids": Bids.OPEN}


def check_cards(n: int) -> int:
    """The number of cards of a game, if there can be such a game."""
    if not 1 <= (cards := whole(n, "number of cards")) <= MAX_CARDS:
        raise RulesError(f"number of cards must be 1 to {MAX_CARDS}, not {n}")
    return cards


def _agreed(text: str, given: dict[str, Any]) -> Rules:
    """The rules of a text and of fields, if they do not say two things of the same field."""
    cards, said = read_rules(text)
    rules = Rules(cards, **said | given)
    for name in said.keys() & given.keys():
        if getattr(Rules(cards, **said), name) != (value := getattr(rules, name)):
            shown = _listed(value) if isinstance(value, tuple) else value
            raise RulesError(f"the rules {quoted(text)} say it: {name} cannot be {shown}")
    return rules


def _check_rounds(rounds: int | None, cards: int) -> int:
    if not 1 <= (played := cards if rounds is None else whole(rounds, "rounds")) <= cards:
        raise RulesError(f"a game of {counted(cards, 'card')} has 1 to {counted(cards, 'round')}, not {rounds}")
    return played


def _check_prizes(prizes: Iterable[int], cards: int, rounds: int) -> tuple[int, ...]:
    found = tuple(whole(prize, "a prize") for prize in prizes) or _all_cards(cards)
    for prize in found:
        if not 1 <= prize <= MAX_PRIZE:
            raise RulesError(f"a prize is worth 1 to {MAX_PRIZE}, not {prize}: prizes={_listed(found)}")
    if len(found) > MAX_CARDS:
        raise RulesError(f"there are up to {MAX_CARDS} prizes, not {len(found)}: prizes={_listed(found)}")
    if len(found) < cards or (len(found) > cards and rounds == cards):
        wanted = counted(cards, "card") + f" and {counted(rounds, 'round')}" * (rounds < cards)
        needed = f"need{'s' * (cards == 1)} {counted(cards, 'prize')}{' or more' * (rounds < cards)}"
        raise RulesError(f"{wanted} {needed}, not {len(found)}: {_listed(found)}")
    if list(found) != sorted(found):
        raise RulesError(f"prizes are written in ascending order, {_listed(sorted(found))}, not {_listed(found)}")
    return found


def _check_order(order: "str | Iterable[int] | None", prizes: tuple[int, ...]) -> tuple[int, ...] | None:
    if order is None:
        return None
    if isinstance(order, str):
        if order not in (ASCENDING, DESCENDING):
            raise RulesError(f"an order is {ASCENDING}, {DESCENDING} or the prizes as they come, not {quoted(order)}")
        return prizes if order == ASCENDING else prizes[::-1]
    found = tuple(whole(prize, "a prize") for prize in order)
    if tuple(sorted(found)) != prizes:
        raise RulesError(f"an order has each of the prizes {_listed(prizes)} once, not {_listed(found)}")
    return found


def _choice(name: str, value: Any) -> Any:
    try:
        return CHOICES[name](value)
    except (TypeError, ValueError):
        odd = "; or what leads of 0, 1, … are worth, 0 and numbers from -1 to 1" * (not isinstance(value, str))
        raise RulesError(f"{name} must be {' or '.join(CHOICES[name])}{odd}, not {value!r}") from None


@cache
def _all_cards(cards: int) -> tuple[int, ...]:
    return tuple(range(1, cards + 1))


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
