"""The first-move table of the paper: an optimal mix for each upcard, in doubles or in fractions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel.position import Position
from goofspiel.render.numbers import Writer, beside, plain
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase.answer import Answer
from goofspiel.tablebase.asking import settled
from goofspiel.tablebase.base import BaseTablebase

MOST_WIDTH = 24  # of a cell in a table


@dataclass(frozen=True, slots=True, eq=False)
class FirstMove:
    """Probabilities of the first bid, `[bid − 1][upcard − 1]`, and which columns have no other optimal mix."""

    rules: Rules
    """Which game it is."""
    probability: NDArray[Any]
    """Doubles; or fractions, where the table is exact."""
    unique: tuple[bool | None, ...]
    """By upcard: whether there is only one optimal mix; None when the table is not exact enough to tell."""
    gap: float
    """The largest of the columns."""

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self.rules.cards

    @property
    def objective(self) -> Objective:
        """What both players maximise."""
        return self.rules.objective

    @property
    def is_exact(self) -> bool:
        """Whether probabilities are fractions."""
        return self.probability.dtype == object

    def to_csv(self, write: Writer = plain) -> str:
        """Header `bid,1,2,…,N`, one row a bid; doubles in full precision."""
        header = ",".join(["bid", *map(str, range(1, self.cards + 1))])
        rows = (",".join([str(bid), *map(str, map(write, row))]) for bid, row in enumerate(self._rows, start=1))
        return "\n".join([header, *rows]) + "\n"

    def to_json(self, write: Writer = plain) -> dict[str, Any]:
        """For json: the columns by upcard."""
        found = {
            "cards": self.cards,
            "objective": str(self.objective),
            "probability": [[write(p) for p in row] for row in self._rows],
            "unique": list(self.unique),
        }
        return found if self.is_exact else found | {"gap": self.gap}

    def to_text(self, write: Writer = plain, *, digits: int | None = None) -> str:
        """As the paper prints it; fractions that are too long for a table in a line for each bid."""
        if not self.is_exact:
            return grid_text(self._rounded(digits))
        cells = [[str(write(p)) for p in row] for row in self._rows]
        width = max(len(cell) for row in cells for cell in row)
        return grid_text(cells) if width <= MOST_WIDTH else self._as_list(write)

    def to_latex(self, *, digits: int | None = None) -> str:
        """A tabular environment."""
        cells = self._rounded(digits)
        lines = [
            rf"\begin{{tabular}}{{c|{'r' * self.cards}|}}",
            rf"  & \multicolumn{{{self.cards}}}{{c}}{{upcard}} \\",
            "  & " + " & ".join(rf"\textbf{{{upcard}}}" for upcard in range(1, self.cards + 1)) + r" \\ \hline",
        ]
        lines += [rf"  \textbf{{{bid}}} & " + " & ".join(row) + r" \\" for bid, row in enumerate(cells, 1)]
        return "\n".join([*lines[:-1], lines[-1] + r" \hline", r"\end{tabular}"]) + "\n"

    @property
    def _rows(self) -> list[list[Any]]:
        rows: list[list[Any]] = self.probability.tolist()
        return rows

    def _rounded(self, digits: int | None) -> list[list[str]]:
        """The paper drops the zero before the point in its large table."""
        small = self.cards < 10
        shown = digits if digits is not None else (4 if small else 3)
        return [
            ["0" if p == 0 else f"{p:.{shown}f}" if small or p >= 1 else f"{p:.{shown}f}".lstrip("0") for p in row]
            for row in self._rows
        ]

    def _as_list(self, write: Callable[[Any], Any]) -> str:
        lines = []
        for upcard, column in enumerate(zip(*self._rows, strict=True), start=1):
            lines.append(f"upcard {upcard}" + ("" if self.unique[upcard - 1] else ": one of several optimal mixes"))
            lines += [f"  bid {bid}  {beside(p, write)}" for bid, p in enumerate(column, start=1) if p]
        return "\n".join(lines) + "\n"


def grid_text(cells: list[list[str]]) -> str:
    """Bids down, upcards across."""
    width = max(len(cell) for row in cells for cell in row)
    label = len(str(len(cells)))
    header = " " * label + " |" + "".join(f" {upcard:>{width}}" for upcard in range(1, len(cells) + 1))
    rows = [f"{bid:>{label}} | " + " ".join(f"{cell:>{width}}" for cell in row) for bid, row in enumerate(cells, 1)]
    return "\n".join([header, "-" * (label + 1) + "+" + "-" * (len(header) - label - 2), *rows]) + "\n"


def first_move(tablebase: BaseTablebase[Any]) -> FirstMove:
    """The first-move table of a game."""
    shown = [Position.start(tablebase.cards, upcard) for upcard in range(1, tablebase.cards + 1)]
    answers = [settled(tablebase.probe(position)) for position in shown]
    columns = [answer for answer in answers if isinstance(answer, Answer)]
    mixes = [list(column.mine.values()) for column in columns]
    return FirstMove(
        tablebase.rules,
        np.array(mixes, dtype=object if tablebase.exact else np.float64).T,
        tuple(column.unique for column in columns),
        max(float(column.gap) for column in columns),
    )
