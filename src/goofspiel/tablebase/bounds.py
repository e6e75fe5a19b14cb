"""How wrong can a table be? The recorded gaps bound every value, and the exploitability of every mix."""

from dataclasses import dataclass

import numpy as np

from goofspiel.plan import make_plan
from goofspiel.store import Table

# Roundings of one game: cells, best replies and the mean over upcards, in units of the last place of a double.
ROUNDINGS = 64


@dataclass(frozen=True, slots=True)
class Bound:
    """Bounds for the whole table, and the largest gap of each level, level 1 first."""

    value: float  # every stored value is within this of the true one
    exploitability: float  # every mix from the table loses at most this against a best response, to the end of the game
    gaps: tuple[float, ...]


def table_bound(table: Table) -> Bound:
    """Add up what the levels may be wrong by.

    The value of a game moves by at most the largest change in its matrix. So the error of a level is at most that of
    the level below, plus half of its own largest gap (the value is the middle of what the two mixes guarantee), plus
    rounding. A mix loses at most the error of the values that it was made from, twice, and its own gap.
    """
    plan = make_plan(table.header.cards, objective=table.header.objective, dtype=table.header.dtype)
    stored = float(np.finfo(np.dtype(table.header.dtype)).eps) / 2
    unit = float(np.finfo(np.float64).eps) / 2
    value, gaps = 0.0, []
    for level in plan.levels:
        gaps.append(table.level_gap(level.level))
        value += gaps[-1] / 2 + (ROUNDINGS * unit + stored) * level.payoff_bound
    return Bound(value, 2 * value, tuple(gaps))
