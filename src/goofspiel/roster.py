"""Find a player by its name: a built-in one, one with rules, a best response, or a function of the user's own."""

import re
from pathlib import Path

from goofspiel.cards import read_prize
from goofspiel.errors import PlayerError
from goofspiel.notation import read_card
from goofspiel.players.imported import NAMES, import_player
from goofspiel.players.players import (
    BidUpcardPlayer,
    FunctionPlayer,
    OverridePlayer,
    Player,
    TablePlayer,
    UniformPlayer,
)
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase import open_tablebase

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
    player, or a class of players, of that name; with `patience` in a process of its own, which has so many seconds to
    be loaded and for each answer. `cmd:COMMAND` is a program in any language, which is asked line by line
    (docs/reference/bots.md). `human` asks whoever is at the terminal. After a comma follow rules:
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
    """The player with rules, each written as `UPCARD=BID`; an upcard may be any prize."""
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
    if found := _STEP.fullmatch(name):
        return BidUpcardPlayer(int(found[1] or 0))
    if name == "human":
        from goofspiel.terminal.console import ask_person

        return FunctionPlayer(ask_person, name)  # who may think as long as it takes
    if kind == "respond":
        from goofspiel.best_response.response import respond

        return respond(load_player(_inner(rest), game, store=store, patience=patience), game)
    if rest or kind == "cmd":
        return _foreign(kind, rest, game, patience)
    if name == "uniform":
        return UniformPlayer()
    raise PlayerError(f"no player is called {name!r}: {NAMES}")


def _inner(rest: str) -> str:
    """The player that `respond:` is about, which may stand in brackets."""
    return rest.removeprefix("(").removesuffix(")")


def _foreign(kind: str, rest: str, game: Rules, patience: float | None) -> Player:
    """A program, or a player of the user's own; with patience, in a process of its own."""
    if kind == "cmd":
        from goofspiel.players.bot import load_bot

        return load_bot(rest, game, patience)
    if patience is None:
        return import_player(f"{kind}:{rest}")
    from goofspiel.players.patient import load_patiently

    return load_patiently(f"{kind}:{rest}", patience)


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
    upcard = read_prize(upcard_name.strip())
    if not upcard:
        raise PlayerError(f"{RULE}, not {rule!r}")
    return upcard, mix


def _card(text: str, rule: str) -> int:
    text = text.strip()
    if not text:
        raise PlayerError(f"{RULE}, not {rule!r}")
    card, end = read_card(text, 0, repr(rule))
    if end < len(text):
        raise PlayerError(f"{RULE}, not {rule!r}")
    return card
