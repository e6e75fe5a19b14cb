"""The time of a whole solve against the number of cards: this solver, and the paper's scheme."""

import csv
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import paper_scheme
from machine import timed
from scale import Scale, chosen, parser
from tables import Grid, duration, number, rounded

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "docs/results/points/runs.csv"  # solves too long for a benchmark, written by whoever ran them
EXTRAPOLATED_TO = 15  # cards
BRIEF = 5.0  # seconds: a solve this short is repeated, the quickest counts
REPEATS = 3


def run_solve(cards: int) -> dict[str, Any]:
    """`goofspiel solve`, from its start to its end, into an empty store."""
    with tempfile.TemporaryDirectory() as store:
        command = [sys.executable, "-m", "goofspiel", "solve", str(cards), "--store", store, "--quiet", "--json"]
        done = timed(command)
    return {
        "cards": cards,
        "games": json.loads(done.printed)["games"],
        "cpu_seconds": done.cpu_seconds,
        "wall_seconds": done.wall_seconds,
        "source": "this run",
    }


def quickest_solve(cards: int) -> dict[str, Any]:
    """The quickest of some runs, or the only one of a long solve."""
    runs = [run_solve(cards)]
    while runs[0]["wall_seconds"] < BRIEF and len(runs) < REPEATS:
        runs.append(run_solve(cards))
    return min(runs, key=lambda run: run["cpu_seconds"])


def recorded_solves() -> list[dict[str, Any]]:
    """The whole solves that others have recorded, not those that only ended a table; none if there is no such file."""
    if not RUNS.exists():
        return []
    with RUNS.open(encoding="utf-8", newline="") as file:
        return [
            {
                "cards": int(row["cards"]),
                "games": int(row["games"]),
                "cpu_seconds": float(row["cpu_seconds"]),
                "wall_seconds": float(row["wall_seconds"]),
                "source": "runs.csv",
            }
            for row in csv.DictReader(file)
            if not int(row.get("blocks_found", 0))
        ]


def measure(solves: Sequence[int], paper: Sequence[int]) -> dict[str, Any]:
    """Both curves: what is measured, what is recorded, and what is extrapolated."""
    measured = {found["cards"]: found for found in recorded_solves()}
    measured |= {cards: quickest_solve(cards) for cards in solves}
    with tempfile.TemporaryDirectory() as store:
        scheme = [paper_scheme.measure(cards, Path(store)) | {"extrapolated": False} for cards in paper]
    last = scheme[-1]
    for cards in range(last["cards"] + 1, EXTRAPOLATED_TO + 1):
        games = paper_scheme.games(cards)
        seconds = games * last["glpk_seconds"] / last["games"]
        scheme.append({"cards": cards, "games": games, "glpk_seconds": seconds, "extrapolated": True})
    return {"threads": os.cpu_count(), "solver": [measured[cards] for cards in sorted(measured)], "paper": scheme}


def grids(result: dict[str, Any]) -> dict[str, Grid]:
    """One row for each number of cards."""
    solver = {found["cards"]: found for found in result["solver"]}
    paper = {found["cards"]: found for found in result["paper"]}
    rows = [["N", "matrix games", "CPU time", "wall time", "paper's games", "GLPK in the paper's scheme", "ratio"]]
    for cards in sorted(solver | paper):
        ours, theirs = solver.get(cards), paper.get(cards)
        row = [str(cards), *["—"] * 6]
        if ours:
            row[1] = rounded(ours["games"])
            row[2:4] = duration(ours["cpu_seconds"]), duration(ours["wall_seconds"])
        if theirs:
            row[4] = rounded(theirs["games"])
            row[5] = ("≈ " if theirs["extrapolated"] else "") + duration(theirs["glpk_seconds"])
        if ours and theirs:
            ratio = theirs["glpk_seconds"] / ours["cpu_seconds"]
            row[6] = ("≈ " if theirs["extrapolated"] else "") + number(ratio)
        rows.append(row)
    return {"time": Grid("A whole solve: CPU time, and GLPK's in the paper's scheme (≈: extrapolated)", rows)}


def solves_up_to(scale: Scale, largest: int | None) -> list[int]:
    """The numbers of cards to solve: those of the scale, but up to the largest that is asked for."""
    return list(range(scale.solves[0], (largest or scale.solves[-1]) + 1))


def main() -> None:
    """Measure and print."""
    options = parser(__doc__ or "")
    options.add_argument("--largest", type=int, metavar="N", help="solve up to so many cards")
    options.add_argument("--json", action="store_true", help="print json")
    given = options.parse_args()
    scale = chosen(given)
    result = measure(solves_up_to(scale, given.largest), scale.paper)
    print(json.dumps(result) if given.json else grids(result)["time"].to_text())


if __name__ == "__main__":
    main()
