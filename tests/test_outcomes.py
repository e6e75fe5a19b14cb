"""How likely are a win, a draw, a loss? By hand, within what optimal mixes allow, in agreement with the value."""

import numpy as np
import pytest
import reference
from fixtures import Tablebases, Win
from hypothesis import given
from hypothesis import strategies as st
from reference import Hand

from goofspiel.position import Position
from goofspiel.tablebase.outcomes import MOST_CARDS, Outcomes, outcomes, outcomes_from
from goofspiel.tablebase.tablebase import Tablebase

SAME = 1e-6


@st.composite
def positions(draw: st.DrawFn, *, cards: int = 7) -> Position:
    """Positions with any lead that can occur, decided ones too."""
    level = draw(st.integers(1, cards))
    mine, theirs, prizes = (draw(st.permutations(range(1, cards + 1)))[:level] for _ in range(3))
    shown = draw(st.booleans())
    left = sum(prizes)
    largest = min(left + 1, cards * (cards + 1) // 2 - left)
    lead = draw(st.integers(-largest, largest))
    return Position.of(mine, theirs, prizes[shown:], prizes[0] if shown else None, lead=lead)


def found_at(table: Tablebase, position: Position) -> Outcomes:
    found = outcomes(table.probe(position))
    assert found is not None
    return found


def test_by_hand(win: Win) -> None:
    """I hold 2 and 4 against 1 and 3; the 3 is up, the 2 is left, and I am one point behind."""
    # Win, loss / draw, win; I bid the 2 with probability 1/3, they bid the Ace with 2/3.
    found = found_at(win(4), Position("24/A3/2 3 -1"))
    assert (found.win, found.draw, found.loss) == pytest.approx((4 / 9, 4 / 9, 1 / 9), abs=SAME)


@pytest.mark.parametrize(("lead", "expected"), [(0, (0, 1, 0)), (3, (1, 0, 0)), (-2, (0, 0, 1))])
def test_a_game_that_is_over(win: Win, lead: int, expected: tuple[int, int, int]) -> None:
    assert outcomes(win(4).probe(Position(f"-/-/- - {lead}"))) == Outcomes(*expected)


def test_from_the_value_and_the_draws() -> None:
    assert outcomes_from(0.5, 0.25) == Outcomes(0.625, 0.25, 0.125)
    assert outcomes_from(1.0, 0.0) == Outcomes(1, 0, 0)
    assert outcomes_from(-1.0, 1e-17).win == 0


@given(position=positions())
def test_they_add_up_and_agree_with_the_value(win: Win, position: Position) -> None:
    answer = win(7).probe(position)
    found = outcomes(answer)
    assert found is not None
    assert min(found.win, found.draw, found.loss) >= 0
    assert found.win + found.draw + found.loss == pytest.approx(1, abs=SAME)
    assert found.win - found.loss == pytest.approx(answer.value, abs=SAME)


@given(position=positions(cards=6))
def test_a_decided_game_is_never_drawn(win: Win, position: Position) -> None:
    left = sum(position.deck) + position.upcard
    decided = position.replaced(lead=left + 1)
    found = found_at(win(6), decided)
    assert (found.win, found.draw, found.loss) == (1, 0, 0)
    assert outcomes(win(6).probe(decided.swap())) == Outcomes(0, 0, 1)


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_every_position_is_within_what_all_optimal_mixes_allow(win: Win, cards: int) -> None:
    certain = 0
    everything = sum(range(1, cards + 1))
    for hands in reference.positions(cards):
        left = sum(hands[2])
        largest = min(left, everything - left)
        for lead in range(-largest, largest + 1):
            certain += check(win(cards), hands, lead)
    assert certain > 0


def test_positions_of_four_cards_are_within_what_all_optimal_mixes_allow(win: Win) -> None:
    chance = np.random.default_rng(4)
    everything = (1, 2, 3, 4)
    certain = int(check(win(4), (everything, everything, everything), 0))
    for _ in range(40):
        level = int(chance.integers(2, 4))
        mine, theirs, prizes = (tuple(sorted((chance.permutation(4)[:level] + 1).tolist())) for _ in range(3))
        largest = min(sum(prizes), 10 - sum(prizes))
        certain += check(win(4), (mine, theirs, prizes), int(chance.integers(-largest, largest + 1)))
    assert certain > 5


def check(table: Tablebase, hands: tuple[Hand, Hand, Hand], lead: int) -> bool:
    """Compare before and after each upcard; whether the mixes leave no choice."""
    position = Position.of(*hands, lead=lead)
    least, greatest = reference.draw_range(*hands, lead)
    assert float(least) - SAME <= found_at(table, position).draw <= float(greatest) + SAME, position
    for upcard in hands[2]:
        low, high = reference.draw_range_of_upcard(*hands, upcard, lead)
        found = found_at(table, position.turn_up(upcard)).draw
        assert float(low) - SAME <= found <= float(high) + SAME, position.turn_up(upcard)
    return least == greatest


def test_not_for_points_and_not_for_large_hands(tablebase: Tablebases, win: Win) -> None:
    assert outcomes(tablebase(4).probe(Position("start 4 4"))) is None
    assert outcomes(tablebase(4).probe(Position("start 4"))) is None
    assert outcomes(win(9).probe(Position("start 9"))) is None
    assert outcomes(win(9).probe(Position("start 9 9"))) is None
    assert outcomes(win(9).probe(Position(f"start {MOST_CARDS} 3"))) is not None
