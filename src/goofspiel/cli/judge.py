"""The verb judge: logged games of any agents, scored by what their bids cost against perfect play."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goofspiel.cli.options import (
    DONE,
    Commands,
    add_cards_option,
    add_count,
    add_figure,
    add_quiet,
    add_rules,
    check_figure,
    retire,
    show,
    standard_input,
)
from goofspiel.cli.rules import known_of, objective_of
from goofspiel.errors import RecordError

if TYPE_CHECKING:
    from goofspiel.records.logs import LoggedGame


def add_judge(commands: Commands) -> None:
    """Add the verb."""
    judge = commands.add("judge", _judge, "score logged games: what each agent's bids cost against perfect play")
    about = "records of games, .jsonl or .csv, - for standard input"
    judge.add_argument("files", nargs="+", type=Path, metavar="FILE", help=about)
    add_cards_option(judge, "as the log says or shows")
    add_rules(judge, default="as the log says")
    add_count(judge, "most", "how many to list: the worst bids of each agent", default=5, least=0)
    add_figure(judge)
    add_quiet(judge)
    retire(judge, "--worst", "--most K")


def _judge(options: argparse.Namespace) -> int:
    from goofspiel.matches.judging import judge
    from goofspiel.render.judgements import draw_judgement, judgement_json, judgement_text
    from goofspiel.render.progress import judge_progress
    from goofspiel.rules import Rules
    from goofspiel.tablebase import Tablebase, open_tablebase

    known, objective, drawn = known_of(options), objective_of(options), check_figure(options)
    games = [one for file in options.files for one in _read(file, known)]
    if not games:
        raise RecordError(f"there is no game in {', '.join(map(str, options.files))}")
    tables: dict[Rules, Tablebase] = {}

    def table_of(rules: Rules) -> Tablebase:
        if rules not in tables:
            tables[rules] = open_tablebase(rules, store=options.store)
        return tables[rules]

    games = [one._replace(rules=Rules.of(one.rules, objective=objective)) for one in games]
    with judge_progress(len(games), quiet=options.quiet) as on_progress:
        found = judge(games, table_of, worst=options.most, on_progress=on_progress)
    if drawn:
        draw_judgement(found, options.figure)
    show(options, judgement_json(found) | drawn, "\n".join([judgement_text(found), *drawn.values()]))
    return DONE


def _read(file: Path, known: dict[str, Any]) -> "Iterator[LoggedGame]":
    from goofspiel.records.logs import read_log, read_stream

    return read_stream(standard_input().read(), **known) if str(file) == "-" else read_log(file, **known)
