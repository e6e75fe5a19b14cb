"""What the figures of studies share: paper, ink, colours that everybody can tell apart, heat maps, lines."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from goofspiel.render.figures import FAINT, INK, PAPER, check_plots, figure_format, save_figure
from goofspiel.rules import Objective

GRID = "#e3e7eb"
# Okabe and Ito's colours: told apart with any kind of colour vision. Markers tell lines apart in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b6470")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LESS, MORE = "#b35806", "#0b559f"  # the ends of a scale with a middle
MIDDLE = "#f7f7f7"
EMPTY = "#ffffff"
LETTERS = 0.36  # the most lightness that letters have
TITLE_HEIGHT = 0.62  # inches above the panels
NOTE_HEIGHT = 0.3  # below them
PLAYED = {Objective.POINTS: "played for points", Objective.WIN: "played to win"}  # what a panel shows


@contextmanager
def drawn(path: Path, *, title: str, note: str, width: float, height: float) -> Iterator[Any]:
    """A figure with a title, and at its foot how it was made, to be filled with panels; then it is written."""
    figure_format(path)
    check_plots()
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    panels = (0.01, NOTE_HEIGHT / height, 0.98, 1 - (TITLE_HEIGHT + NOTE_HEIGHT) / height)
    layout = ConstrainedLayoutEngine(rect=panels, w_pad=0.12, h_pad=0.1)
    figure = Figure(figsize=(width, height), facecolor=PAPER, layout=layout)
    figure.text(0.15 / width, 1 - 0.3 / height, title, fontsize=13, fontweight="bold", color=INK, va="center")
    yield figure
    figure.text(0.15 / width, 0.15 / height, note, fontsize=8, color=FAINT, va="center", family="monospace")
    save_figure(figure, path)


def dress(axes: Any, title: str, *, across: str = "", up: str = "") -> None:
    """Words and a quiet frame for a panel."""
    axes.set_title(title, fontsize=10, color=INK, loc="left")
    axes.set_xlabel(across, fontsize=9, color=INK)
    axes.set_ylabel(up, fontsize=9, color=INK)
    axes.tick_params(which="both", length=0, labelsize=8, labelcolor=INK)
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for spine in axes.spines.values():
        spine.set_visible(False)


def legend(axes: Any, **how: Any) -> None:
    """Without a frame."""
    axes.legend(frameon=False, fontsize=8, labelcolor=INK, **how)


def line(axes: Any, number: int, points: Sequence[tuple[float, float]], label: str, **how: Any) -> None:
    """A line of its own colour and marker."""
    style = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 4.5, "linewidth": 1.6} | how
    axes.plot([x for x, _ in points], [y for _, y in points], label=label, **style)


def error_bars(axes: Any, number: int, bars: Sequence[tuple[float, float, float]]) -> None:
    """Intervals around the points of a line: (x, low, high)."""
    for x, low, high in bars:
        axes.errorbar(
            x,
            (low + high) / 2,
            (high - low) / 2,
            color=COLOURS[number],
            linewidth=1.2,
            capsize=2.5,
            capthick=1.2,
            fmt="none",
            zorder=1.5,
        )


def ends_named(axes: Any, ends: Sequence[tuple[float, float, str, str]], *, apart: float) -> None:
    """Name lines beside the right edge, `apart` of the axis from each other: (x, y, name, colour) of their ends.

    A thin line leads from each end to its name. The limits of the axes must be known by then.
    """
    to_axes = axes.transScale + axes.transLimits
    high = sorted(((float(to_axes.transform((x, y))[1]), (x, y), name, colour) for x, y, name, colour in ends))
    places = _kept_apart([place for place, *_ in high], apart)
    for (_, end, name, colour), place in zip(high, places, strict=True):
        axes.annotate(
            name,
            end,
            xytext=(1.03, place),
            textcoords="axes fraction",
            fontsize=8,
            color=darker(colour),
            va="center",
            annotation_clip=False,
            arrowprops={
                **{"arrowstyle": "-", "color": colour, "linewidth": 0.8, "linestyle": ":", "shrinkB": 4},
                "relpos": (0, 0.5),  # to the middle of the left end of the name
            },
        )


def darker(colour: str) -> str:
    """A colour for letters, which are thin: darkened until it stands out from the paper."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = to_rgb(colour)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    share = min(1.0, LETTERS / max(light, LETTERS))
    return to_hex((red * share, green * share, blue * share))


def _kept_apart(places: Sequence[float], apart: float) -> list[float]:
    """Ascending places, moved as little as keeps them apart: those that crowd are spread around their mean."""
    crowds: list[list[float]] = []
    for place in places:
        crowds.append([place])
        while len(crowds) > 1 and _spread(crowds[-1], apart)[0] < _spread(crowds[-2], apart)[-1] + apart:
            last = crowds.pop()
            crowds[-1] += last
    return [place for crowd in crowds for place in _spread(crowd, apart)]


def _spread(crowd: Sequence[float], apart: float) -> list[float]:
    middle = sum(crowd) / len(crowd)
    return [middle + apart * (number - (len(crowd) - 1) / 2) for number in range(len(crowd))]


def heat_map(
    axes: Any,
    cells: Sequence[tuple[int, int, float]],
    *,
    rows: Sequence[int],
    columns: Sequence[int],
    scale: Callable[[], tuple[Any, Any]],
    text: Callable[[float], str],
    dark: Callable[[float], bool],
) -> Any:
    """Numbers in coloured cells: (row, column, value), rows and columns named by their numbers.

    Columns beyond the last cell keep their width but have no name, so that maps above each other line up.
    """
    grid = [[float("nan")] * len(columns) for _ in rows]
    for row, column, value in cells:
        grid[rows.index(row)][columns.index(column)] = value
    shades, norm = scale()
    image = axes.imshow(grid, cmap=shades.with_extremes(bad=EMPTY), norm=norm, aspect="equal")
    for row, column, value in cells:
        colour = PAPER if dark(value) else INK
        where = columns.index(column), rows.index(row)
        axes.text(*where, text(value), ha="center", va="center", fontsize=8.5, color=colour)
    named = [column for column in columns if column <= max(column for _, column, _ in cells)]
    axes.set_xticks(range(len(named)), named)
    axes.set_yticks(range(len(rows)), rows)
    axes.grid(visible=False)
    axes.set_xticks([x - 0.5 for x in range(1, len(columns))], minor=True)
    axes.set_yticks([y - 0.5 for y in range(1, len(rows))], minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=1.2)
    axes.tick_params(which="both", length=0)
    return image


def around_the_middle() -> tuple[Any, Any]:
    """From 0 over ½ to 1."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    return LinearSegmentedColormap.from_list("middle", [LESS, MIDDLE, MORE]), Normalize(0, 1)


def from_nothing(most: float) -> tuple[Any, Any]:
    """From 0 to the largest value."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    return LinearSegmentedColormap.from_list("nothing", [MIDDLE, MORE]), Normalize(0, most or 1.0)
