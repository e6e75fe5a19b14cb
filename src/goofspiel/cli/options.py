"""What the verbs of the command line share: the parser, options that several take, and how wrong ones are refused."""

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from goofspiel import __version__
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import GoofspielError, RulesError
from goofspiel.rules import GRAMMAR, Bids, Objective, Rules, Ties, read_order, read_prizes

DONE, FAILED, USAGE = 0, 1, 2  # exit codes
PATIENCE = 60  # seconds that a player may think

Verb = Callable[[argparse.Namespace], int]
T = TypeVar("T")


class UsageError(GoofspielError):
    """Options that do not go together."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(_in_one_line(f"{self.prog}: {message}; see {self.prog} --help"), file=sys.stderr)
        raise SystemExit(USAGE)


class _Retired(argparse.Action):
    """An old spelling, which names the new one."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        """Refuse."""
        parser.error(f"{self.option_strings[0]} is now {self.const}")


def retire(command: argparse.ArgumentParser, old: str, new: str) -> None:
    """Refuse an option of an earlier version, with the one that took its place."""
    words: dict[str, Any] = {"dest": "retired", "default": argparse.SUPPRESS, "help": argparse.SUPPRESS}
    command.add_argument(old, action=_Retired, nargs="?", const=new, **words)


def form(text: str) -> str:
    """What to print; json has an option of its own, with every verb."""
    if text == "json":
        raise argparse.ArgumentTypeError("--format json is now --json")
    return text


def whole_number(least: int, most: int, what: str) -> Callable[[str], int]:
    """A converter for whole numbers in a range; its error quotes the input and the limits."""

    def convert(text: str) -> int:
        if not re.fullmatch("-?[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{what} must be {least} to {most}, not {text!r}")
        return int(text)

    return convert


def number(least: float, most: float, what: str) -> Callable[[str], float]:
    """A converter for numbers in a range; its error quotes the input and the limits."""

    def convert(text: str) -> float:
        if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) or not least <= float(text) <= most:
            raise argparse.ArgumentTypeError(f"{what} must be {least:g} to {most:g}, not {text!r}")
        return float(text)

    return convert


def size(text: str) -> int:
    """A number of bytes: a whole or decimal number and a unit."""
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([KMGT])i?B?", text, re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"a size is a number and a unit, as in 8GiB or 500MiB, not {text!r}")
    return int(float(found[1]) * 1024 ** (1 + "KMGT".index(found[2].upper())))


def gap(text: str) -> float:
    """A number above 0."""
    if not re.fullmatch(r"[0-9]{0,6}(\.[0-9]{0,12})?(e-?[0-9]{1,2})?", text, re.IGNORECASE) or not re.search(
        "[1-9]", text
    ):
        raise argparse.ArgumentTypeError(f"a gap is a number above 0, as in 1e-4, not {text!r}")
    try:
        found = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a gap is a number above 0, as in 1e-4, not {text!r}") from None
    if found <= 0:
        raise argparse.ArgumentTypeError(f"a gap is a number above 0, as in 1e-4, not {text!r}")
    return found


card_count = whole_number(1, MAX_CARDS, "number of cards")
digits = whole_number(1, 10**6, "digits")
seed = whole_number(0, 10**9, "seed")


def _store(text: str) -> Path | str:
    """A folder, or a URL, which is no path."""
    return text if "://" in text else Path(text)


class Commands:
    """The verbs; `options.verb` is the function to call."""

    def __init__(self) -> None:
        self.parser = _Parser(
            prog="goofspiel", description="Goofspiel, solved: values and optimal mixes of every position."
        )
        self.parser.add_argument("--version", action="version", version=f"goofspiel {__version__}")
        self._verbs = self.parser.add_subparsers(required=True, metavar="VERB", parser_class=_Parser)

    def add(self, name: str, verb: Verb, summary: str) -> argparse.ArgumentParser:
        """A verb, with the options that all verbs have."""
        command = self._verbs.add_parser(name, help=summary, description=summary)
        command.set_defaults(verb=verb, interrupted="interrupted")
        command.add_argument(
            "--store",
            type=_store,
            metavar="DIR",
            help="where tables are kept (default: GOOFSPIEL_STORE, or a folder of the user)",
        )
        command.add_argument("--json", action="store_true", help="print json")
        return command


def game(text: str, least: int = 1) -> int | Rules:
    """A number of cards; or rules, as `str` writes them: `9 win carry`."""
    if re.match("[0-9]+ +[^ ]", text):
        return _by(Rules.parse)(text)
    return whole_number(least, MAX_CARDS, "number of cards")(text)


def _by(read: Callable[[str], T]) -> Callable[[str], T]:
    """A converter whose errors are those of the rules."""

    def convert(text: str) -> T:
        try:
            return read(text)
        except RulesError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def add_cards(command: argparse.ArgumentParser) -> None:
    """The number of cards, as the first word."""
    command.add_argument(
        "cards",
        type=game,
        nargs="?",
        metavar="N",
        help=f"number of cards, 1 to {MAX_CARDS}; or all rules in one word: {GRAMMAR}",
    )


def add_rules(command: argparse.ArgumentParser, about: str = "which game it is") -> None:
    """Which game it is, its number of cards apart."""
    rules = command.add_argument_group("rules", about)
    rules.add_argument(
        "--objective",
        choices=[str(objective) for objective in Objective],
        help="what is maximised: expected points (default), or P(win) - P(loss)",
    )
    rules.add_argument(
        "--ties",
        choices=[str(ties) for ties in Ties],
        help="the prize of equal bids: nobody has it (default), or the next winner takes it, too",
    )
    rules.add_argument(
        "--order",
        type=_by(read_order),
        metavar="ORDER",
        help="the prizes come as both know: ascending, descending, or as listed, 4,2,A,3 (default: shuffled)",
    )
    rules.add_argument(
        "--prizes",
        type=_by(lambda text: tuple(sorted(read_prizes(text)))),
        metavar="LIST",
        help="what the prizes are worth, as in 1,1,2,5,8 (default: 1 to N)",
    )
    rules.add_argument(
        "--rounds",
        type=whole_number(1, MAX_CARDS, "rounds"),
        metavar="K",
        help="the game ends after so many (default: when all cards are played)",
    )
    rules.add_argument(
        "--bids",
        choices=[str(bids) for bids in Bids],
        help="after a round both bids are shown (open, default), or only who won it (hidden)",
    )


RULES = ("objective", "ties", "order", "prizes", "rounds", "bids")


def fields_of(options: argparse.Namespace) -> dict[str, Any]:
    """What the options say of the rules: field → value."""
    return {name: value for name in RULES if (value := getattr(options, name)) is not None}


def rules_of(options: argparse.Namespace, default: int | None = None) -> Rules:
    """The rules that the options say; without a number of cards, they have as many as prizes are listed."""
    fields = fields_of(options)
    cards = options.cards or listed(fields) or default
    if cards is None:
        raise UsageError("required: N, the number of cards; or --prizes or --order with as many prizes")
    return made(cards, fields)


def made(cards: Rules | int, fields: dict[str, Any]) -> Rules:
    """Rules of these fields; one that does not fit is a mistake in the options."""
    try:
        return Rules.of(cards, **fields)
    except RulesError as error:
        raise UsageError(str(error)) from None


def is_hidden(rules: Rules) -> bool:
    """Whether bids stay hidden: another kind of game, which has policies instead of tables."""
    return rules.bids is Bids.HIDDEN


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


def is_of(rules: Rules, options: argparse.Namespace) -> bool:
    """Whether a game is one of those that the options name: nothing that they say would change it."""
    cards = options.cards
    if (isinstance(cards, Rules) and rules != cards) or (isinstance(cards, int) and rules.cards != cards):
        return False
    try:
        return Rules.of(rules, **fields_of(options)) == rules
    except RulesError:
        return False


def add_exact(command: argparse.ArgumentParser) -> None:
    """Fractions."""
    command.add_argument("--exact", action="store_true", help="in fractions: a table of its own, of up to 7 cards")


def add_quiet(command: argparse.ArgumentParser) -> None:
    """No progress."""
    command.add_argument("--quiet", action="store_true", help="no progress on standard error")


def add_patience(command: argparse.ArgumentParser) -> None:
    """How long a player may think."""
    command.add_argument(
        "--patience",
        type=whole_number(1, 10**6, "patience"),
        default=PATIENCE,
        metavar="SECONDS",
        help=f"for each answer of a function or program of your own (default: {PATIENCE})",
    )


def refuse(options: argparse.Namespace, unused: dict[str, Any], why: str) -> None:
    """Refuse options that would have no effect: their names and defaults."""
    given = [f"--{name.replace('_', '-')}" for name, default in unused.items() if getattr(options, name) != default]
    if given:
        raise UsageError(f"{' and '.join(given)}: {why}")


def complain(message: str, code: int = FAILED) -> int:
    """Say what is wrong, in one line; the exit code."""
    print(_in_one_line(f"goofspiel: {message}"), file=sys.stderr)
    return code


def _in_one_line(message: str) -> str:
    """A message may quote what was typed as it is: line ends and what would steer the terminal are written out."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in message
    )


def show(options: argparse.Namespace, as_json: dict[str, Any], text: str) -> None:
    """Print a result."""
    print(json.dumps(as_json) if options.json else text)
