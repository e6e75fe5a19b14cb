"""Number the positions that a game can come to: hand pairs, prize sets and, where they count, leads; what follows bids.

A value is that of a position before its upcard. Hands are real ones, not patterns: a player may look at its cards.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Floats, Numbers
from goofspiel.batch import PositionBatch
from goofspiel.rules import Rules
from goofspiel.states.prize_states import totals
from goofspiel.states.space import level_space
from goofspiel.states.subsets import BITS, Masks, all_subsets, ranks
from goofspiel.store.blocks import check_solvable

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
    """A round that a prize set may go on with: what is turned up, and the number of the prize set that follows."""

    upcard: int
    untied: int  # after bids that differ: the higher one takes the upcard
    tied: int  # after equal bids


@dataclass(frozen=True)
class HandPairSpace:
    """The positions that a game can come to, before their upcards.

    Without leads, the rest of the game is what counts. With leads, those that can occur and are not decided have an
    index. Where the rules count leads, there are leads in any case.
    """

    rules: Rules
    has_leads: bool = False

    def __post_init__(self) -> None:
        check_solvable(self.rules)
        object.__setattr__(self, "has_leads", self.has_leads or self.rules.has_leads)

    @cached_property
    def levels(self) -> "tuple[HandPairLevel, ...]":
        """All levels, the end of the game first."""
        return tuple(HandPairLevel(self, level) for level in range(self.rules.cards + 1))

    @property
    def size(self) -> int:
        """How many positions there are."""
        return sum(level.size for level in self.levels)

    def last_values(self, quantity: Quantity) -> Floats:
        """The values when no cards are left."""
        lead = self.levels[0].leads_of(0)
        return np.zeros(len(lead)) if quantity.adds_up else np.asarray(quantity.at_the_end(lead)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class HandPairLevel:
    """The positions of a level. An array of values holds for each prize set, one after the other, `[pair][lead]`."""

    space: HandPairSpace
    level: int

    @property
    def below(self) -> "HandPairLevel":
        """What a round leads to."""
        return self.space.levels[self.level - 1]

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
    def sets(self) -> Masks:
        """All prize sets, in the order of their numbers."""
        return level_space(self.space.rules, self.level).states.left

    @cached_property
    def largest_lead(self) -> Numbers:
        """The largest lead of each prize set that has an index; 0 without leads."""
        left = totals(self.sets)
        gone = (self.space.rules.total - left) * self.space.has_leads
        return np.where(self.space.rules.is_decided(gone, left), left, gone)

    def leads_of(self, which: int) -> Numbers:
        """The leads of a prize set that have an index."""
        most = int(self.largest_lead[which])
        return np.arange(-most, most + 1)

    @cached_property
    def _starts(self) -> Numbers:
        """Where the values of each prize set start, and where the last end."""
        return np.concatenate([[0], np.cumsum(self.pair_count * (2 * self.largest_lead + 1))])

    @property
    def size(self) -> int:
        """How many positions there are."""
        return int(self._starts[-1])

    def part(self, values: FloatsOrFlags, which: int) -> FloatsOrFlags:
        """What an array holds for a prize set: `[pair][lead]`."""
        return values[self._starts[which] : self._starts[which + 1]].reshape(self.pair_count, -1)

    def index_of(self, mine: Masks, theirs: Masks, sets: Masks, lead: NDArray[np.integer]) -> Numbers:
        """Where an array holds positions; a lead without an index counts as the nearest that has one."""
        pair = ranks()[mine].astype(np.int64) * len(self.hands) + ranks()[theirs]
        which = level_space(self.space.rules, self.level).row_of(sets)
        most = self.largest_lead[which]
        return np.asarray(self._starts[which] + pair * (2 * most + 1) + np.clip(lead, -most, most) + most)

    def worth(self, values: Floats, batch: PositionBatch, quantity: Quantity) -> Floats:
        """What positions before their upcard are worth, their lead included, by the values of the level."""
        found: Floats = values[self.index_of(batch.mine, batch.theirs, batch.deck, batch.lead)]
        if quantity.adds_up:
            return found + batch.lead
        decided = self.space.rules.is_decided(batch.lead, totals(batch.deck))
        return np.where(decided, quantity.at_the_end(batch.lead), found)

    # What follows a pair of bids

    def rounds(self, which: int) -> list[PrizeRound]:
        """The rounds that a prize set may go on with, each as likely as the others."""
        return self._rounds[which]

    @cached_property
    def _rounds(self) -> list[list[PrizeRound]]:
        rounds = level_space(self.space.rules, self.level).rounds(np.arange(len(self.sets)))
        found: list[list[PrizeRound]] = [[] for _ in self.sets]
        for which, prize, child in np.stack([rounds.row, rounds.prize, rounds.won], axis=1).astype(int).tolist():
            found[which].append(PrizeRound(prize, child, child))
        return found

    def after(self, below: Floats, which: int, prize_round: PrizeRound, quantity: Quantity) -> Floats:
        """What bids in a round of a prize set lead to, by the values of the level below: `[who wins · pair][lead]`.

        The leads are those before the round. A row of `rows_after` picks what a pair of bids leads to.
        """
        untied, tied = (self.below.part(below, child) for child in (prize_round.untied, prize_round.tied))
        found = _by_winner(
            (untied, tied, untied), self.leads_of(which), prize_round.upcard * self.space.has_leads, quantity.at_the_end
        )
        if quantity.adds_up:
            found[THEY_WIN] -= prize_round.upcard
            found[I_WIN] += prize_round.upcard
        return found.reshape(-1, found.shape[-1])

    def rows_after(self) -> Numbers:
        """For the bids of each rank, mine and theirs, what each pair comes to: `[my rank][their rank][pair]`."""
        return self._rows(_places(self.hands, self.level), self.below)

    def rows_before(self) -> Numbers:
        """The same for the bids that each pair may come from: who holds what it lacks."""
        cards = self.space.rules.cards
        lacked = np.uint16((1 << cards) - 1) ^ self.hands
        return self._rows(_places(lacked, cards - self.level), self.space.levels[self.level + 1])

    def _rows(self, places: NDArray[np.intp], other: "HandPairLevel") -> Numbers:
        """For each two of some places of the hands, the pair of the other level that moving both cards comes to."""
        moved = ranks()[self.hands[:, None] ^ (np.uint16(1) << places.astype(np.uint16))].astype(np.int64)
        mine, theirs = places.T[:, None, :, None], places.T[None, :, None, :]
        pair = moved.T[:, None, :, None] * len(other.hands) + moved.T[None, :, None, :]
        row = (np.sign(mine - theirs) + 1) * other.pair_count + pair
        return np.ascontiguousarray(row.reshape(*row.shape[:2], -1))


def reachable(space: HandPairSpace) -> list[Flags]:
    """For each level, whether each of its positions can occur: not every lead does."""
    found = [np.zeros(level.size, dtype=np.bool_) for level in space.levels]
    found[-1][:] = True  # the opening
    for above in reversed(space.levels[1:]):
        rows = above.below.rows_before().reshape(-1, above.below.pair_count)
        for which in range(len(above.sets)):
            before = above.part(found[above.level], which)
            for prize_round in above.rounds(which):
                part = above.below.part(found[above.level - 1], prize_round.untied)
                # Who won the upcard had less before.
                seen = _by_winner(
                    (before,) * 3, above.below.leads_of(prize_round.untied), -prize_round.upcard, np.zeros_like
                )
                for row in rows:
                    part |= seen.reshape(-1, seen.shape[-1])[row]
    return found


def _by_winner(
    values: tuple[FloatsOrFlags, FloatsOrFlags, FloatsOrFlags],
    leads: Numbers,
    upcard: int,
    beyond: Callable[[Numbers], Any],
) -> FloatsOrFlags:
    """Values `[pair][lead]` for each winner, seen from leads that his upcard changes: `[who wins][pair][lead]`.

    What a lead without an index is worth is said by `beyond`.
    """
    result = np.empty((3, len(values[0]), len(leads)), dtype=values[0].dtype)
    for who, held in enumerate(values):
        after = leads + (who - NOBODY_WINS) * upcard
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
