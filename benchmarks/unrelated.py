"""Nanoseconds a game, on random games that have nothing in common: `goofspiel.games` against other solvers, in one run.

What is measured is written to docs/results/benchmark-games.*, and into the page on matrix games, by `--write`.
"""

import csv
import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from textwrap import fill
from time import perf_counter, process_time
from typing import Any

import numpy as np
from figures import draw_games
from machine import machine, versions
from rivals import WRONG_GAP, Timed, installed_rivals
from scale import parser
from tables import Grid, number

from goofspiel import games
from goofspiel.arrays import Floats

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/how-to/solve-matrix-games.md"
RESULTS = ROOT / "docs/results"
RESULT = "benchmark-games.json"
SIZES = (2, 3, 5, 8, 13, 16)
GAMES = 8192  # of a size
THREADS = 2
COPIES = 12  # of the games, for threads to share
SHOWN = 8  # the size that sentences are about
BUILD = "goofspiel, {}"
ONE_BY_ONE = "goofspiel, one call a game"
PACKAGES = ("goofspiel", "numpy", "quantecon", "numba", "swiglpk", "highspy", "nashpy")
RIVALS = ("QuantEcon", "QuantEcon, Lemke–Howson", "GLPK", "HiGHS", "nashpy, Lemke–Howson")
LEAST_GAMES = 8  # for the slowest of them

_PART = re.compile(r"(?<=<!-- generated: )([\w-]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def best_of(runs: int, solve: Callable[[], Any], *, clock: Callable[[], float] = process_time) -> float:
    """CPU-seconds of the quickest of some runs: what the machine does beside it only adds."""
    least = np.inf
    for _ in range(runs):
        started = clock()
        solve()
        least = min(least, clock() - started)
    return least


def gain_of_threads(matrices: Floats, runs: int) -> float:
    """How many times as many games two threads solve in the same time as one does."""
    many = np.tile(matrices, (COPIES, 1, 1))
    out = games.solve_batch(many)
    one, more = (
        best_of(runs, partial(games.solve_batch, many, threads=threads, out=out), clock=perf_counter)
        for threads in (1, THREADS)
    )
    return one / more


def measure_size(size: int, count: int, runs: int) -> dict[str, Any]:
    """All solvers on the same games of one size."""
    matrices = np.random.default_rng(size).normal(size=(count, size, size))
    ns: dict[str, float] = {}
    unanswered: dict[str, float] = {}
    found = games.solve_batch(matrices)
    for build in games.kernels():
        spent = best_of(runs, partial(games.solve_batch, matrices, kernel=build, out=found))
        ns[BUILD.format(build)] = spent / count * 1e9
    found = games.solve_batch(matrices)
    some = matrices[: max(count // 20, LEAST_GAMES)]
    ns[ONE_BY_ONE] = best_of(runs, lambda: [games.solve(matrix) for matrix in some]) / len(some) * 1e9
    for name, (rival, most) in installed_rivals().items():
        if name not in RIVALS:
            continue
        asked = list(matrices[: max(LEAST_GAMES, most * count // GAMES)])
        rival(asked[:LEAST_GAMES])  # what is compiled at its first call
        timed = min((rival(asked) for _ in range(runs)), key=_solving)
        ns[name] = timed.solve / len(asked) * 1e9
        wrong = np.isnan(timed.values) | (np.abs(timed.values - found.value[: len(asked)]) > WRONG_GAP)
        unanswered[name] = float(wrong.mean())
    return {
        "size": size,
        "games": count,
        "ns_per_game": ns,
        "ratio": {name: spent / ns[BUILD.format(games.kernels()[0])] for name, spent in ns.items()},
        "gain_of_threads": gain_of_threads(matrices, 3 * runs),
        "unanswered": unanswered,
        "largest_gap": float(found.gap.max()),
    }


def _solving(timed: Timed) -> float:
    return timed.solve


def measure(*, quick: bool) -> dict[str, Any]:
    """All sizes."""
    count, runs = (160, 1) if quick else (GAMES, 3)
    here = machine(PACKAGES)
    return {"machine": here, "sizes": [measure_size(size, count, runs) for size in SIZES]}


def grids(result: dict[str, Any]) -> dict[str, Grid]:
    """Solvers down, sizes across."""
    sizes = result["sizes"]
    header = ["game", *(f"{found['size']} × {found['size']}" for found in sizes)]

    def rows(key: str, form: Callable[[float], str]) -> list[list[str]]:
        return [[name, *(form(found[key][name]) for found in sizes)] for name in sizes[0][key]]

    wrong = [row for row in rows("unanswered", "{:.1%}".format) if set(row[1:]) != {"0.0%"}]
    gaps = ["largest gap proved", *(f"{found['largest_gap']:.0e}" for found in sizes)]
    gains = [f"on {THREADS} threads", *(number(found["gain_of_threads"]) for found in sizes)]
    return {
        "games-ns": Grid("Nanoseconds of one core a game", [header, *rows("ns_per_game", number)]),
        "games-ratio": Grid("As a multiple of the first row", [header, *rows("ratio", number)[1:]]),
        "games-threads": Grid("Games in the same time, as a multiple of those on one thread", [header, gains]),
        "games-proof": Grid(
            "Proof", [header, gaps, *([f"without a right answer, {row[0]}", *row[1:]] for row in wrong)]
        ),
    }


def sentence(result: dict[str, Any]) -> str:
    """Where it was measured, and the figures that matter most."""
    here = result["machine"]
    shown = next(found for found in result["sizes"] if found["size"] == SHOWN)
    ratio, ns = shown["ratio"], shown["ns_per_game"]
    millions = 1e3 / next(iter(ns.values()))
    others = [f"{number(ratio[name])} times as many as {said}" for name, said in SAID.items() if name in ratio]
    return fill(
        f"One core solves {millions:.1f} million random games of {SHOWN} × {SHOWN} a second, with both "
        f"mixes and the gap of each: {', '.join(others)}. A single `solve` takes {ns[ONE_BY_ONE] / 1000:.1f} µs. "
        f"Measured on {here['date']} on {here['cpu']} (load average before: {here['load_average']:.1f}), Python "
        f"{here['python']}; {versions(here)}.",
        120,
    )


SAID = {
    "QuantEcon": "QuantEcon's `minmax`",
    "QuantEcon, Lemke–Howson": "its `lemke_howson`",
    "GLPK": "GLPK's C library",
    "HiGHS": "HiGHS",
}


def filled(text: str, result: dict[str, Any]) -> str:
    """A page with its generated parts as they should be."""
    tables = grids(result)

    def part(found: re.Match[str]) -> str:
        content = sentence(result) if found[1] == "games-said" else tables[found[1]].to_markdown()
        return f"{found[1]}{found[2]}\n{content}\n\n"

    return _PART.sub(part, text)


def write(result: dict[str, Any], output: Path | None) -> None:
    """The numbers, a figure and the page: into the documentation, or into a folder of their own."""
    folder = output or RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RESULT).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    rows = [["size", "solver", "ns_per_game", "times_the_first"]]
    for found in result["sizes"]:
        rows += [[found["size"], name, ns, found["ratio"][name]] for name, ns in found["ns_per_game"].items()]
    with (folder / "benchmark-games.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    draw_games(result, folder / "benchmark-games.png")
    text = filled(PAGE.read_text(encoding="utf-8"), result)
    (output / PAGE.name if output else PAGE).write_text(text, encoding="utf-8")


def main() -> None:
    """Measure and print; write if asked to."""
    options = parser(__doc__ or "")
    options.add_argument("--write", action="store_true", help="write the results into the documentation")
    options.add_argument("--output", type=Path, metavar="DIR", help="write there, not into the documentation")
    options.add_argument("--redraw", action="store_true", help="measure nothing: write again what was measured last")
    given = options.parse_args()
    if given.quick and given.write:
        options.error("--quick is no measurement: give it an --output of its own")
    before = RESULTS / RESULT
    result = json.loads(before.read_text(encoding="utf-8")) if given.redraw else measure(quick=given.quick)
    if given.write or given.redraw or given.output:
        write(result, given.output)
    for grid in grids(result).values():
        print(grid.to_text(), end="\n\n")
    print(sentence(result), file=sys.stderr)


if __name__ == "__main__":
    main()
