"""The types of the fixtures of conftest.py that are functions."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.exact import ExactTablebase

if TYPE_CHECKING:
    from goofspiel.studies.study import Study

Call: TypeAlias = Callable[..., tuple[int, str, str]]
Exact: TypeAlias = Callable[..., ExactTablebase]
Made: TypeAlias = "Callable[..., Study]"
Repeats: TypeAlias = Callable[[int, int], int]
Tablebases: TypeAlias = Callable[..., Tablebase]
Tally: TypeAlias = Callable[[str, int], None]
Win: TypeAlias = Callable[[int], Tablebase]
