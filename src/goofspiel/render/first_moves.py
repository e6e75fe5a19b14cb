"""The first-move table of the paper: an optimal mix for each upcard, in doubles or in fractions."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel.cards import prize_name
from goofspiel.notebook import Tabular
from goofspiel.position import Position
from goofspiel.render.numbers import Writer, beside, plain
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase.answer import Answer
from goofspiel.tablebase.asking import settled
from goofspiel.tablebase.base import BaseTablebase, next_upcards

MOST_WIDTH = 24  # of a cell in a table


@dataclass(frozen=True, slots=True, eq=False)
class FirstMove(Tabular):
    """Probabilities of the first bid, `[bid − 1][upcard]`, and which columns have no other optimal mix.

    There is a column for each upcard that may come first, ascending: all cards, in the usual game.
    """

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
    def upcards(self) -> tuple[int, ...]:
        """The prizes that may come first, ascending; in a known order one."""
        return next_upcards(Position.start(self.rules), self.rules)

    @property
    def is_exact(self) -> bool:
        """Whether probabilities are fractions."""
        return self.probability.dtype == object

    @property
    def _is_usual(self) -> bool:
        """Whether nothing is to be said of the rules: `Rules.is_usual` looks away from the objective."""
        return self.rules == Rules(self.cards)

    def heading(self) -> str:
        """What stands above its table."""
        return f"the first bid in the game {self.rules}: an optimal mix for each upcard"

    def columns(self) -> dict[str, list[Any]]:
        """The bids, and how likely each is for every upcard."""
        bids = {"bid": list(range(1, self.cards + 1))}
        return bids | {
            prize_name(up): list(column) for up, column in zip(self.upcards, zip(*self._rows, strict=True), strict=True)
        }

    def to_csv(self, write: Writer = plain) -> str:
        """Header `bid` and the upcards, one row a bid; doubles in full precision. Rules but the usual have a column."""
        named = not self._is_usual
        written = io.StringIO()
        lines = csv.writer(written, lineterminator="\n")
        lines.writerow(["bid", *self.upcards, *["rules"] * named])
        for bid, row in enumerate(self._rows, start=1):
            lines.writerow([bid, *map(write, row), *[str(self.rules)] * named])
        return written.getvalue()

    def to_json(self, write: Writer = plain) -> dict[str, Any]:
        """For json: the columns by upcard."""
        found = {
            "rules": str(self.rules),
            "cards": self.cards,
            "objective": str(self.objective),
            "upcards": list(self.upcards),
            "probability": [[write(p) for p in row] for row in self._rows],
            "unique": list(self.unique),
        }
        return found if self.is_exact else found | {"gap": self.gap}

    def to_text(self, write: Writer = plain, *, digits: int | None = None) -> str:
        """As the paper prints it; fractions that are too long for a table in a line for each bid."""
        said = "" if self._is_usual else f"rules {self.rules}\n\n"
        if not self.is_exact:
            return said + grid_text(self._rounded(digits), self.upcards)
        cells = [[str(write(p)) for p in row] for row in self._rows]
        width = max(len(cell) for row in cells for cell in row)
        return said + (grid_text(cells, self.upcards) if width <= MOST_WIDTH else self._as_list(write))

    def to_latex(self, *, digits: int | None = None) -> str:
        """A tabular environment."""
        cells, columns = self._rounded(digits), len(self.upcards)
        lines = [] if self._is_usual else [f"% rules {self.rules}"]
        lines += [
            rf"\begin{{tabular}}{{c|{'r' * columns}|}}",
            rf"  & \multicolumn{{{columns}}}{{c}}{{upcard}} \\",
            "  & " + " & ".join(rf"\textbf{{{upcard}}}" for upcard in self.upcards) + r" \\ \hline",
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
        for upcard, column, unique in zip(self.upcards, zip(*self._rows, strict=True), self.unique, strict=True):
            lines.append(f"upcard {upcard}" + ("" if unique else ": one of several optimal mixes"))
            lines += [f"  bid {bid}  {beside(p, write)}" for bid, p in enumerate(column, start=1) if p]
        return "\n".join(lines) + "\n"


def grid_text(cells: list[list[str]], upcards: tuple[int, ...]) -> str:
    """Bids down, upcards across."""
    width = max(len(cell) for row in [*cells, [*map(str, upcards)]] for cell in row)
    label = len(str(len(cells)))
    header = " " * label + " |" + "".join(f" {upcard:>{width}}" for upcard in upcards)
    rows = [f"{bid:>{label}} | " + " ".join(f"{cell:>{width}}" for cell in row) for bid, row in enumerate(cells, 1)]
    return "\n".join([header, "-" * (label + 1) + "+" + "-" * (len(header) - label - 2), *rows]) + "\n"


def first_move(tablebase: BaseTablebase[Any]) -> FirstMove:
    """The first-move table of a game."""
    rules = tablebase.rules
    shown = [Position.start(rules, upcard) for upcard in next_upcards(Position.start(rules), rules)]
    answers = [settled(tablebase.probe(position)) for position in shown]
    columns = [answer for answer in answers if isinstance(answer, Answer)]
    mixes = [list(column.mine.values()) for column in columns]
    return FirstMove(
        rules,
        np.array(mixes, dtype=object if tablebase.exact else np.float64).T,
        tuple(column.unique for column in columns),
        max(float(column.gap) for column in columns),
    )
