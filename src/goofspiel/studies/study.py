"""What a study found: a table for readers, all its numbers for programs, verdicts, and where they come from."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from textwrap import wrap
from typing import Any, TypeAlias

from goofspiel.rules import Objective, Rules, Ties
from goofspiel.tablebase import Tablebase

Cell: TypeAlias = int | float | str | None
LINE = 100  # characters of a line of text

OBJECTIVE = "objective"  # the column by which a summary is split
NOTHING = "-"  # what stands in a cell without a number


def as_number(cell: Cell) -> float:
    """A cell that must hold a number."""
    assert isinstance(cell, (int, float)), cell
    return cell


@dataclass(frozen=True)
class Column:
    """A column of a grid: its name in csv and json, its heading for readers, and how its numbers are written."""

    name: str
    format: str = ""
    heading: str = ""

    def shown(self, cell: Cell) -> str:
        """For a reader."""
        if cell is None:
            return NOTHING
        if isinstance(cell, str):
            return cell
        text = format(cell, self.format)
        zero = format(0.0 if isinstance(cell, float) else 0, self.format)
        return zero if text.replace("-", "") == zero.replace("+", "") else text  # no negative zero


@dataclass(frozen=True)
class Grid:
    """Rows under named columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows)

    def only(self, names: Sequence[str]) -> "Grid":
        """Some of the columns."""
        places = [self.names.index(name) for name in names]
        rows = tuple(tuple(row[place] for place in places) for row in self.rows)
        return Grid(tuple(self.columns[place] for place in places), rows)

    def split(self, name: str) -> list[tuple[str, "Grid"]]:
        """A grid for each cell of a column, which is left out of them."""
        place = self.names.index(name)
        others = [other for other in self.names if other != name]
        return [
            (str(cell), Grid(self.columns, tuple(row for row in self.rows if row[place] == cell)).only(others))
            for cell in dict.fromkeys(row[place] for row in self.rows)
        ]

    def records(self) -> list[dict[str, Cell]]:
        """The rows, name → cell."""
        return [dict(zip(self.names, row, strict=True)) for row in self.rows]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    def to_csv(self) -> str:
        """Full precision; an empty cell where there is no number."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.names)
        writer.writerows(self.rows)
        return text.getvalue()

    def to_text(self) -> str:
        """Aligned columns; long headings take several lines."""
        shown = self._shown()
        headings = [(column.heading or column.name).split("\n") for column in self.columns]
        height = max(map(len, headings))
        head = [[""] * (height - len(lines)) + lines for lines in headings]
        texts = [list(row) for row in zip(*head, strict=True)] + shown
        widths = [max(len(row[place]) for row in texts) for place in range(len(self.columns))]
        lines = []
        for line, row in enumerate(texts, start=1):
            cells = [
                text.ljust(width) if self._is_words(place) else text.rjust(width)
                for place, (text, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(cells).rstrip())
            if line == height:
                lines.append("  ".join("-" * width for width in widths))
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """A table of a page."""
        lines = [
            "| " + " | ".join((column.heading or column.name).replace("\n", " ") for column in self.columns) + " |"
        ]
        marks = [":---" if self._is_words(place) else "---:" for place in range(len(self.columns))]
        lines.append("| " + " | ".join(marks) + " |")
        lines += ["| " + " | ".join(row) + " |" for row in self._shown()]
        return "\n".join(lines)

    def _shown(self) -> list[list[str]]:
        return [[column.shown(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows]

    def _is_words(self, place: int) -> bool:
        """Whether a column holds words, which stand on the left."""
        return any(isinstance(row[place], str) for row in self.rows)


@dataclass(frozen=True)
class Source:
    """A table that was asked, and how wrong its values can be."""

    rules: Rules
    bound: float

    @staticmethod
    def of(tablebase: Tablebase) -> "Source":
        """What a table says of itself."""
        return Source(tablebase.rules, tablebase.bound.value)


@dataclass(frozen=True)
class Study:
    """A finished study. `summary` is for readers; `data` has every number and is what csv and figures are made of."""

    name: str
    title: str
    asked: str
    summary: Grid
    data: Grid
    verdicts: tuple[str, ...]
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    command: str
    legend: tuple[str, ...] = ()  # what the headings of the summary mean
    parts: tuple[tuple[str, tuple[str, ...]], ...] = ()  # how its columns are split: captions and names of columns

    def tables(self) -> list[tuple[str, Grid]]:
        """The summary in tables that are narrow enough to read, with their captions."""
        if self.parts:
            return [(caption, self.summary.only(names)) for caption, names in self.parts]
        if OBJECTIVE in self.summary.names:
            return self.summary.split(OBJECTIVE)
        return [("", self.summary)]

    def to_text(self) -> str:
        """For a reader."""
        lines = [self.title, "", *paragraph(self.asked, LINE), ""]
        for caption, grid in self.tables():
            lines += [f"{caption}:", ""] if caption else []
            lines += [grid.to_text(), ""]
        for meaning in self.legend:
            lines += paragraph(meaning, LINE)
        lines += [""] * bool(self.legend)
        for verdict in self.verdicts:
            lines += paragraph(verdict, LINE, bullet="- ")
        lines.append("")
        for remark in self.remarks:
            lines += paragraph(remark, LINE)
        return "\n".join([*lines, f"Command: {self.command}"])

    @property
    def remarks(self) -> list[str]:
        """What must be known, which tables, which bounds."""
        return [*self.notes, *source_lines(self.sources)]

    def to_csv(self) -> str:
        """All numbers."""
        return self.data.to_csv()

    def to_json(self) -> dict[str, Any]:
        """Everything."""
        return {
            "study": self.name,
            "title": self.title,
            "asked": self.asked,
            "summary": self.summary.records(),
            "legend": list(self.legend),
            "data": self.data.records(),
            "verdicts": list(self.verdicts),
            "tables": [
                {
                    "objective": str(source.rules.objective),
                    "cards": source.rules.cards,
                    "rules": str(source.rules),
                    "value_bound": source.bound,
                }
                for source in self.sources
            ],
            "notes": list(self.notes),
            "command": self.command,
        }


def paragraph(text: str, width: int, *, bullet: str = "") -> list[str]:
    """Lines of words, none of them broken: a command can be copied."""
    return wrap(
        text,
        width,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )


def source_lines(sources: Sequence[Source]) -> list[str]:
    """The tables of each objective in one line."""
    lines = []
    for objective, ties in product(Objective, Ties):
        kind = objective, ties
        own = {s.rules.cards: s.bound for s in sources if (s.rules.objective, s.rules.ties) == kind}
        if own:
            carried = ", ties carried," * (ties is Ties.CARRY)
            of = f"{objective}{carried} of {numbers_text(sorted(own))} cards"
            lines.append(f"Tables: {of}, every value within {max(own.values()):.1e}.")
    return lines


def runs(numbers: Sequence[int]) -> list[list[int]]:
    """Ascending numbers, neighbours together."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][-1] + 1:
            found[-1].append(number)
        else:
            found.append([number])
    return found


def numbers_text(numbers: Sequence[int]) -> str:
    """Ascending numbers in words."""
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs(numbers))
