"""What the command line accepts: verbs, options, and how wrong ones are refused."""

import argparse
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from goofspiel import __version__
from goofspiel.rules import MAX_CARDS, Objective

USAGE = 2  # the exit code


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        raise SystemExit(USAGE)


def _whole_number(least: int, most: int, what: str) -> Callable[[str], int]:
    """A converter for whole numbers in a range; its error quotes the input and the limits."""

    def convert(text: str) -> int:
        if not re.fullmatch("-?[0-9]{1,12}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{what} must be {least} to {most}, not {text!r}")
        return int(text)

    return convert


def _size(text: str) -> int:
    """A number of bytes: a whole or decimal number and a unit."""
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([KMGT])i?B?", text, re.IGNORECASE)
    if not found:
        raise argparse.ArgumentTypeError(f"a size is a number and a unit, as in 8GiB or 500MiB, not {text!r}")
    return int(float(found[1]) * 1024 ** (1 + "KMGT".index(found[2].upper())))


def make_parser(verbs: Mapping[str, Callable[[argparse.Namespace], int]]) -> argparse.ArgumentParser:
    """The parser of all verbs; `options.verb` is the function to call."""
    parser = _Parser(prog="goofspiel", description="Goofspiel, solved: values and optimal mixes of every position.")
    parser.add_argument("--version", action="version", version=f"goofspiel {__version__}")
    commands = parser.add_subparsers(required=True, metavar="VERB", parser_class=_Parser)
    cards, digits = _whole_number(1, MAX_CARDS, "number of cards"), _whole_number(1, 10**6, "digits")

    def add(name: str, summary: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(verb=verbs[name])
        command.add_argument(
            "--store",
            type=Path,
            metavar="DIR",
            help="where tables are kept (default: GOOFSPIEL_STORE, or a folder of the user)",
        )
        command.add_argument("--json", action="store_true", help="print json")
        return command

    def add_objective(command: argparse.ArgumentParser) -> None:
        command.add_argument(
            "--objective",
            choices=[str(objective) for objective in Objective],
            default=str(Objective.POINTS),
            help="what is maximised: expected points, or P(win) - P(loss)",
        )

    def add_exact(command: argparse.ArgumentParser, *, full: bool) -> None:
        command.add_argument("--exact", action="store_true", help="in fractions: a table of its own, of up to 7 cards")
        if full:
            command.add_argument("--full", action="store_true", help="with --exact: all digits, however many")

    def add_quiet(command: argparse.ArgumentParser) -> None:
        command.add_argument("--quiet", action="store_true", help="no progress on standard error")

    solve = add("solve", "solve every position of a game and keep the table")
    solve.add_argument("cards", type=cards, metavar="N", help=f"number of cards, 1 to {MAX_CARDS}")
    add_objective(solve)
    solve.add_argument("--threads", type=_whole_number(1, 1024, "threads"), metavar="T", help="default: all cores")
    solve.add_argument(
        "--memory", type=_size, metavar="SIZE", help="use no more, as in 8GiB (default: most of what is free)"
    )
    solve.add_argument(
        "--dtype",
        choices=["float64", "float32"],
        help="of the store (default: float32 for win, and for points from 15 cards on)",
    )
    solve.add_argument(
        "--keep",
        choices=["all", "last"],
        default="all",
        help="the levels to keep: all, or the last, which is all that the first-move table needs",
    )
    solve.add_argument("--resume", action="store_true", help="go on with a table that is partly solved")
    add_exact(solve, full=False)
    solve.add_argument("--force", action="store_true", help="with --exact: more cards, whatever it takes")
    solve.add_argument("--dry-run", action="store_true", help="only say what it will take")
    add_quiet(solve)

    probe = add("probe", "value and optimal mixes of a position")
    probe.add_argument("position", metavar="POSITION", help='for example "24/A3/Q K", "start 13 K"; - reads lines')
    add_objective(probe)
    probe.add_argument("--cards", type=cards, metavar="N", help="the table to ask (default: the smallest that can)")
    probe.add_argument("--csv", action="store_true", help="print csv")
    add_exact(probe, full=True)
    probe.add_argument(
        "--digits",
        type=_whole_number(1, 10**6, "digits"),
        metavar="D",
        help="with --exact: decimals instead of fractions",
    )

    table = add("table", "the first-move table, bids down, upcards across")
    table.add_argument("cards", type=cards, metavar="N", help=f"number of cards, 1 to {MAX_CARDS}")
    add_objective(table)
    table.add_argument(
        "--format",
        choices=["text", "csv", "json", "latex", "png"],
        default="text",
        help="default: text, as in the paper",
    )
    add_exact(table, full=True)
    table.add_argument("--digits", type=digits, metavar="D", help="decimals in text and latex")
    table.add_argument("--output", type=Path, metavar="FILE", help="write to a file")

    verify = add("verify", "check tables: checksums, and a sample solved again by HiGHS")
    verify.add_argument("cards", type=cards, nargs="?", metavar="N", help="only the table of N cards")
    verify.add_argument(
        "--samples", type=_whole_number(1, 10**9, "samples"), default=200, metavar="K", help="positions to solve again"
    )
    verify.add_argument(
        "--seed",
        type=_whole_number(0, 10**9, "seed"),
        default=0,
        metavar="S",
        help="which positions: the same seed, the same ones",
    )
    add_quiet(verify)

    add("info", "the tables that are there, and how exact they are")
    return parser
