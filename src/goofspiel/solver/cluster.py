"""Run a plan on the workers of a Dask cluster: blocks are tasks, the store carries the data.

The scheduler sees names only. What is done is what is in the store: a block whose worker is lost, or whose scheduler
is, is given out again unless it is there.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from goofspiel import __version__
from goofspiel.errors import ClusterError, GoofspielError
from goofspiel.solver import worker
from goofspiel.solver.block_solver import SMALL_BLOCK
from goofspiel.solver.dask_client import connected, one_line
from goofspiel.solver.progress import OnProgress, Tally
from goofspiel.solver.threads import missing_blocks, past_level, remove_levels_before
from goofspiel.store import Layout, Table
from goofspiel.store.blocks import Block, LevelLayout
from goofspiel.store.locations import is_local, remove_leftovers

if TYPE_CHECKING:
    from distributed import Client, Future

LOOK_SECONDS = 1.0  # between looks at the cluster while nothing is heard of it
WORKERS_SECONDS = 600.0  # without any worker
UNSEEN_SECONDS = 120.0  # until what a worker has written is seen here: shared file systems may take a minute
WHOLE = (0.0, 1.0)  # all of a block
SHARES = 2  # of a level for each thread: some threads are slower than others
MOST_DEATHS = 10  # times that Dask gives a block up, each after several workers died of it
MOST_FAILURES = 3  # times that a block fails for reasons that are not ours


def run_on_cluster(table: Table, address: str, *, on_progress: OnProgress, kernel: str = "") -> None:
    """Solve every block that is missing."""
    with connected(address) as client:
        _ClusterRun(table, client, address=address, tally=Tally(table.layout, on_progress), kernel=kernel).solve()


def cuts(games: Sequence[int], shares: int) -> list[list[float]]:
    """Where to cut blocks of so many games into equal shares of all of them: for each block, from 0 to 1.

    The blocks are laid end to end, and cut where a share ends: no cuts do with fewer slices. A slice is not worth it
    when it is small, and every slice of a block needs all children of the block.
    """
    total, start = sum(games), 0
    found = []
    for count in games:
        edges = [0.0]
        for border in range(start * shares // total + 1, shares):
            share = (border * total / shares - start) / count
            if (share - edges[-1]) * count >= SMALL_BLOCK and (1 - share) * count >= SMALL_BLOCK:
                edges.append(share)
        found.append([*edges, 1.0])
        start += count
    return found


class _ClusterRun:
    """One solve."""

    def __init__(self, table: Table, client: "Client", *, address: str, tally: Tally, kernel: str) -> None:
        self._table, self._client = table, client
        self._address, self._tally, self._kernel = address, tally, kernel
        self._run = uuid4().hex[:8]
        self._waiting: dict[Any, tuple[Block, Future]] = {}  # by key
        self._heard: SimpleQueue[Any] = SimpleQueue()  # keys of tasks that have ended
        self._worker_seen = time.monotonic()

    def solve(self) -> None:
        """Level after level."""
        self._check_workers()
        past = past_level(self._table)
        remove_levels_before(self._table, past)
        for level in self._layout.levels:
            missing = [block for block in missing_blocks(self._table, level) if level.level > past]
            self._tally.count(level, [block for block in level.blocks if block not in missing])
            if missing:
                self._solve_level(level, missing)
            if self._table.header.keep == "last" and level.level > past and not level.is_first:
                self._table.remove_level(level.level - 1)
        self._client.run(worker.forget, self._run, on_error="ignore")
        remove_leftovers(self._table.path)  # of workers that were killed
        self._table.mark_complete()

    def _check_workers(self) -> None:
        """Wait for one; all that are there must have the same version, see the store, and have enough memory."""
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError:
            raise self._no_workers() from None
        found = self._client.run(worker.check, self._order(self._layout.rules.last_level + 1, 0), on_error="return")
        for name, wrong in found.items():
            if isinstance(wrong, OSError):
                continue  # it has just been lost
            if isinstance(wrong, (ImportError, AttributeError)):
                raise ClusterError(f"worker {name} has another goofspiel, or none: {one_line(wrong)}")
            if wrong:
                raise ClusterError(f"worker {name} {wrong if isinstance(wrong, str) else one_line(wrong)}")

    def _no_workers(self) -> ClusterError:
        return ClusterError(
            f"there has been no worker at {self._address} for {WORKERS_SECONDS:.0f} seconds: "
            "start some, then --resume goes on"
        )

    def _order(self, level: int, block: int) -> worker.Order:
        layout, path = self._layout, self._table.path
        where = str(path.absolute() if is_local(path) else path)
        cut = layout.rules, layout.dtype, layout.geometry
        return worker.Order(where, self._run, __version__, *cut, level, block, self._kernel)

    @property
    def _layout(self) -> Layout:
        return self._table.layout

    def _solve_level(self, level: LevelLayout, missing: list[Block]) -> None:
        """Give out the blocks of a level, and again what is lost, until all are in the store."""
        todo = list(missing)
        written: dict[Block, float] = {}  # since when, though not seen yet
        deaths: Counter[Block] = Counter()
        failures: Counter[Block] = Counter()
        try:
            while todo or self._waiting or written:
                if todo and self._is_connected():
                    self._give_out(level, todo)
                    todo = []
                for block, future in self._ended():
                    if future.status == "finished":
                        written[block] = time.monotonic()
                    else:
                        self._excuse(block, future, deaths, failures)
                        todo.append(block)
                self._count_seen(level, todo, written)
        finally:
            self._cancel()

    def _is_connected(self) -> bool:
        """Whether the scheduler can be reached; the client looks for one that is lost, and gives up in the end."""
        if self._client.status == "closed":
            raise ClusterError(f"the scheduler at {self._address} is gone: start it again, then --resume goes on")
        return bool(self._client.status == "running")

    def _give_out(self, level: LevelLayout, blocks: list[Block]) -> None:
        """Each block as one task, or cut into slices when there are too few blocks to keep all threads busy.

        What takes longest is given out first, so that none of it is begun last.
        """
        shares = 1 if self._layout.rules.has_leads else SHARES * max(self._threads(), 1)
        games = [level.block_games(block) for block in blocks]
        tasks: list[tuple[float, Block, tuple[float, float]]] = []
        for block, count, edges in zip(blocks, games, cuts(games, shares), strict=True):
            tasks += [(count * (end - begin), block, (begin, end)) for begin, end in pairwise(edges)]
        # Dask shows tasks by the first part of their keys.
        name = f"level {level.level:02} of {self._layout.levels[-1].level:02}"
        keys = {block: (block.index, f"{self._run}-{uuid4().hex[:8]}") for block in blocks}
        slices: dict[Block, list[Future]] = {}
        for rank, (_, block, share) in enumerate(sorted(tasks, key=lambda task: -task[0])):
            order = self._order(level.level, block.index)
            how: dict[str, Any] = {"pure": False, "priority": -rank}  # a larger number goes first
            if share == WHOLE:
                self._wait_for(block, self._client.submit(worker.solve_block, order, key=(name, *keys[block]), **how))
            else:
                key = f"{name}, slices", len(slices.setdefault(block, [])), *keys[block]
                slices[block].append(self._client.submit(worker.solve_slice, order, *share, key=key, **how))
        for block, parts in slices.items():
            order = self._order(level.level, block.index)
            future = self._client.submit(
                worker.write_slices, order, parts, key=(name, *keys[block]), pure=False, priority=1
            )
            self._wait_for(block, future)

    def _wait_for(self, block: Block, future: "Future") -> None:
        """Until the future of a block says so."""
        self._waiting[future.key] = block, future
        future.add_done_callback(lambda future: self._heard.put(future.key))

    def _threads(self) -> int:
        """The threads of all workers; 0 when they cannot be asked for."""
        try:
            threads = int(sum(self._client.nthreads().values()))
        except (OSError, TimeoutError):
            return 0
        if threads:
            self._worker_seen = time.monotonic()
        return threads

    def _ended(self) -> "Iterator[tuple[Block, Future]]":
        """The tasks that have ended, after a while even if there are none."""
        try:
            keys = [self._heard.get(timeout=LOOK_SECONDS if self._waiting else LOOK_SECONDS / 10)]
        except Empty:
            self._look()
            return
        while not self._heard.empty():
            keys.append(self._heard.get())
        for key in keys:
            if key in self._waiting:
                yield self._waiting.pop(key)

    def _look(self) -> None:
        """Nothing was heard: is anybody there?"""
        if self._is_connected() and not self._threads() and time.monotonic() - self._worker_seen > WORKERS_SECONDS:
            raise self._no_workers()

    def _excuse(self, block: Block, future: "Future", deaths: Counter[Block], failures: Counter[Block]) -> None:
        """A task has failed: tolerate it some times, as long as it may be the fault of the cluster."""
        from distributed import KilledWorker

        if future.status != "error":
            return  # lost with its scheduler
        error = future.exception()
        if isinstance(error, GoofspielError):
            raise error
        count, most = (deaths, MOST_DEATHS) if isinstance(error, KilledWorker) else (failures, MOST_FAILURES)
        count[block] += 1
        if count[block] > most:
            raise ClusterError(f"block {block.index} of level {block.level} fails again and again: {one_line(error)}")

    def _count_seen(self, level: LevelLayout, todo: list[Block], written: dict[Block, float]) -> None:
        """Count the blocks that are in the store now, whatever was heard of them."""
        done = [block for block in (*todo, *written) if self._table.is_done(level.level, block.index)]
        for block in done:
            self._tally.count(level, [block])
            if block in todo:
                todo.remove(block)
            written.pop(block, None)
        if written:
            self._table.check_there()
        if written and time.monotonic() - min(written.values()) > UNSEEN_SECONDS:
            block = min(written, key=lambda block: written[block])
            raise ClusterError(
                f"a worker has written block {block.index} of level {level.level}, but it is not in "
                f"{self._table.path} here: is that the same folder on all machines?"
            )

    def _cancel(self) -> None:
        """Nothing is to be begun any more; what is being solved is written, and will be found."""
        if self._waiting and self._client.status == "running":
            self._client.cancel([future for _, future in self._waiting.values()], force=True)
        self._waiting.clear()
