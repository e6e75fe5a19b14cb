"""What is said of a table where it is listed: all that a reader needs to know before it reads a row."""

from dataclasses import asdict
from typing import Any

from goofspiel.store import Table
from goofspiel.store.digest import table_digest
from goofspiel.tablebase import table_bound

DIGEST_LENGTH = 16  # characters that tell versions of a table apart


def table_facts(table: Table) -> dict[str, Any]:
    """What a complete table is, how it is cut, and how exact it is; for that the gaps of all blocks are read."""
    header, bound = table.header, table_bound(table)
    return {
        "rules": str(header.rules),
        "path": table.path.name,
        "format": header.format,
        "dtype": header.dtype,
        "geometry": asdict(header.geometry),
        "keep": header.keep,
        "games": table.layout.games,
        "bytes": table.layout.disk_bytes(header.keep),
        "value_bound": bound.value,
        "exploitability_bound": bound.exploitability,
        "level_bounds": list(bound.levels),
        "digest": table_digest(table)[:DIGEST_LENGTH],
    }
