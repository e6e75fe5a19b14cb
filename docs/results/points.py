"""Write what the points tables say: first-move tables, the figures of their solves, and the page that shows both.

goofspiel solve 14 --json > 14.json && python docs/results/points.py 14.json
"""

import csv
import json
import sys
from pathlib import Path

from goofspiel import Objective, open_tablebase
from goofspiel.analysis import first_move
from goofspiel.plan import size_text
from goofspiel.store import default_store, list_tables

FOLDER = Path(__file__).parent / "points"
PAGE = Path(__file__).parent / "points.md"
COLUMNS = ["cards", "games", "cpu_seconds", "wall_seconds", "peak_memory_bytes", "disk_bytes", "value_bound", "command"]
PUBLISHED = 13  # cards: the largest first-move table in print
HEAD = """# Points: the first move

What `goofspiel table N` says for every N that was solved, at full precision, and what the solves took. Made by
`python docs/results/points.py`; no number here is typed. Two cores of a shared AVX2 machine.

"""


def add_runs(files: list[str]) -> None:
    """Put the output of solves into the list of runs, the newest of each number of cards."""
    runs = {int(run["cards"]): run for run in read_runs()}
    for file in files:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
        command = f"goofspiel solve {found['cards']}"
        found |= {"command": command, "disk_bytes": found["bytes"]}
        runs[found["cards"]] = {name: str(found[name]) for name in COLUMNS}
    with open(FOLDER / "runs.csv", "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(runs[cards] for cards in sorted(runs))


def read_runs() -> list[dict[str, str]]:
    """The runs so far."""
    path = FOLDER / "runs.csv"
    return list(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else []


def write_tables() -> dict[int, list[str]]:
    """A csv for each solved table; of those that nobody has published, the section of the page."""
    sections = {}
    for cards, objective in list_tables(default_store()):
        if objective == Objective.POINTS and cards > 1:
            with open_tablebase(cards) as tablebase:
                table, bound = first_move(tablebase), tablebase.bound.value
            (FOLDER / f"first-move-{cards}.csv").write_text(table.to_csv(), encoding="utf-8")
            if cards > PUBLISHED:
                where = f"`goofspiel table {cards}`; all digits: [csv](points/first-move-{cards}.csv)."
                exact = f"Every value of the table is within {bound:.1e} points of the true one."
                text = ["```text", table.to_text().rstrip(), "```"]
                sections[cards] = [f"## {cards} cards", "", where, exact, "", *text, ""]
    return sections


def write_page(sections: dict[int, list[str]]) -> None:
    """The page."""
    lines = ["| cards | games | CPU-seconds | wall seconds | memory | disk | every value within |"]
    lines.append("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for run in read_runs():
        memory, disk = size_text(int(run["peak_memory_bytes"])), size_text(int(run["disk_bytes"]))
        times = f"{float(run['cpu_seconds']):,.1f} | {float(run['wall_seconds']):,.1f}"
        bound = f"{float(run['value_bound']):.1e}"
        lines.append(f"| {run['cards']} | {int(run['games']):,} | {times} | {memory} | {disk} | {bound} |")
    lines += ["", "Source: [runs.csv](points/runs.csv), the output of `goofspiel solve N --json`.", ""]
    for cards in sorted(sections):
        lines += sections[cards]
    smaller = sorted(int(path.stem.rsplit("-", 1)[1]) for path in FOLDER.glob("first-move-*.csv"))
    lines += ["## Fewer cards", ""]
    lines += [f"- [{cards} cards](points/first-move-{cards}.csv)" for cards in smaller if cards <= PUBLISHED]
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    add_runs(sys.argv[1:])
    write_page(write_tables())
