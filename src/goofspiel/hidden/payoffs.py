"""What the last choices of a game with hidden bids pay: the pairs of tracks that meet, and their matrices."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats, Numbers
from goofspiel.hidden.sets import Depth, InformationSets
from goofspiel.hidden.tracks import Tracks, all_tracks, has_forced_round
from goofspiel.rules import Rules


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs of last tracks that meet, each seen from both sides, sorted by the first; what they hold."""

    mine: Numbers
    """[pair]: a track."""
    theirs: Numbers
    """[pair]: the other's, seen from its side."""
    matrices: Numbers
    """[pair]: the number of the comparison of their hands."""
    signs: Numbers
    """[comparison][my card][their card]"""


@lru_cache(maxsize=2)
def meeting_pairs(cards: int, rounds: int) -> Pairs:
    """Which tracks meet after so many rounds."""
    tracks = all_tracks(cards, rounds)
    mine = theirs = np.zeros(1, dtype=np.int64)
    for before, after in pairwise(tracks):
        children = child_tracks(before, after)
        m, t = np.repeat(mine, before.hands.shape[1]), np.repeat(theirs, before.hands.shape[1])
        mine_parts, theirs_parts = [], []
        actions = np.tile(np.arange(before.hands.shape[1]), len(mine))
        for action in range(before.hands.shape[1]):
            sign = np.sign(before.hands[m, actions] - before.hands[t, action])
            mine_parts.append(children[m, actions, sign + 1])
            theirs_parts.append(children[t, action, 1 - sign])
        mine, theirs = np.concatenate(mine_parts), np.concatenate(theirs_parts)
    order = np.argsort(mine, kind="stable")
    mine, theirs = mine[order], theirs[order]
    hands, numbers = np.unique(tracks[-1].hands, axis=0, return_inverse=True)
    compared = np.sign(hands[:, None, :, None] - hands[None, :, None, :])
    width = hands.shape[1]
    signs, kinds = np.unique(compared.reshape(-1, width * width), axis=0, return_inverse=True)
    held = numbers.reshape(-1)
    matrices = kinds.reshape(-1)[held[mine] * len(hands) + held[theirs]]
    return Pairs(mine, theirs, matrices, signs.reshape(-1, width, width))


def child_tracks(before: Tracks, after: Tracks) -> Numbers:
    """[track][action][sign + 1]: the track that follows, −1 where none does."""
    found = np.full((before.count, before.hands.shape[1], 3), -1, dtype=np.int64)
    found[after.parents, after.parent_actions, after.signs[:, -1] + 1] = np.arange(after.count)
    return found


def groups_of(tracks: Tracks) -> Numbers:
    """Where the tracks of each outcomes start, and how many there are in all."""
    return np.searchsorted(tracks.codes, np.arange(3**tracks.rounds + 1))


def payments(sets: InformationSets, signs: Numbers) -> Floats:
    """[prizes seen][outcomes][comparison][my card][their card]: payoffs at the end, by the chance of the prizes."""
    rules, last = sets.rules, sets.depths[-1]
    lead, pot = _scores(rules, last)
    prize = last.prizes[:, -1][:, None, None, None, None]
    now = signs[None, None]
    lead, pot = (some[:, :, None, None, None] for some in (lead, pot))
    lead, pot = _played(rules, lead, pot, prize, now)
    if has_forced_round(rules):
        left = rules.total - last.prizes.sum(axis=1)[:, None, None, None, None]
        lead, pot = _played(rules, lead, pot, left, now[..., ::-1, ::-1])
    chances = last.chances[:, None, None, None, None]
    return np.ascontiguousarray(rules.at_the_end(lead) * chances, dtype=np.float64)


def _scores(rules: Rules, depth: Depth) -> tuple[Numbers, Numbers]:
    """[prizes seen][outcomes]: the lead and the pot before the last choice."""
    rounds = depth.tracks.rounds
    codes = np.arange(3**rounds)
    lead = pot = np.zeros((len(depth.prizes), len(codes)), dtype=np.int64)
    for played in range(rounds):
        signs = codes // 3 ** (rounds - 1 - played) % 3 - 1
        lead, pot = _played(rules, lead, pot, depth.prizes[:, played][:, None], signs[None])
    return lead, pot


def _played(rules: Rules, lead: Numbers, pot: Numbers, prize: Numbers, sign: Numbers) -> tuple[Numbers, Numbers]:
    """Lead and pot after a round."""
    after = lead + sign * (prize + pot)
    return after, np.where(sign == 0, pot + prize, 0) if rules.has_pots else pot


def packed(pairs: Pairs, starts: Numbers, tracks: Tracks) -> tuple[Numbers, NDArray[np.uint32]]:
    """The pairs as the kernel takes them: where those of each track end, and (the other's row, comparison)."""
    ends = np.searchsorted(pairs.mine, np.arange(tracks.count), side="right")
    rows = pairs.theirs - starts[tracks.codes[pairs.theirs]]
    return ends.astype(np.int64), ((rows << 16) | pairs.matrices).astype(np.uint32)
