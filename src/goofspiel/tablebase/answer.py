"""What is said about a position: value, mixes, matrix, regrets, gap, uniqueness; in doubles or in fractions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from goofspiel import games
from goofspiel.cards import cards_of
from goofspiel.games.exact import ExactSolution, exact_ranges, solve_exactly, to_fraction, to_rational
from goofspiel.games.optimal_face import is_surely_unique, optimal_ranges
from goofspiel.games.solution import Solution
from goofspiel.notebook import Tabular
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.states.occurrence import occurs
from goofspiel.states.space import Array
from goofspiel.tablebase.bounds import ROUNDING

T = TypeVar("T")
Number = TypeVar("Number", float, Fraction)


class ByCard(Mapping[int, T]):
    """Something for each card, ascending: a dict that does not change."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[int, T]) -> None:
        self._items = dict(items)

    def __getitem__(self, card: int) -> T:
        return self._items[card]

    def __iter__(self) -> Iterator[int]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


@dataclass(frozen=True)
class Answer(Tabular, Generic[Number]):
    """The answer at a position with an upcard. Rows of the matrix are my cards, columns theirs, ascending.

    Numbers are doubles, or fractions where the table is exact; then the gap is 0.
    """

    position: Position
    """What was asked."""
    rules: Rules
    """Which game it is."""
    value: Number
    """What the position is worth to me, its lead included."""
    mine: ByCard[Number]
    """An optimal mix of mine: card → probability."""
    theirs: ByCard[Number]
    """An optimal mix of theirs: card → probability."""
    gap: Number
    """The best reply to `theirs` minus the best reply to `mine`, in this matrix: 0 is perfect."""
    bound: Number
    """The value is within this of the true one: what the table's values may be wrong by, half of the gap, rounding."""
    _game: "SolvedGame" = field(repr=False, compare=False)

    @property
    def objective(self) -> Objective:
        """What both players maximise."""
        return self.rules.objective

    @cached_property
    def occurs(self) -> bool:
        """Whether a game of this many cards comes to the position; the answer is what it would be worth in any case."""
        return occurs(self.position, self.rules)

    @property
    def is_exact(self) -> bool:
        """Whether numbers are fractions."""
        return self._game.is_exact

    def heading(self) -> str:
        """What stands above its table."""
        return f"{self.position}: worth {float(self.value):+.6f} {self.objective.unit}"

    def columns(self) -> dict[str, list[Any]]:
        """My cards: how likely to bid each, what it earns against an optimal mix of theirs, what it loses."""
        cards, lost = list(self.position.my_cards), self.regret
        earned = [self.value - lost[card] for card in cards]
        mixed = {"probability": [self.mine[card] for card in cards], "earns": earned}
        return {"card": cards, **mixed, "regret": [lost[card] for card in cards]}

    @cached_property
    def matrix(self) -> tuple[tuple[Number, ...], ...]:
        """What each pair of bids is worth to me."""
        _, mine = interchangeable_groups(self.position.mine, self.position.theirs)
        _, theirs = interchangeable_groups(self.position.theirs, self.position.mine)
        return tuple(map(tuple, self._game.cells(mine, theirs)))

    @cached_property
    def regret(self) -> ByCard[Number]:
        """What each of my cards loses against `theirs`; 0 for every card that is ever bid."""
        _, group_of = interchangeable_groups(self.position.mine, self.position.theirs)
        lost = self._game.regrets()
        return ByCard({card: lost[group] for card, group in zip(self.position.my_cards, group_of, strict=True)})

    @cached_property
    def interchangeable(self) -> tuple[tuple[int, ...], ...]:
        """My cards in groups that no card of theirs tells apart; single cards are left out."""
        groups, _ = interchangeable_groups(self.position.mine, self.position.theirs)
        return tuple(group for group in groups if len(group) > 1)

    @cached_property
    def ranges(self) -> ByCard[tuple[Number, Number]]:
        """The least and greatest probability of each card over all my optimal mixes.

        Interchangeable cards count as one, the lowest. Where the table is not exact enough to tell, these are limits
        that no optimal mix passes.
        """
        groups, _ = interchangeable_groups(self.position.mine, self.position.theirs)
        nothing = self._game.number(0)
        ranges = dict.fromkeys(self.position.my_cards, (nothing, nothing))
        ranges |= {group[0]: span for group, span in zip(groups, self._game.optimal_set[0], strict=True)}
        return ByCard(ranges)

    @property
    def unique(self) -> bool | None:
        """Whether I have only one optimal mix, interchangeable cards apart.

        None when that cannot be told from this table: its values are not exact enough. `settled_by` an exact answer it
        can.
        """
        return self._game.optimal_set[1]

    @property
    def tells_unique(self) -> bool:
        """Whether `unique` is known; ranges need not be worked out for that."""
        return self._game.tells_unique

    def settled_by(self, ranges: Sequence[tuple[float, float]], *, unique: bool | None) -> "Answer[Number]":
        """The same answer, `unique` and the `ranges` of my cards, ascending, as an exact one has them."""
        groups, _ = interchangeable_groups(self.position.mine, self.position.theirs)
        by_card = dict(zip(self.position.my_cards, ranges, strict=True))
        game = replace(self._game, settled=([by_card[group[0]] for group in groups], unique))
        return replace(self, _game=game)

    @property
    def earns(self) -> ByCard[Number]:
        """What each of my cards earns against an optimal opponent."""
        return ByCard({card: self.value - regret for card, regret in self.regret.items()})

    def swap(self) -> "Answer[Number]":
        """The same answer as the other player sees it."""
        return answer_of(self.position.swap(), self.rules, self._game.swap())


@dataclass(frozen=True)
class ChanceAnswer(Tabular, Generic[Number]):
    """The answer at a position whose upcard is still to be drawn."""

    position: Position
    """What was asked."""
    rules: Rules
    """Which game it is."""
    value: Number
    """What the position is worth to me, its lead included: the mean over the upcards."""
    upcards: ByCard[Number]
    """Card → value once it is turned up."""
    bound: Number
    """Each of these values is within this of the true one."""

    @property
    def objective(self) -> Objective:
        """What both players maximise."""
        return self.rules.objective

    def heading(self) -> str:
        """What stands above its table."""
        return f"{self.position}: worth {float(self.value):+.6f} {self.objective.unit}"

    def columns(self) -> dict[str, list[Any]]:
        """The upcards, and what the position is worth after each."""
        return {"upcard": list(self.upcards), "value": list(self.upcards.values())}

    @cached_property
    def occurs(self) -> bool:
        """Whether a game of this many cards comes to the position; the answer is what it would be worth in any case."""
        return occurs(self.position, self.rules)

    @property
    def is_exact(self) -> bool:
        """Whether numbers are fractions."""
        return isinstance(self.value, Fraction)


@dataclass(frozen=True, eq=False)
class SolvedGame:
    """The matrix game of the distinct cards of both hands, and its solution, in doubles or in rationals."""

    payoffs: Array
    solution: Solution | ExactSolution
    error: float = 0.0  # each payoff is within this of the true one
    lead: int = 0  # what is added to every payoff, and makes no other difference
    settled: tuple[list[tuple[Any, Any]], bool | None] | None = None  # the optimal set, when somebody else knows it
    looked_at: bool | None = None  # whether the mixes are surely the only ones, when somebody has looked

    @staticmethod
    def of(payoffs: Array, error: float = 0.0) -> "SolvedGame":
        """Solve it by the engine that its numbers ask for."""
        if payoffs.dtype != object:
            return SolvedGame(payoffs, games.solve(payoffs), error)
        cells = np.vectorize(to_rational, otypes=[object])(payoffs)
        return SolvedGame(cells, solve_exactly(cells.tolist()))

    @property
    def is_exact(self) -> bool:
        """Whether numbers are rationals."""
        return isinstance(self.solution, ExactSolution)

    def number(self, number: Any) -> Any:
        """As answers have it: a double, with no negative zero, or a fraction."""
        return to_fraction(to_rational(number)) if self.is_exact else float(number) + 0.0

    @property
    def gap(self) -> Any:
        """That of the mixes."""
        return Fraction(0) if isinstance(self.solution, ExactSolution) else self.solution.gap

    @property
    def value(self) -> Any:
        """What the game is worth, its lead included."""
        return self.number(self.solution.value + self.lead)

    def cells(self, rows: Sequence[int], columns: Sequence[int]) -> list[list[Any]]:
        """The payoffs of some rows and columns, the lead included."""
        return [[self.number(self.payoffs[i, j] + self.lead) for j in columns] for i in rows]

    def regrets(self) -> list[Any]:
        """What each row loses against the column player's mix."""
        mix = np.array(self.solution.column_mix, dtype=self.payoffs.dtype)
        earned = earned_by_rows(self.payoffs, mix)
        return [self.number(max(self.solution.value - worth, 0)) for worth in earned]

    @property
    def bound(self) -> Any:
        """How far the value may be from the true one."""
        if isinstance(self.solution, ExactSolution):
            return Fraction(0)
        return self.error + self.solution.gap / 2 + ROUNDING * (float(np.abs(self.payoffs).max()) + abs(self.lead))

    @cached_property
    def optimal_set(self) -> tuple[list[tuple[Any, Any]], bool | None]:
        """The least and greatest probability of each row over all optimal mixes, and whether there is only one."""
        if self.settled is not None:
            return self.settled
        if isinstance(self.solution, ExactSolution):
            found = exact_ranges(self.payoffs.tolist(), self.solution)
            spans = [(to_fraction(least), to_fraction(greatest)) for least, greatest in found]
            return spans, all(least == greatest for least, greatest in spans)
        ranges = optimal_ranges(self.payoffs, self.solution, error=self.error, surely_unique=self._surely_unique)
        return list(zip(ranges.least.tolist(), ranges.greatest.tolist(), strict=True)), ranges.unique

    @cached_property
    def tells_unique(self) -> bool:
        """Whether the payoffs are exact enough to say if there is only one optimal mix."""
        if self.settled is not None:
            return self.settled[1] is not None
        if isinstance(self.solution, ExactSolution) or not self.error or len(self.payoffs) == 1:
            return True
        return self._surely_unique

    @cached_property
    def _surely_unique(self) -> bool:
        if self.looked_at is not None:
            return self.looked_at
        assert isinstance(self.solution, Solution)
        return is_surely_unique(self.payoffs, self.solution, self.error)

    def swap(self) -> "SolvedGame":
        """The same game with the players' sides changed."""
        found = self.solution
        if isinstance(found, ExactSolution):
            mirrored = ExactSolution(-found.value, found.column_mix, found.row_mix)
            return SolvedGame(-self.payoffs.T, mirrored, lead=-self.lead)
        return SolvedGame(seen_from_other_side(self.payoffs), found.swap(), self.error, -self.lead)


def seen_from_other_side(payoffs: Array) -> Array:
    """Games, `[…][row][column]`, as the column player sees them; no negative zeros."""
    return np.ascontiguousarray(-payoffs.swapaxes(-1, -2)) + 0.0


def earned_by_rows(payoffs: Array, mix: Array) -> Array:
    """What each row earns against a mix of the columns, `[…][row]`: to the last bit the same for one game and many."""
    return np.asarray((payoffs * mix[..., None, :]).sum(axis=-1))


def answer_of(position: Position, rules: Rules, game: SolvedGame) -> Answer[Any]:
    """The answer from the solved game of the distinct cards of both hands."""
    mine, theirs = position.my_cards, position.their_cards
    my_groups, _ = interchangeable_groups(position.mine, position.theirs)
    their_groups, _ = interchangeable_groups(position.theirs, position.mine)
    return Answer(
        position,
        rules,
        game.value,
        _spread_mix(mine, my_groups, game, game.solution.row_mix),
        _spread_mix(theirs, their_groups, game, game.solution.column_mix),
        game.gap,
        game.bound,
        game,
    )


def _spread_mix(cards: tuple[int, ...], groups: list[tuple[int, ...]], game: SolvedGame, mix: Any) -> ByCard[Any]:
    """The whole probability of interchangeable cards goes to the lowest of them."""
    found = dict.fromkeys(cards, game.number(0))
    found |= {group[0]: game.number(probability) for group, probability in zip(groups, mix, strict=True)}
    return ByCard(found)


def interchangeable_groups(hand: int, other: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """The cards of a hand in groups that no card of the other hand tells apart; and each card's group, ascending."""
    groups: list[list[int]] = []
    group_of = []
    joins = False  # whether the next card is of the last group: nobody else's lies between
    for card in cards_of(hand | other):
        bit = 1 << card - 1
        alone = not other & bit
        if hand & bit:
            if not (alone and joins):
                groups.append([])
            groups[-1].append(card)
            group_of.append(len(groups) - 1)
        joins = alone
    return [tuple(group) for group in groups], group_of
