"""What solved tables say and what their solves took, as csv and as lines of a page, for either objective."""

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from goofspiel import Objective, open_tablebase
from goofspiel.analysis import FirstMove, first_move
from goofspiel.plan import size_text
from goofspiel.store import default_store, list_tables

HERE = Path(__file__).parent
RUN_COLUMNS = [
    *("cards", "games", "cpu_seconds", "wall_seconds", "peak_memory_bytes", "disk_bytes", "value_bound"),
    *("blocks", "blocks_found", "command"),
]


@dataclass(frozen=True)
class Results:
    """The folder and the page of an objective."""

    objective: Objective

    @property
    def folder(self) -> Path:
        return HERE / str(self.objective)

    def add_runs(self, files: list[str]) -> None:
        """Put the output of solves into the list of runs, the newest of each number of cards."""
        self.folder.mkdir(exist_ok=True)
        runs = {int(run["cards"]): run for run in self.read_runs()}
        option = "" if self.objective == Objective.POINTS else f" --objective {self.objective}"
        for file in files:
            found = json.loads(Path(file).read_text(encoding="utf-8"))
            found |= {"command": f"goofspiel solve {found['cards']}{option}", "disk_bytes": found["bytes"]}
            if found["objective"] == self.objective:
                runs[found["cards"]] = {name: str(found[name]) for name in RUN_COLUMNS}
        with open(self.folder / "runs.csv", "w", encoding="utf-8", newline="") as out:
            writer = csv.DictWriter(out, RUN_COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(runs[cards] for cards in sorted(runs))

    def read_runs(self) -> list[dict[str, str]]:
        """The runs so far."""
        path = self.folder / "runs.csv"
        return list(csv.DictReader(path.open(encoding="utf-8"))) if path.exists() else []

    def write_tables(self) -> None:
        """A csv for each solved table."""
        for cards, objective in list_tables(default_store()):
            if objective == self.objective and cards > 1 and is_complete(cards, objective):
                self._csv(cards).write_text(first_move_of(cards, objective).to_csv(), encoding="utf-8")

    def _csv(self, cards: int) -> Path:
        return self.folder / f"first-move-{cards}.csv"

    @property
    def cards(self) -> list[int]:
        """The numbers of cards that there is a csv of."""
        return sorted(int(path.stem.rsplit("-", 1)[1]) for path in self.folder.glob("first-move-*.csv"))

    def read_table(self, cards: int) -> np.ndarray:
        """The probabilities, [bid][upcard]."""
        with open(self._csv(cards), encoding="utf-8") as file:
            _, *rows = csv.reader(file)
        return np.array([[float(cell) for cell in row[1:]] for row in rows])

    def run_lines(self) -> list[str]:
        """The runs as a table of a page."""
        lines = ["| cards | games | CPU-seconds | wall seconds | memory | disk | every value within |"]
        lines.append("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        notes = []
        for run in self.read_runs():
            memory, disk = size_text(int(run["peak_memory_bytes"])), size_text(int(run["disk_bytes"]))
            times = f"{float(run['cpu_seconds']):,.1f} | {float(run['wall_seconds']):,.1f}"
            mark = "*" * (int(run["blocks_found"]) > 0)
            bound = f"{float(run['value_bound']):.1e}"
            lines.append(f"| {run['cards']}{mark} | {int(run['games']):,} | {times} | {memory} | {disk} | {bound} |")
            if mark:
                found = f"{run['blocks_found']} of {run['blocks']} blocks were there from a run before"
                notes += ["", f"\\* {run['cards']} cards: {found}; the times are those of the rest."]
        source = f"[runs.csv]({self.objective}/runs.csv), the output of `goofspiel solve N --json`."
        return [*lines, *notes, "", f"Source: {source}", ""]

    def table_lines(self, cards: int) -> list[str]:
        """A first-move table as a section of a page."""
        option = "" if self.objective == Objective.POINTS else f" --objective {self.objective}"
        command = f"`goofspiel table {cards}{option}`"
        where = f"{command}; all digits: [csv]({self.objective}/first-move-{cards}.csv)."
        probability = self.read_table(cards)
        text = FirstMove(cards, self.objective, probability, (True,) * cards, 0.0).to_text().rstrip()
        return [f"## {cards} cards", "", where, "", "```text", text, "```", ""]


@cache
def first_move_of(cards: int, objective: Objective) -> FirstMove:
    """The first-move table of a solved game."""
    with open_tablebase(cards, objective=objective) as tablebase:
        return first_move(tablebase)


def is_complete(cards: int, objective: Objective) -> bool:
    """Whether the table of a game can be asked."""
    from goofspiel.errors import GoofspielError

    try:
        open_tablebase(cards, objective=objective).close()
    except GoofspielError:
        return False
    return True
