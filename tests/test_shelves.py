"""Shelves: every prize set stands on one of them, and its row holds the leads that can occur."""

import numpy as np
import pytest

from goofspiel.plan import make_plan
from goofspiel.rules import MAX_CARDS, Objective, cards_of
from goofspiel.states import bands, matchups, prize_sets

WIN, POINTS = Objective.WIN, Objective.POINTS
LEVELS = [(cards, level) for cards in range(1, MAX_CARDS + 1) for level in range(cards + 1)]
SMALL = [(cards, level) for cards, level in LEVELS if cards <= 7 and level > 0]


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_every_prize_set_has_one_place(cards, level, objective):
    where = bands.bands_of(cards, level, objective)
    sets = prize_sets.all_prize_sets(cards, level)
    assert sorted(np.concatenate(where.sets).tolist()) == sorted(sets.tolist())
    places = set(zip(where.band.tolist(), where.row.tolist(), strict=True))
    assert len(places) == len(sets)
    found = [where.sets[band][row] for band, row in zip(where.band, where.row, strict=True)]
    assert found == sets.tolist()


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_without_leads_there_is_one_shelf_in_the_order_of_numbers(cards, level):
    where = bands.bands_of(cards, level, POINTS)
    assert where.leads == (0,)
    assert (where.sets[0] == prize_sets.all_prize_sets(cards, level)).all()


@pytest.mark.parametrize(("cards", "level"), LEVELS)
def test_a_shelf_holds_the_leads_that_can_occur_and_are_open(cards, level):
    where = bands.bands_of(cards, level, WIN)
    everything = sum(range(1, cards + 1))
    assert list(where.leads) == sorted(set(where.leads))
    for lead, sets in zip(where.leads, where.sets, strict=True):
        left = [sum(cards_of(mask)) for mask in sets.tolist()]
        assert {min(worth, everything - worth) for worth in left} == {lead}
        assert left == sorted(left)  # worth the same, side by side


@pytest.mark.parametrize("cards", range(1, MAX_CARDS + 1))
def test_totals(cards):
    everything = prize_sets.all_prize_sets(cards, cards)
    assert prize_sets.totals(everything).tolist() == [prize_sets.total(cards)] == [sum(range(1, cards + 1))]
    pairs = prize_sets.all_prize_sets(cards, 2)
    assert prize_sets.totals(pairs).tolist() == [sum(cards_of(mask)) for mask in pairs.tolist()]


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize(("cards", "level"), SMALL)
def test_words_are_numbered_both_ways(cards, level, objective):
    index = np.arange(bands.matchup_count(cards, level, objective))
    mine, theirs = bands.words(index, cards, level)
    found, sign = bands.number(mine, theirs, cards, level, objective)
    assert (found == index).all()
    assert (sign == 1).all()
    mirrored, sign = bands.number(theirs, mine, cards, level, objective)
    assert (mirrored == index).all()
    assert (sign == np.where(mine == theirs, 1, -1)).all()


def test_equal_hands_come_last_where_the_lead_counts():
    hand = np.array([0b1011], dtype=np.uint16)
    index, sign = bands.number(hand, hand, 6, 3, WIN)
    assert (index.tolist(), sign.tolist()) == ([matchups.count(6, 3)], [1])
    assert bands.number(hand, hand, 6, 3, POINTS)[1].tolist() == [0]
    assert bands.matchup_count(6, 3, WIN) == matchups.count(6, 3) + 1 == bands.matchup_count(6, 3, POINTS) + 1


@pytest.mark.parametrize("cards", range(1, MAX_CARDS + 1))
def test_the_hands_with_all_cards_are_equal(cards):
    assert bands.matchup_count(cards, cards, WIN) == 1
    mine, theirs = bands.words(np.zeros(1, dtype=np.int64), cards, cards)
    assert mine.tolist() == theirs.tolist() == [(1 << cards) - 1]


@pytest.mark.parametrize(("cards", "level"), SMALL)
def test_successors_of_equal_hands(cards, level):
    """The last game of a row: every pair of equal bids leads to equal hands, and the matrix is its own mirror image."""
    found = bands.successors(cards, level, WIN)
    assert found.shapes[-1].tolist() == [level, level]
    codes = found.codes[found.offsets[-2] :].reshape(level, level)
    index, negated, won = codes >> matchups.INDEX_SHIFT, codes & matchups.NEGATED, codes & 3
    assert (np.diag(index) == matchups.count(cards, level - 1)).all()
    assert (won + won.T == 2).all()
    assert (index == index.T).all()
    different = index != matchups.count(cards, level - 1)
    assert (negated != negated.T)[different].all()
    assert found.codes[: found.offsets[-2]].tolist() == bands.successors(cards, level, POINTS).codes.tolist()


@pytest.mark.parametrize("cards", range(1, 14))
def test_the_plan_covers_every_row_of_every_shelf_once(cards):
    plan = make_plan(cards, objective=WIN)
    assert plan == make_plan(cards, objective="win")
    assert plan.dtype == "float32"
    games = 0
    for level in plan.levels:
        assert [block.index for block in level.blocks] == list(range(level.block_count))
        rows = [(block.band, row) for block in level.blocks for row in range(block.start, block.stop)]
        assert rows == [(i, row) for i, band in enumerate(level.bands) for row in range(band.prize_sets)]
        assert sum(band.prize_sets for band in level.bands) == level.prize_sets
        assert sum(map(level.block_games, level.blocks)) == level.games
        games += level.games
        for band in level.bands:
            assert band.leads == 2 * band.lead + 1
            assert band.block_rows % band.chunk_rows == 0
            assert 1 <= band.chunk_matchups <= band.matchups
    assert plan.games == games


@pytest.mark.parametrize(("cards", "games"), [(9, 4e7), (10, 2.8e8), (11, 2e9), (12, 1.3e10), (13, 9e10)])
def test_the_plan_counts_what_the_design_counts(cards, games):
    assert make_plan(cards, objective=WIN).games == pytest.approx(games, rel=0.05)


def test_only_two_levels_are_on_disk_when_only_the_last_is_kept():
    sizes = [level.bytes for level in make_plan(8, objective=WIN).levels]
    plan = make_plan(8, objective=WIN)
    assert plan.disk_bytes("last") == max(a + b for a, b in zip([0, *sizes], sizes, strict=False))
    assert max(sizes) < plan.disk_bytes("last") < plan.disk_bytes() == sum(sizes)
    assert make_plan(1, objective=WIN).disk_bytes("last") == make_plan(1, objective=WIN).disk_bytes() == 0
