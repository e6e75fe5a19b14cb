"""Which games a study looks at: those that are solved, within what was asked for."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from goofspiel.errors import GoofspielError, MissingTableError, TableBusyError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules, Ties, check_cards
from goofspiel.store import default_store, list_tables, solve_command, store_at
from goofspiel.studies.study import numbers_text, runs
from goofspiel.tablebase import Tablebase, open_tablebase
from goofspiel.tablebase.opening import on_first_use

FULL_SUIT = 13  # cards: missing tables are named up to here, unless more is asked for


class StudyError(GoofspielError, ValueError):
    """There is no such study, or it cannot be made of what was asked for."""


@dataclass(frozen=True)
class Request:
    """Some numbers of cards, or all that are solved; one objective, or all that the study is about."""

    cards: Sequence[int] | None = None
    objective: Objective | None = None
    store: Path | str | None = None
    on_progress: Callable[[int, int, str], None] = lambda done, whole, remark: None

    def __post_init__(self) -> None:
        if self.cards is not None and not self.cards:
            raise StudyError("a study looks at some number of cards, not at none")
        for number in self.cards or ():
            check_cards(number)

    @property
    def is_single(self) -> bool:
        """One game that is asked for must be there; of several, those that are."""
        return self.cards is not None and len(self.cards) == 1

    def objectives(self, study: str, possible: Sequence[Objective] = tuple(Objective)) -> tuple[Objective, ...]:
        """The objectives to look at."""
        if self.objective is None:
            return tuple(possible)
        if self.objective not in possible:
            raise StudyError(f"study {study} is about {' and '.join(possible)}, not {str(self.objective)!r}")
        return (self.objective,)

    def open(self, rules: Rules) -> Tablebase:
        """A table."""
        return open_tablebase(rules, store=self.store)

    def each(self, games: Sequence[Rules], remark: str = "{0.objective}, {0.cards} cards") -> Iterator[Rules]:
        """The games one after the other; the progress is how many of them are done, and which is next."""
        for done, rules in enumerate(games):
            self.on_progress(done, len(games), remark.format(rules))
            yield rules
        self.on_progress(1, 1, "")

    def range(self, study: str, *, least: int, most: int) -> Sequence[int]:
        """The numbers of cards that are asked for, out of those that the study can be made of."""
        possible = range(least, most + 1)
        if self.cards is None:
            return possible
        found = [cards for cards in possible if cards in self.cards]
        if not found:
            raise StudyError(f"study {study} takes {least} to {most} cards, not {_list_text(self.cards)}")
        return found

    def find(
        self,
        study: str,
        objective: Objective,
        *,
        least: int,
        most: int,
        whole: bool = False,
        ties: Ties = Ties.DISCARD,
    ) -> "Found":
        """The tables that are there; a single one that is asked for by its number must be there.

        With `whole`, a table of which only the last level was kept is none.
        """
        games = [Rules(cards, objective=objective, ties=ties) for cards in self.range(study, least=least, most=most)]
        if self.is_single:
            (rules,) = games
            with self.open(rules) as tablebase:
                if whole and not _has_all_levels(tablebase):
                    raise StudyError(f"study {study} needs all levels of {tablebase.path}, of which the last was kept")
            return Found((rules,), ())
        there = list_tables(store_at(self.store))
        solved: list[Rules] = []
        missing: list[Rules] = []
        for rules in games:
            at_hand = on_first_use(rules) or rules in there
            (solved if at_hand and self._is_there(rules, whole) else missing).append(rules)
        named = [rules for rules in missing if self.cards is not None or rules.cards <= FULL_SUIT]
        return Found(tuple(solved), self._left_out(named))

    def _is_there(self, rules: Rules, whole: bool) -> bool:
        try:
            with self.open(rules) as tablebase:
                return not whole or _has_all_levels(tablebase)
        except (MissingTableError, TableBusyError):
            return False

    def _left_out(self, missing: Sequence[Rules]) -> tuple[str, ...]:
        if not missing:
            return ()
        game = f"{missing[0].objective}{', ties carried,' * missing[0].has_pots}"
        commands = "; ".join(solve_command(rules, store_at(self.store)) for rules in missing)
        cards = numbers_text([rules.cards for rules in missing])
        return (f"Left out, not solved: {game} of {cards} cards. To solve: {commands}",)

    def command(self, study: str) -> str:
        """The command that makes the study again."""
        words = ["goofspiel", "study", study]
        words += ["--cards", _list_text(self.cards)] if self.cards is not None else []
        if self.objective is not None:
            words += ["--objective", str(self.objective)]
        if store_at(self.store) != default_store():
            words += ["--store", str(self.store)]
        return " ".join(words)


@dataclass(frozen=True)
class Found:
    """Games whose tables are solved, and what is said of those that are missing."""

    games: tuple[Rules, ...]
    left_out: tuple[str, ...]


def _list_text(cards: Sequence[int]) -> str:
    """Numbers as they are typed: 3-9,13."""
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs(sorted(set(cards))))


def _has_all_levels(tablebase: Tablebase) -> bool:
    """Whether the lowest level was kept, and so all."""
    return tablebase.cards < 2 or tablebase.holds(Position("A/2/A -"))
