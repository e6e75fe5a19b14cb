"""What a server works out for a request: anybody may think up rules, so time, memory and disk are bounded."""

from functools import lru_cache
from math import comb

from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver.endgame import MOST_CARDS
from goofspiel.store import make_layout
from goofspiel.store.blocks import check_solvable
from goofspiel.tablebase.opening import cost, on_first_use
from goofspiel.web.limits import (
    ALONE_PAIRS,
    MOST_CARRIED_PRIZES,
    MOST_FORECAST_CARDS,
    MOST_SOLVED_GAMES,
    SCRATCH_TABLE_BYTES,
)
from goofspiel.web.problems import ProblemError


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
    return layout.games <= MOST_SOLVED_GAMES and layout.disk_bytes() <= SCRATCH_TABLE_BYTES


def is_worked_out(position: Position, rules: Rules, most_cards: int = MOST_CARDS) -> bool:
    """Whether a position is answered without a table; with fewer rounds than cards there are more hands that follow."""
    level, rounds = position.level, position.level - rules.last_level
    if rounds > most_cards:
        return False
    return level <= most_cards or max(comb(level, played) for played in range(rounds)) ** 2 <= ALONE_PAIRS


@lru_cache(maxsize=256)
def cost_of(rules: Rules) -> str | None:
    """What a table takes; None where already that takes long to find out."""
    return cost(rules) if _is_quickly_counted(rules, MOST_FORECAST_CARDS) else None


def _is_quickly_counted(rules: Rules, most_prizes: int) -> bool:
    """Whether its states are soon counted: with pots there may be one for each set of prizes in each of them."""
    return not rules.has_pots or rules.order is not None or len(rules.prizes) <= most_prizes
