"""Measure what solving on a cluster costs more than on threads: the same machine, the same bytes, one after the other.

Both are whole commands. The cluster is there before: a scheduler and two workers of one thread, as processes.
"""

import argparse
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any

import beyond
import psutil
from machine import machine, timed, versions
from tables import Grid, number

from goofspiel import __version__
from goofspiel.rules import Rules
from goofspiel.solver.dask_client import CALM
from goofspiel.solver.plan import size_text
from goofspiel.solver.worker import Order
from goofspiel.store import make_layout
from goofspiel.store.blocks import GEOMETRY

ROOT = Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "docs/results/cluster.json", ROOT / "docs/how-to/cluster.md"
PYTHON = sys.executable
WORKERS = 2
WIDTH = 120
WAYS = ("threads", "cluster")
CLOCKS = {"solve_seconds": "solve", "wall_seconds": "command", "cpu_seconds": "CPU"}

_PART = re.compile(r"(?<=<!-- generated: )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Cluster:
    """A scheduler and its workers, and what they have used so far."""

    def __init__(self, address: str, client: Any, processes: list[psutil.Process]) -> None:
        self.address, self._client, self._processes = address, client, processes

    def cpu_seconds(self) -> float:
        """Of the scheduler, the workers and those that watch them."""
        times = [process.cpu_times() for process in self._processes]
        return float(sum(time.user + time.system for time in times))

    def counters(self) -> dict[str, int]:
        """Bytes: what workers have read from the store and written to it, and what went from worker to worker."""
        found = list(self._client.run(_counters).values())
        return {name: sum(one[name] for one in found) for name in found[0]}


def _counters(dask_worker: Any) -> dict[str, int]:
    io = psutil.Process().io_counters()  # what goes through sockets is not in it
    return {"read": io.read_chars, "written": io.write_chars, "moved": dask_worker.transfer_outgoing_bytes_total}


def variables(settings: dict[str, Any]) -> dict[str, str]:
    """Settings of Dask as environment variables."""
    return {
        f"DASK_{name.upper().replace('-', '_').replace('.', '__')}": str(setting) for name, setting in settings.items()
    }


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Started in its own processes, ended in the end."""
    from distributed import Client

    file = folder / "scheduler.json"
    words = ["--scheduler-file", str(file)]
    start: Callable[..., Any] = subprocess.Popen
    environment = {**os.environ, **variables(CALM)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, "env": environment}
    dask = [PYTHON, "-m", "dask"]
    scheduler = start([*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *words], **quiet)
    workers = [start([*dask, "worker", "--nthreads", "1", "--no-dashboard", *words], **quiet) for _ in range(WORKERS)]
    try:
        with Client(scheduler_file=str(file), set_as_default=False, timeout=60) as client:
            client.wait_for_workers(WORKERS, timeout=60)
            parents = [psutil.Process(process.pid) for process in (scheduler, *workers)]
            family = [child for parent in parents for child in parent.children(recursive=True)]
            yield Cluster(client.scheduler.address, client, [*parents, *family])
    finally:
        for process in (*workers, scheduler):
            process.terminate()
        for process in (*workers, scheduler):
            process.wait()


def solve(cards: int, store: Path, *more: str) -> dict[str, Any]:
    """One whole command: its seconds, and the digest of the table."""
    command = [PYTHON, "-m", "goofspiel", "solve", str(cards), "--store", str(store), "--quiet", "--json", *more]
    done = timed(command)
    said = json.loads(done.printed)
    return {
        "solve_seconds": said["wall_seconds"],
        "wall_seconds": done.wall_seconds,
        "cpu_seconds": done.cpu_seconds,
        "digest": digest(Path(said["table"])),
    }


def digest(table: Path) -> str:
    """Of all files of a table."""
    found = hashlib.sha256()
    for file in sorted(path for path in table.rglob("*") if path.is_file()):
        found.update(str(file.relative_to(table)).encode() + file.read_bytes())
    return found.hexdigest()


def on_threads(cards: int, cluster: Cluster) -> dict[str, Any]:
    """As many threads as there are workers."""
    with tempfile.TemporaryDirectory() as store:
        return solve(cards, Path(store), "--threads", str(WORKERS))


def on_cluster(cards: int, cluster: Cluster) -> dict[str, Any]:
    """With what the cluster used of time, and the bytes that it moved."""
    used, before = cluster.cpu_seconds(), cluster.counters()
    with tempfile.TemporaryDirectory() as store:
        found = solve(cards, Path(store), "--cluster", cluster.address)
    after = cluster.counters()
    found["cpu_seconds"] += cluster.cpu_seconds() - used
    return {**found, "bytes": {name: after[name] - before[name] for name in after}}


def compare(cards: int, cluster: Cluster, repeats: int) -> dict[str, Any]:
    """Turn by turn; the median of each, and of their ratios."""
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    for _ in range(repeats):
        for way, run in zip(WAYS, (on_threads, on_cluster), strict=True):
            runs[way].append(run(cards, cluster))
    assert len({run["digest"] for way in WAYS for run in runs[way]}) == 1, "not the same bytes"
    found: dict[str, Any] = {"cards": cards, "repeats": repeats}
    for clock in CLOCKS:
        seconds = {way: [run[clock] for run in runs[way]] for way in WAYS}
        ratios = [there / here for here, there in zip(seconds["threads"], seconds["cluster"], strict=True)]
        found[clock] = {**{way: median(seconds[way]) for way in WAYS}, "ratio": median(ratios)}
    found["bytes"] = runs["cluster"][-1]["bytes"]
    found["bytes"]["table"] = make_layout(Rules(cards)).disk_bytes()
    return found


def measure(cards: list[int], repeats: int) -> dict[str, Any]:
    """Each number of cards."""
    here = machine(("goofspiel", "distributed"))
    where = "/shared/goofspiel/points-14.zarr"
    order = Order(where, "0" * 8, __version__, Rules(14), "float64", GEOMETRY, 9, 3, "")
    with tempfile.TemporaryDirectory() as folder, running_cluster(Path(folder)) as cluster:
        compare(8, cluster, 1)  # everything is loaded
        runs = [compare(n, cluster, repeats) for n in cards]
    return {"machine": here, "order_bytes": len(pickle.dumps(order)), "runs": runs}


def measured(found: dict[str, Any]) -> Grid:
    """Threads against the cluster."""
    rows = [["N", *(word for name in CLOCKS.values() for word in (f"{name}: threads", "cluster", "ratio"))]]
    for run in found["runs"]:
        row = [str(run["cards"])]
        for clock in CLOCKS:
            row += [number(run[clock]["threads"]), number(run[clock]["cluster"]), f"{run[clock]['ratio']:.2f}"]
        rows.append(row)
    return Grid("two threads against two workers of one thread", rows)


def moved(found: dict[str, Any]) -> Grid:
    """Bytes."""
    rows = [["N", "table", "read by the workers", "written by the workers", "from worker to worker"]]
    for run in found["runs"]:
        sizes = run["bytes"]
        rows.append([str(run["cards"]), *(size_text(sizes[name]) for name in ("table", "read", "written", "moved"))])
    return Grid("bytes", rows)


def parts(found: dict[str, Any]) -> dict[str, str]:
    """The generated parts of the page."""
    here = found["machine"]
    where = fill(
        f"Measured on {here['date']} on {here['cores']} cores of {here['cpu']} (load average before: "
        f"{here['load_average']:.1f}), Python {here['python']}, {versions(here)}; medians of "
        f"{found['runs'][-1]['repeats']} runs of each, turn by turn. An order to a worker takes {found['order_bytes']} "
        f"bytes.",
        WIDTH,
    )
    blocks = "\n\n".join(
        f"For `{objective}`:\n\n{beyond.growth(objective, cards).to_markdown()}"
        for objective, cards in beyond.GROWTH.items()
    )
    return {
        "measured": f"{measured(found).to_markdown()}\n\n{moved(found).to_markdown()}\n\n{where}",
        "growth": blocks,
        "needs": beyond.needed(beyond.last_ratio()).to_markdown(),
        "rates": beyond.measured_rates().to_markdown(),
    }


def filled(text: str, found: dict[str, Any]) -> str:
    """A page with the figures in it."""
    made = parts(found)
    return _PART.sub(lambda part: f"{part[1]}{part[2]}\n{made[part[1]]}\n\n", text)


def main() -> None:
    """Measure, print, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cards", type=int, nargs="+", default=[10, 11, 12], metavar="N", help="default: 10 11 12")
    options.add_argument("--repeats", type=int, default=5, metavar="R", help="default: 5")
    options.add_argument("--write", action="store_true", help="write the figures into the documentation")
    options.add_argument("--redraw", action="store_true", help="measure nothing: print the page from the last figures")
    given = options.parse_args()
    if given.redraw:
        sys.stdout.write(filled(PAGE.read_text(encoding="utf-8"), json.loads(RESULT.read_text(encoding="utf-8"))))
        return
    result = measure(given.cards, given.repeats)
    for grid in (measured(result), moved(result)):
        print(grid.to_text())
    if given.write:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), result), encoding="utf-8")


if __name__ == "__main__":
    main()
