"""Goofspiel, the Game of Pure Strategy, solved: every position's value and optimal mixes."""

from typing import TYPE_CHECKING, Any

from goofspiel.errors import (
    ClusterError,
    DamagedTableError,
    GoofspielError,
    HostError,
    MissingTableError,
    OptionError,
    PlayerError,
    PositionError,
    ProofError,
    RecordError,
    ResourceError,
    RulesError,
    SolveError,
    TableBusyError,
    TableConflictError,
    TableVersionError,
)
from goofspiel.position import Position
from goofspiel.rules import Bids, Objective, Rules, Ties

if TYPE_CHECKING:
    from goofspiel import games, play
    from goofspiel.solver.api import solve
    from goofspiel.tablebase.answer import Answer, ChanceAnswer
    from goofspiel.tablebase.opening import open_for, open_tablebase
    from goofspiel.tablebase.outcomes import Outcomes, outcomes
    from goofspiel.tablebase.tablebase import Tablebase

__version__ = "1.0.0"

__all__ = [
    "Answer",
    "Bids",
    "ChanceAnswer",
    "ClusterError",
    "DamagedTableError",
    "GoofspielError",
    "HostError",
    "MissingTableError",
    "Objective",
    "OptionError",
    "Outcomes",
    "PlayerError",
    "Position",
    "PositionError",
    "ProofError",
    "RecordError",
    "ResourceError",
    "Rules",
    "RulesError",
    "SolveError",
    "TableBusyError",
    "TableConflictError",
    "TableVersionError",
    "Tablebase",
    "Ties",
    "__version__",
    "games",
    "open_for",
    "open_tablebase",
    "outcomes",
    "play",
    "solve",
]

# Imported when first used: they bring NumPy along.
_LATER = {
    "Answer": "goofspiel.tablebase.answer",
    "ChanceAnswer": "goofspiel.tablebase.answer",
    "Outcomes": "goofspiel.tablebase.outcomes",
    "Tablebase": "goofspiel.tablebase.tablebase",
    "open_for": "goofspiel.tablebase.opening",
    "open_tablebase": "goofspiel.tablebase.opening",
    "outcomes": "goofspiel.tablebase.outcomes",
    "solve": "goofspiel.solver.api",
}
_MODULES = ("games", "play")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"goofspiel.{name}")
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
