"""Write what the studies found, from all tables that are solved: csv, figures, and the generated parts of the page.

python docs/results/studies.py            # all studies
python docs/results/studies.py parity     # only this one
python docs/results/studies.py times      # what newly recorded solves took, in the part on growth
"""

import csv
import re
import sys

from solved import HERE, Results

from goofspiel import Objective
from goofspiel.render.first_moves import FirstMove
from goofspiel.render.progress import study_progress
from goofspiel.rules import Rules, Ties
from goofspiel.store import default_store, list_tables, solve_command
from goofspiel.studies.catalogue import STUDIES, find_study
from goofspiel.studies.figures import draw_growth
from goofspiel.studies.growth import DATA, SUMMARY, TITLE
from goofspiel.studies.parity import LEAST, parity_of
from goofspiel.studies.request import Request
from goofspiel.studies.study import Cell, Column, Grid, Source, Study, as_number, paragraph

FOLDER = HERE / "studies"
PAGE = HERE / "studies.md"
WIDTH = 120  # of a line of the page
SHORT = 2.0  # CPU-seconds: of shorter solves, most is the start of the program
MEASURED = (
    *(Column("objective"), Column("cards"), Column("games", ",d"), Column("cpu_seconds", ",.1f", "CPU-seconds")),
    Column("nanoseconds", ",.0f", "ns a game"),
)
TIMES = re.compile(r"(?<=What the solves really took:\n\n).*?(?=\n\n)", re.DOTALL)
PART = re.compile(r"(?<=<!-- generated: study )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)


def make(name: str) -> Study:
    """Make a study, and write its csv and its figure."""
    kind = find_study(name)
    if name == "parity":
        study = parity_of(recorded_first_moves(), Request().command(name))
    else:
        refuse_to_shrink(name)
        with study_progress(quiet=False) as progress:
            study = kind.make(Request(on_progress=progress))
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.csv").write_text(study.to_csv(), encoding="utf-8")
    if name == "growth":
        draw_with_times(study)
    else:
        kind.draw(study, FOLDER / f"{name}.png")
    return study


def recorded_first_moves() -> list[tuple[FirstMove, Source]]:
    """The first moves of every game that was ever solved, as points.py and win.py wrote them: no table is needed."""
    return [
        (results.read_first_move(cards), Source(results.rules(cards), results.bound(cards)))
        for results in map(Results, Objective)
        for cards in results.cards
        if cards >= LEAST
    ]


def refuse_to_shrink(name: str) -> None:
    """End here when a table is missing that the page was made of."""
    path = FOLDER / f"{name}.csv"
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())) if path.exists() else []
    had = {(rules, False) for row in rows for rules in games_of(row, name)}
    had |= {(rules, True) for row in rows if row.get("digits") for rules in games_of(row, name)}
    there = {(rules, exact) for exact in (False, True) for rules in list_tables(default_store(), exact=exact)}
    for rules, exact in sorted(had - there, key=lambda table: (table[0].cards, table[0].slug, table[1])):
        raise SystemExit(f"{solve_command(rules, default_store(), exact=exact)} first: {path.name} has it")


def games_of(row: dict[str, str], name: str) -> list[Rules]:
    """The games of the tables that a row comes from."""
    usual = list(Objective) if name == "objectives" else [Objective.POINTS]
    objectives = [Objective(row["objective"])] if "objective" in row else usual
    kinds = list(Ties) if name == "ties" else [Ties.DISCARD]
    return [Rules(int(row["cards"]), objective=objective, ties=ties) for objective in objectives for ties in kinds]


def part(study: Study) -> str:
    """What the page says of a study."""
    lines = ["", *paragraph(study.asked, WIDTH), "", f"![{study.title}](studies/{study.name}.png)", ""]
    for caption, grid in study.tables():
        lines += [f"{caption[0].upper()}{caption[1:]}:", ""] if caption else []
        lines += [grid.to_markdown(), ""]
    for meaning in study.legend:
        lines += [*paragraph(meaning, WIDTH), ""]
    for verdict in study.verdicts:
        lines += paragraph(verdict, WIDTH, bullet="- ")
    lines.append("")
    if study.name == "growth":
        lines += ["What the solves really took:", "", Grid(MEASURED, tuple(measured_rows())).to_markdown(), ""]
        lines += paragraph(
            "These are in [points/runs.csv](points/runs.csv) and [win/runs.csv](win/runs.csv), not in a store: the "
            "command below draws the panel of times without them.",
            WIDTH,
        )
        lines.append("")
    lines += ["What these numbers are:", ""]
    for remark in study.remarks:
        lines += paragraph(remark, WIDTH, bullet="- ")
    command = f"{study.command} --csv --figure {study.name}.png > {study.name}.csv"
    files = f"[{study.name}.csv](studies/{study.name}.csv), [{study.name}.png](studies/{study.name}.png)"
    lines += ["", f"Command: `{command}`", "", f"It writes {files}.", "", ""]
    return "\n".join(lines)


def measured_rows() -> list[tuple[Cell, ...]]:
    """The runs of both objectives."""
    rows: list[tuple[Cell, ...]] = []
    for objective in Objective:
        for run in Results(objective).read_runs():
            games, seconds = int(run["games"]), float(run["cpu_seconds"])
            # A run that found blocks of another one has the time of the rest only; a short one is mostly its start.
            if run["blocks_found"] == "0" and seconds > SHORT:
                rows.append((str(objective), int(run["cards"]), games, seconds, 1e9 * seconds / games))
    return rows


def draw_with_times(study: Study) -> None:
    """The figure of growth, with the times of the recorded solves."""
    runs = [(str(of), int(as_number(cards)), as_number(seconds)) for of, cards, _, seconds, _ in measured_rows()]
    draw_growth(study, FOLDER / "growth.png", runs)


def refresh_times() -> None:
    """Put the recorded solves into the part on growth; all else of it, the figure, too, is as it was written."""
    with open(FOLDER / "growth.csv", encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    cells = tuple((row[0], *(float(cell) if cell else None for cell in row[1:])) for row in rows)
    draw_with_times(
        Study("growth", TITLE, "", Grid(SUMMARY, ()), Grid(DATA, cells), (), (), (), Request().command("growth"))
    )
    table = Grid(MEASURED, tuple(measured_rows())).to_markdown()
    PAGE.write_text(TIMES.sub(lambda _: table, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_part(page: str, name: str, found: str) -> str:
    """The page with what it says of a study replaced."""
    return PART.sub(lambda old: old[1] + old[2] + found if old[1] == name else old[0], page)


def main(names: list[str]) -> None:
    if names == ["times"]:
        refresh_times()
        return
    for name in names or list(STUDIES):
        found = part(make(name))
        PAGE.write_text(with_part(PAGE.read_text(encoding="utf-8"), name, found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
