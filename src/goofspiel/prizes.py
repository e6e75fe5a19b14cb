"""Number the prize sets of a level, and name the set that remains when one prize is turned up."""

from math import comb

import numpy as np
from numpy.typing import NDArray

from goofspiel.subsets import Masks, all_subsets, ranks


def count(cards: int, level: int) -> int:
    """How many sets of `level` prizes there are."""
    return comb(cards, level)


def number(prizes: Masks) -> NDArray[np.int32]:
    """The index of each prize set among those of its level: the same in every game that holds it."""
    return ranks()[prizes]


def all_prize_sets(cards: int, level: int) -> Masks:
    """All prize sets of a level as masks, in the order of their numbers."""
    return all_subsets(cards, level)


def children(sets: Masks, level: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """For the upcard of each rank, lowest first: the index of the set that remains, and the prize. Both [rank][set]."""
    child = np.empty((level, len(sets)), dtype=np.int32)
    prize = np.empty((level, len(sets)), dtype=np.float64)
    left = sets.copy()
    for rank in range(level):
        lowest = left & (~left + np.uint16(1))
        child[rank] = ranks()[sets ^ lowest]
        prize[rank] = np.bitwise_count(lowest - np.uint16(1)) + 1.0
        left ^= lowest
    return child, prize
