"""All studies by name."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goofspiel.studies.chip import study_chip
from goofspiel.studies.figures import draw_chip, draw_growth, draw_heuristics, draw_objectives, draw_parity, draw_ties
from goofspiel.studies.growth import study_growth
from goofspiel.studies.heuristics import study_heuristics
from goofspiel.studies.objectives import study_objectives
from goofspiel.studies.parity import study_parity
from goofspiel.studies.request import Request, StudyError
from goofspiel.studies.study import Study
from goofspiel.studies.ties import study_ties


@dataclass(frozen=True)
class StudyKind:
    """How a study is made, and how it is drawn."""

    make: Callable[[Request], Study]
    draw: Callable[[Study, Path], None]


STUDIES = {
    "parity": StudyKind(study_parity, draw_parity),
    "chip": StudyKind(study_chip, draw_chip),
    "objectives": StudyKind(study_objectives, draw_objectives),
    "ties": StudyKind(study_ties, draw_ties),
    "heuristics": StudyKind(study_heuristics, draw_heuristics),
    "growth": StudyKind(study_growth, draw_growth),
}


def find_study(name: str) -> StudyKind:
    """The study of this name."""
    if name not in STUDIES:
        raise StudyError(f"no study is called {name!r}: {', '.join(STUDIES)}")
    return STUDIES[name]
