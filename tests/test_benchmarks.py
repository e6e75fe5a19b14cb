"""The benchmarks run, and the page that shows them says what was measured."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SOLVERS = {"kernel, in a solve", "kernel, batch", "GLPK", "HiGHS", "SciPy"}
# Compiled for minutes, or with a compiler of its own: `make bench` installs them.
OPTIONAL = {name for name in ("pygambit", "QuantEcon") if find_spec(name.lower())}


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, str(ROOT / "benchmarks" / script), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a short run writes."""
    for name in ("matplotlib", "nashpy", "scipy", "swiglpk"):
        pytest.importorskip(name)
    folder = tmp_path_factory.mktemp("benchmark")
    run("run.py", "--quick", "--output", str(folder))
    return folder


@pytest.fixture(scope="module")
def result(output: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((output / "benchmark.json").read_text(encoding="utf-8"))
    return found


def test_all_solvers_agree(result: dict[str, Any]) -> None:
    for found in result["kernel"]["levels"]:
        assert set(found["ns_per_game"]) >= SOLVERS | OPTIONAL
        assert all(ns > 0 for ns in found["ns_per_game"].values())
        assert found["ratio"]["kernel, in a solve"] == 1
        assert found["largest_gap"] < 1e-9
    assert result["kernel"]["largest_difference"] < 1e-6


def test_phases_make_up_the_whole(result: dict[str, Any]) -> None:
    phases = result["phases"]
    if "skipped" in phases:
        pytest.skip(phases["skipped"])
    assert phases["multiply_adds_per_second"] > 1e8
    for found in phases["levels"]:
        assert sum(found["share"].values()) == pytest.approx(1)
        assert found["multiply_adds_per_game"] >= found["multiply_adds_needed_per_game"] >= found["cells"]
        assert 1 <= found["support"] <= found["level"]
        assert found["checks_per_group"] >= 1
        assert 0 < found["limit_share"] < 1


def test_time_against_cards(result: dict[str, Any]) -> None:
    solver, paper = result["time"]["solver"], result["time"]["paper"]
    assert all(found["cpu_seconds"] > 0 and found["wall_seconds"] > 0 for found in solver)
    measured = [found for found in paper if not found["extrapolated"]]
    assert [found["cards"] for found in measured] == [3, 4]
    assert all(found["largest_difference"] < 1e-9 for found in measured)
    # Three pairs of different hands, three prize sets; one upcard of one prize, two of two; equal hands are worth 0.
    assert measured[0]["games"] == 3 * 3 * 1 + 3 * 3 * 2
    assert [found["cards"] for found in paper] == list(range(3, 16))


def test_everything_is_written(output: Path, result: dict[str, Any]) -> None:
    for name in ("benchmark-kernel.png", "benchmark-time.png"):
        assert (output / name).read_bytes().startswith(b"\x89PNG")
    for name in ("benchmark-kernel.csv", "benchmark-time.csv"):
        assert len((output / name).read_text(encoding="utf-8").splitlines()) > 3
    page = (output / "speed.md").read_text(encoding="utf-8")
    assert result["machine"]["date"] in page
    assert "| GLPK |" in page
    assert "<!-- generated: time -->\n\n| N |" in page


def test_the_page_shows_what_was_measured() -> None:
    if not (ROOT / "docs/results/benchmark.json").exists():
        pytest.skip("nothing was measured yet")
    page = (ROOT / "docs/why/speed.md").read_text(encoding="utf-8")
    assert run("page.py") == page, "run: python benchmarks/run.py --redraw"


def test_matches_are_faster_than_one_bid_at_a_time(store: Path) -> None:
    page = (ROOT / "docs/how-to/match.md").read_text(encoding="utf-8")
    said = run("matches.py", "--quick")
    assert (ROOT / "docs/how-to/match.md").read_text(encoding="utf-8") == page
    ratios = [
        float(line.split("|")[-2].replace(",", ""))
        for line in said.splitlines()
        if line.startswith(("| points", "| win"))
    ]
    assert len(ratios) == 2
    assert min(ratios) > 1


def test_what_agents_are_measured_with_is_measured(store: Path) -> None:
    page = (ROOT / "docs/how-to/benchmark-agents.md").read_text(encoding="utf-8")
    said = run("agents.py", "--quick")
    assert (ROOT / "docs/how-to/benchmark-agents.md").read_text(encoding="utf-8") == page
    named = [line.split("|")[1].strip() for line in said.splitlines() if line.startswith("| ")][2:]
    assert len(named) == 6
    assert all(f"| {name} | " in page for name in named)


def test_the_page_on_matrix_games_shows_what_was_measured(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    run("unrelated.py", "--redraw", "--output", str(tmp_path))
    page = ROOT / "docs/how-to/solve-matrix-games.md"
    assert (tmp_path / page.name).read_text(encoding="utf-8") == page.read_text(encoding="utf-8")
    result = json.loads((ROOT / "docs/results/benchmark-games.json").read_text(encoding="utf-8"))
    for found in result["sizes"]:
        assert found["ratio"]["QuantEcon"] > 3
        assert found["largest_gap"] < 1e-12


def test_unrelated_games_are_measured(output: Path) -> None:
    """By `make bench`, too: all solvers that are here, at all sizes."""
    found = json.loads((output / "benchmark-games.json").read_text(encoding="utf-8"))["sizes"]
    assert [of["size"] for of in found] == [2, 3, 5, 8, 13, 16]
    assert {"goofspiel, portable", "goofspiel, one call a game", "GLPK", "HiGHS"} <= set(found[0]["ns_per_game"])
    assert found[0]["unanswered"]["GLPK"] == 0
