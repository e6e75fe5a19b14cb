"""Write what the win tables say, and set them beside the points tables.

goofspiel solve 9 --objective win --json > 9.json && python docs/results/win.py 9.json
"""

import sys

import numpy as np
from solved import HERE, WIDTH, Results, is_complete, read_csv, write_csv

from goofspiel import Objective, open_tablebase
from goofspiel.rules import Rules
from goofspiel.studies.objectives import first_answers, first_costs
from goofspiel.studies.study import paragraph
from goofspiel.tablebase.answer import Answer

ALWAYS_ONE = (9, 9)  # cards and upcard at which the paper sees the points strategy lose to a player who bids a 1
TOLERANCE = 1e-6  # P(win) − P(loss): what the store's precision may hide
HEAD = """# Win: the first move

The strategies that maximise P(win) − P(loss), which the paper leaves open: the first-move table of every N that was
solved, what the solves took, and how the two objectives differ. Made by `python docs/results/win.py`; no number here is
typed. Two cores of shared machines; the kernel is the build of it that the CPU ran.

"""
COSTS = """## What each objective costs in the other's currency

At the first move, the mix that is optimal for one objective is judged by the other one, with play that is optimal for
that other objective afterwards. *Against the optimal mix*: the opponent plays an optimal mix of the judging objective.
*At worst*: the opponent knows the mix and answers best. Both are means over the upcards. Then where the two first-move
tables differ most: the largest difference of a probability. The last columns tell within what every value of the two
tables lies of the true one. `goofspiel study objectives` prints the costs from 4 cards on, and more of the kind:
[studies](studies.md).

| cards | points mix gives up P(win) − P(loss): against the optimal mix | at worst | win mix gives up points: \
against the optimal mix | at worst | largest difference | upcard | bid | points | win | points-N within | win-N within |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""

COST_COLUMNS = [
    *("cards", "upcard", "points_mix_win", "points_mix_win_at_worst", "win_mix_points", "win_mix_points_at_worst"),
]
ONE_COLUMNS = ["cards", "upcard", "first_mix", "bids_highest", "one_gains", "one_is_worth"]


def answers(cards: int, objective: Objective) -> list[Answer[float]]:
    """The answers at all first moves, by upcard."""
    with open_tablebase(cards, objective=objective) as table:
        return first_answers(table)


def update_costs(results: Results) -> None:
    """Judge the mixes of all games that both tables are there of, keep what was judged before, say which those are."""
    costs: dict[int, list[dict[str, str]]] = {}
    for row in read_csv(results.folder / "costs.csv"):
        costs.setdefault(int(row["cards"]), []).append(row)
    for cards in results.cards:
        if not all(is_complete(Rules(cards, objective=objective)) for objective in Objective):
            print(f"points-{cards} or win-{cards} is not solved: costs.csv keeps what it had", file=sys.stderr)
            continue
        costs[cards] = []
        sides = zip(*(answers(cards, objective) for objective in Objective), strict=True)
        for upcard, (points, win) in enumerate(sides, start=1):
            numbers = [str(cards), str(upcard), *map(repr, map(float, first_costs(points, win)))]
            costs[cards].append(dict(zip(COST_COLUMNS, numbers, strict=True)))
    write_csv(results.folder / "costs.csv", COST_COLUMNS, [row for cards in sorted(costs) for row in costs[cards]])


def read_costs(results: Results) -> dict[int, np.ndarray]:
    """What the mixes cost, [upcard][cost], by cards."""
    costs: dict[int, list[list[float]]] = {}
    for row in read_csv(results.folder / "costs.csv"):
        costs.setdefault(int(row["cards"]), []).append([float(row[name]) for name in COST_COLUMNS[2:]])
    return {cards: np.array(costs[cards]) for cards in sorted(costs)}


def cost_line(cards: int, costs: np.ndarray, points: Results, win: Results) -> str:
    """A line of the table of costs."""
    mixes = [side.read_table(cards) for side in (points, win)]  # [bid][upcard]
    bid, upcard = np.unravel_index(np.abs(mixes[0] - mixes[1]).argmax(), mixes[0].shape)
    there = [side[bid, upcard] for side in mixes]
    numbers = [f"{mean:.4f}" for mean in costs.mean(axis=0)]
    where = [f"{abs(there[0] - there[1]):.3f}", str(upcard + 1), str(bid + 1), *(f"{p:.3f}" for p in there)]
    bounds = [f"{side.bound(cards):.1e}" for side in (points, win)]
    return "| " + " | ".join([str(cards), *numbers, *where, *bounds]) + " |"


def update_always_one(results: Results, cards: int, upcard: int) -> None:
    """What a player gets who always bids a 1, against either first mix, with both playing to win afterwards."""
    sides = {str(objective): answers(cards, objective)[upcard - 1] for objective in Objective}
    payoff = np.array(sides[str(Objective.WIN)].matrix)[:, 0]  # to the one who does not bid the 1
    rows = []
    for name, answer in sides.items():
        mix = np.array(list(answer.mine.values()))
        numbers = (answer.mine[cards], float(mix[payoff < 0].sum()), -float(mix @ payoff))
        found = [str(cards), str(upcard), name, *map(repr, map(float, numbers))]
        rows.append(dict(zip(ONE_COLUMNS, found, strict=True)))
    write_csv(results.folder / "always-one.csv", ONE_COLUMNS, rows)


def always_one_lines(results: Results) -> list[str]:
    """Does a player who always bids a 1 gain by it?"""
    rows = {row["first_mix"]: row for row in read_csv(results.folder / "always-one.csv")}
    points, win = (rows[str(objective)] for objective in Objective)
    cards, upcard = int(points["cards"]), int(points["upcard"])
    intro = (
        f"The paper sees a weakness: on the upcard {upcard}, the points strategy bids the {cards} with probability "
        f"{float(points['bids_highest']):.4f}, and a player who always bids a 1 then gains an advantage. What that "
        f"player gets, with both playing to win afterwards:"
    )
    lines = [f"## A 1 on the {upcard}, with {cards} cards", "", *paragraph(intro, WIDTH), ""]
    lines.append(f"| first mix | P(it bids the {cards}) | P(the 1 gains) | P(win) − P(loss) of the 1 |")
    lines.append("| --- | ---: | ---: | ---: |")
    for name, row in rows.items():
        highest, gains, worth = (float(row[column]) for column in ONE_COLUMNS[3:])
        lines.append(f"| {name} | {highest:.4f} | {gains:.4f} | {round(worth, 4) + 0.0:+.4f} |")
    verdict = "is real" if float(points["one_is_worth"]) > TOLERANCE else "is none, even for the points mix"
    gone = "vanishes" if float(win["one_is_worth"]) <= TOLERANCE else "stays"
    command = f'`goofspiel probe "start {cards} {upcard}"`'
    source = (
        f"The weakness {verdict}; when both play to win it {gone}. {command}, {_points(results).proof(cards)}, and the "
        f"same with `--objective win`, {results.proof(cards)}; all digits: [csv](win/always-one.csv)."
    )
    return [*lines, "", *paragraph(source, WIDTH), ""]


def _points(results: Results) -> Results:
    return Results(Objective.POINTS, results.home)


def page(results: Results) -> str:
    """The page."""
    lines = [*results.run_lines(), COSTS.rstrip()]
    lines += [cost_line(cards, costs, _points(results), results) for cards, costs in read_costs(results).items()]
    lines += ["", "Source, by upcard: [costs.csv](win/costs.csv).", "", *always_one_lines(results)]
    for cards in reversed(results.cards):
        lines += results.table_lines(cards)
    return HEAD + "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    win = Results(Objective.WIN)
    win.update(sys.argv[1:])
    update_costs(win)
    update_always_one(win, *ALWAYS_ONE)
    (HERE / "win.md").write_text(page(win), encoding="utf-8")
