"""Rules and positions of every kind, as they are written; what is wrong with them is said in one line."""

import pickle
from pathlib import Path
from typing import Any

import house
import pytest
from command import one_line
from corpora import corpus
from hypothesis import given
from hypothesis import strategies as st

from goofspiel.batch import PositionBatch, places
from goofspiel.errors import MissingTableError, PositionError, RulesError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.store import make_layout
from goofspiel.tablebase import open_tablebase


@pytest.mark.parametrize(("text", "message"), corpus("bad_rules.txt"))
def test_bad_rules_are_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.parse(text)
    assert message in one_line(caught)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"prizes": (1, 2)}, "5 cards need 5 prizes, not 2: 1,2"),
        ({"prizes": (3, 2, 1, 4, 5)}, "prizes are written in ascending order, 1,2,3,4,5, not 3,2,1,4,5"),
        ({"prizes": (1, 2, 3, 4, 1000)}, "a prize is worth 1 to 999, not 1000: prizes=1,2,3,4,1000"),
        ({"prizes": (0, 1, 2, 3, 4)}, "a prize is worth 1 to 999, not 0: prizes=0,1,2,3,4"),
        ({"order": (1, 2, 3, 4, 6)}, "an order has each of the prizes 1,2,3,4,5 once, not 1,2,3,4,6"),
        ({"order": "5,4,3,2,1"}, "an order is ascending, descending or the prizes as they come, not '5,4,3,2,1'"),
        ({"rounds": 6}, "a game of 5 cards has 1 to 5 rounds, not 6"),
        ({"rounds": -1}, "a game of 5 cards has 1 to 5 rounds, not -1"),
        ({"ties": "split"}, "ties must be discard or carry, not 'split'"),
    ],
)
def test_fields_that_do_not_fit(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules(5, **fields)
    assert one_line(caught) == message


def test_prizes_that_are_too_many_to_play_to_win() -> None:
    rules = Rules(4, prizes=(1, 2, 3, 995), objective="win")
    with pytest.raises(RulesError, match="worth 1001 in all are too many to play to win, at most 1000") as caught:
        make_layout(rules)
    assert str(rules) in one_line(caught)
    assert make_layout(Rules.of(rules, objective="points")).games > 0


@pytest.mark.parametrize(("text", "notation", "canonical", "remark"), corpus("house_positions.txt"))
def test_notation_reads_as_its_canonical_form(text: str, notation: str, canonical: str, remark: str) -> None:
    rules = Rules.parse(text)
    position = Position(notation, rules)
    assert str(position) == canonical, remark
    assert Position(canonical, rules) == Position(position.url, rules) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert position.under(rules) == position
    assert position.swap().swap() == position
    again = Position.of(
        position.my_cards,
        position.their_cards,
        position.deck,
        position.upcard,
        lead=position.lead,
        pot=position.pot,
        rules=rules,
    )
    assert again == position
    assert PositionBatch.of([position], places(rules)).position(0, rules) == position


@pytest.mark.parametrize(("text", "notation", "message"), corpus("bad_house_positions.txt"))
def test_bad_notation_says_what_is_wrong_in_one_line(text: str, notation: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position(notation, Rules.parse(text))
    assert message in one_line(caught)


@pytest.mark.parametrize(
    ("text", "notation", "message"),
    [
        (
            "4 carry",
            "34/24/A2 - 0 5",
            "needs a table of 5 cards, points-4-carry.zarr has 4: goofspiel solve 5 --ties carry",
        ),
        ("4 carry", "34/24/A3 - 0 3", "no game of up to 16 cards comes to such a pot"),
        ("4 carry", "34/24/A2 - 0 136", "no game of up to 16 cards comes to such a pot"),
        ("4 win carry", "34/24/A3 - 1 3", "no game of up to 16 cards comes to such a lead and pot"),
        ("4 carry order=2,4,1,3", "34/24/A3 - 0 3", "no game of the rules '4 carry order=2,4,1,3' comes to such a pot"),
        ("4 order=2,4,1,3", "34/24/A3 - 8", "no game of the rules '4 order=2,4,1,3' comes to such a lead"),
        ("4 prizes=1,1,2,5", "34/24/AA - -9", "no game of the rules '4 prizes=1,1,2,5' comes to such a lead"),
        ("4 carry rounds=2", "234/A24/A2 4 0 3", "no game of the rules '4 carry rounds=2' comes to such a pot"),
    ],
)
def test_a_lead_or_pot_that_cannot_occur(tmp_path: Path, text: str, notation: str, message: str) -> None:
    with open_tablebase(text, store=tmp_path) as base:
        assert not base.holds(notation)
        assert base.get(notation) is None
        with pytest.raises(MissingTableError) as caught:
            base.probe(notation)
    assert message in one_line(caught)
    assert repr(notation) in one_line(caught)


RULES = st.sampled_from(
    [
        *("5 carry", "5 order=descending", "4 win carry prizes=1,1,2,5", "5 rounds=3", "6 win carry order=3,1,6,5,2,4"),
        *("4 carry prizes=1,1,2,5,9,400 rounds=3", "4 prizes=1,2,3,40 order=40,1,3,2"),
    ]
).map(Rules.parse)


@given(RULES, st.randoms(use_true_random=False))
def test_a_game_played_to_its_end_stays_legal_and_counts_its_points(rules: Rules, random: Any) -> None:
    """`Position` and many of them side by side, against the obvious."""
    state, position, batch = house.start(rules), Position.start(rules), PositionBatch.start(1, rules)
    while not rules.is_over(position.level):
        upcard = random.choice(house.upcards(state, rules))
        both = [card for card in state.mine if card in state.theirs]
        bids = random.choice(state.mine), random.choice(state.theirs)
        if both and random.random() < 0.5:
            bids = (random.choice(both),) * 2
        state = house.play(state, upcard, bids, rules)
        shown = position.turn_up(upcard)
        assert Position(str(shown), rules) == shown
        position = shown.play(*bids, carry=rules.has_pots)
        one = PositionBatch.of([shown], places(rules))
        assert one.position(0, rules) == batch.turn_up(one.upcard).position(0, rules) == shown
        mine, theirs = (one.upcard * 0 + bid for bid in bids)
        batch = one.play(mine, theirs, carry=rules.has_pots)
        assert batch.position(0, rules) == position == house.position_of(state, rules)
        assert batch.left[0] == sum(state.deck) + state.pot
        assert position == shown.swap().play(*bids[::-1], carry=rules.has_pots).swap()
        assert Position(str(position), rules) == position


@given(RULES, st.one_of(st.text(), st.text("A19TtKk[]0456/-+_ \tstar\n", max_size=40)))
def test_any_text_is_a_position_or_a_position_error(rules: Rules, text: str) -> None:
    message = ""
    try:
        position = Position(text, rules)
    except PositionError as error:
        message = str(error)
    else:
        assert Position(str(position), rules) == position
    assert "\n" not in message


@given(st.one_of(st.text(), st.text("5 wincaryodes=prz,12390-KA[]\n", max_size=60).map("5 ".__add__)))
def test_any_text_is_rules_or_a_rules_error(text: str) -> None:
    message = ""
    try:
        rules = Rules.parse(text)
    except RulesError as error:
        message = str(error)
    else:
        assert Rules.parse(str(rules)) == rules
    assert "\n" not in message
