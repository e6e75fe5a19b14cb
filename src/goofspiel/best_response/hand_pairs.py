"""Number the positions of a game's course: hand pairs, prize sets, and where it counts, leads."""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.rules import Objective
from goofspiel.states import prize_sets
from goofspiel.states.subsets import BITS, Masks, all_subsets, ranks

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Values = TypeVar("Values", Floats, Flags)

THEY_WIN, NOBODY_WINS, I_WIN = range(3)  # the upcard: sign of the bids' difference, plus 1


@dataclass(frozen=True)
class HandPairSpace:
    """The positions that a game of `cards` cards can come to, before their upcards.

    Without leads, the rest of the game is what counts. With leads, those from −r to r have a place, r by prize set:
    what is gone; but to win, a lead larger than what is left is decided and has none.
    """

    cards: int
    objective: Objective
    leads: bool

    @cached_property
    def levels(self) -> "tuple[HandPairLevel, ...]":
        """All levels, the end of the game first."""
        return tuple(HandPairLevel(self, level) for level in range(self.cards + 1))

    def reach(self, sets: Masks) -> Numbers:
        """The largest lead that has a place, for each prize set."""
        left = prize_sets.totals(sets)
        if not self.leads:
            return np.zeros_like(left)
        gone = prize_sets.total(self.cards) - left
        return np.minimum(gone, left) if self.objective == Objective.WIN else gone

    def decided(self, sets: Masks, lead: NDArray[np.integer]) -> Flags:
        """Whether the game is won or lost already."""
        return np.asarray((self.objective == Objective.WIN) & (np.abs(lead) > prize_sets.totals(sets)))


@dataclass(frozen=True, eq=False)
class HandPairLevel:
    """The positions of a level. An array of values holds for each prize set, one after the other, `[pair][lead]`."""

    course: HandPairSpace
    level: int

    @cached_property
    def hands(self) -> Masks:
        """All hands; a pair of the i-th and the k-th has the number i · count + k."""
        return all_subsets(self.course.cards, self.level)

    @cached_property
    def pairs(self) -> tuple[Masks, Masks]:
        """The hands of all pairs: (mine, theirs)."""
        return np.repeat(self.hands, len(self.hands)), np.tile(self.hands, len(self.hands))

    @property
    def sets(self) -> Masks:
        """All prize sets: they are numbered like the hands."""
        return self.hands

    @cached_property
    def reach(self) -> Numbers:
        """The largest lead of each prize set."""
        return self.course.reach(self.sets)

    @cached_property
    def _starts(self) -> Numbers:
        """Where the values of each prize set start, and where the last end."""
        return np.concatenate([[0], np.cumsum(len(self.hands) ** 2 * (2 * self.reach + 1))])

    @property
    def size(self) -> int:
        """How many positions there are."""
        return int(self._starts[-1])

    def part(self, values: Values, which: int) -> Values:
        """What an array holds for a prize set: `[pair][lead]`."""
        return values[self._starts[which] : self._starts[which + 1]].reshape(-1, 2 * int(self.reach[which]) + 1)

    def place(self, mine: Masks, theirs: Masks, sets: Masks, lead: NDArray[np.integer]) -> Numbers:
        """Where an array holds positions; a lead without a place counts as the nearest that has one."""
        pair = ranks()[mine].astype(np.int64) * len(self.hands) + ranks()[theirs]
        which = ranks()[sets]
        reach = self.reach[which]
        return np.asarray(self._starts[which] + pair * (2 * reach + 1) + np.clip(lead, -reach, reach) + reach)

    def rows_after(self) -> Numbers:
        """For the bids of each rank, mine and theirs, what each pair comes to: a row of `after_bids`."""
        return self._rows(_places(self.hands, self.level), self.course.levels[self.level - 1])

    def rows_before(self) -> Numbers:
        """The same for the bids that each pair may come from: who holds what it lacks."""
        lacked = np.uint16((1 << self.course.cards) - 1) ^ self.hands
        return self._rows(_places(lacked, self.course.cards - self.level), self.course.levels[self.level + 1])

    def _rows(self, places: NDArray[np.intp], other: "HandPairLevel") -> Numbers:
        """For each two of some places of the hands, the pair of the other level that moving both cards comes to."""
        moved = ranks()[self.hands[:, None] ^ (np.uint16(1) << places.astype(np.uint16))].astype(np.int64)
        mine, theirs = places.T[:, None, :, None], places.T[None, :, None, :]
        pair = moved.T[:, None, :, None] * len(other.hands) + moved.T[None, :, None, :]
        row = (np.sign(mine - theirs) + 1) * len(other.hands) ** 2 + pair
        return np.ascontiguousarray(row.reshape(*row.shape[:2], -1))


def after_bids(values: Values, reach: int, upcard: int, *, ends: tuple[float, float]) -> Values:
    """Values seen from the leads −reach … reach of one upcard more or less, `[who wins · pair][lead]`.

    Where a lead has no place, the end of its side stands in.
    """
    pairs, held = values.shape[0], values.shape[1] // 2
    result = np.empty((3, pairs, 2 * reach + 1), dtype=values.dtype)
    for who in (THEY_WIN, NOBODY_WINS, I_WIN):
        first = held - reach + (who - NOBODY_WINS) * upcard  # the column of the lead −reach
        low = np.clip(-first, 0, 2 * reach + 1)
        high = np.clip(values.shape[1] - first, low, 2 * reach + 1)
        result[who, :, :low], result[who, :, high:] = ends
        result[who, :, low:high] = values[:, first + low : first + high]
    return result.reshape(3 * pairs, -1)


def _places(hands: Masks, level: int) -> NDArray[np.intp]:
    """The places of the bits of masks, ascending: `[mask][rank]`."""
    bits = (hands[:, None] >> np.arange(BITS, dtype=np.uint16)) & 1
    return np.nonzero(bits)[1].reshape(len(hands), level)
