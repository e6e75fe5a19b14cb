"""The verb respond: the best that anyone can do against a player."""

import argparse
import time

from goofspiel.cli.options import (
    DONE,
    Commands,
    add_patience,
    add_quiet,
    add_rules,
    game,
    rules_of,
    show,
    whole_number,
)

CARDS = 7  # of a game when nothing is said


def add_respond(commands: Commands) -> None:
    """Add the verb."""
    respond = commands.add("respond", _respond, "the best that anyone can do against a player: its exploitability")
    respond.add_argument(
        "player",
        metavar="PLAYER",
        help="optimal, uniform, match, match+1, respond:PLAYER, file.py:function, cmd:COMMAND (which are "
        "asked about every position that can occur: many calls)",
    )
    respond.add_argument("--cards", type=game, metavar="N", help=f"number of cards (default: {CARDS})")
    add_rules(respond)
    respond.add_argument(
        "--lock",
        action="append",
        default=[],
        metavar="RULE",
        help="the player follows a rule, UPCARD=BID, as in K=A, or UPCARD=BID*P+BID*P; may be repeated",
    )
    respond.add_argument("--threads", type=whole_number(1, 1024, "threads"), metavar="T", help="default: all cores")
    add_patience(respond)
    add_quiet(respond)


def _respond(options: argparse.Namespace) -> int:
    from goofspiel.best_response.response import respond
    from goofspiel.render.progress import respond_progress
    from goofspiel.render.responses import response_json, response_text
    from goofspiel.roster import load_player

    started = time.monotonic()
    rules, name = rules_of(options, CARDS), ",".join([options.player, *options.lock])
    player = load_player(name, rules, store=options.store, patience=options.patience)
    with respond_progress(quiet=options.quiet) as on_progress:
        response = respond(player, rules, threads=options.threads, on_progress=on_progress)
    took = {"seconds": time.monotonic() - started}
    show(options, response_json(response) | took, response_text(response))
    return DONE
