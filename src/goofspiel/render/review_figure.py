"""The figure of a reviewed game, with the plots extra."""

from pathlib import Path
from typing import Any

from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError
from goofspiel.records.reviews import Review
from goofspiel.render.figures import FAINT, INK, PAPER, check_plots, figure_format, save_figure
from goofspiel.render.reviews import TOGETHER, outcome, parts, prize_label, signed, title

GRID = "#e3e7eb"
# Pairs that differ in lightness too: they are told apart in grey and by colour-blind readers.
DRAW, BIDS = "#e69f00", "#0b559f"
MY_COST, THEIR_COST = "#c2410c", "#8cb4dc"
ROUND_WIDTH = 0.62  # inches
LEAST_ROUNDS = 9  # a shorter game is drawn as wide as this, so that there is room for its words
DRAWN = 0.4  # of the width of a round: where the upcard is known
BAR = 0.36  # of the width of a round
HEADROOM = 0.3  # of the height of the bars, for the numbers on them


def draw_review(review: Review, path: Path | None = None) -> Any:
    """The expected result over the rounds, moved by draws and bids; below it what each bid gave away.

    It is returned, and written to a file if that is named.
    """
    if path:
        figure_format(path)
    check_plots()
    from matplotlib.figure import Figure

    if not review.rounds:
        raise GoofspielError("there is nothing to draw: no prize has been turned up yet")

    count = len(review.rounds)
    side = ROUND_WIDTH * max(count, LEAST_ROUNDS)
    left, right, top, bottom = 0.95, 0.75, 1.55, 1.1  # inches around the panels
    upper, between, lower = 2.7, 0.5, 1.5
    width, height = left + side + right, top + upper + between + lower + bottom
    figure = Figure(figsize=(width, height), facecolor=PAPER)
    bars = figure.add_axes((left / width, bottom / height, side / width, lower / height))
    curve = figure.add_axes(
        (left / width, (bottom + lower + between) / height, side / width, upper / height), sharex=bars
    )
    for axes in (curve, bars):
        axes.grid(color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.axhline(0, color=FAINT, linewidth=1)
        axes.tick_params(length=0, labelsize=9, labelcolor=INK, labelbottom=False)
        for spine in axes.spines.values():
            spine.set_visible(False)
    bars.set_xlim(0, count)
    bars.set_xticks(range(count + 1))
    _draw_curve(curve, review)
    _draw_bars(bars, review)
    for axes in (curve, bars):
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(0, 1),
            ncols=2,
            frameon=False,
            fontsize=9,
            labelcolor=INK,
            borderaxespad=0.1,
        )

    def write(x: float, y: float, text: str, *, fontsize: int, color: str = INK, **how: Any) -> None:
        figure.text(x / width, y / height, text, fontsize=fontsize, color=color, va="center", **how)

    made, basis = (sentence.replace(TOGETHER, " ") for sentence in parts(review))
    write(left, height - 0.3, outcome(review), fontsize=13, fontweight="bold")
    write(left, height - 0.57, title(review), fontsize=9, color=FAINT)
    write(left, height - 0.82, _minus(made), fontsize=9)
    write(left, height - 1.04, _minus(basis), fontsize=9)
    rows = ("round", "prize", "you", "they")
    for row, name in enumerate(rows):
        y = bottom - 0.22 - 0.22 * row
        write(left - 0.12, y, name, fontsize=9, color=FAINT, ha="right")
        for place, reviewed in enumerate(review.rounds):
            bids = (card_name(card).strip("[]") if card else "?" for card in reviewed.round[1:])
            shown = (str(reviewed.number), prize_label(reviewed).strip("[]"), *bids)
            x = left + (place + 0.5) * side / count
            write(x, y, shown[row], fontsize=9, color=INK if row else FAINT, ha="center")
    if path:
        save_figure(figure, path)
    return figure


def _draw_curve(axes: Any, review: Review) -> None:
    """The expected result: flat or nearly so where the upcard is drawn, then where the bids take it."""
    for place, reviewed in enumerate(review.rounds):
        drawn, after = (place + DRAWN, reviewed.value), (place + 1, reviewed.value_after)
        names = ("moved by the draw", "moved by the bids") if not place else (None, None)
        line = {"linewidth": 2.2, "solid_capstyle": "round"}
        axes.plot(*zip((place, reviewed.value_before), drawn, strict=True), color=DRAW, label=names[0], **line)
        if not reviewed.round.is_open:
            axes.plot(*zip(drawn, after, strict=True), color=BIDS, label=names[1], **line)
            axes.plot(*after, "o", color=BIDS, markersize=5, clip_on=False, zorder=3)
    last = review.rounds[-1]
    end = len(review.rounds) - (1 - DRAWN) * last.round.is_open
    axes.annotate(
        _minus(signed(review.value, review) if review.result is None else f"{review.result:+.0f}"),
        (end, review.value),
        xytext=(7, 0),
        textcoords="offset points",
        va="center",
        fontsize=10,
        fontweight="bold",
        color=INK,
        annotation_clip=False,
    )
    axes.set_ylabel(f"expected {review.objective.unit}", fontsize=9, color=INK)
    axes.margins(y=0.08)


def _draw_bars(axes: Any, review: Review) -> None:
    """What was given away: by me downwards, by them, which is mine, upwards."""
    count = len(review.rounds)
    places = [place + 0.5 for place in range(count)]
    thick = BAR * count / max(count, LEAST_ROUNDS)  # the same in inches, however short the game
    given = [reviewed.their_cost for reviewed in review.rounds]
    lost = [-reviewed.cost for reviewed in review.rounds]
    axes.bar(places, given, thick, color=THEIR_COST, label="they gave away")
    axes.bar(places, lost, thick, color=MY_COST, label="you gave away")
    highest, lowest = max(*given, 0.0), min(*lost, 0.0)
    room = HEADROOM * (highest - lowest) or 1.0
    axes.set_ylim(lowest - room, highest + room)
    for reviewed, place, up, down in zip(review.rounds, places, given, lost, strict=True):
        for number, direction in ((up, 1), (down, -1)):
            if number:
                axes.annotate(
                    _minus(signed(number, review)),
                    (place, number),
                    xytext=(0, 3 * direction),
                    textcoords="offset points",
                    ha="center",
                    va="bottom" if direction > 0 else "top",
                    fontsize=8,
                    fontweight="bold" if direction < 0 and reviewed is review.worst else "normal",
                    color=INK,
                )


def _minus(text: str) -> str:
    """With the minus sign that the axes have."""
    return text.replace("-", "−")
