"""The command line: verbs only, no maths."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

from goofspiel.cli_options import make_parser
from goofspiel.errors import GoofspielError, MissingTableError
from goofspiel.position import Position
from goofspiel.rules import Objective

DONE, FAILED, USAGE = 0, 1, 2
DIGITS = 17  # of a double


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 done, 1 failed or not found, 2 usage."""
    _open_streams()
    verbs = {"solve": _solve, "probe": _probe, "table": _table, "verify": _verify, "info": _info}
    options = make_parser(verbs).parse_args(arguments)
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
    if options.exact:
        return _solve_exact(options)
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


def _solve_exact(options: argparse.Namespace) -> int:
    from goofspiel.exact import exact_forecast, solve_exact
    from goofspiel.progress_bar import solve_progress

    if options.dry_run:
        expected = exact_forecast(options.cards, Objective(options.objective))
        _print(options, expected.to_json(), expected.to_text())
        return DONE
    with solve_progress(quiet=options.quiet) as progress:
        path = solve_exact(
            options.cards,
            objective=options.objective,
            store=options.store,
            resume=options.resume,
            force=options.force,
            progress=progress,
        )
    _print(options, {"table": str(path), "cards": options.cards, "objective": options.objective}, str(path))
    return DONE


def _probe(options: argparse.Namespace) -> int:
    answer_of, speak, header = _ask_exactly(options) if options.exact else _ask(options)
    code = DONE
    if header:
        print(header)
    for number, (where, text) in enumerate(_asked(options.position)):
        try:
            said = speak(answer_of(Position(text)))
        except GoofspielError as error:
            code = _complain(f"{where}{error}")
            continue
        print(said if options.json or options.csv or not number else f"\n{said}")
    return code


Asking = tuple[Callable[[Position], Any], Callable[[Any], str], str]  # for an answer, for its text; the header of a csv


def _ask(options: argparse.Namespace) -> Asking:
    from goofspiel.show import CSV_HEADER, answer_csv, answer_json, answer_text
    from goofspiel.tablebase import Tablebase, open_for, open_tablebase

    tables: dict[int, Tablebase] = {}

    def answer_of(position: Position) -> Any:
        for table in tables.values():
            if table.holds(position):
                return table.probe(position)
        if options.cards:
            found = open_tablebase(options.cards, objective=options.objective, store=options.store)
        else:
            found = open_for(position, objective=options.objective, store=options.store)
        return tables.setdefault(found.cards, found).probe(position)

    if options.json:
        return answer_of, lambda answer: json.dumps(answer_json(answer), ensure_ascii=False), ""
    return (answer_of, answer_csv, CSV_HEADER) if options.csv else (answer_of, answer_text, "")


def _ask_exactly(options: argparse.Namespace) -> Asking:
    from goofspiel.exact import MOST_ALONE, ExactTablebase, open_exact, probe_alone
    from goofspiel.exact.show import CSV_HEADER, exact_csv, exact_json, exact_text, writer
    from goofspiel.questions import cards_needed

    write = writer(digits=options.digits, full=options.full or options.json or options.csv)
    tables: dict[int, ExactTablebase] = {}

    def answer_of(position: Position) -> Any:
        cards = options.cards or cards_needed(position, Objective(options.objective))
        if cards not in tables:
            try:
                tables[cards] = open_exact(cards, objective=options.objective, store=options.store)
            except GoofspielError:
                if options.cards or position.level > MOST_ALONE:
                    raise
                return probe_alone(position, objective=options.objective)
        return tables[cards].probe(position)

    if options.json:
        return answer_of, lambda answer: json.dumps(exact_json(answer, write), ensure_ascii=False), ""
    speak = exact_csv if options.csv else exact_text
    return answer_of, lambda answer: speak(answer, write), CSV_HEADER * options.csv


def _asked(position: str) -> Iterator[tuple[str, str]]:
    """The positions to ask about, each with the place it comes from; `-` reads them from standard input."""
    if position != "-":
        yield "", position
        return
    for number, line in enumerate(sys.stdin or (), start=1):
        if line.strip():
            yield f"line {number}: ", line.strip()


def _table(options: argparse.Namespace) -> int:
    if options.exact:
        return _table_exact(options)
    if options.digits and options.digits > DIGITS:
        raise GoofspielError(f"a double has no more than {DIGITS} digits, not {options.digits}: --exact has all")
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
    return _write(options, texts["json" if options.json else options.format]())


def _table_exact(options: argparse.Namespace) -> int:
    from goofspiel.analysis.exact_first_move import exact_first_move
    from goofspiel.exact import open_exact
    from goofspiel.exact.show import writer

    if options.format in ("latex", "png"):
        raise GoofspielError(f"an exact table is written as text, csv or json, not as {options.format}")
    write = writer(digits=options.digits, full=options.full or options.json or options.format != "text")
    with open_exact(options.cards, objective=options.objective, store=options.store) as tablebase:
        table = exact_first_move(tablebase)
    texts: dict[str, Callable[[], str]] = {
        "text": lambda: table.to_text(write),
        "csv": lambda: table.to_csv(write),
        "json": lambda: json.dumps(table.to_json(write)) + "\n",
    }
    return _write(options, texts["json" if options.json else options.format]())


def _write(options: argparse.Namespace, text: str) -> int:
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


if __name__ == "__main__":
    sys.exit(main())
