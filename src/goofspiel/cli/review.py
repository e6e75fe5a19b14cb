"""The verb review: what each bid of a game cost, and what was luck."""

import argparse
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goofspiel.cards import CARD_NAMES, counted
from goofspiel.cli.converters import whole_number
from goofspiel.cli.options import (
    DONE,
    SEATS,
    Commands,
    UsageError,
    add_cards_option,
    add_figure,
    add_rules,
    add_side,
    check_figure,
    complain,
    standard_input,
    understood,
)
from goofspiel.cli.rules import known_of, objective_of
from goofspiel.errors import GoofspielError, RecordError
from goofspiel.rules import Rules

SHOWN_LENGTH = 80  # of an argument that an error quotes
CARD_LETTERS = {letter for name in CARD_NAMES for letter in name} | {" "}  # of a game; a name of a file has others

if TYPE_CHECKING:
    from goofspiel.players.players import Player
    from goofspiel.records.record import GameRecord
    from goofspiel.records.reviews import Review
    from goofspiel.tablebase import Tablebase


def add_review(commands: Commands) -> None:
    """Add the verb."""
    review = commands.add("review", _review, "what each bid of a played game cost, and what was luck")
    review.add_argument("record", metavar="RECORD", help='a file, - for standard input, or a game: "2A3 33A A22"')
    add_cards_option(review, "as the record says or shows")
    add_rules(review, default="as the record says")
    add_side(review)
    review.add_argument(
        "--opponent",
        metavar="PLAYER",
        help="the other side: optimal, novice, match, … (default: as the record says, or estimated)",
    )
    review.add_argument(
        "--game", type=whole_number(1, 10**9, "game"), metavar="K", help="only the K-th game of the record"
    )
    add_figure(review)


def _review(options: argparse.Namespace) -> int:
    drawn = check_figure(options)
    records = _records(options.record, known_of(options))
    if not records:
        raise RecordError(f"there is no game in the record {options.record!r}")
    if options.game and options.game > len(records):
        raise RecordError(f"the record has {counted(len(records), 'game')}, not a game {options.game}")
    chosen = [options.game] if options.game else range(1, len(records) + 1)
    if options.figure and len(chosen) > 1:
        raise RecordError(f"a figure is of one game: --game picks one of the {len(records)}")
    tables: dict[Rules, Tablebase] = {}
    code = DONE
    for number in chosen:
        which = f"game {number}: " if len(records) > 1 else ""
        try:
            review = _reviewed(options, records[number - 1], tables)
        except UsageError:
            raise
        except GoofspielError as error:
            code = complain(f"{which}{error}")
            continue
        if drawn:
            from goofspiel.render.review_figure import draw_review

            draw_review(review, options.figure)
        _show(options, review, number, which, drawn)
    return code


def _reviewed(options: argparse.Namespace, record: "GameRecord", tables: "dict[Rules, Tablebase]") -> "Review":
    from goofspiel.records.reviews import review
    from goofspiel.roster import PlayerNameError, load_player
    from goofspiel.tablebase import open_tablebase

    played = _holding(record)
    rules = Rules.of(played, objective=objective_of(options))
    if rules not in tables:
        tables[rules] = open_tablebase(rules, store=options.store)
    players = {seat: _named(record.tags.get(seat), played, options) for seat in SEATS}
    if options.opponent:
        other = SEATS[1 - SEATS.index(options.side)]
        with understood(PlayerNameError):
            players[other] = load_player(options.opponent, played, store=options.store)
    found = review(record, tables[rules], **players)
    return found if options.side == "mine" else found.swap()


def _holding(record: "GameRecord") -> Rules:
    """The rules of a record, with as many cards as a table must have that holds where it began."""
    from goofspiel.batch import cards_needed

    rules = record.rules
    if record.began is None or not rules.nests:
        return rules
    return rules.with_cards(max(rules.cards, cards_needed(record.began, rules)))


def _named(name: str | None, rules: Rules, options: argparse.Namespace) -> "Player | None":
    """The player that a record names, if it is one of ours: what is code is run only if the command line names it."""
    from goofspiel.matches.session import HUMAN
    from goofspiel.roster import load_player, runs_code

    if not name or name == HUMAN or runs_code(name):
        return None
    try:
        return load_player(name, rules, store=options.store)
    except GoofspielError:
        return None  # somebody's name, or a table that is not there


def _show(options: argparse.Namespace, review: "Review", number: int, which: str, drawn: dict[str, str]) -> None:
    from goofspiel.render.reviews import review_json, review_text

    if options.json:
        print(json.dumps({"game": number, "side": options.side, **review_json(review), **drawn}, ensure_ascii=False))
        return
    if which and not options.game and number > 1:
        print()
    print(f"{which}{review_text(review)}")
    if drawn:
        print(f"\n{drawn['figure']}")


def _records(source: str, known: dict[str, Any]) -> "list[GameRecord]":
    """The games of standard input, of a file, or of the argument itself."""
    from goofspiel.records.record import read_records

    if source == "-":
        return read_records(standard_input().read(), **known)
    if os.path.exists(source):
        try:
            return read_records(Path(source).read_text(encoding="utf-8-sig"), **known)
        except UnicodeDecodeError:
            raise RecordError(f"{source} is not a text file: a record is written in utf-8") from None
        except RecordError as error:
            raise RecordError(f"{source}: {error}") from None
    try:
        return read_records(source, **known)
    except RecordError as error:
        if "\n" in source or set(source) <= CARD_LETTERS:
            raise
        raise RecordError(f"there is no file {source[:SHOWN_LENGTH]!r}, and it is no record: {error}") from None
