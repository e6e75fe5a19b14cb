"""Open solved tables and ask them about positions."""

from goofspiel.tablebase.answer import Answer, ByCard, ChanceAnswer
from goofspiel.tablebase.bounds import Bound, table_bound
from goofspiel.tablebase.opening import SOLVED_ON_FIRST_USE, open_for, open_tablebase
from goofspiel.tablebase.tablebase import Tablebase

__all__ = [
    "SOLVED_ON_FIRST_USE",
    "Answer",
    "Bound",
    "ByCard",
    "ChanceAnswer",
    "Tablebase",
    "open_for",
    "open_tablebase",
    "table_bound",
]
