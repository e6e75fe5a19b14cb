"""The rational solution, to the last digit."""

from goofspiel.exact.solver import MOST_CARDS, ExactForecast, check_exact, exact_forecast, solve_exact
from goofspiel.exact.tablebase import (
    MOST_ALONE,
    ExactAnswer,
    ExactChanceAnswer,
    ExactTablebase,
    open_exact,
    probe_alone,
)
from goofspiel.exact.verify import verify_exact

__all__ = [
    "MOST_ALONE",
    "MOST_CARDS",
    "ExactAnswer",
    "ExactChanceAnswer",
    "ExactForecast",
    "ExactTablebase",
    "check_exact",
    "exact_forecast",
    "open_exact",
    "probe_alone",
    "solve_exact",
    "verify_exact",
]
