"""Which leads occur: a player is asked only about positions that a game can come to."""

import numpy as np

from goofspiel.best_response.hand_pairs import Flags, HandPairLevel, HandPairSpace, after_bids
from goofspiel.states.subsets import ranks


def reachable(course: HandPairSpace) -> list[Flags]:
    """For each level, whether each of its positions can occur."""
    found = [np.zeros(level.size, dtype=np.bool_) for level in course.levels]
    found[-1][:] = True  # the opening
    for level in range(course.cards - 1, -1, -1):
        _from_above(course.levels[level], found[level], course.levels[level + 1], found[level + 1])
    return found


def _from_above(here: HandPairLevel, flags: Flags, above: HandPairLevel, their_flags: Flags) -> None:
    """Mark what one round leads to from the positions with one card more."""
    rows = here.rows_before().reshape(-1, len(here.hands) ** 2)
    for which, prize_set in enumerate(here.sets.tolist()):
        part = here.part(flags, which)
        for upcard in range(1, here.course.cards + 1):
            if not prize_set >> upcard - 1 & 1:
                before = above.part(their_flags, int(ranks()[prize_set | 1 << upcard - 1]))
                # Who won it had less before.
                seen = after_bids(before, int(here.reach[which]), -upcard, ends=(False, False))
                for row in rows:
                    part |= seen[row]
