"""Open the table of a plan, or begin it; check that there is room; and have the plan run."""

import shutil
from collections.abc import Callable
from pathlib import Path

from goofspiel import __version__
from goofspiel.errors import MissingTableError, SolveError
from goofspiel.plan import Plan, make_plan, size_text
from goofspiel.rules import Objective
from goofspiel.solver.progress import Report, silent
from goofspiel.solver.resources import available_memory, available_threads
from goofspiel.solver.threads import run_on_threads
from goofspiel.store import SolveLock, Table, solve_command, store_at, table_path
from goofspiel.store.header import KEEP
from goofspiel.store.locations import is_local
from goofspiel.store.repair import remove_damage


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
    cluster: str | None = None,
    repair: bool = False,
    repaired: Callable[[list[str]], None] = lambda files: None,
) -> Path:
    """Solve a table and keep it; the path of the table. A table that is already complete is left as it is.

    At most `memory` bytes are used, by default most of what is free: levels that do not fit are read from the store and
    written to it block by block. `keep="last"` keeps only the level that the first move needs. `kernel` names a build
    of the kernel other than the best that runs on this CPU. A table that another process is solving is an error, unless
    told to `wait` for it. `cluster` is the address of a Dask scheduler whose workers solve the blocks, or `local:2` for
    two processes of this machine. `repair` first deletes what is damaged, and tells `repaired` its names: with `resume`
    it is then solved again.
    """
    if keep not in KEEP:
        raise SolveError(f"keep must be {' or '.join(KEEP)}, not {keep!r}")
    plan = make_plan(cards, objective=Objective(objective), dtype=dtype)
    store = store_at(store)
    path = table_path(store, plan.cards, plan.objective)
    with SolveLock(path, wait=wait):
        if repair:
            repaired(remove_damage(path, plan, solver=__version__, keep=keep))
        table = _open_or_create(path, plan, store, resume=resume, keep=keep)
        if not table.header.complete:
            table.remove_leftovers()
            _check_room(table, plan)
            if cluster is not None:
                from goofspiel.solver.cluster import run_on_cluster

                run_on_cluster(plan, table, cluster, progress=progress, kernel=kernel)
                return path
            threads, memory = threads or available_threads(), memory or available_memory()
            _check_memory(plan, threads, memory)
            run_on_threads(plan, table, threads=threads, memory=memory, progress=progress, kernel=kernel)
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
        table.block_rows(level.level, index) != band.block_rows
        for level in plan.levels
        for index, band in enumerate(level.bands)
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
    if not is_local(table.path):
        return
    there = sum(file.stat().st_size for file in table.path.rglob("*") if file.is_file())
    free = shutil.disk_usage(table.path).free
    needed = plan.disk_bytes(table.header.keep) - there
    if needed > free:
        raise SolveError(
            f"no room on disk: the rest of {table.path} needs {size_text(needed)}, {size_text(free)} are free"
        )
