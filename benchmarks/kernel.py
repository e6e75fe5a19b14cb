"""Games a second and core, on real positions: the kernel against GLPK, HiGHS and SciPy, in one run."""

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from positions import LevelSample, sample_level
from rivals import Rival, Timed, with_glpk, with_highs, with_scipy

from goofspiel import Objective, _kernel
from goofspiel.errors import GoofspielError
from goofspiel.games import solve_batch
from goofspiel.games.fast import kernels
from goofspiel.solver import solve
from goofspiel.store import Table, default_store, table_path

LEVELS = range(6, 11)
POSITIONS = 2000  # of a level, each with a game for every upcard
LEAST_SECONDS = 1.0  # of the CPU, for what is quick: it is repeated until then
# The slow ones take the first games of the same sample.
RIVALS: dict[str, tuple[Rival, int]] = {
    "GLPK": (with_glpk, 4000),
    "HiGHS": (with_highs, 1000),
    "SciPy": (with_scipy, 250),
}


def open_table(store: Path) -> Table:
    """The table of 13 cards if it is solved, or else one of 11, solved now."""
    try:
        table = Table.open(table_path(default_store(), 13, Objective.POINTS))
        if table.header.complete:
            return table
    except GoofspielError:
        pass
    return Table.open(solve(11, store=store))


def time_block(sample: LevelSample) -> tuple[float, np.ndarray]:
    """Games a CPU-second of a solve: neighbouring prize sets, all matchups, on one thread; and the values."""
    out = np.empty(sample.stored.shape)
    successors = sample.successors
    rounds, started = 0, process_time()
    while process_time() - started < LEAST_SECONDS:
        failures, _, _ = _kernel.solve_block(
            sample.children,
            sample.child_of,
            sample.prize,
            successors.shapes,
            successors.offsets,
            successors.codes,
            0,
            out.shape[1],
            sample.scale,
            out,
        )
        assert not failures
        rounds += 1
    return rounds * sample.games / (process_time() - started), out


def time_batch(matrices: Sequence[np.ndarray]) -> tuple[Timed, float]:
    """The kernel on unrelated matrices, gathered by shape: values, both mixes and gaps; and the largest gap."""
    members = defaultdict(list)
    for game, matrix in enumerate(matrices):
        members[matrix.shape].append(game)
    batches = [(games, np.stack([matrices[game] for game in games])) for games in members.values()]
    values, gap = np.empty(len(matrices)), 0.0
    rounds, started = 0, process_time()
    while process_time() - started < LEAST_SECONDS:
        for games, batch in batches:
            found = solve_batch(batch)
            values[games] = found.value
            gap = max(gap, float(found.gap.max()))
        rounds += 1
    seconds = (process_time() - started) / rounds
    return Timed(values, seconds, seconds), gap


def measure(table: Table, level: int) -> dict[str, Any]:
    """All solvers on one level: games a second and core, and the largest difference from the kernel's values."""
    sample = sample_level(table, level)
    speed, out = time_block(sample)
    positions, matrices = sample.matrices(POSITIONS, seed=level)
    batch, gap = time_batch(matrices)
    means = batch.values.reshape(len(positions), -1).mean(axis=1)
    speeds = {"kernel, in a solve": speed, "kernel, batch": len(matrices) / batch.solve}
    differences = {
        "the table, in a solve": _largest(out - sample.stored),
        "the batch, in a solve": _largest(out[positions[:, 0], positions[:, 1]] - means),
    }
    for name, (rival, count) in RIVALS.items():
        timed = rival(matrices[:count])
        speeds[name] = len(timed.values) / timed.solve
        if timed.whole != timed.solve:
            speeds[f"{name}, with hand-over"] = len(timed.values) / timed.whole
        differences[f"{name}, the batch"] = _largest(timed.values - batch.values[: len(timed.values)])
    return {
        "level": level,
        "games": sample.games,
        "cells": float(np.mean([matrix.size for matrix in matrices])),
        "games_per_second": speeds,
        "ratio": {name: speed / other for name, other in speeds.items()},
        "largest_difference": differences,
        "largest_gap": gap,
    }


def _largest(differences: np.ndarray) -> float:
    return float(np.abs(differences).max())


def show(result: dict[str, Any]) -> None:
    """Solvers down, levels across."""
    levels = result["levels"]
    print(f"Points, {result['cards']} cards; kernel: {result['kernel']}; CPU time of one thread.\n")
    rows = [("level", [str(found["level"]) for found in levels])]
    rows.append(("cells of a game", [f"{found['cells']:.1f}" for found in levels]))
    for title, key, form in (
        ("games a second and core", "games_per_second", "{:,.0f}"),
        ("how many times faster the kernel is, in a solve", "ratio", "{:,.1f}"),
        ("largest difference in values, from", "largest_difference", "{:.0e}"),
    ):
        rows += [("", []), (title, [])]
        rows += [(f"  {name}", [form.format(found[key][name]) for found in levels]) for name in levels[0][key]]
    rows += [("", []), ("largest gap, batch", [f"{found['largest_gap']:.0e}" for found in levels])]
    for name, cells in rows:
        print((f"{name:<24}" + "".join(f"{cell:>13}" for cell in cells)).rstrip())
    print(f"\nlargest difference of all: {result['largest_difference']:.1e}")
    print(
        "The kernel proves its values to within the gap; GLPK, HiGHS and SciPy stop at their default tolerance, 1e-7."
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as store:
        table = open_table(Path(store))
        levels = [measure(table, level) for level in LEVELS]
    worst = max(max(found["largest_difference"].values()) for found in levels)
    result = {"cards": table.header.cards, "kernel": kernels()[0], "levels": levels, "largest_difference": worst}
    if options.json:
        print(json.dumps(result))
    else:
        show(result)


if __name__ == "__main__":
    main()
