"""Number the prize sets of a level, and list their upcards."""

from dataclasses import dataclass
from math import comb
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from goofspiel.states.subsets import BITS, Masks, all_subsets, ranks


def count(cards: int, level: int) -> int:
    """How many sets of `level` prizes there are."""
    return comb(cards, level)


def number(prizes: Masks) -> NDArray[np.int32]:
    """The index of each prize set among those of its level: the same in every game that holds it."""
    return ranks()[prizes]


def all_prize_sets(cards: int, level: int) -> Masks:
    """All prize sets of a level as masks, in the order of their numbers."""
    return all_subsets(cards, level)


IntOrInts = TypeVar("IntOrInts", int, NDArray[np.int64])


def total(cards: IntOrInts) -> IntOrInts:
    """What all prizes of a game are worth."""
    return cards * (cards + 1) // 2


def totals(sets: Masks) -> NDArray[np.int64]:
    """What the prizes of each set are worth."""
    worth = np.zeros(np.shape(sets), dtype=np.int64)
    for place in range(BITS):
        worth += (np.asarray(sets) >> place & 1) * np.int64(place + 1)
    return worth


@dataclass(frozen=True, slots=True)
class Rounds:
    """All upcards of some prize sets, neighbours alike: one element an upcard of a set."""

    child: NDArray[np.int32]  # the number of the set that remains
    prize: NDArray[np.float64]
    row: NDArray[np.int32]  # which of the given sets


def rounds(sets: Masks, level: int) -> Rounds:
    """The upcards of prize sets of one level, in an order in which optimal bases change least.

    Games are alike when their upcards are equal, and then when the upcards have the same rank in their sets and the
    prizes that remain are worth about the same.
    """
    child = np.empty((level, len(sets)), dtype=np.int32)
    prize = np.empty((level, len(sets)), dtype=np.int32)
    left = sets.copy()
    for rank in range(level):
        lowest = left & (~left + np.uint16(1))
        child[rank] = ranks()[sets ^ lowest]
        prize[rank] = np.bitwise_count(lowest - np.uint16(1)) + 1
        left ^= lowest
    rank_of, row = np.indices(child.shape, dtype=np.int32)
    remaining = prize.sum(axis=0)[row] - prize
    order = np.lexsort((-remaining.ravel(), rank_of.ravel(), prize.ravel()))
    return Rounds(child.ravel()[order], prize.ravel()[order].astype(np.float64), row.ravel()[order])
