"""Tables in many small blocks, and where the tables of points are."""

import sys
from pathlib import Path

import goofspiel as gs
from goofspiel.store import table_path

MANY_BLOCKS = {"BLOCK_BYTES": 1 << 16, "LEAST_BLOCK_ROWS": {"points": 8, "win": 2}}

# The command, with blocks so small that even ten cards have many.
SMALL_BLOCKS_COMMAND = (
    sys.executable,
    "-c",
    "import sys\n"
    "from goofspiel import plan\n"
    f"vars(plan).update({MANY_BLOCKS})\n"
    "from goofspiel.cli import main\n"
    "sys.exit(main())",
)


def points_path(store: Path, cards: int) -> Path:
    return table_path(store, cards, gs.Objective.POINTS)
