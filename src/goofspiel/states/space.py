"""Where the value of a position stands, and what follows a pair of bids.

This is the one description of a game that solvers, tables and those who ask them read. A table holds the values of
positions before their upcard. Level by level, a value has a row, the prizes that are left; a column, the matchup; and,
where leads count, a lead:

- Where leads do not count, a row holds one value a matchup, and equal hands are worth nothing.
- Where they do, a row holds for each matchup, and last for equal hands, the values of all leads that can occur and are
  not decided. A lead larger than the prizes that are gone cannot occur.

Rows that are equally long form a band. Swapping the players negates a value, and the lead with it: half of the matchups
have a column, the others are seen from the other side, with a sign of −1.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from math import comb
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Ints, Numbers
from goofspiel.rules import Rules
from goofspiel.states import matchups, prize_sets
from goofspiel.states.matchups import Successors
from goofspiel.states.prize_sets import Rounds
from goofspiel.states.subsets import Masks, Ranks, all_subsets

Signs: TypeAlias = NDArray[np.int8]
Array: TypeAlias = NDArray[Any]  # of doubles, or of rationals as objects


class Stored(Protocol):
    """Values that are kept, in doubles or in rationals."""

    @property
    def dtype(self) -> type:
        """`float`, or `object` for rationals."""

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Array:
        """By level, the number of a prize set, column and, where leads count, lead.

        Without leads a row may stand for an axis of columns.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """The bands of a level, shortest rows first, and where each row is found."""

    leads: tuple[int, ...]  # by band: the largest lead of its rows, which hold −lead … lead
    sets: tuple[Masks, ...]  # by band: the prize sets of its rows, in their order
    band: Ints  # by the number of a prize set
    row: Ints  # by the number of a prize set: its row in that band


@dataclass(frozen=True)
class LevelSpace:
    """All positions of a game in which each player holds so many cards, before the upcard is turned up."""

    rules: Rules
    level: int

    @property
    def below(self) -> "LevelSpace":
        """What a round leads to."""
        return level_space(self.rules, self.level - 1)

    # Columns

    @cached_property
    def equal(self) -> int:
        """The column that stands for equal hands: it is the last one where leads count, and none elsewhere."""
        return matchups.count(self.rules.cards, self.level)

    @property
    def columns(self) -> int:
        """How many a row has."""
        return self.equal + self.rules.has_leads

    def column_of(self, mine: Masks, theirs: Masks) -> tuple[Ranks, Signs]:
        """Where the value of hand pairs is found in a row, and from which side: value = sign · stored value.

        Where leads count, the sign is also that of the lead. A sign of 0 means that nothing is kept.
        """
        index, sign = matchups.number(mine, theirs, self.level)
        equal = sign == 0
        index[equal] = self.equal
        if self.rules.has_leads:
            sign[equal] = 1
        return index, sign

    def patterns(self, column: Ranks) -> tuple[Masks, Masks]:
        """The inverse of `column_of`: the hands of columns, as patterns (mine, theirs)."""
        mine = np.full(column.shape, (1 << self.level) - 1, dtype=np.uint16)  # equal hands
        theirs = mine.copy()
        differ = column != self.equal
        mine[differ], theirs[differ] = matchups.patterns(column[differ], self.level)
        return mine, theirs

    def successors(self, column: Ranks | None = None) -> Successors:
        """What each pair of bids leads to, for some columns or for all."""
        wanted = np.arange(self.columns) if column is None else column
        return self.successors_of(*self.patterns(wanted))

    def successors_of(self, mine: Masks, theirs: Masks) -> Successors:
        """The same for hands given as patterns."""
        return matchups.successors(mine, theirs, self.level, self.below.equal)

    # Rows

    @property
    def rows(self) -> int:
        """How many prize sets there are."""
        return comb(self.rules.cards, self.level)

    @cached_property
    def sets(self) -> Masks:
        """All prize sets, in the order of their numbers."""
        return all_subsets(self.rules.cards, self.level)

    @cached_property
    def bands(self) -> Bands:
        """Where the row of each prize set is; in a band, those that are worth the same stand together."""
        left = prize_sets.totals(self.sets)
        lead = np.minimum(left, self.rules.total - left) * self.rules.has_leads
        leads, band = np.unique(lead, return_inverse=True)
        row = np.empty(len(self.sets), dtype=np.int32)
        sets_of = []
        for index in range(len(leads)):
            members = np.flatnonzero(band == index)
            if self.rules.has_leads:
                members = members[np.argsort(left[members], kind="stable")]
            row[members] = np.arange(len(members))
            sets_of.append(self.sets[members])
        return Bands(tuple(leads.tolist()), tuple(sets_of), band.astype(np.int32), row)

    def largest_lead(self, prize_set: int) -> int:
        """The largest lead that is kept for a numbered prize set; 0 where leads do not count."""
        return self.bands.leads[int(self.bands.band[prize_set])]

    def rounds(self, sets: Masks) -> Rounds:
        """What may be turned up of prize sets of this level, and what remains."""
        return prize_sets.rounds(sets, self.level)

    # Values

    @property
    def payoff_bound(self) -> float:
        """What a position of the level is worth at most, its lead apart."""
        return 1.0 if self.rules.has_leads else float(sum(self.rules.prizes[self.rules.cards - self.level :]))

    @property
    def is_stored(self) -> bool:
        """Whether a table has this level: with no cards nothing is left to win, with all of them both hold the same."""
        return 0 < self.level < self.rules.cards

    def worth(self, deck: Masks, column: Ranks, sign: Signs, lead: Ints, stored: Stored) -> Array:
        """What positions before their upcard are worth: one, or an axis of them, for each deck."""
        points: Array = lead.astype(stored.dtype)
        rows = prize_sets.number(deck).astype(np.int64)
        if not self.rules.has_leads:
            if not (self.is_stored and self.equal):
                return points
            found = stored(self.level, rows, np.where(sign, column, 0), None)
            found *= sign.astype(stored.dtype)
            found += points
            return found
        worth: Array = np.asarray(self.rules.at_the_end(lead)).astype(stored.dtype)
        if self.is_stored:
            axis = (-1, *[1] * (column.ndim - 1))
            open_: Flags = ~self.rules.is_decided(lead, prize_sets.totals(deck).reshape(axis))
            side = sign[open_].astype(np.int64)
            found = stored(
                self.level, np.broadcast_to(rows.reshape(axis), column.shape)[open_], column[open_], side * lead[open_]
            )
            worth[open_] = side.astype(stored.dtype) * found
        return worth + 0  # no negative zeros

    def payoffs(self, codes: NDArray[np.uint32], deck: Masks, upcard: Ints, lead: Ints, stored: Stored) -> Array:
        """The payoff matrices of positions with an upcard, `[position][my bid][their bid]`, from their cells' codes."""
        cells = codes.reshape(len(codes), -1)
        column = (cells >> matchups.INDEX_SHIFT).astype(np.int64)
        sign = matchups.CHILD_SIGN[cells & 7]
        if not self.rules.has_leads:
            sign[column == self.below.equal] = 0
        after = lead[:, None] + matchups.UPCARD_SIGN[cells & 3] * upcard[:, None]
        return self.below.worth(deck, column, sign, after, stored).reshape(codes.shape)


@cache
def level_space(rules: Rules, level: int) -> LevelSpace:
    """The level of a game; each is described once."""
    return LevelSpace(rules, level)
