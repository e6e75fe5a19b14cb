"""Solve a table: open it or begin it, check that it fits memory and disk, and have its blocks solved."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from goofspiel import __version__
from goofspiel.errors import MissingTableError, OptionError, ResourceError, TableConflictError
from goofspiel.rules import Objective, Rules
from goofspiel.solver.block_solver import KERNEL
from goofspiel.solver.plan import Plan, size_text
from goofspiel.solver.progress import Found, OnProgress, silent
from goofspiel.solver.resources import memory_for, threads_for
from goofspiel.solver.threads import run_on_threads
from goofspiel.store import FORMAT, Layout, SolveLock, Table, make_layout, solve_command, store_at, table_path
from goofspiel.store.header import KEEP
from goofspiel.store.locations import is_local, remove_leftovers, tree_bytes
from goofspiel.store.repair import remove_damage


def solve(
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = None,
    store: Path | str | None = None,
    threads: int | None = None,
    resume: bool = False,
    dtype: str | None = None,
    keep: str = "all",
    on_progress: OnProgress = silent,
    memory: int | None = None,
    kernel: str = "",
    wait: bool = False,
    cluster: str | None = None,
    repair: bool = False,
    on_repair: Callable[[list[str]], None] = lambda files: None,
) -> Path:
    """Solve a table and keep it; the path of the table. A table that is already complete is left as it is.

    - `rules`: which game; a number of cards is the usual game, for points.
    - `objective`: what is maximised, if it is not that of the rules.
    - `store`: the folder or URL of the tables; by default the user's.
    - `threads`: how many work; by default as many as there are cores.
    - `resume`: go on with a table that is partly solved, which is an error otherwise.
    - `dtype`: `float64`, `float32`, or whole numbers of a unit, `fixed32` or `fixed24`; by default what fits, or what
      the table was begun in.
    - `keep`: `all` levels, or only the `last`, which is all that the first move needs.
    - `on_progress`: called with a `Progress` after every block.
    - `memory`: at most so many bytes are used, by default most of what is free. Levels that do not fit are read from
      the store and written to it block by block.
    - `kernel`: a build of the kernel other than the best that runs on this CPU; `GOOFSPIEL_KERNEL` names one, too.
    - `wait`: for another process that is solving the table, which is an error otherwise.
    - `cluster`: the address of a Dask scheduler whose workers solve the blocks, or `local:2` for two processes here.
    - `repair`: first delete what is damaged; with `resume` it is then solved again.
    - `on_repair`: called with the names of the files that were damaged.
    """
    if keep not in KEEP:
        raise OptionError(f"keep must be {' or '.join(KEEP)}, not {keep!r}")
    threads, memory = threads_for(threads), memory_for(memory)
    if cluster is not None:
        from goofspiel.solver.dask_client import check_address

        check_address(cluster)
    layout = make_layout(Rules.of(rules, objective=objective), dtype=dtype)
    store = store_at(store)
    path = table_path(store, layout.rules)
    with SolveLock(path, wait=wait):
        if repair:
            on_repair(remove_damage(path, layout, solver=__version__, keep=keep))
        table = _open_or_create(path, layout, store, resume=resume, keep=keep, any_dtype=dtype is None)
        if not table.header.complete:
            remove_leftovers(path)
            _check_disk(table)
            if cluster is not None:
                from goofspiel.solver.cluster import run_on_cluster

                run_on_cluster(table, cluster, on_progress=on_progress, kernel=kernel)  # workers may name their own
                return path
            kernel = kernel or os.environ.get(KERNEL, "")
            plan = Plan(table.layout, threads)
            _check_memory(plan, memory)
            run_on_threads(plan, table, memory=memory, on_progress=on_progress, kernel=kernel)
    return path


def _check_memory(plan: Plan, memory: int) -> None:
    needed = plan.memory_bytes(memory)
    if needed > memory:
        need, may, cards = size_text(needed), size_text(memory), plan.layout.rules.cards
        raise ResourceError(f"{cards} cards on {plan.threads} threads need {need} of memory, {may} may be used")


def _open_or_create(path: Path, layout: Layout, store: Path, *, resume: bool, keep: str, any_dtype: bool) -> Table:
    table, found = look(path, layout, store, keep=keep, any_dtype=any_dtype)
    if table is None:
        return Table.create(path, layout, solver=__version__, keep=keep)
    if found.complete:
        return table
    if found.done and not resume:
        command = solve_command(layout.rules, store, keep=keep, resume=True)
        blocks = f"{found.done} of {found.parts} blocks"
        raise TableConflictError(f"{path} is partly solved ({blocks}): {command} goes on with it")
    # A solve goes on with blocks of the kind that it began with.
    version = table.header.format if found.done else FORMAT
    return Table.create(path, table.layout, solver=__version__, keep=keep, version=version)


def look(path: Path, layout: Layout, store: Path, *, keep: str, any_dtype: bool) -> tuple[Table | None, Found]:
    """The table that a solve would go on with, if there is one, and how much of it; refused if it cannot go on."""
    try:
        table = Table.open(path, layout.rules)
    except MissingTableError:
        return None, Found(0, layout.block_count, "blocks", complete=False)
    if table.header.dtype != layout.dtype and not any_dtype:
        raise TableConflictError(
            f"{path} was begun in {table.header.dtype}, it cannot go on in {layout.dtype}: delete it to solve it anew"
        )
    is_whole, parts = table.header.complete and _is_whole(table), table.layout.block_count
    done = parts if is_whole else table.done_count()
    found = Found(done, parts, "blocks", complete=is_whole)
    if is_whole and table.header.keep == keep:
        return table, found
    if (is_whole or done) and table.header.keep != keep:
        command = solve_command(layout.rules, store, keep=keep)
        raise TableConflictError(
            f"{path} was begun with --keep {table.header.keep}, it cannot go on with --keep {keep}: "
            f"delete it, then {command}"
        )
    if any(
        table.block_rows(level.level, index) != band.block_rows
        for level in table.layout.levels
        for index, band in enumerate(level.bands)
    ):
        raise TableConflictError(
            f"{path} was begun by goofspiel {table.header.solver}, whose blocks have other sizes: delete it"
        )
    return table, found


def _is_whole(table: Table) -> bool:
    return all(map(table.is_level_done, table.levels))


def _check_disk(table: Table) -> None:
    """Say before the work that the disk is too small for it, not after."""
    if not is_local(table.path):
        return
    free = shutil.disk_usage(table.path).free
    needed = table.layout.disk_bytes(table.header.keep) - tree_bytes(table.path)
    if needed > free:
        raise ResourceError(
            f"no room on disk: the rest of {table.path} needs {size_text(needed)}, {size_text(free)} are free"
        )
