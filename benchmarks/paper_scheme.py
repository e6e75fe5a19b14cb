"""The scheme of Rhoads and Bartholdi (2012): every pair of hands, every prize set, one linear program an upcard.

Nothing is known of the order of cards: hands are sets of cards. Antisymmetry halves the work, equal hands are worth 0,
and each level is computed from the one below. The linear programs are solved by GLPK as quickly as it can. Two times
are told: of GLPK alone, which a program in any language would spend, and of everything, which here is Python.
"""

from itertools import combinations
from math import comb
from time import process_time
from typing import Any

import numpy as np
from rivals import with_glpk

from goofspiel.solver import solve
from goofspiel.states import matchups
from goofspiel.states.space import level_space
from goofspiel.store import Table


def games(cards: int) -> int:
    """The linear programs of a solve: Σ j·C(N,j)·C(C(N,j),2), which is nearly Σ j·C(N,j)³/2."""
    return sum(j * comb(cards, j) * comb(comb(cards, j), 2) for j in range(1, cards + 1))


def measure(cards: int, store: Any) -> dict[str, Any]:
    """Solve all positions of a number of cards, and compare them with the table of this package."""
    table = Table.open(solve(cards, store=store))
    below, library, count, difference = np.zeros((1, 1, 1)), 0.0, 0, 0.0
    started, aside = process_time(), 0.0
    for level in range(1, cards + 1):
        matrices = _matrices(cards, level, below)
        timed = with_glpk(matrices) if matrices else None
        sets = comb(cards, level)
        values = np.zeros((sets, sets, sets))
        if timed:
            library += timed.solve
            count += len(matrices)
            mine, theirs = np.triu_indices(sets, 1)
            values[mine, theirs] = timed.values.reshape(len(mine), sets, level).mean(axis=2)
            values[theirs, mine] = -values[mine, theirs]
        if level < cards:
            before = process_time()
            difference = max(difference, float(np.abs(values - _known(table, level)).max()))
            aside += process_time() - before
        below = values
    assert count == games(cards)
    return {
        "cards": cards,
        "games": count,
        "glpk_seconds": library,
        "cpu_seconds": process_time() - started - aside,
        "largest_difference": difference,
    }


def _matrices(cards: int, level: int, below: np.ndarray) -> list[np.ndarray]:
    """The games of all pairs of different hands, one of each pair, for all prize sets and upcards."""
    sets = list(combinations(range(1, cards + 1), level))
    number = {cards_left: place for place, cards_left in enumerate(combinations(range(1, cards + 1), level - 1))}
    rest = [[number[held[:i] + held[i + 1 :]] for i in range(level)] for held in sets]
    found = []
    for mine, theirs in combinations(range(len(sets)), 2):
        sign = np.sign(np.subtract.outer(sets[mine], sets[theirs])).astype(np.float64)
        children = np.moveaxis(below[np.ix_(rest[mine], rest[theirs])], 2, 0)
        for prize_set, left in zip(sets, rest, strict=True):
            found += [children[child] + upcard * sign for upcard, child in zip(prize_set, left, strict=True)]
    return found


def _known(table: Table, level: int) -> np.ndarray:
    """The values of the same positions from a table that knows only the order: [mine][theirs][prizes]."""
    cards = table.rules.cards
    masks = np.array(
        [sum(1 << (card - 1) for card in held) for held in combinations(range(1, cards + 1), level)], dtype=np.uint16
    )
    mine, theirs = (axis.ravel() for axis in np.meshgrid(masks, masks, indexing="ij"))
    index, sign = matchups.number(mine, theirs, level)
    rows = table.read_rows(level, 0, comb(cards, level))[level_space(table.rules, level).row_of(masks)][..., 0]
    known = rows[:, np.where(sign == 0, 0, index)] * sign
    return known.T.reshape(len(masks), len(masks), len(masks))
