"""Figures, with the plots extra."""

from pathlib import Path

from goofspiel.analysis.first_move import FirstMove
from goofspiel.errors import GoofspielError
from goofspiel.rules import card_name


def draw_first_move(table: FirstMove, path: Path) -> None:
    """A heat map of a first-move table, numbers printed in its cells."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise GoofspielError("a png needs the plots extra: pip install 'goofspiel[plots]'") from None

    size = table.cards
    figure = Figure(figsize=(1.6 + 0.52 * size, 1.4 + 0.46 * size), layout="constrained")
    axes = figure.subplots()
    colours = mpl.colormaps["cividis_r"]
    axes.imshow(table.probability, cmap=colours, vmin=0, vmax=max(0.5, table.probability.max()), aspect="auto")
    top = max(0.5, float(table.probability.max()))
    for bid, row in enumerate(table.probability.tolist()):
        for upcard, probability in enumerate(row):
            if probability > 0:
                text = f"{probability:.3f}".lstrip("0")
                dark = sum(colours(probability / top)[:3]) < 1.5
                axes.text(upcard, bid, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")
    names = [card_name(card) for card in range(1, size + 1)]
    axes.set_xticks(range(size), names)
    axes.set_yticks(range(size), names)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("upcard")
    axes.set_ylabel("bid")
    axes.set_xticks([x - 0.5 for x in range(1, size)], minor=True)
    axes.set_yticks([y - 0.5 for y in range(1, size)], minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="both", length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    goal = "most points" if table.objective == "points" else "to win"
    axes.set_title(f"First bid with {size} cards, {goal}: probability of each card", fontsize=11)
    figure.savefig(path, dpi=150)
