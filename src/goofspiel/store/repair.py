"""Take out of a table what is damaged, so that a solve makes it anew: exactly that, and nothing else."""

import json
from pathlib import Path
from typing import Any

from goofspiel.errors import DamagedTableError, GoofspielError, MissingTableError, SolveError
from goofspiel.interrupts import defer_sigint
from goofspiel.plan import DTYPES, Plan, make_plan
from goofspiel.store.header import Header
from goofspiel.store.layout import METADATA, create_arrays
from goofspiel.store.locations import for_zarr
from goofspiel.store.paths import solve_command
from goofspiel.store.table import Table


def remove_damage(path: Path, plan: Plan, *, solver: str, keep: str) -> list[str]:
    """Delete the damaged files of a table, metadata and blocks; their names. What is deleted is no longer done.

    Metadata is written anew from the plan. Every block is read: what fails its checksum, or has no gap, goes.
    """
    if not path.exists():
        return []
    header = _header(path, plan)
    if header is not None:
        keep, solver = header.keep, header.solver
    plan = make_plan(plan.cards, objective=plan.objective, dtype=header.dtype if header else _dtype(path, plan))
    if header is not None:
        _refuse_other_sizes(Table.open(path))
    metadata = _wrong_metadata(path, plan, header)
    for file in metadata:
        file.unlink(missing_ok=True)
    table = Table.create(path, plan, solver=solver, keep=keep) if metadata or header is None else Table.open(path)
    _refuse_lost_gaps(table)
    blocks = [
        table.block_path(block.level, block.index)
        for level in plan.levels
        if level.level in table.levels
        for block in level.blocks
        if _is_damaged(table, block.level, block.index)
    ]
    for file in blocks:
        file.unlink(missing_ok=True)
    return [str(file.relative_to(path)) for file in (*metadata, *blocks)]


def _header(path: Path, plan: Plan) -> Header | None:
    """What the table says of itself, if it can be read."""
    try:
        return Table.open(path, cards=plan.cards, objective=plan.objective).header
    except (MissingTableError, DamagedTableError):
        return None


def _dtype(path: Path, plan: Plan) -> str:
    """The type of the values of a table without a header, as most of its arrays have it."""
    arrays = [file for file in path.rglob(METADATA) if file.parent.name.startswith(("level-", "lead-"))]
    told = [dtype for file in arrays if (dtype := _content(file).get("data_type")) in DTYPES]
    return max(told, key=told.count, default=plan.dtype)


def _content(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


@defer_sigint()
def _wrong_metadata(path: Path, plan: Plan, header: Header | None) -> list[Path]:
    """The files that are not what they would be in a new table, or that are missing from one that was begun."""
    import zarr
    from zarr.storage import MemoryStore

    new = zarr.open_group(MemoryStore(), mode="a", zarr_format=3)
    create_arrays(new, plan)
    root = path / METADATA
    wrong = [root] if header is None and root.exists() else []
    for name, node in sorted(new.members(max_depth=None)):
        file, wanted = path / name / METADATA, node.metadata.to_dict()
        if header is None and not file.exists():
            continue  # it was not made yet
        # Zarr may write the same in several ways, but overlooks what it does not know of a group.
        if (_content(file) if isinstance(node, zarr.Group) else _read(file)) != wanted:
            wrong.append(file)
    return wrong


def _read(file: Path) -> Any:
    """Metadata as Zarr reads it."""
    import zarr

    try:
        return zarr.open(for_zarr(file.parent), mode="r", zarr_format=3).metadata.to_dict()
    except Exception:  # of all kinds
        return None


def _refuse_other_sizes(table: Table) -> None:
    """Refuse a table that can be read, but is cut into other blocks than those of this version."""
    for level in table.plan.levels:
        for index, band in enumerate(level.bands):
            try:
                rows = table.block_rows(level.level, index)
                sizes = rows, *table.chunk_shape(level.level, index)
                if sizes == (band.block_rows, band.chunk_rows, band.chunk_matchups):
                    continue
                for folder in (table.band_path(level.level, index) / "c").glob("[0-9]*"):
                    start = rows * int(folder.name)
                    table.read_rows(level.level, start, start + 1, band=index)
                    solver = table.header.solver
                    raise SolveError(f"{table.path} is by goofspiel {solver}, whose blocks have other sizes: delete it")
            except (DamagedTableError, MissingTableError):
                continue  # damaged, if it has other sizes at all


def _refuse_lost_gaps(table: Table) -> None:
    """Refuse a table without the gaps of levels that it does not keep: their games cannot be solved again."""
    for level in table.plan.levels:
        if level.level in table.levels:
            continue
        for block in level.blocks:
            try:
                if table.gap_path(block.level, block.index).exists():
                    table.block_gap(block.level, block.index)
                elif table.header.complete:
                    raise DamagedTableError(f"{table.gap_path(block.level, block.index)} is missing")
            except DamagedTableError as error:
                header = table.header
                command = solve_command(header.cards, header.objective, table.path.parent, keep=header.keep)
                raise SolveError(
                    f"{error}: the values of that level are not kept, delete the table, then {command}"
                ) from None


def _is_damaged(table: Table, level: int, block: int) -> bool:
    """Whether a block is there but cannot be read, or has no gap; or is missing from a complete table."""
    try:
        table.read_block(level, block)
        table.block_gap(level, block)
    except MissingTableError:
        return False  # not solved yet
    except (GoofspielError, FileNotFoundError):
        return True
    return False
