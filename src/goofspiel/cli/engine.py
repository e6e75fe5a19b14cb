"""The verb engine: a player of this package for other people's programs, line by line."""

import argparse
import sys
from functools import partial

from goofspiel.cli.options import DONE, Commands, refuse, seed


def add_engine(commands: Commands) -> None:
    """Add the verb."""
    engine = commands.add("engine", _engine, "answer other programs on standard input and output, line by line")
    engine.add_argument("player", nargs="?", default="optimal", metavar="PLAYER", help="who answers (default: optimal)")
    engine.add_argument("--bids", action="store_true", help="draw a card from the mix, and say only that")
    engine.add_argument("--seed", type=seed, metavar="S", help="with --bids: the same seed, the same bids")


def _engine(options: argparse.Namespace) -> int:
    from goofspiel.interop.engine import Engine
    from goofspiel.roster import load_hidden_player, load_player

    refuse(options, {"json": False}, "an engine speaks its own lines")
    if not options.bids:
        refuse(options, {"seed": None}, "nothing is drawn without --bids")
    load = partial(load_player, options.player, store=options.store)
    load_hidden = partial(load_hidden_player, options.player, store=options.store)
    engine = Engine(options.player, load, load_hidden, bids=options.bids, seed=options.seed)
    for line in engine.answers(sys.stdin):
        print(line, flush=True)
    return DONE
