"""The verb habits: what many games tell of how somebody bids."""

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from goofspiel.cli.options import (
    DONE,
    Commands,
    add_count,
    add_records,
    add_saved,
    add_side,
    complain,
    retire,
    standard_input,
)
from goofspiel.errors import GoofspielError, RecordError

if TYPE_CHECKING:
    from goofspiel.records.record import GameRecord
    from goofspiel.rules import Rules


def add_habits(commands: Commands) -> None:
    """Add the verb."""
    habits = commands.add("habits", _habits, "how often you make a bid beside perfect play, and what that costs")
    about = "records of games, - for standard input (default: all that play has kept)"
    habits.add_argument("files", metavar="FILE", nargs="*", type=Path, help=about)
    add_saved(habits)
    add_side(habits)
    add_count(habits, "most", "how many to list", default=10)
    add_records(habits)
    retire(habits, "--export", "--records FILE")


def _habits(options: argparse.Namespace) -> int:
    from goofspiel.records.saved import default_games, kept
    from goofspiel.store.locations import naming

    if options.files and options.saved:
        raise RecordError(f"games are read from files or from a folder, not from both: {str(options.saved)!r}")
    folder = options.saved or default_games()
    records = _read(options.files) if options.files else kept(folder, _left_out)
    if options.side == "theirs":
        records = [record.swap() for record in records]
    records = [record for record in records if any(not played.is_open for played in record.rounds)]
    if not records:
        raise RecordError(f"no game was played yet in {' '.join(map(str, options.files)) or folder}")
    if options.records:
        with naming(options.records):
            options.records.write_text("\n".join(record.to_file() for record in records), encoding="utf-8")
    by_rules: dict[Rules, list[GameRecord]] = {}
    for record in records:
        by_rules.setdefault(record.rules, []).append(record)
    code = DONE
    for number, (rules, some) in enumerate(sorted(by_rules.items(), key=lambda one: -len(one[1]))):
        try:
            _show(options, rules, some, first=not number)
        except GoofspielError as error:
            code = complain(f"{rules}: {error}")
    return code


def _left_out(error: RecordError) -> None:
    complain(f"left out: {error}")


def _show(options: argparse.Namespace, rules: "Rules", records: "list[GameRecord]", *, first: bool) -> None:
    from goofspiel.records.adapting import model_of
    from goofspiel.records.habits import habits
    from goofspiel.render.habits import habits_json, habits_text, model_text
    from goofspiel.tablebase import open_tablebase

    tablebase = open_tablebase(rules, store=options.store)
    found, model = habits(records, tablebase), model_of(records, tablebase, rules)
    if options.json:
        shares = {player.name: share for share, player in model.parts}
        print(json.dumps(habits_json(found) | {"model": shares}, ensure_ascii=False))
        return
    print(("" if first else "\n") + habits_text(found, most=options.most))
    print(f"\n{model_text(model)}")


def _read(files: list[Path]) -> "list[GameRecord]":
    from goofspiel.records.record import read_records

    records = []
    for path in files:
        try:
            text = standard_input().read() if str(path) == "-" else path.read_text(encoding="utf-8-sig")
            records += read_records(text)
        except UnicodeDecodeError:
            raise RecordError(f"{path} is not a text file: a record is written in utf-8") from None
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None
    return records
