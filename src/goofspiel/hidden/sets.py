"""The information sets of a game with hidden bids, numbered: what a player knows when it bids.

By rounds played, then by the prizes seen, the one that is up included, as they came; then by outcomes, lost before tied
before won, the first round first; then by the player's own bids. A sequence is an information set and a card of the
hand, ascending. Both players number alike, each from its own side: the games are symmetric.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from goofspiel.arrays import Floats, Numbers
from goofspiel.cards import MAX_PRIZE
from goofspiel.hidden.tracks import Tracks, all_tracks, last_depth
from goofspiel.rules import Rules


@dataclass(frozen=True, eq=False)
class Depth:
    """The information sets after so many rounds: (prizes seen) × tracks."""

    tracks: Tracks
    prizes: Numbers
    """[prizes seen][round]: as they came, the last is up; sorted."""
    chances: Floats
    """[prizes seen]: how likely they come so."""
    prize_parents: Numbers
    """[prizes seen]: those before the last."""
    first_set: int
    first_sequence: int

    def find_prizes(self, before: Numbers, prizes: Numbers) -> Numbers:
        """The numbers of prizes seen that go on from others with one more; −1 where it cannot come."""
        keys = self.prize_parents * (MAX_PRIZE + 1) + self.prizes[:, -1]
        wanted = before * (MAX_PRIZE + 1) + prizes
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[found] == wanted, found, -1)

    @property
    def actions(self) -> int:
        """The cards in a hand."""
        return self.tracks.cards - self.tracks.rounds

    @property
    def sets(self) -> int:
        """How many information sets there are."""
        return len(self.prizes) * self.tracks.count

    @property
    def sequences(self) -> int:
        """How many sequences there are."""
        return self.sets * self.actions


@dataclass(frozen=True, eq=False)
class InformationSets:
    """All information sets of a game."""

    rules: Rules
    depths: tuple[Depth, ...]

    @property
    def count(self) -> int:
        """How many there are, for one player."""
        last = self.depths[-1]
        return last.first_set + last.sets

    @property
    def sequences(self) -> int:
        """How many sequences there are, for one player: bids in information sets."""
        last = self.depths[-1]
        return last.first_sequence + last.sequences

    @cached_property
    def firsts(self) -> Numbers:
        """[information set]: its first sequence, and in the end how many there are."""
        parts = [one.first_sequence + one.actions * np.arange(one.sets, dtype=np.int64) for one in self.depths]
        return np.concatenate([*parts, [self.sequences]])

    @cached_property
    def parents(self) -> Numbers:
        """[information set]: the sequence that leads there; −1 in the first round."""
        parts = [np.full(self.depths[0].sets, -1, dtype=np.int64)]
        for before, here in zip(self.depths, self.depths[1:], strict=False):
            tracks = here.tracks.parents * before.actions + here.tracks.parent_actions
            prizes = here.prize_parents * (before.tracks.count * before.actions)
            parts.append((before.first_sequence + prizes[:, None] + tracks).ravel())
        return np.concatenate(parts)

    @cached_property
    def owners(self) -> Numbers:
        """[sequence]: its information set."""
        return np.repeat(np.arange(self.count), np.diff(self.firsts))


@lru_cache(maxsize=4)
def information_sets(rules: Rules) -> InformationSets:
    """The information sets of a game."""
    tracks = all_tracks(rules.cards, last_depth(rules))
    depths: list[Depth] = []
    first_set = first_sequence = 0
    seen, chances, parents = _first_prizes(rules)
    for one in tracks:
        if one.rounds:
            seen, chances, parents = _next_prizes(rules, seen, chances)
        depth = Depth(one, seen, chances, parents, first_set, first_sequence)
        depths.append(depth)
        first_set, first_sequence = first_set + depth.sets, first_sequence + depth.sequences
    return InformationSets(rules, tuple(depths))


def _first_prizes(rules: Rules) -> tuple[Numbers, Floats, Numbers]:
    return _next_prizes(rules, np.zeros((1, 0), dtype=np.int64), np.ones(1))


def _next_prizes(rules: Rules, seen: Numbers, chances: Floats) -> tuple[Numbers, Floats, Numbers]:
    """One more prize after each of these; equal prizes are one."""
    rows, parts, parents = [], [], []
    for number, (row, chance) in enumerate(zip(seen.tolist(), chances.tolist(), strict=True)):
        left = list(rules.order or rules.prizes)
        if rules.order:
            left = [left[len(row)]]
        else:
            for prize in row:
                left.remove(prize)
        for prize in sorted(set(left)):
            rows.append([*row, prize])
            parts.append(chance * left.count(prize) / len(left))
            parents.append(number)
    return np.array(rows, dtype=np.int64), np.array(parts), np.array(parents, dtype=np.int64)
