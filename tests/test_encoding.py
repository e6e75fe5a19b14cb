"""Values in every form that they are kept in: what is kept is what was solved, up to the rounding that is stated."""

from pathlib import Path

import numpy as np
import pytest
from command import tree
from fixtures import Repeats, Tally
from hypothesis import given
from hypothesis import strategies as st

from goofspiel.cli import tables
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.store import Table
from goofspiel.store.encoding import DTYPES, Encoding
from goofspiel.tablebase.bounds import table_bound

FIXED = [dtype for dtype in DTYPES if dtype.startswith("fixed")]
GAMES = [Rules(7), Rules(6, ties="carry"), Rules(6, objective="win"), Rules(5, ties="carry", objective="win")]
BOUNDS = st.one_of(st.integers(1, 1000).map(float), st.floats(1e-3, 1e6))


def test_the_command_knows_them_all() -> None:
    assert list(tables.DTYPES) == list(DTYPES)


@given(data=st.data(), dtype=st.sampled_from(list(DTYPES)), bound=BOUNDS)
def test_a_value_comes_back_within_the_stated_rounding(data: st.DataObject, dtype: str, bound: float) -> None:
    encoding = Encoding(dtype, bound)
    numbers = data.draw(st.lists(st.floats(-bound, bound), min_size=1, max_size=9))
    values = np.array([[-bound, 0.0, bound, *numbers]])
    kept = encoding.encode(values)
    assert encoding.is_complete(kept)
    assert (kept.dtype, kept.shape) == (encoding.stored, values.shape)
    found = encoding.decode(kept)
    assert np.abs(found - values).max() <= encoding.rounding
    assert (encoding.encode(found) == kept).all()
    assert (encoding.decode(encoding.encode(-values)) == -found).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("total", [1, 2, 127, 128, 136, 1000])
def test_whole_numbers_are_kept_exactly(dtype: str, total: int) -> None:
    numbers = np.arange(-total, total + 1.0)[None]
    assert (Encoding(dtype, total).decode(Encoding(dtype, total).encode(numbers)) == numbers).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_missing_is_noticed_wherever_it_stands(dtype: str) -> None:
    encoding = Encoding(dtype, 1.0)
    for place in range(9):
        kept = encoding.encode(np.linspace(-1, 1, 9).reshape(3, 3))
        assert encoding.is_complete(kept)
        kept[place // 3, place % 3] = encoding.nothing
        assert not encoding.is_complete(kept)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float64"])
def test_every_value_for_points_is_within_the_bounds_of_the_table_in_doubles(
    tmp_path: Path, repeats: Repeats, tally: Tally, dtype: str
) -> None:
    compared = 0
    for cards in range(2, repeats(10, 13)):
        ours, doubles = (Table.open(solve(cards, dtype=d, store=tmp_path / d)) for d in (dtype, "float64"))
        bounds = table_bound(ours).levels, table_bound(doubles).levels
        for level in ours.layout.levels:
            allowed = sum(each[level.level - 1] for each in bounds)
            for row in range(level.space.rows):
                found, wanted = (table.values(level.level, row, row + 1) for table in (ours, doubles))
                assert np.abs(found - wanted).max() <= allowed
                compared += found.size
    tally("values in other forms against doubles", compared)


@pytest.mark.parametrize("dtype", FIXED)
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_solve_that_goes_on_makes_the_same_bytes(tmp_path: Path, rules: Rules, dtype: str) -> None:
    whole = solve(rules, dtype=dtype, store=tmp_path / "whole")
    begun = Table.open(solve(rules, dtype=dtype, store=tmp_path / "begun"))
    for level in range(2, rules.cards):
        begun.block_path(level, 0).unlink()
        assert tree(solve(rules, resume=True, store=tmp_path / "begun", threads=level % 2 + 1)) == tree(whole)


@pytest.mark.parametrize("dtype", FIXED)
@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_the_last_level_kept_alone_is_the_same(tmp_path: Path, rules: Rules, dtype: str) -> None:
    whole = Table.open(solve(rules, dtype=dtype, store=tmp_path / "all"))
    last = Table.open(solve(rules, dtype=dtype, store=tmp_path / "last", keep="last", memory=1 << 29))
    (level,) = last.levels
    for block in range(whole.block_count(level)):
        assert (last.read_block(level, block) == whole.read_block(level, block)).all()
    assert table_bound(last) == table_bound(whole)
