"""What a server works out for a request: anybody may think up rules, so time, memory and disk are bounded."""

from functools import lru_cache
from math import comb

from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver.endgame import MOST_CARDS
from goofspiel.solver.plan import Plan
from goofspiel.store import make_layout
from goofspiel.store.blocks import check_solvable
from goofspiel.tablebase.base import most_left
from goofspiel.tablebase.opening import cost, on_first_use
from goofspiel.web.limits import (
    ALONE_WORK,
    MOST_CARRIED_PRIZES,
    MOST_FORECAST_CARDS,
    MOST_SOLVE_SECONDS,
    POINTS_WORK,
    POTS_WORK,
    SCRATCH_TABLE_BYTES,
)
from goofspiel.web.problems import ProblemError


@lru_cache(maxsize=256)
def check_served(rules: Rules) -> Rules:
    """The rules, if a server answers for them."""
    check_solvable(rules)
    usual_prizes = "prizes" not in rules.options()
    if rules.has_pots and not usual_prizes and len(rules.prizes) > MOST_CARRIED_PRIZES:
        raise ProblemError(
            "rules",
            f"with ties carried over and prizes of one's own a server answers for up to {MOST_CARRIED_PRIZES} "
            f"prizes, not {len(rules.prizes)}: {str(rules)!r}",
        )
    return rules


@lru_cache(maxsize=256)
def is_small(rules: Rules) -> bool:
    """Whether a table is solved when it is first asked for: it takes seconds."""
    if rules.nests:
        return on_first_use(rules)
    if not _is_quickly_counted(rules, MOST_CARRIED_PRIZES):
        return False
    layout = make_layout(rules)
    return layout.disk_bytes() <= SCRATCH_TABLE_BYTES and Plan(layout, 1).cpu_seconds <= MOST_SOLVE_SECONDS


def is_worked_out(position: Position, rules: Rules, most: int = ALONE_WORK) -> bool:
    """Whether a position is answered without a table: the hands, prizes and leads that can follow are not too many."""
    return position.level - rules.last_level <= MOST_CARDS and _work(position, rules) <= most


def _work(position: Position, rules: Rules) -> int:
    """About how many cells the games have that follow, one for points counted as several at a lead."""
    level, prizes = position.level, len(position.prizes)
    sets = [
        comb(level, gone) ** 2 * (1 if rules.order is not None else comb(prizes, gone)) * (level - gone) ** 2
        for gone in range(max(level - rules.last_level, 0))
    ]
    weight = 1 + most_left(position, rules) if rules.has_leads else POINTS_WORK
    return sum(sets) * weight * (POTS_WORK if rules.has_pots else 1)


@lru_cache(maxsize=256)
def cost_of(rules: Rules) -> str | None:
    """What a table takes; None where already that takes long to find out."""
    return cost(rules) if _is_quickly_counted(rules, MOST_FORECAST_CARDS) else None


def _is_quickly_counted(rules: Rules, most_prizes: int) -> bool:
    """Whether its states are soon counted: with pots there may be one for each set of prizes in each of them."""
    return not rules.has_pots or rules.order is not None or len(rules.prizes) <= most_prizes
