"""Prize sets: numbering both ways, and the set that remains when one prize is turned up."""

from math import comb

import numpy as np
import pytest

from goofspiel import prizes
from goofspiel.rules import MAX_CARDS, cards_of, mask_of

LEVELS = [(cards, level) for cards in range(1, MAX_CARDS + 1) for level in range(cards + 1)]


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_numbering_is_perfect(cards, level):
    sets = prizes.all_prize_sets(cards, level)
    assert len(sets) == prizes.count(cards, level) == comb(cards, level)
    assert len(set(sets.tolist())) == len(sets)
    assert all(mask < 1 << cards and mask.bit_count() == level for mask in sets.tolist())
    assert prizes.number(sets).tolist() == list(range(len(sets)))


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_a_smaller_games_sets_come_first(cards, level):
    sets = prizes.all_prize_sets(cards, level)
    assert (prizes.all_prize_sets(MAX_CARDS, level)[: len(sets)] == sets).all()


@pytest.mark.parametrize(("cards", "level"), [(cards, level) for cards, level in LEVELS if level > 0])
def test_children(cards, level):
    sets = prizes.all_prize_sets(cards, level)
    if len(sets) > 500:
        sets = np.sort(np.random.default_rng(cards).choice(sets, 500, replace=False))
    child, prize = prizes.children(sets, level)
    assert child.shape == prize.shape == (level, len(sets))
    below = prizes.all_prize_sets(cards, level - 1)
    for place, mask in enumerate(sets.tolist()):
        held = cards_of(mask)
        assert prize[:, place].tolist() == list(held)  # the upcard of rank 0 is the lowest
        left = [mask_of(set(held) - {upcard}) for upcard in held]
        assert below[child[:, place]].tolist() == left
