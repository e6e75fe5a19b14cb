"""Find the table that answers, and solve it first when that takes no time."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from goofspiel.batch import cards_needed, no_such_game
from goofspiel.cards import MAX_CARDS, counted
from goofspiel.errors import (
    DamagedTableError,
    GoofspielError,
    MissingTableError,
    OptionError,
    TableBusyError,
    TableVersionError,
    whole,
)
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.solver import solve
from goofspiel.solver.forecasts import on_threads, seconds_here
from goofspiel.solver.plan import Plan, size_text
from goofspiel.solver.resources import available_memory, available_threads
from goofspiel.store import Table, is_being_solved, list_tables, make_layout, solve_command, store_at, table_path
from goofspiel.store.locations import is_read_only, location
from goofspiel.store.paths import ZARR
from goofspiel.tablebase.base import as_position
from goofspiel.tablebase.rows import CACHE_BYTES
from goofspiel.tablebase.tablebase import Tablebase

if TYPE_CHECKING:
    from goofspiel.tablebase.exact import ExactTablebase

SOLVED_ON_FIRST_USE = 9  # cards: up to here a solve takes about a second
GAMES_ON_FIRST_USE = 50_000_000  # those of 9 cards to win
EXACT_SECONDS_ON_FIRST_USE = 5.0  # by the forecast


@overload
def open_tablebase(
    rules: Rules | int | str | Path,
    *,
    objective: Objective | str | None = ...,
    store: Path | str | None = ...,
    cache_bytes: int = ...,
    exact: Literal[False] = ...,
) -> Tablebase: ...


@overload
def open_tablebase(
    rules: Rules | int | str | Path,
    *,
    objective: Objective | str | None = ...,
    store: Path | str | None = ...,
    cache_bytes: int = ...,
    exact: Literal[True],
) -> "ExactTablebase": ...


def open_tablebase(
    rules: Rules | int | str | Path,
    *,
    objective: Objective | str | None = None,
    store: Path | str | None = None,
    cache_bytes: int = CACHE_BYTES,
    exact: bool = False,
) -> "Tablebase | ExactTablebase":
    """Open the table of a game. What takes seconds is solved when it is missing; above, that is an error.

    - `rules`: which game; a number of cards is the usual game, for points. Or where its table is: a folder, or a URL,
      `…/points-13.zarr`; then nothing else need be said.
    - `objective`: what is maximised, if it is not that of the rules.
    - `store`: the folder or URL of the tables; by default the user's.
    - `cache_bytes`: how much of what was read is kept in memory.
    - `exact`: a table of fractions, see `ExactTablebase`.
    """
    if isinstance(rules, str) and ("://" in rules or rules.rstrip("/").endswith(ZARR)):
        rules = location(rules)
    if not isinstance(rules, Rules | int | str) and not hasattr(rules, "joinpath"):
        rules = whole(rules, "number of cards")  # of NumPy's types
    if not isinstance(rules, Rules | int | str):
        if objective is not None or store is not None or exact:
            raise OptionError(f"{rules} says which table it is: objective, store and exact cannot be chosen")
        return Tablebase(_complete_table(rules), cache_bytes=cache_bytes)
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
    if is_read_only(folder):
        raise MissingTableError(f"there is no complete table of {_named(game)} at {folder}")
    if on_first_use(game):
        keep, dtype = (table.header.keep, table.header.dtype) if table else ("all", None)
        solve(game, store=folder, resume=True, keep=keep, dtype=dtype, wait=True)
        return Tablebase(Table.open(path, game), cache_bytes=cache_bytes)
    if is_being_solved(path):
        raise TableBusyError(f"{path} is still being solved by another process")
    state = "is not solved" if table is None else "is not completely solved"
    keep = "all" if table is None else table.header.keep
    command = solve_command(game, folder, keep=keep, resume=table is not None)
    raise MissingTableError(f"the table of {_named(game)} {state} in {folder}: {command} ({cost(game)})")


def _complete_table(path: Path) -> Table:
    """The table at a place, if all of it is there."""
    table = Table.open(path, Rules.from_slug(path.name.removesuffix(ZARR)))
    if not table.header.complete:
        raise MissingTableError(f"{path} is not completely solved")
    return table


def _open_exact(game: Rules, folder: Path) -> "ExactTablebase":
    from goofspiel.solver.exact import check_exact, exact_seconds, solve_exact, time_text
    from goofspiel.store.exact_table import ExactTable
    from goofspiel.tablebase.exact import ExactTablebase

    path = table_path(folder, game, exact=True)
    try:
        table = ExactTable.open(path, game)
        if table.header.complete:
            return ExactTablebase(table)
    except MissingTableError:
        check_exact(game, folder)
    if (seconds := exact_seconds(game)) > EXACT_SECONDS_ON_FIRST_USE:
        command = solve_command(game, folder, exact=True, resume=True)
        raise MissingTableError(
            f"the exact table of {_named(game)} is not solved in {folder}: {command} ({time_text(game, seconds)})"
        )
    solve_exact(game, store=folder, resume=True, wait=True)
    return ExactTablebase(ExactTable.open(path, game))


def on_first_use(rules: Rules) -> bool:
    """Whether a table is solved when it is first asked for: it takes seconds."""
    if rules.order is not None:
        return True
    return rules.cards <= SOLVED_ON_FIRST_USE and make_layout(rules).games <= GAMES_ON_FIRST_USE


def cost(rules: Rules) -> str:
    """What a table takes, roughly: by the forecast of `solve --dry-run`."""
    plan = Plan(make_layout(rules), available_threads())
    time = on_threads(seconds_here(plan.cpu_seconds), plan.threads).removeprefix("about ")
    disk, memory = size_text(plan.layout.disk_bytes()), size_text(plan.memory_bytes(available_memory()))
    return f"about {time}, {disk} of disk, {memory} of memory"


def _named(rules: Rules) -> str:
    """The game in a message."""
    return f"{counted(rules.cards, 'card')} {rules.objective.goal}" if rules.is_usual else f"the game {str(rules)!r}"


def open_for(
    position: Position | str,
    *,
    rules: Rules | int | str | None = None,
    objective: Objective | str | None = None,
    store: Path | str | None = None,
) -> Tablebase:
    """Open the smallest solved table that answers a position; or name the command that makes it.

    - `rules`: which game; its number of cards makes no difference where prizes are those of the cards.
    - `objective`: what is maximised, if it is not that of the rules.
    - `store`: the folder or URL of the tables; by default the user's.

    One that is damaged does not keep a larger one from answering.
    """
    like, folder = Rules.of(rules or Rules(1), objective=objective), store_at(store)
    asked = as_position(position, like)
    needed = needed_rules(asked, like)
    damage: GoofspielError | OSError | None = None
    for there in candidates(needed, list_tables(folder)):
        try:
            tablebase = open_tablebase(there, store=folder)
            if tablebase.holds(asked):
                tablebase.values([asked])  # what is read now is not read again by the one who asks
                return tablebase
        except (MissingTableError, TableBusyError):
            continue  # not finished: a larger one may be
        except (DamagedTableError, TableVersionError, OSError) as error:
            damage = damage or error
    try:
        found = open_tablebase(needed, store=folder)
        if not found.holds(asked):
            found.require_all_levels()
        return found
    except MissingTableError as missing:
        raise damage or missing from None


def needed_rules(position: Position, like: Rules) -> Rules:
    """The smallest game, other than that like the given one, whose table holds a position."""
    needed = cards_needed(position, like)
    if needed > MAX_CARDS:
        raise no_such_game(position, like)
    return like.with_cards(needed)


def candidates(needed: Rules, there: Iterable[Rules]) -> Iterator[Rules]:
    """Which of the tables that are there hold what the needed one would: of games like it, with no fewer cards."""
    for rules in there:
        if rules == needed or (needed.nests and rules.cards > needed.cards and rules == needed.with_cards(rules.cards)):
            yield rules
