"""Solve a whole game in rationals, one prize set after the other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flint import fmpq

from goofspiel import __version__, prizes
from goofspiel.errors import MissingTableError, SolveError
from goofspiel.exact.cells import Children, Row, nothing, payoffs
from goofspiel.exact.store import ExactTable, path_of
from goofspiel.games.exact import exact_value
from goofspiel.plan import LevelPlan, make_plan
from goofspiel.rules import Objective
from goofspiel.shelves import shelve, successors
from goofspiel.solver.progress import Progress, Report, silent
from goofspiel.store import SolveLock

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

    def to_text(self) -> str:
        """For people."""
        time = f"{self.seconds:.0f} s" if self.seconds < 7200 else f"{self.seconds / 3600:,.0f} h"
        return f"games    {self.games:,}\ntime     about {time} on one core"


def exact_forecast(cards: int, objective: Objective) -> ExactForecast:
    """From what smaller games took."""
    taken, most = SECONDS[objective], MOST_CARDS[objective]
    seconds = taken.get(cards, 0.3 if cards < most else taken[most] * GROWTH ** (cards - most))
    return ExactForecast(cards, objective, make_plan(cards, objective=objective).games, seconds)


def check_exact(cards: int, objective: Objective) -> None:
    """Refuse what cannot be done in reasonable time."""
    most = MOST_CARDS[objective]
    if cards > most:
        hours = exact_forecast(most + 1, objective).seconds / 3600
        raise SolveError(
            f"exact {objective} tables are for up to {most} cards, not {cards}: {most + 1} cards would take about "
            f"{hours:,.0f} h, with values a hundred times as long; --force tries all the same"
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
    """Solve a table exactly and keep it; the folder of the table. What is there from before is kept."""
    plan = make_plan(cards, objective=Objective(objective))
    if not force:
        check_exact(cards, plan.objective)
    path = path_of(cards, plan.objective, store)
    with SolveLock(path, wait=wait):
        try:
            table = ExactTable.open(path)
        except MissingTableError:
            table = ExactTable.create(path, cards, plan.objective, solver=__version__)
        if table.header.complete and table.done_count() == sum(level.prize_sets for level in plan.levels):
            return path
        if table.done_count() and not resume:
            raise SolveError(f"{path} is partly solved: --resume goes on with it")
        below: dict[int, Row] = {0: nothing(plan.objective)}
        sets_done = games_done = 0
        sets = sum(level.prize_sets for level in plan.levels)
        for level in plan.levels:
            solver = _LevelSolver(level, below)
            values: dict[int, Row] = {}
            for number in range(level.prize_sets):
                if table.is_done(level.level, number):
                    values[number] = table.read(level.level, number)
                else:
                    values[number] = solver.solve(number)
                    table.write(level.level, number, list(values[number]))
                sets_done += 1
                games_done += solver.games(number)
                progress(Progress(level.level, len(plan.levels), games_done, plan.games, sets_done, sets))
            below = values
        table.mark_complete()
    return path


class _LevelSolver:
    """The games of one level."""

    def __init__(self, level: LevelPlan, below: dict[int, Row]) -> None:
        self._level = level
        self._below = below
        self._successors = successors(level.cards, level.level, level.objective)
        self._sets = prizes.all_prize_sets(level.cards, level.level)
        self._where = shelve(level.cards, level.level, level.objective)

    def _lead(self, number: int) -> int:
        return self._where.leads[int(self._where.shelf[number])]

    def games(self, number: int) -> int:
        """The games of a prize set."""
        return self._level.matchups * (2 * self._lead(number) + 1) * self._level.level

    def solve(self, number: int) -> list[fmpq]:
        """The values of a prize set, [matchup][lead]: the mean over its upcards."""
        level, lead = self._level, self._lead(number)
        rounds = prizes.rounds(self._sets[number : number + 1], level.level)
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
