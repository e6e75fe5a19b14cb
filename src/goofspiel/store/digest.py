"""What another copy of a table must have: one digest of all that it holds."""

from hashlib import sha256
from struct import pack

from goofspiel.errors import MissingTableError
from goofspiel.store.manifest import place_of
from goofspiel.store.table import Table


def table_digest(table: Table) -> str:
    """The sha256 of what a complete table is, then of the manifest's entry of every block, in their order.

    Of a block that is not kept there is its gap. A table without a manifest has the same digest as one with it.
    """
    if not table.header.complete:
        raise MissingTableError(f"{table.path} is not completely solved: it has no digest yet")
    digest = sha256(table.identity)
    for level in table.layout.levels:
        for block in range(table.block_count(level.level)):
            if level.level in table.levels:
                entry = table.entry(level.level, block)
                digest.update(entry.to_bytes(place_of(table.identity, level.level, block)))
            else:
                digest.update(pack("<d", table.block_gap(level.level, block)))
    return digest.hexdigest()
