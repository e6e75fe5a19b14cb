"""What both players maximise: points, a win, or any odd function of the final lead."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

PAYOFF = "payoff"


class Objective(StrEnum):
    """What both players maximise."""

    POINTS = "points"
    """Expected point difference."""
    WIN = "win"
    """P(win) − P(loss)."""

    @classmethod
    def _missing_(cls, value: object) -> "Objective | None":
        """Any odd function of the final lead: what leads of 0, 1, … are worth, from −1 to 1; larger ones as the last.

        It is given as such, or as its text. It is no member: those who list objectives see points and win.
        """
        listed: Iterable[Any] = value if isinstance(value, Iterable) else ()
        if isinstance(value, str):
            name, _, text = value.partition("=")
            listed = text.split(",") if name == PAYOFF else ()
        try:
            payoffs = tuple(map(float, listed))
        except (TypeError, ValueError, OverflowError):
            return None
        if not payoffs or payoffs[0] != 0 or not all(-1 <= payoff <= 1 for payoff in payoffs):
            return None
        text = f"{PAYOFF}={','.join(map(repr, payoffs))}"
        made = str.__new__(cls, text)
        made._name_, made._value_ = text, text
        return made

    def __repr__(self) -> str:
        return f"Objective.{self.name}" if self in list(Objective) else f"Objective({self.payoffs})"

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Of an objective that is neither: what leads of 0, 1, … are worth at the end."""
        return tuple(map(float, self.value.partition("=")[2].split(",")))

    @property
    def goal(self) -> str:
        """What a game is played for, in words: `for points`, `to win`."""
        return "to win" if self is Objective.WIN else f"for {self}"

    @property
    def unit(self) -> str:
        """What values are counted in."""
        return {Objective.POINTS: "points", Objective.WIN: "P(win) − P(loss)"}.get(self, PAYOFF)

    @property
    def decimals(self) -> int:
        """How many of a value are worth reading."""
        return 2 if self is Objective.POINTS else 3
