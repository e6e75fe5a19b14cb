"""Figures, with the plots extra."""

from pathlib import Path
from typing import Any, Final

from goofspiel.cards import card_name, counted, prize_name
from goofspiel.errors import GoofspielError
from goofspiel.render.first_moves import FirstMove

# What a figure can be written as, by the end of its name; and what keeps date and version out of the file, so that the
# same figure gives the same bytes.
METADATA: Final[dict[str, dict[str, None]]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
}
DPI = 300  # of a png
CELL = 0.5  # inches
LEAST_CELLS = 8  # a figure is as wide as so many
PAPER, NEVER, INK, FAINT = "#ffffff", "#f4f5f7", "#1b2733", "#6b7785"
# One hue, light to dark: the eye reads darkness as probability, in print and for colour-blind readers too.
SHADES = ("#e6eff8", "#b5d0e9", "#74a9d4", "#3a7fb8", "#175a94", "#0a3564")
GAMMA = 0.7  # below 1: small probabilities stay apart from each other
DARK = 0.45  # shades beyond this share of the scale take white numbers


class FigureNameError(GoofspielError, ValueError):
    """The name of a figure does not say what to write."""


def check_plots() -> None:
    """Whether figures can be drawn: better known before any work than after it."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise GoofspielError("a figure needs the plots extra: pip install 'goofspiel[plots]'") from None


def figure_format(path: Path) -> str:
    """What is written to a file of this name."""
    found = path.suffix.removeprefix(".").lower()
    if found not in METADATA:
        raise FigureNameError(f"a figure is a png, pdf or svg, by the end of its name, not {path.name!r}")
    return found


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure in the format of its name."""
    import matplotlib

    kind = figure_format(path)
    with matplotlib.rc_context({"svg.hashsalt": "goofspiel", "pdf.fonttype": 42}):
        figure.savefig(path, format=kind, dpi=DPI, metadata=METADATA[kind])


def draw_first_move(table: FirstMove, path: Path | None = None) -> Any:
    """A heat map of a first-move table, numbers printed in its cells; a probability of 0 has none.

    It is returned, and written to a file if that is named.
    """
    if path:
        figure_format(path)
    check_plots()
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm
    from matplotlib.figure import Figure

    bids, upcards = table.cards, table.upcards
    cell = CELL * max(1, LEAST_CELLS / max(bids, len(upcards)))  # a small table still has room for its words
    across, down = cell * len(upcards), cell * bids
    left, right, top, bottom = 0.7, 0.2, 1.3, 0.5  # inches around the cells
    width, height = left + max(across, CELL * LEAST_CELLS) + right, top + down + bottom
    figure = Figure(figsize=(width, height), facecolor=PAPER)
    axes = figure.add_axes((left / width, bottom / height, across / width, down / height), facecolor=NEVER)

    shades = LinearSegmentedColormap.from_list("goofspiel", SHADES).with_extremes(bad=NEVER)
    scale = PowerNorm(GAMMA, vmin=0, vmax=max(0.5, float(table.probability.max())))
    shown = [[p if p > 0 else float("nan") for p in row] for row in table.probability.tolist()]
    axes.imshow(shown, cmap=shades, norm=scale, aspect="equal")
    for bid, row in enumerate(shown):
        for upcard, p in enumerate(row):
            if p > 0:
                number = f"{p:.3f}".lstrip("0")
                colour = PAPER if scale(p) > DARK else INK
                axes.text(upcard, bid, number, ha="center", va="center", fontsize=8, color=colour)

    names = [prize_name(prize).strip("[]") for prize in upcards]
    marks = ["" if only else "?" if only is None else "*" for only in table.unique]
    axes.set_xticks(range(len(names)), [name + mark for name, mark in zip(names, marks, strict=True)])
    axes.set_yticks(range(bids), [card_name(card).strip("[]") for card in range(1, bids + 1)])
    axes.xaxis.tick_top()
    axes.tick_params(which="both", length=0, labelsize=10, labelcolor=INK)
    axes.set_xticks([x - 0.5 for x in range(1, len(names))], minor=True)
    axes.set_yticks([y - 0.5 for y in range(1, bids)], minor=True)
    axes.grid(which="minor", color=PAPER, linewidth=1.4)
    for spine in axes.spines.values():
        spine.set_visible(False)

    def write(x: float, y: float, text: str, *, fontsize: int, color: str = INK, **how: Any) -> None:
        figure.text(x / width, y / height, text, fontsize=fontsize, color=color, va="center", **how)

    write(left, height - 0.32, f"The first bid, {counted(bids, 'card')}", fontsize=13, fontweight="bold")
    write(left, height - 0.6, _subtitle(table), fontsize=9, color=FAINT)
    write(left + across / 2, height - 0.92, "upcard", fontsize=10, ha="center")
    write(0.25, bottom + down / 2, "bid", fontsize=10, ha="center", rotation="vertical")
    note = "empty: probability 0" + "     * other optimal mixes exist" * (False in table.unique)
    note += "     ? others may exist: this table cannot tell" * (None in table.unique)
    write(left, 0.24, note, fontsize=9, color=FAINT)
    if path:
        save_figure(figure, path)
    return figure


def _subtitle(table: FirstMove) -> str:
    rules = "" if table.rules.is_usual else f", rules: {table.rules}"
    return f"optimal probability of each card, objective: {table.objective.unit}{rules}"
