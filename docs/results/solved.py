"""What solved tables say and what their solves took, as csv and as lines of a page, for either objective."""

import csv
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goofspiel import Objective, open_tablebase
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import GoofspielError
from goofspiel.render.first_moves import FirstMove, first_move
from goofspiel.rules import Rules, Ties
from goofspiel.solver.plan import size_text
from goofspiel.store import default_store, make_layout, solve_command
from goofspiel.store.paths import rules_options
from goofspiel.studies.study import paragraph

HERE = Path(__file__).parent
WIDTH = 120  # of a line of a page
FULL_SUIT = 13  # cards: a page without these is not whole
RUN_COLUMNS = [
    *("cards", "games", "cpu_seconds", "wall_seconds", "peak_memory_bytes", "disk_bytes", "value_bound"),
    *("blocks", "blocks_found", "dtype", "keep", "kernel", "command"),
]
# The largest gap of a first bid; upcards with another optimal mix, and those of which that is not decided.
MIX_COLUMNS = ["cards", "gap", "other_mixes", "not_decided"]


@dataclass(frozen=True)
class Results:
    """The folder and the page of an objective: `update` asks the tables, all else reads what it has written."""

    objective: Objective
    home: Path = HERE
    ties: Ties = Ties.DISCARD

    def rules(self, cards: int) -> Rules:
        """The game of so many cards."""
        return Rules(cards, objective=self.objective, ties=self.ties)

    @property
    def name(self) -> str:
        """What its tables are called, their number of cards apart."""
        return "-".join([self.objective] + [self.ties] * (self.ties is not Ties.DISCARD))

    @property
    def folder(self) -> Path:
        return self.home / self.name

    @property
    def option(self) -> str:
        """What a command needs to be about these games."""
        return "".join(f" {word}" for word in rules_options(self.rules(1)))

    def update(self, files: list[str]) -> None:
        """Take in the output of solves, then write what every table that is there says, and say which are not."""
        self.add_runs(files)
        there = [cards for cards in range(2, MAX_CARDS + 1) if is_complete(self.rules(cards))]
        for cards in there:
            with open_tablebase(self.rules(cards)) as tablebase:
                self.check_bound(cards, tablebase.bound.value)
        mixes = self.read_mixes()
        for cards in there:
            table = first_move_of(self.rules(cards))
            self._csv(cards).write_text(table.to_csv(), encoding="utf-8")
            others, unknown = (
                " ".join(str(upcard) for upcard, only in enumerate(table.unique, start=1) if only is found)
                for found in (False, None)
            )
            numbers = (str(cards), repr(table.gap), others, unknown)
            mixes[cards] = dict(zip(MIX_COLUMNS, numbers, strict=True))
        write_csv(self.folder / "mixes.csv", MIX_COLUMNS, [mixes[cards] for cards in sorted(mixes)])
        for line in self.missing_lines(there):
            print(line, file=sys.stderr)

    def missing_lines(self, there: list[int]) -> list[str]:
        """What the page has from an earlier store, and what it does not have at all."""
        lines = []
        for cards in sorted({*self.cards, *range(2, FULL_SUIT + 1)} - {*there}):
            what = "the page keeps what it had" if cards in self.cards else "the page lacks it"
            command = solve_command(self.rules(cards), default_store())
            lines.append(f"{self.rules(cards).slug} is not solved in {default_store()}: {what}; to solve it: {command}")
        return lines

    def add_runs(self, files: list[str]) -> None:
        """Put the output of solves into the list of runs, the newest of each number of cards."""
        self.folder.mkdir(exist_ok=True)
        runs = {int(run["cards"]): run for run in self.read_runs()}
        for file in files:
            found = json.loads(Path(file).read_text(encoding="utf-8"))
            rules = Rules.parse(found["rules"])
            options = ["--dtype", found["dtype"]] * (found["dtype"] != make_layout(rules).dtype)
            options += ["--keep", found["keep"]] * (found["keep"] != "all")
            command = " ".join(["goofspiel", "solve", str(rules.cards), *rules_options(rules), *options])
            found |= {"command": command, "disk_bytes": found["bytes"]}
            if rules == self.rules(found["cards"]):
                runs[found["cards"]] = {name: str(found[name]) for name in RUN_COLUMNS}
        write_csv(self.folder / "runs.csv", RUN_COLUMNS, [runs[cards] for cards in sorted(runs)])

    def read_runs(self) -> list[dict[str, str]]:
        """The runs so far."""
        return read_csv(self.folder / "runs.csv")

    def check_bound(self, cards: int, found: float) -> None:
        """Stop where the recorded solve is not that of the table: a page must not mix the two."""
        record = f"goofspiel solve {cards}{self.option} --json > {cards}.json, then add {cards}.json to this command"
        recorded = {int(run["cards"]): float(run["value_bound"]) for run in self.read_runs()}.get(cards)
        if recorded is None:
            raise SystemExit(f"{self.folder / 'runs.csv'} has no solve of {self.rules(cards).slug}: {record}")
        if recorded != found:
            raise SystemExit(
                f"{self.rules(cards).slug} has every value within {found!r}, "
                f"{self.folder / 'runs.csv'} says {recorded!r}: {record}"
            )

    def bound(self, cards: int) -> float:
        """Every value of a table is within this of the true one."""
        return {int(run["cards"]): float(run["value_bound"]) for run in self.read_runs()}[cards]

    def read_mixes(self) -> dict[int, dict[str, str]]:
        """The largest gaps, and which first bids have other optimal mixes, by cards."""
        return {int(row["cards"]): row for row in read_csv(self.folder / "mixes.csv")}

    def _csv(self, cards: int) -> Path:
        return self.folder / f"first-move-{cards}.csv"

    @property
    def cards(self) -> list[int]:
        """The numbers of cards that there is a csv of."""
        return sorted(int(path.stem.rsplit("-", 1)[1]) for path in self.folder.glob("first-move-*.csv"))

    def read_table(self, cards: int) -> np.ndarray:
        """The probabilities, [bid][upcard]."""
        with open(self._csv(cards), encoding="utf-8") as file:
            head, *rows = csv.reader(file)
        upcards = [place for place, name in enumerate(head) if name.isdigit()]
        return np.array([[float(row[place]) for place in upcards] for row in rows])

    def run_lines(self) -> list[str]:
        """The runs as a table of a page."""
        lines = [
            "| cards | games | CPU-seconds | wall seconds | memory | disk | stored as | every value within | kernel |"
        ]
        lines.append("| ---: | ---: | ---: | ---: | ---: | ---: | :--- | ---: | :--- |")
        notes = []
        for run in self.read_runs():
            memory, disk = size_text(int(run["peak_memory_bytes"])), size_text(int(run["disk_bytes"]))
            times = f"{float(run['cpu_seconds']):,.1f} | {float(run['wall_seconds']):,.1f}"
            mark = "*" * (int(run["blocks_found"]) > 0)
            bound = f"{float(run['value_bound']):.1e}"
            stored = run["dtype"] + ", last level" * (run["keep"] == "last")
            cells = [f"{run['cards']}{mark}", f"{int(run['games']):,}", times, memory, disk, stored, bound]
            lines.append("| " + " | ".join([*cells, run["kernel"]]) + " |")
            if mark:
                found = f"{run['blocks_found']} of {run['blocks']} blocks were there from a run before"
                notes += ["", f"\\* {run['cards']} cards: {found}; the times are those of the rest."]
        source = f"[runs.csv]({self.name}/runs.csv), the output of `goofspiel solve N{self.option} --json`."
        return [*lines, *notes, "", f"Source: {source}", ""]

    def proof(self, cards: int) -> str:
        """Which table, and how exact it is."""
        return f"from {self.rules(cards).slug}, every value within {self.bound(cards):.1e}"

    def _mix_text(self, cards: int) -> str:
        """Whether the first bids are the only optimal ones."""
        row = self.read_mixes().get(cards)
        if row is None:
            return "whether the mixes are unique was not recorded"
        others, unknown = row["other_mixes"].split(), row["not_decided"].split()
        said = [f"the mix on {', '.join(others)} is one of several"] * bool(others)
        if len(unknown) == cards:
            said += ["whether the mixes are unique is not decided"]
        elif unknown:
            said += [f"whether the mix on {', '.join(unknown)} is unique is not decided"]
        if len(others) + len(unknown) < cards:
            said += ["all others are unique" if said else "every mix is unique"]
        return f"{', '.join(said)}; gaps up to {float(row['gap']):.1e}"

    def table_lines(self, cards: int) -> list[str]:
        """A first-move table as a section of a page."""
        where = (
            f"`goofspiel table {cards}{self.option}`; {self.proof(cards)}; {self._mix_text(cards)}; all digits: "
            f"[csv]({self.name}/first-move-{cards}.csv)."
        )
        text = self.read_first_move(cards).to_text().rstrip()
        return [f"## {cards} cards", "", *paragraph(where, WIDTH), "", "```text", text, "```", ""]

    def read_first_move(self, cards: int) -> FirstMove:
        """A first-move table as it was written; of one whose mixes were not looked at, none is said to be unique."""
        all_upcards = list(map(str, range(1, cards + 1)))
        row = self.read_mixes().get(cards, {"gap": "nan", "other_mixes": "", "not_decided": " ".join(all_upcards)})
        others, unknown = row["other_mixes"].split(), row["not_decided"].split()
        unique = tuple(None if upcard in unknown else upcard not in others for upcard in all_upcards)
        return FirstMove(self.rules(cards), self.read_table(cards), unique, float(row["gap"]))


def read_csv(path: Path) -> list[dict[str, str]]:
    """The rows of a csv with a header; none if it is not there."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path: Path, columns: list[str], rows: list[dict[str, str]]) -> None:
    """A csv with a header."""
    with open(path, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def first_move_of(rules: Rules) -> FirstMove:
    """The first-move table of a solved game."""
    with open_tablebase(rules) as tablebase:
        return first_move(tablebase)


def is_complete(rules: Rules) -> bool:
    """Whether the table of a game can be asked; a small one that is missing is solved."""
    try:
        open_tablebase(rules).close()
    except GoofspielError:
        return False
    return True
