"""What the tests of studies share: rows of their data, the published files, and how far rounding goes."""

from pathlib import Path
from typing import Any

from goofspiel.studies.study import Study

PUBLISHED = Path(__file__).parent.parent / "docs/results/studies"
ROUNDING = 1e-9
STORED = 1e-6  # of a win table
PNG = b"\x89PNG\r\n\x1a\n"


def picked(study: Study, **wanted: Any) -> list[dict[str, Any]]:
    """The rows of a study's data that have these cells."""
    return [row for row in study.data.records() if all(row[name] == cell for name, cell in wanted.items())]
