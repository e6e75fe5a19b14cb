"""Rounds of many positions solved at once: the same as one by one."""

import numpy as np
import pytest
from answers import with_upcard
from fixtures import Tablebases
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from goofspiel.batch import PositionBatch
from goofspiel.errors import MissingTableError
from goofspiel.position import Position
from goofspiel.tablebase.rounds import unique_rows


def random_positions(cards: int, level: int, count: int, random: np.random.Generator) -> list[Position]:
    """Positions of a level with an upcard; leads that a game of so many cards can have."""
    found = []
    for _ in range(count):
        mine, theirs, deck = (sorted((random.permutation(cards)[:level] + 1).tolist()) for _ in range(3))
        upcard = deck.pop(int(random.integers(level)))
        gone = cards * (cards + 1) // 2 - sum(deck) - upcard
        found.append(Position.of(mine, theirs, deck, upcard, lead=int(random.integers(-gone, gone + 1))))
    return found


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("level", [1, 2, 4, 6, 7])
def test_the_same_as_one_by_one(tablebase: Tablebases, objective: str, level: int) -> None:
    table = tablebase(7, objective=objective)
    positions = random_positions(7, level, 150, np.random.default_rng(level))
    positions += [position.swap() for position in positions[:50]]
    solved = table.solve_rounds(PositionBatch.of(positions))
    value, mine, theirs, payoffs = solved.value, solved.mine, solved.theirs, solved.payoffs()
    for position, v, x, y, matrix in zip(positions, value, mine, theirs, payoffs, strict=True):
        answer = with_upcard(table.probe(position))
        assert v == pytest.approx(answer.value, abs=1e-9)
        assert_allclose(matrix, answer.matrix, atol=1e-9)
        # The mixes prove themselves, whichever of the optimal ones they are.
        assert_allclose([x.sum(), y.sum()], 1, atol=1e-12)
        assert min(x.min(), y.min()) >= 0
        assert (x @ matrix).min() == pytest.approx(v, abs=1e-9)
        assert (matrix @ y).max() == pytest.approx(v, abs=1e-9)


def test_all_positions_of_a_level_at_once(tablebase: Tablebases) -> None:
    """So many that the table lays out the whole level, equal hands among them."""
    table = tablebase(4)
    hands = [Position.of(m, t, d[:1], d[1]) for m in PAIRS for t in PAIRS for d in PAIRS]
    asked = hands + [position.swap() for position in hands]
    solved = table.solve_rounds(PositionBatch.of(asked))
    assert_allclose(solved.value, table.values(asked), atol=1e-12)
    assert_allclose(solved.value[: len(hands)], -solved.value[len(hands) :], atol=1e-12)


PAIRS = [(a, b) for a in range(1, 5) for b in range(a + 1, 5)]


def test_no_positions(tablebase: Tablebases) -> None:
    solved = tablebase(4).solve_rounds(PositionBatch.of([]))
    assert (len(solved.value), len(solved.mine)) == (0, 0)


def test_a_position_that_the_table_does_not_hold(tablebase: Tablebases) -> None:
    with pytest.raises(MissingTableError, match="'24/A3/Q K' needs a table of 13 cards"):
        tablebase(4).solve_rounds(PositionBatch.of([Position("24/A3/2 3"), Position("24/A3/Q K")]))


columns = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-2, 2), st.sampled_from([0, 1, 10**6])), min_size=0, max_size=40
)


@given(columns)
def test_distinct_rows(rows: list[tuple[int, int, int]]) -> None:
    fields = [np.array([row[i] for row in rows], dtype=np.int64) for i in range(3)]
    first, which = unique_rows(fields)
    kept = [rows[i] for i in first.tolist()]
    assert len(set(kept)) == len(kept)
    assert [kept[i] for i in which.tolist()] == rows


def test_distinct_rows_in_a_small_range_are_counted() -> None:
    random = np.random.default_rng(1)
    fields = [random.integers(0, 4, 1000), random.integers(-5, 5, 1000)]
    first, which = unique_rows(fields)
    assert len(first) == 40
    for field in fields:
        assert_array_equal(field[first][which], field)
