"""Put the prize sets of a level on bands: those whose rows are equally long stand together.

For the objective `points` the lead does not matter: a row holds one value a matchup, and there is one band. For `win`
a row holds, for each matchup and for equal hands, the values of all leads that can occur and are not decided. A lead
larger than the prizes that are left is decided; one larger than the prizes that are gone cannot occur.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from goofspiel.rules import Objective
from goofspiel.states import matchups, prize_sets
from goofspiel.states.subsets import Masks, Ranks


def matchup_count(cards: int, level: int, objective: Objective) -> int:
    """How many matchups a row holds; for `win` the last one is that of equal hands, whose lead has a value."""
    return matchups.count(cards, level) + (objective == Objective.WIN)


def number(mine: Masks, theirs: Masks, cards: int, level: int, objective: Objective) -> tuple[Ranks, NDArray[np.int8]]:
    """Where the value of hand pairs is found in a row, and its sign; for `win` the sign is also that of the lead.

    A sign of 0 means that nothing is kept: equal hands are worth nothing, for `points`.
    """
    index, sign = matchups.number(mine, theirs, level)
    if objective == Objective.WIN:
        equal = sign == 0
        index[equal], sign[equal] = matchups.count(cards, level), 1
    return index, sign


def words(index: Ranks, cards: int, level: int) -> tuple[Masks, Masks]:
    """The inverse of `number`: the words of some matchups of a row, (mine, theirs)."""
    mine = np.full(index.shape, (1 << level) - 1, dtype=np.uint16)  # equal hands
    theirs = mine.copy()
    differ = index != matchups.count(cards, level)
    mine[differ], theirs[differ] = matchups.words(index[differ], level)
    return mine, theirs


def successors(cards: int, level: int, objective: Objective) -> matchups.Successors:
    """What each pair of bids leads to, for all matchups of a row."""
    everything = np.arange(matchup_count(cards, level, objective))
    return matchups.successors(*words(everything, cards, level), level, matchups.count(cards, level - 1))


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """The bands of a level, and where each prize set is found."""

    leads: tuple[int, ...]  # by band: the largest lead of its rows, which hold −lead … lead
    sets: tuple[Masks, ...]  # by band: its prize sets, in the order of its rows
    band: NDArray[np.int32]  # by the number of a prize set
    row: NDArray[np.int32]  # by the number of a prize set: its row on that band


@cache
def bands_of(cards: int, level: int, objective: Objective) -> Bands:
    """The bands of a level, shortest rows first; on a band, prize sets that are worth the same stand together."""
    sets = prize_sets.all_prize_sets(cards, level)
    left = prize_sets.totals(sets)
    lead = np.minimum(left, prize_sets.total(cards) - left) * (objective == Objective.WIN)
    leads, band = np.unique(lead, return_inverse=True)
    row = np.empty(len(sets), dtype=np.int32)
    sets_of = []
    for index in range(len(leads)):
        members = np.flatnonzero(band == index)
        if objective == Objective.WIN:
            members = members[np.argsort(left[members], kind="stable")]
        row[members] = np.arange(len(members))
        sets_of.append(sets[members])
    return Bands(tuple(leads.tolist()), tuple(sets_of), band.astype(np.int32), row)
