"""Numbers of cards, their names and their masks; and that errors read well."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goofspiel.cards import MAX_CARDS, card_name, cards_of, mask_of
from goofspiel.errors import GoofspielError, MissingTableError, RulesError
from goofspiel.rules import Objective, check_cards


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


def test_numbers_of_cards() -> None:
    assert [check_cards(n) for n in (1, 13, 16)] == [1, 13, 16]
    with pytest.raises(TypeError):
        check_cards(3.0)  # type: ignore[arg-type]


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


def test_a_missing_table_is_a_key_error_without_quotes() -> None:
    error = MissingTableError("run goofspiel solve 13")
    assert str(error) == "run goofspiel solve 13"
    assert isinstance(error, KeyError)
    assert isinstance(error, GoofspielError)
