"""The example scripts: they run, and what they assert holds."""

import subprocess
import sys
from pathlib import Path

import pytest
from command import PATIENCE

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example, store, tmp_path):
    done = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
