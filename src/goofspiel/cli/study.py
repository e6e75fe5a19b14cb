"""The verb study: questions about all solved games at once."""

import argparse
import json
import sys

from goofspiel.cli.options import (
    DONE,
    Commands,
    add_card_list,
    add_figure,
    add_quiet,
    add_rules,
    check_figure,
    refuse,
    retire,
    retire_word,
    understood,
)
from goofspiel.cli.rules import RULES
from goofspiel.rules import Objective

OTHER_RULES = [name for name in RULES if name != "objective"]


def add_study(commands: Commands) -> None:
    """Add the verb."""
    summary = "answer a question from all solved games: a summary, all numbers, a figure"
    study = commands.add("study", _study, summary, forms=["json", "csv"])
    study.add_argument("name", metavar="NAME", help="parity, chip, objectives, ties, heuristics or growth")
    add_card_list(study, "all that are solved")
    add_rules(study, "only games of", "all that the study is about", ["objective"])
    for name in OTHER_RULES:
        study.add_argument(f"--{name}", help=argparse.SUPPRESS)
    add_figure(study)
    add_quiet(study)
    retire(study, "--largest", "--cards 1-N")
    retire(study, "--format", "--json or --csv")
    retire_word(study, "the shell that writes a file: goofspiel study NAME --csv > FILE", ["json", "csv"])


def _study(options: argparse.Namespace) -> int:
    refuse(options, dict.fromkeys(OTHER_RULES), "a study looks at the rules that it is about")
    from goofspiel.render.progress import study_progress
    from goofspiel.studies.catalogue import find_study
    from goofspiel.studies.request import Request, StudyError

    with understood(StudyError):
        kind = find_study(options.name)
    drawn = check_figure(options)
    with study_progress(quiet=options.quiet) as progress:
        objective = Objective(options.objective) if options.objective else None
        study = kind.make(Request(options.cards, objective, options.store, progress))
    if drawn:
        kind.draw(study, options.figure)
    if options.json:
        print(json.dumps(study.to_json() | drawn, ensure_ascii=False))
    elif options.csv:
        sys.stdout.write(study.to_csv())
    else:
        print("\n".join([study.to_text(), *drawn.values()]))
    return DONE
