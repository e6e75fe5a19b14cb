"""The verb export: positions with values, mixes and regrets as files for learners."""

import argparse
from pathlib import Path

from goofspiel.cli.options import (
    DONE,
    Commands,
    UsageError,
    add_cards,
    add_quiet,
    add_rules,
    rules_of,
    seed,
    show,
    size,
    whole_number,
)


def add_export(commands: Commands) -> None:
    """Add the verb."""
    export = commands.add("export", _export, "write positions with values, mixes and regrets, for learners")
    export.add_argument("folder", type=Path, metavar="OUT", help="a folder that is new, or empty")
    add_cards(export)
    add_rules(export)
    export.add_argument("--format", choices=["npz", "parquet"], default="npz", help="default: npz")
    count = whole_number(1, 10**10, "count")
    export.add_argument("--uniform", type=count, metavar="K", help="so many positions, drawn, instead of all")
    export.add_argument("--play", type=count, metavar="K", help="those of so many games of perfect players, instead")
    export.add_argument("--seed", type=seed, default=0, metavar="S", help="the same seed, the same draw (default: 0)")
    export.add_argument("--memory", type=size, metavar="SIZE", help="use no more, as in 500MiB (default: 1GiB)")
    add_quiet(export)


def _export(options: argparse.Namespace) -> int:
    from goofspiel.interop.dataset import MEMORY, cache_share, export
    from goofspiel.render.progress import export_progress
    from goofspiel.tablebase import open_tablebase

    if options.uniform and options.play:
        raise UsageError("--uniform or --play, not both")
    which = "uniform" if options.uniform else "play" if options.play else "all"
    memory = options.memory or MEMORY
    tablebase = open_tablebase(rules_of(options), store=options.store, cache_bytes=cache_share(memory))
    with export_progress(quiet=options.quiet) as on_progress:
        index = export(
            tablebase,
            options.folder,
            which=which,
            count=options.uniform or options.play,
            seed=options.seed,
            form=options.format,
            memory=memory,
            on_progress=on_progress,
        )
    show(options, index, f"{index['rows']:,} positions in {len(index['files'])} files: {options.folder}")
    return DONE
