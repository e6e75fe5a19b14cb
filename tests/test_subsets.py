"""Subsets as masks: ranks, and bits moved together and apart."""

from collections.abc import Iterable
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from goofspiel.states.subsets import BITS, all_subsets, ranks, sizes, spread, squeeze

masks = st.integers(0, (1 << BITS) - 1)


def bits_of(mask: int) -> list[int]:
    return [bit for bit in range(BITS) if mask >> bit & 1]


def mask_of(bits: Iterable[int]) -> int:
    return sum(1 << bit for bit in bits)


def one(mask: int) -> NDArray[np.uint16]:
    return np.array([mask], dtype=np.uint16)


@pytest.mark.parametrize("n", range(BITS + 1))
def test_all_subsets_are_there_in_the_order_of_their_ranks(n: int) -> None:
    for size in range(n + 1):
        found = all_subsets(n, size)
        assert found.dtype == np.uint16
        assert found.tolist() == sorted(mask_of(bits) for bits in combinations(range(n), size))
        assert len(found) == comb(n, size)
        assert ranks()[found].tolist() == list(range(len(found)))


def test_a_rank_is_a_sum_of_binomials_whatever_the_set_is_taken_from() -> None:
    for mask in range(1 << BITS):
        assert ranks()[mask] == sum(comb(bit, place) for place, bit in enumerate(bits_of(mask), start=1))
        assert sizes()[mask] == mask.bit_count()


def test_the_shared_tables_cannot_be_changed() -> None:
    for table in (ranks(), sizes()):
        with pytest.raises(ValueError, match="read-only"):
            table[0] = 1


@given(masks, masks)
def test_squeeze_moves_the_kept_bits_together(mask: int, kept: int) -> None:
    expected = mask_of(place for place, bit in enumerate(bits_of(kept)) if mask >> bit & 1)
    found = squeeze(one(mask), one(kept))
    assert found.dtype == np.uint16
    assert found.tolist() == [expected]


@given(masks, masks)
def test_spread_puts_them_back(mask: int, places: int) -> None:
    apart = spread(one(mask), one(places))
    assert apart.dtype == np.uint16
    assert apart.tolist() == [mask_of(bit for place, bit in enumerate(bits_of(places)) if mask >> place & 1)]
    assert squeeze(apart, one(places)).tolist() == [mask & (1 << places.bit_count()) - 1]
    assert spread(squeeze(one(mask), one(places)), one(places)).tolist() == [mask & places]


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    random = np.random.default_rng(1)
    mask, kept = random.integers(1 << BITS, size=(2, 1000)).astype(np.uint16)
    assert squeeze(mask, kept).tolist() == [int(squeeze(one(m), one(k))[0]) for m, k in zip(mask, kept, strict=True)]
    assert spread(mask, kept).tolist() == [int(spread(one(m), one(k))[0]) for m, k in zip(mask, kept, strict=True)]
    nothing = np.zeros(0, dtype=np.uint16)
    assert squeeze(nothing, nothing).shape == spread(nothing, nothing).shape == (0,)
