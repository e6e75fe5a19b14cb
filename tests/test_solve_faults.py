"""A solve that is killed, interrupted, robbed of its store or out of room: one clear line, nothing lost."""

import random
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from blocks import SMALL_BLOCKS_COMMAND, points_path
from command import PATIENCE, file_count, has_files, run, start, tree, wait_until
from disks import mounted
from fixtures import Repeats, Tally

import goofspiel as gs
from goofspiel.arrays import Values
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.solver.plan import Plan
from goofspiel.solver.progress import Progress
from goofspiel.store import Table, table_path

# --- killed


def kill_when(happened: Callable[[], bool], process: Popen[str]) -> bool:
    """Kill -9 a solve at some moment; whether that came in time."""
    wait_until(happened, process)
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert process.returncode in (-signal.SIGKILL, 0)
    return process.returncode != 0


def test_killed_at_any_moment_and_resumed_it_ends_with_the_same_bytes(
    repeats: Repeats, tally: Tally, tmp_path: Path
) -> None:
    """Ten cards in many blocks, killed again and again, as soon as some number of files is there."""
    moments, wanted = random.Random(3), repeats(4, 20)
    calm = start("solve", "10", "--quiet", store=tmp_path / "calm", program=SMALL_BLOCKS_COMMAND)
    assert calm.communicate(timeout=PATIENCE)[1] == ""
    whole = tree(points_path(tmp_path / "calm", 10))
    assert len(whole) > 100  # many blocks
    path = points_path(tmp_path / "killed", 10)
    kills = 0
    for goal in sorted(moments.sample(range(1, len(whole) * 9 // 10), wanted + 2)):
        process = start("solve", "10", "--quiet", "--resume", store=path.parent, program=SMALL_BLOCKS_COMMAND)
        kills += kill_when(has_files(path, goal), process)
    tally("kills of a solve", kills)
    assert kills >= wanted
    assert tree(path) != whole
    last = start("solve", "10", "--quiet", "--resume", store=path.parent, program=SMALL_BLOCKS_COMMAND)
    assert last.communicate(timeout=PATIENCE) == (f"{path}\n", "")
    assert tree(path) == whole
    assert file_count(path.parent) == len(whole) + 1  # and the lock


def test_the_real_command_killed_at_random_and_resumed_ends_with_the_same_bytes(
    undisturbed: tuple[Path, int], tmp_path: Path
) -> None:
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


# --- interrupted


def test_ctrl_c_at_any_moment_is_one_line_and_loses_nothing(repeats: Repeats, tally: Tally, tmp_path: Path) -> None:
    """Ten cards in many blocks, interrupted after some more files each time."""
    calm = start("solve", "10", "--quiet", store=tmp_path / "calm", program=SMALL_BLOCKS_COMMAND)
    assert calm.communicate(timeout=PATIENCE)[1] == ""
    whole = tree(points_path(tmp_path / "calm", 10))
    path = points_path(tmp_path / "stopped", 10)
    moments, times = random.Random(4), repeats(2, 6)
    tally("interrupted solves", times)
    for _ in range(times):
        goal = file_count(path) + moments.randint(1, len(whole) // 10)
        process = start("solve", "10", "--quiet", "--resume", store=path.parent, program=SMALL_BLOCKS_COMMAND)
        assert wait_until(has_files(path, goal), process)
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
from goofspiel.best_response.response import respond
from goofspiel.players.players import UniformPlayer
from goofspiel.solver import solve
from goofspiel.rules import Rules

def run(number):
    if sys.argv[1] == "respond":
        respond(UniformPlayer(), 5, threads=2)
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
def test_ctrl_c_just_as_a_thread_takes_a_lock_is_no_deadlock(tmp_path: Path, work: str) -> None:
    process = start(work, str(tmp_path), store=tmp_path, program=(sys.executable, "-c", AT_EVERY_LOCK))
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")
    assert int(out) > 5  # places


def test_an_error_in_the_callback_stops_the_solve_and_loses_nothing(tmp_path: Path) -> None:
    def stop(report: Progress) -> None:
        if report.level == 5:
            raise EOFError("enough")

    with pytest.raises(EOFError, match="enough"):
        solve(8, store=tmp_path, on_progress=stop)
    reports: list[Progress] = []
    solve(8, store=tmp_path, resume=True, on_progress=reports.append)
    assert reports[0].games_done > 0  # what was finished is kept
    assert tree(points_path(tmp_path, 8)) == tree(solve(8, store=tmp_path / "calm"))


# --- moved away


def test_ctrl_c_while_children_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of what a block reads, before it is solved."""
    solve(7, store=tmp_path)
    for level in (6, 5):
        shutil.rmtree(points_path(tmp_path, 7) / f"level-{level:02}" / "c")
    read = []

    def read_rows(self: Table, *arguments: int, **options: Any) -> Values:
        read.append(arguments)
        if len(read) == 2:
            signal.raise_signal(signal.SIGINT)
        return real(self, *arguments, **options)

    real = Table.read_rows
    monkeypatch.setattr(Table, "read_rows", read_rows)
    monkeypatch.setattr(Plan, "held_levels", lambda *_: frozenset())
    monkeypatch.setattr(Plan, "reads_whole", lambda *_: False)
    monkeypatch.setattr("goofspiel.solver.children.READ_BYTES", 1)
    with pytest.raises(KeyboardInterrupt):
        solve(7, store=tmp_path, resume=True)
    assert len(read) == 2
    monkeypatch.undo()
    assert tree(solve(7, store=tmp_path, resume=True)) == tree(solve(7, store=tmp_path / "calm"))


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_store_that_is_moved_away_stops_the_solve_and_loses_nothing(tmp_path: Path, objective: str) -> None:
    store, elsewhere = tmp_path / "store", tmp_path / "elsewhere"

    def move(report: Progress) -> None:
        if report.level == 4 and store.exists():
            store.rename(elsewhere)

    path = table_path(store, Rules(7, objective=gs.Objective(objective)))
    with pytest.raises(gs.SolveError, match=f"{path} is gone: it was moved or deleted while it was in use"):
        solve(7, objective=objective, store=store, on_progress=move)
    assert not store.exists()  # it is not begun again where it was
    reports: list[Progress] = []
    moved = solve(7, objective=objective, store=elsewhere, resume=True, on_progress=reports.append)
    assert reports[0].games_done > 0
    assert tree(moved) == tree(solve(7, objective=objective, store=tmp_path / "calm"))


def test_a_store_that_is_moved_away_at_the_very_end_is_not_called_complete(tmp_path: Path) -> None:
    store, elsewhere = tmp_path / "store", tmp_path / "elsewhere"

    def move(report: Progress) -> None:
        if report.blocks_done == report.blocks:
            store.rename(elsewhere)

    with pytest.raises(gs.SolveError, match="is gone"):
        solve(6, store=store, on_progress=move)
    assert not store.exists()
    assert not Table.open(points_path(elsewhere, 6)).header.complete
    assert tree(solve(6, store=elsewhere, resume=True)) == tree(solve(6, store=tmp_path / "calm"))


# --- a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "small", 4) as folder:
        yield folder


def test_a_disk_that_is_too_small_is_said_before_the_work(small_disk: Path) -> None:
    refused = run("solve", "10", "--json", store=small_disk)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith(
        f"goofspiel: no room on disk: the rest of {points_path(small_disk, 10)} needs 8.7 MiB"
    )
    assert refused.stderr.count("\n") == 1
    assert not list(points_path(small_disk, 10).glob("level-*/c"))  # nothing was solved
    assert "NOT ENOUGH ROOM" in run("solve", "10", "--dry-run", store=small_disk).stdout


def test_the_room_that_a_table_has_taken_already_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = solve(8, store=tmp_path)
    Table.open(path).block_path(7, 0).unlink()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10_000))
    solve(8, store=tmp_path, resume=True)
    with pytest.raises(gs.SolveError, match="no room on disk"):
        solve(9, store=tmp_path)


def test_a_disk_that_fills_up_loses_nothing(small_disk: Path, tmp_path: Path) -> None:
    """Something else takes the room while the table is solved."""
    ballast = small_disk / "ballast"

    def fill(report: Progress) -> None:
        if report.level == 4 and not ballast.exists():
            ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - 20_000))

    with pytest.raises(gs.SolveError, match=r"level-0\d/c/0/0 cannot be written: No space left on device") as caught:
        solve(9, store=small_disk, on_progress=fill)
    assert f"goofspiel solve 9 --store {small_disk} --resume" in str(caught.value)
    assert not list(small_disk.rglob("*.partial"))
    ballast.unlink()
    reports: list[Progress] = []
    solve(9, store=small_disk, resume=True, on_progress=reports.append)
    assert reports[0].games_done > 0
    assert tree(points_path(small_disk, 9)) == tree(solve(9, store=tmp_path / "calm"))


def test_a_file_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    """The operating system refuses large files: needs no rights, unlike a small disk."""

    def no_large_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    failed = run("solve", "9", "--quiet", store=tmp_path, preexec_fn=no_large_files)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "level-04/c/0/0 cannot be written: File too large; goofspiel solve 9 --resume goes on" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert run("solve", "9", "--quiet", "--resume", store=tmp_path).returncode == 0
    assert tree(points_path(tmp_path, 9)) == tree(solve(9, store=tmp_path / "calm"))


# --- little memory


def test_too_little_memory_is_said_before_the_work(tmp_path: Path) -> None:
    refused = run("solve", "10", "--memory", "100MiB", store=tmp_path)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "need 16" in refused.stderr
    assert "100.0 MiB may be used" in refused.stderr
    assert not list(points_path(tmp_path, 10).glob("level-*/c"))
