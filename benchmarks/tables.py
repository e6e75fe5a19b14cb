"""Tables of results, for the terminal and for the documentation."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Grid:
    """A title, and cells of text: the first row is the header, the first column names the rows."""

    title: str
    rows: Sequence[Sequence[str]]

    def to_text(self) -> str:
        """For the terminal."""
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        lines = [self.title]
        for name, *cells in self.rows:
            padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
            lines.append("  ".join([f"  {name:<{widths[0]}}", *padded]))
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """For a page, without the title."""
        header, *rest = [f"| {' | '.join(row)} |" for row in self.rows]
        return "\n".join([header, "| --- |" + " ---: |" * (len(self.rows[0]) - 1), *rest])


def across_levels(title: str, levels: list[dict[str, Any]], rows: Iterable[tuple[str, Callable[..., str]]]) -> Grid:
    """Levels across; each row is a name and what it says of a level."""
    header = ["level", *(str(found["level"]) for found in levels)]
    return Grid(title, [header, *([name, *map(say, levels)] for name, say in rows)])


def number(value: float) -> str:
    """A number with three digits, or all those before the point; with two when it is small."""
    if abs(value) >= 99.95:
        return f"{value:,.0f}"
    if abs(value) >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.0995 else f"{value:.2g}"


def rounded(value: float) -> str:
    """A number in full when it is small, or else as a power of ten."""
    if value < 1e7:
        return f"{value:,.0f}"
    digits, power = f"{value:.1e}".split("e+")
    return f"{digits} · 10{str(int(power)).translate(SUPERSCRIPT)}"


def duration(seconds: float) -> str:
    """A time, in the largest unit that fits."""
    for unit, size in (("years", 365.25 * 86400), ("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds)} s"
