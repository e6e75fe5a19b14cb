"""Results in notebooks: as an html table, and as a DataFrame of pandas or polars, whichever is there."""

from fractions import Fraction
from html import escape
from importlib import import_module
from typing import Any

from goofspiel.errors import GoofspielError

LIBRARIES = ("pandas", "polars")
DIGITS = 6  # that a table shows


class Tabular:
    """A result that is a table: a notebook shows it as one."""

    __slots__ = ()

    def heading(self) -> str:
        """What stands above the table."""
        raise NotImplementedError

    def columns(self) -> dict[str, list[Any]]:
        """The table, column by column."""
        raise NotImplementedError

    def frame(self, library: str | None = None) -> Any:
        """The table as a DataFrame: of `pandas` or `polars`, by default of the first that is installed."""
        if library is not None and library not in LIBRARIES:
            raise GoofspielError(f"a frame is of {' or '.join(LIBRARIES)}, not of {library!r}")
        for name in LIBRARIES if library is None else (library,):
            try:
                return import_module(name).DataFrame(self.columns())
            except ModuleNotFoundError as error:
                if error.name != name:
                    raise
        wanted = library or " or ".join(LIBRARIES)
        raise GoofspielError(f"a frame needs {wanted}: pip install {library or LIBRARIES[0]}")

    def _repr_html_(self) -> str:
        columns = self.columns()
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = (
            "<tr>" + "".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) + "</tr>"
            for row in zip(*columns.values(), strict=True)
        )
        caption = f"<caption>{escape(self.heading())}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _shown(cell: Any) -> str:
    """A cell for a reader."""
    if isinstance(cell, Fraction):
        return str(cell) if len(str(cell)) <= 2 * DIGITS else f"≈ {float(cell):.{DIGITS}f}"
    if isinstance(cell, float):
        return f"{cell + 0.0:.{DIGITS}f}"
    return "" if cell is None else str(cell)
