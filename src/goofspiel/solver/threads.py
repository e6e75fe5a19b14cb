"""Run a plan on the threads of this machine."""

import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from goofspiel import __version__
from goofspiel.errors import MissingTableError, SolveError
from goofspiel.games.solution import Floats
from goofspiel.plan import Block, LevelPlan, Plan, make_plan, size_text
from goofspiel.rules import Objective
from goofspiel.solver.children import Children, HeldChildren, StreamedChildren
from goofspiel.solver.level import BlockWork, LevelSolver
from goofspiel.solver.machine import available_memory, available_threads
from goofspiel.solver.progress import Progress, Report, silent
from goofspiel.store import SolveLock, Table, default_store, solve_command, table_path
from goofspiel.store.shards import Values
from goofspiel.store.table import KEEP


def solve(
    cards: int,
    *,
    objective: Objective | str = Objective.POINTS,
    store: Path | str | None = None,
    threads: int | None = None,
    resume: bool = False,
    dtype: str | None = None,
    keep: str = "all",
    progress: Report = silent,
    memory: int | None = None,
    kernel: str = "",
    wait: bool = False,
) -> Path:
    """Solve a table and keep it; the path of the table. A table that is already complete is left as it is.

    At most `memory` bytes are used, by default most of what is free: levels that do not fit are read from the store and
    written to it block by block. `keep="last"` keeps only the level that the first move needs. `kernel` names a build
    of the kernel other than the best that runs on this CPU. A table that another process is solving is an error, unless
    told to `wait` for it.
    """
    if keep not in KEEP:
        raise SolveError(f"keep must be {' or '.join(KEEP)}, not {keep!r}")
    plan = make_plan(cards, objective=Objective(objective), dtype=dtype)
    store = default_store() if store is None else Path(store)
    path = table_path(store, plan.cards, plan.objective)
    with SolveLock(path, wait=wait):
        table = _open_or_create(path, plan, store, resume=resume, keep=keep)
        if not table.header.complete:
            table.remove_leftovers()
            _check_room(table, plan)
            threads, memory = threads or available_threads(), memory or available_memory()
            _check_memory(plan, threads, memory)
            _run(plan, table, threads=threads, memory=memory, progress=progress, kernel=kernel)
    return path


def _check_memory(plan: Plan, threads: int, memory: int) -> None:
    needed = plan.memory_bytes(threads, memory)
    if needed > memory:
        need, may = size_text(needed), size_text(memory)
        raise SolveError(f"{plan.cards} cards on {threads} threads need {need} of memory, {may} may be used")


def _open_or_create(path: Path, plan: Plan, store: Path, *, resume: bool, keep: str) -> Table:
    try:
        table = Table.open(path, cards=plan.cards, objective=plan.objective)
    except MissingTableError:
        return Table.create(path, plan, solver=__version__, keep=keep)
    if table.header.complete and _is_whole(table) and keep in (table.header.keep, "last"):
        return table
    if table.header.dtype != plan.dtype:
        raise SolveError(f"{path} was begun in {table.header.dtype}, it cannot go on in {plan.dtype}")
    done = table.done_count()
    if done and table.header.keep != keep:
        command = solve_command(plan.cards, plan.objective, store, keep=keep)
        raise SolveError(
            f"{path} was begun with --keep {table.header.keep}, it cannot go on with --keep {keep}: "
            f"delete it, then {command}"
        )
    if any(
        table.block_rows(level.level, index) != shelf.block_rows
        for level in plan.levels
        for index, shelf in enumerate(level.shelves)
    ):
        raise SolveError(
            f"{path} was begun by goofspiel {table.header.solver}, whose blocks have other sizes: delete it"
        )
    if done and not resume:
        command = solve_command(plan.cards, plan.objective, store, keep=keep, resume=True)
        raise SolveError(f"{path} is partly solved ({done} of {plan.block_count} blocks): {command} goes on with it")
    return Table.create(path, plan, solver=__version__, keep=keep)


def _is_whole(table: Table) -> bool:
    return all(map(table.is_level_done, table.levels))


def _check_room(table: Table, plan: Plan) -> None:
    """Say before the work that the disk is too small for it, not after."""
    there = sum(file.stat().st_size for file in table.path.rglob("*") if file.is_file())
    free = shutil.disk_usage(table.path).free
    needed = plan.disk_bytes(table.header.keep) - there
    if needed > free:
        raise SolveError(
            f"no room on disk: the rest of {table.path} needs {size_text(needed)}, {size_text(free)} are free"
        )


def _run(plan: Plan, table: Table, *, threads: int, memory: int, progress: Report, kernel: str) -> None:
    held = plan.held_levels(threads, memory)
    tally = _Tally(plan, progress)
    values: list[Values] | None = [np.zeros((1, int(plan.objective == Objective.WIN), 1), dtype=plan.dtype)]  # no cards
    past = _past_level(table)
    for level_below in range(1, past):
        table.remove_level(level_below)  # whoever was to do it was interrupted
    with ThreadPoolExecutor(threads, thread_name_prefix="goofspiel") as pool:
        for level in plan.levels:
            pending = [block for block in level.blocks if not table.is_done(level.level, block.index)]
            if level.level <= past:
                pending = []
            done = [block for block in level.blocks if block not in pending]
            tally.count(level, done)
            below, values = values, None
            if not pending:
                continue
            if below is None and level.level - 1 in held:
                below = _read_level(table, plan.levels[level.level - 2])
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
            # The largest first: at the end of a level the threads then wait for a small one.
            pending.sort(key=level.block_games, reverse=True)
            for work, gap in _solve_blocks(solver, pending, children, pool=pool, threads=threads, rooms=rooms):
                block, rounded = work.block, work.values.astype(plan.dtype, copy=False)
                if values is not None:
                    values[block.shelf][block.start : block.stop] = rounded
                table.write_block(level.level, block.index, rounded, gap)
                tally.count(level, [block])
            if table.header.keep == "last" and level.level > 1:
                table.remove_level(level.level - 1)
    table.mark_complete()


def _past_level(table: Table) -> int:
    """The last complete level of a table that does not keep those below it: they may be gone."""
    if table.header.keep == "all":
        return 0
    return max((level.level for level in table.plan.levels if table.is_level_done(level.level)), default=0)


def _read_level(table: Table, level: LevelPlan) -> list[Values]:
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
) -> Iterator[tuple[BlockWork, float]]:
    """Solve blocks of a level in order; while one is handed over, the threads work on the next."""
    waiting: deque[tuple[BlockWork, list[Future[float]], Floats]] = deque()
    free = list(rooms)

    def finished() -> Iterator[tuple[BlockWork, float]]:
        work, futures, room = waiting.popleft()
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


@dataclass
class _Tally:
    """Count what is done, and report it."""

    plan: Plan
    report: Report
    games: int = 0
    blocks: int = 0

    def count(self, level: LevelPlan, blocks: list[Block]) -> None:
        for block in blocks:
            self.games += level.block_games(block)
            self.blocks += 1
        self.report(
            Progress(
                level.level, len(self.plan.levels), self.games, self.plan.games, self.blocks, self.plan.block_count
            )
        )
