"""Write how the digits of exact values grow: a csv, a figure and the page, from the exact tables that are there.

goofspiel solve 7 --exact && goofspiel solve 6 --objective win --exact && python docs/results/exact.py
"""

import csv
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from itertools import pairwise
from pathlib import Path

from solved import HERE

from goofspiel import Objective, Position
from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError
from goofspiel.games.exact import to_rational
from goofspiel.games.rationals import digits, short_text
from goofspiel.render.figures import SHADES
from goofspiel.rules import Rules
from goofspiel.solver.exact import most_rounds
from goofspiel.solver.plan import size_text
from goofspiel.states.space import level_space
from goofspiel.store import default_store, solve_command
from goofspiel.store.exact_table import ExactTable
from goofspiel.studies.drawing import MARKERS, PLAYED, drawn, dress
from goofspiel.studies.growth import level_digits
from goofspiel.studies.study import Column, Grid, numbers_text, paragraph
from goofspiel.tablebase import Answer, open_tablebase

FOLDER = HERE / "exact"
TITLE = "Exact: how the digits grow"
COMMAND = "python docs/results/exact.py"
WIDTH = 120  # of a line of the page
LEAST_SHOWN = 4  # cards: below, every first bid is certain

GROWTH = (
    *(Column("objective"), Column("cards"), Column("values", ",d"), Column("longest", ",d", "longest value, digits")),
    *(Column("factor", ",.0f", "times as many"), Column("bytes", ",d")),
)
FIRST_BIDS = (
    *(Column("cards"), Column("upcard"), Column("bid"), Column("probability"), Column("command", "", "asked by")),
)


@dataclass(frozen=True)
class Line:
    """A level of an exact table: how many values, the digits of the longest and on average, and the bytes on disk."""

    objective: str
    cards: int
    level: int
    values: int
    longest: int
    mean: float
    bytes: int


@dataclass(frozen=True)
class Game:
    """All levels of an exact table."""

    lines: tuple[Line, ...]

    @property
    def objective(self) -> str:
        return self.lines[0].objective

    @property
    def cards(self) -> int:
        return self.lines[0].cards

    @property
    def values(self) -> int:
        return sum(line.values for line in self.lines)

    @property
    def longest(self) -> int:
        return max(line.longest for line in self.lines)

    @property
    def bytes(self) -> int:
        return sum(line.bytes for line in self.lines)


def read_game(table: ExactTable) -> Game:
    """Measure every level."""
    rules = table.rules
    lines = []
    for level in range(1, rules.cards):
        lengths = level_digits(table, level)
        files = [table.file(level, prize_set) for prize_set in range(level_space(rules, level).rows)]
        size = sum(file.stat().st_size for file in files)
        mean = round(sum(lengths) / len(lengths), 1)
        lines.append(Line(str(rules.objective), rules.cards, level, len(lengths), max(lengths), mean, size))
    return Game(tuple(lines))


def draw(games: Sequence[Game], path: Path) -> None:
    """The longest value by level, a line for each number of cards."""
    from matplotlib.colors import LinearSegmentedColormap

    shades = LinearSegmentedColormap.from_list("cards", SHADES[1:])
    most = max(game.cards for game in games)
    objectives = list(dict.fromkeys(game.objective for game in games))
    with drawn(path, title=TITLE, note=COMMAND, width=8.4, height=4.9) as figure:
        panels = figure.subplots(1, len(objectives), sharex=True, sharey=True, squeeze=False)[0]
        for axes, objective in zip(panels, objectives, strict=True):
            up = "digits of the longest value" if axes is panels[0] else ""
            dress(axes, PLAYED[Objective(objective)], across="level: cards left in each hand", up=up)
            for game in (game for game in games if game.objective == objective):
                colour = shades((game.cards - 2) / max(most - 2, 1))
                levels, longest = ([getattr(line, name) for line in game.lines] for name in ("level", "longest"))
                mark = {"marker": MARKERS[game.cards - 2], "markersize": 5.5, "zorder": 12 - game.cards}
                axes.plot(levels, longest, color=colour, linewidth=1.8, **mark)
                axes.annotate(
                    f"{game.cards} cards",
                    (levels[-1], longest[-1]),
                    xytext=(6, -5),
                    textcoords="offset points",
                    fontsize=8,
                    color=shades(1.0),
                    va="top",
                    annotation_clip=False,
                )
            axes.set_yscale("log")
            axes.set_xticks(range(1, most))
            axes.set_xlim(0.8, most - 0.2)
            axes.set_ylim(bottom=0.4)


def game_of(rules: Rules) -> Game | None:
    """The exact table, if it is there and complete, or small enough to be solved now."""
    try:
        with open_tablebase(rules, exact=True) as tablebase:
            return read_game(ExactTable.open(tablebase.path, rules))
    except GoofspielError:
        return None


def read_games(path: Path) -> list[Game]:
    """All exact tables; a page does not lose one that it had."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    had = {(row["objective"], int(row["cards"])) for row in csv.DictReader(lines)}
    games = []
    for objective in Objective:
        for cards in range(2, most_rounds(Rules(2, objective=objective)) + 1):
            rules = Rules(cards, objective=objective)
            game = game_of(rules)
            if game:
                games.append(game)
            elif (str(objective), cards) in had:
                raise SystemExit(f"{solve_command(rules, default_store(), exact=True)} first")
    return games


def first_bid(cards: int) -> tuple[int, int, int, str, str]:
    """The longest probability of a first bid on the lowest or the highest upcard, for points."""
    with open_tablebase(cards, exact=True) as tablebase:
        answers = [(upcard, tablebase.probe(Position.start(cards, upcard))) for upcard in (1, cards)]
    bids = [
        (upcard, bid, p) for upcard, answer in answers if isinstance(answer, Answer) for bid, p in answer.mine.items()
    ]
    upcard, bid, longest = max(bids, key=lambda one: digits(to_rational(one[2]).q))
    return cards, upcard, bid, short_text(longest), f'`goofspiel probe "start {cards} {card_name(upcard)}" --exact`'


def growth(games: Sequence[Game]) -> Grid:
    """One row a game."""
    longest = {(game.objective, game.cards): game.longest for game in games}
    rows = []
    for game in games:
        before = longest.get((game.objective, game.cards - 1))
        rows.append(
            (
                *(game.objective, game.cards, game.values, game.longest),
                *(game.longest / before if before else None, game.bytes),
            )
        )
    return Grid(GROWTH, tuple(rows))


def said(games: Sequence[Game]) -> str:
    """How numbers grow, and one step further: an extrapolation."""
    own = [game for game in games if game.objective == Objective.POINTS]
    factors = [later.longest / game.longest for game, later in pairwise(own)]
    last, before = own[-1], own[-2]
    size = size_text(round(last.bytes * last.bytes / before.bytes))
    grows = "not only longer, but longer by a growing factor" if factors == sorted(factors) else "longer by a factor"
    low = ", and by the growth of the factors too low" if factors == sorted(factors) else ""
    return (
        "The value of a game is a quotient of determinants of its payoffs, so its digits are those of all payoffs in "
        "the supports together; and the mean over the upcards adds up the digits of as many values. So one card more "
        f"makes the longest value for points {grows}: {factors[-3]:.0f}, "
        f"{factors[-2]:.0f} and {factors[-1]:.0f} with {numbers_text([game.cards for game in own[-3:]])} cards. Were "
        f"the last factors to stay as they are, a value of {last.cards + 1} cards would have "
        f"{last.longest * factors[-1] / 1e6:,.0f} million digits and the table {size}. That is an extrapolation{low}; "
        "`--force` tries."
    )


def page(games: Sequence[Game]) -> str:
    """All of it."""
    cards = numbers_text(sorted({game.cards for game in games}))
    bids = [first_bid(game.cards) for game in games if game.objective == Objective.POINTS and game.cards >= LEAST_SHOWN]
    intro = (
        "The values of every position as fractions, worked out by `goofspiel solve N --exact`: how many digits their "
        f"longest numerators and denominators have, level by level. Made by `{COMMAND}`; no number here is typed."
    )
    return "\n".join(
        [
            *(f"# {TITLE}", "", *paragraph(intro, WIDTH), ""),
            *(f"![Digits of the longest value by level, for {cards} cards](exact/digits.png)", ""),
            *(*paragraph(said(games), WIDTH), "", growth(games).to_markdown(), ""),
            *("All numbers, by level: [digits.csv](exact/digits.csv).", ""),
            *("The longest probability of a first bid on the lowest or the highest upcard, for points:", ""),
            *(Grid(FIRST_BIDS, tuple(bids)).to_markdown(), ""),
        ]
    )


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "digits.csv"
    games = read_games(path)
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([field.name for field in fields(Line)])
        writer.writerows(astuple(line) for game in games for line in game.lines)
    draw(games, FOLDER / "digits.png")
    (HERE / "exact.md").write_text(page(games), encoding="utf-8")


if __name__ == "__main__":
    main()
