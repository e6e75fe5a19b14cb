"""What one player gains from another: worked out exactly, or estimated from played games."""

from collections.abc import Sequence
from dataclasses import dataclass

from goofspiel.matches.playing import MatchResult, play_match
from goofspiel.matches.statistics import CONFIDENCE, Estimate
from goofspiel.players.players import Player
from goofspiel.rules import Objective
from goofspiel.tablebase import Tablebase

SEED = 0
HOW_PLAYED = (
    f"in pairs with sides swapped, seed {SEED}, the luck of draws and bids taken out; ± is the half width of the "
    f"{CONFIDENCE:.0%} interval"
)


def play_games(first: Player, second: Player, tables: Sequence[Tablebase], *, games: int) -> MatchResult:
    """A match in which luck is taken out by tables of the game."""
    return play_match(first, second, tables[0].cards, games=games, seed=SEED, duplicate=True, control=tables)


def exactly(value: float) -> Estimate:
    """What was not estimated."""
    return Estimate(value, value, value, 0.0)


@dataclass(frozen=True)
class Measured:
    """A number, and how it came to be known."""

    estimate: Estimate
    games: int = 0  # that were played for it; 0: it is exact

    @staticmethod
    def of(played: MatchResult, objective: Objective) -> "Measured":
        """What the first player of a match gains."""
        return Measured(played.controlled[objective], played.games)

    def __neg__(self) -> "Measured":
        known = self.estimate
        return Measured(Estimate(-known.mean, -known.high, -known.low, known.variance), self.games)

    @property
    def value(self) -> float:
        """The number itself."""
        return self.estimate.mean

    @property
    def half(self) -> float | None:
        """Half the width of the interval in which it lies."""
        return (self.estimate.high - self.estimate.low) / 2 if self.games else None

    @property
    def cells(self) -> tuple[float, float | None, float | None, str]:
        """The number, its limits and the method, for a grid."""
        if not self.games:
            return self.value, None, None, "exact"
        method = f"{self.games} games, seed {SEED}, luck taken out"
        return self.value, self.estimate.low, self.estimate.high, method
