"""The figures of a benchmark: time against the number of cards, and the kernel against other solvers."""

from itertools import cycle
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernel import BATCH, IN_A_SOLVE
from phases import PHASES
from tables import duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, FAINT, LINE = "#1b2733", "#6b7785", "#dfe3e8"
# Okabe and Ito's colours: told apart by colour-blind readers too; and every curve has a marker and a name of its own.
BLUE, SKY, GREEN, ORANGE, VERMILION, PURPLE, BLACK = (
    "#0072b2",
    "#56b4e9",
    "#009e73",
    "#e69f00",
    "#d55e00",
    "#cc79a7",
    "#000000",
)
SOLVERS = {
    IN_A_SOLVE: (BLUE, "o"),
    BATCH: (SKY, "s"),
    "GLPK": (GREEN, "^"),
    "HiGHS": (ORANGE, "D"),
    "pygambit": (PURPLE, "v"),
    "nashpy, Lemke–Howson": (FAINT, "<"),
    "SciPy": (VERMILION, "P"),
    "QuantEcon": (BLACK, "X"),
    "QuantEcon, Lemke–Howson": (FAINT, "."),
}
# The builds of the kernel, and what a single call takes.
GAME_SOLVERS = SOLVERS | {
    "goofspiel, avx512": (BLUE, "o"),
    "goofspiel, avx2": (SKY, "s"),
    "goofspiel, portable": (SKY, "d"),
    "goofspiel, one call a game": (BLUE, "."),
}
PHASE_COLOURS = dict(zip(PHASES, (FAINT, SKY, BLUE, ORANGE, VERMILION), strict=True))
TIMES = {1e-3: "1 ms", 1: "1 s", 60: "1 min", 3600: "1 h", 86400: "1 day", 2_629_800: "1 month", 31_557_600: "1 year"}
SMALL_TIMES = {10: "10 ns", 100: "100 ns", 1e3: "1 µs", 1e4: "10 µs", 1e5: "100 µs", 1e6: "1 ms", 1e7: "10 ms"}
LABEL_DISTANCE = 0.048  # of the height of the axes: names closer than this would overlap
BEHIND = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}  # a number stands free of the grid
LEGEND: dict[str, Any] = {
    "loc": "upper left",
    "fontsize": 8.5,
    "labelcolor": INK,
    "framealpha": 1.0,
    "facecolor": "white",
    "edgecolor": "white",
}


def draw_time(result: dict[str, Any], path: Path) -> None:
    """CPU time against the number of cards."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.8), facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    axes.set_yscale("log")
    paper = result["paper"]
    measured = [found for found in paper if not found["extrapolated"]]
    rest = [measured[-1], *(found for found in paper if found["extrapolated"])]
    _curve(axes, measured, "glpk_seconds", color=VERMILION, marker="s", label="paper's scheme, GLPK alone: measured")
    _curve(axes, rest, "glpk_seconds", color=VERMILION, linestyle="--", label="extrapolated by its number of games")
    solver = result["solver"]
    _curve(axes, solver, "cpu_seconds", color=BLUE, label="this solver: measured by this benchmark")
    for source, filling in (("this run", BLUE), ("runs.csv", "white")):
        some = [found for found in solver if found["source"] == source]
        label = "this solver: measured before, in a long run" if source == "runs.csv" and some else None
        line = _curve(axes, some, "cpu_seconds", color=BLUE, marker="o", linestyle="", label=label)
        line.set_markerfacecolor(filling)
    axes.lines[2].set_marker("o")  # in the legend
    _name_last(axes, rest, "glpk_seconds", VERMILION, above=True)
    _name_last(axes, solver, "cpu_seconds", BLUE, above=False)
    shown = [found["cards"] for found in (*paper, *solver)]
    axes.set_xticks(range(min(shown), max(shown) + 1))
    axes.set_xlim(min(shown) - 0.4, max(shown) + 0.9)
    low, high = axes.get_ylim()
    axes.set_yticks(
        [at for at in TIMES if low <= at <= high], [name for at, name in TIMES.items() if low <= at <= high]
    )
    axes.set_ylim(low, high * 3)
    axes.set_xlabel("number of cards N")
    axes.set_ylabel("CPU time of a whole solve")
    _dress(axes)
    axes.legend(**LEGEND)
    _save(figure, path)


def _curve(axes: "Axes", found: list[dict[str, Any]], key: str, **how: Any) -> Any:
    cards, seconds = [point["cards"] for point in found], [point[key] for point in found]
    (line,) = axes.plot(cards, seconds, linewidth=1.6, markersize=6, **how)
    return line


def _name_last(axes: "Axes", found: list[dict[str, Any]], key: str, colour: str, *, above: bool) -> None:
    """Write the time of the last point, and of 13 cards, beside them."""
    for point in found:
        if point["cards"] in {13, found[-1]["cards"]}:
            text = ("≈ " if point.get("extrapolated") else "") + duration(point[key])
            offset, align = ((-6, 5), "right") if above else ((6, -5), "left")
            how: dict[str, Any] = {
                "ha": align,
                "va": "bottom" if above else "top",
                "fontsize": 8.5,
                "color": colour,
                "bbox": BEHIND,
            }
            axes.annotate(text, (point["cards"], point[key]), offset, textcoords="offset points", **how)


def draw_kernel(kernel: dict[str, Any], phases: dict[str, Any], path: Path) -> None:
    """Nanoseconds a game of all solvers; and those of the kernel, by phase, where they were measured."""
    from matplotlib.figure import Figure

    split = "skipped" not in phases
    figure = Figure(figsize=(10.4 if split else 6.4, 4.6), facecolor="white", layout="constrained")
    widths = {"width_ratios": [1.5, 1]} if split else {}
    axes = figure.subplots(1, 2 if split else 1, gridspec_kw=widths, squeeze=False)[0]
    levels = [found["level"] for found in kernel["levels"]]
    _draw_solvers(axes[0], levels, kernel["levels"], SOLVERS)
    axes[0].set_xlabel(f"level (cards in each hand), of {kernel['cards']} cards")
    axes[0].set_title("All solvers, the same games", loc="left", fontsize=10, color=INK)
    if split:
        _draw_phases(axes[1], phases)
    _save(figure, path)


def draw_games(result: dict[str, Any], path: Path) -> None:
    """Nanoseconds of unrelated games, by size."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.6), facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    sizes = [found["size"] for found in result["sizes"]]
    _draw_solvers(axes, sizes, result["sizes"], GAME_SOLVERS)
    axes.set_xlabel("rows and columns")
    _save(figure, path)


def _draw_solvers(
    axes: "Axes", places: list[int], points: list[dict[str, Any]], solvers: dict[str, tuple[str, str]]
) -> None:
    axes.set_yscale("log")
    ends = {}
    measured = {name: how for name, how in solvers.items() if name in points[0]["ns_per_game"]}
    for name, (colour, marker) in measured.items():
        ns = [found["ns_per_game"][name] for found in points]
        axes.plot(places, ns, color=colour, marker=marker, linewidth=1.6, markersize=6)
        ends[name] = ns[-1]
    _tick_times(axes, SMALL_TIMES)
    low, high = map(log10, axes.get_ylim())
    names = sorted(ends, key=lambda name: ends[name])
    for name, place in zip(names, _apart([(log10(ends[name]) - low) / (high - low) for name in names]), strict=True):
        where: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "va": "center", "fontsize": 8.5}
        axes.annotate(name, (places[-1] + 0.15, place), annotation_clip=False, color=solvers[name][0], **where)
    axes.set_xticks(places)
    axes.set_xlim(places[0] - 0.2, places[-1] + 0.1)
    axes.set_ylabel("CPU time a game")
    _dress(axes)


def _apart(places: list[float]) -> list[float]:
    """Ascending places, moved no more than needed to keep the distance of names."""
    for _ in range(1000):
        for at in range(len(places) - 1):
            lack = LABEL_DISTANCE - (places[at + 1] - places[at])
            if lack > 0:
                places[at] -= lack / 2
                places[at + 1] += lack / 2
    return places


def _draw_phases(axes: "Axes", phases: dict[str, Any]) -> None:
    levels = [found["level"] for found in phases["levels"]]
    bottom = [0.0] * len(levels)
    hatches = cycle(("", "", "", "///", "..."))
    for name, hatch in zip(PHASES, hatches, strict=False):
        ns = [max(0.0, found["ns_per_game"][name]) for found in phases["levels"]]
        how: dict[str, Any] = {"color": PHASE_COLOURS[name], "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
        axes.bar(levels, ns, 0.7, bottom, label=name, **how)
        bottom = [below + height for below, height in zip(bottom, ns, strict=True)]
    for level, total in zip(levels, bottom, strict=True):
        axes.annotate(f"{total:.0f}", (level, total), (0, 3), textcoords="offset points", ha="center", fontsize=8.5)
    axes.set_xticks(levels)
    axes.set_ylim(0, max(bottom) * 1.1)
    axes.set_xlabel("level")
    axes.set_ylabel("nanoseconds of one core a game")
    axes.set_title("The kernel in a solve, by phase", loc="left", fontsize=10, color=INK)
    _dress(axes)
    handles, names = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], names[::-1], **LEGEND)


def _tick_times(axes: "Axes", times: dict[float, str]) -> None:
    low, high = axes.get_ylim()
    shown = {at: name for at, name in times.items() if low <= at <= high}
    axes.set_yticks(list(shown), list(shown.values()))


def _dress(axes: "Axes") -> None:
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=9, labelcolor=INK, color=LINE, which="both", length=0)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(FAINT)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(color=INK, fontsize=9.5)


def _save(figure: Any, path: Path) -> None:
    # No date, no version: the same results give the same bytes.
    figure.savefig(path, format="png", dpi=200, metadata={"Software": None})
