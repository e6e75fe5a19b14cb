"""Run a plan on the threads of this machine."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from goofspiel.arrays import Floats, Values
from goofspiel.interrupts import defer_sigint
from goofspiel.solver.block_solver import BlockWork, LevelSolver
from goofspiel.solver.children import Children, HeldChildren, NothingLeft, StreamedChildren
from goofspiel.solver.plan import Plan
from goofspiel.solver.progress import OnProgress, Tally
from goofspiel.store import Table
from goofspiel.store.blocks import Block, LevelLayout

LOOK_SECONDS = 0.2  # between looks for Ctrl-C


def run_on_threads(plan: Plan, table: Table, *, memory: int, on_progress: OnProgress, kernel: str) -> None:
    """Solve every block that is missing."""
    tally, past = Tally(plan.layout, on_progress), past_level(table)
    remove_levels_before(table, past)
    values: list[Values] | None = None
    with ThreadPoolExecutor(plan.threads, thread_name_prefix="goofspiel") as pool:
        run = _ThreadRun(plan, table, plan.held_levels(memory), kernel, tally, pool)
        for level in plan.layout.levels:
            pending = [block for block in missing_blocks(table, level) if level.level > past]
            done = [block for block in level.blocks if block not in pending]
            tally.count(level, done)
            below, values = values, None
            if not pending:
                continue
            if below is None and not level.is_first and (level.level - 1 in run.held or plan.reads_whole(level)):
                below = read_level(table, plan.layout.level(level.level - 1))
            values = run.solve_level(level, done, pending, below)
            if table.header.keep == "last" and not level.is_first:
                table.remove_level(level.level - 1)
    table.mark_complete()


@dataclass(frozen=True)
class _ThreadRun:
    """One solve."""

    plan: Plan
    table: Table
    held: frozenset[int]  # levels
    kernel: str
    tally: Tally
    pool: ThreadPoolExecutor

    def solve_level(
        self, level: LevelLayout, done: list[Block], pending: list[Block], below: list[Values] | None
    ) -> list[Values] | None:
        """Solve the pending blocks of a level, and write them; all its values, if they are to be held.

        Those of the level below are given, or are read block by block.
        """
        values = read_level(self.table, level, done) if level.level in self.held else None
        solver = LevelSolver(level, kernel=self.kernel)
        # Results of blocks go to the same memory again and again: new memory is slow, the system has to clear it.
        size = level.largest.block_bytes // level.itemsize
        buffers = [np.empty(size) for _ in range(self.plan.blocks_at_work)]
        with defer_sigint() as deliver_sigint:
            children: Children = StreamedChildren(self.table, level.level - 1, deliver_sigint)
            if level.is_first:
                children = NothingLeft(level.space.below, solver.below)
            elif below:
                children = HeldChildren(below)
            for block, solved, gap in _solve_blocks(
                solver,
                pending,
                children,
                pool=self.pool,
                threads=self.plan.threads,
                buffers=buffers,
                deliver_sigint=deliver_sigint,
            ):
                rounded = level.encoding.encode(solved)
                if values is not None:
                    values[block.band][block.start : block.stop] = rounded
                self.table.write_block(level.level, block.index, rounded, gap)
                self.tally.count(level, [block])
        return values


def past_level(table: Table) -> int:
    """The last complete level of a table that does not keep those below it; 0 when it keeps all."""
    if table.header.keep == "all":
        return 0
    return max((level.level for level in table.layout.levels if table.is_level_done(level.level)), default=0)


def remove_levels_before(table: Table, past: int) -> None:
    """Delete what a solve that keeps only the last level needs no more: whoever was to do it was interrupted."""
    for level in range(table.rules.last_level + 1, past):
        table.remove_level(level)


def missing_blocks(table: Table, level: LevelLayout) -> list[Block]:
    """The blocks of a level that are to be solved, the largest first: then nobody waits long at the end."""
    missing = [block for block in level.blocks if not table.is_done(level.level, block.index)]
    return sorted(missing, key=level.block_games, reverse=True)


def read_level(table: Table, level: LevelLayout, blocks: Iterable[Block] | None = None) -> list[Values]:
    """The values of a level, one array a band; with `blocks` only theirs, and place for those of the others."""
    values: list[Values] = [
        np.empty((band.rows, band.columns, band.leads), dtype=band.encoding.stored) for band in level.bands
    ]
    for block in level.blocks if blocks is None else blocks:
        into = values[block.band][block.start : block.stop]
        table.read_rows(level.level, block.start, block.stop, band=block.band, buffer=into)
    return values


def _solve_blocks(
    solver: LevelSolver,
    blocks: list[Block],
    children: Children,
    *,
    pool: ThreadPoolExecutor,
    threads: int,
    buffers: list[Floats],
    deliver_sigint: Callable[[], None],
) -> Iterator[tuple[Block, Floats, float]]:
    """Solve blocks of a level in order; while one is handed over, the threads work on the next.

    The children of a block are let go before those of another are read.
    """
    waiting: deque[tuple[BlockWork, list[Future[float]], Floats]] = deque()
    free = list(buffers)

    def finished() -> Iterator[tuple[Block, Floats, float]]:
        while wait(waiting[0][1], LOOK_SECONDS).not_done:
            deliver_sigint()
        work, futures, buffer = waiting.popleft()
        yield work.block, work.values, max(future.result() for future in futures)
        free.append(buffer)

    try:
        for block in blocks:
            if not free:
                yield from finished()
            deliver_sigint()
            work = solver.start(block, children, buffer := free.pop())
            cuts = work.cuts(threads)
            waiting.append((work, [pool.submit(work.solve, begin, end) for begin, end in pairwise(cuts)], buffer))
        while waiting:
            yield from finished()
    finally:
        solver.stop()
        for _, futures, _ in waiting:
            for future in futures:
                future.cancel()
