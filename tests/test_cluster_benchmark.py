"""The benchmark of the cluster runs, and the documentation says what was measured."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks/cluster.py"


def run(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, cwd=SCRIPT.parent, stdout=subprocess.PIPE, encoding="utf-8").stdout


def test_a_short_run() -> None:
    printed = run(str(SCRIPT), "--cards", "9", "--repeats", "1").splitlines()
    times, sizes = ([word.strip() for word in printed[line].split("  ") if word] for line in (2, 5))
    assert (times[0], sizes[:2]) == ("9", ["9", "1.7 MiB"])
    assert all(float(time) > 0 for time in times[1:])
    assert sizes[3] == "1.7 MiB"  # written as often as there are values


def test_the_page_shows_what_was_measured_and_what_the_plan_says() -> None:
    result = json.loads((ROOT / "docs/results/cluster.json").read_text(encoding="utf-8"))
    assert [found["cards"] for found in result["runs"]] == [10, 11, 12]
    page = (ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8")
    assert run(str(SCRIPT), "--redraw") == page, "run: python benchmarks/cluster.py --write"


def test_the_needs_of_seventeen_cards_carry_on_those_of_sixteen() -> None:
    """Level by level as a plan would say, where there is one to compare with."""
    code = (
        "import beyond\n"
        "beyond.MAX_CARDS = 15\n"
        "carried = beyond.needs_of(16)\n"
        "beyond.MAX_CARDS = 16\n"
        "for one, other in zip(carried, beyond.needs_of(16), strict=True):\n"
        "    assert (one.games, one.bytes) == (other.games, other.bytes)\n"
        "seconds = [sum(level.cpu_seconds for level in found) for found in (carried, beyond.needs_of(16))]\n"
        "read = [sum(level.read_bytes(64) for level in found) for found in (carried, beyond.needs_of(16))]\n"
        "print(seconds[0] / seconds[1], read[0] / read[1])\n"
    )
    seconds, read = map(float, run("-c", code).split())
    assert 0.9 < seconds < 1.1
    assert 0.5 < read < 2


def test_the_page_names_the_settings_that_are_measured_with() -> None:
    code = "import cluster; print(*(f'{name}={value}' for name, value in cluster.variables(cluster.CALM).items()))"
    page = (ROOT / "docs/how-to/cluster.md").read_text(encoding="utf-8")
    settings = [name for name in re.findall("^export (.+)$", page, re.MULTILINE) if "__COMM__" not in name]  # of TLS
    assert settings == run("-c", code).split()
