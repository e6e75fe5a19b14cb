"""Every position of the games of up to five cards, against a solver that knows no tricks."""

import numpy as np
import pytest
import reference
from fixtures import Tablebases

from goofspiel.position import Position
from goofspiel.tablebase.answer import Answer

SAME = 1e-10


@pytest.mark.parametrize(
    ("cards", "count"), [(1, 2), (2, 10), (3, 56), (4, 346), (5, 2252)], ids=str
)  # Σ C(N, j)³, OEIS A000172
def test_the_reference_enumerates_all_hands(cards: int, count: int) -> None:
    assert len(set(reference.positions(cards))) == count


@pytest.mark.parametrize("cards", range(1, 6))
def test_every_position_before_its_upcard(tablebase: Tablebases, cards: int) -> None:
    hands = list(reference.positions(cards))
    expected = np.array([float(reference.value(*hand)) for hand in hands])
    found = tablebase(cards).values([Position.of(*hand) for hand in hands])
    assert np.abs(found - expected).max() <= SAME


@pytest.mark.parametrize("cards", range(1, 6))
def test_every_position_with_every_upcard(tablebase: Tablebases, cards: int) -> None:
    shown = _with_upcards(cards)
    expected = np.array([float(reference.value_of_upcard(*case)) for case in shown])
    found = tablebase(cards).values([_position(*case) for case in shown])
    assert np.abs(found - expected).max() <= SAME


@pytest.mark.parametrize("cards", range(1, 6))
def test_every_answer_is_optimal_in_the_reference_game(tablebase: Tablebases, cards: int) -> None:
    for case in _with_upcards(cards):
        answer = tablebase(cards).probe(_position(*case))
        assert isinstance(answer, Answer)
        expected = float(reference.value_of_upcard(*case))
        payoff = np.array(reference.payoff(*case), dtype=float)
        assert np.abs(np.array(answer.matrix) - payoff).max() <= SAME, answer
        assert abs(answer.value - expected) <= SAME, answer
        # neither mix leaves the other side a reply that is better than the value
        assert (np.array(list(answer.mine.values())) @ payoff).min() >= expected - SAME, answer
        assert (payoff @ np.array(list(answer.theirs.values()))).max() <= expected + SAME, answer


def _with_upcards(cards: int) -> list[tuple[reference.Hand, reference.Hand, reference.Hand, int]]:
    return [(*hands, upcard) for hands in reference.positions(cards) for upcard in hands[2]]


def _position(mine: reference.Hand, theirs: reference.Hand, prizes: reference.Hand, upcard: int) -> Position:
    return Position.of(mine, theirs, prizes).turn_up(upcard)
