"""The verb engine: a player of this package for other people's programs, line by line."""

import argparse
from functools import partial

from goofspiel.cli.options import DONE, Commands, add_seed, refuse, retire, standard_input


def add_engine(commands: Commands) -> None:
    """Add the verb."""
    summary = "answer other programs on standard input and output, line by line"
    engine = commands.add("engine", _engine, summary, forms=())
    engine.add_argument("player", nargs="?", default="optimal", metavar="PLAYER", help="who answers (default: optimal)")
    engine.add_argument("--draw", action="store_true", help="draw a card from the mix, and say only that")
    add_seed(engine, "bids with --draw", None)
    retire(engine, "--bids", "--draw; with other verbs, --bids says whether they are shown")


def _engine(options: argparse.Namespace) -> int:
    from goofspiel.interop.engine import Engine
    from goofspiel.roster import load_hidden_player, load_player

    if not options.draw:
        refuse(options, {"seed": None}, "nothing is drawn without --draw")
    load = partial(load_player, options.player, store=options.store)
    load_hidden = partial(load_hidden_player, options.player, store=options.store)
    engine = Engine(options.player, load, load_hidden, bids=options.draw, seed=options.seed)
    for line in engine.answers(standard_input()):
        print(line, flush=True)
    return DONE
