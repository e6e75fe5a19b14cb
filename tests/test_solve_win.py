"""Solving with leads: the same bytes however it is run, stopped and resumed; and what is said before the work."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from command import run, tree
from damage import flip, outcome, restore
from fixtures import Repeats, Tablebases, Tally

import goofspiel as gs
from goofspiel import games
from goofspiel.arrays import Floats, Values
from goofspiel.rules import Rules
from goofspiel.solver import forecast, solve
from goofspiel.solver.plan import Plan
from goofspiel.solver.progress import Progress
from goofspiel.store import Table, make_layout, table_path
from goofspiel.store.blocks import Geometry
from goofspiel.tablebase import open_tablebase, table_bound
from goofspiel.tablebase.bounds import Bound
from goofspiel.tablebase.verification import verify

WIN = gs.Objective.WIN
CARDS = 7


@pytest.fixture
def many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    small = Geometry(block_bytes=1 << 12, chunk_bytes=1 << 11, least_rows=8, least_lead_rows=1)
    monkeypatch.setattr("goofspiel.store.blocks.GEOMETRY", small)


@pytest.fixture
def calm(many_blocks: None, tmp_path: Path) -> Path:
    """A table of many blocks, solved without disturbance on one thread."""
    return solve(CARDS, objective="win", store=tmp_path / "calm", threads=1)


def rows_of(table: Table) -> list[Values]:
    """All values of a table, [level and band][row][matchup][lead]."""
    return [
        table.values(level.level, 0, band.rows, band=index)
        for level in table.layout.levels
        for index, band in enumerate(level.bands)
    ]


# --- the same bytes


@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_does_not_change_the_bytes(calm: Path, tmp_path: Path, threads: int) -> None:
    assert tree(solve(CARDS, objective="win", store=tmp_path, threads=threads)) == tree(calm)
    assert Table.open(calm).layout.block_count > 90


def test_deleted_blocks_are_solved_again_to_the_same_bytes(calm: Path) -> None:
    whole, table = tree(calm), Table.open(calm)
    blocks = [(block.level, block.index) for level in table.layout.levels for block in level.blocks]
    for level, block in random.Random(5).sample(blocks, 20):
        table.block_path(level, block).unlink()
    with pytest.raises(gs.SolveError, match=rf"partly solved \({len(blocks) - 20} of {len(blocks)} blocks\)") as caught:
        solve(CARDS, objective="win", store=calm.parent)
    assert f"goofspiel solve {CARDS} --objective win --store {calm.parent} --resume" in str(caught.value)
    reports: list[Progress] = []
    solve(CARDS, objective="win", store=calm.parent, resume=True, on_progress=reports.append)
    assert tree(calm) == whole
    assert reports[-1].blocks_done == len(blocks)
    done = [report.games_done for report in reports]
    assert done == sorted(done)
    assert done[-1] == table.layout.games


@pytest.mark.parametrize("level", [1, 4, 6])
def test_stopped_in_a_level_and_resumed_it_ends_with_the_same_bytes(calm: Path, tmp_path: Path, level: int) -> None:
    def stop(report: Progress) -> None:
        if report.level == level and report.games_done:
            raise EOFError("enough")

    with pytest.raises(EOFError, match="enough"):
        solve(CARDS, objective="win", store=tmp_path, on_progress=stop)
    solve(CARDS, objective="win", store=tmp_path, resume=True)
    assert tree(table_path(tmp_path, Rules(CARDS, objective=WIN))) == tree(calm)


def test_streamed_levels_give_the_same_bytes(calm: Path, tmp_path: Path) -> None:
    """Nothing held at all: every round reads its children from the store."""
    plan = Plan(make_layout(Rules(CARDS, objective=WIN)), threads=2)
    least = max(plan.level_memory(level, children_held=False, held=False) for level in plan.layout.levels)
    assert plan.held_levels(least) < plan.held_levels(1 << 40) == set(range(1, CARDS))
    streamed = solve(CARDS, objective="win", store=tmp_path, threads=2, memory=least)
    assert tree(streamed) == tree(calm)


def test_blocks_do_not_change_the_values(calm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another cut into blocks remembers other bases: the last digit may differ."""
    monkeypatch.undo()
    whole = Table.open(solve(CARDS, objective="win", store=tmp_path))
    for ours, theirs in zip(rows_of(Table.open(calm)), rows_of(whole), strict=True):
        assert np.abs(ours - theirs).max() <= 1e-6


@pytest.mark.parametrize("kernel", games.kernels())
def test_builds_of_the_kernel_agree(tablebase: Tablebases, tmp_path: Path, kernel: str) -> None:
    best = tablebase(CARDS, objective="win")._table
    other = Table.open(solve(CARDS, objective="win", store=tmp_path, kernel=kernel))
    allowed = min(1e-6, table_bound(best).value + table_bound(other).value)
    for ours, theirs in zip(rows_of(best), rows_of(other), strict=True):
        assert np.abs(ours - theirs).max() <= allowed


@pytest.mark.parametrize("cards", [1, 2])
def test_the_smallest_games(tmp_path: Path, cards: int) -> None:
    table = Table.open(solve(cards, objective="win", store=tmp_path, threads=9))
    assert table.header.complete
    assert table.done_count() == table.layout.block_count == cards - 1
    if cards == 2:
        # The prize 1, then the prize 2, with a lead of −1, 0 and 1: my Ace loses it to their 2, equal cards leave it.
        assert [table.values(1, row, row + 1)[0].tolist() for row in range(2)] == [
            [[-1, -1, 0], [-1, 0, 1]],
            [[-1, -1, -1], [-1, 0, 1]],
        ]


def test_a_damaged_block_stops_a_resumed_solve(calm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goofspiel.store.table.SYNCED_BYTES", 0)  # as if it were too large to be read to see
    table = Table.open(calm)
    file = table.block_path(3, 2)
    flip(file, 400)
    table.block_path(4, 0).unlink()
    with pytest.raises(gs.DamagedTableError, match=f"{file} is damaged"):
        solve(CARDS, objective="win", store=calm.parent, resume=True)


# --- the store


def test_a_chunk_is_read_without_its_neighbours(calm: Path) -> None:
    """A probe reads a part of a row: damage elsewhere does not concern it."""
    table = Table.open(calm)
    level = next(level for level in table.layout.levels for s in level.bands if s.chunk_columns < s.columns)
    which, band = next((i, s) for i, s in enumerate(level.bands) if s.chunk_columns < s.columns)
    first = next(block.index for block in level.blocks if block.band == which)
    rows, columns = table.chunk_shape(level.level, which)
    file = table.block_path(level.level, first)
    flip(file, 0)
    with pytest.raises(gs.DamagedTableError):
        table.read_rows(level.level, 0, rows, band=which)
    rest = table.read_rows(level.level, 0, rows, band=which, columns=slice(columns, band.columns))
    assert rest.shape == (rows, band.columns - columns, band.leads)


def test_probes_of_a_table_of_many_chunks(calm: Path, tablebase: Tablebases) -> None:
    """Questions about positions all over the table, answered chunk by chunk, with room for one chunk or for many."""
    chance = np.random.default_rng(2)
    asked = []
    for _ in range(500):
        level = int(chance.integers(1, CARDS + 1))
        mine, theirs, deck = ((chance.permutation(CARDS)[:level] + 1).tolist() for _ in range(3))
        largest = min(sum(deck), CARDS * (CARDS + 1) // 2 - sum(deck))
        shown = bool(chance.integers(2))
        lead = int(chance.integers(-largest, largest + 1))
        asked.append(gs.Position.of(mine, theirs, deck[shown:], deck[0] if shown else None, lead=lead))
    expected = tablebase(CARDS, objective="win").values(asked)
    for room in (1, 1 << 30):
        with open_tablebase(CARDS, objective="win", store=calm.parent, cache_bytes=room) as cut:
            assert np.abs(cut.values(asked) - expected).max() <= 1e-6
            assert np.abs([cut.probe(position).value for position in asked[:50]] - expected[:50]).max() <= 1e-6


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A table of four cards, to be damaged."""
    return solve(4, objective="win", store=tmp_path / "small")


def ask_everything(path: Path) -> tuple[Floats, Bound]:
    """All values and the bound, freshly read."""
    with open_tablebase(4, objective="win", store=path.parent) as tablebase:
        return np.concatenate([rows.ravel() for rows in rows_of(tablebase._table)]), tablebase.bound


def test_any_flipped_bit_gives_the_truth_or_an_error(small: Path, repeats: Repeats, tally: Tally) -> None:
    whole, truth = tree(small), ask_everything(small)
    bits = repeats(1, 4)
    tally("flipped bits", bits * len(whole))
    chance = random.Random(1)
    errors = 0
    for name, content in whole.items():
        for bit in chance.sample(range(8 * len(content)), bits):
            flip(small / name, bit)
            answer = outcome(lambda: ask_everything(small))
            if isinstance(answer, str):
                assert str(small) in answer, (name, bit)
                errors += 1
            else:
                assert np.array_equal(answer[0], truth[0]), (name, bit)
                assert answer[1] == truth[1], (name, bit)
            noticed = (
                outcome(lambda: verify(Table.open(small, Rules(4, objective=WIN)), positions=1).passed) is not True
            )
            assert noticed or name.endswith("zarr.json"), (name, bit)
            restore(small, whole)
    assert errors > 20 * bits


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"{", b"[]", b"null", b'{"zarr_format":2}'])
@pytest.mark.parametrize("name", ["level-02/lead-05/zarr.json", "level-02/zarr.json", "gap-02/zarr.json", "zarr.json"])
def test_garbage_instead_of_metadata_is_noticed(small: Path, name: str, garbage: bytes) -> None:
    file = small / name
    file.write_bytes(garbage)
    answer = outcome(lambda: ask_everything(small))
    # Nothing is read from the metadata of the folder of a level.
    assert isinstance(answer, str) or name == "level-02/zarr.json"
    assert not isinstance(answer, str) or str(small) in answer


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_metadata_of_another_shape_is_noticed(small: Path, axis: int) -> None:
    file = small / "level-02" / "lead-05" / "zarr.json"
    content = json.loads(file.read_text())
    content["shape"][axis] -= 1
    file.write_text(json.dumps(content))
    with pytest.raises(gs.DamagedTableError, match=str(file)):
        ask_everything(small)


# --- said before the work


def test_a_disk_that_is_too_small_is_said_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1 << 30))
    path = table_path(tmp_path, Rules(12, objective=WIN))
    with pytest.raises(gs.SolveError, match=f"no room on disk: the rest of {path} needs 6.9. GiB, 1.00 GiB are free"):
        solve(12, objective="win", store=tmp_path)
    assert not list(path.rglob("c"))  # nothing was solved
    said = forecast(12, objective="win", store=tmp_path, threads=2)
    assert said.disk_free is not None
    assert said.disk_bytes == make_layout(Rules(12, objective=WIN)).disk_bytes() > said.disk_free
    assert "NOT ENOUGH ROOM" in said.to_text()
    assert said.to_json()["objective"] == "win"


def test_too_little_memory_is_said_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(gs.SolveError, match=r"11 cards on 2 threads need [1-9]\d\d\.\d MiB of memory, 100.0 MiB may"):
        solve(11, objective="win", store=tmp_path, threads=2, memory=100 << 20)
    assert not list(table_path(tmp_path, Rules(11, objective=WIN)).rglob("c"))


def test_the_forecast_of_memory_holds(tmp_path: Path) -> None:
    """Nine cards for real, everything held: the memory is neither more than said nor far from it."""
    done = run("solve", "9", "--objective", "win", "--quiet", "--json", "--threads", "2", store=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    used = json.loads(done.stdout)["peak_memory_bytes"]
    said = forecast(9, objective="win", store=tmp_path, threads=2)
    assert used <= 1.1 * said.memory_bytes
    assert said.memory_bytes <= 3 * used
    disk = sum(len(content) for content in tree(table_path(tmp_path, Rules(9, objective=WIN))).values())
    assert disk == pytest.approx(said.disk_bytes, rel=0.02)


def test_leads_are_not_kept_in_double_precision(tmp_path: Path) -> None:
    with pytest.raises(gs.SolveError, match="a win table is kept in four bytes a value, or in three, not in float64"):
        solve(4, objective="win", dtype="float64", store=tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert Table.open(solve(4, objective="win", dtype="float32", store=tmp_path)).header.dtype == "float32"


def test_tables_of_both_objectives_live_side_by_side(tmp_path: Path) -> None:
    points, win = solve(4, store=tmp_path), solve(4, objective="win", store=tmp_path)
    assert (points.name, win.name) == ("points-4.zarr", "win-4.zarr")
    position = gs.Position("24/A3/2 3")
    with open_tablebase(4, store=tmp_path) as one, open_tablebase(4, objective=WIN, store=tmp_path) as other:
        assert one.probe(position).value == pytest.approx(2.6)
        assert other.probe(position).value == 1  # the 4 wins the 3, and more is not needed
        assert (one.objective, other.objective) == tuple(gs.Objective)
        assert repr(other) == f"open_tablebase(4, objective='win', store={str(tmp_path)!r})"
