"""Prize sets: numbering both ways, and the set that remains when one prize is turned up."""

from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from goofspiel.cards import MAX_CARDS, cards_of, mask_of
from goofspiel.states.prize_states import PrizeCourse, PrizeStates, Rounds
from goofspiel.states.subsets import all_subsets


def states(cards: int, level: int) -> PrizeStates:
    """What is left of the prizes 1 … cards, shuffled, when so many are still to come."""
    return PrizeCourse(tuple(range(1, cards + 1)), None, False, 0, cards).after(cards - level)


LEVELS = [(cards, level) for cards in range(1, MAX_CARDS + 1) for level in range(cards + 1)]


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_numbering_is_perfect(cards: int, level: int) -> None:
    sets = states(cards, level).left
    assert len(sets) == comb(cards, level)
    assert len(set(sets.tolist())) == len(sets)
    assert all(mask < 1 << cards and mask.bit_count() == level for mask in sets.tolist())
    assert states(cards, level).number(sets).tolist() == list(range(len(sets)))


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_a_smaller_games_sets_come_first(cards: int, level: int) -> None:
    sets = all_subsets(cards, level)
    assert (all_subsets(MAX_CARDS, level)[: len(sets)] == sets).all()


@pytest.mark.parametrize(("cards", "level"), [(cards, level) for cards, level in LEVELS if level > 0])
def test_rounds_are_all_upcards_of_all_sets(cards: int, level: int) -> None:
    sets = all_subsets(cards, level)
    some = np.arange(len(sets))
    if len(sets) > 500:
        some = np.sort(np.random.default_rng(cards).choice(some, 500, replace=False))
    sets = sets[some]
    rounds = states(cards, level).rounds(some)
    assert rounds.size == level
    assert (rounds.copies == 1).all()
    assert (rounds.tied == rounds.won).all()
    below = all_subsets(cards, level - 1)
    found = {(row, prize): left for row, prize, left in zip(*_lists(rounds, below), strict=True)}
    assert len(found) == len(rounds.prize) == level * len(sets)
    for row, mask in enumerate(sets.tolist()):
        for upcard in cards_of(mask):
            assert found[row, upcard] == mask ^ mask_of([upcard])


def _lists(rounds: Rounds, below: NDArray[np.uint16]) -> tuple[list[int], list[int], list[int]]:
    return rounds.row.tolist(), rounds.prize.tolist(), below[rounds.won].tolist()


def test_rounds_come_by_upcard_then_by_its_rank_then_by_what_remains() -> None:
    sets = all_subsets(9, 4)
    rounds = states(9, 4).rounds(np.arange(len(sets)))
    keys = []
    for row, upcard in zip(rounds.row.tolist(), rounds.prize.tolist(), strict=True):
        held = cards_of(int(sets[row]))
        keys.append((upcard, held.index(upcard), -(sum(held) - upcard)))
    assert keys == sorted(keys)
