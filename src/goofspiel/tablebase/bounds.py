"""How wrong can a table be? The recorded gaps bound every value, and the exploitability of every mix."""

from dataclasses import dataclass

import numpy as np

from goofspiel.solver.endgame import ROUNDINGS
from goofspiel.store import Table
from goofspiel.store.encoding import Encoding

# The gap that a mix may have when it is asked for, as a share of what is played for: what the kernel accepts at once.
ANSWER_GAP = 1e-13
# What is computed from payoffs is rounded by no more than this share of them.
ROUNDING = ROUNDINGS * float(np.finfo(np.float64).eps) / 2


@dataclass(frozen=True, slots=True)
class Bound:
    """Bounds for the whole table."""

    value: float
    """Every stored value is within this of the true one."""
    exploitability: float
    """Who follows the table's mixes to the end of the game loses at most this to a best response."""
    gaps: tuple[float, ...]
    """The largest gap of each level, level 1 first."""
    levels: tuple[float, ...]
    """Every stored value of a level is within this of the true one, level 1 first."""
    first: int = 1
    """The first level: the cards in a hand when the last round begins."""

    def payoff(self, level: int) -> float:
        """Every payoff of a position with so many cards in a hand, before rounding, is within this of the true one."""
        below = level - 1 - self.first
        return self.levels[below] if 0 <= below < len(self.levels) else 0.0


def table_bound(table: Table) -> Bound:
    """Add up what the levels may be wrong by.

    The value of a game moves by at most the largest change in its matrix. So the error of a level is at most that of
    the level below, plus half of its own largest gap (the value is the middle of what the two mixes guarantee), plus
    rounding. Who follows the mixes loses as much again: each falls short of its value by half of its own gap. Mixes are
    made when they are asked for; one whose gap is above both ANSWER_GAP and the recorded gaps says so itself.
    """
    unit = float(np.finfo(np.float64).eps) / 2
    ends = Encoding(table.header.dtype, table.rules.payoff_bound)
    value, shortfall, gaps, levels = 0.0 if table.rules.has_whole_ends else ends.rounding, 0.0, [], []
    for level in table.layout.levels:
        gaps.append(table.level_gap(level.level))
        rounding = ROUNDINGS * unit * level.space.payoff_bound + level.encoding.rounding
        value += gaps[-1] / 2 + rounding
        levels.append(0.0 if level.space.has_whole_values and not gaps[-1] else value)  # which no store rounds
        shortfall += max(gaps[-1], ANSWER_GAP * level.space.payoff_bound) / 2 + rounding
    # The first bid has no level of its own.
    shortfall += (ANSWER_GAP / 2 + ROUNDINGS * unit) * table.rules.payoff_bound
    return Bound(value, value + shortfall, tuple(gaps), tuple(levels), table.rules.last_level + 1)
