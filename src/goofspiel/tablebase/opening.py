"""Find the table that answers, and solve it first when that takes no time."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from goofspiel.batch import cards_needed, no_such_game
from goofspiel.errors import MissingTableError, TableBusyError
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Objective, Rules
from goofspiel.solver import solve
from goofspiel.store import Table, is_being_solved, list_tables, solve_command, store_at, table_path
from goofspiel.tablebase.base import as_position
from goofspiel.tablebase.rows import CACHE_BYTES
from goofspiel.tablebase.tablebase import Tablebase

if TYPE_CHECKING:
    from goofspiel.tablebase.exact import ExactTablebase

SOLVED_ON_FIRST_USE = 9  # cards: up to here a solve takes about a second
EXACT_ON_FIRST_USE = {False: 6, True: 5}  # cards, by whether leads count: up to here an exact solve takes seconds


@overload
def open_tablebase(
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = ...,
    store: Path | str | None = ...,
    cache_bytes: int = ...,
    exact: Literal[False] = ...,
) -> Tablebase: ...


@overload
def open_tablebase(
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = ...,
    store: Path | str | None = ...,
    cache_bytes: int = ...,
    exact: Literal[True],
) -> "ExactTablebase": ...


def open_tablebase(
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = None,
    store: Path | str | None = None,
    cache_bytes: int = CACHE_BYTES,
    exact: bool = False,
) -> "Tablebase | ExactTablebase":
    """Open the table of a game. What takes seconds is solved when it is missing; above, that is an error.

    - `rules`: which game; a number of cards is the usual game, for points.
    - `objective`: what is maximised, if it is not that of the rules.
    - `store`: the folder or URL of the tables; by default the user's.
    - `cache_bytes`: how much of what was read is kept in memory.
    - `exact`: a table of fractions, see `ExactTablebase`.
    """
    game, folder = Rules.of(rules, objective=objective), store_at(store)
    if exact:
        return _open_exact(game, folder)
    path = table_path(folder, game)
    try:
        table = Table.open(path, game)
        if table.header.complete:
            return Tablebase(table, cache_bytes=cache_bytes)
    except MissingTableError:
        table = None
    if game.cards <= SOLVED_ON_FIRST_USE:
        keep, dtype = (table.header.keep, table.header.dtype) if table else ("all", None)
        solve(game, store=folder, resume=True, keep=keep, dtype=dtype, wait=True)
        return Tablebase(Table.open(path, game), cache_bytes=cache_bytes)
    if is_being_solved(path):
        raise TableBusyError(f"{path} is still being solved by another process")
    state = "is not solved" if table is None else "is not completely solved"
    keep = "all" if table is None else table.header.keep
    command = solve_command(game, folder, keep=keep, resume=table is not None)
    raise MissingTableError(f"the {game.objective} table of {game.cards} cards {state} in {folder}: {command}")


def _open_exact(game: Rules, folder: Path) -> "ExactTablebase":
    from goofspiel.solver.exact import check_exact, solve_exact
    from goofspiel.store.exact_table import ExactTable
    from goofspiel.tablebase.exact import ExactTablebase

    path = table_path(folder, game, exact=True)
    try:
        table = ExactTable.open(path, game)
        if table.header.complete:
            return ExactTablebase(table)
    except MissingTableError:
        check_exact(game)
    if game.cards > EXACT_ON_FIRST_USE[game.has_leads]:
        command = solve_command(game, folder, exact=True, resume=True)
        raise MissingTableError(
            f"the exact {game.objective} table of {game.cards} cards is not solved in {folder}: {command}"
        )
    solve_exact(game, store=folder, resume=True, wait=True)
    return ExactTablebase(ExactTable.open(path, game))


def open_for(
    position: Position | str, *, objective: Objective | str = Objective.POINTS, store: Path | str | None = None
) -> Tablebase:
    """Open the smallest solved table that holds a position; or name the command that makes it."""
    asked, folder = as_position(position), store_at(store)
    needed = needed_rules(asked, Rules(1, objective=Objective(objective)))
    for rules in candidates(needed, list_tables(folder)):
        try:
            tablebase = open_tablebase(rules, store=folder)
        except (MissingTableError, TableBusyError):
            continue  # not finished: a larger one may be
        if tablebase.holds(asked):
            return tablebase
    return open_tablebase(needed, store=folder)


def needed_rules(position: Position, like: Rules) -> Rules:
    """The smallest game, other than that like the given one, whose table holds a position."""
    needed = cards_needed(position, like)
    if needed > MAX_CARDS:
        raise no_such_game(position)
    return like.with_cards(needed)


def candidates(needed: Rules, there: Iterable[Rules]) -> Iterator[Rules]:
    """Which of the tables that are there hold what the needed one would: of games like it, with no fewer cards."""
    for rules in there:
        if rules.cards >= needed.cards and rules == needed.with_cards(rules.cards):
            yield rules
