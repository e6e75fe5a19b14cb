"""Write how the digits of exact values grow: a csv, a figure and the page, from the exact tables that are there.

goofspiel solve 7 --exact && python docs/results/exact.py
"""

import csv
from pathlib import Path

from matplotlib.figure import Figure
from solved import HERE

from goofspiel import Objective, Position
from goofspiel.errors import GoofspielError
from goofspiel.exact import MOST_CARDS, ExactAnswer, open_exact
from goofspiel.exact.rationals import digits, short_text
from goofspiel.exact.store import ExactTable, path_of
from goofspiel.games.exact import to_rational
from goofspiel.prizes import count

FOLDER = HERE / "exact"
COLUMNS = ["objective", "cards", "level", "values", "longest", "mean", "bytes"]
HEAD = """# Exact: how the digits grow

The values of every position as fractions, worked out by `goofspiel solve N --exact`: how many digits their longest
numerators and denominators have, level by level. Made by `python docs/results/exact.py`; no number here is typed.

![Digits of the longest value by level, for 2 to 7 cards](exact/digits.png)

The value of a game is a quotient of determinants of its payoffs, so its digits are those of all payoffs in the supports
together; and the mean over the upcards adds up the digits of as many values. With every level, numbers become as much
longer as there are cells in a support and upcards in a prize set: about fifty- to a hundredfold from the last level of
one game to the last level of the next. With 8 cards one value would have tens of millions of digits, the table tens of
gigabytes, and each first mix some hundred million digits: `--force` tries, but nobody will read them.

"""


def level_lines(table: ExactTable) -> list[list[object]]:
    """For each level: how many values, the digits of the longest and on average, and the bytes on disk."""
    lines: list[list[object]] = []
    for level in range(1, table.cards):
        lengths, size = [], 0
        for number in range(count(table.cards, level)):
            lengths += [max(digits(value.p), digits(value.q)) for value in table.read(level, number)]
            size += table.file(level, number).stat().st_size
        mean = round(sum(lengths) / len(lengths), 1)
        lines.append([str(table.header.objective), table.cards, level, len(lengths), max(lengths), mean, size])
    return lines


def draw(lines: list[list[object]], path: Path) -> None:
    """The longest value by level, a line for each number of cards."""
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for cards in sorted({line[1] for line in lines if line[0] == "points"}):
        points = [(line[2], line[4]) for line in lines if line[0] == "points" and line[1] == cards]
        axes.plot(*zip(*points, strict=True), marker="o", label=f"{cards} cards")
    axes.set_yscale("log")
    axes.set_xlabel("level: cards left in each hand")
    axes.set_ylabel("digits of the longest value")
    axes.set_xticks(range(1, 7))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(path, dpi=160, metadata={"Software": None})


def table_of(cards: int, objective: Objective) -> ExactTable | None:
    """The exact table, if it is there and complete, or small enough to be solved now."""
    try:
        with open_exact(cards, objective=objective):
            return ExactTable.open(path_of(cards, objective, None))
    except GoofspielError:
        return None


def first_bids(cards: int) -> list[str]:
    """The longest probability of the first bid, for points."""
    with open_exact(cards) as tablebase:
        answers = [tablebase.probe(Position.start(cards, upcard)) for upcard in (1, cards)]
    bids = [p for answer in answers if isinstance(answer, ExactAnswer) for p in answer.mine.values()]
    longest = max(bids, key=lambda p: digits(to_rational(p).q))
    return [f"| {cards} | {short_text(longest)} |"]


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    tables = [table_of(cards, objective) for objective in Objective for cards in range(2, MOST_CARDS[objective] + 1)]
    solved = [table for table in tables if table is not None]
    lines = [line for table in solved for line in level_lines(table)]
    with open(FOLDER / "digits.csv", "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(lines)
    draw(lines, FOLDER / "digits.png")
    rows = ["| objective | cards | values | longest value, digits | bytes |", "| --- | ---: | ---: | ---: | ---: |"]
    for table in solved:
        own = [line for line in lines if line[:2] == [str(table.header.objective), table.cards]]
        sums = [sum(int(str(line[column])) for line in own) for column in (3, 6)]
        longest = max(int(str(line[4])) for line in own)
        rows.append(f"| {table.header.objective} | {table.cards} | {sums[0]:,} | {longest:,} | {sums[1]:,} |")
    rows += [
        "",
        "Source, by level: [digits.csv](exact/digits.csv).",
        "",
        "The longest probability of a first bid on the",
    ]
    rows += ["lowest or the highest upcard, for points:", "", "| cards | probability |", "| ---: | --- |"]
    for table in solved:
        if table.header.objective == Objective.POINTS and table.cards >= 4:
            rows += first_bids(table.cards)
    (HERE / "exact.md").write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
