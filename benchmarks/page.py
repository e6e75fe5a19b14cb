"""Fill the generated parts of docs/why/speed.md from what was measured; by itself, print the page."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import fill
from typing import Any

import kernel
import phases
import time_by_n
from machine import versions
from tables import Grid, number

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/why/speed.md"
RESULTS = ROOT / "docs/results"
RESULT = "benchmark.json"
WIDTH = 120
SHOWN_LEVEL = 8  # in the summary, if it was measured

_PART = re.compile(r"(?<=<!-- generated: )([\w-]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def grids(result: dict[str, Any]) -> dict[str, Grid]:
    """All tables of a run, by name."""
    return kernel.grids(result["kernel"]) | phases.grids(result["phases"]) | time_by_n.grids(result["time"])


def machine(result: dict[str, Any]) -> str:
    """Where and with what it was measured."""
    found = result["machine"]
    return fill(
        f"Measured on {found['date']} on {found['cores']} cores of {found['cpu']} (load average before: "
        f"{found['load_average']:.1f}), kernel build `{result['kernel']['kernel']}`, Python {found['python']}; "
        f"{versions(found)}.",
        WIDTH,
    )


def summary(result: dict[str, Any]) -> str:
    """The figures that matter most."""
    levels = {found["level"]: found for found in result["kernel"]["levels"]}
    level = SHOWN_LEVEL if SHOWN_LEVEL in levels else max(levels)
    ns, ratio = levels[level]["ns_per_game"][kernel.IN_A_SOLVE], levels[level]["ratio"]
    others = [f"{number(ratio[name])} than {name}" for name in ("QuantEcon", "pygambit", "SciPy") if name in ratio]
    lines = [
        f"At level {level} of {result['kernel']['cards']} cards, one core solves a game in {number(ns)} ns: "
        f"{number(ratio['GLPK'])} times faster than GLPK's C library alone on the same games, "
        f"{number(ratio['HiGHS'])} times faster than HiGHS, {', '.join(others)}.",
        f"No value of another solver is farther than {result['kernel']['largest_difference']:.0e} points from that of "
        "the kernel.",
    ]
    if "skipped" not in result["phases"]:
        shown = next(found for found in result["phases"]["levels"] if found["level"] == level)
        share = shown["share"]
        checking = share["checks that fit"] + share["checks that fail"]
        lines.append(
            f"There, {share['laying out'] + share['assembling']:.0%} of the time goes into loading, {checking:.0%} "
            f"into checking and {share['pivoting']:.0%} into the rest, which is mostly pivoting. The kernel does "
            f"{shown['limit_share']:.0%} of the multiply-adds that the core could do, "
            f"{shown['limit_share_checking']:.0%} while it checks."
        )
    return "\n".join(fill(line, WIDTH, initial_indent="- ", subsequent_indent="  ") for line in lines)


def filled(text: str, result: dict[str, Any]) -> str:
    """A page with its generated parts as they should be."""
    tables = grids(result)
    words: dict[str, Callable[[dict[str, Any]], str]] = {"machine": machine, "summary": summary}

    def part(found: re.Match[str]) -> str:
        name = found[1]
        if name in words:
            content = words[name](result)
        elif name in tables:
            content = tables[name].to_markdown()
        else:
            content = fill(f"Not measured here: {result['phases']['skipped']}.", WIDTH)
        return f"{name}{found[2]}\n{content}\n\n"

    return _PART.sub(part, text)


def main() -> None:
    """Print the page as it should be."""
    result = json.loads((RESULTS / RESULT).read_text(encoding="utf-8"))
    sys.stdout.write(filled(PAGE.read_text(encoding="utf-8"), result))


if __name__ == "__main__":
    main()
