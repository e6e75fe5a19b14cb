"""The verbs that make and check tables: solve, verify, info."""

import argparse
import sys
import time

from goofspiel.cli.options import (
    DONE,
    FAILED,
    Commands,
    add_cards,
    add_exact,
    add_objective,
    add_quiet,
    card_count,
    complain,
    refuse,
    seed,
    show,
    size,
    whole_number,
)
from goofspiel.errors import GoofspielError, MissingTableError
from goofspiel.rules import Objective


def add_tables(commands: Commands) -> None:
    """Add the verbs."""
    solve = commands.add("solve", _solve, "solve every position of a game and keep the table")
    add_cards(solve)
    add_objective(solve)
    solve.add_argument("--threads", type=whole_number(1, 1024, "threads"), metavar="T", help="default: all cores")
    solve.add_argument(
        "--memory", type=size, metavar="SIZE", help="use no more, as in 8GiB (default: most of what is free)"
    )
    solve.add_argument(
        "--dtype",
        choices=["float64", "float32"],
        help="of the store (default: float32 for win, and for points from 15 cards on)",
    )
    solve.add_argument(
        "--keep",
        choices=["all", "last"],
        default="all",
        help="the levels to keep: all, or the last, which is all that the first-move table needs",
    )
    solve.add_argument("--resume", action="store_true", help="go on with a table that is partly solved")
    add_exact(solve)
    solve.add_argument("--force", action="store_true", help="with --exact: more cards, whatever it takes")
    solve.add_argument("--dry-run", action="store_true", help="only say what it will take")
    add_quiet(solve)

    verify = commands.add("verify", _verify, "check tables: checksums, and a sample solved again by HiGHS")
    verify.add_argument("cards", type=card_count, nargs="?", metavar="N", help="only the table of N cards")
    verify.add_argument(
        "--samples", type=whole_number(1, 10**9, "samples"), default=200, metavar="K", help="positions to solve again"
    )
    verify.add_argument(
        "--seed",
        type=seed,
        default=0,
        metavar="S",
        help="which positions: the same seed, the same ones",
    )
    add_quiet(verify)

    commands.add("info", _info, "the tables that are there, and how exact they are")


def _solve(options: argparse.Namespace) -> int:
    if options.exact:
        return _solve_exact(options)
    refuse(options, {"force": False}, "goes with --exact")
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
        show(options, expected.to_json(), expected.to_text())
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
    show(options, facts, str(path))
    if not options.quiet:
        print(solve_text(facts), file=sys.stderr)
    return DONE


def _solve_exact(options: argparse.Namespace) -> int:
    refuse(
        options,
        {"threads": None, "memory": None, "dtype": None, "keep": "all"},
        "does not go with --exact, which solves in fractions on one core and keeps everything",
    )
    from goofspiel.exact import exact_forecast, solve_exact
    from goofspiel.progress_bar import solve_progress

    if options.dry_run:
        expected = exact_forecast(options.cards, Objective(options.objective))
        show(options, expected.to_json(), expected.to_text())
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
    show(options, {"table": str(path), "cards": options.cards, "objective": options.objective}, str(path))
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
            code = complain(str(error))
            continue
        show(options, verification_json(table, found), verification_text(table, found))
        code = code if found.passed else FAILED
    return code


def _info(options: argparse.Namespace) -> int:
    from goofspiel.report import store_json, store_text
    from goofspiel.store import default_store

    store = options.store or default_store()
    show(options, store_json(store), store_text(store))
    return DONE
