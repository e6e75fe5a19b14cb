"""Run a plan on the threads of this machine."""

import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from goofspiel import __version__, prizes
from goofspiel.errors import MissingTableError, SolveError
from goofspiel.plan import IN_FLIGHT, Block, LevelPlan, Plan, make_plan, size_text
from goofspiel.rules import Objective
from goofspiel.solver.children import Children, HeldChildren, StreamedChildren
from goofspiel.solver.level import BlockWork, LevelSolver
from goofspiel.solver.machine import available_memory, available_threads
from goofspiel.solver.progress import Progress, Report, silent
from goofspiel.store import SolveLock, Table, default_store, solve_command, table_path
from goofspiel.store.table import Values

SMALL_BLOCK = 1 << 18  # games: not worth cutting into slices


def solve(
    cards: int,
    *,
    objective: Objective | str = Objective.POINTS,
    store: Path | str | None = None,
    threads: int | None = None,
    resume: bool = False,
    dtype: str | None = None,
    progress: Report = silent,
    memory: int | None = None,
    kernel: str = "",
    wait: bool = False,
) -> Path:
    """Solve a table and keep it; the path of the table. A table that is already complete is left as it is.

    At most `memory` bytes are used, by default most of what is free: levels that do not fit are read from the store and
    written to it block by block. `kernel` names a build of the kernel other than the best that runs on this CPU. A
    table that another process is solving is an error, unless told to `wait` for it.
    """
    plan = make_plan(cards, objective=Objective(objective), dtype=dtype)
    store = default_store() if store is None else Path(store)
    path = table_path(store, plan.cards, plan.objective)
    with SolveLock(path, wait=wait):
        table = _open_or_create(path, plan, store, resume=resume)
        if not table.header.complete:
            table.remove_leftovers()
            _check_room(path, plan)
            threads, memory = threads or available_threads(), memory or available_memory()
            _check_memory(plan, threads, memory)
            _run(plan, table, threads=threads, memory=memory, progress=progress, kernel=kernel)
    return path


def _check_memory(plan: Plan, threads: int, memory: int) -> None:
    needed = plan.memory_bytes(threads, memory)
    if needed > memory:
        need, may = size_text(needed), size_text(memory)
        raise SolveError(f"{plan.cards} cards on {threads} threads need {need} of memory, {may} may be used")


def _open_or_create(path: Path, plan: Plan, store: Path, *, resume: bool) -> Table:
    try:
        table = Table.open(path, cards=plan.cards, objective=plan.objective)
    except MissingTableError:
        return Table.create(path, plan, solver=__version__)
    if table.header.complete and _is_whole(table):
        return table
    if table.header.dtype != plan.dtype:
        raise SolveError(f"{path} was begun in {table.header.dtype}, it cannot go on in {plan.dtype}")
    if any(table.block_rows(level.level) != level.block_rows for level in plan.levels):
        raise SolveError(f"{path} was begun by goofspiel {table.header.solver}, whose blocks have other sizes")
    done = table.done_count()
    if done and not resume:
        command = solve_command(plan.cards, plan.objective, store, resume=True)
        raise SolveError(f"{path} is partly solved ({done} of {plan.block_count} blocks): {command} goes on with it")
    return Table.create(path, plan, solver=__version__)


def _is_whole(table: Table) -> bool:
    return all(table.is_done(level, block) for level in table.levels for block in range(table.block_count(level)))


def _check_room(path: Path, plan: Plan) -> None:
    """Say before the work that the disk is too small for it, not after."""
    there = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    free = shutil.disk_usage(path).free
    if plan.disk_bytes - there > free:
        needed = size_text(plan.disk_bytes - there)
        raise SolveError(f"no room on disk: the rest of {path} needs {needed}, {size_text(free)} are free")


def _run(plan: Plan, table: Table, *, threads: int, memory: int, progress: Report, kernel: str) -> None:
    held = plan.held_levels(threads, memory)
    tally = _Tally(plan, progress)
    values: Values | None = np.zeros((1, 0))  # level 0: no cards, no matchup that is not equal
    with ThreadPoolExecutor(threads, thread_name_prefix="goofspiel") as pool:
        for level in plan.levels:
            pending = [block for block in level.blocks() if not table.is_done(level.level, block.index)]
            done = [block for block in level.blocks() if block not in pending]
            tally.count(level, done)
            below, values = values, None
            if not pending:
                continue
            if below is None and level.level - 1 in held:
                below = table.read_rows(level.level - 1, 0, prizes.count(plan.cards, level.level - 1))
            children = HeldChildren(below) if below is not None else StreamedChildren(table, level.level - 1)
            if level.level in held:
                values = np.empty((level.prize_sets, level.matchups), dtype=plan.dtype)
                for block in done:
                    values[block.start : block.stop] = table.read_rows(level.level, block.start, block.stop)
            solver = LevelSolver(level, kernel=kernel)
            for work, gap in _solve_blocks(solver, pending, children, pool, threads):
                rounded = work.values.astype(plan.dtype, copy=False)
                table.write_block(level.level, work.block.index, rounded, gap)
                if values is not None:
                    values[work.block.start : work.block.stop] = rounded
                tally.count(level, [work.block])
    table.mark_complete()


def _solve_blocks(
    solver: LevelSolver, blocks: list[Block], children: Children, pool: ThreadPoolExecutor, threads: int
) -> Iterator[tuple[BlockWork, float]]:
    """Solve blocks of a level in order; while one is handed over, the threads work on the next."""
    waiting: deque[tuple[BlockWork, list[Future[float]]]] = deque()

    def finish() -> tuple[BlockWork, float]:
        work, futures = waiting.popleft()
        return work, max(future.result() for future in futures)

    try:
        for block in blocks:
            if len(waiting) == IN_FLIGHT:
                yield finish()
            work = solver.start(block, children)
            cuts = work.cuts(1 if work.games < SMALL_BLOCK else threads)
            waiting.append((work, [pool.submit(work.solve, begin, end) for begin, end in pairwise(cuts)]))
        while waiting:
            yield finish()
    finally:
        for _, futures in waiting:
            for future in futures:
                future.cancel()


@dataclass
class _Tally:
    """Count what is done, and report it."""

    plan: Plan
    report: Report
    games: int = 0
    blocks: int = 0

    def count(self, level: LevelPlan, blocks: list[Block]) -> None:
        for block in blocks:
            self.games += (block.stop - block.start) * level.matchups * level.level
            self.blocks += 1
        self.report(
            Progress(
                level.level, len(self.plan.levels), self.games, self.plan.games, self.blocks, self.plan.block_count
            )
        )
