"""Run a plan on the threads of this machine."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import pairwise

import numpy as np

from goofspiel.games.solution import Floats
from goofspiel.plan import Block, LevelPlan, Plan
from goofspiel.solver.children import Children, HeldChildren, StreamedChildren, no_cards
from goofspiel.solver.level import BlockWork, LevelSolver
from goofspiel.solver.progress import Report, Tally
from goofspiel.store import Table
from goofspiel.store.interrupts import uninterrupted
from goofspiel.store.shards import Values

LOOK_SECONDS = 0.2  # between looks for Ctrl-C


def run_on_threads(plan: Plan, table: Table, *, threads: int, memory: int, progress: Report, kernel: str) -> None:
    """Solve every block that is missing."""
    held = plan.held_levels(threads, memory)
    tally = Tally(plan, progress)
    values: list[Values] | None = no_cards(plan)
    past = past_level(table)
    with uninterrupted() as interruptible, ThreadPoolExecutor(threads, thread_name_prefix="goofspiel") as pool:
        for level in plan.levels:
            pending = [block for block in missing_blocks(table, level) if level.level > past]
            done = [block for block in level.blocks if block not in pending]
            tally.count(level, done)
            below, values = values, None
            if not pending:
                continue
            if below is None and level.level - 1 in held:
                below = read_level(table, plan.levels[level.level - 2])
            children = HeldChildren(below) if below is not None else StreamedChildren(table, level.level - 1)
            if level.level in held:
                values = [
                    np.empty((shelf.prize_sets, shelf.matchups, shelf.leads), dtype=plan.dtype)
                    for shelf in level.shelves
                ]
                for block in done:
                    rows = table.read_block(level.level, block.index)
                    into = values[block.shelf][block.start : block.stop]
                    into[:] = rows.reshape(into.shape)
            solver = LevelSolver(level, kernel=kernel)
            # Results of blocks go to the same memory again and again: new memory is slow, the system has to clear it.
            room = level.largest.block_bytes // level.itemsize
            rooms = [np.empty(room) for _ in range(plan.blocks_at_work(threads))]
            for work, gap in _solve_blocks(
                solver, pending, children, pool=pool, threads=threads, rooms=rooms, interruptible=interruptible
            ):
                block, rounded = work.block, work.values.astype(plan.dtype, copy=False)
                if values is not None:
                    values[block.shelf][block.start : block.stop] = rounded
                table.write_block(level.level, block.index, rounded, gap)
                tally.count(level, [block])
            if table.header.keep == "last" and level.level > 1:
                table.remove_level(level.level - 1)
    table.mark_complete()


def past_level(table: Table) -> int:
    """The last complete level of a table that does not keep those below it: they may be gone, and are removed."""
    if table.header.keep == "all":
        return 0
    past = max((level.level for level in table.plan.levels if table.is_level_done(level.level)), default=0)
    for level in range(1, past):
        table.remove_level(level)  # whoever was to do it was interrupted
    return past


def missing_blocks(table: Table, level: LevelPlan) -> list[Block]:
    """The blocks of a level that are to be solved, the largest first: then nobody waits long at the end."""
    missing = [block for block in level.blocks if not table.is_done(level.level, block.index)]
    return sorted(missing, key=level.block_games, reverse=True)


def read_level(table: Table, level: LevelPlan) -> list[Values]:
    """All values of a level, one array a shelf."""
    return [
        table.read_rows(level.level, 0, shelf.prize_sets, shelf=index).reshape(
            shelf.prize_sets, shelf.matchups, shelf.leads
        )
        for index, shelf in enumerate(level.shelves)
    ]


def _solve_blocks(
    solver: LevelSolver,
    blocks: list[Block],
    children: Children,
    *,
    pool: ThreadPoolExecutor,
    threads: int,
    rooms: list[Floats],
    interruptible: Callable[[], None],
) -> Iterator[tuple[BlockWork, float]]:
    """Solve blocks of a level in order; while one is handed over, the threads work on the next."""
    waiting: deque[tuple[BlockWork, list[Future[float]], Floats]] = deque()
    free = list(rooms)

    def finished() -> Iterator[tuple[BlockWork, float]]:
        work, futures, room = waiting[0]
        interruptible()
        while wait(futures, LOOK_SECONDS).not_done:
            interruptible()
        waiting.popleft()
        yield work, max(future.result() for future in futures)
        free.append(room)

    try:
        for block in blocks:
            if not free:
                yield from finished()
            work = solver.start(block, children, room := free.pop())
            cuts = work.cuts(threads)
            waiting.append((work, [pool.submit(work.solve, begin, end) for begin, end in pairwise(cuts)], room))
        while waiting:
            yield from finished()
    finally:
        solver.stop()
        for _, futures, _ in waiting:
            for future in futures:
                future.cancel()
