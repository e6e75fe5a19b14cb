"""Tables on disk: one Zarr group a table, one array a level."""

from goofspiel.store.header import FORMAT, Header
from goofspiel.store.lock import SolveLock, is_being_solved
from goofspiel.store.paths import (
    default_store,
    exact_table_path,
    list_tables,
    lock_path,
    solve_command,
    store_at,
    table_path,
)
from goofspiel.store.table import Table

__all__ = [
    "FORMAT",
    "Header",
    "SolveLock",
    "Table",
    "default_store",
    "exact_table_path",
    "is_being_solved",
    "list_tables",
    "lock_path",
    "solve_command",
    "store_at",
    "table_path",
]
