"""Goofspiel, the Game of Pure Strategy, solved: every position's value and optimal mixes."""

from typing import TYPE_CHECKING, Any

from goofspiel.errors import (
    DamagedTableError,
    GoofspielError,
    MissingTableError,
    PlayerError,
    PositionError,
    RecordError,
    RulesError,
    SolveError,
    TableBusyError,
    TableVersionError,
)
from goofspiel.position import Position
from goofspiel.rules import Objective

if TYPE_CHECKING:
    from goofspiel.solver import solve
    from goofspiel.tablebase import Tablebase, open_tablebase
    from goofspiel.tablebase.answer import Answer, ChanceAnswer

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "ChanceAnswer",
    "DamagedTableError",
    "GoofspielError",
    "MissingTableError",
    "Objective",
    "PlayerError",
    "Position",
    "PositionError",
    "RecordError",
    "RulesError",
    "SolveError",
    "TableBusyError",
    "TableVersionError",
    "Tablebase",
    "__version__",
    "open_tablebase",
    "solve",
]

# Imported when first used: they bring NumPy along.
_LATER = {
    "Answer": "goofspiel.tablebase.answer",
    "ChanceAnswer": "goofspiel.tablebase.answer",
    "Tablebase": "goofspiel.tablebase",
    "open_tablebase": "goofspiel.tablebase",
    "solve": "goofspiel.solver",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
