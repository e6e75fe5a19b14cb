"""The verb match: two players, many games."""

import argparse
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from goofspiel.cli.options import (
    DONE,
    FAILED,
    Commands,
    UsageError,
    add_cards_option,
    add_count,
    add_patience,
    add_quiet,
    add_records,
    add_rules,
    add_seed,
    complain,
    refuse_patience,
    show,
    understood,
)
from goofspiel.cli.rules import is_hidden, rules_of
from goofspiel.errors import MissingTableError, TableBusyError
from goofspiel.rules import Objective, Rules

if TYPE_CHECKING:
    from goofspiel.matches.playing import MatchResult
    from goofspiel.records.record import GameRecord
    from goofspiel.tablebase import Tablebase

CARDS = 9  # of a game when nothing is said


def add_match(commands: Commands) -> None:
    """Add the verb."""
    match = commands.add("match", _match, "let two players play many games: who wins, and by how much")
    match.add_argument(
        "first",
        metavar="PLAYER",
        help="optimal, uniform, match, match+1, respond:PLAYER, file.py:function, cmd:COMMAND",
    )
    match.add_argument("second", metavar="PLAYER", help="its opponent")
    add_cards_option(match, CARDS)
    add_rules(match)
    add_count(match, "games", "how many to play", default=10_000)
    add_seed(match, "games")
    match.add_argument("--duplicate", action="store_true", help="play each deck twice, sides swapped, chance as before")
    match.add_argument("--no-control", action="store_true", help="do not estimate what is left without luck")
    add_records(match)
    add_patience(match)
    add_quiet(match)


def _match(options: argparse.Namespace) -> int:
    from goofspiel.matches.playing import MatchStoppedError
    from goofspiel.render.matches import match_json, match_text
    from goofspiel.render.progress import match_progress
    from goofspiel.store.locations import naming

    if options.duplicate and options.games % 2:
        raise UsageError(f"--duplicate plays games in pairs: --games must be even, not {options.games}")
    rules = rules_of(options, CARDS)
    play = _hidden(options, rules) if is_hidden(rules) else _open(options, rules)

    def show_result(result: "MatchResult") -> None:
        show(options, match_json(result), match_text(result))

    with ExitStack() as open_files:
        if options.records:
            open_files.enter_context(naming(options.records))
        file = open_files.enter_context(options.records.open("w", encoding="utf-8")) if options.records else None

        def keep(record: "GameRecord") -> None:
            print(record.to_file(), file=file)

        on_progress = open_files.enter_context(match_progress(quiet=options.quiet))
        try:
            result = play(
                games=options.games,
                seed=options.seed,
                duplicate=options.duplicate,
                on_progress=on_progress,
                on_record=keep if file else None,
            )
        except MatchStoppedError as stopped:
            open_files.close()
            if stopped.result.games:
                show_result(stopped.result)
            return complain(str(stopped), FAILED)
    show_result(result)
    return DONE


def _open(options: argparse.Namespace, rules: Rules) -> "Callable[..., MatchResult]":
    """The match of the two players; the tables that tell luck apart are opened when it begins."""
    from goofspiel.matches.playing import play_match
    from goofspiel.roster import PlayerNameError, load_player

    refuse_patience(options, options.first, options.second)
    choices = {"store": options.store, "patience": options.patience}
    with understood(PlayerNameError):
        first, second = (load_player(name, rules, **choices) for name in (options.first, options.second))
    return lambda **how: play_match(
        first, second, rules, control=[] if options.no_control else _control(rules, options), **how
    )


def _hidden(options: argparse.Namespace, rules: Rules) -> "Callable[..., MatchResult]":
    """The same where bids are hidden: there are no tables."""
    from goofspiel.cli.hidden import load_players
    from goofspiel.hidden.playing import play_hidden_match

    first, second = load_players((options.first, options.second), rules, options)
    return partial(play_hidden_match, first, second, rules)


def _control(rules: Rules, options: argparse.Namespace) -> "list[Tablebase]":
    """The tables that tell luck apart: points always, win when it is asked for."""
    from goofspiel.tablebase import open_tablebase

    found = []
    for objective in dict.fromkeys((Objective.POINTS, rules.objective)):
        try:
            tablebase = open_tablebase(rules, objective=objective, store=options.store)
            tablebase.require_all_levels()
            found.append(tablebase)
        except (MissingTableError, TableBusyError) as error:
            if not options.quiet:
                print(f"no estimate without luck for {objective}: {error}", file=sys.stderr)
    return found
