"""What a table must hold to answer: the prizes, the order of the hands, and where it counts, the lead."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from fixtures import Win

from goofspiel.batch import PositionBatch, cards_needed
from goofspiel.cards import cards_of
from goofspiel.errors import MissingTableError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.solver import solve
from goofspiel.tablebase import open_for


def with_lead(cards: int, lead: int) -> Position:
    """The opening, but somebody is ahead."""
    everything = range(1, cards + 1)
    return Position.of(everything, everything, everything, lead=lead)


@pytest.mark.parametrize(
    ("notation", "needed"),
    [
        ("A2/34/34 - 4", 5),  # 7 are left and 4 more are won: 11 of the 10 of four cards
        ("A2/34/34 - -4", 5),
        ("A2/34/3 4 4", 5),
        ("A2/34/34 - 3", 4),
        ("A2/34/34 - 7", 5),
        ("A2/34/34 - 8", 4),  # decided
        ("A234/A234/A234 - 1", 5),
        ("A234/A234/A234 - -10", 6),
        ("24/A3/Q K -5", 13),
        ("24/A3/45 - 9", 6),
        ("start 5", 5),
    ],
)
def test_a_lead_that_cannot_occur_needs_a_larger_table(win: Win, notation: str, needed: int) -> None:
    table, position = win(4), Position(notation)
    assert str(position) == str(Position(str(position)))
    assert table.holds(position) == (needed <= 4)
    if needed <= 4:
        assert table.get(position) == table.probe(position)
        return
    assert table.get(position) is None
    for ask in (table.probe, lambda asked: table.values([Position("start 4"), asked])):
        with pytest.raises(MissingTableError) as caught:
            ask(position)
        assert f"{str(position)!r} needs a table of {needed} cards, win-4.zarr has 4" in str(caught.value)
        assert f"goofspiel solve {needed} --objective win" in str(caught.value)
    if needed <= 9:
        assert win(needed).holds(position)
        assert not win(needed - 1).holds(position)
        assert -1 <= win(needed).probe(position).value <= 1


@pytest.mark.parametrize("lead", [1, -1, 136, -136])
def test_no_game_comes_to_some_leads(win: Win, tmp_path: Path, lead: int) -> None:
    """All prizes of the largest game are left, and somebody is ahead."""
    position = with_lead(16, lead)
    expected = f"^{re.escape(repr(str(position)))}: no game of up to 16 cards comes to such a lead$"
    assert not win(4).holds(position)
    assert win(4).get(position) is None
    for ask in (win(4).probe, lambda asked: win(4).values([asked]), lambda asked: open_for(asked, objective="win")):
        with pytest.raises(MissingTableError, match=expected):
            ask(position)
    assert open_for(with_lead(4, lead), store=tmp_path).cards == 4  # points do not mind


def test_the_largest_decided_lead_needs_nothing_more(win: Win) -> None:
    assert win(1).probe(Position("A/A/A - 136")).value == 1
    assert win(4).probe(Position("A234/A234/A23 4 -11")).value == -1
    assert cards_needed(Position("A/A/A - 136"), Rules(1, objective=Objective.WIN)) == 1


def test_the_table_that_answers_is_chosen_by_the_lead(tmp_path: Path) -> None:
    for cards in (4, 6):
        solve(cards, objective="win", store=tmp_path)
    for notation, cards in (("A2/34/34 - 3", 4), ("A2/34/34 - 4", 6), ("A2/34/34 - 8", 4), ("A2/34/36 - 7", 6)):
        assert open_for(Position(notation), objective="win", store=tmp_path).cards == cards
    with pytest.raises(
        MissingTableError,
        match=r"the table of 10 cards to win is not solved.*solve 10 .*s on .* of disk",
    ):
        open_for(Position("start 10"), objective="win", store=tmp_path)


def test_the_cards_that_a_position_needs_by_hand() -> None:
    """What is left and the lead together are no more than all prizes of the game, or the game is decided."""
    for mask, lead in product((0b0011, 0b1001, 0b110000), range(-25, 26)):
        deck = cards_of(mask)
        position = Position.of((1, 2), (1, 2), deck, lead=lead)
        least = max(deck)
        while abs(lead) <= sum(deck) and sum(deck) + abs(lead) > sum(range(1, least + 1)):
            least += 1
        assert cards_needed(position, Rules(1, objective=Objective.WIN)) == least
        assert cards_needed(position.turn_up(deck[0]), Rules(1, objective=Objective.WIN)) == least
        assert cards_needed(position, Rules(1, objective=Objective.POINTS)) == max(deck)


def test_questions_are_the_fields_of_positions() -> None:
    asked = PositionBatch.of([Position(text) for text in ("24/A3/Q K -5", "start 9", "-/-/- - 3")])
    assert asked.level.tolist() == [2, 9, 0]
    assert asked.lead.tolist() == [-5, 0, 3]
    assert asked.upcard.tolist() == [13, 0, 0]
    assert asked.cards_needed(Rules(1, objective=Objective.WIN)).tolist() == [13, 9, 1]
    assert asked[np.array([0])].cards_needed(Rules(1, objective=Objective.POINTS)).tolist() == [13]
    assert PositionBatch.of([]).cards_needed(Rules(1, objective=Objective.WIN)).shape == (0,)
