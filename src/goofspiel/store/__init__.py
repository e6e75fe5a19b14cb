"""Tables on disk: one Zarr group a table, one array a level."""

from goofspiel.store.blocks import Layout, make_layout
from goofspiel.store.header import FORMAT, Header
from goofspiel.store.lock import SolveLock, is_being_solved
from goofspiel.store.paths import default_store, list_tables, lock_path, solve_command, store_at, table_path
from goofspiel.store.table import Table

__all__ = [
    "FORMAT",
    "Header",
    "Layout",
    "SolveLock",
    "Table",
    "default_store",
    "is_being_solved",
    "list_tables",
    "lock_path",
    "make_layout",
    "solve_command",
    "store_at",
    "table_path",
]
