"""The verb play: a game on the terminal."""

import argparse
import json
import shlex
import sys
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from goofspiel.cards import MAX_CARDS
from goofspiel.cli.converters import number
from goofspiel.cli.options import (
    DONE,
    Commands,
    UsageError,
    add_cards_option,
    add_patience,
    add_rules,
    add_saved,
    add_seed,
    complain,
    refuse,
    refuse_patience,
    retire,
    understood,
)
from goofspiel.cli.rules import RULES, is_hidden, rules_of
from goofspiel.errors import RecordError
from goofspiel.rules import Rules

if TYPE_CHECKING:
    from goofspiel.matches.session import Session
    from goofspiel.players.players import Player
    from goofspiel.tablebase import Tablebase
    from goofspiel.terminal.dialogue import Dialogue

CARDS = 9  # of a game when nothing is said: solved when first needed
ADAPT = "adapt"  # who learns from the games that are kept
LEAST = 2  # cards of a game in which there is something to choose


def add_play(commands: Commands) -> None:
    """Add the verb."""
    play = commands.add("play", _play, "play against a perfect opponent, or another player")
    play.add_argument(
        "file", type=Path, nargs="?", metavar="FILE", help="with --resume: a game (default: the last unfinished one)"
    )
    add_cards_option(play, CARDS)
    add_rules(play)
    play.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="the other side: novice, casual, …, adapt, match, file.py:function, … (default: optimal)",
    )
    play.add_argument(
        "--risk",
        type=number(0, 1000, "risk"),
        metavar="R",
        help="what adapt may lose a game to anybody (default: 1 point, or 0.1 to win)",
    )
    add_seed(play, "upcards and the same chance", None)
    play.add_argument("--undo", action="store_true", help="bids may be taken back")
    play.add_argument("--hints", action="store_true", help="a hint in every round, unasked")
    play.add_argument("--resume", action="store_true", help="go on with what was begun: a game")
    add_saved(play)
    retire(play, "--games", "--saved DIR; with match, --games counts them")
    add_patience(play)


def _play(options: argparse.Namespace) -> int:
    if options.file is not None and not options.resume:
        name = shlex.quote(str(options.file))
        raise UsageError(f"{name}: a saved game goes on with --resume: goofspiel play --resume {name}")
    if not options.resume and is_hidden(rules := _rules(options)):
        from goofspiel.cli.hidden import play_policy

        return play_policy(options, rules)
    from goofspiel.records.saved import save
    from goofspiel.terminal.dialogue import Dialogue

    with ExitStack() as holding:
        session, path = _resumed(options, holding) if options.resume else _begun(options, holding)
        tablebase = cache(partial(_tablebase, session.rules, options.store))
        game = Dialogue(session, partial(save, path), tablebase, may_undo=options.undo, always_hint=options.hints)
        try:
            _converse(game, as_json=options.json)
        except KeyboardInterrupt:
            command = _resume_command(options, path, game)
            return complain(f"interrupted: the game is saved, and goes on with: {command}")
        return _end(options, game, path)


def _rules(options: argparse.Namespace) -> Rules:
    """Of a new game."""
    rules = rules_of(options, CARDS)
    if rules.cards < LEAST:
        raise UsageError(f"number of cards must be {LEAST} to {MAX_CARDS}, not {rules.cards}")
    return rules


def _begun(options: argparse.Namespace, holding: ExitStack) -> "tuple[Session, Path]":
    """A new game, and the file that it is saved in."""
    from datetime import datetime
    from secrets import randbelow

    from goofspiel.matches.session import Session
    from goofspiel.records.saved import default_games, held, new_file
    from goofspiel.roster import PlayerNameError

    now = datetime.now()
    name = options.opponent or "optimal"
    rules = _rules(options)
    with understood(PlayerNameError):
        opponent = _opponent(name, rules, options)
    session = Session.begin(
        rules,
        opponent,
        theirs=opponent.name if name == ADAPT else name,
        seed=options.seed if options.seed is not None else randbelow(10**9),
        date=now.isoformat(sep=" ", timespec="seconds"),
    )
    path = new_file(options.saved or default_games(), now)
    holding.enter_context(held(path))
    return session, path


def _resumed(options: argparse.Namespace, holding: ExitStack) -> "tuple[Session, Path]":
    """A game that was begun before, and its file."""
    from goofspiel.matches.session import Session, opponent_of
    from goofspiel.records.saved import default_games, held, load, unfinished

    fixed = dict.fromkeys(("cards", *RULES, "seed"))
    refuse(options, fixed, "not with --resume, which goes on with a game as it was begun")
    path = options.file
    if path is None:
        folder = options.saved or default_games()
        damaged: list[RecordError] = []
        path = unfinished(folder, damaged.append)
        if path is None:
            raise damaged[0] if damaged else RecordError(f"there is no unfinished game in {folder}")
        for error in damaged:
            complain(f"left out: {error}")
    holding.enter_context(held(path))
    record = load(path)
    try:
        if record.is_over:
            raise RecordError(f"the game is over: goofspiel review {path}")
        theirs = opponent_of(record)
        _confirm(theirs, options)
        return Session.resume(record, _opponent(theirs, record.rules, options)), path
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None


def _confirm(theirs: str, options: argparse.Namespace) -> None:
    """A record names its opponent; when that is code, it is run only if the command line names it, too."""
    from goofspiel.roster import runs_code

    confirmed = f"--opponent {shlex.quote(theirs)}"
    if options.opponent not in (None, theirs):
        raise UsageError(f"--opponent {options.opponent!r}: the game was begun against {theirs!r}")
    if options.opponent is None and runs_code(theirs):
        raise RecordError(
            f"its opponent {theirs!r} is code, which a record does not run: add {confirmed} if you trust it"
        )


def _opponent(name: str, rules: Rules, options: argparse.Namespace) -> "Player":
    from goofspiel.matches.session import HUMAN
    from goofspiel.roster import load_player

    if name == HUMAN:
        raise UsageError("you play yourself: the opponent must be another player than 'human'")
    if name == ADAPT:
        return _adapting(rules, options)
    refuse(options, {"risk": None}, f"only --opponent {ADAPT} takes a risk")
    if name.partition(",")[0].strip() in ("optimal", f"optimal:{rules.objective}"):
        _tablebase(rules, options.store)  # says so when it must be solved first
    refuse_patience(options, name)
    return load_player(name, rules, store=options.store, patience=options.patience)


def _adapting(rules: Rules, options: argparse.Namespace) -> "Player":
    """Who has learned from the games that are kept."""
    from goofspiel.matches.session import HUMAN
    from goofspiel.records.adapting import adapted, default_risk
    from goofspiel.records.saved import default_games, kept

    games = kept(options.saved or default_games())
    mine = [game for game in games if game.rules == rules and game.tags.get("mine") == HUMAN]
    risk = default_risk(rules.objective) if options.risk is None else options.risk
    tablebase = _tablebase(rules, options.store)
    tablebase.require_all_levels()
    return adapted(mine, tablebase, rules, risk)


def _tablebase(rules: Rules, store: Path | str | None) -> "Tablebase":
    """The table; when it must be solved first, that is said."""
    from goofspiel.render.rules import described
    from goofspiel.store import store_at, table_path
    from goofspiel.tablebase import open_tablebase
    from goofspiel.tablebase.opening import on_first_use

    if on_first_use(rules) and not table_path(store_at(store), rules).exists():
        print(f"solving the game of {described(rules)}, once …", file=sys.stderr, flush=True)
    return open_tablebase(rules, store=store)


def _converse(game: "Dialogue", *, as_json: bool) -> None:
    from goofspiel.terminal.console import is_terminal, play_by_keys, play_by_lines

    if is_terminal() and not as_json:
        play_by_keys(game)
    else:
        person = sys.stdin is not None and sys.stdin.isatty()
        out = sys.stderr if as_json else sys.stdout  # the only result is the json
        play_by_lines(game, sys.stdin, out, prompt="bid? " if person else "")


def _end(options: argparse.Namespace, game: "Dialogue", path: Path) -> int:
    from goofspiel.terminal.console import columns
    from goofspiel.terminal.transcript import ending, game_json

    if options.json:
        print(json.dumps(game_json(game, path)))
    elif game.session.is_over:
        print(f"\n{ending(game, path, columns())}")
    elif game.unsaved:
        return complain(f"the game could not be saved: {game.unsaved}")
    else:
        print(f"The game is saved, and goes on with: {_resume_command(options, path, game)}")
    return DONE


def _resume_command(options: argparse.Namespace, path: Path, game: "Dialogue") -> str:
    from goofspiel.records.saved import default_games
    from goofspiel.roster import runs_code

    words = ["goofspiel", "play", "--resume", *([] if path.parent == default_games() else [str(path)])]
    words += ["--opponent", game.session.theirs] if runs_code(game.session.theirs) else []
    words += ["--undo"] if options.undo else []
    return shlex.join(words + (["--store", str(options.store)] if options.store else []))
