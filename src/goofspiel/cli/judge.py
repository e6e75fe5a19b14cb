"""The verb judge: logged games of any agents, scored by what their bids cost against perfect play."""

import argparse
from pathlib import Path

from goofspiel.cli.options import (
    DONE,
    Commands,
    add_quiet,
    add_rules,
    fields_of,
    game,
    listed,
    rules_of,
    show,
    whole_number,
)
from goofspiel.errors import RecordError


def add_judge(commands: Commands) -> None:
    """Add the verb."""
    judge = commands.add("judge", _judge, "score logged games: what each agent's bids cost against perfect play")
    judge.add_argument("files", nargs="+", type=Path, metavar="FILE", help="records of games, .jsonl or .csv")
    judge.add_argument("--cards", type=game, metavar="N", help="number of cards (default: as the log says or shows)")
    add_rules(judge, "which game it is (default: as the log says)")
    judge.add_argument(
        "--worst", type=whole_number(0, 1000, "worst"), default=5, metavar="K", help="bids shown (default: 5)"
    )
    judge.add_argument("--figure", type=Path, metavar="FILE", help="draw it as well, to a png, pdf or svg by its name")
    add_quiet(judge)


def _judge(options: argparse.Namespace) -> int:
    from goofspiel.matches.judging import judge
    from goofspiel.records.logs import read_log
    from goofspiel.render.judgements import draw_judgement, judgement_json, judgement_text
    from goofspiel.rules import Rules
    from goofspiel.tablebase import Tablebase, open_tablebase

    given = rules_of(options) if options.cards or listed(fields_of(options)) else None
    games = [one for file in options.files for one in read_log(file, given)]
    if not games:
        raise RecordError(f"there is no game in {', '.join(map(str, options.files))}")
    tables: dict[Rules, Tablebase] = {}

    def table_of(rules: Rules) -> Tablebase:
        asked = Rules.of(rules, objective=options.objective)
        if asked not in tables:
            tables[asked] = open_tablebase(asked, store=options.store)
        return tables[asked]

    if options.objective:
        games = [one._replace(rules=Rules.of(one.rules, objective=options.objective)) for one in games]
    found = judge(games, table_of, worst=options.worst)
    drawn = {}
    if options.figure:
        draw_judgement(found, options.figure)
        drawn = {"figure": str(options.figure)}
    show(options, judgement_json(found) | drawn, "\n".join([judgement_text(found), *drawn.values()]))
    return DONE
