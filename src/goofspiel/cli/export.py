"""The verb export: positions with values, mixes and regrets as files for learners."""

import argparse
from pathlib import Path

from goofspiel.cards import counted
from goofspiel.cli.options import (
    DONE,
    Commands,
    UsageError,
    add_cards_option,
    add_count,
    add_memory,
    add_quiet,
    add_rules,
    add_seed,
    refuse,
    retire,
    retire_word,
    show,
)
from goofspiel.cli.rules import rules_of, with_open_bids


def add_export(commands: Commands) -> None:
    """Add the verb."""
    export = commands.add("export", _export, "write positions with values, mixes and regrets, for learners")
    export.add_argument("folder", type=Path, metavar="OUT", help="a folder that is new, or empty")
    add_cards_option(export, "as many as --prizes or --order lists")
    add_rules(export)
    export.add_argument("--format", choices=["npz", "parquet"], default="npz", help="of the files (default: npz)")
    add_count(export, "positions", "how many to draw, each as likely (default: all)")
    add_count(export, "games", "how many to play, by perfect players, for their positions instead")
    add_seed(export, "draw")
    add_memory(export, "1GiB")
    add_quiet(export)
    retire_word(export, "--cards N: goofspiel export OUT --cards N")
    retire(export, "--uniform", "--positions K")
    retire(export, "--play", "--games K")


def _export(options: argparse.Namespace) -> int:
    from goofspiel.interop.dataset import MEMORY, cache_share, export
    from goofspiel.render.progress import export_progress
    from goofspiel.tablebase import open_tablebase

    if options.positions and options.games:
        raise UsageError("--positions or --games, not both")
    rules = with_open_bids(options, rules_of(options))
    if not (options.positions or options.games):
        refuse(options, {"seed": 0}, "only --positions and --games draw: all positions are written")
    which = "uniform" if options.positions else "play" if options.games else "all"
    memory = options.memory or MEMORY
    tablebase = open_tablebase(rules, store=options.store, cache_bytes=cache_share(memory, options.format))
    with export_progress(quiet=options.quiet) as on_progress:
        index = export(
            tablebase,
            options.folder,
            which=which,
            count=options.positions or options.games,
            seed=options.seed,
            form=options.format,
            memory=memory,
            on_progress=on_progress,
        )
    written = f"{counted(index['rows'], 'position')} in {counted(len(index['files']), 'file')}"
    show(options, index, f"{written}: {options.folder}")
    return DONE
