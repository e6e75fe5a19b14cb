"""The verbs that ask tables: probe, table."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goofspiel.cli.options import (
    DONE,
    Commands,
    UsageError,
    add_cards,
    add_exact,
    add_rules,
    complain,
    digits,
    form,
    game,
    is_hidden,
    like_of,
    refuse,
    rules_of,
    show,
)
from goofspiel.errors import GoofspielError

if TYPE_CHECKING:
    from goofspiel.tablebase.asking import Found

FIGURES = ("png", "pdf", "svg")

DIGITS = 17  # of a double


def add_asking(commands: Commands) -> None:
    """Add the verbs."""
    probe = commands.add("probe", _probe, "value and optimal mixes of a position")
    probe.add_argument("position", metavar="POSITION", help='for example "24/A3/Q K", "start 13 K"; - reads lines')
    add_rules(probe)
    probe.add_argument("--cards", type=game, metavar="N", help="the table to ask (default: the smallest that can)")
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
    add_rules(table)
    table.add_argument(
        "--format",
        type=form,
        choices=["text", "csv", "latex", *FIGURES],
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
    rules = like_of(options)
    if is_hidden(rules):
        from goofspiel.cli.hidden import probe_policy

        return probe_policy(options, rules_of(options), _asked(options.position))
    from goofspiel.render.answers import csv_header
    from goofspiel.tablebase.asking import Asker

    named = rules.cards if options.cards and rules.nests else None  # the others have one table only
    asker = Asker(rules, cards=named, store=options.store, exact=options.exact)
    speak = _speaker(options)
    code = DONE
    if options.csv:
        print(csv_header(rules, exact=options.exact))
    for number, (where, text) in enumerate(_asked(options.position)):
        try:
            said = speak(asker.ask(text))
        except GoofspielError as error:
            code = complain(f"{where}{error}")
            continue
        print(said if options.json or options.csv or not number else f"\n{said}")
    return code


def _speaker(options: argparse.Namespace) -> "Callable[[Found], str]":
    """How an answer is printed."""
    from goofspiel.render.answers import answer_csv, answer_json, answer_text
    from goofspiel.render.numbers import plain, writer

    full = options.full or options.json or options.csv
    write = writer(digits=options.digits, full=full) if options.exact else plain

    def as_json(found: "Found") -> str:
        table = {"table": str(found.table) if found.table else None}
        return json.dumps(answer_json(found.answer, write, outcomes=_ends(found.answer)) | table, ensure_ascii=False)

    def as_text(found: "Found") -> str:
        return answer_text(found.answer, write, outcomes=_ends(found.answer), alone=found.table is None)

    if options.csv:
        return lambda found: answer_csv(found.answer, write)
    return as_json if options.json else as_text


def _ends(answer: Any) -> Any:
    """How the game ends, where that is said: of answers in doubles."""
    from goofspiel.tablebase.outcomes import outcomes

    return None if answer.is_exact else outcomes(answer)


def _asked(position: str) -> Iterator[tuple[str, str]]:
    """The positions to ask about, each with the place it comes from; `-` reads them from standard input."""
    if position != "-":
        yield "", position
        return
    for number, line in enumerate(sys.stdin or (), start=1):
        if line.strip():
            yield f"line {number}: ", line.strip()


def _table(options: argparse.Namespace) -> int:
    if not options.exact:
        refuse(options, {"full": False}, "only with --exact")
        if options.digits and options.digits > DIGITS:
            raise GoofspielError(f"a double has no more than {DIGITS} digits, not {options.digits}: --exact has all")
    elif options.format in ("latex", *FIGURES):
        raise GoofspielError(f"an exact table is written as text, csv or json, not as {options.format}")
    from goofspiel.render.first_moves import first_move
    from goofspiel.render.numbers import plain, writer
    from goofspiel.tablebase import open_tablebase

    rules = rules_of(options)
    path = options.output or Path(f"{rules.slug}.{options.format}")
    if options.format in FIGURES:
        _check_figure(options.format, path)
    with open_tablebase(rules, store=options.store, exact=options.exact) as tablebase:
        table = first_move(tablebase)
    if options.format in FIGURES:
        from goofspiel.render.figures import draw_first_move

        draw_first_move(table, path)
        show(options, {"figure": str(path)}, str(path))
        return DONE
    full = options.full or options.json or options.format != "text"
    write = writer(digits=options.digits, full=full) if options.exact else plain
    texts: dict[str, Callable[[], str]] = {
        "text": lambda: table.to_text(write, digits=options.digits),
        "latex": lambda: table.to_latex(digits=options.digits),
        "csv": lambda: table.to_csv(write),
        "json": lambda: json.dumps(table.to_json(write)) + "\n",
    }
    return _write(options, texts["json" if options.json else options.format]())


def _check_figure(form: str, path: Path) -> None:
    """That a figure can be drawn, as what the name of its file says: better known before any work than after it."""
    from goofspiel.render.figures import check_plots, figure_format

    check_plots()
    if figure_format(path) != form:
        raise UsageError(f"--format {form} does not write {path.name!r}, whose name says {figure_format(path)}")


def _write(options: argparse.Namespace, text: str) -> int:
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return DONE
