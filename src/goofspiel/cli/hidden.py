"""The verbs where bids stay hidden: solve, probe, match, play, respond."""

import argparse
import json
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from goofspiel.cli.options import DONE, PATIENCE, complain, refuse, show, understood
from goofspiel.errors import GoofspielError
from goofspiel.rules import Rules

if TYPE_CHECKING:
    from goofspiel.hidden.players import HiddenPlayer
    from goofspiel.hidden.policy import HiddenPolicy

TABLES = "not where bids are hidden: there a policy is made, and no table"


def solve_policy(options: argparse.Namespace, rules: Rules) -> int:
    """Make a policy and its proof."""
    unused = {"dtype": None, "keep": "all", "repair": False, "cluster": None, "exact": False, "force": False}
    refuse(options, unused, TABLES)
    from goofspiel.hidden.forecasts import hidden_forecast
    from goofspiel.hidden.solving import policy_state, solve_hidden
    from goofspiel.render.hidden import hidden_forecast_json, hidden_forecast_text, policy_json
    from goofspiel.render.progress import hidden_progress
    from goofspiel.solver import peak_memory
    from goofspiel.store import store_at
    from goofspiel.store.paths import policy_path

    if options.dry_run:
        path, expected = policy_path(store_at(options.store), rules), hidden_forecast(rules)
        state = policy_state(path, rules)
        show(options, hidden_forecast_json(path, state, expected), hidden_forecast_text(path, state, expected))
        return DONE
    started, used = time.monotonic(), time.process_time()
    with hidden_progress(quiet=options.quiet) as on_progress:
        policy = solve_hidden(
            rules,
            gap=options.gap,
            method=options.method,
            store=options.store,
            threads=options.threads,
            memory=options.memory,
            resume=options.resume,
            on_progress=on_progress,
        )
    wall, cpu = time.monotonic() - started, time.process_time() - used
    took = {"wall_seconds": wall, "cpu_seconds": cpu, "peak_memory_bytes": peak_memory()}
    facts = policy_json(policy) | took
    show(options, facts, facts["policy"])
    if not options.quiet and not options.json:
        how = f"{facts['method']}" + f", {facts['iterations']:,} iterations" * bool(facts["iterations"])
        said = f"{facts['information_sets']:,} information sets, {wall:.1f} s, {cpu:.1f} CPU-seconds, by {how}"
        print(f"{said}; best replies to both sides gain {facts['gap']:.1e} in all", file=sys.stderr)
    return DONE


def probe_policy(options: argparse.Namespace, rules: Rules, asked: Any) -> int:
    """Ask a policy about information sets."""
    refuse(options, {"csv": False, "exact": False}, "not where bids are hidden")
    from goofspiel.hidden.answer import probe_hidden
    from goofspiel.render.hidden import hidden_json, hidden_text

    policy, code = _policy(options, rules), DONE
    for number, (where, text) in enumerate(asked):
        try:
            answer = probe_hidden(policy, text)
        except GoofspielError as error:
            code = complain(f"{where}{error}")
            continue
        said = json.dumps(hidden_json(answer)) if options.json else hidden_text(answer)
        print(said if options.json or not number else f"\n{said}")
    return code


def _policy(options: argparse.Namespace, rules: Rules) -> "HiddenPolicy":
    from goofspiel.hidden.solving import open_policy

    return open_policy(rules, store=options.store)


def load_players(names: Iterable[str], rules: Rules, options: argparse.Namespace) -> "list[HiddenPlayer]":
    """The players of these names."""
    from goofspiel.roster import PlayerNameError, load_hidden_player

    names = list(names)
    if not any("cmd:" in name for name in names):
        refuse(options, {"patience": PATIENCE}, "where bids are hidden, only players of the kind cmd:COMMAND are timed")
    with understood(PlayerNameError):
        return [load_hidden_player(name, rules, store=options.store, patience=options.patience) for name in names]


def respond_to_policy(options: argparse.Namespace, rules: Rules) -> int:
    """The best that can be done against a player."""
    refuse(options, {"lock": []}, "not where bids are hidden")
    from goofspiel.hidden.forecasts import check_reach
    from goofspiel.hidden.players import respond_hidden
    from goofspiel.render.hidden import hidden_response_json, hidden_response_text

    started = time.monotonic()
    check_reach(rules)
    (player,) = load_players([options.player], rules, options)
    response = respond_hidden(player, rules, threads=options.threads or 1)
    took = {"wall_seconds": time.monotonic() - started}
    show(options, hidden_response_json(response) | took, hidden_response_text(response))
    return DONE


def play_policy(options: argparse.Namespace, rules: Rules) -> int:
    """A game on the terminal."""
    unused = {"undo": False, "hints": False, "saved": None, "risk": None}
    refuse(options, unused, "not where bids are hidden: such a game is played in one go")
    from secrets import randbelow

    from goofspiel.hidden.answer import probe_hidden
    from goofspiel.render.hidden import hidden_text
    from goofspiel.terminal.hidden import HiddenGame, play_hidden

    name = options.opponent or "optimal"
    (opponent,) = load_players([name], rules, options)
    game = HiddenGame(rules, opponent, options.seed if options.seed is not None else randbelow(10**9), name)
    person = sys.stdin is not None and sys.stdin.isatty()
    out = sys.stderr if options.json else sys.stdout
    play_hidden(
        game,
        sys.stdin or (),
        out,
        lambda now: hidden_text(probe_hidden(_policy(options, rules), now)),
        prompt="bid? " if person else "",
    )
    if options.json:
        print(json.dumps(game.to_json()))
    return DONE
