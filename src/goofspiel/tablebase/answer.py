"""What is said about a position: value, mixes, matrix, regrets, gap, uniqueness."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from goofspiel import games
from goofspiel.arrays import Floats
from goofspiel.position import Position
from goofspiel.rules import Objective, cards_of
from goofspiel.tablebase.outcomes import MOST_CARDS, Outcomes, draw_before, draws_after, outcomes

T = TypeVar("T")


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
class Answer:
    """The answer at a position with an upcard. Rows of the matrix are my cards, columns theirs, ascending."""

    position: Position
    """What was asked."""
    objective: Objective
    """What both players maximise."""
    value: float
    """What the position is worth to me, its lead included."""
    mine: ByCard[float]
    """An optimal mix of mine: card → probability."""
    theirs: ByCard[float]
    """An optimal mix of theirs: card → probability."""
    matrix: tuple[tuple[float, ...], ...] = field(repr=False)
    """What each pair of bids is worth to me."""
    regret: ByCard[float] = field(repr=False)
    """What each of my cards loses against `theirs`; 0 for every card that is ever bid."""
    gap: float
    """The best reply to `theirs` minus the best reply to `mine`: 0 is perfect."""
    interchangeable: tuple[tuple[int, ...], ...] = field(repr=False)
    """My cards in groups that no card of theirs tells apart; single cards are left out."""

    @cached_property
    def ranges(self) -> ByCard[tuple[float, float]]:
        """The least and greatest probability of each card over all my optimal mixes.

        Interchangeable cards count as one, the lowest.
        """
        mine, theirs = self._distinct
        payoff = np.array(self.matrix)[np.ix_([self._row(card) for card in mine], [self._column(c) for c in theirs])]
        solution = games.Solution(
            self.value, _probabilities(self.mine, mine), _probabilities(self.theirs, theirs), self.gap
        )
        found = games.optimal_ranges(payoff, solution)
        ranges = dict.fromkeys(self.mine, (0.0, 0.0))
        ranges |= {card: (float(a), float(b)) for card, a, b in zip(mine, found.least, found.greatest, strict=True)}
        return ByCard(ranges)

    @cached_property
    def unique(self) -> bool:
        """Whether I have only one optimal mix, interchangeable cards apart."""
        return all(greatest - least <= games.optimal_face.SAME for least, greatest in self.ranges.values())

    @cached_property
    def outcomes(self) -> Outcomes | None:
        """How the game ends when both play to win, this round with these mixes.

        None for `points`, where the mixes of later rounds are not made for it, and with more than 8 cards in a hand.
        """
        if self.objective != Objective.WIN or self.position.level > MOST_CARDS:
            return None
        mixes = np.array(list(self.mine.values())), np.array(list(self.theirs.values()))
        return outcomes(self.value, float(mixes[0] @ draws_after(self.position) @ mixes[1]))

    @property
    def earns(self) -> ByCard[float]:
        """What each of my cards earns against an optimal opponent."""
        return ByCard({card: self.value - regret for card, regret in self.regret.items()})

    @property
    def _distinct(self) -> tuple[list[int], list[int]]:
        mine, _ = interchangeable_groups(self.position.mine, self.position.theirs)
        theirs, _ = interchangeable_groups(self.position.theirs, self.position.mine)
        return [group[0] for group in mine], [group[0] for group in theirs]

    def _row(self, card: int) -> int:
        return self.position.my_cards.index(card)

    def _column(self, card: int) -> int:
        return self.position.their_cards.index(card)


@dataclass(frozen=True)
class ChanceAnswer:
    """The answer at a position whose upcard is still to be drawn."""

    position: Position
    """What was asked."""
    objective: Objective
    """What both players maximise."""
    value: float
    """What the position is worth to me, its lead included: the mean over the upcards."""
    upcards: ByCard[float]
    """Card → value once it is turned up."""

    @cached_property
    def outcomes(self) -> Outcomes | None:
        """How the game ends when both play to win; None for `points`, and with more than 8 cards in a hand."""
        if self.objective != Objective.WIN or self.position.level > MOST_CARDS:
            return None
        return outcomes(self.value, draw_before(self.position))


def _probabilities(mix: Mapping[int, float], cards: list[int]) -> Floats:
    return np.array([mix[card] for card in cards])


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


def make_answer(position: Position, objective: Objective, payoff: Floats) -> Answer:
    """The answer from the payoffs of the distinct cards of both hands."""
    solution = games.solve(payoff)
    my_groups, my_group_of = interchangeable_groups(position.mine, position.theirs)
    their_groups, their_group_of = interchangeable_groups(position.theirs, position.mine)
    earns = payoff @ solution.column_mix
    return Answer(
        position,
        objective,
        value=solution.value,
        mine=_spread_mix(position.my_cards, my_groups, solution.row_mix),
        theirs=_spread_mix(position.their_cards, their_groups, solution.column_mix),
        matrix=tuple(map(tuple, payoff[np.ix_(my_group_of, their_group_of)].tolist())),
        regret=ByCard(
            {
                card: max(float(solution.value - earns[group]), 0.0)
                for card, group in zip(position.my_cards, my_group_of, strict=True)
            }
        ),
        gap=solution.gap,
        interchangeable=tuple(group for group in my_groups if len(group) > 1),
    )


def _spread_mix(cards: tuple[int, ...], groups: list[tuple[int, ...]], mix: Floats) -> ByCard[float]:
    """The whole probability of interchangeable cards goes to the lowest of them."""
    found = dict.fromkeys(cards, 0.0)
    found |= {group[0]: float(probability) for group, probability in zip(groups, mix, strict=True)}
    return ByCard(found)
