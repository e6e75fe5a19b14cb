"""Number what is left to bid for: the prizes that are still to come and the pot, and list what may be turned up.

Prizes are known by their places among all of them, ascending: a set of them is a mask. Of prizes that are worth the
same, those at the lowest places are left, so that equal decks are one. States are numbered by their masks, then by
their pots.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Floats, Ints, Numbers
from goofspiel.states.subsets import BITS, Masks, all_subsets, ranks

_POTS = 1 << 20  # more than any pot


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """All upcards of some prize states, neighbours alike: one element an upcard of a state."""

    size: int  # how many prizes may come
    prize: Ints  # the upcard
    pot: Ints  # what a bid that wins takes besides
    won: Ints  # the number of the state that remains after a bid that wins
    tied: Ints  # and of that after a tie, which is the same where ties are discarded
    copies: Ints  # how many of the prizes that may come are worth as much as the upcard
    row: Ints  # which of the given states

    @property
    def weight(self) -> Floats:
        """How likely each upcard is."""
        return self.copies / self.size


@dataclass(frozen=True)
class PrizeCourse:
    """What is bid for from some point of a game on."""

    prizes: tuple[int, ...]  # that are left, ascending
    order: tuple[int, ...] | None  # as they come, if that is known
    carry: bool  # whether tied prizes join the pot
    pot: int  # that there is already
    rounds: int  # that are left

    def mask(self, deck: Sequence[int]) -> int:
        """The mask of some of the prizes."""
        mask = 0
        for prize, copies in Counter(deck).items():
            first = self.prizes.index(prize)
            mask |= (1 << copies) - 1 << first
        return mask

    @lru_cache(maxsize=1024)  # noqa: B019 - courses are small, and few are asked for at a time
    def after(self, rounds: int) -> "PrizeStates":
        """All states that there can be after so many rounds."""
        if not rounds:
            everything = np.array([(1 << len(self.prizes)) - 1], dtype=np.uint16)
            return PrizeStates(self, 0, everything, np.array([self.pot], np.int32), np.zeros(1, np.int32))
        if not self.carry and self.order is None and len(set(self.prizes)) == len(self.prizes):
            left = all_subsets(len(self.prizes), len(self.prizes) - rounds)
            nothing = np.zeros(len(left), dtype=np.int32)
            return PrizeStates(self, rounds, left, nothing, nothing)
        return self.after(rounds - 1).next()


@dataclass(frozen=True, eq=False)
class PrizeStates:
    """All states after so many rounds, in the order of their numbers."""

    course: PrizeCourse
    played: int  # rounds
    left: Masks  # the prizes that are not turned up yet
    pot: Ints
    tied: Ints  # the fewest rounds that make the pot

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def worth(self) -> Numbers:
        """What all prizes that are left are worth."""
        return totals(self.left, self.course.prizes)

    @cached_property
    def most(self) -> Numbers:
        """What can still be won: the pot and the best prizes of the rounds that are left."""
        course, left = self.course, self.course.rounds - self.played
        if course.order is not None:
            return self.pot + np.int64(sum(course.order[self.played : self.played + left]))
        found = self.pot.astype(np.int64)
        taken = np.zeros(len(self), dtype=np.int64)
        for place in reversed(range(len(course.prizes))):
            here = ((self.left >> place & 1) > 0) & (taken < left)
            found += here * np.int64(course.prizes[place])
            taken += here
        return found

    @cached_property
    def upcards(self) -> Ints:
        """How many different prizes may come next."""
        if self.played >= self.course.rounds:
            return np.zeros(len(self), dtype=np.int32)
        return np.bincount(np.concatenate([here for *_, here in self._upcards()]), minlength=len(self)).astype(np.int32)

    @property
    def gone(self) -> Numbers:
        """What was won by anybody since the beginning of the course."""
        return sum(self.course.prizes) + self.course.pot - self.worth - self.pot

    @cached_property
    def _keys(self) -> Numbers:
        return self.left.astype(np.int64) * _POTS + self.pot

    @cached_property
    def _all_masks(self) -> bool:
        return len(self.left) > 1 and not self.course.carry and len(self) == comb(len(self.course.prizes), self.played)

    def number(self, left: Masks, pot: Ints | int = 0) -> Numbers:
        """The number of each state; −1 where there is no such state."""
        if self._all_masks:
            return ranks()[left].astype(np.int64)
        wanted = np.asarray(left).astype(np.int64) * _POTS + pot
        found = np.searchsorted(self._keys, wanted)
        there = self._keys[np.minimum(found, len(self._keys) - 1)] == wanted
        return np.where(there, found, -1)

    def next(self) -> "PrizeStates":
        """The states after one more round."""
        if not self.course.carry:
            left = np.unique(np.concatenate([left for _, left, _ in self._upcards()]))
            nothing = np.zeros(len(left), dtype=np.int32)
            return PrizeStates(self.course, self.played + 1, left, nothing, nothing)
        parts: list[tuple[Numbers, Ints]] = []
        for prize, left, here in self._upcards():
            keys = left.astype(np.int64) * _POTS
            parts.append((keys, np.zeros_like(self.pot[here])))
            parts.append((keys + self.pot[here] + prize, self.tied[here] + 1))
        keys, ties = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.lexsort((ties, keys))
        first = np.flatnonzero(np.diff(keys[order], prepend=-1))
        key, tied = keys[order][first], ties[order][first]
        left, pot = np.divmod(key, _POTS)
        return PrizeStates(
            self.course, self.played + 1, left.astype(np.uint16), pot.astype(np.int32), tied.astype(np.int32)
        )

    def _upcards(self) -> "list[tuple[Ints, Masks, NDArray[np.intp]]]":
        """What may come next, by rank among the prizes that are left: prizes, what they leave, and in which states."""
        course = self.course
        if course.order is not None:
            prize = course.order[self.played]
            left = np.full(len(self), course.mask(course.order[self.played + 1 :]), dtype=np.uint16)
            return [(np.full(len(self), prize, dtype=np.int32), left, np.arange(len(self)))]
        value = np.array(course.prizes, dtype=np.int32)
        same_above = np.array(
            [low == high for low, high in zip(course.prizes[1:], course.prizes, strict=False)] + [False]
        )
        found = []
        rest = self.left.copy()
        for _ in range(len(course.prizes) - self.played):
            lowest = rest & (~rest + np.uint16(1))
            place = np.bitwise_count(lowest - np.uint16(1)).astype(np.intp)
            rest ^= lowest
            # Of equal prizes, the one at the highest place stands for all: it is the one that goes.
            above = np.minimum(place + 1, len(value) - 1)
            stands: Flags = ~(same_above[place] & ((self.left >> above.astype(np.uint16) & 1) > 0))
            here = np.flatnonzero(stands)
            if len(here):
                found.append((value[place[here]], (self.left ^ lowest)[here], here))
        return found

    def rounds(self, rows: NDArray[np.integer]) -> Rounds:
        """The upcards of some states, in an order in which optimal bases change least.

        Games are alike when their upcards are equal, and then when the upcards have the same rank in their sets and the
        prizes that remain are worth about the same.
        """
        some = PrizeStates(self.course, self.played, self.left[rows], self.pot[rows], self.tied[rows])
        below = self.course.after(self.played + 1)
        parts = []
        for rank, (prize, left, here) in enumerate(some._upcards()):
            pot = some.pot[here]
            won = below.number(left)
            tied = below.number(left, pot + prize) if self.course.carry else won
            copies = some._copies(prize, here)
            remaining = totals(left, self.course.prizes)
            parts.append((prize, pot, won, tied, copies, here, np.full(len(here), rank), remaining))
        prize, pot, won, tied, copies, row, rank_of, remaining = (np.concatenate(p) for p in zip(*parts, strict=True))
        order = np.lexsort((-remaining, pot, rank_of, prize))
        size = 1 if self.course.order is not None else len(self.course.prizes) - self.played
        return Rounds(size, *(field[order].astype(np.int32) for field in (prize, pot, won, tied, copies, row)))

    def _copies(self, prize: Ints, here: NDArray[np.intp]) -> Ints:
        """How many prizes of each state are worth as much as the given one."""
        if self.course.order is not None or len(set(self.course.prizes)) == len(self.course.prizes):
            return np.ones(len(here), dtype=np.int32)
        equal = np.zeros(len(here), dtype=np.int32)
        for place, value in enumerate(self.course.prizes):
            equal += ((self.left[here] >> place & 1) > 0) & (prize == value)
        return equal


def totals(sets: Masks, prizes: Sequence[int] = tuple(range(1, BITS + 1))) -> Numbers:
    """What the prizes of each set are worth, by default those of the cards."""
    worth = np.zeros(np.shape(sets), dtype=np.int64)
    for place, prize in enumerate(prizes):
        worth += (np.asarray(sets) >> place & 1) * np.int64(prize)
    return worth
