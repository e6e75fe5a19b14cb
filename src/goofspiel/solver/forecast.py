"""What a solve will take, said before any work."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goofspiel.plan import Plan, make_plan, size_text
from goofspiel.rules import Objective
from goofspiel.solver.threads import available_memory, available_threads
from goofspiel.store import default_store, table_path


@dataclass(frozen=True, slots=True)
class Forecast:
    """Games, memory, disk and time of a plan."""

    plan: Plan
    path: Path
    threads: int
    memory_bytes: int
    cpu_seconds: float
    disk_free: int

    @property
    def wall_seconds(self) -> float:
        return self.cpu_seconds / self.threads

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "table": str(self.path),
            "cards": self.plan.cards,
            "objective": str(self.plan.objective),
            "dtype": self.plan.dtype,
            "games": self.plan.games,
            "blocks": self.plan.block_count,
            "memory_bytes": self.memory_bytes,
            "disk_bytes": self.plan.disk_bytes,
            "disk_free": self.disk_free,
            "cpu_seconds": self.cpu_seconds,
            "threads": self.threads,
            "wall_seconds": self.wall_seconds,
        }

    def to_text(self) -> str:
        """For people."""
        sizes = (self.memory_bytes, self.plan.disk_bytes, self.disk_free)
        memory, disk, free = map(size_text, sizes)
        room = "" if self.plan.disk_bytes <= self.disk_free else ": NOT ENOUGH ROOM"
        wall = f"{_duration(self.wall_seconds)} on {self.threads} threads"
        return "\n".join(
            [
                f"table    {self.path}",
                f"games    {self.plan.games:,} in {self.plan.block_count} blocks",
                f"memory   {memory}",
                f"disk     {disk} in {self.plan.dtype}, {free} free{room}",
                f"time     {wall}, {self.cpu_seconds:.1f} CPU-seconds",
            ]
        )


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def forecast(
    cards: int,
    *,
    objective: Objective | str = Objective.POINTS,
    store: Path | str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    dtype: str | None = None,
) -> Forecast:
    """Forecast a solve on this machine."""
    plan = make_plan(cards, objective=Objective(objective), dtype=dtype)
    threads = threads or available_threads()
    path = table_path(default_store() if store is None else Path(store), cards, plan.objective)
    there = path
    while not there.exists():
        there = there.parent
    return Forecast(
        plan,
        path,
        threads,
        plan.memory_bytes(threads, memory or available_memory()),
        plan.cpu_seconds,
        shutil.disk_usage(there).free,
    )
