"""Find a player by its name: a built-in one, one with rules, a best response, or a function of the user's own."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from goofspiel.cards import read_prize
from goofspiel.errors import PlayerError
from goofspiel.hidden.forecasts import check_reach
from goofspiel.hidden.players import (
    BidUpcardHiddenPlayer,
    HiddenChooser,
    HiddenFunctionPlayer,
    HiddenPlayer,
    UniformHiddenPlayer,
    load_hidden_bot,
    policy_player,
    respond_hidden,
)
from goofspiel.hidden.solving import open_policy
from goofspiel.notation import read_card
from goofspiel.players.human import ForgetfulPlayer, MixturePlayer, PredictablePlayer, SafeExploiter, mixture_name
from goofspiel.players.imported import NAMES, import_player
from goofspiel.players.ladder import rung
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
HIDDEN_NAMES = "optimal, uniform, match, match+1, respond:PLAYER, module:function, cmd:COMMAND"
_OUTSIDE = re.compile(r",(?![^(]*\))")  # commas that are not in brackets
_MIXTURE = re.compile(r"mix\((.*)\)")
_PART = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s+(\S.*?)\s*")
_RISK = re.compile(r"([0-9]+(?:\.[0-9]+)?):(.+)")
_STEP = re.compile(r"match([+-][0-9]{1,2})?")


class PlayerNameError(PlayerError):
    """A name that no player can have."""


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
    (docs/reference/bots.md). `policy:FILE` plays what `respond --policy FILE` wrote down. `human` asks whoever is at
    the terminal. After a comma follow rules:
    `optimal,K=A` answers the King with the ace as long as it has it.

    `novice` and so on are the rungs of the ladder (docs/how-to/opponents.md). `forgetful` believes that the other side
    holds its own cards, `predictable` bids the likeliest card of perfect play. `mix(75 match, 25 uniform)` bids now as
    one player, now as another, by shares. `exploit:RISK:PLAYER` gains what it can against a player, and loses no more
    than so much a game to anybody.
    """
    base, *overrides = _OUTSIDE.split(_check_name(name))
    player = _base(base.strip(), Rules.of(rules, objective=objective), store, patience)
    if overrides:
        return lock(player, overrides)
    return player


def load_hidden_player(
    name: str, rules: Rules, *, store: Path | str | None = None, patience: float | None = None
) -> HiddenPlayer:
    """The player of this name for a game with hidden bids.

    `optimal`, `uniform`, `match`, `match+1` and `respond:PLAYER` as elsewhere; `module:function` and `file.py:function`
    ask a function: an `InformationSet` in, a card or a mix out. `cmd:COMMAND` is a program, which is asked line by line
    (docs/reference/bots.md), and has `patience`, so many seconds, for each answer.
    """
    check_reach(rules)
    kind, _, rest = _check_name(name).partition(":")
    if kind == "optimal" and rest in ("", rules.objective):
        return policy_player(open_policy(rules, store=store))
    if name == "uniform":
        return UniformHiddenPlayer()
    if found := _STEP.fullmatch(name):
        return BidUpcardHiddenPlayer(int(found[1] or 0))
    if kind == "respond":
        player = load_hidden_player(_inner(rest), rules, store=store, patience=patience)
        return respond_hidden(player, rules).as_player()
    if kind == "cmd":
        return load_hidden_bot(rest, rules, patience)
    if rest and kind != "optimal":
        asked = import_player(name)
        if not isinstance(asked, FunctionPlayer):
            raise PlayerError(f"where bids are hidden, a player of one's own is a function: {name!r}")
        return HiddenFunctionPlayer(cast(HiddenChooser, asked.choose), name)
    raise PlayerNameError(f"no player of hidden bids is called {name!r}: {HIDDEN_NAMES}")


def _check_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"the name of a player must be a str, not {name!r}")
    return name


def runs_code(name: str) -> bool:
    """Whether loading the player of this name runs code of somebody's own: a module or a file."""
    base = _OUTSIDE.split(name)[0].strip()
    if found := _MIXTURE.fullmatch(base):
        return any(runs_code(_PART.sub(r"\2", part)) for part in found[1].split(","))
    kind, _, rest = base.partition(":")
    if kind in ("respond", "exploit"):
        return runs_code(_inner(rest.partition(":")[2] if kind == "exploit" else rest))
    return bool(rest) and kind not in ("optimal", "policy")


def can_apply(rule: str, game: Rules) -> bool:
    """Whether a game has the prize and the cards of a rule, written as `UPCARD=BID`."""
    upcard, mix = _read_rule(rule.strip())
    return upcard in game.prizes and max(mix) <= game.cards


def lock(player: Player, overrides: list[str]) -> OverridePlayer:
    """The player with rules, each written as `UPCARD=BID`; an upcard may be any prize."""
    read: dict[int, dict[int, float]] = {}
    for rule in overrides:
        upcard, mix = _read_rule(rule.strip())
        if upcard in read:
            raise PlayerNameError(f"two rules for the same upcard: {','.join(overrides)!r}")
        read[upcard] = mix
    return OverridePlayer(player, read, ",".join([player.name, *(rule.strip() for rule in overrides)]))


def _base(name: str, game: Rules, store: Path | str | None, patience: float | None) -> Player:
    kind, _, rest = name.partition(":")
    if kind == "optimal":
        if rest not in ("", *Objective):
            raise PlayerNameError(f"optimal:points or optimal:win, not {name!r}")
        return _perfect(game, store, objective=rest or None)
    if (ours := _step(name) or _human(name, game, store, patience)) is not None:
        return ours
    if name == "human":
        from goofspiel.terminal.console import ask_person

        return FunctionPlayer(ask_person, name, is_person=True)  # who may think as long as it takes
    if kind == "respond":
        from goofspiel.best_response.response import respond

        return respond(load_player(_inner(rest), game, store=store, patience=patience), game)
    if rest or kind in ("cmd", "policy"):
        return _foreign(kind, rest, game, patience)
    if name == "uniform":
        return UniformPlayer()
    raise PlayerNameError(f"no player is called {name!r}: {NAMES}")


def _perfect(game: Rules, store: Path | str | None, *, objective: str | None = None) -> TablePlayer:
    """Perfect play, by a table that can be asked in every round."""
    tablebase = open_tablebase(game, objective=objective, store=store)
    tablebase.require_all_levels()
    return TablePlayer(tablebase)


def _step(name: str) -> BidUpcardPlayer | None:
    found = _STEP.fullmatch(name)
    return BidUpcardPlayer(int(found[1] or 0)) if found else None


def _human(name: str, game: Rules, store: Path | str | None, patience: float | None) -> Player | None:
    """Who errs as people do, or makes the most of it; None where no such player is named."""
    if name in ("forgetful", "predictable"):
        perfect = _perfect(game, store)
        return ForgetfulPlayer(perfect) if name == "forgetful" else PredictablePlayer(perfect)
    if step := rung(name):
        return replace(_mixture(step.plays, game, store, patience), name=name)
    if name.startswith("mix("):
        return _mixture(name, game, store, patience)
    kind, _, rest = name.partition(":")
    return _exploiter(name, rest, game, store, patience) if kind == "exploit" else None


def _mixture(name: str, game: Rules, store: Path | str | None, patience: float | None) -> MixturePlayer:
    found = _MIXTURE.fullmatch(name)
    read = [_PART.fullmatch(part) for part in found[1].split(",")] if found else []
    shares = [(float(part[1]), part[2]) for part in read if part]
    whole = sum(share for share, _ in shares)
    if not shares or len(shares) < len(read) or not whole:
        raise PlayerNameError(f"a mixture is shares of players, as in mix(75 match, 25 uniform), not {name!r}")
    parts = tuple((share / whole, load_player(part, game, store=store, patience=patience)) for share, part in shares)
    return MixturePlayer(parts, mixture_name(parts))


def _exploiter(name: str, rest: str, game: Rules, store: Path | str | None, patience: float | None) -> SafeExploiter:
    found = _RISK.fullmatch(rest)
    if not found:
        raise PlayerNameError(f"exploit:RISK:PLAYER, as in exploit:1:novice, not {name!r}")
    target = load_player(_inner(found[2]), game, store=store, patience=patience)
    return SafeExploiter(_perfect(game, store), target, game, float(found[1]))


def _policy(path: str, game: Rules) -> Player:
    from goofspiel.players.policy_file import load_policy

    if not path:
        raise PlayerNameError("policy: names no file, as in policy:bot.policy")
    player = load_policy(path)
    if player.rules != game:
        raise PlayerError(f"{path} holds a policy of the game {str(player.rules)!r}, not of {str(game)!r}")
    return player


def _inner(rest: str) -> str:
    """The player that `respond:` or `exploit:` is about, which may stand in brackets."""
    return rest[1:-1] if rest.startswith("(") and rest.endswith(")") else rest


def _foreign(kind: str, rest: str, game: Rules, patience: float | None) -> Player:
    """A policy in a file, a program, or a player of the user's own; with patience, in a process of its own."""
    if kind == "policy":
        return _policy(rest, game)
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
            raise PlayerNameError(f"{RULE}, not {rule!r}") from None
    if any(not 0 <= probability <= 1 for probability in mix.values()) or abs(sum(mix.values()) - 1) > 1e-9:
        raise PlayerNameError(f"the probabilities of a rule sum to 1, not so in {rule!r}")
    upcard = read_prize(upcard_name.strip())
    if not upcard:
        raise PlayerNameError(f"{RULE}, not {rule!r}")
    return upcard, mix


def _card(text: str, rule: str) -> int:
    text = text.strip()
    if not text:
        raise PlayerNameError(f"{RULE}, not {rule!r}")
    card, end = read_card(text, 0, repr(rule))
    if end < len(text):
        raise PlayerNameError(f"{RULE}, not {rule!r}")
    return card
