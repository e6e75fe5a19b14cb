"""The verbs that ask tables: probe, table."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from goofspiel.cli.options import (
    DONE,
    Commands,
    UsageError,
    add_cards,
    add_exact,
    add_objective,
    card_count,
    complain,
    digits,
    refuse,
    show,
)
from goofspiel.errors import GoofspielError, MissingTableError, SolveError
from goofspiel.position import Position
from goofspiel.rules import Objective

FIGURES = ("png", "pdf", "svg")

DIGITS = 17  # of a double


def add_asking(commands: Commands) -> None:
    """Add the verbs."""
    probe = commands.add("probe", _probe, "value and optimal mixes of a position")
    probe.add_argument("position", metavar="POSITION", help='for example "24/A3/Q K", "start 13 K"; - reads lines')
    add_objective(probe)
    probe.add_argument(
        "--cards", type=card_count, metavar="N", help="the table to ask (default: the smallest that can)"
    )
    probe.add_argument("--csv", action="store_true", help="print csv")
    add_exact(probe)
    probe.add_argument("--full", action="store_true", help="with --exact: all digits, however many")
    probe.add_argument(
        "--digits",
        type=digits,
        metavar="D",
        help="with --exact: decimals instead of fractions",
    )

    table = commands.add("table", _table, "the first-move table, bids down, upcards across")
    add_cards(table)
    add_objective(table)
    table.add_argument(
        "--format",
        choices=["text", "csv", "json", "latex", *FIGURES],
        default="text",
        help="default: text, as in the paper",
    )
    add_exact(table)
    table.add_argument("--full", action="store_true", help="with --exact: all digits, however many")
    table.add_argument("--digits", type=digits, metavar="D", help="decimals in text and latex")
    table.add_argument("--output", type=Path, metavar="FILE", help="write to a file")


def _probe(options: argparse.Namespace) -> int:
    if not options.exact:
        refuse(options, {"digits": None, "full": False}, "only with --exact")
    answer_of, speak, header = _ask_exactly(options) if options.exact else _ask(options)
    code = DONE
    if header:
        print(header)
    for number, (where, text) in enumerate(_asked(options.position)):
        try:
            said = speak(answer_of(Position(text)))
        except GoofspielError as error:
            code = complain(f"{where}{error}")
            continue
        print(said if options.json or options.csv or not number else f"\n{said}")
    return code


PolicyEvaluator = tuple[
    Callable[[Position], Any], Callable[[Any], str], str
]  # for an answer, for its text; the header of a csv


def _ask(options: argparse.Namespace) -> PolicyEvaluator:
    from goofspiel.render.answers import CSV_HEADER, answer_csv, answer_json, answer_text
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


def _ask_exactly(options: argparse.Namespace) -> PolicyEvaluator:
    from goofspiel.batch import cards_needed
    from goofspiel.render.exact_answers import CSV_HEADER, exact_csv, exact_json, exact_text, writer
    from goofspiel.tablebase.exact import MOST_ALONE, ExactTablebase, open_exact, probe_alone

    write = writer(digits=options.digits, full=options.full or options.json or options.csv)
    tables: dict[int, ExactTablebase] = {}

    def answer_of(position: Position) -> Any:
        cards = options.cards or cards_needed(position, Objective(options.objective))
        if cards not in tables:
            try:
                tables[cards] = open_exact(cards, objective=options.objective, store=options.store)
            except (MissingTableError, SolveError):
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
    refuse(options, {"full": False}, "only with --exact")
    if options.digits and options.digits > DIGITS:
        raise GoofspielError(f"a double has no more than {DIGITS} digits, not {options.digits}: --exact has all")
    from goofspiel.tablebase import open_tablebase
    from goofspiel.tablebase.first_moves import first_move

    path = options.output or Path(f"{options.objective}-{options.cards}.{options.format}")
    if options.format in FIGURES:
        _check_figure(options.format, path)
    with open_tablebase(options.cards, objective=options.objective, store=options.store) as tablebase:
        table = first_move(tablebase)
    if options.format in FIGURES:
        from goofspiel.render.figures import draw_first_move

        draw_first_move(table, path)
        show(options, {"figure": str(path)}, str(path))
        return DONE
    texts: dict[str, Callable[[], str]] = {
        "text": lambda: table.to_text(digits=options.digits),
        "latex": lambda: table.to_latex(digits=options.digits),
        "csv": table.to_csv,
        "json": lambda: json.dumps(table.to_json()) + "\n",
    }
    return _write(options, texts["json" if options.json else options.format]())


def _check_figure(form: str, path: Path) -> None:
    """That a figure can be drawn, as what the name of its file says: better known before any work than after it."""
    from goofspiel.render.figures import check_plots, figure_format

    check_plots()
    if figure_format(path) != form:
        raise UsageError(f"--format {form} does not write {path.name!r}, whose name says {figure_format(path)}")


def _table_exact(options: argparse.Namespace) -> int:
    from goofspiel.render.exact_answers import writer
    from goofspiel.tablebase.exact import open_exact
    from goofspiel.tablebase.exact_first_moves import exact_first_move

    if options.format in ("latex", *FIGURES):
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
