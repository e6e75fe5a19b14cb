"""The verb respond: the best that anyone can do against a player."""

import argparse
import time
from pathlib import Path
from typing import Any

from goofspiel.cli.converters import whole_number
from goofspiel.cli.options import (
    DONE,
    Commands,
    UsageError,
    add_cards_option,
    add_count,
    add_patience,
    add_quiet,
    add_rules,
    add_seed,
    add_threads,
    refuse,
    refuse_patience,
    show,
    understood,
)
from goofspiel.cli.rules import is_hidden, rules_of
from goofspiel.rules import Rules

CARDS = 7  # of a game when nothing is said
WHOLE = {"policy": None, "resume": False, "workers": 1, "threads": None}  # of options that a sample does not take
SAMPLE = {"horizon": 1, "seed": 0}  # that only a sample takes


def add_respond(commands: Commands) -> None:
    """Add the verb."""
    respond = commands.add("respond", _respond, "the best that anyone can do against a player: its exploitability")
    respond.add_argument(
        "player",
        metavar="PLAYER",
        help="optimal, uniform, match, match+1, respond:PLAYER, policy:FILE, file.py:function, cmd:COMMAND (which are "
        "asked about every position that they can come to: many calls)",
    )
    add_cards_option(respond, CARDS)
    add_rules(respond)
    respond.add_argument(
        "--lock",
        action="append",
        default=[],
        metavar="RULE",
        help="the player follows a rule, UPCARD=BID, as in K=A, or UPCARD=BID*P+BID*P; may be repeated",
    )
    add_threads(respond)
    _add_asking(respond)
    _add_sampling(respond)
    add_patience(respond)
    add_quiet(respond)


def _add_asking(respond: argparse.ArgumentParser) -> None:
    asking = respond.add_argument_group("players of your own", "how they are asked")
    asking.add_argument(
        "--samples",
        type=whole_number(1, 10**6, "samples"),
        default=1,
        metavar="K",
        help="ask K times at each position: for a player that draws its bids (default: 1)",
    )
    asking.add_argument(
        "--workers",
        type=whole_number(1, 256, "workers"),
        default=1,
        metavar="W",
        help="start the player W times, and ask side by side (default: 1)",
    )
    asking.add_argument(
        "--policy", type=Path, metavar="FILE", help="write what it answers to a file, which policy:FILE plays"
    )
    asking.add_argument("--resume", action="store_true", help="go on with what was begun: a file of answers")


def _add_sampling(respond: argparse.ArgumentParser) -> None:
    sampling = respond.add_argument_group("large games", "a lower bound from games of a local best response")
    add_count(sampling, "games", "how many to play, instead of working out all", least=2)
    sampling.add_argument(
        "--horizon",
        type=whole_number(1, 16, "horizon"),
        default=1,
        metavar="H",
        help="look H rounds ahead, then take exact values (default: 1)",
    )
    add_seed(sampling, "games")


def _respond(options: argparse.Namespace) -> int:
    rules = rules_of(options, CARDS)
    if is_hidden(rules):
        from goofspiel.cli.hidden import respond_to_policy

        asking = {name: usual for name, usual in WHOLE.items() if name != "threads"} | {"samples": 1, "games": None}
        refuse(options, asking | SAMPLE, "not where bids are hidden")
        return respond_to_policy(options, rules)
    if options.games:
        refuse(options, WHOLE, "--games only plays games")
        return _sampled(options, rules)
    refuse(options, SAMPLE, "only --games plays games: add it")
    if options.policy is None:
        refuse(options, {"resume": False}, "--policy names no file to go on with")
    return _whole(options, rules)


def _load(options: argparse.Namespace, rules: Rules) -> Any:
    from goofspiel.roster import PlayerNameError, can_apply, load_player

    refuse_patience(options, options.player)
    with understood(PlayerNameError):
        for rule in options.lock:
            if not can_apply(rule, rules):
                raise UsageError(f"--lock {rule}: the game {str(rules)!r} has no such prize, or no such card")
        name = ",".join([options.player, *options.lock])
        return load_player(name, rules, store=options.store, patience=options.patience)


def _whole(options: argparse.Namespace, rules: Rules) -> int:
    from goofspiel.best_response.held_out import held_out_value
    from goofspiel.best_response.response import is_built_in, respond
    from goofspiel.best_response.tabulation import tabulate
    from goofspiel.render.progress import respond_progress, tabulate_progress
    from goofspiel.render.responses import response_json, response_text

    started = time.monotonic()
    player = _load(options, rules)
    held_out = None
    if not is_built_in(player) or options.policy or options.samples > 1:
        copies = [player, *(_load(options, rules) for _ in range(options.workers - 1))]
        with tabulate_progress(quiet=options.quiet) as on_asked:
            player = tabulate(
                copies,
                rules,
                samples=options.samples,
                path=options.policy,
                resume=options.resume,
                on_progress=on_asked,
            )
        held_out = held_out_value(player) if options.samples > 1 else None
    else:
        refuse(options, {"workers": 1}, f"{player.name} is asked on --threads")
    with respond_progress(quiet=options.quiet) as on_progress:
        response = respond(player, rules, threads=options.threads, on_progress=on_progress)
    took = {"wall_seconds": time.monotonic() - started}
    show(options, response_json(response, held_out=held_out) | took, response_text(response, held_out=held_out))
    return DONE


def _sampled(options: argparse.Namespace, rules: Rules) -> int:
    from goofspiel.best_response.local import local_response
    from goofspiel.render.progress import match_progress
    from goofspiel.render.responses import local_json, local_text
    from goofspiel.tablebase import open_tablebase

    started = time.monotonic()
    table = open_tablebase(rules, store=options.store)
    table.require_all_levels()
    with match_progress(quiet=options.quiet) as on_progress:
        found = local_response(
            _load(options, rules),
            table,
            rules,
            games=options.games,
            horizon=options.horizon,
            samples=options.samples,
            seed=options.seed,
            on_progress=on_progress,
        )
    show(options, local_json(found) | {"wall_seconds": time.monotonic() - started}, local_text(found))
    return DONE
