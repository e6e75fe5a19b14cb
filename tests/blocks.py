"""Tables in many small blocks, and where the tables of points are."""

import sys
from pathlib import Path

from goofspiel.rules import Rules
from goofspiel.store import table_path
from goofspiel.store.blocks import Geometry

MANY_BLOCKS = Geometry(block_bytes=1 << 16, least_rows=8, least_lead_rows=2)

# The command, with blocks so small that even ten cards have many.
SMALL_BLOCKS_COMMAND = (
    sys.executable,
    "-c",
    "import sys\n"
    "from goofspiel.store import blocks\n"
    f"blocks.GEOMETRY = blocks.{MANY_BLOCKS}\n"
    "from goofspiel.cli import main\n"
    "sys.exit(main())",
)


def points_path(store: Path, cards: int) -> Path:
    return table_path(store, Rules(cards))
