"""What the verbs of the command line share: the parser, options that several take, and how wrong ones are refused."""

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from goofspiel import __version__
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import GoofspielError
from goofspiel.rules import Objective, Rules

DONE, FAILED, USAGE = 0, 1, 2  # exit codes

Verb = Callable[[argparse.Namespace], int]


class UsageError(GoofspielError):
    """Options that do not go together."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(_in_one_line(f"{self.prog}: {message}; see {self.prog} --help"), file=sys.stderr)
        raise SystemExit(USAGE)


def whole_number(least: int, most: int, what: str) -> Callable[[str], int]:
    """A converter for whole numbers in a range; its error quotes the input and the limits."""

    def convert(text: str) -> int:
        if not re.fullmatch("-?[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{what} must be {least} to {most}, not {text!r}")
        return int(text)

    return convert


def size(text: str) -> int:
    """A number of bytes: a whole or decimal number and a unit."""
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([KMGT])i?B?", text, re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"a size is a number and a unit, as in 8GiB or 500MiB, not {text!r}")
    return int(float(found[1]) * 1024 ** (1 + "KMGT".index(found[2].upper())))


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


def add_cards(command: argparse.ArgumentParser) -> None:
    """The number of cards, as the first word."""
    command.add_argument("cards", type=card_count, metavar="N", help=f"number of cards, 1 to {MAX_CARDS}")


def add_rules(command: argparse.ArgumentParser, **defaults: Any) -> None:
    """Which game it is, its number of cards apart."""
    command.add_argument(
        "--objective",
        choices=[str(objective) for objective in Objective],
        default=str(Objective.POINTS),
        help="what is maximised: expected points, or P(win) - P(loss)",
    )
    command.set_defaults(**defaults)


def rules_of(options: argparse.Namespace, cards: int | None = None) -> Rules:
    """The rules that the options say, of so many cards."""
    return Rules(cards or options.cards, objective=Objective(options.objective or Objective.POINTS))


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
        default=60,
        metavar="SECONDS",
        help="for each answer of a function of your own (default: 60)",
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
