"""Solve a whole game in rationals, one prize set after the other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flint import fmpq

from goofspiel import __version__
from goofspiel.errors import DamagedTableError, MissingTableError, ResourceError, TableConflictError
from goofspiel.rules import Objective, Rules
from goofspiel.solver.exact_rows import ExactRows, mean_values
from goofspiel.solver.progress import OnProgress, Progress, silent
from goofspiel.states.space import LevelSpace
from goofspiel.store import SolveLock, make_layout, solve_command, store_at, table_path
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
    games: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        said = {"rules": str(self.rules), "cards": self.rules.cards, "objective": str(self.rules.objective)}
        return said | {"games": self.games, "seconds": self.seconds}

    @property
    def time(self) -> str:
        """Readable."""
        how = "at least" if self.rules.rounds > most_rounds(self.rules) else "about"
        return f"{how} {self.seconds:,.0f} s" if self.seconds < 7200 else f"{how} {self.seconds / 3600:,.0f} h"

    def to_text(self) -> str:
        """For people."""
        return f"games    {self.games:,}\ntime     {self.time} on one core"


def exact_forecast(rules: Rules) -> ExactForecast:
    """From what smaller games took."""
    taken, games = SECONDS[rules.has_leads], make_layout(rules).games
    alike = Rules(max(rules.rounds, min(taken)), objective=rules.objective)
    known = min(alike.rounds, max(taken))
    usual = taken[known] * GROWTH ** (alike.rounds - known)
    return ExactForecast(rules, games, max(SECONDS_OF_FEW, usual * games / make_layout(alike).games))


def check_exact(rules: Rules, store: Path) -> None:
    """Refuse what cannot be done in reasonable time."""
    if rules.has_leads and not rules.can_be_decided:
        raise ResourceError(f"exact tables are for points and win, not {str(rules.objective)!r}")
    most = most_rounds(rules)
    if rules.rounds > most:
        raise ResourceError(
            f"exact {rules.objective} tables are for up to {most} cards, not {rules.rounds}: it would take "
            f"{exact_forecast(rules).time} on one core, since values get a hundred times as long with each card; "
            f"{solve_command(rules, store, exact=True)} --force tries"
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
        try:
            table = ExactTable.open(path, layout.rules)
        except MissingTableError:
            table = ExactTable.create(path, layout.rules, solver=__version__)
        found, sets = table.done_count(), len(table.prize_sets())
        if table.header.complete and found == sets and not resume:
            return path
        if found and not resume:
            raise TableConflictError(
                f"{path} is partly solved ({found} of {sets} prize sets): {table.resume_command} goes on with it"
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
                games_done += len(values[number]) * int(level.space.states.upcards[number])
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
