"""The example scripts: they run, what they assert holds, and they can be read as notebooks."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import PATIENCE

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example: Path, store: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_a_notebook(example: Path) -> None:
    """Cells are alone between markers: text is all comments, code is code, and nothing stands before the first cell."""
    before, *cells = re.split(r"^# %%(.*)\n", example.read_text(encoding="utf-8"), flags=re.MULTILINE)
    (docstring,) = ast.parse(before).body
    assert isinstance(docstring, ast.Expr)
    kinds = list(zip(cells[::2], cells[1::2], strict=True))
    assert {kind for kind, _ in kinds} == {"", " [markdown]"}
    for kind, cell in kinds:
        assert bool(ast.parse(cell).body) == (kind == ""), cell


def test_every_example_is_named_in_the_documentation() -> None:
    root = EXAMPLES[0].parent.parent
    text = (root / "docs/index.md").read_text(encoding="utf-8")
    assert [example.name for example in EXAMPLES if f"examples/{example.name}" not in text] == []
