"""Run a plan on the workers of a Dask cluster: blocks are tasks, the store carries the data.

The scheduler sees names only. What is done is what is in the store: a task whose worker is lost, or whose result never
arrives, is given out again unless its block is there.
"""

import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from goofspiel import __version__
from goofspiel.errors import GoofspielError, SolveError
from goofspiel.plan import Block, LevelPlan, Plan
from goofspiel.rules import Objective
from goofspiel.solver import worker
from goofspiel.solver.machine import available_memory
from goofspiel.solver.progress import Report, Tally
from goofspiel.solver.threads import missing_blocks, past_level
from goofspiel.store import Table
from goofspiel.store.places import is_local

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
WORKERS_SECONDS = 60.0  # to wait for a first worker
LOST_SECONDS = 60.0  # without a scheduler
LOOK_SECONDS = 0.5
MOST_DEATHS = 10  # times that Dask gives a block up, each after several workers died of it
SLICED = 4  # times as many blocks as threads need no slices to keep all busy


def run_on_cluster(plan: Plan, table: Table, address: str, *, progress: Report, kernel: str = "") -> None:
    """Solve every block that is missing."""
    with _client(address) as client:
        _Run(plan, table, client, address=address, tally=Tally(plan, progress), kernel=kernel).solve()


@contextmanager
def _client(address: str) -> "Iterator[Client]":
    """Connect to a scheduler, or start processes on this machine."""
    try:
        from distributed import Client, LocalCluster
    except ModuleNotFoundError:
        raise SolveError("a cluster needs pip install 'goofspiel[cluster]'") from None
    if found := LOCAL.fullmatch(address):
        count = int(found[1])
        with (
            LocalCluster(
                n_workers=count,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                memory_limit=available_memory() // count,
                silence_logs="ERROR",
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    if "://" not in address:
        raise SolveError(f"a cluster is tcp://HOST:PORT, or local:N for N processes of this machine, not {address!r}")
    try:
        client = Client(address, timeout=LOST_SECONDS / 2)
    except (OSError, TimeoutError, ValueError) as error:
        raise SolveError(f"there is no Dask scheduler at {address!r}: {_one_line(error)}") from None
    try:
        yield client
    finally:
        client.close(timeout=2)


class _Run:
    """One solve."""

    def __init__(self, plan: Plan, table: Table, client: "Client", *, address: str, tally: Tally, kernel: str) -> None:
        self._plan, self._table, self._client = plan, table, client
        self._address, self._tally, self._kernel = address, tally, kernel
        self._run = uuid4().hex[:8]
        self._deaths: Counter[int] = Counter()
        self._tried: Counter[int] = Counter()

    def solve(self) -> None:
        """Level after level."""
        self._wait_for_workers()
        past = past_level(self._table)
        for level in self._plan.levels:
            missing = [block for block in missing_blocks(self._table, level) if level.level > past]
            self._tally.count(level, [block for block in level.blocks if block not in missing])
            if missing:
                self._solve_level(level, missing)
            if self._table.header.keep == "last" and level.level > max(past, 1):
                self._table.remove_level(level.level - 1)
        self._table.mark_complete()

    def _wait_for_workers(self) -> None:
        """Until there is one; all that are there must have the same version, and see the store."""
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError:
            raise SolveError(f"no worker came to {self._address} within {WORKERS_SECONDS:.0f} seconds") from None
        found = self._client.run(worker.check, self._order(1, 0), on_error="return")
        for name, wrong in found.items():
            if wrong:
                raise SolveError(f"worker {name} {wrong if isinstance(wrong, str) else _one_line(wrong)}")

    def _order(self, level: int, block: int) -> worker.Order:
        plan = self._plan
        path = self._table.path
        where = str(path.absolute() if is_local(path) else path)
        return worker.Order(
            where, self._run, __version__, plan.cards, plan.objective, plan.dtype, level, block, self._kernel
        )

    def _solve_level(self, level: LevelPlan, missing: list[Block]) -> None:
        """Give out the blocks of a level, and again what is lost, until all are in the store."""
        self._deaths.clear()
        waiting: dict[Future, Block] = {}
        todo = list(missing)
        lost_since: float | None = None
        try:
            while todo or waiting:
                if self._client.status == "running":
                    lost_since = None
                    for block in todo:
                        waiting[self._submit(level, block, len(missing))] = block
                    todo = []
                else:
                    lost_since = lost_since or time.monotonic()
                    if self._client.status == "closed" or time.monotonic() - lost_since > LOST_SECONDS:
                        raise SolveError(
                            f"the scheduler at {self._address} is gone: start it again, then --resume goes on"
                        )
                if not self._any_finished(waiting):
                    time.sleep(LOOK_SECONDS / 10)
                for future in [future for future in waiting if future.status != "pending"]:
                    todo += self._collect(level, future, waiting.pop(future))
        finally:
            if waiting and self._client.status == "running":
                self._client.cancel(list(waiting), force=True)

    def _any_finished(self, waiting: "dict[Future, Block]") -> bool:
        from distributed import wait

        if self._client.status != "running" or not waiting:
            return False
        try:
            wait(list(waiting), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
        except (TimeoutError, OSError, GoofspielError):
            return False
        except Exception as error:  # a future that was cancelled with its scheduler
            if type(error).__name__ not in ("CancelledError", "FutureCancelledError", "FuturesCancelledError"):
                raise
        return True

    def _submit(self, level: LevelPlan, block: Block, count: int) -> "Future":
        """A block as one task, or cut into slices when there are too few blocks to keep all threads busy."""
        order = self._order(level.level, block.index)
        self._tried[block.index] += 1
        # Dask shows tasks by the first part of their keys.
        name, token = f"level {level.level:02} of {len(self._plan.levels):02}", f"{self._run}-{uuid4().hex[:8]}"
        # A larger number goes first: the first blocks are the largest.
        how: dict[str, Any] = {"pure": False, "priority": -block.index}
        threads = max(sum(self._client.nthreads().values()), 1)
        if self._plan.objective == Objective.WIN or count >= SLICED * threads or threads == 1:
            return self._client.submit(worker.solve_block, order, key=(name, block.index, token), **how)
        edges = sorted(set(np.linspace(0, level.matchups, threads + 1).astype(int).tolist()))
        slices = [
            self._client.submit(
                worker.solve_slice, order, begin, end, key=(f"{name}, slices", block.index, begin, token), **how
            )
            for begin, end in pairwise(edges)
        ]
        return self._client.submit(worker.write_slices, order, slices, key=(name, block.index, token), **how)

    def _collect(self, level: LevelPlan, future: "Future", block: Block) -> list[Block]:
        """A task has ended: count its block, or give it back to be tried again."""
        from distributed import KilledWorker

        if self._table.is_done(level.level, block.index):
            self._tally.count(level, [block])
            return []
        if future.status == "error":
            error = future.exception()
            if not isinstance(error, KilledWorker):
                raise error if isinstance(error, GoofspielError) else SolveError(_one_line(error))
            self._deaths[block.index] += 1
            if self._deaths[block.index] > MOST_DEATHS:
                raise SolveError(
                    f"workers die again and again of block {block.index} of level {level.level}: "
                    f"each needs {worker.needs(self._plan)} of memory"
                )
        return [block]


def _one_line(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0]
