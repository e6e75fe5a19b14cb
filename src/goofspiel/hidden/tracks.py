"""What a player has seen of the bids: tracks, its own bids and who won each round, and which of them can occur."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from goofspiel.arrays import Flags, Numbers
from goofspiel.rules import Rules

OUTCOMES = "-=+"  # of a round, by 1 + its sign for the player


def last_depth(rules: Rules) -> int:
    """The rounds before the last one in which there is something to choose: with one card left there is not."""
    return max(0, rules.cards - 2) if rules.rounds == rules.cards else rules.rounds - 1


def has_forced_round(rules: Rules) -> bool:
    """Whether, after the last choice, the last card of each hand is played."""
    return rules.rounds == rules.cards and rules.cards > 1


@dataclass(frozen=True, eq=False)
class Tracks:
    """All tracks after so many rounds, sorted by outcomes, then by bids: what is numbered is (outcomes, bids).

    They do not depend on the prizes: whatever these are, an outcome says the same about the other's bid.
    """

    cards: int
    rounds: int
    bids: Numbers
    """[track][round]"""
    signs: Numbers
    """[track][round]: 1 won, 0 tied, −1 lost."""
    parents: Numbers
    """[track]: the one before its last round."""
    parent_actions: Numbers
    """[track]: which card of the hand its last bid was, counted from the lowest."""
    feasible: Flags
    """[track][set of cards]: whether the other may have played just these cards."""

    @cached_property
    def hands(self) -> Numbers:
        """[track][card]: what is left, ascending."""
        left = np.ones((len(self.bids), self.cards), dtype=bool)
        np.put_along_axis(left, self.bids - 1, False, axis=1)
        return np.nonzero(left)[1].reshape(len(self.bids), self.cards - self.rounds) + 1

    @cached_property
    def codes(self) -> Numbers:
        """[track]: a number of its outcomes, in base 3."""
        return _outcome_codes(self.signs)

    @cached_property
    def keys(self) -> Numbers:
        """[track]: ascending numbers that say outcomes and bids."""
        return _keys(self.cards, self.bids, self.signs)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.bids)

    def find(self, bids: Numbers, signs: Numbers) -> Numbers:
        """The numbers of tracks; −1 where such a one cannot occur."""
        wanted = _keys(self.cards, bids, signs)
        found = np.minimum(np.searchsorted(self.keys, wanted), self.count - 1)
        return np.where(self.keys[found] == wanted, found, -1)


def _outcome_codes(signs: Numbers) -> Numbers:
    codes = np.zeros(len(signs), dtype=np.int64)
    for column in signs.T:
        codes = codes * 3 + column + 1
    return codes


def _keys(cards: int, bids: Numbers, signs: Numbers) -> Numbers:
    keys = _outcome_codes(signs)
    for column in bids.T:
        keys = keys * (cards + 1) + column
    return keys


@lru_cache(maxsize=4)
def all_tracks(cards: int, rounds: int) -> tuple[Tracks, ...]:
    """The tracks after 0, 1, …, `rounds` rounds."""
    none = np.zeros((1, 0), dtype=np.int64)
    nothing = np.zeros((1, 1 << cards), dtype=bool)
    nothing[0, 0] = True
    found = [Tracks(cards, 0, none, none, none[:, :0].sum(axis=1), none.sum(axis=1), nothing)]
    for _ in range(rounds):
        found.append(_next(found[-1]))
    return tuple(found)


def _next(tracks: Tracks) -> Tracks:
    """The tracks after one more round."""
    cards, sets = tracks.cards, np.arange(1 << tracks.cards)
    parts = []
    for action in range(cards - tracks.rounds):
        bids = tracks.hands[:, action]
        for sign in (-1, 0, 1):
            feasible = np.zeros_like(tracks.feasible)
            for card in range(1, cards + 1):
                bit = 1 << (card - 1)
                without = sets[(sets & bit) == 0]
                beaten = np.sign(bids - card) == sign
                feasible[np.ix_(beaten, without | bit)] |= tracks.feasible[np.ix_(beaten, without)]
            there = np.nonzero(feasible.any(axis=1))[0]
            parts.append((there, np.full(len(there), action), np.full(len(there), sign), feasible[there]))
    parents, actions, signs = (np.concatenate([part[i] for part in parts]) for i in range(3))
    all_bids = np.hstack([tracks.bids[parents], tracks.hands[parents, actions][:, None]])
    all_signs = np.hstack([tracks.signs[parents], signs[:, None]])
    order = np.argsort(_keys(cards, all_bids, all_signs))
    feasible = np.concatenate([part[3] for part in parts])[order]
    return Tracks(cards, tracks.rounds + 1, all_bids[order], all_signs[order], parents[order], actions[order], feasible)
