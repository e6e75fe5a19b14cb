"""The first-move table in fractions."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from goofspiel.position import Position
from goofspiel.render.exact_answers import Writer, beside
from goofspiel.rules import Objective
from goofspiel.tablebase.exact import ExactAnswer, ExactTablebase
from goofspiel.tablebase.first_moves import grid_text

MOST_WIDTH = 24  # of a cell in a table


@dataclass(frozen=True)
class ExactFirstMove:
    """Probabilities of the first bid, `[bid − 1][upcard − 1]`, and which columns have no other optimal mix."""

    cards: int
    objective: Objective
    probability: tuple[tuple[Fraction, ...], ...]
    unique: tuple[bool, ...]

    def to_csv(self, write: Writer) -> str:
        """Header `bid,1,2,…,N`, one row a bid."""
        header = ",".join(["bid", *map(str, range(1, self.cards + 1))])
        rows = (",".join([str(bid), *map(write, row)]) for bid, row in enumerate(self.probability, start=1))
        return "\n".join([header, *rows]) + "\n"

    def to_json(self, write: Writer) -> dict[str, Any]:
        """For json: the probabilities as texts."""
        rows = [[write(p) for p in row] for row in self.probability]
        return {
            "cards": self.cards,
            "objective": str(self.objective),
            "probability": rows,
            "unique": list(self.unique),
        }

    def to_text(self, write: Writer) -> str:
        """A table where the numbers are short, otherwise a line for each bid."""
        cells = [[write(p) for p in row] for row in self.probability]
        width = max(len(cell) for row in cells for cell in row)
        if width > MOST_WIDTH:
            return self._as_list(write)
        return grid_text(cells)

    def _as_list(self, write: Writer) -> str:
        lines = []
        for upcard, column in enumerate(zip(*self.probability, strict=True), start=1):
            lines.append(f"upcard {upcard}" + ("" if self.unique[upcard - 1] else ": one of several optimal mixes"))
            lines += [f"  bid {bid}  {beside(p, write)}" for bid, p in enumerate(column, start=1) if p]
        return "\n".join(lines) + "\n"


def exact_first_move(tablebase: ExactTablebase) -> ExactFirstMove:
    """The first-move table of a game, in fractions."""
    answers = [tablebase.probe(Position.start(tablebase.cards, upcard)) for upcard in range(1, tablebase.cards + 1)]
    columns = [answer for answer in answers if isinstance(answer, ExactAnswer)]
    rows = zip(*(answer.mine.values() for answer in columns), strict=True)
    return ExactFirstMove(
        tablebase.cards, tablebase.objective, tuple(map(tuple, rows)), tuple(answer.unique for answer in columns)
    )
