"""The figures of the studies, with the plots extra: each from the data of a study, as a png."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from goofspiel.analysis import study_chip, study_heuristics, study_objectives
from goofspiel.analysis.figures import FAINT, INK
from goofspiel.analysis.study import Cell, Study, number
from goofspiel.analysis.study_drawing import (
    COLOURS,
    MARKERS,
    around_the_middle,
    drawn,
    dress,
    ends_named,
    from_nothing,
    heat_map,
    legend,
    line,
)
from goofspiel.rules import Objective

ROOM = 1.5  # of the height of a panel, so that its legend stands above its lines
CELL = 0.36  # inches of a heat map's cell

Record = dict[str, Cell]


def _objectives(records: Sequence[Record]) -> list[str]:
    return [str(objective) for objective in Objective if any(row["objective"] == objective for row in records)]


def draw_parity(study: Study, path: Path) -> None:
    """How much of the probability is on bids of the upcard's parity: cards down, upcards across."""
    records = study.data.records()
    objectives = _objectives(records)
    games = sorted({int(number(row["cards"])) for row in records})
    upcards = range(1, games[-1] + 1)
    width = len(objectives) * (len(upcards) * CELL + 0.65) + 1.2
    with drawn(study, path, width=max(width, 6.0), height=max(len(games) * CELL + 1.75, 3.2)) as figure:
        panels = figure.subplots(1, len(objectives), squeeze=False)[0]
        for axes, objective in zip(panels, objectives, strict=True):
            cells = [
                (int(number(row["cards"])), int(number(row["upcard"])), number(row["same_parity"]))
                for row in records
                if row["objective"] == objective
            ]
            unit = "for points" if objective == Objective.POINTS else "to win"
            dress(axes, f"played {unit}", across="upcard", up="number of cards")
            image = heat_map(
                axes,
                cells,
                rows=games,
                columns=upcards,
                scale=around_the_middle,
                text=lambda value: f"{100 * value:.0f}",
                dark=lambda value: abs(value - 0.5) > 0.3,
            )
        bar = figure.colorbar(image, ax=list(panels), shrink=0.8, aspect=30, ticks=[0, 0.25, 0.5, 0.75, 1])
        bar.ax.set_yticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
        bar.set_label("first bids of the upcard's parity", fontsize=9, color=INK)
        bar.ax.tick_params(length=0, labelsize=8, labelcolor=INK)
        bar.outline.set_visible(False)


def draw_chip(study: Study, path: Path) -> None:
    """The definitions beside the estimate, by the number of cards; and by the cards in a hand."""
    records = study.data.records()
    most = int(max(number(row["cards"]) for row in records))
    least = int(min(number(row["cards"]) for row in records))
    with drawn(study, path, width=10.5, height=4.9) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
        dress(left, "by the number of cards N", across="number of cards N", up="points a pip")
        ends = []
        for place, name in enumerate(study_chip.DEFINITIONS):
            points = [
                (number(row["cards"]), number(row["value"]))
                for row in records
                if row["definition"] == name and row["level"] is None and row["value"] is not None
            ]
            if points:
                line(left, place, points, name)
                ends.append((*points[-1], name, COLOURS[place]))
        across = range(least, most + 1)
        left.plot(across, [study_chip.estimate(cards) for cards in across], "--", color=INK, linewidth=2.2, zorder=5)
        ends.append((float(most), study_chip.estimate(most), "1 + 1/(2N − 2)", INK))
        left.set_xticks(across)
        left.set_xlim(least - 0.3, most + 2.6)
        ends_named(left, ends, apart=0.052)
        dress(
            right,
            f"by the cards in a hand j, out of {most} ranks",
            across="cards in a hand j",
            up="points a pip",
        )
        levels = range(study_chip.LEAST, most)
        for place, name in enumerate(study_chip.DEFINITIONS):
            points = [
                (number(row["level"]), number(row["value"]))
                for row in records
                if row["definition"] == name and row["cards"] == most and (row["level"] or 0) in levels
            ]
            if points:
                line(right, place, points, name)
        if levels:
            right.plot(
                levels,
                [study_chip.estimate(level) for level in levels],
                "--",
                color=INK,
                linewidth=2.2,
                zorder=5,
                label="1 + 1/(2j − 2)",
            )
            right.set_xticks(levels)
            legend(right, loc="upper right")


def draw_objectives(study: Study, path: Path) -> None:
    """Where the first mixes differ, and what the players take from each other in whole games."""
    records = study.data.records()
    differ = [row for row in records if row["quantity"] == study_objectives.DIFFERENCE]
    cells = [(int(number(row["cards"])), int(number(row["upcard"])), number(row["value"])) for row in differ]
    games = sorted({row for row, _, _ in cells})
    height = max(len(games) * CELL + 2.2, 4.6)
    with drawn(study, path, width=games[-1] * CELL + 6.8, height=height) as figure:
        first, others = figure.subfigures(1, 2, width_ratios=(games[-1] * CELL + 2.0, 4.8))
        axes = first.subplots()
        dress(axes, "first mixes: % of the probability that differs", across="upcard", up="number of cards")
        most = max(value for _, _, value in cells)
        heat_map(
            axes,
            cells,
            rows=games,
            columns=range(1, games[-1] + 1),
            scale=lambda: from_nothing(most),
            text=lambda value: f"{100 * value:.0f}",
            dark=lambda value: value > 0.6 * most,
        )
        upper, lower = others.subplots(2, 1, sharex=True)
        names = (*study_objectives.WHOLE_GAMES, *study_objectives.AT_WORST)
        panels = (upper, lower, lower, upper)
        labels = (
            "the points player takes from the win player",
            "the win player takes from the points player",
            "a best response takes from the points player",
            "a best response takes from the win player",
        )
        dress(upper, "whole games, in points", up="points a game")
        dress(lower, "whole games, in P(win) − P(loss)", across="number of cards", up="P(win) − P(loss)")
        for place, (name, panel, label) in enumerate(zip(names, panels, labels, strict=True)):
            own = [row for row in records if row["quantity"] == name]
            points = [(number(row["cards"]), number(row["value"])) for row in own]
            if not points:
                continue
            colour = 0 if panel is upper else 1
            worst = place >= len(study_objectives.WHOLE_GAMES)
            line(panel, colour, points, label, linestyle=":" if worst else "-", fillstyle="none" if worst else "full")
            for row in own:
                if row["low"] is not None:
                    x = number(row["cards"])
                    panel.plot([x, x], [number(row["low"]), number(row["high"])], color=COLOURS[colour], linewidth=1)
        for panel in (upper, lower):
            panel.set_ylim(0, ROOM * panel.get_ylim()[1])
            panel.set_xticks(games)
            legend(panel, loc="upper left")


def draw_heuristics(study: Study, path: Path) -> None:
    """What each rule loses, to a best response and to optimal play; and how that grows."""
    records = study.data.records()
    games = sorted({int(number(row["cards"])) for row in records})
    searched = [int(number(row["cards"])) for row in records if row["rule"] == study_heuristics.BY_UPCARD]
    shown = max(searched, default=games[-1])
    own = sorted((row for row in records if row["cards"] == shown), key=lambda row: -number(row["exploitability"]))
    points = own[0]["objective"] == Objective.POINTS
    unit = "points a game" if points else "P(win) − P(loss)"
    with drawn(study, path, width=10.5, height=0.3 * len(own) + 2.2) as figure:
        left, right = figure.subplots(1, 2, width_ratios=(1.1, 1))
        dress(left, f"{shown} cards: what a rule loses", across=unit)
        places = range(len(own))
        for place, row in enumerate(own):
            worst, loss = number(row["exploitability"]), number(row["loss_to_optimal"])
            left.plot([loss, worst], [place, place], color=FAINT, linewidth=1, zorder=1)
        for number_, (name, key) in enumerate(
            (("to a best response", "exploitability"), ("to optimal play", "loss_to_optimal"))
        ):
            style = {"color": COLOURS[1 - number_], "marker": MARKERS[number_], "linestyle": "none", "markersize": 6}
            left.plot([number(row[key]) for row in own], list(places), label=name, **style)
        left.set_yticks(places, [_rule_name(row) for row in own])
        left.set_xlim(left=0)
        left.grid(visible=False, axis="y")
        legend(left, loc="upper right")
        _draw_shares(right, records, games, points=points, unit=unit)


def _rule_name(row: Record) -> str:
    parameter = "" if row["parameter"] is None else f", p = {row['parameter']:.2f}"
    return f"{row['rule']}{parameter}" + ("" if row["random"] else "  (no chance)")


def _draw_shares(axes: Any, records: Sequence[Record], games: Sequence[int], *, points: bool, unit: str) -> None:
    """The exploitability of some rules by the number of cards, as a share of all prizes."""
    key, up = ("share_of_prizes", "share of all prizes") if points else ("exploitability", unit)
    dress(axes, "to a best response, by the number of cards", across="number of cards", up=up)
    chosen = [
        *("match", "uniform", study_heuristics.FIRST_MOVE, "up to double", "up to double, by rank"),
        *("up to p times, by rank", study_heuristics.BY_UPCARD),
    ]
    ends = []
    for place, name in enumerate(chosen):
        line_ = [(number(row["cards"]), number(row[key])) for row in records if row["rule"] == name]
        if line_:
            line(axes, place, line_, name)
            ends.append((*line_[-1], name, COLOURS[place]))
    axes.set_ylim(bottom=0)
    axes.set_xticks(games)
    axes.set_xlim(games[0] - 0.2, games[-1] + 0.2 + 0.55 * len(games))
    ends_named(axes, [(games[-1], y, name, colour) for _, y, name, colour in ends], apart=0.05)


def draw_growth(study: Study, path: Path) -> None:
    """Games and digits by the number of cards; supports and saddle points by level."""
    records = study.data.records()
    objectives = _objectives(records)
    with drawn(study, path, width=10, height=7.2) as figure:
        (games, digits), (support, saddle) = figure.subplots(2, 2)
        dress(games, "matrix games and bytes", across="number of cards")
        dress(digits, "digits of the longest exact value", across="number of cards")
        dress(support, "cards in an optimal mix", across="level: cards left in a hand")
        dress(saddle, "games with a saddle point", across="level: cards left in a hand")
        for place, objective in enumerate(objectives):
            own = [row for row in records if row["objective"] == objective]
            cards = sorted({int(number(row["cards"])) for row in own})
            for key, fill in (("games", "full"), ("bytes", "none")):
                sums = [(n, sum(number(row[key]) for row in own if row["cards"] == n)) for n in cards]
                style = "-" if fill == "full" else ":"
                line(games, place, sums, f"{objective}, {key}", fillstyle=fill, linestyle=style)
            longest = [
                (n, [number(r["digits"]) for r in own if r["cards"] == n and r["digits"] is not None]) for n in cards
            ]
            known = [(n, max(some)) for n, some in longest if some]
            if known:
                line(digits, place, known, objective)
            for n, fill, style in ((cards[-1], "full", "-"), (cards[len(cards) // 2], "none", ":")):
                rows = [row for row in own if row["cards"] == n]
                for axes, key in ((support, "support"), (saddle, "saddle")):
                    value = key if key == "support" else "saddle_share"
                    line_ = [(number(row["level"]), number(row[value])) for row in rows]
                    line(axes, place, line_, f"{objective}, {n} cards", fillstyle=fill, linestyle=style)
                    for row in rows:
                        x = number(row["level"])
                        limits = [number(row[f"{key}_{end}"]) for end in ("low", "high")]
                        if max(map(abs, limits)) < float("inf"):
                            axes.plot([x, x], limits, color=COLOURS[place], linewidth=1)
        games.set_yscale("log")
        if digits.lines:
            digits.set_yscale("log")
            legend(digits, loc="upper left")
        else:
            digits.text(0.5, 0.5, "no exact table in the store", ha="center", transform=digits.transAxes, color=FAINT)
        saddle.set_ylim(0, 1.03)
        saddle.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        for axes in (games, support, saddle):
            legend(axes, loc="upper left" if axes is not saddle else "upper right")
        for axes in (games, digits, support, saddle):
            across = sorted({round(x) for one in axes.lines for x in one.get_xdata()})
            axes.set_xticks(across)
