"""Read the cases under tests/data: one a line, tabs between the columns, # before a remark."""

from pathlib import Path

DATA = Path(__file__).parent / "data"


def corpus(name: str) -> list[list[str]]:
    """The cases of a file."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]
