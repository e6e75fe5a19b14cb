"""What the verbs of the command line share: the parser, options that several take, and how wrong ones are refused."""

import argparse
import errno
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn, TextIO

from goofspiel import __version__
from goofspiel.cards import MAX_CARDS
from goofspiel.cli.converters import by, card_list, folder_or_url, game, size, whole_number
from goofspiel.errors import GoofspielError, RulesError
from goofspiel.rules import GRAMMAR, Bids, Objective, Rules, Ties, read_order, read_prizes

DONE, FAILED, USAGE = 0, 1, 2  # exit codes
PATIENCE = 60  # seconds that a player may think

SEATS = ("mine", "theirs")

Verb = Callable[[argparse.Namespace], int]
Adding = argparse.ArgumentParser | argparse._ArgumentGroup


class UsageError(GoofspielError):
    """Options that do not go together."""


@contextmanager
def understood(*errors: type[GoofspielError]) -> Iterator[None]:
    """What is wrong here is wrong with the command: it has the exit code of such mistakes."""
    try:
        yield
    except errors as error:
        raise UsageError(str(error)) from None


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; options are written in full, so that a new one changes no command."""

    def __init__(self, **words: Any) -> None:
        super().__init__(allow_abbrev=False, **words)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help, where argparse would not say that it could not be printed."""
        print(end=message, file=file, flush=True)

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


def retire_word(command: argparse.ArgumentParser, new: str, behind: Sequence[str] = ()) -> None:
    """Where an earlier version took one word more, perhaps only behind some options, say what takes its place."""
    command.set_defaults(instead=new, behind=behind)


class Commands:
    """The verbs; `options.verb` is the function to call."""

    def __init__(self) -> None:
        self.parser = _Parser(
            prog="goofspiel", description="Goofspiel, solved: values and optimal mixes of every position."
        )
        self.parser.add_argument("--version", action="version", version=f"goofspiel {__version__}")
        self._verbs = self.parser.add_subparsers(required=True, metavar="VERB", parser_class=_Parser)

    def parse(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """What was typed."""
        options, more = self.parser.parse_known_args(arguments)
        if more:
            options.command.error(f"unrecognized arguments: {' '.join(more)}{_meant(options, more)}")
        return options

    def add(
        self, name: str, verb: Verb, summary: str, *, tables: bool = True, forms: Sequence[str] = ("json",)
    ) -> argparse.ArgumentParser:
        """A verb, with the options that almost all have: where tables are, and the forms of what it prints."""
        command = self._verbs.add_parser(name, help=summary, description=summary)
        command.set_defaults(verb=verb, command=command, interrupted="interrupted")
        if tables:
            command.add_argument(
                "--store",
                type=folder_or_url,
                metavar="DIR",
                help="where tables are kept (default: GOOFSPIEL_STORE, or a folder of the user)",
            )
        printed = command.add_mutually_exclusive_group() if forms else command
        for form in forms:
            printed.add_argument(f"--{form}", action="store_true", help=f"print {form}")
        return command


def _meant(options: argparse.Namespace, more: list[str]) -> str:
    """What to write instead of words that are left over, if it can be told."""
    if isinstance(cards := getattr(options, "cards", None), (int, str)):
        with suppress(RulesError):
            return f"; rules are one word: {str(Rules.parse(' '.join([str(cards), *more])))!r}"
    if "instead" not in options or len(more) > 1 or more[0].startswith("-"):
        return ""
    was_taken = not options.behind or any(getattr(options, name) for name in options.behind)
    return f"; it is now {options.instead}" if was_taken else ""


def add_cards(command: argparse.ArgumentParser) -> None:
    """Which game it is, as the first word: of the verbs whose subject is a table."""
    command.add_argument(
        "cards",
        type=game,
        nargs="?",
        metavar="N",
        help=f"number of cards, 1 to {MAX_CARDS}; or all rules in one word: {GRAMMAR}",
    )
    command.set_defaults(cards_word="N")
    retire(command, "--cards", f"the first word: {command.prog} N")


def add_cards_option(command: argparse.ArgumentParser, default: object) -> None:
    """Which game it is, of all other verbs."""
    command.add_argument(
        "--cards", type=game, metavar="N", help=f"number of cards, or all rules in one word (default: {default})"
    )
    command.set_defaults(cards_word="--cards N")


def add_card_list(command: argparse.ArgumentParser, default: str) -> None:
    """Which games, of the verbs that are about several."""
    command.add_argument(
        "--cards", type=card_list, metavar="LIST", help=f"numbers of cards, as in 3-9,13 (default: {default})"
    )


USUAL = "points, a tied prize is nobody's, prizes 1 to N, shuffled, all cards, open bids"


def add_rules(
    command: argparse.ArgumentParser, about: str = "which game it is", default: str = USUAL, only: Sequence[str] = ()
) -> None:
    """Which game it is, its number of cards apart; or some of these options only."""
    rules = command.add_argument_group("rules", f"{about} (default: {default})")
    words: dict[str, dict[str, Any]] = {
        "objective": {
            "choices": [str(objective) for objective in Objective],
            "help": "what is maximised: expected points, or P(win) - P(loss)",
        },
        "ties": {
            "choices": [str(ties) for ties in Ties],
            "help": "the prize of equal bids: nobody has it, or the next winner takes it, too",
        },
        "order": {
            "type": by(read_order),
            "metavar": "ORDER",
            "help": "the prizes come as both know: ascending, descending, or as listed, 4,2,A,3",
        },
        "prizes": {
            "type": by(lambda text: tuple(sorted(read_prizes(text)))),
            "metavar": "LIST",
            "help": "what the prizes are worth, as in 1,1,2,5,8",
        },
        "rounds": {
            "type": whole_number(1, MAX_CARDS, "rounds"),
            "metavar": "K",
            "help": "the game ends after so many",
        },
        "bids": {
            "choices": [str(bids) for bids in Bids],
            "help": "after a round both bids are shown, or only who won it",
        },
    }
    for name in only or words:
        rules.add_argument(f"--{name}", **words[name])


def add_exact(command: argparse.ArgumentParser) -> None:
    """Fractions."""
    command.add_argument("--exact", action="store_true", help="in fractions: a table of its own, of up to 7 cards")


def add_digits(command: argparse.ArgumentParser, where: str) -> None:
    """How numbers are written."""
    command.add_argument("--full", action="store_true", help="with --exact: all digits, however many")
    command.add_argument(
        "--digits", type=whole_number(1, 10**6, "digits"), metavar="D", help=f"so many decimals, {where}"
    )


def add_quiet(command: argparse.ArgumentParser) -> None:
    """No progress."""
    command.add_argument("--quiet", action="store_true", help="no progress on standard error")


def add_threads(command: argparse.ArgumentParser) -> None:
    """Side by side in one process."""
    threads = whole_number(1, 1024, "threads")
    command.add_argument("--threads", type=threads, metavar="T", help="how many work at a time (default: all cores)")


def add_memory(command: argparse.ArgumentParser, default: str = "most of what is free") -> None:
    """A limit."""
    command.add_argument("--memory", type=size, metavar="SIZE", help=f"use no more, as in 8GiB (default: {default})")


def add_seed(command: Adding, what: str, default: int | None = 0) -> None:
    """Where chance begins."""
    command.add_argument(
        "--seed",
        type=whole_number(0, 10**9, "seed"),
        default=default,
        metavar="S",
        help=f"the same seed, the same {what} (default: {'drawn' if default is None else default})",
    )


def add_count(command: Adding, name: str, about: str, *, default: int | None = None, least: int = 1) -> None:
    """How many of something."""
    usual = "" if default is None else f" (default: {default})"
    convert = whole_number(least, 10**9, name)
    command.add_argument(f"--{name}", type=convert, default=default, metavar="K", help=f"{about}{usual}")


def add_side(command: argparse.ArgumentParser) -> None:
    """Whose bids."""
    command.add_argument("--side", choices=SEATS, default=SEATS[0], help=f"whose bids (default: {SEATS[0]})")


def add_saved(command: argparse.ArgumentParser) -> None:
    """Where games are."""
    command.add_argument(
        "--saved",
        type=Path,
        metavar="DIR",
        help="where games are kept (default: GOOFSPIEL_GAMES, or a folder of the user)",
    )


def add_records(command: argparse.ArgumentParser) -> None:
    """Games into a file."""
    command.add_argument("--records", type=Path, metavar="FILE", help="write the records of all games to a file")


def add_figure(command: argparse.ArgumentParser) -> None:
    """A picture; `check_figure` is for what can be known of it before any work."""
    command.add_argument(
        "--figure", type=Path, metavar="FILE", help="draw it as well, to a png, pdf or svg by its name"
    )


def check_figure(options: argparse.Namespace) -> dict[str, str]:
    """That the figure that is asked for can be drawn and written; what json says of it."""
    path: Path | None = options.figure
    if path is None:
        return {}
    from goofspiel.render.figures import FigureNameError, check_plots, figure_format

    with understood(FigureNameError):
        figure_format(path)
    check_plots()
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {str(path.parent)!r} for {path.name!r}")
    return {"figure": str(path)}


def add_patience(command: argparse.ArgumentParser) -> None:
    """How long a player may think."""
    command.add_argument(
        "--patience",
        type=whole_number(1, 10**6, "patience"),
        default=PATIENCE,
        metavar="SECONDS",
        help=f"for each answer of a function or program of your own (default: {PATIENCE})",
    )


def refuse_patience(options: argparse.Namespace, *players: str) -> None:
    """Where nobody is timed: perfect play, and whoever else is part of the program, answers when it can."""
    from goofspiel.roster import runs_code

    if not any(map(runs_code, players)):
        refuse(options, {"patience": PATIENCE}, "only functions and programs of your own are timed")


def refuse(options: argparse.Namespace, unused: dict[str, Any], why: str) -> None:
    """Refuse options that would have no effect: their names and defaults."""
    given = [f"--{name.replace('_', '-')}" for name, default in unused.items() if getattr(options, name) != default]
    if given:
        raise UsageError(f"{' and '.join(given)}: {why}")


def standard_input() -> TextIO:
    """What is read from, if the caller has not closed it."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin


def complain(message: str, code: int = FAILED) -> int:
    """Say what is wrong, in one line, after what was printed before it; the exit code."""
    with suppress(OSError):  # told at the end
        sys.stdout.flush()
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
