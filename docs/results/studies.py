"""Write what the studies found, from all tables that are solved: csv, figures, and the generated parts of the page.

python docs/results/studies.py            # all studies
python docs/results/studies.py parity     # only this one
"""

import re
import sys

from solved import HERE, Results

from goofspiel import Objective
from goofspiel.analysis.study import Column, Grid, Study, paragraph
from goofspiel.analysis.study_list import STUDIES, find_study
from goofspiel.analysis.study_request import Request
from goofspiel.progress_bar import study_progress

FOLDER = HERE / "studies"
PAGE = HERE / "studies.md"
WIDTH = 120  # of a line of the page
SHORT = 2.0  # CPU-seconds: of shorter solves, most is the start of the program
PART = re.compile(r"(?<=<!-- generated: study )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def make(name: str) -> Study:
    """Make a study, and write its csv and its figure."""
    kind = find_study(name)
    with study_progress(quiet=False) as progress:
        study = kind.make(Request(progress=progress))
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.csv").write_text(study.to_csv(), encoding="utf-8")
    kind.draw(study, FOLDER / f"{name}.png")
    return study


def part(study: Study) -> str:
    """What the page says of a study."""
    lines = ["", *paragraph(study.asked, WIDTH), "", f"![{study.title}](studies/{study.name}.png)", ""]
    lines += [study.summary.to_markdown(), ""]
    for verdict in study.verdicts:
        lines += paragraph(verdict, WIDTH, bullet="- ")
    lines.append("")
    if study.name == "growth":
        lines += ["What the solves really took:", "", measured().to_markdown(), ""]
    lines += ["What these numbers are:", ""]
    for remark in study.remarks:
        lines += paragraph(remark, WIDTH, bullet="- ")
    lines += ["", f"Command: `{study.command}`. All numbers: [csv](studies/{study.name}.csv).", "", ""]
    return "\n".join(lines)


def measured() -> Grid:
    """The runs of both objectives."""
    columns = (
        *(Column("objective"), Column("cards"), Column("games", ",d"), Column("cpu_seconds", ",.1f", "CPU-seconds")),
        Column("nanoseconds", ",.0f", "ns a game"),
    )
    rows = []
    for objective in Objective:
        for run in Results(objective).read_runs():
            games, seconds = int(run["games"]), float(run["cpu_seconds"])
            # A run that found blocks of another one has the time of the rest only; a short one is mostly its start.
            if run["blocks_found"] == "0" and seconds > SHORT:
                rows.append((str(objective), int(run["cards"]), games, seconds, 1e9 * seconds / games))
    return Grid(columns, tuple(rows))


def main(names: list[str]) -> None:
    for name in names or list(STUDIES):
        found = part(make(name))
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            PART.sub(lambda old, name=name, found=found: old[1] + old[2] + found if old[1] == name else old[0], page),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main(sys.argv[1:])
