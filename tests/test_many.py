"""Rounds of many positions solved at once: the same as one by one."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import with_upcard
from fixtures import Exact, Tablebases
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from goofspiel.batch import PositionBatch, cards_needed, places
from goofspiel.errors import MissingTableError, PositionError
from goofspiel.position import Position
from goofspiel.render.answers import answer_json, round_answers_json
from goofspiel.rules import Rules
from goofspiel.tablebase import ChanceAnswer, open_tablebase
from goofspiel.tablebase.asking import settled
from goofspiel.tablebase.rounds import unique_rows


def random_positions(cards: int, level: int, count: int, random: np.random.Generator) -> list[Position]:
    """Positions of a level with an upcard; leads that a game of so many cards can have."""
    found = []
    for _ in range(count):
        mine, theirs, deck = (sorted((random.permutation(cards)[:level] + 1).tolist()) for _ in range(3))
        upcard = deck.pop(int(random.integers(level)))
        gone = cards * (cards + 1) // 2 - sum(deck) - upcard
        found.append(Position.of(mine, theirs, deck, upcard, lead=int(random.integers(-gone, gone + 1))))
    return found


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("level", [1, 2, 4, 6, 7])
def test_the_same_as_one_by_one(tablebase: Tablebases, objective: str, level: int) -> None:
    table = tablebase(7, objective=objective)
    positions = random_positions(7, level, 150, np.random.default_rng(level))
    positions += [position.swap() for position in positions[:50]]
    solved = table.solve_rounds(PositionBatch.of(positions))
    value, mine, theirs, payoffs = solved.value, solved.mine, solved.theirs, solved.payoffs()
    for position, v, x, y, matrix in zip(positions, value, mine, theirs, payoffs, strict=True):
        answer = with_upcard(table.probe(position))
        assert v == answer.value
        assert_allclose(matrix, answer.matrix, atol=1e-9)
        assert (x.tolist(), y.tolist()) == (list(answer.mine.values()), list(answer.theirs.values()))
        # The mixes prove themselves, whichever of the optimal ones they are.
        assert_allclose([x.sum(), y.sum()], 1, atol=1e-12)
        assert min(x.min(), y.min()) >= 0
        assert (x @ matrix).min() == pytest.approx(v, abs=1e-9)
        assert (matrix @ y).max() == pytest.approx(v, abs=1e-9)


@pytest.mark.parametrize("rules", ["6", "6 win", "5 carry", "5 win carry", "5 prizes=1,1,2,5,8"])
def test_both_sides_are_told_the_same_at_any_lead(tablebase: Tablebases, rules: str) -> None:
    """Also where several mixes are optimal: a regret of 5 points for one and of 0 for another would help nobody."""
    game = Rules.parse(rules)
    table, several = tablebase(game), 0
    for position in reached_positions(game, 600, np.random.default_rng(2)):
        answer = table.probe(position)
        if isinstance(answer, ChanceAnswer):
            continue
        several += not answer.unique or not answer.swap().unique
        other = with_upcard(table.probe(position.swap())).swap()
        level = answer if game.has_leads else with_upcard(table.probe(position.replaced(lead=0)))
        for found in (other, level):
            assert (dict(found.mine), dict(found.theirs)) == (dict(answer.mine), dict(answer.theirs))
            assert dict(found.regret) == pytest.approx(dict(answer.regret), abs=1e-12)
        assert other.value == pytest.approx(answer.value, abs=1e-12)
    assert several > 5


def test_all_positions_of_a_level_at_once(tablebase: Tablebases) -> None:
    """So many that the table lays out the whole level, equal hands among them."""
    table = tablebase(4)
    hands = [Position.of(m, t, d[:1], d[1]) for m in PAIRS for t in PAIRS for d in PAIRS]
    asked = hands + [position.swap() for position in hands]
    solved = table.solve_rounds(PositionBatch.of(asked))
    assert_allclose(solved.value, table.values(asked), atol=1e-12)
    assert_allclose(solved.value[: len(hands)], -solved.value[len(hands) :], atol=1e-12)


PAIRS = [(a, b) for a in range(1, 5) for b in range(a + 1, 5)]


def any_positions(cards: int, count: int, random: np.random.Generator) -> list[Position]:
    """Of all sizes, with an upcard, before one, and at the end."""
    found = [Position.start(cards), Position.start(cards, cards), Position("-/-/- - 3")]
    for _ in range(count):
        (position,) = random_positions(cards, int(random.integers(1, cards + 1)), 1, random)
        found += [position, Position.of(position.my_cards, position.their_cards, position.prizes, lead=position.lead)]
    return found


@pytest.mark.parametrize("rules", ["7", "7 win", "6 carry", "5 win carry", "6 order=descending", "5 prizes=1,1,2,5,8"])
def test_many_answers_are_those_of_the_positions(tablebase: Tablebases, rules: str) -> None:
    game = Rules.parse(rules)
    table = tablebase(game)
    chance = np.random.default_rng(3)
    positions = any_positions(game.cards, 150, chance) if game.nests else reached_positions(game, 80, chance)
    found = table.probe_many(positions)
    assert_array_equal(found.value, table.probe_many(PositionBatch.of(positions, places(game))).value)
    assert_allclose(found.value, table.values(positions), atol=1e-12)
    for place, position in enumerate(positions):
        answer = table.probe(position)
        assert found.value[place] == answer.value
        mine, theirs, regret = found.mine[place], found.theirs[place], found.regret[place]
        if isinstance(answer, ChanceAnswer):
            assert not mine.any()
            assert not theirs.any()
            assert np.isnan([*regret, found.gap[place]]).all()
            continue
        my_places, their_places = (np.array(cards) - 1 for cards in (position.my_cards, position.their_cards))
        assert mine[my_places].tolist() == list(answer.mine.values())
        assert theirs[their_places].tolist() == list(answer.theirs.values())
        assert regret[my_places].tolist() == list(answer.regret.values())
        assert found.gap[place] == answer.gap
        assert np.count_nonzero(mine) == np.count_nonzero(mine[my_places])
        assert np.count_nonzero(theirs) == np.count_nonzero(theirs[their_places])
        assert np.isnan(np.delete(regret, my_places)).all()


def reached_positions(rules: Rules, count: int, random: np.random.Generator) -> list[Position]:
    """Positions that games of some rules come to, by bids at random."""
    found: list[Position] = []
    while len(found) < count:
        position = Position.start(rules)
        while not rules.is_over(position.level):
            found.append(position)
            deck = position.deck[:1] if rules.order is not None else position.deck
            position = position.turn_up(int(random.choice(deck)))
            found.append(position)
            bids = (int(random.choice(hand)) for hand in (position.my_cards, position.their_cards))
            position = position.play(*bids, carry=rules.has_pots)
        found.append(position)
    return found


def test_many_answers_in_notation(tablebase: Tablebases) -> None:
    table = tablebase(5)
    found = table.probe_many(["24/A3/4 5", "24/A3/45 -", "start 5 5"])
    assert found.value == pytest.approx([41 / 9, table.values(["24/A3/45 -"])[0], 0])
    assert found.mine[0, [1, 3]] == pytest.approx([4 / 9, 5 / 9])  # of the 2 and of the 4
    nothing = table.probe_many([])
    assert (nothing.value.shape, nothing.mine.shape) == ((0,), (0, 16))


def test_many_answers_that_a_table_does_not_hold(tablebase: Tablebases) -> None:
    with pytest.raises(MissingTableError, match="'24/A3/Q K' needs a table of 13 cards"):
        tablebase(4).probe_many(["24/A3/2 3", "24/A3/Q K"])
    with pytest.raises(PositionError, match="'24/A3/2 3 0 4'"):
        tablebase(4).probe_many([Position.of((2, 4), (1, 3), (2,), 3, pot=4)])
    with pytest.raises(PositionError, match="decks are masks of the prizes"):
        tablebase(4).probe_many(PositionBatch.of([], prizes=(1, 1, 2)))


def arrays(draw: Callable[[st.SearchStrategy[int]], int], game: Rules) -> PositionBatch:
    """One position, or what might be taken for one: every field is drawn for itself."""
    hand = st.integers(0, (2 << game.cards) - 1)  # with a card too many
    deck = st.integers(0, (1 << game.cards) - 1).filter(lambda mask: game.prizes[0] < game.prizes[1] or mask & 3 != 2)
    small = st.integers(-2, 6)
    mine, theirs, left = (np.array([draw(one)], dtype=np.uint16) for one in (hand, hand, deck))
    upcard, lead, pot = (np.array([draw(small)], dtype=np.int32) for _ in range(3))
    return PositionBatch(mine, theirs, left, upcard, lead, pot * draw(st.integers(0, 1)), places(game))


@pytest.mark.parametrize(
    "text", ["3", "3 win", "3 carry", "3 win carry", "3 prizes=1,1,5", "4 rounds=2", "3 order=2,3,1"]
)
@given(data=st.data())
def test_arrays_are_answered_if_they_are_positions(tablebase: Tablebases, text: str, data: st.DataObject) -> None:
    game = Rules.parse(text)
    batch, table = arrays(data.draw, game), tablebase(game)
    try:
        expected = table.values([batch.position(0, game)])
    except (PositionError, MissingTableError) as error:
        with pytest.raises((PositionError, MissingTableError), match=re.escape(str(error))):
            table.values(batch)
    else:
        assert_array_equal(table.values(batch), expected)


@pytest.mark.parametrize(
    "wrong", [{"lead": np.zeros(1)}, {"pot": np.zeros(2, dtype=np.int32)}, {"upcard": np.zeros((1, 1), dtype=np.int32)}]
)
def test_arrays_that_are_no_batch(tablebase: Tablebases, wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(PositionError, match=f"^{name} must be an array of whole numbers, one a position$"):
        tablebase(4).values(replace(PositionBatch.of([Position("24/A3/2 3")]), **wrong))


@pytest.mark.parametrize("deck", [0b1000, 0b10])
def test_decks_that_are_none(tablebase: Tablebases, deck: int) -> None:
    game = Rules(3, prizes=(1, 1, 5))
    message = f"decks are masks of the prizes [1, 1, 5], of equal ones the first, not {deck}"
    with pytest.raises(PositionError, match=f"^{re.escape(message)}$"):
        tablebase(game).values(replace(PositionBatch.start(1, game), deck=np.array([deck], dtype=np.uint16)))


def test_no_positions(tablebase: Tablebases) -> None:
    solved = tablebase(4).solve_rounds(PositionBatch.of([]))
    assert (len(solved.value), len(solved.mine)) == (0, 0)


def test_a_position_that_the_table_does_not_hold(tablebase: Tablebases) -> None:
    with pytest.raises(MissingTableError, match="'24/A3/Q K' needs a table of 13 cards"):
        tablebase(4).solve_rounds(PositionBatch.of([Position("24/A3/2 3"), Position("24/A3/Q K")]))


columns = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-2, 2), st.sampled_from([0, 1, 10**6])), min_size=0, max_size=40
)


@given(columns)
def test_distinct_rows(rows: list[tuple[int, int, int]]) -> None:
    fields = [np.array([row[i] for row in rows], dtype=np.int64) for i in range(3)]
    first, which = unique_rows(fields)
    kept = [rows[i] for i in first.tolist()]
    assert len(set(kept)) == len(kept)
    assert [kept[i] for i in which.tolist()] == rows


def test_distinct_rows_in_a_small_range_are_counted() -> None:
    random = np.random.default_rng(1)
    fields = [random.integers(0, 4, 1000), random.integers(-5, 5, 1000)]
    first, which = unique_rows(fields)
    assert len(first) == 40
    for field in fields:
        assert_array_equal(field[first][which], field)


@pytest.mark.parametrize("rules", [Rules(7), Rules(7, objective="win"), Rules(5, ties="carry"), Rules(6, rounds=4)])
def test_answers_are_written_as_one_by_one(store: Path, rules: Rules) -> None:
    random = np.random.default_rng(rules.cards)
    with open_tablebase(rules, store=store) as table:
        for level in range(rules.last_level + 1, rules.cards + 1):
            drawn = random_positions(rules.cards, level, 40, random) if rules.nests and not rules.has_pots else []
            positions = drawn or [Position.start(rules, 3)] * (level == rules.cards)
            if positions:
                written = list(round_answers_json(table.answer_rounds(positions), settle=settled))
                assert written == [answer_json(settled(table.probe(position))) for position in positions]


@pytest.mark.parametrize("objective", ["points", "win"])
def test_the_cards_that_one_position_needs_are_those_of_many(objective: str) -> None:
    rules, random = Rules(1, objective=objective), np.random.default_rng(3)
    asked = [position for level in range(1, 12) for position in random_positions(13, level, 60, random)]
    asked += [Position.of(p.my_cards, p.their_cards, [*p.deck, p.upcard], lead=p.lead) for p in asked[::3]]
    assert [cards_needed(position, rules) for position in asked] == PositionBatch.of(asked).cards_needed(rules).tolist()


@pytest.mark.parametrize("one", ["24/A3/4 5", Position("24/A3/4 5")], ids=repr)
def test_one_position_is_not_many(tablebase: Tablebases, exact: Exact, one: Any) -> None:
    for ask in (tablebase(5).values, tablebase(5).probe_many, exact(4).values):
        with pytest.raises(TypeError, match=r"^positions are a list of positions, not one: '24/A3/4 5'$"):
            ask(one)
