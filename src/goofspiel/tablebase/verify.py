"""Check a table: every checksum, and a sample of positions solved again by HiGHS."""

from goofspiel.errors import DamagedTableError, MissingTableError
from goofspiel.store import Table
from goofspiel.tablebase.bounds import table_bound
from goofspiel.tablebase.tablebase import Tablebase
from goofspiel.tablebase.verification import Told, Verification, judge

__all__ = ["Verification", "verify"]


def verify(
    table: Table, *, samples: int = 200, seed: int = 0, progress: Told = lambda done, all_: None
) -> Verification:
    """Read every block, then solve sampled positions again; `progress` is told (done, all) of the blocks."""
    faults = {level: table.metadata_faults(level) for level in table.levels}
    damaged, size = [fault for level in table.levels for fault in faults[level]], 0
    blocks = [
        (level, block) for level in table.levels if not faults[level] for block in range(table.block_count(level))
    ]
    for done, (level, block) in enumerate(blocks, start=1):
        try:
            size += table.read_block(level, block).nbytes
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
        progress(done, len(blocks))
    for level in range(1, table.header.cards):
        try:
            table.level_gap(level)
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
    damaged = list(dict.fromkeys(damaged))  # what is damaged is noticed again and again
    read = Verification(exact=False, blocks=len(blocks), bytes=size, damaged=tuple(damaged))
    levels = [level for level in table.levels if level == 1 or level - 1 in table.levels]
    if damaged or not levels:
        # What is damaged cannot be asked, what is not kept cannot be solved from, and one card leaves nothing to ask.
        return read
    with Tablebase(table) as tablebase:
        bound = table_bound(table).value
        return judge(read, table.plan, tablebase.values, levels=levels, samples=samples, seed=seed, bound=bound)
