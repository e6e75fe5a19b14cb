"""Where the time of a solve goes, and how far from the multiply-add limit of the core it is.

A small driver in C++ is compiled together with the kernel and timed on a real block: laying out the children, the same
and assembling the cells, the same and the checks that fit, the same and the checks that fail, and the whole solve. Each
phase is the difference of two times. The checks are those of the solve, noted before and played again.
"""

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from positions import LevelSample, open_table, sample_level
from scale import Scale, chosen, parser
from tables import Grid, across_levels, number

from goofspiel.games.fast import kernels
from goofspiel.states.matchups import Successors
from goofspiel.store import Table

ROOT = Path(__file__).resolve().parent.parent
PHASES = ("laying out", "assembling", "checks that fit", "checks that fail", "pivoting")
RUN = 64  # matchups that stay together when a block is thinned out: neighbours share children
TALLY = ("games", "checks", "fallbacks", "pivots", "careful", "taped", "support", "cells", "checked", "needed")
VALUE_TOLERANCE = 1e-9
CAREFUL_SHARE = 1e-3  # of the checks: those of games that are solved carefully are not played again


class UnavailableError(Exception):
    """The driver cannot be built here, and why."""


class Driver:
    """The compiled driver."""

    def __init__(self, folder: Path, *, optimise: bool = True) -> None:
        library = ctypes.CDLL(str(_build(folder, optimise=optimise)))
        self._time = library.time_phases
        self._time.restype = None
        self.lanes: int = library.lanes()  # games solved side by side
        library.multiply_add_limit.restype = ctypes.c_double
        self.limit: float = library.multiply_add_limit(ctypes.c_double(0.5), ctypes.c_double(1.0))  # a second

    def time(self, sample: LevelSample, games: int, repeats: int) -> tuple[np.ndarray, dict[str, int], float]:
        """The seconds up to the end of each phase, what was counted, and the share of the block that was taken."""
        work = sample.work
        if work.rows.dtype != np.float64:
            raise UnavailableError(f"a table of {work.rows.dtype}: the phases are those of doubles")
        kept, some = _thin_out(work.successors, min(1.0, games / sample.games))
        seconds, tally = np.zeros(len(PHASES)), np.zeros(len(TALLY), dtype=np.int64)
        out = np.zeros((len(work.values), len(kept)))
        self._time(
            _pointer(np.ascontiguousarray(work.rows)),
            ctypes.c_int64(work.rows.shape[1]),
            ctypes.c_int64(len(work.child)),
            _pointer(work.child),
            _pointer(work.rounds.prize.astype(np.float64)),
            _pointer(work.rounds.row),
            _pointer(work.rounds.weight),
            _pointer(some.shapes),
            _pointer(some.offsets),
            _pointer(some.codes),
            ctypes.c_int64(len(kept)),
            ctypes.c_double(work.level.space.payoff_bound),
            _pointer(out),
            ctypes.c_int64(len(out)),
            ctypes.c_int(repeats),
            _pointer(seconds),
            _pointer(tally),
        )
        counts = dict(zip(TALLY, tally.tolist(), strict=True))
        # The driver goes its own way through a block: it must be the way of the kernel.
        difference = float(np.abs(out - sample.stored[:, kept]).max())
        if difference > VALUE_TOLERANCE or abs(counts["checks"] - counts["taped"]) > CAREFUL_SHARE * counts["checks"]:
            raise AssertionError(f"phases.cpp no longer does what kernel.cpp does: off by {difference:.1e}, {counts}")
        return seconds, counts, len(kept) / work.level.columns


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    assert array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.c_void_p)


def _thin_out(successors: Successors, share: float) -> tuple[np.ndarray, Successors]:
    """Runs of neighbouring matchups, evenly spread: which, and their successors."""
    count = len(successors.shapes)
    runs = np.arange(0, count, RUN)
    taken = max(1, round(share * len(runs)))
    # A random one of each of equal parts: matchups are numbered in periods, which even steps could fall in with.
    places = (np.arange(taken) + np.random.default_rng(0).random(taken)) * len(runs) / taken
    starts = runs[places.astype(int)]
    kept = np.concatenate([np.arange(start, min(start + RUN, count)) for start in starts])
    cells = np.diff(successors.offsets)[kept]
    offsets = np.concatenate([[0], np.cumsum(cells)])
    codes = [successors.codes[slice(*successors.offsets[matchup : matchup + 2])] for matchup in kept]
    return kept, Successors(np.ascontiguousarray(successors.shapes[kept]), offsets, np.concatenate(codes))


def _build(folder: Path, *, optimise: bool) -> Path:
    """Compile the driver with the flags that CMake gives to the kernel that runs here."""
    names = (os.environ.get("CXX"), "c++", "g++", "clang++")
    compiler = next((found for name in names if name and (found := shutil.which(name))), None)
    if compiler is None:
        raise UnavailableError("no C++ compiler")
    recipe = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    common = " ".join(re.findall(r"KERNEL_OPTIONS\s((?:\s*-\S+)+)\)", recipe))
    variants = dict(re.findall(r"^\s*add_kernel\((\w+)\s*(.*?)\)", recipe, re.MULTILINE))
    variant = kernels()[0]
    library = folder / "phases.so"
    flags = [*common.split(), *variants[variant].split(), f"-DGOOFSPIEL_VARIANT={variant}", f"-I{ROOT / 'native'}"]
    if not optimise:
        flags.append("-O0")
    sources = [str(Path(__file__).with_name("phases.cpp")), str(ROOT / "native/batch.cpp")]
    command = [compiler, "-std=c++17", "-shared", *flags, *sources, "-o", str(library)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:  # here or in the kernel: a defect, not something that is missing
        raise RuntimeError(f"{compiler} fails: {done.stderr.strip()[:500]}")
    return library


def measure_level(driver: Driver, sample: LevelSample, scale: Scale) -> dict[str, Any]:
    """Nanoseconds a game in each phase, and multiply-adds a game."""
    seconds, counts, share = driver.time(sample, scale.phase_games, scale.repeats)
    of_phase = np.diff(seconds, prepend=0.0)
    # The children are laid out once for all matchups of a block, however few of them are taken.
    of_phase[0] *= share
    ns = dict(zip(PHASES, (of_phase / counts["games"] * 1e9).tolist(), strict=True))
    total = sum(ns.values())
    checking = ns["checks that fit"] + ns["checks that fail"]
    a_game = {name: counts[name] / counts["games"] for name in TALLY}
    done = a_game["cells"] + a_game["checked"]
    needed = a_game["cells"] + a_game["needed"]
    return {
        "level": sample.work.level.level,
        "games": counts["games"],
        "ns_per_game": ns,
        "ns_per_game_total": total,
        "share": {name: spent / total for name, spent in ns.items()},
        "checks_per_group": a_game["checks"] * driver.lanes,
        "fallbacks_per_game": a_game["fallbacks"],
        "pivots_per_fallback": counts["pivots"] / max(1, counts["fallbacks"]),
        "careful": counts["careful"],
        "support": a_game["support"],
        "cells": a_game["cells"],
        "multiply_adds_per_game": done,
        "multiply_adds_needed_per_game": needed,
        "limit_share": done / driver.limit / total * 1e9,
        "limit_share_needed": needed / driver.limit / total * 1e9,
        "limit_share_checking": a_game["checked"] / driver.limit / checking * 1e9,
    }


def measure(table: Table, scale: Scale) -> dict[str, Any]:
    """All levels of the scale; or why they cannot be measured here."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            driver = Driver(Path(folder), optimise=scale.optimise)
            found = [measure_level(driver, sample_level(table, level), scale) for level in scale.levels]
        except UnavailableError as reason:
            return {"skipped": str(reason)}
    return {
        "cards": table.rules.cards,
        "lanes": driver.lanes,
        "multiply_adds_per_second": driver.limit,
        "levels": found,
    }


def grids(result: dict[str, Any]) -> dict[str, Grid]:
    """Phases down, levels across; nothing where nothing was measured."""
    if "skipped" in result:
        return {}
    levels = result["levels"]

    def phase(name: str) -> Callable[[dict[str, Any]], str]:
        return lambda found: f"{number(found['ns_per_game'][name])} ({found['share'][name]:.0%})"

    limit = result["multiply_adds_per_second"]
    return {
        "phases": across_levels(
            f"Where the time goes: nanoseconds a game, and the share of all, {result['cards']} cards",
            levels,
            [
                *((name, phase(name)) for name in PHASES),
                ("all", lambda found: number(found["ns_per_game_total"])),
                (f"checks of a group of {result['lanes']}", lambda found: f"{found['checks_per_group']:.2f}"),
                ("games that pivot", lambda found: f"{found['fallbacks_per_game']:.1%}"),
                ("pivots of each of these", lambda found: f"{found['pivots_per_fallback']:.2f}"),
            ],
        ),
        "limit": across_levels(
            f"Multiply-adds a game; one core does {limit / 1e9:.1f} · 10⁹ of them a second at best",
            levels,
            [
                ("cells of a game", lambda found: f"{found['cells']:.1f}"),
                ("cards of a support", lambda found: f"{found['support']:.2f}"),
                ("multiply-adds done", lambda found: number(found["multiply_adds_per_game"])),
                ("… had every first guess been right", lambda found: number(found["multiply_adds_needed_per_game"])),
                ("share of the limit", lambda found: f"{found['limit_share']:.0%}"),
                ("… while checking", lambda found: f"{found['limit_share_checking']:.0%}"),
                ("… had every first guess been right", lambda found: f"{found['limit_share_needed']:.0%}"),
            ],
        ),
    }


def main() -> None:
    """Measure and print."""
    scale = chosen(parser(__doc__ or "").parse_args())
    with tempfile.TemporaryDirectory() as store:
        result = measure(open_table(scale.cards, Path(store)), scale)
    print(result.get("skipped") or "\n\n".join(grid.to_text() for grid in grids(result).values()))


if __name__ == "__main__":
    main()
