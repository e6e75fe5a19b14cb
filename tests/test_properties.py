"""Truths of the game that need no solver, on the table of nine cards."""

from collections.abc import Callable, Iterable

import numpy as np
import pytest
from answers import with_upcard
from fixtures import Tablebases
from hypothesis import assume, given
from hypothesis import strategies as st

from goofspiel.position import Position

CARDS = range(1, 10)
SAME = 1e-11
Value = Callable[[Position], float]


@st.composite
def positions(draw: st.DrawFn, *, prizes_up_to: int = 9, least_level: int = 1) -> Position:
    """Positions of the game with nine cards, before or after the upcard, without a lead."""
    level = draw(st.integers(least_level, prizes_up_to))
    mine, theirs = (draw(st.permutations(CARDS))[:level] for _ in range(2))
    prizes = draw(st.permutations(range(1, prizes_up_to + 1)))[:level]
    shown = draw(st.booleans())
    return Position.of(mine, theirs, prizes[shown:], prizes[0] if shown else None)


def with_hands(position: Position, mine: Iterable[int], theirs: Iterable[int]) -> Position:
    return Position.of(mine, theirs, position.deck, position.upcard or None)


@pytest.fixture(scope="session")
def value(tablebase: Tablebases) -> Value:
    """A function: the value of a position."""
    return lambda position: float(tablebase(9).values([position])[0])


@given(position=positions())
def test_swapped_sides_negate_the_value(value: Value, position: Position) -> None:
    assert value(position.swap()) == pytest.approx(-value(position), abs=SAME)


@given(position=positions(), lead=st.integers(-9, 9))
def test_swapped_sides_negate_the_value_with_a_lead(value: Value, position: Position, lead: int) -> None:
    ahead = position.replaced(lead=lead)
    assert value(ahead.swap()) == pytest.approx(-value(ahead), abs=SAME)


@given(position=positions())
def test_equal_hands_are_worth_nothing(value: Value, tablebase: Tablebases, position: Position) -> None:
    equal = with_hands(position, position.my_cards, position.my_cards)
    assert value(equal) == pytest.approx(0, abs=SAME)
    assert tablebase(9).probe(equal).value == pytest.approx(0, abs=SAME)


@pytest.mark.parametrize("factor", [2, 3, 4])
@given(data=st.data())
def test_multiplied_prizes_multiply_the_value(value: Value, factor: int, data: st.DataObject) -> None:
    position = data.draw(positions(prizes_up_to=9 // factor))
    multiplied = Position.of(
        position.my_cards,
        position.their_cards,
        [factor * card for card in position.deck],
        factor * position.upcard,
    )
    assert value(multiplied) == pytest.approx(factor * value(position), abs=SAME)


@given(position=positions(), data=st.data())
def test_an_interchangeable_card_changes_nothing(value: Value, position: Position, data: st.DataObject) -> None:
    """A card of mine for another that compares alike with all of theirs."""
    card = data.draw(st.sampled_from(position.my_cards))
    alike = [
        other
        for other in range(1, 17)
        if other not in position.my_cards
        and all((card > c) - (card < c) == (other > c) - (other < c) for c in position.their_cards)
    ]
    assume(alike)
    other = data.draw(st.sampled_from(alike))
    hand = [*(c for c in position.my_cards if c != card), other]
    assert value(with_hands(position, hand, position.their_cards)) == pytest.approx(value(position), abs=SAME)


@given(position=positions(), data=st.data())
def test_raising_one_of_my_cards_never_hurts(value: Value, position: Position, data: st.DataObject) -> None:
    card = data.draw(st.sampled_from(position.my_cards))
    higher = [other for other in CARDS if other > card and other not in position.my_cards]
    assume(higher)
    hand = [*(c for c in position.my_cards if c != card), data.draw(st.sampled_from(higher))]
    assert value(with_hands(position, hand, position.their_cards)) >= value(position) - SAME


@given(position=positions())
def test_nobody_wins_more_than_all_prizes(value: Value, position: Position) -> None:
    prizes = sum(position.deck) + position.upcard
    assert abs(value(position)) <= prizes + SAME


@given(position=positions())
def test_whoever_beats_every_card_wins_every_prize(value: Value, position: Position) -> None:
    level = position.level
    prizes = sum(position.deck) + position.upcard
    low, high = range(1, level + 1), range(level + 1, 2 * level + 1)
    assume(2 * level <= 9)
    assert value(with_hands(position, high, low)) == pytest.approx(prizes, abs=SAME)
    assert value(with_hands(position, low, high)) == pytest.approx(-prizes, abs=SAME)


@given(position=positions())
def test_before_the_upcard_the_value_is_the_mean_over_upcards(value: Value, position: Position) -> None:
    assume(not position.upcard)
    upcards = [value(position.turn_up(card)) for card in position.deck]
    assert np.mean(upcards) == pytest.approx(value(position), abs=SAME)


@given(position=positions())
def test_a_table_agrees_with_every_smaller_one_that_holds_the_position(
    tablebase: Tablebases, value: Value, position: Position
) -> None:
    tables = [tablebase(cards) for cards in range(1, 9)]
    for table in tables:
        if table.holds(position):
            assert table.values([position]) == pytest.approx([value(position)], abs=SAME)


@given(position=positions(least_level=2))
def test_a_higher_card_for_the_same_prize_is_worth_no_less_to_win(tablebase: Tablebases, position: Position) -> None:
    """Of two bids that win against the same cards, the one that keeps the higher card is better."""
    assume(position.upcard)
    matrix = np.array(with_upcard(tablebase(9).probe(position)).matrix)
    for column, bid in enumerate(position.their_cards):
        winning = [row for row, card in enumerate(position.my_cards) if card > bid]
        assert (np.diff(matrix[winning, column]) <= SAME).all()
