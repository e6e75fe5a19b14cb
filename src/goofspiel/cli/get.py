"""The verb get: fetch solved tables that somebody has published."""

import argparse
import sys
from pathlib import Path

from goofspiel.cli.options import DONE, Commands, UsageError, add_cards_option, add_quiet, add_rules, show
from goofspiel.cli.rules import fields_of, rules_of, with_open_bids
from goofspiel.errors import MissingTableError


def add_get(commands: Commands) -> None:
    """Add the verb."""
    get = commands.add("get", _get, "fetch a solved table from a host, or from a folder, to the local store")
    get.set_defaults(interrupted="interrupted: what has arrived is kept, the same command goes on")
    get.add_argument("url", metavar="URL", help="of a table, …/points-13.zarr; or of a site or store that has it")
    add_cards_option(get, "the only one that is there")
    add_rules(get, "which table of a site")
    get.add_argument("--all", action="store_true", help="all tables of a site")
    add_quiet(get)


def _get(options: argparse.Namespace) -> int:
    from goofspiel.render.progress import get_progress
    from goofspiel.store import store_at
    from goofspiel.store.fetching import fetch_table, published_tables

    chosen = _chosen(published_tables(options.url), options)
    found = []
    for source in chosen:
        with get_progress(source.name, quiet=options.quiet) as on_bytes:
            found.append(fetch_table(source, store_at(options.store), on_bytes=on_bytes))
        if not options.quiet and not found[-1].blocks:
            print(f"goofspiel: {found[-1].path} is there already, nothing was fetched", file=sys.stderr)
    as_json = [
        {"rules": str(table.rules), "table": str(table.path), "bytes": table.bytes, "blocks": table.blocks}
        for table in found
    ]
    show(options, {"tables": as_json}, "\n".join(str(table.path) for table in found))
    return DONE


def _chosen(there: list[Path], options: argparse.Namespace) -> list[Path]:
    """The tables that are asked for, of those that are there."""
    from goofspiel.store.paths import table_path

    is_said = options.cards is not None or bool(fields_of(options))
    if options.all and is_said:
        raise UsageError("--all fetches all tables: it goes with neither --cards nor rules")
    if options.all or (len(there) == 1 and not is_said):
        return there
    if not is_said:
        names = ", ".join(path.name for path in there)
        raise UsageError(f"{options.url} has {len(there)} tables, which one? --cards N, rules, or --all: {names}")
    rules = with_open_bids(options, rules_of(options))
    wanted = table_path(there[0].parent, rules)
    for path in there:
        if path.name == wanted.name:
            return [path]
    raise MissingTableError(f"{options.url} has no table of {str(rules)!r}: {', '.join(path.name for path in there)}")
