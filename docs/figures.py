"""Draw the pictures of the primer, docs/theory.md, from what the package says: python docs/figures.py [FOLDER]"""

import sys
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from goofspiel import Position, Rules, open_tablebase
from goofspiel.play import load_player, respond
from goofspiel.render.figures import FAINT, INK, PAPER, SHADES
from goofspiel.store import make_layout
from goofspiel.studies.drawing import COLOURS, drawn, dress, legend, line
from goofspiel.tablebase.answer import Answer

IMAGES = Path(__file__).with_name("images")
PROBE = "24/A3/4 5"  # of two cards, so that a mix is one number
MOST = 8  # cards of the players that are measured
CARDS = 13
LEAD = "A3579/A3579/24689 -"  # equal hands in a game of nine cards
HANDS = (((2, 5, 9), (3, 5, 12)), ((4, 6, 7), (5, 6, 11)))
MINE, BOTH, THEIRS = COLOURS[0], COLOURS[2], COLOURS[1]


def draw_mix(path: Path) -> None:
    """What a mix of mine guarantees, and what a mix of theirs allows: they meet at the value."""
    with open_tablebase(5) as tablebase:
        answer = tablebase.probe(PROBE)
        assert isinstance(answer, Answer)  # an upcard is shown
    matrix, value = np.array(answer.matrix), answer.value
    shares = np.linspace(0, 1, 201)
    mine = np.outer(1 - shares, matrix[0]) + np.outer(shares, matrix[1])  # [my share of the 4][their card]
    theirs = np.outer(1 - shares, matrix[:, 0]) + np.outer(shares, matrix[:, 1])  # [their share of the 3][my card]
    title = f"Two cards each: {PROBE} is worth {value:.2f} points"
    with drawn(path, title=title, note=f'goofspiel probe "{PROBE}"', width=9, height=4.2) as figure:
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, found, edge, words in (
            (left, mine, mine.min(axis=1), ("they bid {}", "what I am sure of", "how often I bid the 4")),
            (right, theirs, theirs.max(axis=1), ("I bid {}", "what they allow me", "how often they bid the 3")),
        ):
            one, whole, across = words
            cards = ("A", "3") if axes is left else ("2", "4")
            for number, card in enumerate(cards):
                label = one.format(f"the {card}" if card != "A" else "the Ace")
                line(axes, number, list(zip(shares, found[:, number], strict=True)), label, marker="", alpha=0.75)
            axes.plot(shares, edge, color=INK, linewidth=2.6, label=whole)
            best = answer.mine[4] if axes is left else answer.theirs[3]
            axes.plot([best], [value], "o", color=INK, markersize=8, zorder=3)
            axes.annotate(
                f"{best:.2f}", (best, value), xytext=(0, 20), textcoords="offset points", color=INK, ha="center"
            )
            axes.axhline(value, color=FAINT, linewidth=0.9, linestyle=":")
            dress(axes, "my mix" if axes is left else "their mix", across=across, up="points" if axes is left else "")
            legend(axes, loc="lower center" if axes is left else "upper center")


def draw_players(path: Path) -> None:
    """What the best response gains from a player, by the number of cards."""
    names = {"match": "bids the upcard", "uniform": "bids at random", "optimal": "an optimal mix"}
    note = f"goofspiel respond match --cards N; N = 2 … {MOST}"
    with drawn(path, title="What whoever knows you can gain", note=note, width=7.5, height=4.2) as figure:
        axes = figure.subplots()
        for number, (name, label) in enumerate(names.items()):
            gained = [(n, respond(load_player(name, n), n, threads=1).value) for n in range(2, MOST + 1)]
            line(axes, number, gained, label)
        dress(axes, "points a game of a best response", across="cards")
        legend(axes, loc="upper left")


def draw_order(path: Path) -> None:
    """Two pairs of hands whose cards stand in the same order."""
    title = "Only the order counts: one matchup, worth the same for any prizes"
    with drawn(path, title=title, note="m mine, = in both hands, t theirs", width=8.2, height=3.4) as figure:
        for axes, (mine, theirs) in zip(figure.subplots(2, 1, sharex=True), HANDS, strict=True):
            for card in range(1, CARDS + 1):
                where = (card in mine) + 2 * (card in theirs)
                colour, letter = {1: (MINE, "m"), 2: (THEIRS, "t"), 3: (BOTH, "=")}.get(where, (SHADES[0], ""))
                _card(axes, card, colour, letter)
            words = f"I hold {_words(mine)}; they hold {_words(theirs)}"
            dress(axes, words)
            axes.set(xlim=(0.4, CARDS + 0.6), ylim=(-0.1, 1.35), xticks=range(1, CARDS + 1), yticks=[])
            axes.grid(visible=False)


def _card(axes: Any, card: int, colour: str, letter: str) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch((card - 0.36, 0), 0.72, 1, boxstyle="round,pad=0,rounding_size=0.1", fc=colour, ec=PAPER)
    )
    axes.text(card, 0.5, letter, color=PAPER, ha="center", va="center", fontsize=13, fontweight="bold")


def _words(cards: tuple[int, ...]) -> str:
    return ", ".join(map(str, cards[:-1])) + f" and {cards[-1]}"


def games_by_level() -> list[tuple[int, int, int]]:
    """Level, the paper's matrix games, ours; of all levels that are solved."""
    found = []
    for level in make_layout(Rules(CARDS)).levels:
        cards, hands = level.level, comb(CARDS, level.level)
        found.append((cards, cards * hands * hands * (hands - 1) // 2, level.games))
    return found


def draw_games(path: Path) -> None:
    """How many matrix games there are, with hands as sets of cards and with hands as matchups."""
    levels = games_by_level()
    title = (
        f"{CARDS} cards: {sum(ours for *_, ours in levels):,} matrix games instead of {sum(p for _, p, _ in levels):,}"
    )
    with drawn(path, title=title, note="goofspiel solve 13 --dry-run", width=8.2, height=4.2) as figure:
        axes = figure.subplots()
        for number, (which, label) in enumerate(((1, "every pair of hands (the paper)"), (2, "every matchup"))):
            line(axes, number, [(one[0], one[which]) for one in levels], label)
        axes.set_yscale("log")
        axes.set_xticks([level for level, *_ in levels])
        dress(axes, "matrix games of a level", across="cards in each hand")
        legend(axes, loc="lower center")


def draw_lead(path: Path) -> None:
    """What a lead is worth to who plays to win."""
    leads = range(-16, 17)
    with open_tablebase(Rules(9, objective="win")) as win:
        values = win.values([Position(f"{LEAD} {lead}") for lead in leads])
    note = f'goofspiel probe "{LEAD} LEAD" --objective win'
    with drawn(path, title="To win, the first points of a lead count most", note=note, width=7.5, height=4.2) as figure:
        axes = figure.subplots()
        line(axes, 0, list(zip(leads, values.tolist(), strict=True)), "P(win) − P(loss)")
        dress(axes, f"five cards each, 29 points to come: {LEAD}", across="lead in points", up="P(win) − P(loss)")


FIGURES = {
    "theory-mix": draw_mix,
    "theory-players": draw_players,
    "theory-order": draw_order,
    "theory-games": draw_games,
    "theory-lead": draw_lead,
}


def main(folder: Path = IMAGES) -> None:
    """All of them."""
    for name, draw in FIGURES.items():
        draw(folder / f"{name}.png")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
