"""Mixes at information sets, and plans: how likely each sequence is played by them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from goofspiel._kernel import best_reply_to
from goofspiel.arrays import Floats, Numbers
from goofspiel.hidden.payoffs import groups_of, meeting_pairs, packed, payments
from goofspiel.hidden.sets import InformationSets

NEVER = 1e-12  # a plan that reaches an information set less likely says nothing about it


@dataclass(frozen=True, eq=False)
class SequenceGame:
    """A game as the kernel takes it: arrays that describe its decisions and what the last of them pay."""

    sets: InformationSets
    arrays: tuple[Numbers, Numbers, int, Numbers, Numbers, NDArray[np.uint32], Floats]

    def best_reply(self, plan: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """What the best reply to a plan gains, and [sequence]: what each gains that goes on with best replies."""
        gains = np.zeros(self.sets.sequences)
        return best_reply_to(*self.arrays, np.ascontiguousarray(plan), gains, threads=threads), gains


def sequence_game(sets: InformationSets) -> SequenceGame:
    """The game of these information sets."""
    last = sets.depths[-1]
    pairs = meeting_pairs(sets.rules.cards, last.tracks.rounds)
    starts = groups_of(last.tracks)
    ends, met = packed(pairs, starts, last.tracks)
    paid = payments(sets, pairs.signs)
    return SequenceGame(sets, (sets.firsts, sets.parents, last.first_sequence, starts, ends, met, paid))


def plan_of(sets: InformationSets, mixes: Floats) -> Floats:
    """[sequence]: how likely it is played, the other and chance apart."""
    plan = np.array(mixes)
    for depth in sets.depths[1:]:
        here = slice(depth.first_set, depth.first_set + depth.sets)
        cells = slice(depth.first_sequence, depth.first_sequence + depth.sequences)
        plan[cells] *= np.repeat(plan[sets.parents[here]], depth.actions)
    return plan


def mixes_of(game: SequenceGame, plan: Floats) -> Floats:
    """[sequence]: the mixes that play a plan; where it never comes, a best reply to the plan itself."""
    _, gains = game.best_reply(plan)
    mixes = np.empty(game.sets.sequences)
    for depth in game.sets.depths:
        cells = slice(depth.first_sequence, depth.first_sequence + depth.sequences)
        shares = plan[cells].reshape(-1, depth.actions)
        whole = shares.sum(axis=1, keepdims=True)
        gained = gains[cells].reshape(-1, depth.actions)
        best = (gained == gained.max(axis=1, keepdims=True)).astype(np.float64)
        chosen = np.where(whole > NEVER, shares, best)
        mixes[cells] = (chosen / chosen.sum(axis=1, keepdims=True)).ravel()
    return mixes


def values_of(game: SequenceGame, mixes: Floats) -> Floats:
    """[sequence]: what it gains when both follow the mixes, times how likely the other and chance come there."""
    sets = game.sets
    _, gains = game.best_reply(plan_of(sets, mixes))
    for here, before in zip(sets.depths[:0:-1], sets.depths[-2::-1], strict=True):
        cells = slice(here.first_sequence, here.first_sequence + here.sequences)
        worth = (mixes[cells] * gains[cells]).reshape(-1, here.actions).sum(axis=1)
        parents = sets.parents[here.first_set : here.first_set + here.sets] - before.first_sequence
        earlier = slice(before.first_sequence, before.first_sequence + before.sequences)
        gains[earlier] = np.bincount(parents, weights=worth, minlength=before.sequences)
    return gains
