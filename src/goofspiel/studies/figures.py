"""The figures of the studies, with the plots extra: each from the data of a study."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from goofspiel.render.figures import FAINT, INK
from goofspiel.rules import Objective, Rules
from goofspiel.studies import chip, heuristics_words, objectives
from goofspiel.studies.drawing import (
    COLOURS,
    MARKERS,
    PLAYED,
    around_the_middle,
    drawn,
    dress,
    ends_named,
    error_bars,
    from_nothing,
    heat_map,
    legend,
    line,
)
from goofspiel.studies.study import Cell, Study, as_number

CELL = 0.42  # inches of a heat map's cell
HIGH = 2.5  # inches of a panel of lines
SHORTEST = 1e-3  # CPU-seconds: shorter solves are not drawn, they take as long as the start of the program

Record = dict[str, Cell]


def _objectives_of(records: Sequence[Record]) -> list[Objective]:
    return [objective for objective in Objective if any(row["objective"] == objective for row in records)]


def draw_parity(study: Study, path: Path) -> None:
    """How much of the probability is on bids of the upcard's parity: cards down, upcards across."""
    records = study.data.records()
    games = {
        objective: sorted({int(as_number(row["cards"])) for row in records if row["objective"] == objective})
        for objective in _objectives_of(records)
    }
    upcards = range(1, max(some[-1] for some in games.values()) + 1)
    rows = [len(some) for some in games.values()]
    size = {
        "width": max(len(upcards) * CELL + 2.1, 6.0),
        "height": max(sum(rows) * CELL + len(rows) * 0.85 + 1.0, 3.2),
    }
    with drawn(path, title=study.title, note=study.command, **size) as figure:
        panels = figure.subplots(len(games), 1, squeeze=False, height_ratios=rows)[:, 0]
        for axes, objective in zip(panels, games, strict=True):
            cells = [
                (int(as_number(row["cards"])), int(as_number(row["upcard"])), as_number(row["same_parity"]))
                for row in records
                if row["objective"] == objective
            ]
            dress(axes, PLAYED[objective], across="upcard", up="number of cards")
            image = heat_map(
                axes,
                cells,
                rows=games[objective],
                columns=upcards,
                scale=around_the_middle,
                text=lambda value: f"{100 * value:.0f}",
                dark=lambda value: abs(value - 0.5) > 0.36,
            )
        bar = figure.colorbar(image, ax=list(panels), shrink=0.6, aspect=40, ticks=[0, 0.25, 0.5, 0.75, 1])
        bar.ax.set_yticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
        bar.set_label("first bids of the upcard's parity", fontsize=9, color=INK)
        bar.ax.tick_params(length=0, labelsize=8, labelcolor=INK)
        bar.outline.set_visible(False)


def draw_chip(study: Study, path: Path) -> None:
    """The definitions beside the estimate, by the number of cards; and by the cards in a hand."""
    records = study.data.records()
    most = int(max(as_number(row["cards"]) for row in records))
    least = int(min(as_number(row["cards"]) for row in records))
    with drawn(path, title=study.title, note=study.command, width=7.6, height=8.4) as figure:
        upper, lower = figure.subplots(2, 1)
        dress(upper, "by the number of cards N", across="number of cards N", up="points a pip")
        _draw_chips(
            upper,
            range(least, most + 1),
            [(row, row["cards"]) for row in records if row["level"] is None],
            "1 + 1/(2N − 2)",
        )
        dress(lower, f"by the cards in a hand j, out of {most} ranks", across="cards in a hand j", up="points a pip")
        levels = range(chip.LEAST, most)
        of_hands = [(row, row["level"]) for row in records if row["cards"] == most and (row["level"] or 0) in levels]
        if levels:
            _draw_chips(lower, levels, of_hands, "1 + 1/(2j − 2)")


def _draw_chips(axes: Any, across: range, rows: Sequence[tuple[Record, Cell]], estimate: str) -> None:
    """A line for each definition: (row, its place across); and the estimate."""
    ends = []
    for place, name in enumerate(chip.DEFINITIONS):
        points = [
            (as_number(x), as_number(row["value"]))
            for row, x in rows
            if row["definition"] == name and row["value"] is not None
        ]
        if points:
            line(axes, place, points, name)
            ends.append((*points[-1], name, COLOURS[place]))
    axes.plot(across, [chip.estimate(x) for x in across], "--", color=INK, linewidth=2.2, zorder=5)
    ends.append((float(across[-1]), chip.estimate(across[-1]), estimate, INK))
    axes.set_xticks(across)
    axes.set_xlim(across[0] - 0.3, across[-1] + 0.3)
    ends_named(axes, ends, apart=0.055)


def draw_objectives(study: Study, path: Path) -> None:
    """Where the first mixes differ, and what the players lose in whole games."""
    records = study.data.records()
    differ = [row for row in records if row["quantity"] == objectives.DIFFERENCE]
    cells = [(int(as_number(row["cards"])), int(as_number(row["upcard"])), as_number(row["value"])) for row in differ]
    games = sorted({row for row, _, _ in cells})
    map_height = len(games) * CELL + 0.9
    size = {"width": max(games[-1] * CELL + 1.6, 7.6), "height": map_height + 2 * HIGH + 1.2}
    with drawn(path, title=study.title, note=study.command, **size) as figure:
        first, others = figure.subfigures(2, 1, height_ratios=(map_height, 2 * HIGH))
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
        panels = others.subplots(2, 2).T.ravel()
        names = (*objectives.WHOLE_GAMES, *objectives.AT_WORST)
        titles = (
            *("the win player loses to the points player", "the points player loses to the win player"),
            *("the points player loses to a best response", "the win player loses to a best response"),
        )
        units = ("points a game", "P(win) − P(loss)")
        for name, panel, title, row in zip(names, panels[[0, 1, 3, 2]], titles, (0, 1, 1, 0), strict=True):
            dress(panel, title, across="number of cards" if row else "", up=units[row])
            panel.title.set_fontsize(9)
            own = [one for one in records if one["quantity"] == name]
            points = [(as_number(one["cards"]), as_number(one["value"])) for one in own]
            line(panel, row, points, name)
            error_bars(
                panel,
                row,
                [
                    (as_number(o["cards"]), as_number(o["low"]), as_number(o["high"]))
                    for o in own
                    if o["low"] is not None
                ],
            )
            panel.set_xticks([int(x) for x, _ in points])
            panel.margins(x=0.07)
            panel.set_ylim(0, 1.08 * panel.get_ylim()[1])


def draw_ties(study: Study, path: Path) -> None:
    """How likely a tie is in the first round, by the upcard and by the number of cards."""
    records = study.data.records()
    wanted = _objectives_of(records)
    with drawn(path, title=study.title, note=study.command, width=7.6, height=2 * HIGH + 1.0) as figure:
        panels = figure.subplots(2, len(wanted), squeeze=False)
        for column, objective in enumerate(wanted):
            own = [row for row in records if row["objective"] == objective]
            games = sorted({int(as_number(row["cards"])) for row in own})
            last = [row for row in own if row["cards"] == games[-1]]
            upper, lower = panels[:, column]
            up = "P(both bid the same)" if not column else ""
            dress(upper, f"{objective}: {games[-1]} cards, by upcard", across="upcard", up=up)
            dress(lower, f"{objective}: mean over the upcards", across="number of cards", up=up)
            for number, (name, label) in enumerate((("tie_discarded", "discarded"), ("tie_carried", "carried over"))):
                line(upper, number, [(as_number(row["upcard"]), as_number(row[name])) for row in last], label)
                means = [
                    (float(cards), sum(some) / len(some))
                    for cards in games
                    if (some := [as_number(row[name]) for row in own if row["cards"] == cards])
                ]
                line(lower, number, means, label)
            for panel, across in ((upper, range(1, games[-1] + 1)), (lower, games)):
                panel.set_xticks(list(across))
                panel.set_ylim(0, 1.08 * panel.get_ylim()[1])
            legend(upper)


def draw_heuristics(study: Study, path: Path) -> None:
    """What each rule loses, to a best response and to optimal play; and how that grows."""
    records = study.data.records()
    exact = [row for row in records if row["exploitability"] is not None]
    games = sorted({int(as_number(row["cards"])) for row in exact})
    searched = [int(as_number(row["cards"])) for row in exact if row["rule"] == heuristics_words.BY_UPCARD]
    shown = max(searched, default=games[-1])
    own = sorted((row for row in exact if row["cards"] == shown), key=lambda row: -as_number(row["exploitability"]))
    rules = Rules(shown, objective=Objective(str(own[0]["objective"])))
    unit = rules.objective.unit + " a game" * (not rules.has_leads)
    high = 0.27 * len(own) + 0.9
    with drawn(path, title=study.title, note=study.command, width=7.6, height=high + 2 * 3.2 + 1.0) as figure:
        first, others = figure.subfigures(2, 1, height_ratios=(high, 2 * 3.2))
        upper, (middle, lower) = first.subplots(), others.subplots(2, 1)
        dress(upper, f"{shown} cards: what a rule loses", across=unit)
        places = range(len(own))
        for place, row in enumerate(own):
            worst, loss = as_number(row["exploitability"]), as_number(row["loss_to_optimal"])
            upper.plot([loss, worst], [place, place], color=FAINT, linewidth=1, zorder=1)
        for which, (name, key) in enumerate(
            (("to a best response", "exploitability"), ("to optimal play", "loss_to_optimal"))
        ):
            style = {"color": COLOURS[1 - which], "marker": MARKERS[which], "linestyle": "none", "markersize": 6}
            upper.plot([as_number(row[key]) for row in own], list(places), label=name, **style)
        upper.set_yticks(places, [_rule_name(row) for row in own])
        upper.set_xlim(left=0)
        upper.grid(visible=False, axis="y")
        legend(upper, loc="upper right")
        over = f", {unit}" if rules.has_leads else " / sum of all prizes"
        dress(middle, "to a best response, which knows the rule", up=f"loss to a best response{over}")
        dress(lower, "to optimal play", across="number of cards", up=f"loss to optimal play{over}")
        for axes, key in ((middle, "exploitability"), (lower, "loss_to_optimal")):
            _draw_losses(axes, records, key, in_prizes=not rules.has_leads, without=["uniform"] * (axes is lower))


def _rule_name(row: Record) -> str:
    parameter = "" if row["parameter"] is None else f", p = {row['parameter']:.2f}"
    return f"{row['rule']}{parameter}" + ("" if row["random"] else "  (no chance)")


def _draw_losses(axes: Any, records: Sequence[Record], key: str, *, in_prizes: bool, without: Sequence[str]) -> None:
    """What some rules lose by the number of cards, for points as a share of all prizes."""
    chosen = [
        *("match", "uniform", heuristics_words.FIRST_MOVE, "up to double, by rank", "up to p times, by rank"),
        *(heuristics_words.BY_RATIO, heuristics_words.BY_UPCARD),
    ]
    ends, across = [], set()
    for place, name in enumerate(chosen):
        own = [row for row in records if row["rule"] == name and row[key] is not None]
        if not own or name in without:
            continue
        games = [int(as_number(row["cards"])) for row in own]
        whole = {cards: Rules(cards).total if in_prizes else 1 for cards in games}
        points = [(cards, as_number(row[key]) / whole[cards]) for cards, row in zip(games, own, strict=True)]
        played = [(cards, row) for cards, row in zip(games, own, strict=True) if row["loss_low"] is not None]
        line(axes, place, points, name)
        bars = [(n, as_number(row["loss_low"]) / whole[n], as_number(row["loss_high"]) / whole[n]) for n, row in played]
        error_bars(axes, place, bars)
        ends.append((*points[-1], name, COLOURS[place]))
        across |= set(games)
    axes.set_ylim(bottom=0)
    axes.set_xticks(range(min(across), max(across) + 1))
    axes.set_xlim(min(across) - 0.2, max(across) + 0.2)
    ends_named(axes, ends, apart=0.056)


def draw_growth(study: Study, path: Path, measured: Sequence[tuple[str, int, float]] = ()) -> None:
    """Games, bytes, times and digits by the number of cards; supports and saddle points by level.

    `measured` are times of real solves: objective, cards, CPU-seconds.
    """
    records = study.data.records()
    with drawn(path, title=study.title, note=study.command, width=8.4, height=3 * HIGH + 2.4) as figure:
        (games, size), (times, digits), (support, saddle) = figure.subplots(3, 2)
        dress(games, "matrix games", across="number of cards", up="games")
        dress(size, "size on disk", across="number of cards", up="bytes")
        dress(times, "time of a solve", across="number of cards", up="CPU-seconds")
        dress(digits, "longest exact value", across="number of cards", up="digits")
        dress(support, "cards in an optimal mix", across="level: cards left in a hand", up="cards, mean")
        dress(saddle, "games with a saddle point", across="level: cards left in a hand", up="share of all games")
        for place, objective in enumerate(_objectives_of(records)):
            own = [row for row in records if row["objective"] == objective]
            cards = sorted({int(as_number(row["cards"])) for row in own})
            for axes, key, label in (
                *((games, "games", objective), (size, "bytes", objective)),
                (times, "forecast_cpu_seconds", f"{objective}, forecast"),
            ):
                sums = [(n, sum(as_number(row[key]) for row in own if row["cards"] == n)) for n in cards]
                sums = [(n, some) for n, some in sums if axes is not times or some > SHORTEST]
                style = {"linestyle": ":" if axes is times else "-", "fillstyle": _fill(axes is times)}
                if sums:
                    line(axes, place, sums, label, **style)
            real = [(n, seconds) for of, n, seconds in measured if of == objective]
            if real:
                line(times, place, real, f"{objective}, measured")
            longest = [
                (n, [as_number(r["digits"]) for r in own if r["cards"] == n and r["digits"] is not None]) for n in cards
            ]
            known = [(n, max(some)) for n, some in longest if some]
            if known:
                line(digits, place, known, objective)
            _draw_levels(support, place, own, "support", "support")
            _draw_levels(saddle, place, own, "saddle", "saddle_share")
        for axes in (games, size, times, digits):
            if axes.lines:
                axes.set_yscale("log")
        for axes, why in ((digits, "no exact table in the store"), (times, f"all below {SHORTEST:g} CPU-seconds")):
            if not axes.lines:
                axes.text(0.5, 0.5, why, ha="center", transform=axes.transAxes, color=FAINT)
        saddle.set_ylim(0, 1.03)
        saddle.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
        for axes in (games, size, times, digits, support, saddle):
            if axes.lines:
                legend(axes, loc="upper left" if axes is not saddle else "upper right")
            across = sorted({round(x) for one in axes.lines for x in one.get_xdata()})
            axes.set_xticks(across)


def _draw_levels(axes: Any, place: int, own: Sequence[Record], key: str, value: str) -> None:
    """What an objective's largest game is like by level, and the one in the middle, with intervals."""
    cards = sorted({int(as_number(row["cards"])) for row in own})
    for n, half in ((cards[-1], False), (cards[len(cards) // 2], True)):
        rows = [row for row in own if row["cards"] == n]
        points = [(as_number(row["level"]), as_number(row[value])) for row in rows]
        style = {"linestyle": ":" if half else "-", "fillstyle": _fill(half)}
        line(axes, place, points, f"{own[0]['objective']}, {n} cards", **style)
        limits = [tuple(as_number(row[of]) for of in ("level", f"{key}_low", f"{key}_high")) for row in rows]
        error_bars(axes, place, [(x, a, b) for x, a, b in limits if max(abs(a), abs(b)) < float("inf")])


def _fill(hollow: bool) -> str:
    return "none" if hollow else "full"
