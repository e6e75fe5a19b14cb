"""The first-move table of the paper: an optimal mix for each upcard."""

from dataclasses import dataclass

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import Answer


@dataclass(frozen=True, slots=True, eq=False)
class FirstMove:
    """Probabilities of the first bid, `[bid − 1][upcard − 1]`, and which columns have no other optimal mix."""

    cards: int
    objective: Objective
    probability: Floats
    unique: tuple[bool, ...]
    gap: float  # the largest of the columns

    def to_csv(self) -> str:
        """Full precision: header `bid,1,2,…,N`, one row a bid."""
        header = ",".join(["bid", *map(str, range(1, self.cards + 1))])
        rows = (",".join([str(bid), *map(repr, row)]) for bid, row in enumerate(self.probability.tolist(), start=1))
        return "\n".join([header, *rows]) + "\n"

    def to_json(self) -> dict[str, object]:
        """For json: the columns by upcard."""
        return {
            "cards": self.cards,
            "objective": str(self.objective),
            "probability": self.probability.tolist(),
            "unique": list(self.unique),
            "gap": self.gap,
        }

    def to_text(self, *, digits: int | None = None) -> str:
        """As the paper prints it."""
        return grid_text(self._cells(digits))

    def to_latex(self, *, digits: int | None = None) -> str:
        """A tabular environment."""
        cells = self._cells(digits)
        lines = [
            rf"\begin{{tabular}}{{c|{'r' * self.cards}|}}",
            rf"  & \multicolumn{{{self.cards}}}{{c}}{{upcard}} \\",
            "  & " + " & ".join(rf"\textbf{{{upcard}}}" for upcard in range(1, self.cards + 1)) + r" \\ \hline",
        ]
        lines += [rf"  \textbf{{{bid}}} & " + " & ".join(row) + r" \\" for bid, row in enumerate(cells, 1)]
        return "\n".join([*lines[:-1], lines[-1] + r" \hline", r"\end{tabular}"]) + "\n"

    def _cells(self, digits: int | None) -> list[list[str]]:
        """Rounded; the paper drops the zero before the point in its large table."""
        small = self.cards < 10
        shown = digits if digits is not None else (4 if small else 3)
        return [
            ["0" if p == 0 else f"{p:.{shown}f}" if small or p >= 1 else f"{p:.{shown}f}".lstrip("0") for p in row]
            for row in self.probability.tolist()
        ]


def grid_text(cells: list[list[str]]) -> str:
    """Bids down, upcards across."""
    width = max(len(cell) for row in cells for cell in row)
    label = len(str(len(cells)))
    header = " " * label + " |" + "".join(f" {upcard:>{width}}" for upcard in range(1, len(cells) + 1))
    rows = [f"{bid:>{label}} | " + " ".join(f"{cell:>{width}}" for cell in row) for bid, row in enumerate(cells, 1)]
    return "\n".join([header, "-" * (label + 1) + "+" + "-" * (len(header) - label - 2), *rows]) + "\n"


def first_move(tablebase: Tablebase) -> FirstMove:
    """The first-move table of a game."""
    answers = [tablebase.probe(Position.start(tablebase.cards, upcard)) for upcard in range(1, tablebase.cards + 1)]
    columns = [answer for answer in answers if isinstance(answer, Answer)]
    return FirstMove(
        tablebase.cards,
        tablebase.objective,
        np.array([list(column.mine.values()) for column in columns]).T,
        tuple(column.unique for column in columns),
        max(column.gap for column in columns),
    )
