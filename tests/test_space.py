"""The levels of a game: every prize set has a row in a band, which holds the leads that can occur."""

import numpy as np
import pytest

from goofspiel.cards import MAX_CARDS, cards_of
from goofspiel.rules import Objective, Rules
from goofspiel.states import matchups
from goofspiel.states.prize_states import totals
from goofspiel.states.space import LevelSpace, level_space
from goofspiel.states.subsets import all_subsets
from goofspiel.store import make_layout

WIN, POINTS = Objective.WIN, Objective.POINTS
LEVELS = [(cards, level) for cards in range(1, MAX_CARDS + 1) for level in range(cards + 1)]


def space(cards: int, level: int, objective: Objective) -> LevelSpace:
    return level_space(Rules(cards, objective=objective), level)


SMALL = [(cards, level) for cards, level in LEVELS if cards <= 7 and level > 0]


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_every_prize_set_has_one_place(cards: int, level: int, objective: Objective) -> None:
    where = space(cards, level, objective).bands
    sets = all_subsets(cards, level)
    assert (space(cards, level, objective).states.left == sets).all()
    assert sorted(sets[np.concatenate(where.members)].tolist()) == sorted(sets.tolist())
    places = set(zip(where.band.tolist(), where.row.tolist(), strict=True))
    assert len(places) == len(sets)
    found = [sets[where.members[band][row]] for band, row in zip(where.band, where.row, strict=True)]
    assert found == sets.tolist()


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_without_leads_there_is_one_band_in_the_order_of_numbers(cards: int, level: int) -> None:
    where = space(cards, level, POINTS).bands
    assert where.leads == (0,)
    assert where.ties == (0,)
    assert where.members[0].tolist() == list(range(len(all_subsets(cards, level))))


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_a_band_holds_the_leads_that_can_occur_and_are_open(cards: int, level: int) -> None:
    where = space(cards, level, WIN).bands
    everything = sum(range(1, cards + 1))
    assert list(where.leads) == sorted(set(where.leads))
    sets = space(cards, level, WIN).states.left
    for lead, members in zip(where.leads, where.members, strict=True):
        left = [sum(cards_of(mask)) for mask in sets[members].tolist()]
        assert {min(worth, everything - worth) for worth in left} == {lead}
        assert left == sorted(left)  # worth the same, side by side


@pytest.mark.parametrize("cards", range(1, MAX_CARDS + 1))
def test_totals(cards: int) -> None:
    everything = all_subsets(cards, cards)
    assert totals(everything).tolist() == [Rules(cards).total] == [sum(range(1, cards + 1))]
    pairs = all_subsets(cards, 2)
    assert totals(pairs).tolist() == [sum(cards_of(mask)) for mask in pairs.tolist()]


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize(("cards", "level"), SMALL)
def test_patterns_are_numbered_both_ways(cards: int, level: int, objective: Objective) -> None:
    index = np.arange(space(cards, level, objective).columns)
    mine, theirs = space(cards, level, objective).patterns(index)
    found, sign = space(cards, level, objective).column_of(mine, theirs)
    assert (found == index).all()
    assert (sign == 1).all()
    mirrored, sign = space(cards, level, objective).column_of(theirs, mine)
    assert (mirrored == index).all()
    assert (sign == np.where(mine == theirs, 1, -1)).all()


def test_equal_hands_come_last_where_the_lead_counts() -> None:
    hand = np.array([0b1011], dtype=np.uint16)
    index, sign = space(6, 3, WIN).column_of(hand, hand)
    assert (index.tolist(), sign.tolist()) == ([matchups.count(6, 3)], [1])
    assert space(6, 3, POINTS).column_of(hand, hand)[1].tolist() == [0]
    assert space(6, 3, WIN).columns == matchups.count(6, 3) + 1 == space(6, 3, POINTS).columns + 1


@pytest.mark.parametrize("cards", range(1, MAX_CARDS + 1))
def test_the_hands_with_all_cards_are_equal(cards: int) -> None:
    assert space(cards, cards, WIN).columns == 1
    mine, theirs = space(cards, cards, WIN).patterns(np.zeros(1, dtype=np.int64))
    assert mine.tolist() == theirs.tolist() == [(1 << cards) - 1]


@pytest.mark.parametrize(("cards", "level"), SMALL)
def test_successors_of_equal_hands(cards: int, level: int) -> None:
    """The last game of a row: every pair of equal bids leads to equal hands, and the matrix is its own mirror image."""
    found = space(cards, level, WIN).successors()
    assert found.shapes[-1].tolist() == [level, level]
    codes = found.codes[found.offsets[-2] :].reshape(level, level)
    index, negated, won = codes >> matchups.INDEX_SHIFT, codes & matchups.NEGATED, codes & 3
    assert (np.diag(index) == matchups.count(cards, level - 1)).all()
    assert (won + won.T == 2).all()
    assert (index == index.T).all()
    different = index != matchups.count(cards, level - 1)
    assert (negated != negated.T)[different].all()
    assert found.codes[: found.offsets[-2]].tolist() == space(cards, level, POINTS).successors().codes.tolist()


@pytest.mark.parametrize("cards", range(1, 14))
def test_the_layout_covers_every_row_of_every_band_once(cards: int) -> None:
    layout = make_layout(Rules(cards, objective=WIN))
    assert layout == make_layout(Rules(cards, objective="win"))
    assert layout.dtype == "fixed32"
    games = 0
    for level in layout.levels:
        assert [block.index for block in level.blocks] == list(range(level.block_count))
        rows = [(block.band, row) for block in level.blocks for row in range(block.start, block.stop)]
        assert rows == [(i, row) for i, band in enumerate(level.bands) for row in range(band.rows)]
        assert sum(band.rows for band in level.bands) == level.space.rows
        assert sum(map(level.block_games, level.blocks)) == level.games
        games += level.games
        for band in level.bands:
            assert band.leads == 2 * band.lead + 1
            assert band.block_rows % band.chunk_rows == 0
            assert 1 <= band.chunk_columns <= band.columns
    assert layout.games == games


@pytest.mark.parametrize(("cards", "games"), [(9, 4e7), (10, 2.8e8), (11, 2e9), (12, 1.3e10), (13, 9e10)])
def test_the_layout_counts_what_the_design_counts(cards: int, games: float) -> None:
    assert make_layout(Rules(cards, objective=WIN)).games == pytest.approx(games, rel=0.05)


def test_only_two_levels_are_on_disk_when_only_the_last_is_kept() -> None:
    sizes = [level.bytes for level in make_layout(Rules(8, objective=WIN)).levels]
    layout = make_layout(Rules(8, objective=WIN))
    assert layout.disk_bytes("last") == max(a + b for a, b in zip([0, *sizes], sizes, strict=False))
    assert max(sizes) < layout.disk_bytes("last") < layout.disk_bytes() == sum(sizes)
    assert (
        make_layout(Rules(1, objective=WIN)).disk_bytes("last")
        == make_layout(Rules(1, objective=WIN)).disk_bytes()
        == 0
    )
