"""Which game it is that the options of a verb say."""

import argparse
from collections.abc import Callable
from typing import Any

from goofspiel.cli.options import UsageError, understood
from goofspiel.errors import RulesError
from goofspiel.rules import Bids, Rules

RULES = ("objective", "ties", "order", "prizes", "rounds", "bids")


def fields_of(options: argparse.Namespace) -> dict[str, Any]:
    """What the options say of the rules: field → value."""
    return {name: value for name in RULES if (value := getattr(options, name)) is not None}


def rules_of(options: argparse.Namespace, default: int | None = None) -> Rules:
    """The rules that the options say; without a number of cards, they have as many as prizes are listed."""
    fields = fields_of(options)
    cards = options.cards or listed(fields) or default
    if cards is None:
        raise UsageError(
            f"required: {options.cards_word}, the number of cards; or --prizes or --order with as many prizes"
        )
    return made(cards, fields)


def made(cards: int | str, fields: dict[str, Any]) -> Rules:
    """Rules of these fields; one that does not fit is a mistake in the options."""
    with understood(RulesError):
        return Rules.of(cards, **fields)


def is_hidden(rules: Rules) -> bool:
    """Whether bids stay hidden: another kind of game, which has policies instead of tables."""
    return rules.bids is Bids.HIDDEN


def with_open_bids(options: argparse.Namespace, rules: Rules) -> Rules:
    """The rules, for a verb that knows only such."""
    if is_hidden(rules):
        said = repr(str(rules)) if options.cards or listed(fields_of(options)) else "--bids hidden"
        raise UsageError(f"{options.command.prog.split()[-1]} takes only games with open bids, not {said}")
    return rules


def listed(fields: dict[str, Any]) -> int | None:
    """How many prizes are listed, if they are."""
    lists = (fields.get("prizes"), fields.get("order"))
    return next((len(prizes) for prizes in lists if isinstance(prizes, tuple)), None)


def like_of(options: argparse.Namespace) -> Rules:
    """The rules of positions: where games nest, positions say themselves of how many cards they are."""
    fields = fields_of(options)
    if not (options.cards or listed(fields)) and (apart := {"order", "rounds"} & fields.keys()):
        name = min(apart)
        raise UsageError(f"--{name} {fields[name]}: it takes --cards to say of how many cards the game is")
    return rules_of(options, 1)


def known_of(options: argparse.Namespace) -> dict[str, Any]:
    """What the options say of a game that was played, to read its record by; it may be judged by another objective."""
    fields = fields_of(options)
    cards = options.cards or listed(fields)
    if cards:
        rules = with_open_bids(options, made(cards, fields))  # a mistake of the options, not of the record
        fields = {"cards": rules.cards} | ({name: getattr(rules, name) for name in rules.options()} | fields)
    else:
        with_open_bids(options, Rules(1, bids=fields.get("bids", Bids.OPEN)))
    fields.pop("objective", None)
    return fields


def objective_of(options: argparse.Namespace) -> Any:
    """The objective that the options say, if they do."""
    return options.objective or (Rules.parse(options.cards).objective if isinstance(options.cards, str) else None)


def chosen(options: argparse.Namespace) -> Callable[[Rules], bool]:
    """Whether a game is one of those that the options name: nothing that they say would change it."""
    fields = fields_of(options)
    only = made(options.cards, fields) if isinstance(options.cards, str) else None

    def is_chosen(rules: Rules) -> bool:
        if only is not None or options.cards not in (None, rules.cards):
            return rules == only
        try:
            return Rules.of(rules, **fields) == rules
        except RulesError:
            return False

    return is_chosen
