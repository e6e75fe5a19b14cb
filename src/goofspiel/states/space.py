"""Where the value of a position stands, and what follows a pair of bids.

This is the one description of a game that solvers, tables and those who ask them read. A table holds the values of
positions before their upcard. Level by level, a value has a row, the prizes that are left and the pot; a column, the
matchup; and, where leads count, a lead:

- Where leads do not count, a row holds one value a matchup, and equal hands are worth nothing.
- Where they do, a row holds for each matchup, and last for equal hands, the values of all leads that can occur and are
  not decided. A lead larger than the prizes that are gone cannot occur.
- With tied rounds in the pot, as many equal cards are gone from both hands: a row has only the first matchups, those of
  a game of so many fewer cards.

Rows that are equally long form a band. Swapping the players negates a value, and the lead with it: half of the matchups
have a column, the others are seen from the other side, with a sign of −1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Ints, Numbers
from goofspiel.cards import MAX_CARDS
from goofspiel.rules import Rules
from goofspiel.states import matchups
from goofspiel.states.matchups import INDEX_SHIFT, Successors
from goofspiel.states.prize_states import PrizeCourse, PrizeStates, Rounds
from goofspiel.states.subsets import Masks, Ranks

Signs: TypeAlias = NDArray[np.int8]
Array: TypeAlias = NDArray[Any]  # of doubles, or of rationals as objects


class Stored(Protocol):
    """Values that are kept, in doubles or in rationals."""

    @property
    def dtype(self) -> type:
        """`float`, or `object` for rationals."""

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Array:
        """By level, row, column and, where leads count, lead.

        Without leads a row may stand for an axis of columns.
        """


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """The bands of a level, shortest rows first, and where each row is found."""

    leads: tuple[int, ...]  # by band: the largest lead of its rows, which hold −lead … lead
    ties: tuple[int, ...]  # by band: the tied rounds in the pots of its rows
    members: tuple[Ints, ...]  # by band: the numbers of its rows, in their order
    band: Ints  # by the number of a row
    row: Ints  # by the number of a row: its place in that band


class Shown(NamedTuple):
    """What is bid for at positions with an upcard."""

    deck: Masks
    pot: Ints
    upcard: Ints
    lead: Ints


@dataclass(frozen=True)
class Start:
    """From where on a game is looked at: its beginning, or some position."""

    course: PrizeCourse
    level: int  # the cards in a hand
    lead: int  # that somebody has
    cards: int  # that both hands hold together, at most


@dataclass(frozen=True)
class LevelSpace:
    """All positions of a game in which each player holds so many cards, before the upcard is turned up."""

    rules: Rules
    level: int
    start: Start

    @property
    def below(self) -> "LevelSpace":
        """What a round leads to."""
        return _level_space(self.rules, self.level - 1, self.start)

    def at(self, level: int) -> "LevelSpace":
        """Another level of the same game."""
        return _level_space(self.rules, level, self.start)

    # Columns

    @cached_property
    def equal(self) -> int:
        """The column that stands for equal hands: it is the last one where leads count, and none elsewhere."""
        return matchups.count(self.start.cards, self.level)

    def columns_with(self, ties: int) -> int:
        """How many columns a row has with so many tied rounds in the pot."""
        return matchups.count(self.start.cards - ties, self.level) + self.rules.has_leads

    @property
    def columns(self) -> int:
        """How many a row without a pot has."""
        return self.columns_with(0)

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

    def solved_as(self, mine: Masks, theirs: Masks, lead: Ints) -> tuple[Ranks, Signs, Ints]:
        """Columns, from which side their games are solved, and at which lead: the same for all that are one game.

        Whoever asks from the other side, or at another lead where leads do not count, is told the same mixes.
        """
        column, sign = self.column_of(mine, theirs)
        if not self.rules.has_leads:
            return column, sign, np.zeros_like(lead)
        sign[(column == self.equal) & (lead < 0)] = -1
        return column, sign, lead * sign

    def kept_columns(self, ties: int) -> Ranks:
        """The columns of a row with so many tied rounds in the pot, in the order in which they are kept."""
        found = np.arange(self.columns_with(ties))
        if self.rules.has_leads:
            found[-1] = self.equal
        return found

    def place_of(self, row: Numbers, column: Numbers) -> Numbers:
        """Where columns are kept in rows: equal hands come last, and rows with a pot are shorter."""
        if not (self.rules.has_leads and self.rules.has_pots):
            return column
        widths = np.array([self.columns_with(ties) for ties in range(self.start.cards + 1)])
        return np.where(column == self.equal, widths[self.states.tied[row]] - 1, column)

    def patterns(self, column: Ranks) -> tuple[Masks, Masks]:
        """The inverse of `column_of`: the hands of columns, as patterns (mine, theirs)."""
        mine = np.full(column.shape, (1 << self.level) - 1, dtype=np.uint16)  # equal hands
        theirs = mine.copy()
        differ = column != self.equal
        mine[differ], theirs[differ] = matchups.patterns(column[differ], self.level)
        return mine, theirs

    def successors(self, column: Ranks | None = None) -> Successors:
        """What each pair of bids leads to, for some columns or for all that a row without a pot has."""
        wanted = np.arange(self.columns) if column is None else column
        return self.successors_of(*self.patterns(wanted))

    def successors_with(self, ties: int, successors: Successors) -> Successors:
        """Those of all columns, without those that a row with so many tied rounds in the pot does not have."""
        count = self.columns_with(ties)
        if count == self.columns:
            return successors
        shapes, offsets, codes = successors
        if not self.rules.has_leads:
            return Successors(shapes[:count], offsets[: count + 1], codes)
        first, last = int(offsets[count - 1]), int(offsets[-2])  # equal hands come last
        shapes = np.concatenate([shapes[: count - 1], shapes[-1:]])
        ends = np.append(offsets[:count], first + offsets[-1] - last)
        return Successors(shapes, ends, np.concatenate([codes[:first], codes[last:]]))

    def successors_of(self, mine: Masks, theirs: Masks) -> Successors:
        """The same for hands given as patterns.

        Where ties are carried over, what follows a tie is counted on after everything that follows a bid that wins.
        """
        found = matchups.successors(mine, theirs, self.level, self.below.equal)
        if not self.rules.has_pots:
            return found
        tied = matchups.UPCARD_SIGN[found.codes & 3] == 0
        shift = np.uint32(self.below.equal + 1 << INDEX_SHIFT)
        return found._replace(codes=found.codes + tied.astype(np.uint32) * shift)

    # Rows

    @property
    def states(self) -> PrizeStates:
        """What may be left to bid for: one row each."""
        return self.start.course.after(self.start.level - self.level)

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.states)

    def row_of(self, deck: Masks, pot: Ints | int = 0) -> Numbers:
        """The numbers of rows; −1 where there is none."""
        return self.states.number(deck, pot)

    @cached_property
    def largest_leads(self) -> Numbers:
        """By row: the largest lead that is kept; 0 where leads do not count."""
        if not self.rules.has_leads:
            return np.zeros(self.rows, dtype=np.int64)
        reached = self.states.gone + self.start.lead
        return np.minimum(self.states.most, reached) if self.rules.can_be_decided else reached

    @cached_property
    def bands(self) -> Bands:
        """Where each row is; in a band, those that are worth the same stand together."""
        states = self.states
        keys = np.stack([self.largest_leads, states.tied])
        found, band = np.unique(keys, axis=1, return_inverse=True)
        row = np.empty(self.rows, dtype=np.int32)
        members_of = []
        for index in range(found.shape[1]):
            members = np.flatnonzero(band == index)
            if self.rules.has_leads:
                members = members[np.lexsort((states.pot[members], states.worth[members]))]
            row[members] = np.arange(len(members))
            members_of.append(members.astype(np.int32))
        leads, ties = (tuple(found[which].tolist()) for which in (0, 1))
        return Bands(leads, ties, tuple(members_of), band.astype(np.int32), row)

    def largest_lead(self, row: int) -> int:
        """The largest lead that is kept in a row; 0 where leads do not count."""
        return int(self.largest_leads[row])

    def rounds(self, rows: NDArray[np.integer]) -> Rounds:
        """What may be turned up in rows of this level, and what remains."""
        return self.states.rounds(rows)

    # Values

    @cached_property
    def payoff_bound(self) -> float:
        """What a position of the level is worth at most, its lead apart."""
        return self.rules.payoff_bound if self.rules.has_leads else float(self.states.most.max())

    @cached_property
    def has_whole_values(self) -> bool:
        """Whether values are whole numbers: those of a last round with one possible upcard."""
        return self.rules.has_whole_ends and self.below.is_over and int(self.states.upcards.max()) == 1

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to win."""
        return self.rules.is_over(self.level)

    @property
    def is_stored(self) -> bool:
        """Whether a table has this level: at the end nothing is left to win, at the start both hold the same."""
        return not self.is_over and self.level < self.start.level

    def worth(self, row: Numbers, column: Ranks, sign: Signs, lead: Ints, stored: Stored) -> Array:
        """What positions before their upcard are worth: one, or an axis of them, for each row."""
        points: Array = lead.astype(stored.dtype)
        if not self.rules.has_leads:
            if not (self.is_stored and self.equal):
                return points
            if self.rules.has_pots:  # rows may be shorter than others, or empty
                kept = sign != 0
                points[kept] += sign[kept].astype(stored.dtype) * stored(self.level, row[kept], column[kept], None)
                return points
            found = stored(self.level, row, np.where(sign, column, 0), None)
            found *= sign.astype(stored.dtype)
            found += points
            return found
        worth: Array = np.asarray(self.rules.at_the_end(lead)).astype(stored.dtype)
        if self.is_stored:
            rows = np.broadcast_to(row.reshape(-1, *[1] * (column.ndim - 1)), column.shape)
            open_: Flags = ~self.rules.is_decided(lead, self.states.most[rows])
            side = sign[open_].astype(np.int64)
            some = rows[open_]
            found = stored(self.level, some, column[open_], side * lead[open_])
            worth[open_] = side.astype(stored.dtype) * found
        return worth + 0  # no negative zeros

    def payoffs(self, codes: NDArray[np.uint32], shown: Shown, stored: Stored) -> Array:
        """The payoff matrices of positions with an upcard, `[position][my bid][their bid]`, from their cells' codes."""
        cells, below = codes.reshape(len(codes), -1), self.below
        deck, pot, upcard, lead = shown
        column = (cells >> INDEX_SHIFT).astype(np.int64)
        won: Signs = matchups.UPCARD_SIGN[cells & 3]
        tied = won == 0
        if self.rules.has_pots:
            column -= tied * np.int64(below.equal + 1)
        sign = matchups.CHILD_SIGN[cells & 7]
        if not self.rules.has_leads:
            sign[column == below.equal] = 0
        after = lead[:, None] + won * (upcard + pot)[:, None]
        if not self.rules.has_pots:
            return below.worth(below.row_of(deck), column, sign, after, stored).reshape(codes.shape)
        result: Array = np.empty(cells.shape, dtype=stored.dtype)
        for here, row in ((~tied, below.row_of(deck)), (tied, below.row_of(deck, pot + upcard))):
            rows = np.broadcast_to(row[:, None], cells.shape)[here]
            result[here] = below.worth(rows, column[here], sign[here], after[here], stored)
        return result.reshape(codes.shape)


@lru_cache(maxsize=1024)
def _level_space(rules: Rules, level: int, start: Start) -> LevelSpace:
    return LevelSpace(rules, level, start)


@cache
def _beginning(rules: Rules) -> Start:
    course = PrizeCourse(rules.prizes, rules.order, rules.has_pots, 0, rules.rounds)
    return Start(course, rules.cards, 0, rules.cards)


@cache
def level_space(rules: Rules, level: int) -> LevelSpace:
    """The level of a game; each is described once."""
    return _level_space(rules, level, _beginning(rules))


def endgame_space(rules: Rules, level: int, *, deck: Sequence[int], pot: int, lead: int) -> LevelSpace:
    """The level of a position before its upcard, from which a game goes on; its columns are those of any cards."""
    comes = tuple(deck) if rules.order is not None else None
    rounds = level - rules.last_level
    course = PrizeCourse(tuple(sorted(deck)), comes, rules.has_pots, pot, rounds)
    return _level_space(rules, level, Start(course, level, abs(lead), MAX_CARDS))
