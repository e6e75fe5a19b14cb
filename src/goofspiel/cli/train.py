"""The verb train: drills in the terminal."""

import argparse
import json
import os
import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from goofspiel.cli.options import DONE, FAILED, Commands, add_count, complain, refuse, understood
from goofspiel.errors import OptionError, RecordError

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
    from goofspiel.terminal.console import columns
    from goofspiel.terminal.training import Training, train_by_lines

    if options.daily:
        refuse(options, {"puzzle": None, "theme": None, "count": None}, "--daily is one puzzle, the same for everybody")
    if options.puzzle is not None:
        refuse(options, {"theme": None, "count": None}, "--puzzle is one puzzle, of the theme that it names")
    path = options.course or _default_course()
    key = f"daily {date.today().isoformat()}" if options.daily else options.puzzle
    with understood(OptionError):
        training = Training(_load(path), _probe(options), theme=options.theme, key=key)
    person = sys.stdin is not None and sys.stdin.isatty()
    out = sys.stderr if options.json else sys.stdout
    answers = train_by_lines(
        training,
        sys.stdin,
        out,
        count=options.count if key is None else 1,
        prompt="your bid, or mix? " if person else "",
        columns=columns(out),
    )
    unkept = ""
    try:
        for answer in answers:
            before, unkept = unkept, _save(path, training.course)
            if unkept and not before:
                complain(unkept)
            if options.json:
                print(json.dumps(answer, ensure_ascii=False), flush=True)
    except KeyboardInterrupt:
        return complain("interrupted" if unkept else "interrupted: your course is kept")
    return FAILED if unkept else DONE


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


def _save(path: Path, course: "Course") -> str:
    """Keep a course; why that could not be done, if so."""
    from goofspiel.store.locations import written_whole

    try:
        with written_whole(path, sync=True) as file:
            file.write(json.dumps(course.to_json()).encode())
    except OSError as error:
        return f"your course could not be kept in {path}: {error.strerror or error}"
    return ""
