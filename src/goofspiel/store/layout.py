"""What the files of a table are called, and its empty arrays."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goofspiel.rules import Rules
from goofspiel.store.blocks import Layout, LeadBand
from goofspiel.store.encoding import DTYPES
from goofspiel.store.metadata import array_document, group_document, is_readable, write_document


def documents(layout: Layout) -> Iterator[tuple[str, dict[str, Any]]]:
    """The metadata of every part of a table but the table itself: name and document."""
    for level in layout.levels:
        yield gap_name(level.level), array_document((level.block_count,), "float64", (1,))
        if layout.rules.has_leads or layout.rules.has_pots:
            yield level_name(level.level), group_document()
        for band in level.bands:
            yield band_name(level.level, band, layout.rules), band_document(band)


def band_document(band: LeadBand, rows: int = 0, chunk: tuple[int, int] | None = None) -> dict[str, Any]:
    """The metadata of a band, of other blocks and chunks than those of its geometry if they are given."""
    chunk_rows, chunk_columns = chunk or (band.chunk_rows, band.chunk_columns)
    across = -(-band.columns // chunk_columns) * chunk_columns
    shape = [band.rows, band.columns, band.leads]
    shards = [rows or band.block_rows, across, band.leads]
    chunks = [chunk_rows, chunk_columns, band.leads]
    for sizes in (shape, shards, chunks):
        if not band.has_leads:
            del sizes[2]
        if band_axes(band) > len(sizes):
            sizes.append(band.itemsize)
    return array_document(shape, DTYPES[band.encoding.dtype][1], shards, chunks)


def band_axes(band: LeadBand) -> int:
    """The axes of the array of a band: rows, columns, perhaps leads, and the bytes of a value if they are three."""
    return 2 + band.has_leads + (band.encoding.stored.kind == "V")


def create_arrays(path: Path, layout: Layout) -> None:
    """The arrays of a table, empty; what is there, and can be read, is left alone."""
    for name, document in documents(layout):
        if not is_readable(path / name):
            write_document(path / name, document)


def level_name(level: int) -> str:
    return f"level-{level:02}"


def band_name(level: int, band: LeadBand, rules: Rules) -> str:
    parts = [f"tied-{band.ties:02}"] * rules.has_pots + [f"lead-{band.lead:02}"] * rules.has_leads
    return "/".join([level_name(level)] + ["-".join(parts)] * bool(parts))


def gap_name(level: int) -> str:
    return f"gap-{level:02}"
