"""The verb site: the page and its tables as a folder, for any host of files."""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goofspiel.cli.converters import card_list
from goofspiel.cli.options import DONE, Commands, add_card_list, add_quiet, add_rules, refuse, show
from goofspiel.rules import Objective, Rules, Ties

if TYPE_CHECKING:
    from goofspiel.site.plan import SitePlan

CARDS = "3-9"


def add_site(commands: Commands) -> None:
    """Add the verb."""
    site = commands.add("site", _site, "write the page and its tables as a folder, for any host of files")
    site.add_argument("out", type=Path, metavar="OUT", help="the folder: a new one, or a site to bring up to date")
    add_card_list(site, CARDS)
    add_rules(site, "only tables of such games", "both objectives, a tied prize is nobody's", ["objective", "ties"])
    site.add_argument(
        "--dtype",
        choices=["fixed32", "fixed24"],
        help="what values are kept in (default: fixed32 for doubles, others as they are)",
    )
    site.add_argument(
        "--under",
        type=_path,
        default="/",
        metavar="PATH",
        help="where the host shows it, for 404.html; all else works anywhere (default: /)",
    )
    site.add_argument("--dry-run", action="store_true", help="only say what it will take: tables and bytes")
    add_quiet(site)


def _path(text: str) -> str:
    """The path of an address, with slashes at both ends."""
    if not re.fullmatch(r"/?([\w.~-]+/?)*", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"a path is written as in /goofspiel/, not {text!r}")
    inner = text.strip("/")
    return f"/{inner}/" if inner else "/"


def _games(options: argparse.Namespace) -> Iterator[Rules]:
    for cards in options.cards or card_list(CARDS):
        for objective in [options.objective] if options.objective else list(Objective):
            yield Rules(cards, objective=objective, ties=options.ties or Ties.DISCARD)


def _site(options: argparse.Namespace) -> int:
    from goofspiel.render.progress import site_progress
    from goofspiel.site.plan import plan_site
    from goofspiel.site.writing import write_site
    from goofspiel.store import store_at

    if options.dry_run:
        refuse(options, {"quiet": False}, "--dry-run has no progress to show")
    store = store_at(options.store)
    plan = plan_site(_games(options), store, dtype=options.dtype)
    facts = _facts(plan)
    if options.dry_run:
        show(options, facts, _text(plan))
        return DONE
    with site_progress(quiet=options.quiet) as on_progress:
        written = write_site(plan, options.out, store, under=options.under, on_progress=on_progress)
    show(options, facts | written, written["site"])
    if not options.quiet and not options.json:
        print(_text(plan), file=sys.stderr)
    return DONE


def _facts(plan: "SitePlan") -> dict[str, Any]:
    return {
        "tables": [{"rules": str(table.rules), "dtype": table.dtype} for table in plan.tables],
        "missing": [str(rules) for rules in plan.missing],
        "bytes": plan.bytes,
        "largest_file_bytes": plan.largest_file,
    }


def _text(plan: "SitePlan") -> str:
    from goofspiel.solver.plan import size_text

    rows = [(str(table.rules), table.dtype, size_text(sum(table.file_bytes))) for table in plan.tables]
    width = max((len(name) for name, *_ in rows), default=0)
    lines = [f"{name:{width}}  {dtype}  {size:>10}" for name, dtype, size in rows]
    lines += [f"not solved here, left out: {rules}" for rules in plan.missing]
    total = f"{size_text(plan.bytes)} with the page, no file above {size_text(plan.largest_file)}"
    return "\n".join([*lines, total])
