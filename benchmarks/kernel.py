"""Nanoseconds a game, on real positions: the kernel against other solvers of matrix games, in one run."""

import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from positions import LevelSample, open_table, sample_level
from rivals import Timed, installed_rivals
from scale import Scale, chosen, parser
from tables import Grid, across_levels, number

from goofspiel.games import solve_batch
from goofspiel.games.fast import kernels
from goofspiel.store import Table

IN_A_SOLVE, BATCH = "kernel, in a solve", "kernel, batch"


def time_block(sample: LevelSample, least_seconds: float) -> float:
    """Seconds of a solve of the block on one thread."""
    runs, started = 0, process_time()
    while not runs or process_time() - started < least_seconds:
        sample.solve()
        runs += 1
    return (process_time() - started) / runs


def time_batch(matrices: Sequence[np.ndarray], least_seconds: float) -> tuple[Timed, float]:
    """The kernel on unrelated matrices, gathered by shape: values, both mixes and gaps; and the largest gap."""
    members = defaultdict(list)
    for game, matrix in enumerate(matrices):
        members[matrix.shape].append(game)
    batches = [(games, np.stack([matrices[game] for game in games])) for games in members.values()]
    values, gap = np.empty(len(matrices)), 0.0
    runs, started = 0, process_time()
    while not runs or process_time() - started < least_seconds:
        for games, batch in batches:
            found = solve_batch(batch)
            values[games] = found.value
            gap = max(gap, float(found.gap.max()))
        runs += 1
    seconds = (process_time() - started) / runs
    return Timed(values, seconds, seconds), gap


def measure_level(sample: LevelSample, scale: Scale) -> dict[str, Any]:
    """All solvers on one level: nanoseconds a game, and the largest difference from the kernel's values."""
    ns = {IN_A_SOLVE: time_block(sample, scale.least_seconds) / sample.games * 1e9}
    positions, matrices = sample.matrices(scale.positions, seed=sample.work.level.level)
    batch, gap = time_batch(matrices, scale.least_seconds)
    ns[BATCH] = batch.solve / len(matrices) * 1e9
    means = batch.values.reshape(len(positions), -1).mean(axis=1)
    values = sample.work.values[..., 0]
    differences = {
        "the table, in a solve": _largest(values - sample.stored),
        "the batch, in a solve": _largest(values[positions[:, 0], positions[:, 1]] - means),
    }
    unanswered = {}
    for name, (rival, count) in installed_rivals().items():
        some = matrices[: max(10, round(count * scale.rival_share))]
        timed = rival(some)
        ns[name] = timed.solve / len(some) * 1e9
        if timed.whole != timed.solve:
            ns[f"{name}, with hand-over"] = timed.whole / len(some) * 1e9
        answered = ~np.isnan(timed.values)
        differences[f"{name}, the batch"] = _largest((timed.values - batch.values[: len(some)])[answered])
        unanswered[name] = float(1 - answered.mean())
    return {
        "level": sample.work.level.level,
        "games": sample.games,
        "cells": float(np.mean([matrix.size for matrix in matrices])),
        "ns_per_game": ns,
        "games_per_second": {name: 1e9 / spent for name, spent in ns.items()},
        "ratio": {name: spent / ns[IN_A_SOLVE] for name, spent in ns.items()},
        "largest_difference": differences,
        "unanswered": unanswered,
        "largest_gap": gap,
    }


def _largest(differences: np.ndarray) -> float:
    return float(np.abs(differences).max(initial=0.0))


def measure(table: Table, scale: Scale) -> dict[str, Any]:
    """All levels of the scale."""
    levels = [measure_level(sample_level(table, level), scale) for level in scale.levels]
    worst = max(max(found["largest_difference"].values()) for found in levels)
    return {"cards": table.rules.cards, "kernel": kernels()[0], "levels": levels, "largest_difference": worst}


def grids(result: dict[str, Any]) -> dict[str, Grid]:
    """Solvers down, levels across."""
    levels = result["levels"]

    def rows(key: str, form: Any) -> list[tuple[str, Any]]:
        return [(name, lambda found, name=name: form(found[key][name])) for name in levels[0][key]]

    missing = [
        row for row in rows("unanswered", "{:.1%}".format) if any(found["unanswered"][row[0]] for found in levels)
    ]
    return {
        "kernel-ns": across_levels(
            f"Nanoseconds of one core a game, {result['cards']} cards, kernel {result['kernel']}",
            levels,
            [("cells of a game", lambda found: f"{found['cells']:.1f}"), *rows("ns_per_game", number)],
        ),
        "kernel-ratio": across_levels(
            "How many times faster the kernel is, in a solve", levels, rows("ratio", number)[1:]
        ),
        "kernel-difference": across_levels(
            "Largest difference in values",
            levels,
            [
                *rows("largest_difference", "{:.0e}".format),
                ("largest gap proved, batch", lambda found: f"{found['largest_gap']:.0e}"),
                *((f"games without a right answer, {name}", say) for name, say in missing),
            ],
        ),
    }


def main() -> None:
    """Measure and print."""
    options = parser(__doc__ or "")
    options.add_argument("--json", action="store_true", help="print json")
    given = options.parse_args()
    scale = chosen(given)
    with tempfile.TemporaryDirectory() as store:
        result = measure(open_table(scale.cards, Path(store)), scale)
    print(json.dumps(result) if given.json else "\n\n".join(grid.to_text() for grid in grids(result).values()))


if __name__ == "__main__":
    main()
