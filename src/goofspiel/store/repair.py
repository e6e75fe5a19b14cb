"""Take out of a table what is damaged, so that a solve makes it anew: exactly that, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path

from goofspiel.errors import DamagedTableError, GoofspielError, MissingTableError
from goofspiel.plan import Plan, make_plan
from goofspiel.store.interrupts import uninterrupted
from goofspiel.store.places import for_zarr
from goofspiel.store.table import Table

_GROUP_FIELDS = {"attributes", "zarr_format", "node_type"}


def remove_damage(
    path: Path,
    plan: Plan,
    *,
    solver: str,
    keep: str,
    progress: Callable[[int, int], None] = lambda done, whole: None,
) -> list[str]:
    """Delete the damaged files of a table, metadata and blocks; their names. What is deleted is no longer done.

    The metadata is written anew from the plan. Every block is read: what fails its checksum, or has no gap, goes.
    """
    if not path.exists():
        return []
    removed = [file for file in sorted(path.rglob("zarr.json")) if not _is_metadata(file)]
    for file in removed:
        file.unlink()
    was_complete = False
    try:
        header = Table.open(path, cards=plan.cards, objective=plan.objective).header
        was_complete, keep, solver = header.complete, header.keep, header.solver
        plan = make_plan(plan.cards, objective=plan.objective, dtype=header.dtype)
    except MissingTableError:
        pass
    except DamagedTableError:
        removed.append(path / "zarr.json")
        (path / "zarr.json").unlink()
    table = Table.create(path, plan, solver=solver, keep=keep)  # writes what metadata is missing
    if wrong := _remove_wrong_shapes(table):
        removed += wrong
        table = Table.create(path, plan, solver=solver, keep=keep)
    blocks = [block for level in plan.levels if level.level in table.levels for block in level.blocks]
    gone = []
    for done, block in enumerate(blocks, start=1):
        file = table.block_path(block.level, block.index)
        if file.is_file() and not _is_whole(table, block.level, block.index):
            file.unlink()
            gone.append(file)
        progress(done, len(blocks))
    if was_complete and not gone:
        table.mark_complete()
    return [str(file.relative_to(path)) for file in (*removed, *gone)]


@uninterrupted()
def _is_metadata(file: Path) -> bool:
    """Whether Zarr can make sense of it."""
    import zarr

    try:
        node = zarr.open(for_zarr(file.parent), mode="r", zarr_format=3)
        # Zarr overlooks what it does not know.
        return isinstance(node, zarr.Array) or set(json.loads(file.read_bytes())) == _GROUP_FIELDS
    except Exception:  # of all kinds
        return False


def _remove_wrong_shapes(table: Table) -> list[Path]:
    """Delete metadata that can be read but describes another array."""
    removed = []
    for level in table.plan.levels:
        for shelf in range(len(level.shelves)):
            try:
                table.block_rows(level.level, shelf)
            except DamagedTableError:
                file = table.shelf_path(level.level, shelf) / "zarr.json"
                file.unlink(missing_ok=True)
                removed.append(file)
    return removed


def _is_whole(table: Table, level: int, block: int) -> bool:
    """Whether a block and its gap can be read."""
    try:
        table.read_block(level, block)
        table.block_gap(level, block)
    except (GoofspielError, FileNotFoundError):
        return False
    return True
