"""The verbs that ask tables: probe, table."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from goofspiel.cli.options import (
    DONE,
    Commands,
    UsageError,
    add_cards,
    add_cards_option,
    add_digits,
    add_exact,
    add_figure,
    add_rules,
    check_figure,
    complain,
    refuse,
    retire,
    retire_word,
    standard_input,
)
from goofspiel.cli.rules import is_hidden, like_of, rules_of, with_open_bids
from goofspiel.errors import GoofspielError

if TYPE_CHECKING:
    from goofspiel.tablebase.asking import Found

DIGITS = 17  # of a double
SHELL = "the shell that writes a file: goofspiel table N > FILE"


def add_asking(commands: Commands) -> None:
    """Add the verbs."""
    probe = commands.add("probe", _probe, "value and optimal mixes of a position", forms=["json", "csv"])
    probe.add_argument(
        "position",
        metavar="POSITION",
        help='for example "24/A3/Q K", "start 13 K"; with hidden bids what one side knows, "53+ 4"; - reads lines',
    )
    add_rules(probe)
    add_cards_option(probe, "the smallest table that can answer")
    add_exact(probe)
    add_digits(probe, "with --exact instead of fractions")
    retire(probe, "--format", "--json or --csv")
    retire(probe, "--output", "the shell that writes a file: goofspiel probe POSITION > FILE")

    table = commands.add(
        "table", _table, "the first-move table, bids down, upcards across", forms=["json", "csv", "latex"]
    )
    add_cards(table)
    add_rules(table)
    add_exact(table)
    add_digits(table, "in text and latex")
    add_figure(table)
    retire(table, "--format", "--json, --csv or --latex, and a picture --figure FILE")
    retire(table, "--output", f"{SHELL}; a picture is --figure FILE")
    retire_word(table, SHELL, ["json", "csv", "latex"])


def _probe(options: argparse.Namespace) -> int:
    _check_digits(options, {"digits": None, "full": False})
    rules = like_of(options)
    if is_hidden(rules):
        from goofspiel.cli.hidden import probe_policy
        from goofspiel.hidden.information import refuse_position

        refuse_position(options.position)
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


def _check_digits(options: argparse.Namespace, of_fractions: dict[str, Any]) -> None:
    """Refuse how fractions are written where there are none, or where it would change nothing."""
    if not options.exact:
        refuse(options, of_fractions, "only with --exact")
    if options.digits:
        refuse(options, {"full": False}, "not with --digits, which rounds")
    if options.json or options.csv:
        refuse(options, {"full": False}, "json and csv have all digits")


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
    for number, line in enumerate(standard_input(), start=1):
        if line.strip():
            yield f"line {number}: ", line.strip()


def _table(options: argparse.Namespace) -> int:
    _check_digits(options, {"full": False})
    if options.exact:
        refuse(options, {"latex": False, "figure": None}, "not with --exact, whose numbers have no end in them")
    elif options.digits and options.digits > DIGITS:
        raise UsageError(f"a double has no more than {DIGITS} digits, not {options.digits}: --exact has all")
    elif options.json or options.csv:
        refuse(options, {"digits": None}, "json and csv have all digits")
    from goofspiel.render.first_moves import first_move
    from goofspiel.render.numbers import plain, writer
    from goofspiel.tablebase import open_tablebase

    rules, drawn = with_open_bids(options, rules_of(options)), check_figure(options)
    with open_tablebase(rules, store=options.store, exact=options.exact) as tablebase:
        table = first_move(tablebase)
    if drawn:
        from goofspiel.render.figures import draw_first_move

        draw_first_move(table, options.figure)
    write = writer(digits=options.digits, full=options.full or options.json or options.csv) if options.exact else plain
    if options.json:
        print(json.dumps(table.to_json(write) | drawn))
    elif options.csv:
        sys.stdout.write(table.to_csv(write))
    elif options.latex:
        sys.stdout.write(table.to_latex(digits=options.digits))
    else:
        sys.stdout.write(
            table.to_text(write, digits=options.digits) + "".join(f"\n{path}\n" for path in drawn.values())
        )
    return DONE
