"""Open solved tables and ask them about positions."""

from goofspiel.tablebase.bounds import Bound, table_bound
from goofspiel.tablebase.opening import SOLVED_ON_FIRST_USE, open_for, open_tablebase
from goofspiel.tablebase.tablebase import Tablebase
from goofspiel.tablebase.verify import Verification, verify

__all__ = [
    "SOLVED_ON_FIRST_USE",
    "Bound",
    "Tablebase",
    "Verification",
    "open_for",
    "open_tablebase",
    "table_bound",
    "verify",
]
