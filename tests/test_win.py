"""The objective win, in which the lead counts: known numbers, a slow reference, truths of the game."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import reference
from answers import before_upcard, with_upcard
from corpora import corpus
from fixtures import Win
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import Hand

from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.tablebase.answer import Answer

CARDS = 9
Value = Callable[[Position], float]
EVERYTHING = sum(range(1, CARDS + 1))
SAME = 1e-6  # values are kept in single precision; the tables state a bound below this


@pytest.fixture(scope="session")
def value(win: Win) -> Value:
    """A function: the value of a position of the game with nine cards."""
    return lambda position: float(win(CARDS).values([position])[0])


def with_lead(position: Position, lead: int) -> Position:
    return position.replaced(lead=lead)


def left_of(position: Position) -> int:
    """What the prizes that are left are worth."""
    return sum(position.deck) + position.upcard


def largest_lead(position: Position) -> int:
    """The largest lead that can occur and is not decided."""
    return min(left_of(position), sum(range(1, CARDS + 1)) - left_of(position))


@st.composite
def positions(draw: st.DrawFn, *, prizes_up_to: int = CARDS, least_level: int = 1, leads: bool = True) -> Position:
    """Positions of the game with nine cards, before or after the upcard, with any lead that can occur and is open."""
    level = draw(st.integers(least_level, prizes_up_to))
    mine, theirs = (draw(st.permutations(range(1, CARDS + 1)))[:level] for _ in range(2))
    chosen = draw(st.permutations(range(1, prizes_up_to + 1)))[:level]
    shown = draw(st.booleans())
    position = Position.of(mine, theirs, chosen[shown:], chosen[0] if shown else None)
    largest = largest_lead(position) * leads
    return with_lead(position, draw(st.integers(-largest, largest)))


# --- known numbers


@pytest.mark.parametrize("case", corpus("first_moves_win.txt"))
def test_first_moves(win: Win, case: list[str]) -> None:
    cards, upcard, bid = map(int, case[:3])
    printed, source = case[3:]
    answer = with_upcard(win(cards).probe(Position.start(cards, upcard)))
    assert answer.unique
    assert answer.mine[bid] == pytest.approx(float(printed), abs=0.51e-4), source
    assert answer.theirs[bid] == pytest.approx(answer.mine[bid], abs=SAME)
    assert answer.value == pytest.approx(0, abs=SAME)


def test_the_last_card_decides_by_hand(win: Win) -> None:
    """One card each, the 3 is up: who wins it is ahead unless the lead was larger; a tie leaves things as they are."""
    for lead, ahead, behind in ((0, 1, -1), (2, 1, -1), (3, 1, 0), (4, 1, 1), (-3, 0, -1), (-4, -1, -1)):
        assert win(4).probe(Position(f"4/2/- 3 {lead}")).value == ahead
        assert win(4).probe(Position(f"2/4/- 3 {lead}")).value == behind
        assert win(4).probe(Position(f"2/2/- 3 {lead}")).value == np.sign(lead)


def test_two_cards_by_hand(win: Win) -> None:
    """I hold 2 and 4 against 1 and 3; the 3 is up, the 2 is left, and I am one point behind."""
    answer = with_upcard(win(4).probe(Position("24/A3/2 3 -1")))
    # My 2 against their 1 wins the 3, then my 4 wins the 2; against their 3 it loses 3, then the 4 wins 2: 2 behind.
    # My 4 against their 1 wins the 3, then my 2 loses the 2: level. Against their 3 it wins both.
    assert answer.matrix == ((1, -1), (0, 1))
    assert answer.value == pytest.approx(1 / 3, abs=1e-12)
    assert answer.mine == pytest.approx({2: 1 / 3, 4: 2 / 3}, abs=1e-12)
    assert answer.theirs == pytest.approx({1: 2 / 3, 3: 1 / 3}, abs=1e-12)
    assert (answer.objective, answer.unique) == (Objective.WIN, True)


@pytest.mark.parametrize(("lead", "worth"), [(0, 0), (3, 1), (-45, -1)])
def test_a_game_that_is_over_is_won_lost_or_drawn(win: Win, lead: int, worth: int) -> None:
    over = Position(f"-/-/- - {lead}")
    assert (win(9).probe(over).value, dict(before_upcard(win(9).probe(over)).upcards)) == (worth, {})
    assert win(9).values([over]).tolist() == [worth]


@pytest.mark.parametrize("cards", range(1, 10))
def test_the_opening_is_level(win: Win, cards: int) -> None:
    opening = before_upcard(win(cards).probe(Position.start(cards)))
    assert opening.value == 0
    assert list(opening.upcards.values()) == pytest.approx([0] * cards, abs=SAME)
    assert win(cards).values([Position.start(cards), Position.start(cards, 1)]) == pytest.approx([0, 0], abs=SAME)


# --- the reference


def all_positions(cards: int) -> Iterator[tuple[tuple[Hand, Hand, Hand], int]]:
    """Every (my hand, their hand, prizes) and lead of a game whose lead can occur, or is decided."""
    total = sum(range(1, cards + 1))
    for hands in reference.positions(cards):
        left = sum(hands[2])
        yield from ((hands, d) for d in range(-total, total + 1) if abs(d) > left or abs(d) + left <= total)


@pytest.mark.parametrize("cards", range(1, 5))
def test_every_position_and_lead_before_its_upcard(win: Win, cards: int) -> None:
    cases = list(all_positions(cards))
    expected = np.array([float(reference.value(*hands, lead)) for hands, lead in cases])
    asked = [Position.of(*hands, lead=lead) for hands, lead in cases]
    assert np.abs(win(cards).values(asked) - expected).max() <= win(cards).bound.value


@pytest.mark.parametrize("cards", range(1, 5))
def test_every_position_and_lead_with_every_upcard(win: Win, cards: int) -> None:
    cases = [(hands, upcard, lead) for hands, lead in all_positions(cards) for upcard in hands[2]]
    expected = np.array([float(reference.value_of_upcard(*hands, upcard, lead)) for hands, upcard, lead in cases])
    asked = [Position.of(*hands, lead=lead).turn_up(upcard) for hands, upcard, lead in cases]
    assert np.abs(win(cards).values(asked) - expected).max() <= win(cards).bound.value + 1e-14


@pytest.mark.parametrize("cards", range(1, 5))
def test_every_answer_is_optimal_in_the_reference_game(win: Win, cards: int) -> None:
    allowed = win(cards).bound.value + 1e-14
    for hands, lead in all_positions(cards):
        if abs(lead) > sum(hands[2]) + 1:
            continue  # decided, and like the one just decided
        for upcard in hands[2]:
            answer = win(cards).probe(Position.of(*hands, lead=lead).turn_up(upcard))
            assert isinstance(answer, Answer)
            expected = float(reference.value_of_upcard(*hands, upcard, lead))
            payoff = np.array([list(map(float, row)) for row in reference.payoff(*hands, upcard, lead)])
            assert np.abs(np.array(answer.matrix) - payoff).max() <= allowed, answer
            assert abs(answer.value - expected) <= allowed, answer
            # neither mix leaves the other side a reply that is better than the value
            assert (np.array(list(answer.mine.values())) @ payoff).min() >= expected - 2 * allowed, answer
            assert (payoff @ np.array(list(answer.theirs.values()))).max() <= expected + 2 * allowed, answer


# --- truths of the game


@given(position=positions())
def test_swapped_sides_negate_the_value(value: Value, position: Position) -> None:
    assert value(position.swap()) == pytest.approx(-value(position), abs=SAME)


@given(position=positions(), data=st.data())
def test_a_larger_lead_is_worth_no_less(value: Value, position: Position, data: st.DataObject) -> None:
    largest = largest_lead(position)
    less, more = sorted(data.draw(st.integers(-largest, largest)) for _ in range(2))
    assert value(with_lead(position, less)) <= value(with_lead(position, more)) + SAME


@given(position=positions(leads=False), more=st.integers(1, 20), ahead=st.sampled_from([1, -1]))
def test_a_lead_larger_than_all_that_is_left_is_decided(
    win: Win, value: Value, position: Position, more: int, ahead: int
) -> None:
    decided = with_lead(position, ahead * (left_of(position) + more))
    assert value(decided) == ahead
    answer = win(CARDS).probe(decided)
    assert answer.value == ahead
    if isinstance(answer, Answer):
        assert {cell for row in answer.matrix for cell in row} == {ahead}


@given(position=positions(leads=False))
def test_equal_hands_without_a_lead_are_worth_nothing(value: Value, position: Position) -> None:
    equal = Position.of(position.my_cards, position.my_cards, position.deck, position.upcard or None)
    assert value(equal) == pytest.approx(0, abs=SAME)


@given(position=positions())
def test_nobody_wins_more_than_the_game(value: Value, position: Position) -> None:
    assert abs(value(position)) <= 1


@given(position=positions())
def test_whoever_beats_every_card_wins_every_prize(value: Value, position: Position) -> None:
    level = position.level
    assume(2 * level <= CARDS)
    low, high = range(1, level + 1), range(level + 1, 2 * level + 1)
    rest = position.deck, position.upcard or None
    lead, left = position.lead, left_of(position)
    assert value(Position.of(high, low, *rest, lead=lead)) == np.sign(lead + left)
    assert value(Position.of(low, high, *rest, lead=lead)) == np.sign(lead - left)


@given(position=positions(), data=st.data())
def test_raising_one_of_my_cards_never_hurts(value: Value, position: Position, data: st.DataObject) -> None:
    card = data.draw(st.sampled_from(position.my_cards))
    higher = [other for other in range(card + 1, CARDS + 1) if other not in position.my_cards]
    assume(higher)
    hand = [*(c for c in position.my_cards if c != card), data.draw(st.sampled_from(higher))]
    rest = position.their_cards, position.deck, position.upcard or None
    assert value(Position.of(hand, *rest, lead=position.lead)) >= value(position) - SAME


@given(position=positions(prizes_up_to=4))
def test_doubled_prizes_and_lead_change_nothing(win: Win, value: Value, position: Position) -> None:
    doubled = Position.of(
        position.my_cards,
        position.their_cards,
        [2 * card for card in position.deck],
        2 * position.upcard,
        lead=2 * position.lead,
    )
    assume(win(CARDS).holds(doubled))
    assert value(doubled) == pytest.approx(value(position), abs=SAME)


@given(position=positions())
def test_before_the_upcard_the_value_is_the_mean_over_upcards(win: Win, value: Value, position: Position) -> None:
    assume(not position.upcard)
    answer = before_upcard(win(CARDS).probe(position))
    assert answer.value == value(position)
    shown = [value(position.turn_up(card)) for card in position.deck]  # each by itself: rounded in its own way
    assert list(answer.upcards.values()) == pytest.approx(shown, abs=1e-12)
    assert np.mean(list(answer.upcards.values())) == pytest.approx(answer.value, abs=SAME)


@given(position=positions())
def test_cells_are_what_the_bids_lead_to(win: Win, value: Value, position: Position) -> None:
    assume(position.upcard)
    answer = with_upcard(win(CARDS).probe(position))
    after = [[value(position.play(mine, bid)) for bid in position.their_cards] for mine in position.my_cards]
    assert np.abs(np.array(answer.matrix) - after).max() <= SAME
    assert answer.value == pytest.approx(value(position), abs=SAME)
    assert answer.gap <= 1e-12


@given(position=positions())
def test_a_table_agrees_with_every_smaller_one_that_holds_the_position(
    win: Win, value: Value, position: Position
) -> None:
    for cards in range(1, CARDS):
        if win(cards).holds(position):
            assert win(cards).values([position]) == pytest.approx([value(position)], abs=SAME)


@pytest.mark.parametrize("level", range(1, CARDS))
def test_truths_of_every_row_of_the_table(win: Win, level: int) -> None:
    """Every stored value: within ±1, no less for a larger lead, and with equal hands its own mirror image."""
    table = win(CARDS)._table
    for index, band in enumerate(table.layout.levels[level - 1].bands):
        rows = table.values(level, 0, band.rows, band=index)
        assert rows.shape == (band.rows, band.columns, 2 * band.lead + 1)
        assert np.abs(rows).max() <= 1
        assert np.diff(rows, axis=2).min(initial=0) >= -SAME
        equal = rows[:, -1]
        assert np.abs(equal + equal[:, ::-1]).max() <= SAME


# --- many at once


@pytest.mark.parametrize("shown", [True, False])
def test_values_are_what_probes_say_at_all_levels(win: Win, shown: bool) -> None:
    random = np.random.default_rng(9)
    asked = [random_position(random, level, shown) for level in range(1, 10) for _ in range(40)]
    random.shuffle(asked)
    expected = [win(CARDS).probe(position).value for position in asked]
    assert np.abs(win(CARDS).values(asked) - expected).max() <= 1e-12
    assert np.abs(win(CARDS).values(iter(asked)) - expected).max() <= 1e-12


@pytest.mark.parametrize("shown", [True, False])
def test_values_of_a_whole_level_are_those_of_its_parts(win: Win, shown: bool) -> None:
    random = np.random.default_rng(10)
    asked = [random_position(random, 4, shown) for _ in range(3000)]
    parts = np.concatenate([win(CARDS).values(asked[start : start + 5]) for start in range(0, 3000, 5)])
    assert np.abs(win(CARDS).values(asked) - parts).max() <= 1e-12


def random_position(random: np.random.Generator, level: int, shown: bool) -> Position:
    """With any lead that can occur, or a decided one."""
    mine, theirs, chosen = ((random.permutation(CARDS)[:level] + 1).tolist() for _ in range(3))
    if random.random() < 0.1:
        theirs = mine
    position = Position.of(mine, theirs, chosen[shown:], chosen[0] if shown else None)
    largest = largest_lead(position)
    decided = left_of(position) + 1
    return with_lead(position, int(random.choice([*range(-largest, largest + 1), -decided, decided])))


def test_leads_are_those_of_the_prizes_that_are_left_and_gone(win: Win) -> None:
    """Both limits occur: early in the game few prizes are gone, late few are left."""
    leads = {level: win(CARDS)._table.layout.levels[level - 1].space.bands.leads for level in range(1, CARDS)}
    assert leads[1] == tuple(range(1, 10))  # one prize is left
    assert leads[8] == tuple(range(1, 10))  # one is gone
    assert max(leads[5]) == (CARDS * (CARDS + 1) // 2) // 2
