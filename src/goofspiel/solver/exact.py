"""Solve a whole game in rationals, one prize set after the other."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq

from goofspiel import __version__
from goofspiel.errors import DamagedTableError, MissingTableError, ResourceError, TableConflictError
from goofspiel.rules import Objective, Rules
from goofspiel.solver.exact_rows import ExactRows, mean_values
from goofspiel.solver.progress import Found, OnProgress, Progress, silent
from goofspiel.states.space import LevelSpace
from goofspiel.store import SolveLock, is_being_solved, make_layout, solve_command, store_at, table_path
from goofspiel.store.exact_table import ExactTable
from goofspiel.store.locations import remove_leftovers

# What solves of the usual game took on one AVX2 core; with each card more, the digits of the longest value grow a
# hundredfold, and so, at the least, does the time.
SECONDS = {False: {5: 0.3, 6: 1.6, 7: 90.0}, True: {5: 2.2, 6: 20.0}}  # by whether leads count, and by cards
SECONDS_OF_FEW = 0.3
GROWTH = 100


def most_rounds(rules: Rules) -> int:
    """Up to how many a table is solved in reasonable time: numbers get longer with each."""
    return max(SECONDS[rules.has_leads])


@dataclass(frozen=True, slots=True)
class ExactForecast:
    """What an exact solve will take, roughly; with more cards than anybody has tried, at least."""

    rules: Rules
    path: Path
    found: Found
    games: int
    seconds: float  # for what is not solved yet, on one core

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        said = {"rules": str(self.rules), "cards": self.rules.cards, "objective": str(self.rules.objective)}
        took = {"cpu_seconds": self.seconds, "threads": 1, "wall_seconds": self.seconds}
        return {"table": str(self.path), **said, "games": self.games, **self.found.to_json(), **took}

    def to_text(self) -> str:
        """For people."""
        time = f"{time_text(self.rules, self.seconds)} on one core"
        return "\n".join(
            [
                f"table    {self.path}",
                f"state    {self.found.to_text()}",
                f"games    {self.games:,}",
                f"time     {'nothing to do' if self.found.complete else time}",
            ]
        )


def time_text(rules: Rules, seconds: float) -> str:
    """So many seconds for a game, readable."""
    how = "at least" if rules.rounds > most_rounds(rules) else "about"
    return f"{how} {seconds:,.0f} s" if seconds < 7200 else f"{how} {seconds / 3600:,.0f} h"


def exact_seconds(rules: Rules) -> float:
    """What a solve takes, from what smaller games took."""
    taken = SECONDS[rules.has_leads]
    alike = Rules(max(rules.rounds, min(taken)), objective=rules.objective)
    known = min(alike.rounds, max(taken))
    usual: float = taken[known] * GROWTH ** (alike.rounds - known)
    return max(SECONDS_OF_FEW, usual * make_layout(rules).games / make_layout(alike).games)


def exact_forecast(rules: Rules, *, store: Path, force: bool = False) -> ExactForecast:
    """Forecast an exact solve; what the solve would refuse is refused."""
    if not force:
        check_exact(rules, store)
    path, layout = table_path(store, rules, exact=True), make_layout(rules)
    table, found = look_exact(path, rules)
    spaces = {level.level: level.space for level in layout.levels}
    done = [which for which in table.prize_sets() if table.is_done(*which)] if table else []
    left = layout.games - sum(_set_games(spaces[level], number) for level, number in done)
    seconds = exact_seconds(rules) * left / layout.games if left else 0.0
    found = replace(found, being_solved=is_being_solved(path))
    return ExactForecast(rules, path, found, layout.games, seconds)


def look_exact(path: Path, rules: Rules) -> tuple[ExactTable | None, Found]:
    """The table that a solve would go on with, if there is one, and how much of it."""
    sets = sum(level.space.rows for level in make_layout(rules).levels)
    try:
        table = ExactTable.open(path, rules)
    except MissingTableError:
        return None, Found(0, sets, "prize sets", complete=False)
    done = table.done_count()
    return table, Found(done, sets, "prize sets", complete=table.header.complete and done == sets)


def _set_games(space: LevelSpace, number: int) -> int:
    """The games of a prize set."""
    values = space.columns_with(int(space.states.tied[number])) * (2 * space.largest_lead(number) + 1)
    return values * int(space.states.upcards[number])


def check_exact(rules: Rules, store: Path) -> None:
    """Refuse what cannot be done in reasonable time."""
    if not rules.has_whole_ends:
        raise ResourceError(f"exact tables are for points and win, not {str(rules.objective)!r}")
    most = most_rounds(rules)
    if rules.rounds > most:
        raise ResourceError(
            f"exact {rules.objective} tables are for up to {most} cards, not {rules.rounds}: it would take "
            f"{time_text(rules, exact_seconds(rules))} on one core, since values get a hundred times as long with "
            f"each card; {solve_command(rules, store, exact=True)} --force tries"
        )


def solve_exact(
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = None,
    store: Path | str | None = None,
    resume: bool = False,
    force: bool = False,
    on_progress: OnProgress = silent,
    wait: bool = False,
) -> Path:
    """Solve a table exactly and keep it; the folder of the table.

    With `resume` what is there from before is kept: every file is read, and what is missing or damaged is solved again.
    """
    layout = make_layout(Rules.of(rules, objective=objective))
    folder = store_at(store)
    if not force:
        check_exact(layout.rules, folder)
    path = table_path(folder, layout.rules, exact=True)
    with SolveLock(path, wait=wait):
        there, found = look_exact(path, layout.rules)
        table, sets = there or ExactTable.create(path, layout.rules, solver=__version__), found.parts
        if found.complete and not resume:
            return path
        if found.done and not resume:
            raise TableConflictError(
                f"{path} is partly solved ({found.done} of {sets} prize sets): {table.resume_command} goes on with it"
            )
        remove_leftovers(path)
        below: dict[int, list[fmpq]] = {}
        sets_done = games_done = 0
        for level in layout.levels:
            solver = _ExactLevel(level.space, below)
            values: dict[int, list[fmpq]] = {}
            for number in range(level.space.rows):
                known = _read_if_whole(table, level.level, number)
                values[number] = solver.solve(number) if known is None else known
                if known is None:
                    table.write(level.level, number, values[number])
                sets_done += 1
                games_done += _set_games(level.space, number)
                on_progress(Progress(level.level, layout.levels[-1].level, games_done, layout.games, sets_done, sets))
            below = values
        if not table.header.complete:
            table.mark_complete()
    return path


def _read_if_whole(table: ExactTable, level: int, prize_set: int) -> list[fmpq] | None:
    """The values of a prize set from before; None when they are to be solved."""
    try:
        return table.read(level, prize_set)
    except (MissingTableError, DamagedTableError):
        return None


class _ExactLevel:
    """The games of one level."""

    def __init__(self, space: LevelSpace, below: dict[int, list[fmpq]]) -> None:
        self._space = space
        self._below = ExactRows(space.rules, lambda _, number: below[number])
        self._successors = space.successors()

    def solve(self, number: int) -> list[fmpq]:
        """The values of a row, [column][lead]."""
        lead, ties = self._space.largest_lead(number), int(self._space.states.tied[number])
        leads = np.arange(-lead, lead + 1)
        return [
            value
            for column in self._space.kept_columns(ties).tolist()
            for value in mean_values(self._space, self._successors, column, number, leads, stored=self._below)
        ]
