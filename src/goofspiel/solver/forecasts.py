"""What a solve will take, said before any work."""

import os
import shutil
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from goofspiel.arrays import Values
from goofspiel.cards import counted
from goofspiel.rules import Objective, Rules
from goofspiel.solver.api import look
from goofspiel.solver.block_solver import KERNEL, LevelSolver
from goofspiel.solver.children import HeldChildren, NothingLeft
from goofspiel.solver.level_cache import worker_bytes
from goofspiel.solver.plan import Plan, cpu_seconds, size_text
from goofspiel.solver.progress import Found
from goofspiel.solver.resources import memory_for, threads_for
from goofspiel.solver.threads import missing_blocks, past_level
from goofspiel.store import Layout, Table, is_being_solved, make_layout, store_at, table_path
from goofspiel.store.blocks import Geometry
from goofspiel.store.locations import is_local, tree_bytes

# What is solved to see how fast this machine is, and how often: half a second. A core that was idle starts slowly.
SAMPLE_CARDS, SAMPLE_LEVELS, SAMPLE_REPEATS = 10, 7, 2
# Small games spend a larger part of their time on bases seen for the first time: what the sample takes, on the machine
# that the plan's rates were measured on, as a multiple of them.
SAMPLE_RATIO = 1.15
STARTUP_SECONDS = 0.7  # of the CPU, whatever the number of cards


@dataclass(frozen=True, slots=True)
class Forecast:
    """Games, memory, disk and time of a plan."""

    layout: Layout
    """What would be solved, in which order; `layout.games` are its matrix games."""
    keep: str
    """The levels to keep: `all` or the `last`."""
    path: Path
    """Where the table would be."""
    found: Found
    """What is there of it already."""
    threads: int | None
    """How many would work; None on a cluster at an address, which is not asked."""
    memory_bytes: int
    """What they would use; on a cluster, what each worker of one thread must have."""
    memory_free: int | None
    """What they may use; None on a cluster, whose workers have their own."""
    cpu_seconds: float
    """What they would take together for what is not solved yet, by a sample of the work on this machine."""
    disk_used: int
    """What is there of the table takes so much."""
    disk_free: int | None
    """What is free where the table would be; None at a URL."""

    @property
    def disk_bytes(self) -> int:
        """The size of the whole table."""
        return self.layout.disk_bytes(self.keep)

    @property
    def wall_seconds(self) -> float | None:
        """How long it would take if every thread has a core of its own; None if it is not known how many there are."""
        return None if self.threads is None else self.cpu_seconds / self.threads

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "table": str(self.path),
            "rules": str(self.layout.rules),
            "cards": self.layout.rules.cards,
            "objective": str(self.layout.rules.objective),
            "dtype": self.layout.dtype,
            "games": self.layout.games,
            **self.found.to_json(),
            "memory_bytes": self.memory_bytes,
            "memory_free": self.memory_free,
            "disk_bytes": self.disk_bytes,
            "disk_used": self.disk_used,
            "disk_free": self.disk_free,
            "cpu_seconds": self.cpu_seconds,
            "threads": self.threads,
            "wall_seconds": self.wall_seconds,
        }

    def to_text(self) -> str:
        """For people."""
        memory, disk = size_text(self.memory_bytes), size_text(self.disk_bytes)
        if self.memory_free is not None and self.memory_bytes > self.memory_free:
            memory += f", {size_text(self.memory_free)} may be used: NOT ENOUGH MEMORY"
        free = "" if self.disk_free is None else f", {size_text(self.disk_free)} free"
        if self.disk_free is not None and self.disk_bytes - self.disk_used > self.disk_free:
            free += ": NOT ENOUGH ROOM"
        if self.memory_free is None:
            memory += " for each worker of one thread"
        time = f"{self.cpu_seconds:.1f} CPU-seconds"
        if self.threads is not None:
            time = f"{on_threads(self.cpu_seconds, self.threads)}, {time}"
        return "\n".join(
            [
                f"table    {self.path}",
                f"state    {self.found.to_text()}",
                f"games    {self.layout.games:,} in {counted(self.layout.block_count, 'block')}",
                f"memory   {memory}",
                f"disk     {disk} in {self.layout.dtype}{free}",
                f"time     {'nothing to do' if self.found.complete else time}",
            ]
        )


def duration(seconds: float) -> str:
    """A time, readable."""
    if seconds < 1:
        return "about a second"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def on_threads(cpu_seconds: float, threads: int) -> str:
    """How long so much work takes, if every thread has a core of its own."""
    return f"{duration(cpu_seconds / threads)} on {counted(threads, 'thread')}"


def seconds_here(seconds: float) -> float:
    """What takes so long by the plan's rates takes of this machine's CPU; a sample of the work is timed once."""
    return STARTUP_SECONDS + seconds * slowness(os.environ.get(KERNEL, ""))


@cache
def slowness(kernel: str) -> float:
    """How much longer this machine takes than the one that the plan's rates were measured on: a sample of real work."""
    taken, expected = 0.0, 0.0
    values: Values | None = None
    for level in make_layout(Rules(SAMPLE_CARDS), geometry=Geometry()).levels[:SAMPLE_LEVELS]:
        solver = LevelSolver(level, kernel=kernel)
        (block,) = level.blocks
        times = []
        for _ in range(SAMPLE_REPEATS):
            below = NothingLeft(level.space.below, level.encoding) if values is None else HeldChildren([values])
            work = solver.start(block, below)
            started = time.thread_time()
            work.solve(0, level.columns)
            times.append(time.thread_time() - started)
        taken += min(times)
        expected += cpu_seconds(level)
        values = work.values
    return taken / expected / SAMPLE_RATIO


def forecast(
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = None,
    store: Path | str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    dtype: str | None = None,
    keep: str = "all",
    cluster: str | None = None,
) -> Forecast:
    """Forecast a solve, after a short sample of the work; what the solve would refuse for what is there is refused."""
    layout, folder = make_layout(Rules.of(rules, objective=objective), dtype=dtype), store_at(store)
    path = table_path(folder, layout.rules)
    table, found = look(path, layout, folder, keep=keep, any_dtype=dtype is None)
    layout = table.layout if table else layout
    plan, memory = Plan(layout, threads_for(threads)), memory_for(memory)
    has: tuple[int | None, int, int | None] = plan.threads, plan.memory_bytes(memory), memory
    if cluster is not None:
        from goofspiel.solver.dask_client import LOCAL, check_address

        here = LOCAL.fullmatch(check_address(cluster))
        has = int(here[1]) if here else None, worker_bytes(layout), None
    return Forecast(
        layout,
        keep,
        path,
        replace(found, being_solved=is_being_solved(path)),
        *has,
        0.0 if found.complete else seconds_here(_seconds_left(layout, table)),
        tree_bytes(path) if table else 0,
        _free(path),
    )


def _seconds_left(layout: Layout, table: Table | None) -> float:
    """What the blocks that are missing take, on the machine that the rates were measured on."""
    past = past_level(table) if table else 0
    seconds = 0.0
    for level in layout.levels:
        blocks = missing_blocks(table, level) if table else level.blocks
        if level.level > past:
            seconds += cpu_seconds(level) * sum(map(level.block_games, blocks)) / max(level.games, 1)
    return seconds


def _free(path: Path) -> int | None:
    """The bytes that are free where a table is to be."""
    if not is_local(path):
        return None
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free
