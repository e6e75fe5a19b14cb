"""Write the generated parts of the documentation anew: python docs/generate.py

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. A test checks that all are current.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = (ROOT / "README.md", ROOT / "docs/reference/cli.md")
COLUMNS = 100  # of a help text
THREADS = 2  # of a forecast
FORECAST = {"points": (9, 10, 11, 12, 13, 14, 15, 16), "win": (9, 10, 11, 12, 13)}
MEMORY_FREE = 20 << 30  # what does not fit is streamed

_PART = re.compile(r"(?<=<!-- generated: )(.+?)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def help_text(verb: str = "") -> str:
    """What `goofspiel VERB --help` prints."""
    command = [sys.executable, "-m", "goofspiel.cli", *verb.split(), "--help"]
    environment = os.environ | {"COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def _help_block(verb: str) -> str:
    return f"\n```text\n{help_text(verb)}```\n\n"


def _forecast(objective: str) -> str:
    from goofspiel import Objective
    from goofspiel.plan import make_plan

    lines = ["", "| N | matrix games | memory | disk | time |", "| ---: | ---: | ---: | ---: | ---: |"]
    for cards in FORECAST[objective]:
        plan = make_plan(cards, objective=Objective(objective))
        memory, disk = _size(plan.memory_bytes(THREADS, MEMORY_FREE)), _size(plan.disk_bytes())
        time = _time(plan.cpu_seconds / THREADS)
        lines.append(f"| {cards} | {plan.games:,} | {memory} | {disk}, {plan.dtype} | {time} |")
    return "\n".join([*lines, "", ""])


def _size(count: float) -> str:
    return f"{count / 2**20:.0f} MiB" if count < 1 << 30 else f"{count / 2**30:.1f} GiB"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "under 1 s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


PARTS: dict[str, Callable[[str], str]] = {"help": _help_block, "forecast": _forecast}


def current(text: str) -> str:
    """A page with its generated parts as they should be."""

    def part(found: re.Match[str]) -> str:
        name, _, argument = found[1].partition(" ")
        return found[1] + found[2] + PARTS[name](argument)

    return _PART.sub(part, text)


def main() -> None:
    for page in PAGES:
        page.write_text(current(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
