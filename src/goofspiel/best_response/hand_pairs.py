"""Number the positions that a game can come to: hand pairs, prize states and, where they count, leads.

A value is that of a position before its upcard. Hands are real ones, not patterns: a player may look at its cards. What
is left to bid for is read from the description of the game, `states.space`; with tied rounds in the pot, as many equal
cards are gone from both hands, and only pairs that lack them are counted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Floats, Ints, Numbers
from goofspiel.batch import PositionBatch, places
from goofspiel.rules import Rules
from goofspiel.states.prize_states import PrizeStates
from goofspiel.states.space import level_space
from goofspiel.states.subsets import BITS, Masks, all_subsets, ranks
from goofspiel.store.blocks import check_open_bids

FloatsOrFlags = TypeVar("FloatsOrFlags", Floats, Flags)

THEY_WIN, NOBODY_WINS, I_WIN = range(3)  # the upcard: sign of the bids' difference, plus 1


@dataclass(frozen=True)
class Quantity:
    """What is expected of a game: a function of the final lead."""

    at_the_end: Callable[[Any], Any]
    adds_up: bool  # round by round: then a value is that of the rest of the game, the lead apart

    @staticmethod
    def of(rules: Rules) -> "Quantity":
        """What the players maximise."""
        return Quantity(rules.at_the_end, adds_up=not rules.has_leads)


class PrizeRound(NamedTuple):
    """A round that a prize state may go on with: what is turned up, and the numbers of the states that follow."""

    upcard: int
    pot: int  # what a bid that wins takes besides
    untied: int  # after bids that differ
    tied: int  # after equal bids
    copies: int  # how many of the prizes that may come are worth as much

    @property
    def prize(self) -> int:
        """What a bid that wins takes."""
        return self.upcard + self.pot


@dataclass(frozen=True)
class HandPairSpace:
    """The positions that a game can come to, before their upcards.

    Without leads, the rest of the game is what counts. With leads, those that can occur and are not decided have an
    index. Where the rules count leads, there are leads in any case.
    """

    rules: Rules
    has_leads: bool = False

    def __post_init__(self) -> None:
        check_open_bids(self.rules)
        object.__setattr__(self, "has_leads", self.has_leads or self.rules.has_leads)

    @cached_property
    def levels(self) -> "tuple[HandPairLevel, ...]":
        """All levels, the end of the game first."""
        return tuple(HandPairLevel(self, level) for level in range(self.rules.last_level, self.rules.cards + 1))

    def at(self, level: int) -> "HandPairLevel":
        """The level with so many cards in a hand."""
        return self.levels[level - self.rules.last_level]

    @property
    def size(self) -> int:
        """How many positions there are."""
        return sum(level.size for level in self.levels)

    def last_values(self, quantity: Quantity) -> Floats:
        """The values when the game is over."""
        last = self.levels[0]
        values = np.zeros(last.size)
        for which in range(len(last.states)) if not quantity.adds_up else ():
            last.part(values, which)[:] = quantity.at_the_end(last.leads_of(which))
        return values


@dataclass(frozen=True, eq=False)
class HandPairLevel:
    """The positions of a level. An array of values holds for each prize state, one after the other, `[pair][lead]`."""

    space: HandPairSpace
    level: int

    @property
    def index(self) -> int:
        """Which of the levels it is, the end of the game first."""
        return self.level - self.space.rules.last_level

    @property
    def below(self) -> "HandPairLevel":
        """What a round leads to."""
        return self.space.at(self.level - 1)

    # Hands

    @cached_property
    def hands(self) -> Masks:
        """All hands; a pair of the i-th and the k-th has the number i · count + k."""
        return all_subsets(self.space.rules.cards, self.level)

    @cached_property
    def pairs(self) -> tuple[Masks, Masks]:
        """The hands of all pairs: (mine, theirs)."""
        return np.repeat(self.hands, len(self.hands)), np.tile(self.hands, len(self.hands))

    @property
    def pair_count(self) -> int:
        """How many pairs there are."""
        return len(self.hands) ** 2

    @cached_property
    def kept(self) -> "tuple[NDArray[np.intp] | slice, ...]":
        """By the tied rounds in the pot: the numbers of the pairs that lack as many equal cards."""
        if not self.space.rules.has_pots:
            return (slice(None),)
        mine, theirs = self.pairs
        lacked = self.space.rules.cards - np.bitwise_count(mine | theirs)
        return tuple(np.flatnonzero(lacked >= ties) for ties in range(int(self.states.tied.max()) + 1))

    @cached_property
    def kept_counts(self) -> Numbers:
        """By the tied rounds in the pot: how many pairs there are."""
        return np.array([self.pair_count if isinstance(some, slice) else len(some) for some in self.kept])

    def swapped(self, ties: int) -> NDArray[np.intp]:
        """For each kept pair, where that with the hands swapped is kept."""
        turned = np.arange(self.pair_count).reshape(len(self.hands), -1).T.ravel()
        found: NDArray[np.intp] = self._kept_index[ties, turned[self.kept[ties]]]
        return found

    @cached_property
    def _kept_index(self) -> NDArray[np.intp]:
        """Where each pair is kept, `[tied rounds][pair]`; −1 where it is not."""
        found = np.full((len(self.kept), self.pair_count), -1, dtype=np.intp)
        for index, some, count in zip(found, self.kept, self.kept_counts.tolist(), strict=True):
            index[some] = np.arange(count)
        return found

    # Prize states and leads

    @cached_property
    def states(self) -> PrizeStates:
        """What may be left to bid for."""
        return level_space(self.space.rules, self.level).states

    def ties_of(self, which: int) -> int:
        """The tied rounds in the pot of a state."""
        return int(self.states.tied[which])

    @cached_property
    def largest_lead(self) -> Numbers:
        """The largest lead of each prize state that has an index; 0 without leads."""
        gone = self.states.gone * self.space.has_leads
        return np.where(self.space.rules.is_decided(gone, self.states.most), self.states.most, gone)

    def leads_of(self, which: int) -> Numbers:
        """The leads of a prize state that have an index."""
        most = int(self.largest_lead[which])
        return np.arange(-most, most + 1)

    @cached_property
    def _starts(self) -> Numbers:
        """Where the values of each prize state start, and where the last end."""
        sizes = self.kept_counts[self.states.tied] * (2 * self.largest_lead + 1)
        return np.concatenate([[0], np.cumsum(sizes)])

    @property
    def size(self) -> int:
        """How many positions there are."""
        return int(self._starts[-1])

    def part(self, values: FloatsOrFlags, which: int) -> FloatsOrFlags:
        """What an array holds for a prize state: `[kept pair][lead]`."""
        count = int(self.kept_counts[self.ties_of(which)])
        return values[self._starts[which] : self._starts[which + 1]].reshape(count, -1)

    def whole_part(self, values: FloatsOrFlags, which: int) -> FloatsOrFlags:
        """The same for all pairs, `[pair][lead]`; nothing where a pair is not kept."""
        part, ties = self.part(values, which), self.ties_of(which)
        if not ties:
            return part
        whole = np.zeros((self.pair_count, part.shape[1]), dtype=part.dtype)
        whole[self.kept[ties]] = part
        return whole

    def holds(self, batch: PositionBatch) -> Flags:
        """Whether positions before their upcard have a value, or are decided."""
        rules = self.space.rules
        there: Flags = ((batch.mine | batch.theirs) >> rules.cards == 0) & (batch.deck >> len(rules.prizes) == 0)
        some = np.flatnonzero(there)
        which = self.states.number(batch.deck[some], batch.pot[some])
        pair = self._pair(batch.mine[some], batch.theirs[some])
        there[some] = (which >= 0) & (self._kept_index[self.states.tied[which], pair] >= 0)
        if self.space.has_leads:
            there[some] &= np.abs(batch.lead[some]) <= self.states.gone[which]
        return there

    def index_of(self, batch: PositionBatch) -> Numbers:
        """Where an array holds positions; a lead without an index counts as the nearest that has one."""
        pair = self._pair(batch.mine, batch.theirs)
        which = self.states.number(batch.deck, batch.pot)
        if self.space.rules.has_pots:
            pair = self._kept_index[self.states.tied[which], pair]
        most = self.largest_lead[which]
        return np.asarray(self._starts[which] + pair * (2 * most + 1) + np.clip(batch.lead, -most, most) + most)

    def _pair(self, mine: Masks, theirs: Masks) -> Numbers:
        """The numbers of pairs."""
        return np.asarray(ranks()[mine].astype(np.int64) * len(self.hands) + ranks()[theirs])

    def is_decided(self, batch: PositionBatch) -> Flags:
        """Whether no play can change what positions before their upcard are worth."""
        most = self.states.most[self.states.number(batch.deck, batch.pot)]
        return np.asarray(self.space.rules.is_decided(batch.lead, most))

    def worth(self, values: Floats, batch: PositionBatch, quantity: Quantity) -> Floats:
        """What positions before their upcard are worth, their lead included, by the values of the level."""
        found: Floats = values[self.index_of(batch)]
        if quantity.adds_up:
            return found + batch.lead
        return np.where(self.is_decided(batch), quantity.at_the_end(batch.lead), found)

    # What follows a pair of bids

    @property
    def upcards(self) -> int:
        """How many prizes may come next, equal ones counted apart."""
        return self._rounds[0]

    def rounds(self, which: int) -> list[PrizeRound]:
        """The rounds that a prize state may go on with: `copies` of `upcards`."""
        return self._rounds[1][which]

    @cached_property
    def _rounds(self) -> tuple[int, list[list[PrizeRound]]]:
        rounds = self.states.rounds(np.arange(len(self.states)))
        found: list[list[PrizeRound]] = [[] for _ in range(len(self.states))]
        fields = rounds.row, rounds.prize, rounds.pot, rounds.won, rounds.tied, rounds.copies
        for which, *played in np.stack(fields, axis=1).tolist():
            found[which].append(PrizeRound(*played))
        return rounds.size, found

    def shown(self, prize_round: PrizeRound, mine: Masks, theirs: Masks, lead: Ints) -> PositionBatch:
        """Positions of a round, its upcard turned up."""
        rules, deck = self.space.rules, self.below.states.left[prize_round.untied]
        upcard, pot = (np.full(len(mine), field, dtype=np.int32) for field in (prize_round.upcard, prize_round.pot))
        return PositionBatch(mine, theirs, np.full(len(mine), deck), upcard, lead, pot, places(rules), rules)

    def after(self, below: Floats, which: int, prize_round: PrizeRound, quantity: Quantity) -> Floats:
        """What bids in a round of a prize state lead to, by the values of the level below: `[who wins · pair][lead]`.

        The leads are those before the round. A row of `rows_after` picks what a pair of bids leads to.
        """
        untied, tied = (self.below.whole_part(below, child) for child in (prize_round.untied, prize_round.tied))
        prize = prize_round.prize
        found = _by_winner(
            (untied, tied, untied), self.leads_of(which), prize * self.space.has_leads, quantity.at_the_end
        )
        if quantity.adds_up:
            found[THEY_WIN] -= prize
            found[I_WIN] += prize
        return found.reshape(-1, found.shape[-1])

    def rows_after(self) -> list[Numbers]:
        """By the tied rounds in the pot, what each kept pair comes to: `[my rank][their rank][kept pair]`."""
        rows = self._rows(_places(self.hands, self.level), self.below)
        return [rows[:, :, some] for some in self.kept]

    def rows_before(self) -> Numbers:
        """For the bids that each pair may come from, who holds what it lacks: `[my bid][their bid][pair]`."""
        cards = self.space.rules.cards
        lacked = np.uint16((1 << cards) - 1) ^ self.hands
        return self._rows(_places(lacked, cards - self.level), self.space.at(self.level + 1))

    def _rows(self, places: NDArray[np.intp], other: "HandPairLevel") -> Numbers:
        """For each two of some places of the hands, the pair of the other level that moving both cards comes to."""
        moved = ranks()[self.hands[:, None] ^ (np.uint16(1) << places.astype(np.uint16))].astype(np.int64)
        mine, theirs = places.T[:, None, :, None], places.T[None, :, None, :]
        pair = moved.T[:, None, :, None] * len(other.hands) + moved.T[None, :, None, :]
        row = (np.sign(mine - theirs) + 1) * other.pair_count + pair
        return np.ascontiguousarray(row.reshape(*row.shape[:2], -1))


def reachable(space: HandPairSpace) -> list[Flags]:
    """For each level, whether each of its positions can occur: not every lead does, nor every pot with every hand."""
    found = [np.zeros(level.size, dtype=np.bool_) for level in space.levels]
    found[-1][:] = True  # the opening
    for above in reversed(space.levels[1:]):
        below = above.below
        rows = below.rows_before().reshape(-1, below.pair_count)
        for which in range(len(above.states)):
            before = above.whole_part(found[above.index], which)
            for prize_round in above.rounds(which):
                for child, winners in _followers(prize_round):
                    part, pairs = below.part(found[below.index], child), below.kept[below.ties_of(child)]
                    # Who won the prize had less before.
                    seen = _by_winner(
                        (before,) * 3, below.leads_of(child), -prize_round.prize * space.has_leads, np.zeros_like
                    )
                    seen[[who for who in range(3) if who not in winners]] = False
                    for row in rows:
                        part |= seen.reshape(-1, seen.shape[-1])[row[pairs]]
    return found


def _followers(prize_round: PrizeRound) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """The states that follow a round, and who won it then."""
    if prize_round.untied == prize_round.tied:
        return ((prize_round.untied, (THEY_WIN, NOBODY_WINS, I_WIN)),)
    return (prize_round.untied, (THEY_WIN, I_WIN)), (prize_round.tied, (NOBODY_WINS,))


def _by_winner(
    values: tuple[FloatsOrFlags, FloatsOrFlags, FloatsOrFlags],
    leads: Numbers,
    prize: int,
    beyond: Callable[[Numbers], Any],
) -> FloatsOrFlags:
    """Values `[pair][lead]` for each winner, seen from leads that the prize changes: `[who wins][pair][lead]`.

    What a lead without an index is worth is said by `beyond`.
    """
    result = np.empty((3, len(values[0]), len(leads)), dtype=values[0].dtype)
    for who, held in enumerate(values):
        after = leads + (who - NOBODY_WINS) * prize
        first = int(after[0]) + held.shape[1] // 2  # the column of the first lead
        low = min(max(-first, 0), len(leads))
        high = min(max(held.shape[1] - first, low), len(leads))
        result[who, :, low:high] = held[:, first + low : first + high]
        for outside in (slice(low), slice(high, None)):
            if after[outside].size:
                result[who, :, outside] = beyond(after[outside])
    return result


def _places(hands: Masks, level: int) -> NDArray[np.intp]:
    """The places of the bits of masks, ascending: `[mask][rank]`."""
    bits = (hands[:, None] >> np.arange(BITS, dtype=np.uint16)) & 1
    return np.nonzero(bits)[1].reshape(len(hands), level)
