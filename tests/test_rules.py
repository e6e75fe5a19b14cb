"""Numbers of cards, their names and their masks; and that errors read well."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goofspiel.cards import MAX_CARDS, card_name, cards_of, mask_of
from goofspiel.errors import GoofspielError, MissingTableError, RulesError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules, check_cards
from goofspiel.solver import solve
from goofspiel.tablebase import open_tablebase


def test_card_names() -> None:
    assert [card_name(card) for card in range(1, MAX_CARDS + 1)] == [*"A23456789TJQK", "[14]", "[15]", "[16]"]


@pytest.mark.parametrize("card", [-1, 0, 17])
def test_cards_that_do_not_exist(card: int) -> None:
    with pytest.raises(RulesError, match=f"^card must be 1 to 16, not {card}$"):
        card_name(card)
    with pytest.raises(RulesError, match=f"^card must be 1 to 16, not {card}$"):
        mask_of([card])


@pytest.mark.parametrize("n", [0, 17])
def test_numbers_of_cards_that_do_not_exist(n: int) -> None:
    with pytest.raises(RulesError, match=f"^number of cards must be 1 to 16, not {n}$"):
        check_cards(n)


def test_numbers_of_cards(store: Path) -> None:
    assert [check_cards(n) for n in (1, 13, 16)] == [1, 13, 16]
    alike: list[Any] = [3, np.int64(3), np.uint8(3)]
    for n in alike:
        assert type(Rules(n).cards) is int
        assert open_tablebase(n, store=store).rules == Rules(3)


@pytest.mark.parametrize("n", [3.0, True, np.float64(3), np.True_, None, (3,)], ids=repr)
def test_numbers_of_cards_are_whole(n: Any) -> None:
    for take in (check_cards, Rules, Rules.of, Position.start, open_tablebase, solve):
        with pytest.raises(TypeError) as caught:
            take(n)
        assert str(caught.value) == f"number of cards must be a whole number, not {n!r}", take


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rules(3, prizes=(1, 2.5, 3)), "a prize must be a whole number, not 2.5"),  # type: ignore[arg-type]
        (lambda: Rules(3, prizes="123"), "a prize must be a whole number, not '1'"),  # type: ignore[arg-type]
        (lambda: Rules(3, order=[1, True, 3]), "a prize must be a whole number, not True"),
        (lambda: Rules(3, rounds=2.0), "rounds must be a whole number, not 2.0"),  # type: ignore[arg-type]
        (lambda: Position.of([2.5], [1], [1]), "a card must be a whole number, not 2.5"),  # type: ignore[list-item]
        (lambda: Position.of("24", "A3", "5"), "a card must be a whole number, not '2'"),  # type: ignore[arg-type]
        (lambda: Position.of([1], [1], [1.5]), "a prize must be a whole number, not 1.5"),  # type: ignore[list-item]
        (lambda: Position.of([1], [1], [], 1.5), "an upcard must be a whole number, not 1.5"),  # type: ignore[arg-type]
        (lambda: Position.from_masks(1, 1.5, 1), "a mask must be a whole number, not 1.5"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_whole_number_is_quoted(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize("rounds", [0, -1, 6])
def test_a_game_has_at_least_one_round(rounds: int) -> None:
    with pytest.raises(RulesError, match=f"a game of 5 cards has 1 to 5 rounds, not {rounds}"):
        Rules(5, rounds=rounds)
    assert Rules(5, rounds=None) == Rules(5, rounds=5) == Rules(5)
    assert repr(Rules(5)) == "Rules(5)"


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ("5 win", {"objective": "points"}, "the rules '5 win' say it: objective cannot be points"),
        ("5 points", {"objective": "win"}, "the rules '5 points' say it: objective cannot be win"),
        ("4 carry", {"ties": "discard"}, "the rules '4 carry' say it: ties cannot be discard"),
        ("3 order=3,1,2", {"order": "ascending"}, "the rules '3 order=3,1,2' say it: order cannot be 1,2,3"),
    ],
)
def test_what_a_text_says_is_not_said_otherwise(text: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as caught:
        Rules.of(text, **fields)
    assert str(caught.value) == message


def test_what_a_text_leaves_open_may_be_said() -> None:
    assert (
        Rules.of("5 carry", objective="win") == Rules.of("5 carry win", objective="win") == Rules.parse("5 carry win")
    )
    assert Rules.of(Rules.parse("5 win"), objective="points") == Rules(5)  # of rules, what is given holds


@given(st.sets(st.integers(1, MAX_CARDS)))
def test_masks_hold_sets_of_cards(cards: set[int]) -> None:
    mask = mask_of(cards)
    assert mask == sum(1 << card - 1 for card in cards)
    assert cards_of(mask) == tuple(sorted(cards))


def test_a_mask_holds_a_card_once() -> None:
    with pytest.raises(RulesError, match=r"^card K repeated$"):
        mask_of([13, 13])


@pytest.mark.parametrize("mask", [-1, 1 << MAX_CARDS])
def test_masks_of_cards_that_do_not_exist(mask: int) -> None:
    with pytest.raises(RulesError, match=f"^mask must be 0 to 65535, not {mask}$"):
        cards_of(mask)


def test_objectives_are_their_names() -> None:
    assert Objective("win") is Objective.WIN
    assert [str(objective) for objective in Objective] == ["points", "win"]


@pytest.mark.parametrize("value", [[{}], [None], ["x"], {}, 5, "payoff=x", [10**400], [0, 2], [1]])
def test_what_is_no_objective(value: object) -> None:
    with pytest.raises(ValueError, match="is not a valid Objective"):
        Objective(value)  # type: ignore[arg-type]


def test_a_missing_table_is_a_key_error_without_quotes() -> None:
    error = MissingTableError("run goofspiel solve 13")
    assert str(error) == "run goofspiel solve 13"
    assert isinstance(error, KeyError)
    assert isinstance(error, GoofspielError)
