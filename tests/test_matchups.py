"""Matchups, what is left of two hands when only comparisons count: their numbers, and where each pair of bids leads."""

from collections.abc import Sequence
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import Hand

from goofspiel.arrays import Numbers
from goofspiel.cards import MAX_CARDS, cards_of, mask_of
from goofspiel.states import matchups

SMALL = [(cards, level) for cards in range(1, 10) for level in range(1, cards + 1)]
LARGE = [(cards, level) for cards in range(10, MAX_CARDS + 1) for level in range(1, cards + 1)]


def obvious_word(mine: Sequence[int], theirs: Sequence[int]) -> str:
    """The letters of a matchup, lowest card first: M mine, T theirs, B both."""
    return "".join(
        "B" if card in mine and card in theirs else "M" if card in mine else "T"
        for card in sorted({*mine, *theirs})
    )  # fmt: skip


def word_of(mine: int, theirs: int) -> str:
    """The letters of a matchup given as masks."""
    return obvious_word(cards_of(int(mine)), cards_of(int(theirs)))


def mirror(word: str) -> str:
    return word.translate(str.maketrans("MT", "TM"))


def masks(*values: int) -> NDArray[np.uint16]:
    return np.array(values, dtype=np.uint16)


@st.composite
def hand_pairs(draw: st.DrawFn, max_cards: int = MAX_CARDS) -> tuple[Hand, Hand]:
    cards = draw(st.integers(1, max_cards))
    level = draw(st.integers(1, cards))
    mine, theirs = (tuple(sorted(draw(st.permutations(range(1, cards + 1)))[:level])) for _ in range(2))
    return mine, theirs


@pytest.mark.parametrize(("cards", "level"), SMALL)
def test_numbers_of_all_hand_pairs(cards: int, level: int) -> None:
    """Two hand pairs share a number exactly when they are the same word, or one the mirror image of the other."""
    hands = [mask_of(hand) for hand in combinations(range(1, cards + 1), level)]
    mine, theirs = (side.ravel() for side in np.meshgrid(masks(*hands), masks(*hands)))
    index, sign = matchups.number(mine, theirs, level)
    words: dict[int, str] = {}
    for my_hand, their_hand, i, s in zip(mine.tolist(), theirs.tolist(), index.tolist(), sign.tolist(), strict=True):
        word = word_of(my_hand, their_hand)
        if my_hand == their_hand:
            assert s == 0
        else:
            # the sign: + when the highest unmatched card is theirs
            assert s == (1 if word.replace("B", "")[-1] == "T" else -1)
            assert words.setdefault(i, word if s > 0 else mirror(word)) == (word if s > 0 else mirror(word))
    assert sorted(words) == list(range(matchups.count(cards, level)))
    assert len(set(words.values())) == len(words)
    assert list(map(word_of, *matchups.all_matchups(cards, level))) == [words[i] for i in range(len(words))]


@pytest.mark.parametrize(("cards", "level"), SMALL + LARGE)
def test_counts(cards: int, level: int) -> None:
    """With t ties there are (2j − t)! / (t! (j − t)!²) words, and 2j − t ≤ N; half of the unequal ones are numbered."""
    unequal = sum(
        factorial(2 * level - t) // (factorial(t) * factorial(level - t) ** 2)
        for t in range(level)
        if 2 * level - t <= cards
    )
    assert 2 * matchups.count(cards, level) == unequal


def test_the_count_that_the_design_names() -> None:
    assert 2 * matchups.count(13, 8) + 1 == 117_295


@pytest.mark.parametrize(("cards", "level"), SMALL)
def test_words_and_numbers_are_inverse(cards: int, level: int) -> None:
    _check_inverse(level, np.arange(matchups.count(cards, level)), cards)


@pytest.mark.parametrize(("cards", "level"), LARGE)
def test_words_and_numbers_are_inverse_for_large_games(cards: int, level: int) -> None:
    count = matchups.count(cards, level)
    if count:
        some = np.random.default_rng(cards * 100 + level).integers(count, size=2000)
        _check_inverse(level, np.unique([0, count - 1, *some]), cards)


def _check_inverse(level: int, index: Numbers, cards: int) -> None:
    mine, theirs = matchups.patterns(index, level)
    assert mine.dtype == theirs.dtype == np.uint16
    assert (np.bitwise_count(mine) == level).all()
    assert (np.bitwise_count(theirs) == level).all()
    held = (mine | theirs).astype(np.int64)
    assert ((held & held + 1) == 0).all()  # a word has no empty places
    assert (held < 1 << cards).all()
    found, sign = matchups.number(mine, theirs, level)
    assert (found == index).all()
    assert (sign == 1).all()


@pytest.mark.parametrize(("cards", "level"), [(c, j) for c, j in SMALL + LARGE if c < MAX_CARDS and c <= 12])
def test_a_smaller_games_numbers_come_first(cards: int, level: int) -> None:
    count = matchups.count(cards, level)
    assert count <= matchups.count(cards + 1, level)
    # whatever comes after needs more cards
    mine, theirs = matchups.patterns(np.arange(count, matchups.count(cards + 1, level)), level)
    assert (np.bitwise_count(mine | theirs) == cards + 1).all()


@given(hand_pairs())
def test_swapped_hands_have_the_same_number_and_the_opposite_sign(hands: tuple[Hand, Hand]) -> None:
    mine, theirs = (masks(mask_of(hand)) for hand in hands)
    level = len(hands[0])
    index, sign = matchups.number(mine, theirs, level)
    swapped_index, swapped_sign = matchups.number(theirs, mine, level)
    assert sign.tolist() == [-swapped_sign[0]]
    assert (sign[0] == 0) == (hands[0] == hands[1])
    if sign[0]:
        assert index == swapped_index


@given(hand_pairs(max_cards=12), st.permutations(range(MAX_CARDS)))
def test_only_order_counts(hands: tuple[Hand, Hand], shuffled: list[int]) -> None:
    """Cards moved to other values in the same order have the same number."""
    held = sorted({*hands[0], *hands[1]})
    moved = dict(zip(held, sorted(1 + card for card in shuffled[: len(held)]), strict=True))
    level = len(hands[0])
    mine, theirs = (masks(mask_of(hand)) for hand in hands)
    my_moved, their_moved = (masks(mask_of(moved[card] for card in hand)) for hand in hands)
    before, after = matchups.number(mine, theirs, level), matchups.number(my_moved, their_moved, level)
    assert [part.tolist() for part in before] == [part.tolist() for part in after]


def obviously_distinct(hand: Sequence[int], other: Sequence[int]) -> list[int]:
    """Of the cards that compare alike with every card of the other hand, the lowest."""
    seen: dict[tuple[int, ...], int] = {}
    for card in hand:
        seen.setdefault(tuple((card > against) - (card < against) for against in other), card)
    return sorted(seen.values())


@given(hand_pairs())
def test_distinct_cards(hands: tuple[Hand, Hand]) -> None:
    held = sorted({*hands[0], *hands[1]})
    mine, theirs = ([held.index(card) + 1 for card in hand] for hand in hands)  # the places of a word
    found = matchups.distinct_cards(masks(mask_of(mine)), masks(mask_of(theirs)))
    assert list(cards_of(int(found[0]))) == obviously_distinct(mine, theirs)


def _check_successors(cards: int, level: int, index: Numbers) -> None:
    """Against the obvious: take the two cards away, write the word of what is left, look up its number."""
    mine, theirs = matchups.patterns(index, level)
    child_count = matchups.count(cards, level - 1)
    found = matchups.successors(mine, theirs, level, child_count)
    assert found.shapes.shape == (len(index), 2)
    assert found.offsets[0] == 0
    assert found.offsets[-1] == len(found.codes)
    child_words: dict[str, tuple[int, int]] = {}  # of the children met here: word → (index, sign)
    for place, (my_hand, their_hand) in enumerate(zip(mine.tolist(), theirs.tolist(), strict=True)):
        my_cards, their_cards = cards_of(my_hand), cards_of(their_hand)
        rows, columns = obviously_distinct(my_cards, their_cards), obviously_distinct(their_cards, my_cards)
        assert found.shapes[place].tolist() == [len(rows), len(columns)]
        cells = iter(found.codes[found.offsets[place] : found.offsets[place + 1]].tolist())
        for my_bid in rows:
            for bid in columns:
                code = next(cells)
                assert matchups.UPCARD_SIGN[code & 3] == (my_bid > bid) - (my_bid < bid)
                word = obvious_word([c for c in my_cards if c != my_bid], [c for c in their_cards if c != bid])
                child, sign = code >> matchups.INDEX_SHIFT, int(matchups.CHILD_SIGN[code & 7])
                if set(word) <= {"B"}:
                    assert child == child_count
                else:
                    assert child < child_count
                    assert child_words.setdefault(word, (child, sign)) == (child, sign)
        assert next(cells, None) is None
    children = np.array([child for child, _ in child_words.values()], dtype=np.int64)
    for child_mine, child_theirs, (word, (_, sign)) in zip(
        *matchups.patterns(children, level - 1), child_words.items(), strict=True
    ):
        stored = word_of(child_mine, child_theirs)
        assert word == (stored if sign > 0 else mirror(stored))


@pytest.mark.parametrize(("cards", "level"), [(c, j) for c, j in SMALL if c <= 7])
def test_successors(cards: int, level: int) -> None:
    _check_successors(cards, level, np.arange(matchups.count(cards, level)))


@pytest.mark.parametrize(("cards", "level"), [(c, j) for c, j in SMALL + LARGE if c > 7 and j < c])
def test_successors_of_large_games(cards: int, level: int) -> None:
    count = matchups.count(cards, level)
    some = np.random.default_rng(cards * 100 + level).integers(count, size=20)
    _check_successors(cards, level, np.unique([0, count - 1, *some]))


def test_successors_of_many_matchups_are_those_of_each() -> None:
    level, cards = 8, 13
    mine, theirs = matchups.all_matchups(cards, level)
    everything = matchups.successors(mine, theirs, level, 10**6)
    for place in (0, 1, len(mine) // 2, len(mine) - 1):
        one = matchups.successors(mine[place : place + 1], theirs[place : place + 1], level, 10**6)
        assert (everything.shapes[place] == one.shapes[0]).all()
        assert (everything.codes[everything.offsets[place] : everything.offsets[place + 1]] == one.codes).all()


def test_average_number_of_cells_that_the_design_names() -> None:
    mine, theirs = matchups.all_matchups(13, 8)
    shapes = np.bitwise_count(matchups.distinct_cards(mine, theirs)).astype(int) * np.bitwise_count(
        matchups.distinct_cards(theirs, mine)
    )
    assert shapes.mean() == pytest.approx(45, abs=0.5)
