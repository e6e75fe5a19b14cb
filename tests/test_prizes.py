"""Prize sets, and pots: numbering both ways, and what remains when one prize is turned up."""

from math import comb
from typing import TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

from goofspiel.cards import MAX_CARDS, cards_of, mask_of
from goofspiel.rules import Rules
from goofspiel.states.prize_states import PrizeCourse, PrizeStates, Rounds
from goofspiel.states.space import LevelSpace, level_space
from goofspiel.states.subsets import all_subsets


def states(cards: int, level: int) -> PrizeStates:
    """What is left of the prizes 1 … cards, shuffled, when so many are still to come."""
    return PrizeCourse(tuple(range(1, cards + 1)), None, False, 0, cards).after(cards - level)


LEVELS = [(cards, level) for cards in range(1, MAX_CARDS + 1) for level in range(cards + 1)]


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_numbering_is_perfect(cards: int, level: int) -> None:
    sets = states(cards, level).left
    assert len(sets) == comb(cards, level)
    assert len(set(sets.tolist())) == len(sets)
    assert all(mask < 1 << cards and mask.bit_count() == level for mask in sets.tolist())
    assert states(cards, level).number(sets).tolist() == list(range(len(sets)))


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_a_smaller_games_sets_come_first(cards: int, level: int) -> None:
    sets = all_subsets(cards, level)
    assert (all_subsets(MAX_CARDS, level)[: len(sets)] == sets).all()


@pytest.mark.parametrize(("cards", "level"), [(cards, level) for cards, level in LEVELS if level > 0])
def test_rounds_are_all_upcards_of_all_sets(cards: int, level: int) -> None:
    sets = all_subsets(cards, level)
    some = np.arange(len(sets))
    if len(sets) > 500:
        some = np.sort(np.random.default_rng(cards).choice(some, 500, replace=False))
    sets = sets[some]
    rounds = states(cards, level).rounds(some)
    assert rounds.size == level
    assert (rounds.copies == 1).all()
    assert (rounds.tied == rounds.won).all()
    below = all_subsets(cards, level - 1)
    found = {(row, prize): left for row, prize, left in zip(*_lists(rounds, below), strict=True)}
    assert len(found) == len(rounds.prize) == level * len(sets)
    for row, mask in enumerate(sets.tolist()):
        for upcard in cards_of(mask):
            assert found[row, upcard] == mask ^ mask_of([upcard])


def _lists(rounds: Rounds, below: NDArray[np.uint16]) -> tuple[list[int], list[int], list[int]]:
    return rounds.row.tolist(), rounds.prize.tolist(), below[rounds.won].tolist()


def test_rounds_come_by_upcard_then_by_its_rank_then_by_what_remains() -> None:
    sets = all_subsets(9, 4)
    rounds = states(9, 4).rounds(np.arange(len(sets)))
    keys = []
    for row, upcard in zip(rounds.row.tolist(), rounds.prize.tolist(), strict=True):
        held = cards_of(int(sets[row]))
        keys.append((upcard, held.index(upcard), -(sum(held) - upcard)))
    assert keys == sorted(keys)


Left: TypeAlias = tuple[tuple[int, ...], int]  # a deck, ascending, and a pot

HOUSE = [
    "5",
    "5 carry",
    "5 prizes=1,1,2,2,5",
    "5 carry prizes=1,1,2,2,5",
    "5 order=3,1,5,2,4",
    "5 carry order=3,1,5,2,4",
]
HOUSE += [
    "4 rounds=2",
    "4 carry prizes=1,1,2,5,5,9 rounds=3",
    "4 carry prizes=2,2,2,2",
    "5 carry order=ascending rounds=3",
]


@pytest.mark.parametrize("text", HOUSE)
def test_decks_and_pots_are_those_of_all_courses(text: str) -> None:
    """What is left, the pot, the fewest tied rounds that make it, and what each upcard leads to."""
    rules = Rules.parse(text)
    courses: dict[Left, int] = {(rules.prizes, 0): 0}
    for played in range(rules.rounds + 1):
        space = level_space(rules, rules.cards - played)
        states = space.states
        decks = [tuple(p for place, p in enumerate(rules.prizes) if mask >> place & 1) for mask in states.left.tolist()]
        rows = list(zip(decks, states.pot.tolist(), strict=True))
        assert dict(zip(rows, states.tied.tolist(), strict=True)) == courses
        assert len(rows) == len(set(rows))
        assert states.number(states.left, states.pot).tolist() == list(range(len(rows)))
        assert states.worth.tolist() == [sum(deck) for deck in decks]
        assert states.gone.tolist() == [rules.total - sum(deck) - pot for deck, pot in rows]
        left = rules.rounds - played
        if rules.order is None:
            assert states.most.tolist() == [pot + sum(sorted(deck)[len(deck) - left :]) for deck, pot in rows]
        else:
            assert states.most.tolist() == [pot + sum(rules.order[played : rules.rounds]) for _, pot in rows]
        if rules.has_pots:
            assert states.number(states.left[:1], 997).tolist() == [-1]
        if played < rules.rounds:
            courses = _check_rounds(rules, rows, space, courses)


def _check_rounds(rules: Rules, rows: list[Left], space: LevelSpace, courses: dict[Left, int]) -> dict[Left, int]:
    """The rounds of all rows; and what there may be after them."""
    rounds, below = space.rounds(np.arange(len(rows))), space.below.states
    left = [tuple(p for place, p in enumerate(rules.prizes) if mask >> place & 1) for mask in below.left.tolist()]
    after = list(zip(left, below.pot.tolist(), strict=True))
    found: dict[tuple[int, int], tuple[Left, Left, float]] = {}
    for prize, pot, won, tied, weight, row in zip(
        *(rounds.prize, rounds.pot, rounds.won, rounds.tied, rounds.weight, rounds.row), strict=True
    ):
        assert pot == rows[row][1]
        found[int(row), int(prize)] = after[won], after[tied], float(weight)
    expected: dict[tuple[int, int], tuple[Left, Left, float]] = {}
    grown: dict[Left, int] = {}
    for row, (deck, pot) in enumerate(rows):
        played = rules.cards - space.level
        come = deck if rules.order is None else (rules.order[played],)
        for prize in set(come):
            rest = list(deck)
            rest.remove(prize)
            carried = pot + prize if rules.has_pots else 0
            expected[row, prize] = (tuple(rest), 0), (tuple(rest), carried), come.count(prize) / len(come)
            grown[tuple(rest), 0] = 0
            if carried:
                key, ties = (tuple(rest), carried), courses[deck, pot] + 1
                grown[key] = min(ties, grown.get(key, ties))
    assert found == expected
    assert len(rounds.prize) == len(expected) == int(space.states.upcards.sum())
    return grown
