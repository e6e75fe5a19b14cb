"""Find the table that answers, and solve it first when that takes no time."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from goofspiel.batch import cards_needed, no_such_game
from goofspiel.errors import MissingTableError, TableBusyError
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Objective, check_cards
from goofspiel.solver import solve
from goofspiel.store import Table, is_being_solved, list_tables, solve_command, store_at, table_path
from goofspiel.tablebase.rows import CACHE_BYTES
from goofspiel.tablebase.tablebase import Tablebase

if TYPE_CHECKING:
    from goofspiel.tablebase.exact import ExactTablebase

SOLVED_ON_FIRST_USE = 9  # cards: up to here a solve takes about a second


@overload
def open_tablebase(
    cards: int,
    *,
    objective: Objective | str = ...,
    store: Path | str | None = ...,
    cache_bytes: int = ...,
    exact: Literal[False] = ...,
) -> Tablebase: ...


@overload
def open_tablebase(
    cards: int,
    *,
    objective: Objective | str = ...,
    store: Path | str | None = ...,
    cache_bytes: int = ...,
    exact: Literal[True],
) -> "ExactTablebase": ...


def open_tablebase(
    cards: int,
    *,
    objective: Objective | str = Objective.POINTS,
    store: Path | str | None = None,
    cache_bytes: int = CACHE_BYTES,
    exact: bool = False,
) -> "Tablebase | ExactTablebase":
    """Open the table of a game. Up to nine cards it is solved when it is missing; above, that is an error.

    With `exact` it is a table of rationals, see `goofspiel.exact`.
    """
    check_cards(cards)
    if exact:
        from goofspiel.tablebase.exact import open_exact

        return open_exact(cards, objective=objective, store=store)
    objective = Objective(objective)
    folder = store_at(store)
    path = table_path(folder, cards, objective)
    try:
        table = Table.open(path, cards=cards, objective=objective)
        if table.header.complete:
            return Tablebase(table, cache_bytes=cache_bytes)
    except MissingTableError:
        table = None
    if cards <= SOLVED_ON_FIRST_USE:
        keep, dtype = (table.header.keep, table.header.dtype) if table else ("all", None)
        solve(cards, objective=objective, store=folder, resume=True, keep=keep, dtype=dtype, wait=True)
        return Tablebase(Table.open(path, cards=cards, objective=objective), cache_bytes=cache_bytes)
    if is_being_solved(path):
        raise TableBusyError(f"{path} is still being solved by another process")
    state = "is not solved" if table is None else "is not completely solved"
    keep = "all" if table is None else table.header.keep
    command = solve_command(cards, objective, folder, keep=keep, resume=table is not None)
    raise MissingTableError(f"the {objective} table of {cards} cards {state} in {folder}: {command}")


def open_for(
    position: Position, *, objective: Objective | str = Objective.POINTS, store: Path | str | None = None
) -> Tablebase:
    """Open the smallest solved table that holds a position; or name the command that makes it."""
    needed = cards_needed(position, Objective(objective))
    if needed > MAX_CARDS:
        raise no_such_game(position)
    folder = store_at(store)
    for cards, found in list_tables(folder):
        if found == objective and cards >= needed:
            try:
                tablebase = open_tablebase(cards, objective=objective, store=folder)
            except (MissingTableError, TableBusyError):
                continue  # not finished: a larger one may be
            if tablebase.holds(position):
                return tablebase
    return open_tablebase(needed, objective=objective, store=folder)
