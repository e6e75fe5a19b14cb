"""Solving on a cluster through every fault: in the end the same bytes, or a clear error and nothing lost."""

import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from clusters import FORKED, Cluster, workers_of
from command import COMMAND, PATIENCE, file_count, one_line, run, start, tree, wait_until
from damage import flip
from disks import mounted
from fixtures import Repeats, Tally

import goofspiel as gs
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.solver.progress import Progress
from goofspiel.store import Table, make_layout, table_path

CARDS = 8  # to win: many blocks, in moments
BLOCKS = make_layout(Rules(CARDS, objective="win")).block_count
GAME = (str(CARDS), "--objective", "win")
Files = dict[str, bytes]  # names and contents

# Files reached by a URL: as at any other place, no folders are needed.
FOLDERS = {"FSSPEC_FILE": '{"auto_mkdir": true}'}


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The files of the table, solved without disturbance."""
    return tree(solve(CARDS, objective="win", store=tmp_path_factory.mktemp("calm")))


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers with a nanny, which starts them again when they are killed."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    cluster.start_workers(2, env={**FORKED, **FOLDERS})
    cluster.wait_for(2)
    yield cluster
    cluster.close()


def path_in(store: Path) -> Path:
    return table_path(store, Rules(CARDS, objective=gs.Objective.WIN))


def blocks_in(store: Path) -> int:
    """How many blocks are there."""
    return sum(file_count(folder) for folder in path_in(store).glob("level-*/lead-*/c"))


def has_blocks(store: Path, count: int) -> Callable[[], bool]:
    """A function: whether there are so many of them."""
    return lambda: blocks_in(store) >= count


def start_solve(cluster: Cluster, store: Path, *more: str) -> subprocess.Popen[str]:
    return start("solve", *GAME, "--quiet", "--cluster", cluster.address, *more, store=store)


def end_of(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def assert_same(store: Path, calm: Files) -> None:
    """The table is the one that nobody disturbed, and nothing else is left."""
    assert tree(path_in(store)) == calm
    assert file_count(store) == len(calm) + 1  # and the lock


# --- workers


def test_workers_killed_again_and_again_at_random_moments(
    workers: Cluster, repeats: Repeats, tally: Tally, tmp_path: Path
) -> None:
    """Nine cards, again and again: at some blocks, a worker dies shortly afterwards, in the middle of something."""
    chance = random.Random(8)
    blocks = make_layout(Rules(9, objective="win")).block_count
    calm = tree(solve(9, objective="win", store=tmp_path / "calm"))
    chosen: set[int] = set()
    killed: set[int] = set()

    def kill(pid: int) -> None:
        with suppress(ProcessLookupError):  # it ended with its solve
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)

    with workers.client(2) as client:
        while len(killed) < repeats(4, 20):
            moments = set(chance.sample(range(1, blocks), 5))

            def harm(report: Progress, moments: set[int] = moments) -> None:
                if report.blocks_done in moments and (alive := set(workers_of(client).values()) - chosen):
                    chosen.add(pid := chance.choice(sorted(alive)))
                    threading.Timer(chance.uniform(0, 0.1), kill, [pid]).start()

            store = tmp_path / str(len(killed))
            path = solve(9, objective="win", store=store, cluster=workers.address, on_progress=harm)
            assert tree(path) == calm
            shutil.rmtree(store)
    tally("kills of a worker", len(killed))


DEADLY = """
import os, signal
from goofspiel.solver import worker
from goofspiel.rules import Rules
worker.solve_block = lambda order: os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_block_that_kills_whoever_solves_it_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one does that takes more memory than a worker has."""
    monkeypatch.setattr("goofspiel.solver.cluster.MOST_DEATHS", 2)
    deadly = tmp_path / "deadly.py"
    deadly.write_text(DEADLY)
    cluster = Cluster(tmp_path, env={"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"})
    try:
        nanny = cluster.start_workers(1, preload=str(deadly))
        with pytest.raises(gs.SolveError, match="block 0 of level 1 fails again and again: KilledWorker") as caught:
            solve(5, store=tmp_path / "store", cluster=cluster.address)
        one_line(caught)
        assert wait_until(cluster.has_said("was killed by signal 9", times=3), nanny)
    finally:
        cluster.close()


# --- the scheduler


def test_the_scheduler_killed_and_started_again(
    lone: Cluster, tmp_path: Path, calm: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its workers end with it, as Dask has them do: they are started again too."""
    monkeypatch.setattr("goofspiel.solver.dask_client.CONNECT_SECONDS", 5)
    store = tmp_path / "store"
    nanny = lone.start_workers(2)

    def harm(report: Progress) -> None:
        if report.blocks_done >= 30:
            lone.scheduler.kill()

    with pytest.raises(gs.SolveError, match=f"the scheduler at {lone.address} is gone: start it again") as caught:
        solve(CARDS, objective="win", store=store, cluster=lone.address, on_progress=harm)
    assert one_line(caught).endswith("then --resume goes on")
    assert 30 <= blocks_in(store) < BLOCKS
    lone.scheduler.wait(PATIENCE)
    nanny.wait(PATIENCE)
    lone.start_scheduler()
    lone.start_workers(2)
    reports: list[Progress] = []
    solve(CARDS, objective="win", store=store, cluster=lone.address, resume=True, on_progress=reports.append)
    assert reports[0].blocks_done > 0
    assert_same(store, calm)


def test_a_scheduler_that_is_soon_back_is_found_again(lone: Cluster, tmp_path: Path, calm: Files) -> None:
    """Without --resume: the solve waits for it, and for workers."""
    store = tmp_path / "store"
    nanny = lone.start_workers(2)
    began = False

    def harm(report: Progress) -> None:
        nonlocal began
        if report.blocks_done >= 20 and not began:
            began = True
            lone.scheduler.kill()
            lone.scheduler.wait(PATIENCE)
            nanny.wait(PATIENCE)
            lone.start_scheduler()
            lone.start_workers(2)

    solve(CARDS, objective="win", store=store, cluster=lone.address, on_progress=harm)
    assert began
    assert_same(store, calm)


# --- the solving process


def test_the_solving_process_killed_at_random_moments(
    workers: Cluster, repeats: Repeats, tally: Tally, tmp_path: Path, calm: Files
) -> None:
    """The workers go on with what they are at, while the next solve begins."""
    store = tmp_path / "store"
    chance = random.Random(5)
    for goal in sorted(chance.sample(range(BLOCKS - 10), repeats(2, 4))):
        process = start_solve(workers, store, "--resume")
        if wait_until(has_blocks(store, goal), process):
            process.kill()
            tally("kills of a solve", 1)
        process.communicate(timeout=PATIENCE)
    solve(CARDS, objective="win", store=store, cluster=workers.address, resume=True)
    assert_same(store, calm)


@pytest.mark.parametrize("blocks", [None, 0, 30])
def test_ctrl_c_at_any_time(workers: Cluster, tmp_path: Path, calm: Files, blocks: int | None) -> None:
    """While the command is loaded; at the beginning of the table; while it is solved."""
    store = tmp_path / "store"
    process = start_solve(workers, store)
    if blocks is None:
        loaded = Path(f"/proc/{process.pid}/maps")
        assert wait_until(lambda: "numpy" in loaded.read_text(), process)
    else:
        assert wait_until(lambda: path_in(store).exists() and blocks_in(store) >= blocks, process)
    process.send_signal(signal.SIGINT)
    assert end_of(process) == (1, "", "goofspiel: interrupted: what was finished is kept\n")
    reports: list[Progress] = []
    solve(CARDS, objective="win", store=store, cluster=workers.address, resume=True, on_progress=reports.append)
    assert reports[0].blocks_done > 0 or not blocks
    assert_same(store, calm)


@pytest.mark.parametrize("seconds", [2, 5])
def test_ctrl_c_of_processes_of_this_machine(tmp_path: Path, seconds: int) -> None:
    """On a terminal it goes to all of them: while they are started, and later."""
    command = [
        COMMAND,
        "solve",
        "11",
        "--objective",
        "win",
        "--quiet",
        "--cluster",
        "local:2",
        "--store",
        str(tmp_path),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(seconds)
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    assert end_of(process) == (1, "", "goofspiel: interrupted: what was finished is kept\n")
    _, alive = psutil.wait_procs(family, timeout=PATIENCE)
    assert not alive


# --- the store


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "small", 8) as folder:
        yield folder


def test_a_disk_that_fills_up(workers: Cluster, small_disk: Path, calm: Files) -> None:
    ballast = small_disk / "ballast"

    def fill(report: Progress) -> None:
        if report.blocks_done >= 30 and not ballast.exists():
            with suppress(OSError):  # as much as the workers leave
                ballast.write_bytes(bytes(shutil.disk_usage(small_disk).free - 20_000))

    with pytest.raises(gs.SolveError, match="cannot be written: No space left on device; goofspiel solve") as caught:
        solve(CARDS, objective="win", store=small_disk, cluster=workers.address, on_progress=fill)
    assert one_line(caught).endswith("--resume goes on")
    ballast.unlink()
    reports: list[Progress] = []
    solve(CARDS, objective="win", store=small_disk, cluster=workers.address, resume=True, on_progress=reports.append)
    assert reports[0].blocks_done > 0
    assert_same(small_disk, calm)


def test_a_damaged_block_stops_a_solve_until_it_is_repaired(
    workers: Cluster, tmp_path: Path, calm: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goofspiel.store.table.SYNCED_BYTES", 0)  # as if it were too large to be read to see
    path = solve(CARDS, objective="win", store=tmp_path)
    table = Table.open(path)
    damaged, missing = table.block_path(4, 2), table.block_path(5, 3)
    flip(damaged, 1000)
    missing.unlink()
    with pytest.raises(gs.DamagedTableError, match=f"{damaged} is damaged"):
        solve(CARDS, objective="win", store=tmp_path, cluster=workers.address, resume=True)
    told: list[str] = []
    where = workers.address
    solve(CARDS, objective="win", store=tmp_path, cluster=where, resume=True, repair=True, on_repair=told.extend)
    assert told == [str(damaged.relative_to(path))]
    assert_same(tmp_path, calm)


def test_a_store_that_is_moved_away(workers: Cluster, tmp_path: Path, calm: Files) -> None:
    store, elsewhere = tmp_path / "store", tmp_path / "elsewhere"

    def move(report: Progress) -> None:
        if report.blocks_done >= 30 and store.exists():
            store.rename(elsewhere)

    with pytest.raises(gs.GoofspielError, match=f"{path_in(store)} is gone: it was moved or deleted") as caught:
        solve(CARDS, objective="win", store=store, cluster=workers.address, on_progress=move)
    one_line(caught)
    assert not store.exists()
    assert blocks_in(elsewhere) >= 30
    solve(CARDS, objective="win", store=elsewhere, cluster=workers.address, resume=True)
    assert_same(elsewhere, calm)


def test_the_second_of_two_solves_is_refused(workers: Cluster, tmp_path: Path, calm: Files) -> None:
    refusals = []

    def race(report: Progress) -> None:
        if report.blocks_done == 30:
            with pytest.raises(gs.TableBusyError, match=f"is being solved by another process .pid {os.getpid()} on"):
                solve(CARDS, objective="win", store=tmp_path, cluster=workers.address, resume=True)
            refusals.append(report)

    solve(CARDS, objective="win", store=tmp_path, cluster=workers.address, on_progress=race)
    assert len(refusals) == 1
    assert_same(tmp_path, calm)


def test_two_solves_without_a_lock_do_each_other_no_harm(
    tmp_path: Path, calm: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a URL there is no lock: both write the same."""
    monkeypatch.setenv("FSSPEC_FILE", FOLDERS["FSSPEC_FILE"])
    url = f"local://{tmp_path}"
    words = "solve", *GAME, "--quiet", "--store", url, "--resume"
    first = start(*words, store=tmp_path)
    assert wait_until(lambda: blocks_in(tmp_path) > 0, first)
    second = start(*words, store=tmp_path)
    for process in (first, second):
        assert end_of(process) == (0, f"{url}/{path_in(tmp_path).name}\n", "")
    assert tree(path_in(tmp_path)) == calm


def test_a_store_at_a_url(workers: Cluster, tmp_path: Path, calm: Files) -> None:
    url = f"local://{tmp_path}/store"
    words = "solve", *GAME, "--quiet", "--cluster", workers.address, "--store", url
    done = run(*words, store=tmp_path, env=FOLDERS)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{url}/win-{CARDS}.zarr\n", "")
    assert tree(path_in(tmp_path / "store")) == calm
    assert file_count(tmp_path / "store") == len(calm)  # no lock
