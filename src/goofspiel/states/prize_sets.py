"""Number the prize sets of a game, and list their upcards."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats, Ints, Numbers
from goofspiel.states.subsets import BITS, Masks, ranks


def number(prizes: Masks) -> NDArray[np.int32]:
    """The index of each prize set among those of its size: the same in every game that holds it."""
    return ranks()[prizes]


IntOrInts = TypeVar("IntOrInts", int, NDArray[np.int64])


def total(cards: IntOrInts) -> IntOrInts:
    """What the prizes 1 … cards are worth."""
    return cards * (cards + 1) // 2


def totals(sets: Masks) -> Numbers:
    """What the prizes of each set are worth."""
    worth = np.zeros(np.shape(sets), dtype=np.int64)
    for place in range(BITS):
        worth += (np.asarray(sets) >> place & 1) * np.int64(place + 1)
    return worth


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """All upcards of some prize sets, neighbours alike: one element an upcard of a set."""

    child: Ints  # the number of the set that remains
    prize: Floats
    weight: float  # of each: how likely the upcard is
    row: Ints  # which of the given sets


def rounds(sets: Masks, size: int) -> Rounds:
    """The upcards of prize sets of one size, in an order in which optimal bases change least.

    Games are alike when their upcards are equal, and then when the upcards have the same rank in their sets and the
    prizes that remain are worth about the same.
    """
    child = np.empty((size, len(sets)), dtype=np.int32)
    prize = np.empty((size, len(sets)), dtype=np.int32)
    left = sets.copy()
    for rank in range(size):
        lowest = left & (~left + np.uint16(1))
        child[rank] = ranks()[sets ^ lowest]
        prize[rank] = np.bitwise_count(lowest - np.uint16(1)) + 1
        left ^= lowest
    rank_of, row = np.indices(child.shape, dtype=np.int32)
    remaining = prize.sum(axis=0)[row] - prize
    order = np.lexsort((-remaining.ravel(), rank_of.ravel(), prize.ravel()))
    return Rounds(child.ravel()[order], prize.ravel()[order].astype(np.float64), 1 / size, row.ravel()[order])
