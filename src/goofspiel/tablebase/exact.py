"""Ask an exact table about positions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from flint import fmpq

from goofspiel.arrays import Floats
from goofspiel.batch import cards_needed
from goofspiel.errors import MissingTableError, SolveError
from goofspiel.games.exact import ExactSolution, exact_ranges, exact_value, solve_exactly, to_fraction
from goofspiel.position import Position
from goofspiel.rules import Objective, check_cards
from goofspiel.solver.endgame import Recursion
from goofspiel.solver.exact import check_exact, solve_exact
from goofspiel.solver.exact_cells import Children, nothing, payoffs, worth_at_the_end
from goofspiel.states import bands, matchups, prize_sets
from goofspiel.states.subsets import Masks
from goofspiel.store import solve_command
from goofspiel.store.exact_table import ExactTable, path_of
from goofspiel.tablebase.answer import ByCard, interchangeable_groups
from goofspiel.tablebase.opened import OpenedTable

MOST_ALONE = 5  # cards in a hand that are solved without a table: seconds
SOLVED_ON_FIRST_USE = {Objective.POINTS: 6, Objective.WIN: 5}  # cards: up to here a solve takes seconds


@dataclass(frozen=True)
class ExactAnswer:
    """The answer at a position with an upcard, in fractions. Rows of the matrix are my cards, columns theirs."""

    position: Position
    """What was asked."""
    objective: Objective
    """What both players maximise."""
    value: Fraction
    """What the position is worth to me, its lead included."""
    mine: ByCard[Fraction]
    """An optimal mix of mine: card → probability."""
    theirs: ByCard[Fraction]
    """An optimal mix of theirs: card → probability."""
    interchangeable: tuple[tuple[int, ...], ...] = field(repr=False)
    """My cards in groups that no card of theirs tells apart; single cards are left out."""
    _cells: list[list[fmpq]] = field(repr=False, compare=False)
    _solution: ExactSolution = field(repr=False, compare=False)

    @cached_property
    def matrix(self) -> tuple[tuple[Fraction, ...], ...]:
        """What each pair of bids is worth to me."""
        _, mine = interchangeable_groups(self.position.mine, self.position.theirs)
        _, theirs = interchangeable_groups(self.position.theirs, self.position.mine)
        return tuple(tuple(to_fraction(self._cells[i][j]) for j in theirs) for i in mine)

    @cached_property
    def regret(self) -> ByCard[Fraction]:
        """What each of my cards loses against their mix."""
        _, group_of = interchangeable_groups(self.position.mine, self.position.theirs)
        mix = self._solution.column_mix
        lost = [
            self._solution.value - sum((c * p for c, p in zip(row, mix, strict=True) if p), fmpq(0))
            for row in self._cells
        ]
        return ByCard({card: to_fraction(lost[g]) for card, g in zip(self.position.my_cards, group_of, strict=True)})

    @cached_property
    def ranges(self) -> ByCard[tuple[Fraction, Fraction]]:
        """The least and greatest probability of each card over all my optimal mixes; interchangeable cards as one."""
        groups, _ = interchangeable_groups(self.position.mine, self.position.theirs)
        found = exact_ranges(self._cells, self._solution)
        ranges = dict.fromkeys(self.position.my_cards, (Fraction(0), Fraction(0)))
        ranges |= {
            group[0]: (to_fraction(least), to_fraction(greatest))
            for group, (least, greatest) in zip(groups, found, strict=True)
        }
        return ByCard(ranges)

    @cached_property
    def unique(self) -> bool:
        """Whether I have only one optimal mix, interchangeable cards apart."""
        return all(least == greatest for least, greatest in self.ranges.values())


@dataclass(frozen=True)
class ExactChanceAnswer:
    """The answer at a position whose upcard is still to be drawn, in fractions."""

    position: Position
    """What was asked."""
    objective: Objective
    """What both players maximise."""
    value: Fraction
    """What the position is worth to me, its lead included: the mean over the upcards."""
    upcards: ByCard[Fraction]
    """Card → value once it is turned up."""


class ExactTablebase(OpenedTable):
    """A solved exact table: `probe` gives answers in fractions, `get` None where there is none."""

    def __init__(self, table: ExactTable) -> None:
        super().__init__(table.path, table.header.cards, table.header.objective)
        self._table = table
        self.row = lru_cache(maxsize=256)(self._read)  # the values of a prize set: (level, number)

    def __repr__(self) -> str:
        where = str(self.path.parent)
        return f"open_tablebase({self.cards}, exact=True, objective={str(self.objective)!r}, store={where!r})"

    def close(self) -> None:
        """Let go of what was read."""
        self.row.cache_clear()

    def holds(self, position: Position) -> bool:
        """Whether the table answers this position."""
        return cards_needed(position, self.objective) <= self.cards

    def get(self, position: Position) -> ExactAnswer | ExactChanceAnswer | None:
        """The answer for a position, or None when the table does not hold it."""
        return self.probe(position) if self.holds(position) else None

    def probe(self, position: Position) -> ExactAnswer | ExactChanceAnswer:
        """The answer for a position: an `ExactAnswer` when an upcard is shown, an `ExactChanceAnswer` before."""
        needed = cards_needed(position, self.objective)
        if needed > self.cards:
            raise MissingTableError(
                f"{str(position)!r} needs an exact table of {needed} cards, {self.path.name} has {self.cards}"
            )
        return _answer(position, self.objective, self._cells)

    def stored(self, position: Position) -> fmpq:
        """What is kept of a position before its upcard: nothing is solved."""
        mine, theirs = _hands(position)
        index, sign = bands.number(mine, theirs, self.cards, position.level, self.objective)
        children = self._children(position.level, position.deck)
        return children.worth(int(index[0]) if sign[0] else children.equal, int(sign[0]), position.lead)

    def values(self, positions: Iterable[Position]) -> Floats:
        """The values of many positions, in their order, rounded to doubles."""
        return np.array([float(self.probe(position).value) for position in positions])

    def _read(self, level: int, prize_set: int) -> list[fmpq]:
        if level == 0:
            return list(nothing(self.objective))
        return self._table.read(level, prize_set)

    def _cells(self, position: Position) -> list[list[fmpq]]:
        """The payoffs of the distinct cards of both hands."""
        children = self._children(position.level - 1, position.deck)
        words = matchups.patterns_of(*_hands(position))
        successors = matchups.successors(*words, position.level, children.equal)
        return payoffs(successors, 0, children, position.upcard, position.lead)

    def _children(self, level: int, deck: int) -> Children:
        number = int(prize_sets.number(np.array([deck], dtype=np.uint16))[0])
        return Children.of(self.cards, level, self.objective, number, self.row(level, number))


def _hands(position: Position) -> tuple[Masks, Masks]:
    return np.array([position.mine], dtype=np.uint16), np.array([position.theirs], dtype=np.uint16)


def _answer(
    position: Position, objective: Objective, cells_of: Callable[[Position], list[list[fmpq]]]
) -> ExactAnswer | ExactChanceAnswer:
    """The answer at a position, from the payoffs of the distinct cards of both hands when an upcard is shown."""
    if not position.upcard:
        shown = {card: exact_value(cells_of(position.turn_up(card))) for card in position.deck_cards}
        value = sum(shown.values(), fmpq(0)) / len(shown) if shown else worth_at_the_end(position.lead, objective)
        upcards = ByCard({card: to_fraction(found) for card, found in shown.items()})
        return ExactChanceAnswer(position, objective, to_fraction(value), upcards)
    cells = cells_of(position)
    solution = solve_exactly(cells)
    groups, _ = interchangeable_groups(position.mine, position.theirs)
    their_groups, _ = interchangeable_groups(position.theirs, position.mine)
    return ExactAnswer(
        position,
        objective,
        to_fraction(solution.value),
        _spread(position.my_cards, groups, solution.row_mix),
        _spread(position.their_cards, their_groups, solution.column_mix),
        tuple(group for group in groups if len(group) > 1),
        cells,
        solution,
    )


def probe_alone(
    position: Position, *, objective: Objective | str = Objective.POINTS
) -> ExactAnswer | ExactChanceAnswer:
    """The exact answer at a position without any table: everything that can follow it is solved."""
    if position.level > MOST_ALONE:
        raise SolveError(
            f"{str(position)!r} has {position.level} cards in a hand: "
            f"without a table, exact answers are for up to {MOST_ALONE}"
        )
    objective = Objective(objective)
    return _answer(position, objective, Recursion(objective).cells)


def _spread(cards: tuple[int, ...], groups: list[tuple[int, ...]], mix: tuple[fmpq, ...]) -> ByCard[Fraction]:
    """The whole probability of interchangeable cards goes to the lowest of them."""
    found = dict.fromkeys(cards, Fraction(0))
    found |= {group[0]: to_fraction(p) for group, p in zip(groups, mix, strict=True)}
    return ByCard(found)


def open_exact(
    cards: int, *, objective: Objective | str = Objective.POINTS, store: Path | str | None = None
) -> ExactTablebase:
    """Open an exact table. What takes seconds is solved when it is missing; above, that is an error."""
    objective = Objective(objective)
    check_cards(cards)
    path = path_of(cards, objective, store)
    try:
        table = ExactTable.open(path)
        if table.header.complete:
            return ExactTablebase(table)
    except MissingTableError:
        check_exact(cards, objective)
    if cards > SOLVED_ON_FIRST_USE[objective]:
        command = solve_command(cards, objective, path.parent, exact=True, resume=True)
        raise MissingTableError(
            f"the exact {objective} table of {cards} cards is not solved in {path.parent}: {command}"
        )
    solve_exact(cards, objective=objective, store=store, resume=True, wait=True)
    return ExactTablebase(ExactTable.open(path))
