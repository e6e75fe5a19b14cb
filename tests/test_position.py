"""Positions: notation, legality, moves."""

import copy
import dataclasses
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goofspiel.cards import MAX_CARDS, mask_of
from goofspiel.errors import GoofspielError, PositionError
from goofspiel.notation import MAX_LEAD
from goofspiel.position import Position

HERE = Path(__file__).parent
CARDS = range(1, MAX_CARDS + 1)


def corpus(name: str) -> list[list[str]]:
    """The cases of a text file: one a line, tabs between the columns, # before a remark."""
    lines = (HERE / name).read_text(encoding="utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


@st.composite
def positions(draw: st.DrawFn, *, max_lead: int = MAX_LEAD) -> Position:
    """Any legal position."""
    level = draw(st.integers(0, MAX_CARDS))
    mine, theirs, prizes = (draw(st.permutations(CARDS))[:level] for _ in range(3))
    shown = level > 0 and draw(st.booleans())
    lead = draw(st.integers(-max_lead, max_lead))
    return Position.of(mine, theirs, prizes[shown:], prizes[0] if shown else None, lead=lead)


@pytest.mark.parametrize(("text", "canonical", "remark"), corpus("positions.txt"))
def test_notation_reads_as_its_canonical_form(text: str, canonical: str, remark: str) -> None:
    assert str(Position(text)) == canonical, remark
    assert Position(text) == Position(canonical)


@pytest.mark.parametrize(("text", "message"), corpus("bad_positions.txt"))
def test_bad_notation_says_what_is_wrong_in_one_line(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, GoofspielError)
    assert isinstance(caught.value, ValueError)


def test_fields_of_the_papers_example() -> None:
    position = Position("24/A3/Q K")
    assert (position.mine, position.theirs) == (0b1010, 0b101)
    assert (position.upcard, position.lead, position.level) == (13, 0, 2)
    assert (position.my_cards, position.their_cards, position.deck) == ((2, 4), (1, 3), (12,))
    assert position.prizes == (12, 13)
    assert position.highest_card == 13
    assert not position.is_over
    assert repr(position) == "Position('24/A3/Q K')"
    assert position.url == "24/A3/Q_K"


def test_the_game_that_is_over() -> None:
    over = Position("-/-/- - -3")
    assert over.is_over
    assert (over.level, over.highest_card, over.prizes, over.lead) == (0, 0, (), -3)


@given(positions())
def test_round_trips(position: Position) -> None:
    assert Position(str(position)) == position
    assert Position(position.url) == position
    assert eval(repr(position)) == position
    assert pickle.loads(pickle.dumps(position)) == position
    assert copy.copy(position) == copy.deepcopy(position) == position
    assert str(Position(str(position))) == str(position)
    fields = position.mine, position.theirs, mask_of(position.deck), position.upcard, position.lead
    assert Position.from_masks(*fields) == Position.from_masks(*fields, check=False) == position
    again = Position.of(
        position.my_cards, position.their_cards, position.deck, position.upcard or None, lead=position.lead
    )
    assert again == position
    assert hash(again) == hash(position)
    assert not any(character.isspace() for character in position.url)


@given(positions())
def test_swap_is_an_involution(position: Position) -> None:
    swapped = position.swap()
    assert swapped.swap() == position
    assert (swapped.mine, swapped.theirs, swapped.lead) == (position.theirs, position.mine, -position.lead)
    assert (swapped.deck, swapped.upcard) == (position.deck, position.upcard)


@given(positions(max_lead=0), st.randoms(use_true_random=False))
def test_a_game_played_to_its_end_stays_legal_and_counts_its_points(position: Position, random: Random) -> None:
    lead = position.lead
    for level in range(position.level, 0, -1):
        assert position.level == level
        if not position.upcard:
            prizes = position.prizes
            shown = position.turn_up(random.choice(position.deck))
            assert shown.prizes == prizes
            assert (shown.mine, shown.theirs, shown.lead) == (position.mine, position.theirs, position.lead)
            position = shown
        mine, theirs = random.choice(position.my_cards), random.choice(position.their_cards)
        lead += position.upcard * ((mine > theirs) - (mine < theirs))
        after = position.play(mine, theirs)
        assert after == Position(str(after))  # legal
        assert after == position.swap().play(theirs, mine).swap()
        assert set(after.my_cards) == set(position.my_cards) - {mine}
        assert set(after.their_cards) == set(position.their_cards) - {theirs}
        assert (after.deck, after.upcard, after.lead) == (position.deck, 0, lead)
        position = after
    assert position.is_over


# Characters of the notation meet the reader's inner branches far more often than any text does.
@given(st.one_of(st.text(), st.text("A19TtKk[]0456/-+_ \tstar\n²٣", max_size=40)))
@example("[" * 100)
@example("\ud800/2/3 4")
@example("ſtart 3")
def test_any_text_is_a_position_or_a_position_error(text: str) -> None:
    message = ""
    try:
        position = Position(text)
    except PositionError as error:
        message = str(error)
    else:
        assert Position(str(position)) == position
    assert "\n" not in message


# Kelvin, wide K, Arabic 5, superscript 2
@pytest.mark.parametrize("lookalike", ["\u212a", "\uff2b", "\u0665", "\u00b2"])
def test_characters_that_look_like_cards_are_none(lookalike: str) -> None:
    with pytest.raises(PositionError, match=r"^unknown card"):
        Position(f"{lookalike}3/24/5 6")
    with pytest.raises(PositionError, match=r"^lead must be"):
        Position(f"A3/24/5 6 {lookalike}")


@pytest.mark.parametrize(
    "text", ["[" * 10**6, "1" * 10**6, "/" * 10**6, " " * 10**6, "-/-/- - " + "0" * 10**6, "_x" * 10**6]
)
def test_long_text_is_refused_at_once_and_quoted_in_part(text: str) -> None:
    started = time.process_time()
    with pytest.raises(PositionError) as caught:
        Position(text)
    assert time.process_time() - started < 1
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("notation", [None, 13, b"24/A3/Q K", ["24/A3/Q K"]])
def test_only_a_str_is_notation(notation: Any) -> None:
    with pytest.raises(TypeError, match=f"^position notation must be a str, not {type(notation).__name__}$"):
        Position(notation)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3, 3], [2, 4], [5], 6), "card 3 repeated in my hand: (3, 3)"),
        (([1, 3], [2, 17], [5], 6), "card must be 1 to 16, not 17 in their hand: (2, 17)"),
        (([1, 3], [2, 4], [0], 6), "card must be 1 to 16, not 0 in the deck: (0,)"),
        (([1, 3], [2, 4], [5], 17), "upcard must be 1 to 16, or 0 for none, not 17"),
        (([1, 3], [2, 4], [5], 5), "upcard 5 is also in the deck: 'A3/24/5 5'"),
        (([1, 3], [2, 4, 5], [5], 6), "hands of different sizes (2 and 3): 'A3/245/5 6'"),
    ],
)
def test_cards_that_are_no_position(arguments: tuple[list[int], list[int], list[int], int], message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position.of(*arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ((1 << 16, 1, 1), "mask of my hand must be 0 to 65535, not 65536"),
        ((1, -1, 1), "mask of their hand must be 0 to 65535, not -1"),
        ((1, 1, 0, -1), "upcard must be 1 to 16, or 0 for none, not -1"),
        ((1, 1, 0, 1, 137), "lead must be an integer from -136 to 136, not 137"),
        ((1, 1, 1, 2), "deck and upcard hold 2 prizes but each hand holds 1 card: 'A/A/A 2'"),
    ],
)
def test_masks_that_are_no_position(masks: tuple[int, ...], message: str) -> None:
    with pytest.raises(PositionError) as caught:
        Position.from_masks(*masks)
    assert str(caught.value) == message


def test_masks_and_leads_are_integers() -> None:
    with pytest.raises(TypeError):
        Position.from_masks(1.0, 1, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Position.of([1], [1], [1], lead=0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("n", CARDS)
def test_openings(n: int) -> None:
    opening = Position.start(n)
    assert opening == Position(f"start {n}") == Position.of(range(1, n + 1), range(1, n + 1), range(1, n + 1))
    assert Position.start(n, n) == opening.turn_up(n)
    assert (opening.level, opening.highest_card) == (n, n)


@pytest.mark.parametrize("n", [0, 17, -1])
def test_openings_that_do_not_exist(n: int) -> None:
    with pytest.raises(PositionError, match=f"^number of cards must be 1 to 16, not {n}$"):
        Position.start(n)


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (lambda: Position("24/A3/QK -").play(2, 1), "no upcard is shown to bid for: '24/A3/QK -'"),
        (lambda: Position("24/A3/Q K").play(3, 1), "card 3 is not in my hand: '24/A3/Q K'"),
        (lambda: Position("24/A3/Q K").play(2, 13), "card K is not in their hand: '24/A3/Q K'"),
        (lambda: Position("24/A3/Q K").play(-1, 1), "card -1 is not in my hand: '24/A3/Q K'"),
        (lambda: Position("24/A3/Q K").play("4", 1), "card '4' is not in my hand: '24/A3/Q K'"),  # type: ignore[arg-type]
        (lambda: Position("24/A3/Q K").turn_up(12), "upcard K is already shown: '24/A3/Q K'"),
        (lambda: Position("24/A3/QK -").turn_up(5), "card 5 is not in the deck: '24/A3/QK -'"),
        (lambda: Position("24/A3/QK -").turn_up(0), "card 0 is not in the deck: '24/A3/QK -'"),
        (lambda: Position.start(3, 4), "card 4 is not in the deck: 'A23/A23/A23 -'"),
        (
            lambda: Position("4/3/- K").replaced(lead=15980).play(4, 3),
            "the lead would leave the range -15984 to 15984: '4/3/- K 15980'",
        ),
    ],
)
def test_moves_that_cannot_be_made(move: Callable[[], Position], message: str) -> None:
    with pytest.raises(PositionError) as caught:
        move()
    assert str(caught.value) == message


def test_a_position_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Position("24/A3/Q K").lead = 3  # type: ignore[misc]


def test_positions_are_read_without_numpy() -> None:
    code = "import sys, goofspiel.position as p; raise SystemExit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
