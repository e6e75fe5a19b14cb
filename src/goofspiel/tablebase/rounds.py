"""The rounds of many positions of one level, solved: distinct games once, asked for by any number of positions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.games.solution import BatchSolution
from goofspiel.states.matchups import distinct_cards
from goofspiel.states.subsets import BITS, Masks
from goofspiel.tablebase.answer import earned_by_rows, seen_from_other_side

TABLE_SHARE = 8  # a range of keys no larger than this many times their number is counted in a table


class SolvedShape(NamedTuple):
    """Distinct games of one shape: rows and columns are groups of interchangeable cards."""

    members: NDArray[np.intp]
    payoffs: Floats
    solution: BatchSolution


@dataclass(frozen=True, eq=False)
class SolvedRounds:
    """Values, mixes and payoffs of positions with an upcard, all with equally many cards.

    Mixes and regrets are `[position][card]`, payoffs `[position][my card][their card]`: the cards of each hand,
    ascending.
    """

    _shapes: Sequence[SolvedShape]  # of the distinct games, seen from one side
    _patterns: tuple[Masks, Masks]  # by game: both hands
    _level: int
    _which: NDArray[np.intp]  # by position: its game
    _sign: NDArray[np.int8]  # by position: −1: it is seen from the other side; 0: it is worth nothing but its lead
    _lead: Floats  # by position: to be added to the game's values

    @property
    def value(self) -> Floats:
        """What each position is worth to me."""
        return self._of_games(lambda shape: shape.solution.value)[self._which] * self._sign + self._lead

    @property
    def gap(self) -> Floats:
        """The proof of each pair of mixes: 0 is perfect."""
        return self._of_games(lambda shape: shape.solution.gap)[self._which]

    @property
    def mine(self) -> Floats:
        """An optimal mix of mine for each position."""
        return self._mixes[self._flipped, self._which]

    @property
    def theirs(self) -> Floats:
        """An optimal mix of theirs for each position."""
        return self._mixes[1 - self._flipped, self._which]

    @property
    def regret(self) -> Floats:
        """What each of my cards loses against `theirs`."""
        lost = np.empty((2, self._games, self._level))
        for (members, payoffs, found), groups in zip(self._shapes, self._groups, strict=True):
            mine = found.value[:, None] - earned_by_rows(payoffs, found.column_mix)
            theirs = -found.value[:, None] - earned_by_rows(seen_from_other_side(payoffs), found.row_mix)
            for side, (one, group) in enumerate(zip((mine, theirs), groups, strict=True)):
                lost[side, members] = np.take_along_axis(one, group, axis=1)
        return np.maximum(lost, 0.0)[self._flipped, self._which]

    @cached_property
    def by_shape(self) -> list[SolvedShape]:
        """The games of the positions as they are asked, without leads that are only added: each shape by itself."""
        shape, place = np.empty((2, self._games), dtype=np.intp)
        for number, (members, _, _) in enumerate(self._shapes):
            shape[members], place[members] = number, np.arange(len(members))
        found = []
        for number, (_, payoffs, solved) in enumerate(self._shapes):
            for turned in (False, True):
                members = np.flatnonzero((shape[self._which] == number) & ((self._sign < 0) == turned))
                if len(members):
                    some = place[self._which[members]]
                    mixes = solved.row_mix[some], solved.column_mix[some]
                    value, gap = solved.value[some], solved.gap[some]
                    if turned:
                        solution = BatchSolution(-value + 0.0, *mixes[::-1], gap)
                        found.append(SolvedShape(members, seen_from_other_side(payoffs[some]), solution))
                    else:
                        found.append(SolvedShape(members, payoffs[some], BatchSolution(value, *mixes, gap)))
        return found

    def payoffs(self) -> Floats:
        """What each pair of bids is worth to me."""
        distinct = np.empty((self._games, self._level, self._level))
        for (members, payoffs, _), (mine, theirs) in zip(self._shapes, self._groups, strict=True):
            here = np.arange(len(members))[:, None, None]
            distinct[members] = payoffs[here, mine[:, :, None], theirs[:, None, :]]
        found = distinct[self._which]
        turned = self._sign < 0
        found[turned] = -found[turned].transpose(0, 2, 1)
        return found + self._lead[:, None, None]

    @property
    def _games(self) -> int:
        return len(self._patterns[0])

    @cached_property
    def _flipped(self) -> NDArray[np.intp]:
        return (self._sign < 0).astype(np.intp)

    def _of_games(self, field: Callable[[SolvedShape], Floats]) -> Floats:
        found = np.empty(self._games)
        for shape in self._shapes:
            found[shape.members] = field(shape)
        return found

    @cached_property
    def _groups(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """By shape: for each card of both hands, the number of its group."""
        mine, theirs = self._patterns
        pairs = [(mine[shape.members], theirs[shape.members]) for shape in self._shapes]
        return [(groups_of(x, y, self._level), groups_of(y, x, self._level)) for x, y in pairs]

    @cached_property
    def _mixes(self) -> Floats:
        """Of both sides of the distinct games: the lowest card of a group has all of its probability."""
        found = np.empty((2, self._games, self._level))
        for (members, _, solution), groups in zip(self._shapes, self._groups, strict=True):
            for side, (mix, group) in enumerate(zip((solution.row_mix, solution.column_mix), groups, strict=True)):
                spread = np.take_along_axis(mix, group, axis=1)
                spread[:, 1:][group[:, 1:] == group[:, :-1]] = 0.0
                found[side, members] = spread
        return found


def unique_rows(fields: Sequence[NDArray[np.integer]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each distinct row of some columns first stands, and for each row which of these it is."""
    key = np.zeros(len(fields[0]), dtype=np.int64)
    if not len(key):
        return key, key
    size = 1
    for field in fields:
        least = int(field.min())
        span = int(field.max()) - least + 1
        key = key * span + (field - least)
        size *= span
    if size > TABLE_SHARE * len(key):
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        return first, which
    place = np.full(size, -1, dtype=np.intp)
    place[key[::-1]] = np.arange(len(key) - 1, -1, -1)
    present = np.flatnonzero(place >= 0)
    first = place[present]
    place[present] = np.arange(len(present))
    return first, place[key]


def groups_of(hand: Masks, other: Masks, level: int) -> NDArray[np.intp]:
    """For each card of hands, ascending, the number of its group: cards that no card of the other hand tells apart.

    The hands must be patterns: every place is held by somebody.
    """
    bit = np.uint16(1) << np.arange(BITS, dtype=np.uint16)
    held = (hand[:, None] & bit) > 0
    starts = (distinct_cards(hand, other)[:, None] & bit) > 0
    group = np.cumsum(starts, axis=1)[held] - 1
    return group.reshape(len(hand), level)
