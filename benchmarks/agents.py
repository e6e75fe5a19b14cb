"""How fast agents are measured: games judged, steps of environments, rows exported, a second.

On one core, 9 cards: `python benchmarks/agents.py` prints the figures and writes them into
docs/how-to/benchmark-agents.md.
"""

import argparse
import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from goofspiel import open_tablebase
from goofspiel.env import GoofspielVectorEnv
from goofspiel.interop.dataset import export
from goofspiel.matches.judging import judge
from goofspiel.matches.playing import play_match
from goofspiel.records.logs import LoggedGame, logged, read_log
from goofspiel.records.record import GameRecord
from goofspiel.roster import load_player

PAGE = Path(__file__).resolve().parent.parent / "docs/how-to/benchmark-agents.md"
PART = re.compile(r"(?<=<!-- measured: rates -->\n).*?(?=<!-- end -->)", re.DOTALL)
CARDS, ENVIRONMENTS = 9, 256


def rate(count: int, work: Callable[[], object]) -> float:
    """So much a CPU-second."""
    started = time.process_time()
    work()
    return count / (time.process_time() - started)


def games(count: int) -> list[GameRecord]:
    """Games of two players that err."""
    kept: list[GameRecord] = []
    play_match(load_player("uniform", CARDS), load_player("match", CARDS), CARDS, games=count, on_record=kept.append)
    return kept


def judged(records: list[GameRecord], folder: Path) -> tuple[float, float]:
    """Games a second: judged, and read from a file as well."""
    table = open_tablebase(CARDS)
    path = folder / "games.txt"
    path.write_text("\n".join(record.to_file() for record in records), encoding="utf-8")
    listed: list[LoggedGame] = [logged(record) for record in records]
    judge(listed[:64], lambda _: table)  # the rows are read
    alone = rate(len(records), lambda: judge(listed, lambda _: table))
    return alone, rate(len(records), lambda: judge(read_log(path), lambda _: table))


def steps(count: int, *, judging: bool) -> float:
    """Steps a second of many games at once, each bid drawn from the hand."""
    env = GoofspielVectorEnv(CARDS, ENVIRONMENTS, opponent="match", judge=judging)
    random = np.random.default_rng(1)
    seen, _ = env.reset(seed=1)

    def run(times: int) -> None:
        nonlocal seen
        for _ in range(times):
            wishes = random.random((ENVIRONMENTS, CARDS)) * seen["action_mask"]
            seen = env.step(wishes.argmax(axis=1))[0]

    run(2 * (CARDS + 1))
    return rate(count * ENVIRONMENTS, lambda: run(count))


def exported(count: int, form: str, folder: Path) -> float:
    """Rows a second."""
    table = open_tablebase(CARDS)
    export(table, folder / f"first-{form}", which="uniform", count=64, form=form)
    return rate(count, lambda: export(table, folder / form, which="uniform", count=count, form=form))


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no measurement: a few of each, nothing is written")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone, read = judged(games(256 if quick else 20_000), folder)
        found = {
            "games judged": alone,
            "games read from a file and judged": read,
            f"steps of {ENVIRONMENTS} games at once": steps(4 if quick else 400, judging=False),
            f"steps of {ENVIRONMENTS} games at once, each bid judged": steps(4 if quick else 100, judging=True),
            "positions exported as npz": exported(256 if quick else 1_000_000, "npz", folder),
            "positions exported as parquet": exported(256 if quick else 1_000_000, "parquet", folder),
        }
    lines = ["", "| one core, 9 cards | a second of CPU time |", "| --- | ---: |"]
    lines += [f"| {what} | {round(each, -2 if each < 1e5 else -3):,.0f} |" for what, each in found.items()]
    text = "\n".join([*lines, "", ""])
    print(text)
    if not quick:
        PAGE.write_text(PART.sub(lambda _: text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
