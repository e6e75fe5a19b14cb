"""Find a player by its name: a built-in one, one with rules, a best response, or a function of the user's own."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.players.players import (
    BidUpcardPlayer,
    FunctionPlayer,
    OverridePlayer,
    Player,
    TablePlayer,
    UniformPlayer,
)
from goofspiel.position import read_card
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase import open_tablebase

NAMES = "optimal, optimal:points, optimal:win, uniform, match, match+1, respond:PLAYER, module:function, human"
RULE = "a rule is UPCARD=BID, as in K=A, or UPCARD=BID*P+BID*P with probabilities"
_OUTSIDE = re.compile(r",(?![^(]*\))")  # commas that are not in brackets
_STEP = re.compile(r"match([+-][0-9]{1,2})?")


def load_player(
    name: str,
    rules: Rules | int | str,
    *,
    objective: Objective | str | None = None,
    store: Path | str | None = None,
    patience: float | None = None,
) -> Player:
    """The player of this name for a game.

    `optimal` is optimal for the objective; `optimal:points` and `optimal:win` say which. `match+1` bids one more than
    the upcard. `respond:PLAYER` is a best response to another player, which stands in brackets when it has rules:
    `respond:(optimal,K=A)`. `module:function` and `file.py:function` ask a function (see `FunctionPlayer`) or take a
    player, or a class of players, of that name. `human` asks whoever is at the terminal. After a comma follow rules:
    `optimal,K=A` answers the King with the ace as long as it has it.
    """
    base, *overrides = _OUTSIDE.split(name)
    player = _base(base.strip(), Rules.of(rules, objective=objective), store, patience)
    if overrides:
        return lock(player, overrides)
    return player


def runs_code(name: str) -> bool:
    """Whether loading the player of this name runs code of somebody's own: a module or a file."""
    kind, _, rest = _OUTSIDE.split(name)[0].strip().partition(":")
    return runs_code(_inner(rest)) if kind == "respond" else bool(rest) and kind != "optimal"


def lock(player: Player, overrides: list[str]) -> OverridePlayer:
    """The player with rules, each written as `UPCARD=BID`."""
    read: dict[int, dict[int, float]] = {}
    for rule in overrides:
        upcard, mix = _read_rule(rule.strip())
        if upcard in read:
            raise PlayerError(f"two rules for the same upcard: {','.join(overrides)!r}")
        read[upcard] = mix
    return OverridePlayer(player, read, ",".join([player.name, *(rule.strip() for rule in overrides)]))


def _base(name: str, game: Rules, store: Path | str | None, patience: float | None) -> Player:
    kind, _, rest = name.partition(":")
    if kind == "optimal":
        if rest not in ("", *Objective):
            raise PlayerError(f"optimal:points or optimal:win, not {name!r}")
        return TablePlayer(open_tablebase(game, objective=rest or None, store=store))
    if name == "uniform":
        return UniformPlayer()
    if found := _STEP.fullmatch(name):
        return BidUpcardPlayer(int(found[1] or 0))
    if name == "human":
        from goofspiel.terminal.console import ask_person

        return FunctionPlayer(ask_person, name)  # who may think as long as it takes
    if kind == "respond":
        from goofspiel.best_response.response import respond

        return respond(load_player(_inner(rest), game, store=store, patience=patience), game)
    if rest:
        return _imported(name, kind, rest, patience)
    raise PlayerError(f"no player is called {name!r}: {NAMES}")


def _inner(rest: str) -> str:
    """The player that `respond:` is about, which may stand in brackets."""
    return rest.removeprefix("(").removesuffix(")")


def _imported(name: str, module_name: str, attribute: str, patience: float | None) -> Player:
    """A function, a player or a class of players from a module or a file."""
    try:
        found = _module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except AttributeError:
        raise PlayerError(f"{module_name} has no {attribute!r}: {name!r}") from None
    except GoofspielError:
        raise
    except Exception as error:  # whatever the user's module does
        raise PlayerError(f"player {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if isinstance(found, type):
        found = _made(found, name)
    if callable(getattr(found, "mixes", None)):
        if not (hasattr(found, "name") and hasattr(found, "uses_lead")):
            raise PlayerError(f"a player has a name and says whether it uses_lead: {name!r}")
        player: Player = found
        return player
    if not callable(found):
        raise PlayerError(f"a player is a function or has mixes: {name!r} is {found!r}")
    return FunctionPlayer(found, name, getattr(found, "uses_lead", True), patience)


def _made(kind: Callable[[], Any], name: str) -> Any:
    try:
        return kind()
    except Exception as error:  # whatever the user's class does
        raise PlayerError(f"player {name!r} cannot be made: {type(error).__name__}: {error}") from error


def _module(name: str) -> Any:
    """A module by its name, found as Python does or in the working folder; or a file."""
    if name.endswith(".py"):
        path = Path(name)
        if not path.is_file():
            raise PlayerError(f"there is no file {name!r}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise PlayerError(f"{name!r} is no Python file")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0] and error.name != name:
            raise
        raise PlayerError(f"no player and no module is called {name!r}: {NAMES}") from None


def _read_rule(rule: str) -> tuple[int, dict[int, float]]:
    upcard_name, _, bids = rule.partition("=")
    mix: dict[int, float] = {}
    for bid in bids.split("+"):
        card_text, star, probability = bid.partition("*")
        try:
            mix[_card(card_text, rule)] = float(probability) if star else 1.0
        except ValueError:
            raise PlayerError(f"{RULE}, not {rule!r}") from None
    if any(not 0 <= probability <= 1 for probability in mix.values()) or abs(sum(mix.values()) - 1) > 1e-9:
        raise PlayerError(f"the probabilities of a rule sum to 1, not so in {rule!r}")
    return _card(upcard_name, rule), mix


def _card(text: str, rule: str) -> int:
    text = text.strip()
    if not text:
        raise PlayerError(f"{RULE}, not {rule!r}")
    card, end = read_card(text, 0, repr(rule))
    if end < len(text):
        raise PlayerError(f"{RULE}, not {rule!r}")
    return card
