"""The verb study: questions about all solved games at once."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from goofspiel.cli.options import (
    DONE,
    RULES,
    Commands,
    UsageError,
    add_quiet,
    card_count,
    form,
    refuse,
)
from goofspiel.rules import Objective

OTHER_RULES = [name for name in RULES if name != "objective"]


def add_study(commands: Commands) -> None:
    """Add the verb."""
    study = commands.add(
        "study", _study, "answer a question from all solved games: print a table, write a csv and a figure"
    )
    study.add_argument("name", metavar="NAME", help="parity, chip, objectives, ties, heuristics or growth")
    number = study.add_mutually_exclusive_group()
    number.add_argument("--cards", type=card_count, metavar="N", help="look at one number of cards only")
    number.add_argument("--largest", type=card_count, metavar="N", help="look at up to N cards (default: all solved)")
    study.add_argument(
        "--objective",
        choices=[str(objective) for objective in Objective],
        help="look at one objective only, where the study is about both",
    )
    for name in OTHER_RULES:
        study.add_argument(f"--{name}", help=argparse.SUPPRESS)
    study.add_argument(
        "--format",
        type=form,
        choices=["text", "csv"],
        help="what to print: a summary with verdicts (text, the default), all numbers (csv); with --json, everything",
    )
    study.add_argument("--csv", type=Path, metavar="FILE", help="write all numbers to this file as well")
    study.add_argument("--figure", type=Path, metavar="FILE", help="draw it as well, to a png, pdf or svg by its name")
    add_quiet(study)


def _study(options: argparse.Namespace) -> int:
    refuse(options, dict.fromkeys(OTHER_RULES), "a study looks at the rules that it is about")
    from goofspiel.render.figures import FigureNameError, check_plots, figure_format
    from goofspiel.render.progress import study_progress
    from goofspiel.studies.catalogue import find_study
    from goofspiel.studies.request import Request, StudyError

    try:
        kind = find_study(options.name)
    except StudyError as error:
        raise UsageError(str(error)) from None
    if options.json and options.format:
        raise UsageError(f"--json prints json, not {options.format}: leave one of them out")
    if options.figure:
        try:
            figure_format(options.figure)
        except FigureNameError as error:
            raise UsageError(str(error)) from None
        check_plots()
    for path in (options.csv, options.figure):
        if path is not None and not path.parent.is_dir():
            raise UsageError(f"there is no folder {str(path.parent)!r} for {path.name!r}")
    with study_progress(quiet=options.quiet) as progress:
        objective = Objective(options.objective) if options.objective else None
        study = kind.make(Request(options.cards, options.largest, objective, options.store, progress))
    written = {name: str(path) for name, path in (("csv", options.csv), ("figure", options.figure)) if path}
    if options.csv:
        options.csv.write_text(study.to_csv(), encoding="utf-8")
    if options.figure:
        kind.draw(study, options.figure)
    texts: dict[str, Callable[[], str]] = {
        "text": lambda: "\n".join([study.to_text(), *written.values()]) + "\n",
        "csv": study.to_csv,
        "json": lambda: json.dumps(study.to_json() | written, ensure_ascii=False) + "\n",
    }
    sys.stdout.write(texts["json" if options.json else options.format or "text"]())
    return DONE
