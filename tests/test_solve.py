"""Solving: the same bytes however it is run; progress; single precision; memory."""

import random
import tracemalloc
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pytest
from blocks import MANY_BLOCKS
from command import tree

import goofspiel as gs
from goofspiel.arrays import Ints, Values
from goofspiel.rules import Rules
from goofspiel.solver import forecast, solve
from goofspiel.solver.block_solver import LevelSolver
from goofspiel.solver.children import StreamedChildren
from goofspiel.solver.plan import IN_FLIGHT, Plan, block_children
from goofspiel.solver.progress import Progress
from goofspiel.solver.threads import _solve_blocks
from goofspiel.store import Table, blocks, make_layout
from goofspiel.tablebase import open_tablebase, table_bound


@pytest.fixture
def many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "GEOMETRY", MANY_BLOCKS)


# --- the same bytes


def test_the_number_of_threads_does_not_change_the_bytes(many_blocks: None, tmp_path: Path) -> None:
    trees = [tree(solve(9, store=tmp_path / str(threads), threads=threads)) for threads in (1, 2, 3)]
    assert trees[0] == trees[1] == trees[2]
    assert len(trees[0]) > 50


def test_nine_threads_do_no_harm_to_a_tiny_table(tmp_path: Path) -> None:
    assert tree(solve(3, store=tmp_path / "a", threads=9)) == tree(solve(3, store=tmp_path / "b", threads=1))


def test_streamed_levels_give_the_same_bytes(many_blocks: None, tmp_path: Path) -> None:
    """As little as possible held: the blocks of some levels read their own children from the store."""
    plan = Plan(make_layout(Rules(9)), threads=2)
    levels = plan.layout.levels
    least = max(plan.level_memory(level, children_held=False, held=False) for level in levels)
    kept = plan.held_levels(least)
    assert any(level.level - 1 not in kept and not plan.reads_whole(level) for level in levels[1:])
    held, streamed = (solve(9, store=tmp_path / str(m), threads=2, memory=m) for m in (1 << 40, least))
    assert tree(held) == tree(streamed)


def test_blocks_do_not_change_the_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another cut into blocks remembers other bases: rounding may differ, no more."""
    whole = Table.open(solve(8, store=tmp_path / "whole"))
    monkeypatch.setattr(blocks, "GEOMETRY", MANY_BLOCKS)
    cut = Table.open(solve(8, store=tmp_path / "cut"))
    assert cut.block_count(4) > whole.block_count(4) == 1
    for level in whole.levels:
        everything = 0, whole.block_rows(level)
        assert np.allclose(cut.read_rows(level, *everything), whole.read_rows(level, *everything), rtol=0, atol=1e-12)


def test_deleted_blocks_are_solved_again_to_the_same_bytes(many_blocks: None, tmp_path: Path) -> None:
    path = solve(9, store=tmp_path)
    whole = tree(path)
    table = Table.open(path)
    blocks = [(level, block) for level in table.levels for block in range(table.block_count(level))]
    some = random.Random(5).sample(blocks, 6)
    for level, block in some:
        table.block_path(level, block).unlink()
    with pytest.raises(gs.SolveError, match=rf"partly solved \({len(blocks) - 6} of {len(blocks)} blocks\)"):
        solve(9, store=tmp_path)
    reports: list[Progress] = []
    solve(9, store=tmp_path, resume=True, on_progress=reports.append)
    assert tree(path) == whole
    assert reports[-1].blocks_done == len(blocks)


def test_a_complete_table_is_left_as_it_is(tmp_path: Path) -> None:
    path = solve(5, store=tmp_path)
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*")}
    reports: list[Progress] = []
    assert solve(5, store=tmp_path, on_progress=reports.append) == path
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*")} == before
    assert reports == []


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threads": -1}, gs.OptionError, "threads must be 1 or more, not -1"),
        ({"threads": 0}, gs.OptionError, "threads must be 1 or more, not 0"),
        ({"threads": 1.5}, TypeError, "threads must be a whole number, not 1.5"),
        ({"memory": "1GiB"}, TypeError, "memory must be a whole number, not '1GiB'"),
        ({"memory": -1}, gs.OptionError, "memory is a number of bytes, 1 or more, not -1"),
        ({"cluster": "nonsense"}, gs.ClusterError, "a cluster is tcp://HOST:PORT, .* not 'nonsense'"),
        ({"dtype": "float32"}, gs.TableConflictError, "was begun in float64, it cannot go on in float32: delete it"),
        ({"keep": "last"}, gs.TableConflictError, "was begun with --keep all, it cannot go on with --keep last"),
    ],
)
def test_of_a_complete_table_nothing_else_may_be_asked(
    options: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    path = solve(4, store=tmp_path)
    for resume in (False, True):
        with pytest.raises(error, match=message):
            solve(4, store=tmp_path, resume=resume, **options)
    assert solve(4, store=tmp_path, resume=True, threads=1, memory=1 << 30, dtype="float64", keep="all") == path


@pytest.mark.parametrize("use", [solve, open_tablebase, forecast])
def test_a_file_is_no_store(use: Callable[..., object], tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    with pytest.raises(gs.GoofspielError, match=f"^{file} is a file, a store of tables is a folder$"):
        use(4, store=file)


def test_a_store_may_be_named_by_a_text_or_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert solve(2, store=str(tmp_path / "text")) == tmp_path / "text" / "points-2.zarr"
    monkeypatch.setenv("GOOFSPIEL_STORE", str(tmp_path / "environment"))
    assert solve(2) == tmp_path / "environment" / "points-2.zarr"


# --- progress


@pytest.mark.parametrize("cards", [2, 5, 9])
def test_progress_rises_to_the_total(many_blocks: None, tmp_path: Path, cards: int) -> None:
    reports: list[Progress] = []
    solve(cards, store=tmp_path, on_progress=reports.append)
    plan = make_layout(Rules(cards))
    done = [(report.games_done, report.blocks_done, report.level) for report in reports]
    assert done == sorted(done)
    assert done[-1] == (plan.games, plan.block_count, cards - 1)
    assert {(r.games, r.blocks, r.levels) for r in reports} == {(plan.games, plan.block_count, cards - 1)}
    assert len(reports) >= plan.block_count


# --- single precision


def test_single_precision_is_within_its_bound(tmp_path: Path) -> None:
    double = Table.open(solve(8, store=tmp_path / "double"))
    single = Table.open(solve(8, store=tmp_path / "single", dtype="float32"))
    assert (double.header.dtype, single.header.dtype) == ("float64", "float32")
    allowed = table_bound(single).value + table_bound(double).value
    assert table_bound(double).value < 1e-11 < table_bound(single).value < 1e-3
    largest = 0.0
    for level in double.levels:
        rows = 0, double.block_rows(level)
        assert single.read_rows(level, *rows).dtype == np.float32
        largest = max(largest, np.abs(single.read_rows(level, *rows) - double.read_rows(level, *rows)).max())
    assert 0 < largest <= allowed
    assert single.block_path(4, 0).stat().st_size < 0.6 * double.block_path(4, 0).stat().st_size
    with open_tablebase(8, store=tmp_path / "single") as tablebase:
        assert tablebase.probe(gs.Position("start 8 8")).value == pytest.approx(0, abs=allowed)


def test_a_table_begun_in_one_precision_does_not_go_on_in_another(tmp_path: Path) -> None:
    path = solve(5, store=tmp_path, dtype="float32")
    Table.open(path).block_path(3, 0).unlink()
    with pytest.raises(gs.SolveError, match=f"{path} was begun in float32, it cannot go on in float64"):
        solve(5, store=tmp_path, resume=True, dtype="float64")
    solve(5, store=tmp_path, resume=True)  # who does not ask for one goes on
    assert Table.open(path).header.dtype == "float32"


# --- memory


def test_streamed_rows_are_read_to_where_they_stay(tmp_path: Path) -> None:
    table = Table.open(solve(10, store=tmp_path))
    children = StreamedChildren(table, 6)
    needed = np.arange(0, table.layout.levels[5].space.rows, 2, dtype=np.int32)  # no two of them together
    children.rows(0, needed[:1])
    tracemalloc.start()
    rows, place = children.rows(0, needed)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows.nbytes > 1 << 20
    assert most < 1.5 * rows.nbytes
    assert (rows[place] == table.read_rows(6, 0, 10**6)[::2]).all()


T = TypeVar("T")


class AtOnce:
    """A pool without threads."""

    def submit(self, function: Callable[..., T], *arguments: Any) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(function(*arguments))
        return future


def test_the_children_of_no_more_blocks_are_in_memory_than_the_plan_says(many_blocks: None, tmp_path: Path) -> None:
    table = Table.open(solve(9, store=tmp_path))
    level = table.layout.levels[4]
    assert len(level.blocks) > 5
    read, alive = [], []

    class Children(StreamedChildren):
        def rows(self, band: int, needed: Ints) -> tuple[Values, Ints]:
            rows, place = super().rows(band, needed)
            read.append(weakref.ref(rows))
            alive.append(sum(one() is not None for one in read))
            assert len(rows) in block_children(level)
            return rows, place

    buffers = [np.empty(level.largest.block_bytes // 8) for _ in range(IN_FLIGHT)]
    solved = _solve_blocks(
        LevelSolver(level),
        list(level.blocks),
        Children(table, 4),
        pool=cast(ThreadPoolExecutor, AtOnce()),
        threads=2,
        buffers=buffers,
        deliver_sigint=lambda: None,
    )
    for block, values, _ in solved:
        assert (values == table.read_block(5, block.index)).all()
    assert max(alive) == IN_FLIGHT
