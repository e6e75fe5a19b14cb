"""Solve a whole game in rationals, one prize set after the other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flint import fmpq

from goofspiel import __version__
from goofspiel.errors import DamagedTableError, MissingTableError, SolveError
from goofspiel.games.exact import exact_value
from goofspiel.plan import LevelPlan, make_plan
from goofspiel.rules import Objective
from goofspiel.solver.exact_cells import Children, Row, largest_lead, nothing, payoffs, value_count
from goofspiel.solver.progress import Progress, Report, silent
from goofspiel.states import prize_sets
from goofspiel.states.bands import successors
from goofspiel.store import SolveLock
from goofspiel.store.exact_table import ExactTable, path_of

# What solves took on one AVX2 core, and the digits of the longest value: both grow a hundredfold with each card.
SECONDS = {
    Objective.POINTS: {5: 0.3, 6: 1.6, 7: 90.0},
    Objective.WIN: {5: 2.2, 6: 20.0},
}
MOST_CARDS = {objective: max(taken) for objective, taken in SECONDS.items()}
GROWTH = 100


@dataclass(frozen=True, slots=True)
class ExactForecast:
    """What an exact solve will take, roughly."""

    cards: int
    objective: Objective
    games: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {name: getattr(self, name) for name in self.__slots__} | {"objective": str(self.objective)}

    @property
    def time(self) -> str:
        """Readable."""
        return f"about {self.seconds:,.0f} s" if self.seconds < 7200 else f"about {self.seconds / 3600:,.0f} h"

    def to_text(self) -> str:
        """For people."""
        return f"games    {self.games:,}\ntime     {self.time} on one core"


def exact_forecast(cards: int, objective: Objective) -> ExactForecast:
    """From what smaller games took."""
    taken, most = SECONDS[objective], MOST_CARDS[objective]
    seconds = taken.get(cards, 0.3 if cards < most else taken[most] * GROWTH ** (cards - most))
    return ExactForecast(cards, objective, make_plan(cards, objective=objective).games, seconds)


def check_exact(cards: int, objective: Objective) -> None:
    """Refuse what cannot be done in reasonable time."""
    most = MOST_CARDS[objective]
    if cards > most:
        time = exact_forecast(most + 1, objective).time
        raise SolveError(
            f"exact {objective} tables are for up to {most} cards, not {cards}: {most + 1} cards would take {time} "
            "on one core, with values a hundred times as long; --force tries all the same"
        )


def solve_exact(
    cards: int,
    *,
    objective: Objective | str = Objective.POINTS,
    store: Path | str | None = None,
    resume: bool = False,
    force: bool = False,
    progress: Report = silent,
    wait: bool = False,
) -> Path:
    """Solve a table exactly and keep it; the folder of the table.

    With `resume` what is there from before is kept: every file is read, and what is missing or damaged is solved again.
    """
    plan = make_plan(cards, objective=Objective(objective))
    if not force:
        check_exact(cards, plan.objective)
    path = path_of(cards, plan.objective, store)
    with SolveLock(path, wait=wait):
        try:
            table = ExactTable.open(path)
        except MissingTableError:
            table = ExactTable.create(path, cards, plan.objective, solver=__version__)
        found, sets = table.done_count(), len(table.prize_sets())
        if table.header.complete and found == sets and not resume:
            return path
        if found and not resume:
            raise SolveError(
                f"{path} is partly solved ({found} of {sets} prize sets): {table.mend_command} goes on with it"
            )
        table.remove_leftovers()
        below: dict[int, Row] = {0: nothing(plan.objective)}
        sets_done = games_done = 0
        for level in plan.levels:
            solver = _LevelSolver(level, below)
            values: dict[int, Row] = {}
            for number in range(level.prize_sets):
                known = _read_if_whole(table, level.level, number)
                values[number] = solver.solve(number) if known is None else known
                if known is None:
                    table.write(level.level, number, values[number])
                sets_done += 1
                games_done += solver.games(number)
                progress(Progress(level.level, len(plan.levels), games_done, plan.games, sets_done, sets))
            below = values
        if not table.header.complete:
            table.mark_complete()
    return path


def _read_if_whole(table: ExactTable, level: int, prize_set: int) -> Row | None:
    """The values of a prize set from before; None when they are to be solved."""
    try:
        return table.read(level, prize_set)
    except (MissingTableError, DamagedTableError):
        return None


class _LevelSolver:
    """The games of one level."""

    def __init__(self, level: LevelPlan, below: dict[int, Row]) -> None:
        self._level = level
        self._below = below
        self._successors = successors(level.cards, level.level, level.objective)
        self._sets = prize_sets.all_prize_sets(level.cards, level.level)

    def games(self, number: int) -> int:
        """The games of a prize set."""
        level = self._level
        return value_count(level.cards, level.level, level.objective, number) * level.level

    def solve(self, number: int) -> list[fmpq]:
        """The values of a prize set, [matchup][lead]: the mean over its upcards."""
        level = self._level
        lead = largest_lead(level.cards, level.level, level.objective, number)
        rounds = prize_sets.rounds(self._sets[number : number + 1], level.level)
        children = [
            Children.of(level.cards, level.level - 1, level.objective, child, self._below[child])
            for child in rounds.child.tolist()
        ]
        prize = [int(p) for p in rounds.prize]
        return [
            sum(
                (
                    exact_value(payoffs(self._successors, matchup, child, p, d))
                    for child, p in zip(children, prize, strict=True)
                ),
                fmpq(0),
            )
            / level.level
            for matchup in range(level.matchups)
            for d in range(-lead, lead + 1)
        ]
