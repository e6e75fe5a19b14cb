"""The rounds of many positions of one level, solved: distinct games once, asked for by any number of positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.states.matchups import distinct_cards
from goofspiel.states.subsets import BITS, Masks

TABLE_SHARE = 8  # a range of keys no larger than this many times their number is counted in a table


@dataclass(frozen=True, slots=True, eq=False)
class SolvedRounds:
    """Values, mixes and payoffs of positions with an upcard, all with equally many cards.

    Mixes are `[position][card]` and payoffs `[position][my card][their card]`: the cards of each hand, ascending.
    """

    _value: Floats  # of the distinct games, seen from one side
    _mixes: tuple[Floats, Floats]
    _payoffs: Floats
    _which: NDArray[np.intp]  # by position: its game
    _flipped: NDArray[np.bool_]  # by position: it is seen from the other side of the game
    _lead: Floats  # by position: to be added to the game's values

    @property
    def value(self) -> Floats:
        """What each position is worth to me."""
        value = self._value[self._which]
        return np.where(self._flipped, -value, value) + self._lead

    @property
    def mine(self) -> Floats:
        """An optimal mix of mine for each position."""
        return self._mix(0)

    @property
    def theirs(self) -> Floats:
        """An optimal mix of theirs for each position."""
        return self._mix(1)

    def _mix(self, side: int) -> Floats:
        mix = self._mixes[side][self._which]
        mix[self._flipped] = self._mixes[1 - side][self._which[self._flipped]]
        return mix

    def payoffs(self) -> Floats:
        """What each pair of bids is worth to me."""
        payoffs = self._payoffs[self._which]
        payoffs[self._flipped] = -payoffs[self._flipped].transpose(0, 2, 1)
        return payoffs + self._lead[:, None, None]


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
