"""Take out of a table what is damaged, so that a solve makes it anew: exactly that, and nothing else."""

from pathlib import Path
from typing import Any

from goofspiel.errors import DamagedTableError, MissingTableError, SolveError
from goofspiel.store.blocks import Layout, make_layout
from goofspiel.store.encoding import DTYPES
from goofspiel.store.header import FORMAT, MANIFEST_FORMAT, Header
from goofspiel.store.layout import band_name, documents
from goofspiel.store.locations import file_bytes
from goofspiel.store.metadata import METADATA, is_same, read_document
from goofspiel.store.paths import solve_command
from goofspiel.store.shards import ShardShape
from goofspiel.store.table import Table


def remove_damage(path: Path, layout: Layout, *, solver: str, keep: str) -> list[str]:
    """Delete the damaged files of a table, metadata and blocks; their names. What is deleted is no longer done.

    Metadata is written anew from the layout. Every block is read: what fails its checksum, is not what the manifest has
    for its place, or has no gap, goes.
    """
    if not path.exists():
        return []
    header = _header(path, layout)
    version = 0  # not known
    if header is not None:
        keep, solver, version = header.keep, header.solver, header.format
        layout = make_layout(layout.rules, dtype=header.dtype, geometry=header.geometry)
        _refuse_other_sizes(Table.open(path))
    else:
        layout = make_layout(layout.rules, dtype=_dtype(path, layout), geometry=layout.geometry)
    metadata = _wrong_metadata(path, layout, header)
    for file in metadata:
        file.unlink(missing_ok=True)
    if metadata or header is None:
        table = Table.create(path, layout, solver=solver, keep=keep, version=version or _version(path, layout))
    else:
        table = Table.open(path)
    _refuse_lost_gaps(table)
    blocks = [
        table.block_path(block.level, block.index)
        for level in layout.levels
        if level.level in table.levels
        for block in level.blocks
        if _is_damaged(table, block.level, block.index)
    ]
    for file in blocks:
        file.unlink(missing_ok=True)
    return [str(file.relative_to(path)) for file in (*metadata, *blocks)]


def _header(path: Path, layout: Layout) -> Header | None:
    """What the table says of itself, if it can be read."""
    try:
        return Table.open(path, layout.rules).header
    except (MissingTableError, DamagedTableError):
        return None


def _dtype(path: Path, layout: Layout) -> str:
    """The type of the values of a table without a header, as most of its arrays have it."""
    arrays = [file for file in path.rglob(METADATA) if file.parent.name.startswith(("level-", "lead-", "tied-"))]
    names = {kept: dtype for dtype, (_, kept) in DTYPES.items()}
    told = [names[kept] for file in arrays if (kept := _content(file.parent).get("data_type")) in names]
    return max(told, key=told.count, default=layout.dtype)


def _version(path: Path, layout: Layout) -> int:
    """The format of a table without a header, as most of its blocks have it: by their sizes."""
    told = []
    for level in layout.levels:
        for band in level.bands:
            cut = band.block_rows, band.columns, band.leads, band.chunk_rows, band.chunk_columns
            whole = ShardShape(*cut, level.encoding)
            versions = {whole.file_bytes(entry=True): FORMAT, whole.file_bytes(entry=False): MANIFEST_FORMAT - 1}
            files = (path / band_name(level.level, band, layout.rules) / "c").rglob("0")
            told += [versions[size] for file in files if (size := file_bytes(file)) in versions]
    return max(told, key=told.count, default=FORMAT)


def _content(folder: Path) -> dict[str, Any]:
    try:
        return read_document(folder)
    except (OSError, ValueError):
        return {}


def _wrong_metadata(path: Path, layout: Layout, header: Header | None) -> list[Path]:
    """The files that are not what they would be in a new table, or that are missing from one that was begun."""
    root = path / METADATA
    wrong = [root] if header is None and root.exists() else []
    for name, document in sorted(documents(layout), key=lambda part: part[0]):
        file = path / name / METADATA
        if header is None and not file.exists():
            continue  # it was not made yet
        if not is_same(_content(path / name), document):
            wrong.append(file)
    return wrong


def _refuse_other_sizes(table: Table) -> None:
    """Refuse a table that can be read, but is cut into other blocks than its geometry says: a format that had none."""
    for level in table.layout.levels:
        for index, band in enumerate(level.bands):
            try:
                rows = table.block_rows(level.level, index)
                sizes = rows, *table.chunk_shape(level.level, index)
                if sizes == (band.block_rows, band.chunk_rows, band.chunk_columns):
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
    for level in table.layout.levels:
        if level.level in table.levels:
            continue
        for block in level.blocks:
            try:
                if table.gap_path(block.level, block.index).exists():
                    table.block_gap(block.level, block.index)
                elif table.header.complete:
                    raise DamagedTableError(f"{table.gap_path(block.level, block.index)} is missing")
            except DamagedTableError as error:
                command = solve_command(table.rules, table.path.parent, keep=table.header.keep)
                raise SolveError(
                    f"{error}: the values of that level are not kept, delete the table, then {command}"
                ) from None


def _is_damaged(table: Table, level: int, block: int) -> bool:
    """Whether a block is there but cannot be read, or has no gap; or is missing from a complete table."""
    try:
        table.check_block(level, block)
    except MissingTableError:
        return table.block_path(level, block).exists()  # if not, it is not solved yet
    except DamagedTableError:
        return True
    return False
