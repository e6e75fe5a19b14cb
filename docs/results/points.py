"""Write what the points tables say: first-move tables, the figures of their solves, and the page that shows both.

goofspiel solve 14 --json > 14.json && python docs/results/points.py 14.json
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from solved import FULL_SUIT, HERE, WIDTH, Results

from goofspiel import Objective
from goofspiel.studies.study import paragraph

PRINTED = HERE.parent.parent / "tests/data/first_moves.txt"  # cards, upcard, bid, probability, source
SOURCE = "paper, table 2"
MISPRINT = re.compile(r"prints (\.\d+)")  # where the column has another number than the paper
HEAD = """# Points: the first move

What `goofspiel table N` says for every N that was solved, at full precision, and what the solves took. Made by
`python docs/results/points.py`; no number here is typed. Two cores of shared machines; the kernel is the build of
it that the CPU ran.

"""


class Cell(NamedTuple):
    """A number of the paper's table, and the same from here."""

    upcard: int
    bid: int
    printed: str
    here: float

    @property
    def agrees(self) -> bool:
        """Whether the paper's number is ours, rounded to as many digits; a printed 0 is exact."""
        digits = len(self.printed.partition(".")[2])
        return (
            self.here == 0 if self.printed == "0" else f"{self.here:.{digits}f}" == f"{float(self.printed):.{digits}f}"
        )


def paper_cells(results: Results, printed: Path = PRINTED) -> list[Cell]:
    """The paper's table of 13 cards beside ours."""
    here = results.read_table(FULL_SUIT)
    cells = []
    for line in printed.read_text(encoding="utf-8").splitlines():
        if line.startswith(f"{FULL_SUIT}\t"):
            _, upcard, bid, number, source = line.split("\t")
            if source.startswith(SOURCE):
                misprint = MISPRINT.search(source)
                found = float(here[int(bid) - 1, int(upcard) - 1])
                cells.append(Cell(int(upcard), int(bid), misprint[1] if misprint else number, found))
    return cells


def paper_lines(results: Results) -> list[str]:
    """Where the paper's table and ours differ."""
    cells = paper_cells(results)
    others = [cell for cell in cells if not cell.agrees]
    text = (
        f"Of the {len(cells)} probabilities that the paper prints for {FULL_SUIT} cards, {len(cells) - len(others)} "
        f"agree to the last printed digit with those from here; these {len(others)} do not. "
        f"`goofspiel table {FULL_SUIT} --csv`; {results.proof(FULL_SUIT)}."
    )
    lines = [f"## The paper's table of {FULL_SUIT} cards", "", *paragraph(text, WIDTH), ""]
    lines += ["| upcard | bid | printed in the paper | here |", "| ---: | ---: | ---: | ---: |"]
    lines += [f"| {cell.upcard} | {cell.bid} | {cell.printed} | {cell.here:.6f} |" for cell in sorted(others)]
    return [*lines, ""]


def page(results: Results) -> str:
    """The page: all runs, the paper's table beside ours, all tables."""
    lines = [*results.run_lines(), *paper_lines(results)]
    for cards in reversed(results.cards):
        lines += results.table_lines(cards)
    return HEAD + "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    points = Results(Objective.POINTS)
    points.update(sys.argv[1:])
    (HERE / "points.md").write_text(page(points), encoding="utf-8")
