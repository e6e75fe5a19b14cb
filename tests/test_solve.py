"""Solving: the same bytes however it is run, stopped and resumed; forecasts that hold; a disk that is full."""

import json
import random
import resource
import shutil
import signal
import sys
import tracemalloc
import weakref
from collections import Counter
from concurrent.futures import Future

import numpy as np
import pytest
from command import PATIENCE, file_count, run, start, tree, wait_until
from disks import mounted

import goofspiel as gs
from goofspiel import plan as plans
from goofspiel.plan import make_plan
from goofspiel.solver import available_threads, forecast, solve
from goofspiel.solver.children import StreamedChildren
from goofspiel.solver.level import LevelSolver
from goofspiel.solver.threads import _solve_blocks
from goofspiel.store import Table, table_path
from goofspiel.tablebase import open_tablebase, table_bound

MANY_BLOCKS = {"BLOCK_BYTES": 1 << 16, "LEAST_BLOCK_ROWS": {"points": 8, "win": 2}}

# The command, with blocks so small that even ten cards have many.
SMALL_BLOCKS_COMMAND = (
    sys.executable,
    "-c",
    "import sys\n"
    "from goofspiel import plan\n"
    f"vars(plan).update({MANY_BLOCKS})\n"
    "from goofspiel.cli import main\n"
    "sys.exit(main())",
)


@pytest.fixture
def many_blocks(monkeypatch):
    for name, value in MANY_BLOCKS.items():
        monkeypatch.setattr(plans, name, value)


def points_path(store, cards):
    return table_path(store, cards, gs.Objective.POINTS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The table of eleven cards, solved by the command without disturbance; and the memory that this took, in bytes."""
    store = tmp_path_factory.mktemp("undisturbed")
    done = run("solve", "11", "--quiet", "--json", "--threads", "2", store=store)
    assert (done.returncode, done.stderr) == (0, "")
    return points_path(store, 11), json.loads(done.stdout)["peak_memory_bytes"]


# --- the same bytes


def kill_when(happened, process):
    """Kill -9 a solve at some moment; whether that came in time."""
    wait_until(happened, process)
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert process.returncode in (-signal.SIGKILL, 0)
    return process.returncode != 0


def test_killed_at_any_moment_and_resumed_it_ends_with_the_same_bytes(tmp_path):
    """Ten cards in many blocks, killed twenty times, as soon as some number of files is there."""
    moments = random.Random(3)
    calm = start("solve", "10", "--quiet", store=tmp_path / "calm", program=SMALL_BLOCKS_COMMAND)
    assert calm.communicate(timeout=PATIENCE)[1] == ""
    whole = tree(points_path(tmp_path / "calm", 10))
    assert len(whole) > 100  # many blocks
    path = points_path(tmp_path / "killed", 10)
    kills = 0
    for goal in sorted(moments.sample(range(1, len(whole) * 9 // 10), 22)):
        process = start("solve", "10", "--quiet", "--resume", store=path.parent, program=SMALL_BLOCKS_COMMAND)
        kills += kill_when(lambda goal=goal: file_count(path) >= goal, process)
    assert kills >= 20
    assert tree(path) != whole
    last = start("solve", "10", "--quiet", "--resume", store=path.parent, program=SMALL_BLOCKS_COMMAND)
    assert last.communicate(timeout=PATIENCE) == (f"{path}\n", "")
    assert tree(path) == whole
    assert file_count(path.parent) == len(whole) + 1  # and the lock


def test_the_real_command_killed_at_random_and_resumed_ends_with_the_same_bytes(undisturbed, tmp_path):
    """Eleven cards; killed while it makes the table, and in the middle of writing a level."""
    path = points_path(tmp_path, 11)
    kill_when(path.exists, start("solve", "11", "--quiet", store=tmp_path))
    half_written = (path / "level-06" / "c" / "0").exists  # this folder is made when the block is about to be written
    assert kill_when(half_written, start("solve", "11", "--quiet", "--resume", store=tmp_path))
    refused = run("solve", "11", store=tmp_path)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "goofspiel solve 11 --resume" in refused.stderr
    resumed = run("solve", "11", "--resume", store=tmp_path)
    assert (resumed.returncode, resumed.stdout) == (0, f"{path}\n")
    assert tree(path) == tree(undisturbed[0])


def test_ctrl_c_at_any_moment_is_one_line_and_loses_nothing(tmp_path):
    """Ten cards in many blocks, interrupted after some more files each time."""
    calm = start("solve", "10", "--quiet", store=tmp_path / "calm", program=SMALL_BLOCKS_COMMAND)
    assert calm.communicate(timeout=PATIENCE)[1] == ""
    whole = tree(points_path(tmp_path / "calm", 10))
    path = points_path(tmp_path / "stopped", 10)
    moments = random.Random(4)
    for _ in range(6):
        goal = file_count(path) + moments.randint(1, len(whole) // 10)
        process = start("solve", "10", "--quiet", "--resume", store=path.parent, program=SMALL_BLOCKS_COMMAND)
        assert wait_until(lambda goal=goal: file_count(path) >= goal, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (1, "")
        assert err == "goofspiel: interrupted: what was finished is kept\n"
        assert goal <= file_count(path) < len(whole)
    last = start("solve", "10", "--quiet", "--resume", store=path.parent, program=SMALL_BLOCKS_COMMAND)
    assert last.communicate(timeout=PATIENCE) == (f"{path}\n", "")
    assert tree(path) == whole


# Interrupts each of many runs at one of the moments at which the main thread has just taken a lock of Python's threads.
AT_EVERY_LOCK = """
import itertools, signal, sys, threading
from goofspiel.play import UniformPlayer, respond
from goofspiel.solver import solve

def run(number):
    if sys.argv[1] == "respond":
        respond(UniformPlayer(), cards=5, threads=2)
    else:
        solve(3, objective=sys.argv[1], store=f"{sys.argv[2]}/{number}", threads=2)

def interrupts_at(number):
    places = itertools.count()
    def trace(frame, event, _):
        if frame.f_code is not threading.Condition.__enter__.__code__:
            return None
        if event == "return" and next(places) == number:
            signal.raise_signal(signal.SIGINT)
        return trace
    return trace

for number in itertools.count():
    sys.settrace(interrupts_at(number))
    try:
        run(number)
        break
    except KeyboardInterrupt:
        pass
    finally:
        sys.settrace(None)
print(number)
"""


@pytest.mark.parametrize("work", ["points", "win", "respond"])
def test_ctrl_c_just_as_a_thread_takes_a_lock_is_no_deadlock(tmp_path, work):
    process = start(work, str(tmp_path), store=tmp_path, program=(sys.executable, "-c", AT_EVERY_LOCK))
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")
    assert int(out) > 20


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_store_that_is_moved_away_stops_the_solve_and_loses_nothing(tmp_path, objective):
    store, elsewhere = tmp_path / "store", tmp_path / "elsewhere"

    def move(report):
        if report.level == 4 and store.exists():
            store.rename(elsewhere)

    path = table_path(store, 7, gs.Objective(objective))
    with pytest.raises(gs.SolveError, match=f"{path} is gone: it was moved or deleted while it was in use"):
        solve(7, objective=objective, store=store, progress=move)
    assert not store.exists()  # it is not begun again where it was
    reports = []
    moved = solve(7, objective=objective, store=elsewhere, resume=True, progress=reports.append)
    assert reports[0].games_done > 0
    assert tree(moved) == tree(solve(7, objective=objective, store=tmp_path / "calm"))


def test_a_store_that_is_moved_away_at_the_very_end_is_not_called_complete(tmp_path):
    store, elsewhere = tmp_path / "store", tmp_path / "elsewhere"

    def move(report):
        if report.blocks_done == report.blocks:
            store.rename(elsewhere)

    with pytest.raises(gs.SolveError, match="is gone"):
        solve(6, store=store, progress=move)
    assert not store.exists()
    assert not Table.open(points_path(elsewhere, 6)).header.complete
    assert tree(solve(6, store=elsewhere, resume=True)) == tree(solve(6, store=tmp_path / "calm"))


def test_the_number_of_threads_does_not_change_the_bytes(many_blocks, tmp_path):
    trees = [tree(solve(9, store=tmp_path / str(threads), threads=threads)) for threads in (1, 2, 3)]
    assert trees[0] == trees[1] == trees[2]
    assert len(trees[0]) > 50


def test_nine_threads_do_no_harm_to_a_tiny_table(tmp_path):
    assert tree(solve(3, store=tmp_path / "a", threads=9)) == tree(solve(3, store=tmp_path / "b", threads=1))


def test_blocks_do_not_change_the_values(tmp_path, monkeypatch):
    """Another cut into blocks remembers other bases: rounding may differ, no more."""
    whole = Table.open(solve(8, store=tmp_path / "whole"))
    for name, value in MANY_BLOCKS.items():
        monkeypatch.setattr(plans, name, value)
    cut = Table.open(solve(8, store=tmp_path / "cut"))
    assert cut.block_count(4) > whole.block_count(4) == 1
    for level in whole.levels:
        everything = 0, whole.block_rows(level)
        assert np.allclose(cut.read_rows(level, *everything), whole.read_rows(level, *everything), rtol=0, atol=1e-12)


def test_deleted_blocks_are_solved_again_to_the_same_bytes(many_blocks, tmp_path):
    path = solve(9, store=tmp_path)
    whole = tree(path)
    table = Table.open(path)
    blocks = [(level, block) for level in table.levels for block in range(table.block_count(level))]
    some = random.Random(5).sample(blocks, 6)
    for level, block in some:
        table.block_path(level, block).unlink()
    with pytest.raises(gs.SolveError, match=rf"partly solved \({len(blocks) - 6} of {len(blocks)} blocks\)"):
        solve(9, store=tmp_path)
    reports = []
    solve(9, store=tmp_path, resume=True, progress=reports.append)
    assert tree(path) == whole
    assert reports[-1].blocks_done == len(blocks)


def test_a_complete_table_is_left_as_it_is(tmp_path):
    path = solve(5, store=tmp_path)
    before = {file: file.stat().st_mtime_ns for file in path.rglob("*")}
    reports = []
    assert solve(5, store=tmp_path, progress=reports.append) == path
    assert {file: file.stat().st_mtime_ns for file in path.rglob("*")} == before
    assert reports == []


def test_a_store_may_be_named_by_a_text_or_by_the_environment(tmp_path, monkeypatch):
    assert solve(2, store=str(tmp_path / "text")) == tmp_path / "text" / "points-2.zarr"
    monkeypatch.setenv("GOOFSPIEL_STORE", str(tmp_path / "environment"))
    assert solve(2) == tmp_path / "environment" / "points-2.zarr"


# --- progress


@pytest.mark.parametrize("cards", [2, 5, 9])
def test_progress_rises_to_the_total(many_blocks, tmp_path, cards):
    reports = []
    solve(cards, store=tmp_path, progress=reports.append)
    plan = make_plan(cards)
    done = [(report.games_done, report.blocks_done, report.level) for report in reports]
    assert done == sorted(done)
    assert done[-1] == (plan.games, plan.block_count, cards - 1)
    assert {(r.games, r.blocks, r.levels) for r in reports} == {(plan.games, plan.block_count, cards - 1)}
    assert len(reports) >= plan.block_count


def test_an_error_in_the_callback_stops_the_solve_and_loses_nothing(tmp_path):
    def stop(report):
        if report.level == 5:
            raise EOFError("enough")

    with pytest.raises(EOFError, match="enough"):
        solve(8, store=tmp_path, progress=stop)
    reports = []
    solve(8, store=tmp_path, resume=True, progress=reports.append)
    assert reports[0].games_done > 0  # what was finished is kept
    assert tree(points_path(tmp_path, 8)) == tree(solve(8, store=tmp_path / "calm"))


# --- single precision


def test_single_precision_is_within_its_bound(tmp_path):
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


def test_a_table_begun_in_one_precision_does_not_go_on_in_another(tmp_path):
    path = solve(5, store=tmp_path, dtype="float32")
    Table.open(path).block_path(3, 0).unlink()
    with pytest.raises(gs.SolveError, match=f"{path} was begun in float32, it cannot go on in float64"):
        solve(5, store=tmp_path, resume=True)


# --- a full disk


@pytest.fixture
def small_disk(tmp_path):
    with mounted(tmp_path / "small", 4) as folder:
        yield folder


def test_a_disk_that_is_too_small_is_said_before_the_work(small_disk):
    refused = run("solve", "10", "--json", store=small_disk)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(
        f"goofspiel: no room on disk: the rest of {points_path(small_disk, 10)} needs 8.7 MiB"
    )
    assert refused.stderr.count("\n") == 1
    assert not list(points_path(small_disk, 10).glob("level-*/c"))  # nothing was solved
    assert "NOT ENOUGH ROOM" in run("solve", "10", "--dry-run", store=small_disk).stdout


def test_the_room_that_a_table_has_taken_already_is_counted(tmp_path, monkeypatch):
    path = solve(8, store=tmp_path)
    Table.open(path).block_path(7, 0).unlink()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10_000))
    solve(8, store=tmp_path, resume=True)
    with pytest.raises(gs.SolveError, match="no room on disk"):
        solve(9, store=tmp_path)


def test_a_disk_that_fills_up_loses_nothing(small_disk, tmp_path):
    """Something else takes the room while the table is solved."""
    ballast = small_disk / "ballast"

    def fill(report):
        if report.level == 4 and not ballast.exists():
            ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - 20_000))

    with pytest.raises(gs.SolveError, match=r"level-0\d/c/0/0 cannot be written: No space left on device") as caught:
        solve(9, store=small_disk, progress=fill)
    assert f"goofspiel solve 9 --store {small_disk} --resume" in str(caught.value)
    assert not list(small_disk.rglob("*.partial"))
    ballast.unlink()
    reports = []
    solve(9, store=small_disk, resume=True, progress=reports.append)
    assert reports[0].games_done > 0
    assert tree(points_path(small_disk, 9)) == tree(solve(9, store=tmp_path / "calm"))


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path):
    """The operating system refuses large files: needs no rights, unlike a small disk."""

    def no_large_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    failed = run("solve", "9", "--quiet", store=tmp_path, preexec_fn=no_large_files)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "level-04/c/0/0 cannot be written: File too large; goofspiel solve 9 --resume goes on" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert run("solve", "9", "--quiet", "--resume", store=tmp_path).returncode == 0
    assert tree(points_path(tmp_path, 9)) == tree(solve(9, store=tmp_path / "calm"))


# --- the plan


@pytest.mark.parametrize("cards", range(1, 17))
def test_the_plan_is_pure_and_covers_every_prize_set_once(cards, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = make_plan(cards)
    assert plan == make_plan(cards)
    assert hash(plan) == hash(make_plan(cards))
    assert list(tmp_path.iterdir()) == []
    assert [level.level for level in plan.levels] == list(range(1, cards))
    for level in plan.levels:
        (shelf,) = level.shelves
        blocks = level.blocks
        assert blocks == make_plan(cards).levels[level.level - 1].blocks
        assert [block.index for block in blocks] == list(range(level.block_count))
        covered = Counter(prize_set for block in blocks for prize_set in range(block.start, block.stop))
        assert covered == Counter(range(level.prize_sets))
        assert shelf.prize_sets == level.prize_sets
        assert shelf.block_rows % shelf.chunk_rows == 0
    assert plan.block_count == sum(level.block_count for level in plan.levels)


# Games, and bytes in float64, as far as the design gives their digits.
@pytest.mark.parametrize(
    ("cards", "games", "size"),
    [
        (9, "1.18e+06", "2e+06"),
        (13, "1338879360", "1.3e+09"),
        (14, "7.7e+09", "7.2e+09"),
        (15, "4.5e+10", "3.9e+10"),
        (16, "2.6e+11", "2.1e+11"),
    ],
)
def test_the_plan_counts_what_the_design_counts(cards, games, size):
    plan = make_plan(cards, dtype="float64")
    digits = len(games.split("e")[0].replace(".", ""))
    assert f"{plan.games:.{digits}g}" == games
    assert f"{plan.disk_bytes():.{len(size.split('e')[0].replace('.', ''))}g}" == size


def test_large_tables_are_kept_in_single_precision():
    assert [make_plan(cards).dtype for cards in (13, 14, 15, 16)] == ["float64", "float64", "float32", "float32"]


@pytest.mark.parametrize("cards", [0, 17, -3])
def test_there_is_no_plan_for_a_game_that_does_not_exist(cards):
    with pytest.raises(gs.RulesError, match=f"number of cards must be 1 to 16, not {cards}"):
        make_plan(cards)


def test_the_forecast_holds(undisturbed):
    """Eleven cards for real: memory and disk are neither less than said nor far from it."""
    path, memory = undisturbed
    said = forecast(11, store=path.parent, threads=2)
    assert said.path == path
    assert memory <= 1.1 * said.memory_bytes
    assert said.memory_bytes <= 3 * memory
    disk = sum(len(content) for content in tree(path).values())
    assert disk == pytest.approx(said.disk_bytes, rel=0.01)
    assert said.disk_free == pytest.approx(shutil.disk_usage(path).free, rel=0.1)


def test_the_forecast_makes_nothing(tmp_path):
    said = forecast(16, store=tmp_path / "not" / "there")
    assert list(tmp_path.iterdir()) == []
    assert said.threads == available_threads() >= 1
    assert said.wall_seconds == pytest.approx(said.cpu_seconds / said.threads)


def test_more_threads_take_more_memory():
    plan, plenty = make_plan(13), 1 << 40
    assert plan.memory_bytes(1, plenty) < plan.memory_bytes(8, plenty) < plan.memory_bytes(64, plenty)
    assert plan.memory_bytes(2, plenty) < 3 << 30


def test_little_memory_is_honoured_by_holding_fewer_levels():
    plan = make_plan(14)
    most = plan.memory_bytes(2, 1 << 40)
    assert plan.held_levels(2, 1 << 40) == set(range(1, 14))
    for memory in (most * 3 // 4, most * 3 // 5):
        assert plan.memory_bytes(2, memory) <= memory
        assert plan.held_levels(2, memory) < plan.held_levels(2, 1 << 40)
    assert plan.memory_bytes(2, 1) > 1  # what cannot be honoured is told


def test_streamed_levels_give_the_same_bytes(many_blocks, tmp_path):
    """Nothing held at all: every block reads its children from the store."""
    least = max(make_plan(9).level_memory(level, 2, children_held=False, held=False) for level in make_plan(9).levels)
    assert make_plan(9).held_levels(2, least) < make_plan(9).held_levels(2, 1 << 40)
    held, streamed = (solve(9, store=tmp_path / str(m), threads=2, memory=m) for m in (1 << 40, least))
    assert tree(held) == tree(streamed)


def test_streamed_rows_are_read_to_where_they_stay(tmp_path):
    table = Table.open(solve(10, store=tmp_path))
    children = StreamedChildren(table, 6)
    needed = np.arange(0, table.plan.levels[5].prize_sets, 2, dtype=np.int32)  # no two of them together
    children.rows(0, needed[:1])
    tracemalloc.start()
    rows, place = children.rows(0, needed)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows.nbytes > 1 << 20
    assert most < 1.5 * rows.nbytes
    assert (rows[place, :, 0] == table.read_rows(6, 0, 10**6)[::2]).all()


class AtOnce:
    """A pool without threads."""

    def submit(self, function, *arguments):
        future = Future()
        future.set_result(function(*arguments))
        return future


def test_the_children_of_no_more_blocks_are_in_memory_than_the_plan_says(many_blocks, tmp_path):
    table = Table.open(solve(9, store=tmp_path))
    level = table.plan.levels[4]
    assert len(level.blocks) > 5
    read, alive = [], []

    class Children(StreamedChildren):
        def rows(self, shelf, needed):
            rows, place = super().rows(shelf, needed)
            read.append(weakref.ref(rows))
            alive.append(sum(one() is not None for one in read))
            assert len(rows) in level.block_children
            return rows, place

    rooms = [np.empty(level.largest.block_bytes // 8) for _ in range(plans.IN_FLIGHT)]
    solved = _solve_blocks(
        LevelSolver(level),
        list(level.blocks),
        Children(table, 4),
        pool=AtOnce(),
        threads=2,
        rooms=rooms,
        interruptible=lambda: None,
    )
    for block, values, _ in solved:
        assert (values[..., 0] == table.read_block(5, block.index)).all()
    assert max(alive) == plans.IN_FLIGHT


def test_too_little_memory_is_said_before_the_work(tmp_path):
    refused = run("solve", "10", "--memory", "100MiB", store=tmp_path)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "need 16" in refused.stderr
    assert "100.0 MiB may be used" in refused.stderr
    assert not list(points_path(tmp_path, 10).glob("level-*/c"))
