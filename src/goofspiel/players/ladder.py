"""The ladder of opponents, from a novice to perfect play: what each is like, and how strong it was measured to be."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from goofspiel.rules import Rules

DATA = Path(__file__).with_name("ladder.json")  # its strengths are measured by docs/results/ladder.py
PERFECT = "optimal"  # the last rung


@dataclass(frozen=True)
class Strength:
    """What a player loses in a game, in the objective of the rules."""

    perfect: float
    """To perfect play."""
    best_response: float
    """To the best response of one who knows it."""


@dataclass(frozen=True)
class Exploited:
    """What one who knows a player gains against it, and risks against others; its risk is a point a game."""

    gain: float
    """Against the player."""
    risk: float
    """What it loses to a best response."""


@dataclass(frozen=True)
class Rung:
    """An opponent of the ladder."""

    name: str
    """What loads it."""
    title: str
    """What people call it."""
    says: str
    """What it is like, in a sentence."""
    plays: str
    """The players that it is a mixture of."""
    strength: Mapping[str, Strength]
    """By the text of the rules: what it was measured to lose."""
    exploited: Mapping[str, Exploited]
    """By the text of the rules: what the safe exploiter gains."""

    def lost(self, rules: Rules) -> Strength | None:
        """What it loses in a game of these rules; None where nobody has measured it."""
        return self.strength.get(str(rules))


@cache
def ladder() -> tuple[Rung, ...]:
    """From the weakest to perfect play."""
    found = json.loads(DATA.read_text(encoding="utf-8"))
    return tuple(map(_rung, found))


def _rung(fields: dict[str, Any]) -> Rung:
    strength = {rules: Strength(**lost) for rules, lost in fields["strength"].items()}
    exploited = {rules: Exploited(**found) for rules, found in fields["exploited"].items()}
    return Rung(**fields | {"strength": strength, "exploited": exploited})


def rung(name: str) -> Rung | None:
    """The opponent of this name; None where there is none. Perfect play has a table, and is loaded by that."""
    return next((one for one in ladder() if one.name == name and name != PERFECT), None)
