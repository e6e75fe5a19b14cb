"""Number the hand pairs of a level, up to order; and what each pair of bids leads to.

A matchup is the pattern that remains of two hands when only comparisons count: every distinct card is mine, theirs or
both. It is kept as two bit masks over the places of the pattern, lowest card first. With j cards in each hand, of which
d are not matched by an equal card of the other hand, the pattern has j + d letters. Matchups are numbered by d, then by
the places of the ties, then by which of the 2d other letters are mine. Half of them are numbered: those whose highest
unmatched card is theirs. The other half are their mirror images, worth the negative; d = 0, equal hands, is worth 0.

The number does not depend on how many cards the game has: the matchups of a smaller game come first.
"""

from collections.abc import Iterator
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from goofspiel import _kernel
from goofspiel.states.subsets import Masks, Ranks, all_subsets, ranks, sizes, spread, squeeze, squeezed_bytes

# A cell's code: index of the child << 3 | its value is negated << 2 | who wins the upcard (0 they, 1 nobody, 2 I).
NEGATED = 1 << 2
INDEX_SHIFT = 3
CHILD_SIGN = np.array([1, 1, 1, 1, -1, -1, -1, -1], dtype=np.int8)  # by code & 7
UPCARD_SIGN = np.array([-1, 0, 1], dtype=np.int32)  # by code & 3


@cache
def _half(d: int) -> int:
    """Half of the ways to deal 2d unmatched places to two players."""
    return comb(2 * d, d) // 2


@cache
def _offset(level: int, d: int) -> int:
    """The number of matchups of a level with fewer than d unmatched cards."""
    return sum(comb(level + e, level - e) * _half(e) for e in range(1, d))


def count(cards: int, level: int) -> int:
    """How many matchups of a level are numbered, in a game of `cards` cards."""
    return _offset(level, min(level, cards - level) + 1)


@cache
def _offsets(level: int) -> Ranks:
    return np.array([0] + [_offset(level, d) for d in range(1, level + 1)], dtype=np.int64)


@cache
def _halves() -> Ranks:
    return np.array([0] + [_half(d) for d in range(1, 17)], dtype=np.int64)


def number(mine: Masks, theirs: Masks, level: int) -> tuple[Ranks, NDArray[np.int8]]:
    """The index and the sign of hand pairs of one level: value(hands) = sign · value(index).

    The sign is 0 for equal hands, which have no number.
    """
    held, ties = mine | theirs, mine & theirs
    d = level - sizes()[ties].astype(np.intp)
    half = _halves()[d]
    dealt = ranks()[squeeze(mine, held ^ ties)]
    lower = dealt < half
    sign = np.where(d == 0, 0, np.where(lower, 1, -1)).astype(np.int8)
    dealt = np.where(lower, dealt, 2 * half - 1 - dealt)
    return _offsets(level)[d] + ranks()[squeeze(ties, held)] * half + dealt, sign


def patterns_of(mine: Masks, theirs: Masks) -> tuple[Masks, Masks]:
    """The patterns of hand pairs: what only comparisons tell of them, (mine, theirs)."""
    held = mine | theirs
    return squeeze(mine, held), squeeze(theirs, held)


def patterns(index: Ranks, level: int) -> tuple[Masks, Masks]:
    """The inverse of `number`: the patterns of numbered matchups of one level, (mine, theirs)."""
    index = np.asarray(index, dtype=np.int64)
    mine, theirs = np.empty(index.shape, dtype=np.uint16), np.empty(index.shape, dtype=np.uint16)
    unmatched_count = np.searchsorted(_offsets(level)[1:], index, side="right")
    for d in np.unique(unmatched_count).tolist():
        here = unmatched_count == d
        place, dealt = np.divmod(index[here] - _offset(level, d), _half(d))
        pattern = np.uint16((1 << (level + d)) - 1)
        ties = all_subsets(level + d, level - d)[place]
        unmatched = spread(all_subsets(2 * d, d)[dealt], pattern ^ ties)
        mine[here], theirs[here] = ties | unmatched, pattern ^ unmatched
    return mine, theirs


def all_matchups(cards: int, level: int) -> tuple[Masks, Masks]:
    """The patterns of all numbered matchups of a level, in the order of their numbers: (mine, theirs)."""
    return patterns(np.arange(count(cards, level)), level)


def distinct_cards(hand: Masks, other: Masks) -> Masks:
    """The cards of `hand` that differ: of those with no card of `other` between or on them, only the lowest.

    The places must be those of a pattern: every place is held by somebody.
    """
    alone = hand & ~other
    doubled: Masks = np.ascontiguousarray(hand & ~(alone & (alone << 1)).astype(np.uint16))
    return doubled


class Successors(NamedTuple):
    """The matrix games of matchups, as the kernel takes them: their shapes, and for each cell what it leads to."""

    shapes: NDArray[np.uint8]  # [matchup][2]: rows, columns
    offsets: NDArray[np.int64]  # [matchup + 1]: where its cells start
    codes: NDArray[np.uint32]  # one a cell, row-major

    def some(self, which: Ranks) -> "Successors":
        """Those of some matchups."""
        shapes = self.shapes[which]
        sizes = shapes[:, 0].astype(np.int64) * shapes[:, 1]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        cells = np.arange(offsets[-1]) + np.repeat(self.offsets[which] - offsets[:-1], sizes)
        return Successors(shapes, offsets, self.codes[cells])

    def by_shape(self, which: Ranks) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint32]]]:
        """The games of one shape together: which of those asked for, and their cells' codes, [game][row][column]."""
        shape = self.shapes[which].astype(np.int64)
        kind = shape[:, 0] * 32 + shape[:, 1]
        for rows, columns in (divmod(k, 32) for k in np.unique(kind).tolist()):
            members = np.flatnonzero(kind == rows * 32 + columns)
            cells = self.offsets[which[members]][:, None] + np.arange(rows * columns)
            yield members, self.codes[cells].reshape(-1, rows, columns)


def successors(mine: Masks, theirs: Masks, level: int, child_count: int) -> Successors:
    """The successors of the given patterns of one level; `child_count` is the index that stands for equal hands."""
    rows, columns = distinct_cards(mine, theirs), distinct_cards(theirs, mine)
    shapes = np.stack([sizes()[rows], sizes()[columns]], axis=1)
    offsets = np.zeros(len(mine) + 1, dtype=np.int64)
    np.cumsum(shapes[:, 0].astype(np.int64) * shapes[:, 1], out=offsets[1:])
    codes = np.empty(int(offsets[-1]), dtype=np.uint32)
    if not len(codes):
        return Successors(shapes, offsets, codes)
    _kernel.successor_codes(
        mine,
        theirs,
        rows,
        columns,
        offsets,
        ranks(),
        squeezed_bytes(),
        _offsets(level - 1),
        _halves()[:level],
        child_count,
        codes,
    )
    return Successors(shapes, offsets, codes)
