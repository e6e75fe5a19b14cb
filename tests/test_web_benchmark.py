"""The benchmark of the server runs, and the documentation says what was measured."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks/serve.py"


def run(*arguments: str) -> str:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_short_run(store: Path, objective: str) -> None:
    printed = run(
        "--seconds",
        "0.5",
        "--clients",
        "4",
        "--batch",
        "50",
        "--cards",
        "5",
        "--objective",
        objective,
        "--store",
        str(store),
    )
    rows = [re.split(" {2,}", line.strip()) for line in printed.splitlines()[2:]]
    for column in (1, 2):  # single positions, and many in a request
        found = {row[0]: float(row[column].replace(",", "")) for row in rows}
        assert found["positions a second"] > 0
        assert found["errors"] == 0
        assert 0 < found["milliseconds, p50"] <= found["milliseconds, p99"] <= found["milliseconds, max"]
        assert found["MiB of the server, after"] > 0


def test_the_page_shows_what_was_measured() -> None:
    result = json.loads((ROOT / "docs/results/serve.json").read_text(encoding="utf-8"))
    assert result["errors"] == []
    page = (ROOT / "docs/reference/http.md").read_text(encoding="utf-8")
    assert run("--redraw") == page, "run: python benchmarks/serve.py --write"
