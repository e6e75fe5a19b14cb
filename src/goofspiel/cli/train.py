"""The verb train: drills in the terminal."""

import argparse
import json
import os
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from goofspiel.cli.options import DONE, Commands, add_count, complain
from goofspiel.errors import GoofspielError, RecordError

if TYPE_CHECKING:
    from goofspiel.matches.course import Course
    from goofspiel.matches.drills import Probe

THEMES = ("first", "endgame", "behind", "king")


def add_train(commands: Commands) -> None:
    """Add the verb."""
    train = commands.add("train", _train, "drills: positions to bid at, scored by perfect play")
    train.add_argument("--theme", choices=THEMES, help="only this kind of positions (default: each in turn)")
    train.add_argument("--daily", action="store_true", help="the puzzle of the day")
    train.add_argument("--puzzle", metavar="KEY", help="this one, as in 'endgame 3 17'")
    add_count(train, "count", "end after so many (default: when you quit)")
    train.add_argument(
        "--course",
        type=Path,
        metavar="FILE",
        help="where your course is kept (default: GOOFSPIEL_COURSE, or a file of the user)",
    )


def _train(options: argparse.Namespace) -> int:
    from goofspiel.terminal.training import Training, train_by_lines

    path = options.course or _default_course()
    course = _load(path)
    key = f"daily {date.today().isoformat()}" if options.daily else options.puzzle
    training = Training(course, _probe(options), theme=options.theme, key=key)
    person = sys.stdin is not None and sys.stdin.isatty()
    count = 1 if key else options.count
    out = sys.stderr if options.json else sys.stdout
    scores = train_by_lines(training, sys.stdin, out, count=count, prompt="your bid, or mix? " if person else "")
    if scores:
        _save(path, training.course)
    if options.json:
        for score in scores:
            print(json.dumps(score, ensure_ascii=False))
    return DONE


def _probe(options: argparse.Namespace) -> "Probe":
    from goofspiel.position import Position
    from goofspiel.rules import Rules
    from goofspiel.tablebase.answer import Answer
    from goofspiel.tablebase.asking import Asker

    askers: dict[Rules, Asker] = {}

    def probe(position: Position, rules: Rules) -> "Answer[float]":
        asker = askers.setdefault(rules, Asker(rules, store=options.store))
        answer = asker.probe(position)
        assert isinstance(answer, Answer)  # an upcard is shown
        return answer

    return probe


def _default_course() -> Path:
    from goofspiel.records.saved import default_games

    chosen = os.environ.get("GOOFSPIEL_COURSE")
    return Path(chosen) if chosen else default_games().parent / "course.json"


def _load(path: Path) -> "Course":
    from goofspiel.matches.course import Course

    if not path.exists():
        return Course()
    try:
        return Course.of(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, UnicodeDecodeError):
        raise RecordError(f"{path} holds no course of drills: move it away to begin anew") from None
    except RecordError as error:
        raise RecordError(f"{path}: {error}: move it away to begin anew") from None


def _save(path: Path, course: "Course") -> None:
    from goofspiel.store.locations import written_whole

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path, sync=True) as file:
            file.write(json.dumps(course.to_json()).encode())
    except (OSError, GoofspielError) as error:
        complain(f"your course could not be kept: {error}")
