"""Solving on a cluster: the same bytes as on threads; what does not fit together is refused in one line."""

import gc
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import weakref
from collections.abc import Iterator
from heapq import heapreplace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clusters import Cluster
from command import PATIENCE, one_line, run, tree
from dask.sizeof import sizeof
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import goofspiel as gs
from goofspiel import _kernel
from goofspiel.games import kernels
from goofspiel.rules import Rules
from goofspiel.solver import cluster as clusters
from goofspiel.solver import solve
from goofspiel.solver.block_solver import SMALL_BLOCK
from goofspiel.solver.cluster import cuts
from goofspiel.solver.level_cache import LevelCache
from goofspiel.solver.progress import Progress
from goofspiel.solver.worker import Order, Slice
from goofspiel.store import Table, make_layout, table_path
from goofspiel.store.blocks import GEOMETRY
from goofspiel.tablebase import table_bound


@pytest.fixture
def collected() -> None:
    """A client that was not closed closes itself now, and not while Dask holds the lock that it needs."""
    gc.collect()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    cluster.start_workers(2)
    yield cluster
    cluster.close()


# --- the same bytes


@pytest.mark.parametrize(
    ("cards", "options"),
    [
        (1, {}),
        (2, {"objective": "win"}),
        (7, {"dtype": "float32"}),
        (7, {"dtype": "fixed24"}),
        (7, {"objective": "win"}),
        (7, {"objective": "win", "keep": "last"}),
        (8, {"keep": "last"}),
        (10, {}),
    ],
)
def test_a_cluster_writes_the_same_bytes_as_threads(
    cluster: Cluster, tmp_path: Path, cards: int, options: dict[str, Any]
) -> None:
    here: list[Progress] = []
    there: list[Progress] = []
    calm = solve(cards, store=tmp_path / "threads", on_progress=here.append, **options)
    path = solve(cards, store=tmp_path / "cluster", cluster=cluster.address, on_progress=there.append, **options)
    assert tree(path) == tree(calm)
    assert there[-1:] == here[-1:]  # the progress bar ends alike
    assert len(there) >= make_layout(Rules(cards, objective=options.get("objective", "points"))).block_count
    assert [report.games_done for report in there] == sorted(report.games_done for report in there)


def test_processes_of_this_machine_write_the_same_bytes(tmp_path: Path) -> None:
    done = run("solve", "8", "--cluster", "local:2", store=tmp_path / "cluster")
    calm = solve(8, store=tmp_path / "threads")
    path = table_path(tmp_path / "cluster", Rules(8, objective=gs.Objective.POINTS))
    assert (done.returncode, done.stdout) == (0, f"{path}\n")
    assert tree(path) == tree(calm)
    *progress, summary = done.stderr.splitlines()
    assert progress[-1] == "solving 100% level 7 of 7"
    assert all(line.startswith("solving ") for line in progress)
    assert summary.startswith(f"{make_layout(Rules(8)).games:,} games, ")
    assert "CPU" not in summary  # that of other processes is not known


def test_what_a_solve_on_a_cluster_took(cluster: Cluster, tmp_path: Path) -> None:
    done = run("solve", "5", "--cluster", cluster.address, "--json", store=tmp_path)
    said = json.loads(done.stdout)
    assert said["wall_seconds"] > 0
    assert (said["cpu_seconds"], said["peak_memory_bytes"], said["kernel"]) == (None, None, None)


def test_nothing_of_a_run_is_kept_after_it(tmp_path: Path) -> None:
    table = Table.open(solve(5, store=tmp_path))
    keeper = LevelCache()
    buffer = weakref.ref(keeper.level("run", table, 4, kernel="", threads=1, memory=1 << 30).buffer)
    assert buffer() is not None  # for the next level
    keeper.forget("another")
    assert buffer() is not None
    keeper.forget("run")
    assert buffer() is None


def test_a_slice_tells_dask_its_size() -> None:
    values = np.zeros((3, 1000, 1))
    assert sizeof(Slice(0, 1000, values, 0.0)) > values.nbytes


def test_a_cluster_goes_on_with_what_threads_began(cluster: Cluster, tmp_path: Path) -> None:
    path = solve(7, objective="win", store=tmp_path)
    whole, table = tree(path), Table.open(path)
    gone = [(2, 3), (5, 0), (5, 7)]
    for level, block in gone:
        table.block_path(level, block).unlink()
    before = {file: file.stat().st_mtime_ns for file in path.rglob("c/**/*") if file.is_file()}
    with pytest.raises(gs.SolveError, match=r"partly solved \(51 of 54 blocks\)"):
        solve(7, objective="win", store=tmp_path, cluster=cluster.address)
    reports: list[Progress] = []
    solve(7, objective="win", store=tmp_path, cluster=cluster.address, resume=True, on_progress=reports.append)
    assert tree(path) == whole
    after = {file: file.stat().st_mtime_ns for file in path.rglob("c/**/*") if file.is_file()}
    solved = {table.block_path(*which) for which in gone} | {table.gap_path(*which) for which in gone}
    assert {file for file in after if after[file] != before.get(file)} == solved


@pytest.mark.usefixtures("collected")
def test_values_are_read_as_needed_where_memory_is_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the level below is kept: every block reads its children from the store."""
    monkeypatch.setattr("goofspiel.solver.worker.HELD_SHARE", 0)
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as inside:
        path = solve(8, store=tmp_path / "cluster", cluster=inside.scheduler_address)
    assert tree(path) == tree(solve(8, store=tmp_path / "threads"))


# --- tasks


def time_of(games: list[int], edges: list[list[float]], threads: int) -> float:
    """When the last thread is done, if whoever is free takes what is largest."""
    slices = [count * (end - begin) for count, cut in zip(games, edges, strict=True) for begin, end in pairwise(cut)]
    until = [0.0] * threads
    for size in sorted(slices, reverse=True):
        heapreplace(until, until[0] + size)
    return max(until)


@given(games=st.lists(st.integers(1, 10**8), min_size=1, max_size=60), threads=st.integers(1, 60))
def test_few_slices_keep_all_threads_busy(games: list[int], threads: int) -> None:
    edges = cuts(games, threads)
    for count, cut in zip(games, edges, strict=True):
        assert (cut[0], cut[-1]) == (0, 1)
        assert all((end - begin) * count >= SMALL_BLOCK * (1 - 1e-9) for begin, end in pairwise(cut) if len(cut) > 2)
    assert sum(len(cut) - 1 for cut in edges) < len(games) + threads
    # Taking the largest first is never worse than 4/3 of the best; only small slices may be missing to that.
    assert time_of(games, edges, threads) <= 4 / 3 * (sum(games) / threads + 3 * SMALL_BLOCK)


M = 10**8  # games


@pytest.mark.parametrize(
    ("games", "threads", "edges"),
    [
        ([M], 1, [[0, 1]]),
        ([M], 4, [[0, 0.25, 0.5, 0.75, 1]]),
        ([M, M], 2, [[0, 1], [0, 1]]),
        ([M, M // 2], 2, [[0, 0.75, 1], [0, 1]]),
        ([M, M, M], 2, [[0, 1], [0, 0.5, 1], [0, 1]]),
        ([M] * 5, 4, [[0, 1], [0, 0.25, 1], [0, 0.5, 1], [0, 0.75, 1], [0, 1]]),
        ([1000], 8, [[0, 1]]),  # not worth it
        ([M] * 100, 10, [[0, 1]] * 100),
    ],
)
def test_blocks_are_cut_where_threads_would_wait(games: list[int], threads: int, edges: list[list[float]]) -> None:
    assert cuts(games, threads) == [pytest.approx(cut) for cut in edges]


def test_only_names_go_to_the_scheduler(tmp_path: Path) -> None:
    """An order is small, and so is what comes back, whatever the size of the block."""
    order = Order(str(tmp_path), "0123abcd", gs.__version__, Rules(16), "float32", GEOMETRY, 8, 50, "")
    assert len(pickle.dumps(order)) < 420 + len(str(tmp_path))


def test_the_dashboard_shows_levels_by_name(cluster: Cluster, tmp_path: Path) -> None:
    def names(dask_scheduler: Any) -> set[str]:
        return set(dask_scheduler.task_prefixes)

    solve(10, store=tmp_path, cluster=cluster.address)
    with cluster.client(2) as client:
        shown = client.run_on_scheduler(names)
    assert {f"level {level:02} of 09" for level in range(1, 10)} <= shown
    worth_it = {level.level for level in make_layout(Rules(10)).levels if level.games >= 2 * SMALL_BLOCK}
    assert {name for name in shown if "of 09, " in name} == {f"level {level:02} of 09, slices" for level in worth_it}
    assert len(worth_it) > 2


# --- workers that do not belong together


def test_a_worker_of_another_version_is_refused(lone: Cluster, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(Path(gs.__file__).parent, other / "goofspiel")
    shutil.copy(_kernel.__file__, other / "goofspiel")
    file = other / "goofspiel" / "__init__.py"
    file.write_text(file.read_text().replace(f'__version__ = "{gs.__version__}"', '__version__ = "0.0.9"'))
    packages = [path for path in sys.path if Path(path).name.endswith("-packages")]
    # Without site, which would find the package that is installed.
    lone.start_workers(nanny=False, python=("-S",), env={"PYTHONPATH": os.pathsep.join([str(other), *packages])})
    with lone.client(1) as client:
        (stranger,) = client.run(os.getpid)
    store = tmp_path / "store"
    refused = run("solve", "8", "--cluster", lone.address, store=store)
    assert (refused.returncode, refused.stdout) == (1, "")
    says = f"worker {stranger} has goofspiel 0.0.9, this solve is by {gs.__version__}"
    assert refused.stderr == f"goofspiel: {says}\n"
    assert not list(store.rglob("level-*/c"))
    # A second worker does not make the first any better.
    lone.start_workers(nanny=False)
    lone.wait_for(2)
    with pytest.raises(gs.SolveError, match=re.escape(says)):
        solve(8, store=store, cluster=lone.address)


@pytest.mark.usefixtures("collected")
def test_a_worker_of_another_version_that_comes_later_is_refused() -> None:
    """It has not been asked at the start: it refuses the order."""
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as inside:
        from goofspiel.solver import worker

        order = Order("nowhere", "run", "0.0.9", Rules(5), "float64", GEOMETRY, 1, 0, "")
        with Client(inside, set_as_default=False) as client:
            (name,) = client.run(os.getpid)
            says = f"worker {name} has goofspiel {gs.__version__}, this solve is by 0.0.9"
            for task in (lambda: worker.solve_block(order), lambda: worker.solve_slice(order, 0, 0.5)):
                with pytest.raises(gs.SolveError, match=re.escape(says)):
                    client.submit(task).result()


@pytest.mark.skipif(len(kernels()) < 2, reason="this CPU runs only one build of the kernel")
def test_workers_with_different_builds_of_the_kernel_agree_within_the_bound(lone: Cluster, tmp_path: Path) -> None:
    best, *_, portable = kernels()
    for kernel in (best, portable):
        lone.start_workers(nanny=False, env={"GOOFSPIEL_KERNEL": kernel})
    lone.wait_for(2)
    mixed = Table.open(solve(9, store=tmp_path / "mixed", cluster=lone.address))
    pure = [Table.open(solve(9, store=tmp_path / name, kernel=name)) for name in (best, portable)]
    found = [table.read_rows(6, 0, 10**6) for table in (mixed, *pure)]
    assert not np.array_equal(found[0], found[1])  # both builds have
    assert not np.array_equal(found[0], found[2])  # been at work
    for table in pure:
        bound = table_bound(mixed).value + table_bound(table).value
        assert bound < 1e-10
        for level in mixed.levels:
            difference = np.abs(mixed.read_rows(level, 0, 10**6) - table.read_rows(level, 0, 10**6))
            assert difference.max() <= bound


def test_a_kernel_that_does_not_run_here_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = f"no kernel 'z80' runs on this CPU, only {', '.join(kernels())}"
    with pytest.raises(gs.SolveError, match=message):
        solve(5, store=tmp_path, kernel="z80")
    refused = run("solve", "5", store=tmp_path, env={"GOOFSPIEL_KERNEL": "z80"})
    assert (refused.returncode, refused.stderr) == (1, f"goofspiel: {message}\n")


@pytest.mark.usefixtures("collected")
def test_a_worker_with_too_little_memory_is_refused(tmp_path: Path) -> None:
    with LocalCluster(
        n_workers=1, threads_per_worker=4, processes=False, dashboard_address=":0", memory_limit=10**9
    ) as inside:
        with pytest.raises(
            gs.SolveError, match=r"worker .* has 953.7 MiB of memory, its 4 threads need .* GiB"
        ) as caught:
            solve(12, store=tmp_path, cluster=inside.scheduler_address)
        assert "give it more, or fewer threads" in one_line(caught)
        solve(7, store=tmp_path, cluster=inside.scheduler_address)


# --- stores that are not shared


def test_a_worker_that_does_not_see_the_store_is_refused(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path leads to another folder in each process."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gs.SolveError, match=r"worker tcp://.* does not see the store, which all workers must share:"):
        solve(6, store="/proc/self/cwd/store", cluster=cluster.address)


def test_blocks_that_are_written_elsewhere_are_missed(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same again, but there is a table of the same name in the workers' folder."""
    with cluster.client(2) as client:
        theirs = Path(*set(client.run(os.getcwd).values()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(clusters, "UNSEEN_SECONDS", 1)
    Table.create(theirs / "store" / "points-6.zarr", make_layout(Rules(6)), solver=gs.__version__)
    with pytest.raises(
        gs.SolveError, match="a worker has written block 0 of level 1, but it is not in /proc"
    ) as caught:
        solve(6, store="/proc/self/cwd/store", cluster=cluster.address)
    assert one_line(caught).endswith("is that the same folder on all machines?")


# --- no cluster


def test_a_cluster_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(gs.SolveError, match=re.escape("a cluster needs pip install 'goofspiel[cluster]'")):
        solve(5, store=tmp_path, cluster="local:2")


@pytest.mark.parametrize("address", ["", "local", "local:0", "local:-1", "local:x", "localhost:8786", "2"])
def test_an_address_that_makes_no_sense_is_quoted(tmp_path: Path, address: str) -> None:
    refused = run("solve", "5", f"--cluster={address}", store=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    says = f"a cluster is tcp://HOST:PORT, tls://HOST:PORT, or local:N for N processes here, not {address!r}"
    assert refused.stderr == f"goofspiel: {says}\n"


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://no.such.host.invalid:8786", "abc://127.0.0.1:8786"])
def test_an_address_without_a_scheduler_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr("goofspiel.solver.dask_client.CONNECT_SECONDS", 0.5)
    with pytest.raises(gs.SolveError, match=f"there is no Dask scheduler at '{address}'") as caught:
        solve(5, store=tmp_path, cluster=address)
    one_line(caught)
    assert "Errno" not in str(caught.value)


@pytest.mark.usefixtures("collected")
def test_a_cluster_without_workers_is_not_waited_for_forever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "WORKERS_SECONDS", 1)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as inside,
        pytest.raises(gs.SolveError, match=f"no worker at {inside.scheduler_address} for 1 seconds"),
    ):
        solve(5, store=tmp_path, cluster=inside.scheduler_address)


FORGOTTEN = """
import gc, sys
from distributed import utils
from goofspiel.solver.dask_client import connected

class Forgotten:  # as a client does that was not closed and is collected
    def __init__(self):
        self.itself = self
    def __del__(self):
        with utils.LoopRunner._lock:
            pass

class CollectingThread(utils._CollectErrorThread):  # begun with the lock held
    def __init__(self, **words):
        if gc.isenabled():
            gc.collect()
        super().__init__(**words)

gc.set_threshold(10**9)
Forgotten()
utils._CollectErrorThread = CollectingThread
with connected(sys.argv[1]) as client:
    print(client.status, gc.isenabled())
"""


def test_a_client_that_was_forgotten_is_not_closed_while_another_is_made(cluster: Cluster) -> None:
    """Dask would wait for ever, for a lock that the thread holds itself."""
    command = [sys.executable, "-c", FORGOTTEN, cluster.address]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == "running True\n"


@pytest.mark.parametrize("option", [("--threads", "2"), ("--memory", "1GiB"), ("--exact",)])
def test_options_of_one_machine_are_refused(tmp_path: Path, option: tuple[str, ...]) -> None:
    refused = run("solve", "5", "--cluster", "local:2", *option, store=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
