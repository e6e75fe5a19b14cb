"""Run all benchmarks, print their tables and write them into the documentation: what `make bench` does."""

import csv
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

import kernel
import page
import phases
import time_by_n
import unrelated
from figures import draw_kernel, draw_time
from machine import machine
from positions import open_table
from scale import Scale, chosen, parser
from tables import Grid

PACKAGES = ("goofspiel", "numpy", "swiglpk", "highspy", "scipy", "pygambit", "nashpy", "quantecon")


def measure(scale: Scale, largest: int | None) -> dict[str, Any]:
    """Everything, one after the other; tables are printed as they come."""
    result: dict[str, Any] = {"machine": machine(PACKAGES)}
    with tempfile.TemporaryDirectory() as store:
        table = open_table(scale.cards, Path(store))
        result["kernel"] = kernel.measure(table, scale)
        show(kernel.grids(result["kernel"]))
        result["phases"] = phases.measure(table, scale)
        show(phases.grids(result["phases"]))
        if "skipped" in result["phases"]:
            print(f"Where the time goes was not measured: {result['phases']['skipped']}\n")
    result["time"] = time_by_n.measure(time_by_n.solves_up_to(scale, largest), scale.paper)
    show(time_by_n.grids(result["time"]))
    return result


def show(grids: dict[str, Grid]) -> None:
    """Print tables."""
    for grid in grids.values():
        print(grid.to_text(), end="\n\n", flush=True)


def csv_rows(result: dict[str, Any]) -> Iterator[tuple[str, list[list[Any]]]]:
    """The same figures as plain tables: a file's name and its rows, the header first."""
    rows: list[list[Any]] = [["level", "solver", "ns_per_game", "times_the_kernel"]]
    for found in result["kernel"]["levels"]:
        rows += [[found["level"], name, ns, found["ratio"][name]] for name, ns in found["ns_per_game"].items()]
    yield "benchmark-kernel.csv", rows
    if "skipped" not in result["phases"]:
        rows = [["level", "phase", "ns_per_game", "share"]]
        for found in result["phases"]["levels"]:
            rows += [[found["level"], name, ns, found["share"][name]] for name, ns in found["ns_per_game"].items()]
        yield "benchmark-phases.csv", rows
    rows = [["scheme", "cards", "games", "cpu_seconds", "wall_seconds", "source"]]
    for found in result["time"]["solver"]:
        rows.append(["goofspiel", *(found[key] for key in ("cards", "games", "cpu_seconds", "wall_seconds", "source"))])
    for found in result["time"]["paper"]:
        source = "extrapolated" if found["extrapolated"] else "this run"
        rows.append(["paper, GLPK alone", found["cards"], found["games"], found["glpk_seconds"], "", source])
    yield "benchmark-time.csv", rows


def write(result: dict[str, Any], output: Path | None) -> None:
    """All files of a run: into the documentation, or into a folder of their own."""
    folder = output or page.RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    (folder / page.RESULT).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, rows in csv_rows(result):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    draw_time(result["time"], folder / "benchmark-time.png")
    draw_kernel(result["kernel"], result["phases"], folder / "benchmark-kernel.png")
    text = page.filled(page.PAGE.read_text(encoding="utf-8"), result)
    (output / page.PAGE.name if output else page.PAGE).write_text(text, encoding="utf-8")


def main() -> None:
    """Measure, print, write."""
    options = parser(__doc__ or "")
    options.add_argument("--output", type=Path, metavar="DIR", help="write there, not into the documentation")
    options.add_argument("--largest", type=int, metavar="N", help="solve up to so many cards")
    options.add_argument("--redraw", action="store_true", help="measure nothing: write again what was measured last")
    given = options.parse_args()
    if given.quick and not given.output:
        options.error("--quick is no measurement: give it an --output of its own")
    started = perf_counter()
    if given.redraw:
        result = json.loads(((given.output or page.RESULTS) / page.RESULT).read_text(encoding="utf-8"))
    else:
        result = measure(chosen(given), given.largest)
        games = unrelated.measure(quick=given.quick)
        show(unrelated.grids(games))
        unrelated.write(games, given.output)
    write(result, given.output)
    where = given.output or page.RESULTS
    print(f"{perf_counter() - started:.0f} s; written: {where}", file=sys.stderr)


if __name__ == "__main__":
    main()
