"""Write what the win tables say, and set them beside the points tables.

goofspiel solve 9 --objective win --json > 9.json && python docs/results/win.py 9.json
"""

import csv
import sys

import numpy as np
from solved import HERE, Results, is_complete

from goofspiel import Objective, open_tablebase
from goofspiel.analysis.study_objectives import first_costs, first_moves
from goofspiel.answer import Answer

ALWAYS_ONE = (9, 9)  # cards and upcard at which the paper sees the points strategy lose to a player who bids a 1
TOLERANCE = 1e-6  # P(win) − P(loss): what the store's precision may hide
HEAD = """# Win: the first move

The strategies that maximise P(win) − P(loss), which the paper leaves open: the first-move table of every N that was
solved, what the solves took, and how the two objectives differ. Made by `python docs/results/win.py`; no number here is
typed. Two cores of a shared AVX2 machine.

"""
COSTS = """## What each objective costs in the other's currency

At the first move, the mix that is optimal for one objective is judged by the other one, with play that is optimal for
that other objective afterwards. *Against the optimal mix*: the opponent plays an optimal mix of the judging objective.
*At worst*: the opponent knows the mix and answers best. Both are means over the upcards. The last columns tell where
the two first-move tables differ most: the largest difference of a probability.

| cards | points mix gives up P(win) − P(loss): against the optimal mix | at worst | win mix gives up points: \
against the optimal mix | at worst | largest difference | upcard | bid | points | win |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


COST_COLUMNS = [
    *("cards", "upcard", "points_mix_win", "points_mix_win_at_worst", "win_mix_points", "win_mix_points_at_worst"),
]


def answers(cards: int, objective: Objective) -> list[Answer]:
    """The answers at all first moves, by upcard."""
    with open_tablebase(cards, objective=objective) as table:
        return first_moves(table)


def add_costs(results: Results) -> dict[int, np.ndarray]:
    """Judge the mixes of all games that both tables are there of, keep what was judged before: [upcard][cost]."""
    path = results.folder / "costs.csv"
    costs: dict[int, list[list[float]]] = {}
    if path.exists():
        for row in csv.DictReader(path.open(encoding="utf-8")):
            costs.setdefault(int(row["cards"]), []).append([float(row[name]) for name in COST_COLUMNS[2:]])
    for cards in results.cards:
        if all(is_complete(cards, objective) for objective in Objective):
            sides = zip(*(answers(cards, objective) for objective in Objective), strict=True)
            costs[cards] = [list(first_costs(points, win)) for points, win in sides]
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COST_COLUMNS)
        for cards in sorted(costs):
            writer.writerows([cards, upcard, *row] for upcard, row in enumerate(costs[cards], start=1))
    return {cards: np.array(costs[cards]) for cards in sorted(costs)}


def cost_line(cards: int, costs: np.ndarray, points: np.ndarray, win: np.ndarray) -> str:
    """A line of the table of costs; the first-move tables are [bid][upcard]."""
    bid, upcard = np.unravel_index(np.abs(points - win).argmax(), points.shape)
    there = points[bid, upcard], win[bid, upcard]
    numbers = [f"{mean:.4f}" for mean in costs.mean(axis=0)]
    where = [f"{abs(there[0] - there[1]):.3f}", str(upcard + 1), str(bid + 1), *(f"{p:.3f}" for p in there)]
    return "| " + " | ".join([str(cards), *numbers, *where]) + " |"


def always_one(cards: int, upcard: int) -> list[str]:
    """Does a player who always bids a 1 gain by it?"""
    points, win = (answers(cards, objective)[upcard - 1] for objective in Objective)
    payoff = np.array(win.matrix)[:, 0]  # to the one who does not bid the 1
    lines = [
        f"## A 1 on the {upcard}, with {cards} cards",
        "",
        f"The paper sees a weakness: on the upcard {upcard}, the points strategy bids the {cards} with probability",
        f"{points.mine[cards]:.4f}, and a player who always bids a 1 then gains an advantage. What that player gets,",
        "with both playing to win afterwards:",
        "",
        f"| first mix | P(it bids the {cards}) | P(the 1 gains) | P(win) − P(loss) of the 1 |",
        "| --- | ---: | ---: | ---: |",
    ]
    worth = {}
    for name, answer in (("points", points), ("win", win)):
        mix = np.array(list(answer.mine.values()))
        worth[name] = -float(mix @ payoff)
        gains = float(mix[payoff < 0].sum())
        lines.append(f"| {name} | {answer.mine[cards]:.4f} | {gains:.4f} | {round(worth[name], 4) + 0.0:+.4f} |")
    verdict = "is real" if worth["points"] > TOLERANCE else "is none, even for the points mix"
    gone = "vanishes" if worth["win"] <= TOLERANCE else "stays"
    return [*lines, "", f"The weakness {verdict}; when both play to win it {gone}.", ""]


def page(results: Results) -> str:
    """The page."""
    points = Results(Objective.POINTS)
    lines = [*results.run_lines(), COSTS.rstrip()]
    for cards, costs in add_costs(results).items():
        lines.append(cost_line(cards, costs, points.read_table(cards), results.read_table(cards)))
    lines += ["", "Source, by upcard: [costs.csv](win/costs.csv).", "", *always_one(*ALWAYS_ONE)]
    for cards in reversed(results.cards):
        lines += results.table_lines(cards)
    return HEAD + "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    win = Results(Objective.WIN)
    win.add_runs(sys.argv[1:])
    win.write_tables()
    (HERE / "win.md").write_text(page(win), encoding="utf-8")
