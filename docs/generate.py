"""Write the generated parts of the documentation anew: python docs/generate.py

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`, in lines of its own or within a line. Its
numbers come from the code and from the files of docs/results. A test checks that all are current. A part that is not
written so is refused: it would go stale unseen.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from goofspiel import Objective
from goofspiel.best_response.hand_pairs import HandPairSpace
from goofspiel.cards import MAX_CARDS
from goofspiel.rules import Rules
from goofspiel.site.plan import FOUR_BYTES, SiteTable
from goofspiel.solver.plan import Plan
from goofspiel.store import Layout, make_layout
from goofspiel.studies.study import paragraph

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "docs/results"))  # solved.py, points.py

PAGES = (
    *(ROOT / "README.md", ROOT / "docs/reference/cli.md", ROOT / "docs/how-to/solve-bigger.md"),
    *(ROOT / "docs/how-to/respond.md", ROOT / "docs/why/limits.md", ROOT / "docs/why/compare.md"),
    *(ROOT / "docs/why/playing-to-win.md", ROOT / "docs/why/error-bounds.md", ROOT / "docs/why/exactness.md"),
    *(ROOT / "docs/why/trust.md", ROOT / "docs/why/serving.md", ROOT / "docs/how-to/benchmark-agents.md"),
    *(ROOT / "docs/how-to/publish-the-page.md", ROOT / "docs/decisions/0019-versions-of-the-page.md"),
)
COLUMNS = 100  # of a help text
WIDTH = 120  # of a line of a page
THREADS = 2  # of a forecast
FORECAST = {"points": (9, 10, 11, 12, 13, 14, 15, 16), "win": (9, 10, 11, 12, 13)}
MEMORY_FREE = 20 << 30  # what does not fit is streamed

# The name ends its line, or what is generated follows in the same line.
_PART = re.compile(r"(?<=<!-- generated: )(.+?)( -->\n?).*?(?=<!-- end -->)", re.DOTALL)
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_OPENS = re.compile(r" (?:generated|measured): \S+(?: \S+)* ")
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def help_text(verb: str = "") -> str:
    """What `goofspiel VERB --help` prints."""
    command = [sys.executable, "-m", "goofspiel", *verb.split(), "--help"]
    environment = os.environ | {"COLUMNS": str(COLUMNS), "NO_COLOR": "1"}
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def _help_block(verb: str) -> str:
    return f"\n```text\n{help_text(verb)}```\n\n"


def _forecast(objective: str) -> str:
    """A table: what the plan says of each game, and what its solve took, where one was recorded."""
    runs = _runs(objective)
    head = ["N", "matrix games", "memory", "disk", "time, estimated", "time, measured", "CPU-seconds, measured"]
    lines = ["", "| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for cards in FORECAST[objective]:
        layout = _layout(objective, cards)
        plan = Plan(layout, THREADS)
        memory, disk = _size(plan.memory_bytes(MEMORY_FREE)), _size(layout.disk_bytes())
        cells = [f"{layout.games:,}", memory, f"{disk}, {layout.dtype}", _time(plan.cpu_seconds / THREADS)]
        lines.append("| " + " | ".join([str(cards), *cells, *_measured(runs.get(cards))]) + " |")
    kernels = " and ".join(sorted({run["kernel"] for run in runs.values()}))
    note = (
        f"The estimates are for {_word(THREADS)} free cores with AVX2, of the machine that the rates of "
        "`solver/plan.py` were measured on; `goofspiel solve N --dry-run` times yours. The solves were measured on two "
        f"cores of another, with the kernel `{kernels}`, some of them while others used it, too: so some took less "
        "time than is estimated, and some more."
    )
    notes = ["", *paragraph(note, WIDTH)] if objective == Objective.POINTS else []
    return "\n".join([*lines, *notes, "", ""])


def _measured(run: dict[str, str] | None) -> list[str]:
    """Wall time and CPU-seconds of a solve; where it went on with an earlier one, of how many blocks."""
    if run is None:
        return ["", ""]
    blocks, found = int(run["blocks"]), int(run["blocks_found"])
    part = f" for {blocks - found} of {blocks} blocks" if found else ""
    part += f" in {run['dtype']}, the last level kept" if run["keep"] == "last" else ""
    return [_time(float(run["wall_seconds"])) + part, f"{float(run['cpu_seconds']):,.1f}{part}"]


def _runs(objective: str) -> dict[int, dict[str, str]]:
    """The recorded solves by cards."""
    from solved import Results

    return {int(run["cards"]): run for run in Results(Objective(objective)).read_runs()}


def _rules(objective: str, cards: int | str) -> Rules:
    return Rules(int(cards), objective=Objective(objective))


def _layout(objective: str, cards: int | str) -> Layout:
    return make_layout(_rules(objective, cards))


def _size(count: float) -> str:
    return f"{count / 2**20:.0f} MiB" if count < 1 << 30 else f"{count / 2**30:.1f} GiB"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "under 1 s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _word(number: int) -> str:
    names = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return names[number] if number < len(names) else str(number)


def _solved(objective: str) -> str:
    """The most cards that were solved."""
    return str(max(_runs(objective)))


def _exact_cards(objective: str) -> str:
    """The most cards of an exact table."""
    from solved import HERE, read_csv

    return max((row["cards"] for row in read_csv(HERE / "exact/digits.csv") if row["objective"] == objective), key=int)


def _bound(asked: str) -> str:
    """`OBJECTIVE CARDS`: every value of the table is within this of the true one."""
    objective, cards = asked.split()
    digits, power = f"{float(_runs(objective)[int(cards)]['value_bound']):.1e}".split("e")
    return f"{digits}·10{str(int(power)).translate(_RAISED)}"


def _took(asked: str) -> str:
    """`OBJECTIVE CARDS`: time and memory of a recorded solve."""
    objective, cards = asked.split()
    run = _runs(objective)[int(cards)]
    return f"{_time(float(run['wall_seconds']))} on two cores, {_size(int(run['peak_memory_bytes']))}"


def _disk(asked: str) -> str:
    """`OBJECTIVE CARDS`: what a table takes."""
    return _size(_layout(*asked.split()).disk_bytes())


def _on_device(cards: str) -> str:
    """What the page keeps on a device: the tables of so many cards, for points and to win, as a site has them."""
    tables = (SiteTable(Rules(int(cards), objective=objective), FOUR_BYTES) for objective in Objective)
    return f"{sum(sum(table.file_bytes) for table in tables) / 1e6:.0f} MB"


def _growth(asked: str) -> str:
    """`OBJECTIVE CARDS`: the matrix games of a table, as a multiple of those with one card less."""
    objective, cards = asked.split()
    return f"{_layout(objective, cards).games / _layout(objective, int(cards) - 1).games:.1f}"


def _most_cards(_: str) -> str:
    return str(MAX_CARDS)


def _paper(asked: str) -> str:
    """`all`, `same` or `other`: how many cells of the paper's table of 13 cards there are, agree, differ."""
    from points import paper_cells
    from solved import Results

    cells = paper_cells(Results(Objective.POINTS))
    same = sum(cell.agrees for cell in cells)
    return {"all": str(len(cells)), "same": str(same), "other": _word(len(cells) - same)}[asked]


def _served(asked: str) -> str:
    """What docs/results/serve.json says of one figure, or what follows from it for games of 13 cards."""
    found = json.loads((ROOT / "docs/results/serve.json").read_text(encoding="utf-8"))
    rate, many = found["requests_per_second"], found["batches"]
    rounds = 12  # to ask about: the last bid is no choice
    hours = 1e6 * rounds / rate / 3600
    return {
        "cards": str(found["cards"]),
        "clients": str(found["clients"]),
        "probes": f"{rate:,.0f}",
        "milliseconds": f"{found['milliseconds']['p99']:.0f}",
        "batch": f"{many['positions']:,}",
        "positions": f"{many['requests_per_second'] * many['positions']:,.0f}",
        "hours": f"{hours:.1f}",
        "games": f"{rate / rounds:.0f}",
    }[asked]


def _response_memory(asked: str) -> str:
    """`OBJECTIVE CARDS`: the values of a best response; to win, with leads."""
    return _size(8 * HandPairSpace(_rules(*asked.split())).size)


def _soak(_: str) -> str:
    """A table: what the last soak has counted."""
    found = json.loads((ROOT / "docs/results/soak.json").read_text(encoding="utf-8"))
    lines = ["", "| of what | how many |", "| --- | ---: |"]
    return "\n".join([*lines, *(f"| {what} | {count:,} |" for what, count in found["counts"].items()), "", ""])


def _players(_: str) -> str:
    """A table: what docs/results/players.py has measured."""
    found = json.loads((ROOT / "docs/results/players.json").read_text(encoding="utf-8"))
    head = ["player", "exploitability", "against `optimal`", "against `uniform`"]
    head += [f"{what}, to win" for what in head[1:]]
    lines = ["", "| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for name, by_rules in found["players"].items():
        cells = []
        for one in by_rules.values():
            worst, *gains = (round(number, 2) + 0.0 for number in one.values())  # no negative zero
            cells += [f"{abs(worst):.2f}", *(f"{gain:+.2f}" for gain in gains)]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", ""])


PARTS: dict[str, Callable[[str], str]] = {
    "help": _help_block,
    "forecast": _forecast,
    "solved": _solved,
    "exact-cards": _exact_cards,
    "bound": _bound,
    "took": _took,
    "disk": _disk,
    "on-device": _on_device,
    "growth": _growth,
    "most-cards": _most_cards,
    "paper": _paper,
    "served": _served,
    "response-memory": _response_memory,
    "soak": _soak,
    "players": _players,
}


class MarkerError(ValueError):
    """The marks of a page's parts are not what they should be."""


def check_markers(text: str) -> None:
    """Refuse a page whose parts do not open and end in turn, or whose marks are not written as they should be."""
    opened: str | None = None
    for found in _COMMENT.finditer(text):
        inside, line = found[1], text.count("\n", 0, found.start()) + 1
        word = inside.strip().lower()
        if not found[0].endswith("-->") or "\n" in inside:
            raise MarkerError(f"line {line}: a mark that does not end in its line: {found[0][:60]!r}")
        if word == "end":
            if inside != " end ":
                raise MarkerError(f"line {line}: <!-- end --> is written so, not {found[0]!r}")
            if opened is None:
                raise MarkerError(f"line {line}: an end of nothing")
            opened = None
        elif re.match(r"generated|measured|end\b", word):
            if not _OPENS.fullmatch(inside):
                raise MarkerError(f"line {line}: <!-- generated: NAME --> is written so, not {found[0]!r}")
            if opened is not None:
                raise MarkerError(f"line {line}: {found[0]} opens before {opened} has ended")
            opened = found[0]
    if opened is not None:
        raise MarkerError(f"{opened} has no end")


def current(text: str) -> str:
    """A page with its generated parts as they should be."""
    check_markers(text)

    def part(found: re.Match[str]) -> str:
        name, _, argument = found[1].partition(" ")
        if name not in PARTS:
            raise MarkerError(f"nothing generates {name!r}")
        return found[1] + found[2] + PARTS[name](argument)

    return _PART.sub(part, text)


def main() -> None:
    for page in PAGES:
        page.write_text(current(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
