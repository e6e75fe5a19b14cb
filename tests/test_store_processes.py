"""Tables on disk: one that is not finished is no answer, and processes do not get into each other's way."""

import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from command import PATIENCE, file_count, one_line, run, start, wait_until

import goofspiel as gs
from goofspiel.interrupts import block_sigint, defer_sigint
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.store import SolveLock, Table, is_being_solved, make_layout, table_path
from goofspiel.tablebase import open_for, open_tablebase
from goofspiel.tablebase.verification import verify

# --- a table that is not finished


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A table of ten cards, of which only the first level is there."""
    layout = make_layout(Rules(10))
    path = table_path(tmp_path, layout.rules)
    table = Table.create(path, layout, solver="test")
    first = layout.levels[0]
    table.write_block(1, 0, np.ones((first.space.rows, first.columns)), 0.0)
    return path


def test_an_incomplete_table_is_no_answer(begun: Path) -> None:
    command = f"goofspiel solve 10 --store {begun.parent} --resume"
    with pytest.raises(gs.MissingTableError, match=f"not completely solved.*{command}"):
        open_tablebase(10, store=begun.parent)
    with pytest.raises(gs.MissingTableError, match=command):
        open_for(gs.Position("start 10"), store=begun.parent)
    with pytest.raises(gs.MissingTableError, match=r"level-02/c/0/0 is not solved yet"):
        Table.open(begun).read_rows(2, 0, 1)
    found = verify(Table.open(begun))
    assert (found.blocks, found.missing, found.damaged, found.passed) == (1, 8, (), False)


def test_an_incomplete_table_goes_on_only_when_told(begun: Path) -> None:
    with pytest.raises(gs.SolveError, match=r"partly solved \(1 of 9 blocks\): goofspiel solve 10 .*--resume"):
        solve(10, store=begun.parent)


def test_an_interrupt_waits_for_the_end_of_a_file_operation() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with defer_sigint(), defer_sigint():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("end of the operation")
        reached.append("what follows")
    assert reached == ["end of the operation"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_that_another_thread_gets_waits_too() -> None:
    """The operating system hands it to any thread that takes it, and Python to the main thread."""
    reached, end = [], threading.Event()
    other = threading.Thread(target=end.wait)
    other.start()
    arrivals, arrived = socket.socketpair()
    arrived.setblocking(False)
    before = signal.set_wakeup_fd(arrived.fileno())
    try:
        with pytest.raises(KeyboardInterrupt), block_sigint():  # noqa: PT012
            assert other.ident is not None
            signal.pthread_kill(other.ident, signal.SIGINT)
            assert arrivals.recv(1)  # on a busy machine that thread may have to wait for its turn
            for _ in range(1000):
                reached.append("a step")
                time.sleep(1e-4)  # until the other thread has had its turn
    finally:
        signal.set_wakeup_fd(before)
        for end_of_pair in (arrivals, arrived):
            end_of_pair.close()
        end.set()
        other.join()
    assert len(reached) == 1000
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_an_interrupt_is_let_through_when_asked_for() -> None:
    reached = []
    with pytest.raises(KeyboardInterrupt), defer_sigint() as deliver_sigint:  # noqa: PT012
        deliver_sigint()
        os.kill(os.getpid(), signal.SIGINT)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(deliver_sigint).result()  # not the main thread's: nothing happens
        reached.append("before")
        deliver_sigint()
        reached.append("after")
    assert reached == ["before"]


# --- a store that is moved


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_table_that_is_moved_while_it_is_open_says_so(tmp_path: Path, objective: str) -> None:
    """What was read is known; what would have to be read now is missed, in one line."""
    path = solve(6, objective=objective, store=tmp_path / "store")
    known, unknown = gs.Position("24/A3/5 6"), gs.Position("2346/A356/A45 6")
    with open_tablebase(6, objective=objective, store=tmp_path / "store") as tablebase:
        before = tablebase.probe(known).value
        (tmp_path / "store").rename(tmp_path / "elsewhere")
        assert tablebase.probe(known).value == before
        with pytest.raises(gs.MissingTableError, match=f"{path} is gone: it was moved or deleted") as caught:
            tablebase.probe(unknown)
        one_line(caught)
        (tmp_path / "elsewhere").rename(tmp_path / "store")
        assert np.isfinite(tablebase.probe(unknown).value)
    assert verify(Table.open(path), positions=10).passed


# --- several processes


HOLD = """
import sys
from pathlib import Path
from goofspiel.store import SolveLock
from goofspiel.rules import Rules
with SolveLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(begun: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the begun table for writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(begun)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    yield process
    process.communicate(timeout=PATIENCE)


def test_a_table_that_another_process_is_solving_is_busy(begun: Path, holder: subprocess.Popen[str]) -> None:
    assert is_being_solved(begun)
    with pytest.raises(gs.TableBusyError, match=f"{begun} is being solved by another process .pid {holder.pid}."):
        solve(10, store=begun.parent, resume=True)
    with pytest.raises(gs.TableBusyError, match=f"{begun} is still being solved"):
        open_tablebase(10, store=begun.parent)
    refused = run("solve", "10", "--resume", store=begun.parent)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"pid {holder.pid}" in refused.stderr
    assert json.loads(run("info", "--json", store=begun.parent).stdout)["tables"][0]["being_solved"] is True


def test_where_there_are_no_locks_nobody_is_refused(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on some shared file systems: blocks are written whole, and two solves write the same."""

    def no_locks(*_: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with SolveLock(begun), SolveLock(begun):
        assert not is_being_solved(begun)
    solve(10, store=begun.parent, resume=True)
    assert Table.open(begun).header.complete


def test_a_lock_that_cannot_be_had_for_other_reasons_is_an_error(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(OSError, match="Input/output error"):
        solve(10, store=begun.parent, resume=True)


def test_a_lock_that_is_a_link_is_refused_and_its_target_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    lock = tmp_path / "points-3.lock"
    lock.symlink_to(target)
    with pytest.raises(gs.SolveError, match=f"{lock} is a symbolic link instead of a lock: remove it") as caught:
        solve(3, store=tmp_path)
    one_line(caught)
    assert target.read_text() == "mine"
    assert not is_being_solved(table_path(tmp_path, Rules(3)))
    target.unlink()
    with pytest.raises(gs.SolveError, match="is a symbolic link"):
        solve(3, store=tmp_path)
    assert not target.exists()


@pytest.mark.parametrize("content", ["mine", "12 on a machine of mine", "12\n\n", "1" * 600 + "x"])
def test_a_file_that_is_no_lock_is_left_alone(tmp_path: Path, content: str) -> None:
    lock = tmp_path / "points-3.lock"
    lock.write_text(content)
    with pytest.raises(gs.SolveError, match=f"{lock} is another file instead of a lock, and left alone") as caught:
        solve(3, store=tmp_path)
    one_line(caught)
    assert lock.read_text() == content
    os.unlink(lock)
    os.mkfifo(lock)
    with pytest.raises(gs.SolveError, match="is another file instead of a lock"):
        solve(3, store=tmp_path)


@pytest.mark.parametrize("left", ["", "1234", "1234 on some.machine"])
def test_a_lock_of_a_killed_process_is_taken(tmp_path: Path, left: str) -> None:
    (tmp_path / "points-3.lock").write_text(left)
    assert Table.open(solve(3, store=tmp_path)).header.complete
    assert (tmp_path / "points-3.lock").read_text() == ""


def test_a_killed_holder_lets_go(begun: Path, holder: subprocess.Popen[str]) -> None:
    holder.send_signal(signal.SIGKILL)
    holder.wait(timeout=PATIENCE)
    assert not is_being_solved(begun)
    solve(10, store=begun.parent, resume=True)
    assert open_tablebase(10, store=begun.parent).cards == 10


def test_the_second_of_two_solves_is_refused(tmp_path: Path) -> None:
    """Two real solves: the second ends at once, the first is not disturbed."""
    path = table_path(tmp_path, Rules(11, objective=gs.Objective.POINTS))
    first = start("solve", "11", "--quiet", store=tmp_path)
    try:
        assert wait_until(lambda: file_count(path) > 0, first)
        with pytest.raises(gs.TableBusyError, match=f"pid {first.pid}"):
            solve(11, store=tmp_path, resume=True)
    finally:
        first.kill()
        first.communicate(timeout=PATIENCE)


def test_processes_that_ask_for_a_new_small_table_at_once_all_get_their_answer(tmp_path: Path) -> None:
    askers = [start("probe", "start 7 4", "--json", store=tmp_path) for _ in range(3)]
    answers = [asker.communicate(timeout=PATIENCE) for asker in askers]
    assert [asker.returncode for asker in askers] == [0, 0, 0], answers
    assert len({out for out, _ in answers}) == 1
    assert abs(json.loads(answers[0][0])["value"]) < 1e-12  # equal hands
    assert verify(Table.open(table_path(tmp_path, Rules(7, objective=gs.Objective.POINTS)))).passed
