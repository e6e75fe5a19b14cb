"""The command line: verbs only, no maths."""

import argparse
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

from goofspiel import __version__
from goofspiel.errors import GoofspielError, MissingTableError
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Objective

DONE, FAILED, USAGE = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 done, 1 failed or not found, 2 usage."""
    _open_streams()
    options = _parser().parse_args(arguments)
    try:
        verb: Callable[[argparse.Namespace], int] = options.verb
        code = verb(options)
        sys.stdout.flush()
        return code
    except GoofspielError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return _complain("interrupted: what was finished is kept")
    except BrokenPipeError:
        # The reader has seen enough. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        return _complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")


def _open_streams() -> None:
    """A stream that the caller has closed, or text that it cannot hold, is no reason to stop."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, StringIO())
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _complain(message: str) -> int:
    print(f"goofspiel: {message}", file=sys.stderr)
    return FAILED


def _solve(options: argparse.Namespace) -> int:
    from goofspiel.progress_bar import solve_progress
    from goofspiel.report import blocks_found, solve_json, solve_text
    from goofspiel.solver import forecast, peak_memory, solve

    choices = {
        "objective": options.objective,
        "store": options.store,
        "threads": options.threads,
        "memory": options.memory,
        "dtype": options.dtype,
        "keep": options.keep,
    }
    if options.dry_run:
        expected = forecast(options.cards, **choices)
        _print(options, expected.to_json(), expected.to_text())
        return DONE
    found = blocks_found(options.cards, options.objective, options.store)
    started, used = time.monotonic(), time.process_time()
    with solve_progress(quiet=options.quiet) as progress:
        path = solve(options.cards, resume=options.resume, progress=progress, **choices)
    took = {
        "wall_seconds": time.monotonic() - started,
        "cpu_seconds": time.process_time() - used,
        "peak_memory_bytes": peak_memory(),
        "blocks_found": found,
    }
    facts = solve_json(path, took)
    _print(options, facts, str(path))
    if not options.quiet:
        print(solve_text(facts), file=sys.stderr)
    return DONE


def _probe(options: argparse.Namespace) -> int:
    from goofspiel.show import CSV_HEADER, answer_csv, answer_json, answer_text
    from goofspiel.tablebase import Tablebase, open_for, open_tablebase

    tables: dict[int | None, Tablebase] = {}
    code = DONE

    def table_for(position: Position) -> Tablebase:
        for table in tables.values():
            if table.holds(position):
                return table
        if options.cards:
            found = open_tablebase(options.cards, objective=options.objective, store=options.store)
        else:
            found = open_for(position, objective=options.objective, store=options.store)
        return tables.setdefault(found.cards, found)

    if options.csv:
        print(CSV_HEADER)
    for number, (where, text) in enumerate(_asked(options.position)):
        try:
            answer = table_for(position := Position(text)).probe(position)
        except GoofspielError as error:
            code = _complain(f"{where}{error}")
            continue
        if options.json:
            print(json.dumps(answer_json(answer), ensure_ascii=False))
        elif options.csv:
            print(answer_csv(answer))
        else:
            print(("\n" if number else "") + answer_text(answer))
    return code


def _asked(position: str) -> Iterator[tuple[str, str]]:
    """The positions to ask about, each with the place it comes from; `-` reads them from standard input."""
    if position != "-":
        yield "", position
        return
    for number, line in enumerate(sys.stdin or (), start=1):
        if line.strip():
            yield f"line {number}: ", line.strip()


def _table(options: argparse.Namespace) -> int:
    from goofspiel.analysis import first_move
    from goofspiel.tablebase import open_tablebase

    with open_tablebase(options.cards, objective=options.objective, store=options.store) as tablebase:
        table = first_move(tablebase)
    if options.format == "png":
        from goofspiel.analysis.figures import draw_first_move

        path = options.output or Path(f"{options.objective}-{options.cards}.png")
        draw_first_move(table, path)
        _print(options, {"figure": str(path)}, str(path))
        return DONE
    texts: dict[str, Callable[[], str]] = {
        "text": lambda: table.to_text(digits=options.digits),
        "latex": lambda: table.to_latex(digits=options.digits),
        "csv": table.to_csv,
        "json": lambda: json.dumps(table.to_json()) + "\n",
    }
    text = texts["json" if options.json else options.format]()
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return DONE


def _verify(options: argparse.Namespace) -> int:
    from goofspiel.progress_bar import verify_progress
    from goofspiel.report import verification_json, verification_text
    from goofspiel.store import Table, default_store, list_tables, table_path
    from goofspiel.tablebase import verify

    store = options.store or default_store()
    tables = [(c, o) for c, o in list_tables(store) if options.cards in (None, c)]
    if not tables:
        wanted = f"table of {options.cards} cards" if options.cards else "table"
        raise MissingTableError(f"there is no {wanted} in {store}: goofspiel solve {options.cards or 13} makes one")
    code = DONE
    for cards, objective in tables:
        try:
            table = Table.open(table_path(store, cards, objective), cards=cards, objective=objective)
            with verify_progress(f"{objective} {cards}", quiet=options.quiet) as progress:
                found = verify(table, samples=options.samples, seed=options.seed, progress=progress)
        except GoofspielError as error:
            code = _complain(str(error))
            continue
        _print(options, verification_json(table, found), verification_text(table, found))
        code = code if found.passed else FAILED
    return code


def _info(options: argparse.Namespace) -> int:
    from goofspiel.report import store_json, store_text
    from goofspiel.store import default_store

    store = options.store or default_store()
    _print(options, store_json(store), store_text(store))
    return DONE


def _print(options: argparse.Namespace, as_json: dict[str, Any], text: str) -> None:
    print(json.dumps(as_json) if options.json else text)


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


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="goofspiel", description="Goofspiel, solved: values and optimal mixes of every position.")
    parser.add_argument("--version", action="version", version=f"goofspiel {__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB", parser_class=_Parser)
    cards = _whole_number(1, MAX_CARDS, "number of cards")

    def add(name: str, verb: Callable[[argparse.Namespace], int], summary: str) -> argparse.ArgumentParser:
        command = verbs.add_parser(name, help=summary, description=summary)
        command.set_defaults(verb=verb)
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

    def add_quiet(command: argparse.ArgumentParser) -> None:
        command.add_argument("--quiet", action="store_true", help="no progress on standard error")

    solve = add("solve", _solve, "solve every position of a game and keep the table")
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
    solve.add_argument("--dry-run", action="store_true", help="only say what it will take")
    add_quiet(solve)

    probe = add("probe", _probe, "value and optimal mixes of a position")
    probe.add_argument("position", metavar="POSITION", help='for example "24/A3/Q K", "start 13 K"; - reads lines')
    add_objective(probe)
    probe.add_argument("--cards", type=cards, metavar="N", help="the table to ask (default: the smallest that can)")
    probe.add_argument("--csv", action="store_true", help="print csv")

    table = add("table", _table, "the first-move table, bids down, upcards across")
    table.add_argument("cards", type=cards, metavar="N", help=f"number of cards, 1 to {MAX_CARDS}")
    add_objective(table)
    table.add_argument(
        "--format",
        choices=["text", "csv", "json", "latex", "png"],
        default="text",
        help="default: text, as in the paper",
    )
    table.add_argument("--digits", type=_whole_number(1, 17, "digits"), metavar="D", help="decimals in text and latex")
    table.add_argument("--output", type=Path, metavar="FILE", help="write to a file")

    verify = add("verify", _verify, "check tables: checksums, and a sample solved again by HiGHS")
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

    add("info", _info, "the tables that are there, and how exact they are")
    return parser


if __name__ == "__main__":
    sys.exit(main())
