"""A table written anew: the same values in other cuts, or in another type."""

from collections.abc import Callable
from pathlib import Path

from goofspiel.errors import MissingTableError
from goofspiel.store.blocks import Block, Geometry, LevelLayout, make_layout
from goofspiel.store.table import Table


def recut(
    table: Table, path: Path, *, dtype: str, geometry: Geometry, on_bytes: Callable[[int], None] = lambda count: None
) -> Table:
    """Write a complete table anew; the new one. `on_bytes` is told how much has been written.

    Rounding a second time is added to the gaps, so that the bounds of the new table hold.
    """
    if not table.header.complete or table.header.keep != "all":
        raise MissingTableError(f"{table.path} does not have all of its levels")
    layout = make_layout(table.rules, dtype=dtype, geometry=geometry)
    new = Table.create(path, layout, solver=table.header.solver)
    for level in layout.levels:
        source = table.layout.level(level.level)
        rounded = 0.0 if dtype == table.header.dtype or level.space.has_whole_values else 2 * source.encoding.rounding
        for block in level.blocks:
            kept = table.read_rows(level.level, block.start, block.stop, band=block.band)
            values = kept if dtype == table.header.dtype else level.encoding.encode(source.encoding.decode(kept))
            new.write_block(level.level, block.index, values, _gap(table, source, block) + rounded)
            on_bytes(values.nbytes)
    new.mark_complete()
    return new


def _gap(table: Table, level: LevelLayout, block: Block) -> float:
    """The largest gap of the blocks that have rows of another one."""
    rows = table.block_rows(level.level, block.band)
    before = sum(-(-level.bands[band].rows // table.block_rows(level.level, band)) for band in range(block.band))
    blocks = range(before + block.start // rows, before + -(-block.stop // rows))
    return max(table.block_gap(level.level, each) for each in blocks)
