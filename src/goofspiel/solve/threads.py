"""Run a plan on the threads of this machine."""

import os
import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from goofspiel import __version__, _kernel, matchups, prizes
from goofspiel.errors import MissingTableError, SolveError
from goofspiel.games.solution import Floats
from goofspiel.plan import SLICES, Block, LevelPlan, Plan, blocks_in_flight, make_plan
from goofspiel.rules import Objective
from goofspiel.solve.progress import Progress, Report, silent
from goofspiel.store import SolveLock, Table, default_store, solve_command, table_path
from goofspiel.store.table import Values

SMALL_BLOCK = 1 << 18  # games: not worth cutting into slices


def solve(
    cards: int,
    *,
    objective: Objective | str = Objective.POINTS,
    store: Path | None = None,
    threads: int | None = None,
    resume: bool = False,
    dtype: str | None = None,
    progress: Report = silent,
    wait: bool = False,
) -> Path:
    """Solve a table and keep it; the path of the table. A table that is already complete is left as it is.

    A table that another process is solving is an error, unless told to `wait` for it.
    """
    plan = make_plan(cards, objective=Objective(objective), dtype=dtype)
    store = store or default_store()
    path = table_path(store, plan.cards, plan.objective)
    with SolveLock(path, wait=wait):
        table = _open_or_create(path, plan, store, resume=resume)
        if not table.header.complete:
            table.remove_leftovers()
            _check_room(path, plan)
            _run(plan, table, threads or available_threads(), progress)
    return path


def available_threads() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _open_or_create(path: Path, plan: Plan, store: Path, *, resume: bool) -> Table:
    try:
        table = Table.open(path, cards=plan.cards, objective=plan.objective)
    except MissingTableError:
        return Table.create(path, plan, solver=__version__)
    if table.header.complete and _is_whole(table):
        return table
    if table.header.dtype != plan.dtype:
        raise SolveError(f"{path} was begun in {table.header.dtype}, it cannot go on in {plan.dtype}")
    done = sum(table.is_done(level.level, block.index) for level in plan.levels for block in level.blocks())
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
        gib = (plan.disk_bytes - there) / 2**30
        raise SolveError(f"no room on disk: the rest of {path} needs {gib:.2f} GiB, {free / 2**30:.2f} GiB are free")


def _run(plan: Plan, table: Table, threads: int, progress: Report) -> None:
    tally = _Tally(plan, progress)
    children: Values | None = np.zeros((1, 0))  # level 0: no cards, no matchup that is not equal
    with ThreadPoolExecutor(threads, thread_name_prefix="goofspiel") as pool:
        for level in plan.levels:
            pending = [block for block in level.blocks() if not table.is_done(level.level, block.index)]
            tally.skip(level, [block for block in level.blocks() if block not in pending])
            if not pending:
                children = None  # read again when a level above needs it
                continue
            if children is None:
                children = table.read_rows(level.level - 1, 0, prizes.count(plan.cards, level.level - 1))
            values: Values = np.empty((level.prize_sets, level.matchups), dtype=plan.dtype)
            for block in level.blocks():
                if block not in pending:
                    values[block.start : block.stop] = table.read_rows(level.level, block.start, block.stop)
            for block, solved, gap in _solve_blocks(level, pending, children, pool, threads):
                values[block.start : block.stop] = solved
                table.write_block(level.level, block.index, values[block.start : block.stop], gap)
                tally.add(level, block)
            children = values
    table.mark_complete()


def _solve_blocks(
    level: LevelPlan, blocks: list[Block], children: Values, pool: ThreadPoolExecutor, threads: int
) -> Iterator[tuple[Block, Floats, float]]:
    """Solve blocks of a level in order; while one is handed over, the threads work on the next."""
    mine, theirs = matchups.all_matchups(level.cards, level.level)
    successors = matchups.successors(mine, theirs, level.level, children.shape[1])
    sets = prizes.all_prize_sets(level.cards, level.level)
    waiting: deque[tuple[Block, Floats, list[Future[float]]]] = deque()

    def task(block: Block, begin: int, end: int, out: Floats) -> float:
        rounds = prizes.rounds(sets[block.start : block.stop], level.level)
        failures, gap, _ = _kernel.solve_block(
            children,
            rounds.child,
            rounds.prize,
            rounds.row,
            1 / level.level,
            successors.shapes,
            successors.offsets,
            successors.codes,
            begin,
            end,
            level.payoff_bound,
            out,
        )
        if failures:
            raise SolveError(
                f"level {level.level}, block {block.index}: {failures} games without a proof of optimality"
            )
        return gap

    def finish() -> tuple[Block, Floats, float]:
        block, out, futures = waiting.popleft()
        return block, out, max(future.result() for future in futures)

    try:
        for block in blocks:
            if len(waiting) == blocks_in_flight(threads):
                yield finish()
            rows = block.stop - block.start
            out = np.zeros((rows, level.matchups))
            slices = 1 if rows * level.matchups * level.level < SMALL_BLOCK else SLICES
            edges = [level.matchups * part // slices for part in range(slices + 1)]
            futures = [pool.submit(task, block, a, b, out) for a, b in pairwise(edges)]
            waiting.append((block, out, futures))
        while waiting:
            yield finish()
    finally:
        for _, _, futures in waiting:
            for future in futures:
                future.cancel()


@dataclass
class _Tally:
    """Count what is done, and report it."""

    plan: Plan
    report: Report
    games: int = 0
    blocks: int = 0

    def skip(self, level: LevelPlan, blocks: list[Block]) -> None:
        for block in blocks:
            self._count(level, block)
        self._tell(level)

    def add(self, level: LevelPlan, block: Block) -> None:
        self._count(level, block)
        self._tell(level)

    def _count(self, level: LevelPlan, block: Block) -> None:
        self.games += (block.stop - block.start) * level.matchups * level.level
        self.blocks += 1

    def _tell(self, level: LevelPlan) -> None:
        self.report(
            Progress(
                level.level, len(self.plan.levels), self.games, self.plan.games, self.blocks, self.plan.block_count
            )
        )
