"""Answers: what is said about a position, and what holds between its parts."""

import dataclasses
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import reference
from answers import before_upcard, with_upcard
from fixtures import Tablebases
from hypothesis import given
from hypothesis import strategies as st

from goofspiel import games
from goofspiel.errors import MissingTableError
from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.tablebase import Tablebase, open_tablebase
from goofspiel.tablebase.answer import Answer, ChanceAnswer, interchangeable_groups
from goofspiel.tablebase.asking import settled

SAME = 1e-11


@st.composite
def positions(
    draw: st.DrawFn, cards: int = 9, *, shown: bool | None = None, least_level: int = 1, max_lead: int = 30
) -> Position:
    """Positions that a table of `cards` holds; with an upcard, without, or either."""
    level = draw(st.integers(least_level, cards))
    mine, theirs, prizes = (draw(st.permutations(range(1, cards + 1)))[:level] for _ in range(3))
    with_upcard = level > 0 and (draw(st.booleans()) if shown is None else shown)
    lead = draw(st.integers(-max_lead, max_lead))
    return Position.of(mine, theirs, prizes[with_upcard:], prizes[0] if with_upcard else None, lead=lead)


@pytest.fixture(scope="session")
def table9(tablebase: Tablebases) -> Tablebase:
    return tablebase(9)


def test_an_answer_is_frozen_and_hashable(table9: Tablebase) -> None:
    position = Position("24/A3/7 9")
    answer, again = with_upcard(table9.probe(position)), table9.probe(position)
    assert answer == again
    assert hash(answer) == hash(again)
    assert len({answer, again, table9.probe(Position("24/A3/9 7"))}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.value = 0.0  # type: ignore[misc]
    for mapping in (answer.mine, answer.theirs, answer.regret, answer.ranges):
        with pytest.raises(TypeError):
            mapping[2] = 1.0  # type: ignore[index]


def test_a_chance_answer_is_frozen_and_hashable(table9: Tablebase) -> None:
    position = Position("24/A3/79 -")
    answer, again = before_upcard(table9.probe(position)), table9.probe(position)
    assert answer == again
    assert hash(answer) == hash(again)
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.value = 0.0  # type: ignore[misc]
    with pytest.raises(TypeError):
        answer.upcards[7] = 1.0  # type: ignore[index]


def test_reprs(table9: Tablebase) -> None:
    shown = repr(table9.probe(Position("24/A3/7 9")))
    assert shown.startswith("Answer(position=Position('24/A3/7 9'), ")
    assert "value=" in shown
    assert "{2: 0." in shown
    assert repr(table9.probe(Position("24/A3/79 -"))).startswith("ChanceAnswer(position=Position('24/A3/79 -'), ")


def test_fields_of_an_answer_by_hand(table9: Tablebase) -> None:
    """Mine 2 4, theirs 1 3, the 9 is up and the 7 is left: a game of two rows without a saddle point."""
    answer = table9.probe(Position("24/A3/7 9"))
    assert isinstance(answer, Answer)
    assert answer.position == Position("24/A3/7 9")
    assert answer.objective is Objective.POINTS
    # rows my 2, my 4; columns their 1, their 3: who wins the 9, then who wins the 7
    assert answer.matrix == ((9 + 7, -9 + 7), (9 - 7, 9 + 7))
    value = (16 * 16 - -2 * 2) / (16 + 2 - 2 + 16)
    assert answer.value == pytest.approx(value, abs=SAME)
    assert answer.mine == pytest.approx({2: 14 / 32, 4: 18 / 32}, abs=SAME)
    assert answer.theirs == pytest.approx({1: 18 / 32, 3: 14 / 32}, abs=SAME)
    assert answer.regret == pytest.approx({2: 0, 4: 0}, abs=SAME)
    assert answer.earns == pytest.approx({2: value, 4: value}, abs=SAME)
    assert answer.unique
    assert answer.ranges == {2: (answer.mine[2],) * 2, 4: (answer.mine[4],) * 2}
    assert answer.interchangeable == ()
    assert 0 <= answer.gap <= SAME


@given(position=positions(shown=True))
def test_what_holds_between_the_parts_of_an_answer(table9: Tablebase, position: Position) -> None:
    answer = table9.probe(position)
    assert isinstance(answer, Answer)
    assert (tuple(answer.mine), tuple(answer.theirs)) == (position.my_cards, position.their_cards)
    assert tuple(answer.regret) == tuple(answer.ranges) == position.my_cards
    matrix = np.array(answer.matrix)
    assert matrix.shape == (position.level, position.level)
    mine, theirs = (np.array(list(mix.values())) for mix in (answer.mine, answer.theirs))
    for mix in (mine, theirs):
        assert (mix >= 0).all()
        assert mix.sum() == pytest.approx(1, abs=1e-14)
    best_reply, guaranteed = (matrix @ theirs).max(), (mine @ matrix).min()
    assert best_reply - guaranteed <= answer.gap + 1e-13 <= 1e-10
    assert guaranteed - SAME <= answer.value <= best_reply + SAME
    assert games.solve(matrix).value == pytest.approx(answer.value, abs=SAME)
    assert games.solve_with_highs(matrix).value == pytest.approx(answer.value, abs=1e-7)
    earned = dict(zip(position.my_cards, matrix @ theirs, strict=True))
    assert answer.earns == pytest.approx(earned, abs=SAME)
    for card, regret in answer.regret.items():
        assert regret >= 0
        assert regret == pytest.approx(answer.value - earned[card], abs=SAME)
        if answer.mine[card] > 0:
            assert regret <= SAME
    for card, (least, greatest) in answer.ranges.items():
        assert 0 <= least <= answer.mine[card] <= greatest <= 1
        if answer.regret[card] > 1e-3:
            assert greatest < 1e-3
    if answer.unique:
        assert all(greatest - least < 1e-7 for least, greatest in answer.ranges.values())


@given(position=positions(shown=True))
def test_cells_are_what_the_bids_lead_to(table9: Tablebase, position: Position) -> None:
    matrix = with_upcard(table9.probe(position)).matrix
    for row, my_bid in zip(matrix, position.my_cards, strict=True):
        for cell, bid in zip(row, position.their_cards, strict=True):
            after = table9.probe(position.play(my_bid, bid))  # the lead carries what the bids have won
            assert cell == pytest.approx(after.value, abs=SAME)


@given(position=positions(shown=True))
def test_interchangeable_cards_are_named_and_the_lowest_is_played(table9: Tablebase, position: Position) -> None:
    answer = with_upcard(table9.probe(position))
    alike: dict[tuple[int, ...], list[int]] = {}
    for card in position.my_cards:
        alike.setdefault(tuple((card > other) - (card < other) for other in position.their_cards), []).append(card)
    groups = tuple(tuple(cards) for cards in alike.values())
    assert answer.interchangeable == tuple(group for group in groups if len(group) > 1)
    assert tuple(interchangeable_groups(position.mine, position.theirs)[0]) == groups
    rows = dict(zip(position.my_cards, answer.matrix, strict=True))
    for group in groups:
        for lower, higher in pairwise(group):
            assert rows[lower] == rows[higher]
            assert answer.regret[lower] == answer.regret[higher]
            assert answer.mine[higher] == 0
            assert answer.ranges[higher] == (0, 0)


@pytest.mark.parametrize(
    ("notation", "groups"),
    [
        ("A23/456/78 9", ((1, 2, 3),)),
        ("456/A23/78 9", ((4, 5, 6),)),
        ("A247/3568/A23 9", ((1, 2),)),
        ("A26/345/78 9", ((1, 2),)),
        ("A36/246/78 9", ()),  # a card of theirs between each two
        ("A23/A23/78 9", ()),
        ("A38[16]/2457/A23 4", ((8, 16),)),
    ],
)
def test_interchangeable_cards_by_hand(table9: Tablebase, notation: str, groups: tuple[tuple[int, ...], ...]) -> None:
    assert with_upcard(table9.probe(Position(notation))).interchangeable == groups


def test_ranges_of_all_small_positions_against_all_corners_of_the_optimal_set(tablebase: Tablebases) -> None:
    seen: Counter[bool | None] = Counter()
    for hands in reference.positions(4):
        for upcard in hands[2]:
            position = Position.of(*hands).turn_up(upcard)
            answer = with_upcard(tablebase(4).probe(position))
            payoff = reference.payoff(*hands, upcard)
            lowest = [group[0] for group in interchangeable_groups(position.mine, position.theirs)[0]]
            kept = [row for card, row in zip(hands[0], payoff, strict=True) if card in lowest]
            corners = np.array(reference.optimal_vertices(kept), dtype=float)
            expected = dict(zip(lowest, zip(corners.min(axis=0), corners.max(axis=0), strict=True), strict=True))
            for card, found in answer.ranges.items():
                assert found == pytest.approx(expected.get(card, (0, 0)), abs=1e-8), position
            assert answer.unique in (len(corners) == 1, None), position
            assert with_upcard(settled(answer)).unique == (len(corners) == 1), position
            seen[answer.unique] += 1
    assert min(seen[True], seen[False], seen[None]) > 0


@given(position=positions(shown=False))
def test_before_the_upcard_the_value_is_the_mean(table9: Tablebase, position: Position) -> None:
    answer = table9.probe(position)
    assert isinstance(answer, ChanceAnswer)
    assert answer.position == position
    assert tuple(answer.upcards) == position.deck
    assert np.mean(list(answer.upcards.values())) == pytest.approx(answer.value, abs=SAME)
    for card, value in answer.upcards.items():
        assert table9.probe(position.turn_up(card)).value == pytest.approx(value, abs=SAME)


@given(position=positions(max_lead=0), lead=st.integers(-45, 45))
def test_a_lead_is_added_to_the_value_and_the_matrix(table9: Tablebase, position: Position, lead: int) -> None:
    ahead = position.replaced(lead=lead)
    level, leading = table9.probe(position), table9.probe(ahead)
    assert leading.value == pytest.approx(level.value + lead, abs=SAME)
    if isinstance(level, Answer):
        assert isinstance(leading, Answer)
        assert np.abs(np.array(leading.matrix) - np.array(level.matrix) - lead).max() <= SAME
        assert leading.regret == pytest.approx(level.regret, abs=SAME)
        if level.unique and leading.unique:
            assert leading.mine == pytest.approx(level.mine, abs=1e-9)
    else:
        assert isinstance(leading, ChanceAnswer)
        assert leading.upcards == pytest.approx({card: v + lead for card, v in level.upcards.items()}, abs=SAME)
    assert table9.values([ahead]) == pytest.approx([leading.value], abs=SAME)


@pytest.mark.parametrize("lead", [0, 3, -45])
def test_a_game_that_is_over_is_worth_its_lead(table9: Tablebase, lead: int) -> None:
    over = Position(f"-/-/- - {lead}")
    answer = table9.probe(over)
    assert isinstance(answer, ChanceAnswer)
    assert (answer.value, dict(answer.upcards)) == (lead, {})
    assert table9.values([over]).tolist() == [lead]


@given(position=positions(cards=5), seed=st.permutations(range(1, 17)))
def test_hands_may_hold_higher_cards_than_the_table(tablebase: Tablebases, position: Position, seed: list[int]) -> None:
    """Only their order counts: a table holds any hands whose word is short enough."""
    held = sorted({*position.my_cards, *position.their_cards})
    moved = dict(zip(held, sorted(seed[: len(held)]), strict=True))
    strange = Position.of(
        (moved[card] for card in position.my_cards),
        (moved[card] for card in position.their_cards),
        position.deck,
        position.upcard or None,
        lead=position.lead,
    )
    table = tablebase(5)
    assert table.holds(strange)
    plain, answer = table.probe(position), table.probe(strange)
    assert answer.value == plain.value
    assert table.values([strange]) == pytest.approx([plain.value], abs=SAME)
    if isinstance(plain, Answer):
        assert isinstance(answer, Answer)
        assert answer.matrix == plain.matrix
        assert list(answer.mine.values()) == list(plain.mine.values())
        assert tuple(answer.mine) == strange.my_cards


@pytest.mark.parametrize(
    ("notation", "needed"),
    [
        ("start 5", 5),
        ("start 5 5", 5),
        ("24/A3/4 5", 5),  # a prize
        ("24/A3/45 -", 5),
        ("A24/35[16]/A2 3", 6),  # six cards in order
        ("[14]/[15]/- 5", 5),
        ("A2/34/A [16]", 16),
        ("start 16", 16),
    ],
)
def test_a_position_that_the_table_does_not_hold(tablebase: Tablebases, notation: str, needed: int) -> None:
    position, table = Position(notation), tablebase(4)
    assert not table.holds(position)
    assert table.get(position) is None
    with pytest.raises(MissingTableError) as caught:
        table.probe(position)
    assert isinstance(caught.value, KeyError)
    assert repr(str(position)) in str(caught.value)
    assert f"needs a table of {needed} cards" in str(caught.value)
    assert f"goofspiel solve {needed}" in str(caught.value)
    with pytest.raises(MissingTableError, match="needs a table"):
        table.values([Position("start 4"), position])
    if needed <= 9:
        assert tablebase(needed).get(position) == tablebase(needed).probe(position)
        if needed > 5:
            assert tablebase(needed - 1).get(position) is None


def test_get_is_probe_where_the_table_holds_the_position(table9: Tablebase) -> None:
    for notation in ("start 9", "start 9 5", "[14]/[15]/- 5", "-/-/- - 2"):
        assert table9.get(Position(notation)) == table9.probe(Position(notation))


def _random_position(random: np.random.Generator, cards: int, level: int, shown: bool) -> Position:
    mine, theirs, prizes = (random.permutation(cards)[:level] + 1 for _ in range(3))
    upcard = int(prizes[0]) if shown else None
    lead = int(random.integers(-9, 10))
    return Position.of(mine.tolist(), theirs.tolist(), prizes[shown:].tolist(), upcard, lead=lead)


@pytest.mark.parametrize("shown", [True, False])
def test_values_are_what_probes_say_at_all_levels(table9: Tablebase, shown: bool) -> None:
    random = np.random.default_rng(9)
    asked = [_random_position(random, 9, level, shown) for level in range(1, 10) for _ in range(60)]
    random.shuffle(asked)
    found = table9.values(asked)
    assert found.dtype == np.float64
    expected = [table9.probe(position).value for position in asked]
    assert np.abs(found - expected).max() <= SAME
    assert np.abs(table9.values(iter(asked)) - expected).max() <= SAME  # any iterable
    assert np.abs(table9.values(tuple(asked[:3])) - expected[:3]).max() <= SAME


@pytest.mark.parametrize("shown", [True, False])
def test_values_of_a_whole_level_are_those_of_its_parts(table9: Tablebase, shown: bool) -> None:
    """Many positions of a level are laid out in another way than a few."""
    random = np.random.default_rng(10)
    asked = [_random_position(random, 9, 4, shown) for _ in range(3000)]
    whole = table9.values(asked)
    parts = np.concatenate([table9.values(asked[start : start + 5]) for start in range(0, 3000, 5)])
    assert np.abs(whole - parts).max() <= SAME


def test_values_of_no_positions(table9: Tablebase) -> None:
    nothings: list[Iterable[Position]] = [[], (), iter([])]
    for nothing in nothings:
        found = table9.values(nothing)
        assert found.shape == (0,)
        assert found.dtype == np.float64


def test_equal_positions_have_equal_values_wherever_they_stand(table9: Tablebase) -> None:
    random = np.random.default_rng(11)
    asked = [_random_position(random, 9, level, level % 2 == 0) for level in range(1, 10)] * 3
    found = table9.values(asked).reshape(3, -1)
    assert (found == found[0]).all()


def test_an_objective_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="objective must be points or win, not 'luck'"):
        open_tablebase(4, objective="luck", store=tmp_path / "store")
    assert list(tmp_path.iterdir()) == []
