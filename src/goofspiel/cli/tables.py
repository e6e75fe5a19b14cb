"""The verbs that make and check tables: solve, verify, info."""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from goofspiel.tablebase.verification import Verification


def add_tables(commands: Commands) -> None:
    """Add the verbs."""
    solve = commands.add("solve", _solve, "solve every position of a game and keep the table")
    solve.set_defaults(interrupted="interrupted: what was finished is kept")
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
    solve.add_argument(
        "--repair", action="store_true", help="with --resume: read everything, solve again what is damaged"
    )
    solve.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="solve on the workers of a Dask cluster, tcp://HOST:8786, or local:N for N processes here",
    )
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
    refuse(options, {"force": False}, "only with --exact")
    if options.cluster:
        refuse(options, {"threads": None, "memory": None}, "not with --cluster, whose workers have their own")
    if not options.resume:
        refuse(options, {"repair": False}, "only with --resume")
    from goofspiel.render.progress import solve_progress
    from goofspiel.render.tables import blocks_found, solve_json, solve_text
    from goofspiel.solver import forecast, solve

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
        if options.cluster:
            expected = replace(expected, memory_free=None)
        show(options, expected.to_json(), expected.to_text())
        return DONE
    found = blocks_found(options.cards, options.objective, options.store)
    with solve_progress(quiet=options.quiet) as progress:
        path, took = _timed(
            lambda: solve(
                options.cards,
                resume=options.resume,
                progress=progress,
                cluster=options.cluster,
                repair=options.repair,
                repaired=_tell_repaired,
                **choices,
            ),
            blocks_found=found,
        )
    if options.cluster:
        took |= {"cpu_seconds": None, "peak_memory_bytes": None}  # of its machines: not known here
    facts = solve_json(path, took)
    _show_solved(options, facts, solve_text(facts))
    return DONE


def _tell_repaired(files: list[str]) -> None:
    for file in files:
        print(f"damaged, to be made again: {file}", file=sys.stderr)


def _timed(solve: Callable[[], Path], **found: int) -> tuple[Path, dict[str, float | None]]:
    """The table that a solve makes, and what it took; `found` is what was there before."""
    from goofspiel.solver import peak_memory

    started, used = time.monotonic(), time.process_time()
    path = solve()
    return path, {
        "wall_seconds": time.monotonic() - started,
        "cpu_seconds": time.process_time() - used,
        "peak_memory_bytes": peak_memory(),
        **found,
    }


def _show_solved(options: argparse.Namespace, facts: dict[str, Any], summary: str) -> None:
    show(options, facts, facts["table"])
    if not options.quiet:
        print(summary, file=sys.stderr)


def _solve_exact(options: argparse.Namespace) -> int:
    refuse(
        options,
        {"threads": None, "memory": None, "dtype": None, "keep": "all", "cluster": None, "repair": False},
        "not with --exact, which solves in fractions on one core and keeps everything",
    )
    from goofspiel.render.progress import solve_progress
    from goofspiel.render.tables import exact_solve_json, exact_solve_text, prize_sets_found
    from goofspiel.solver.exact import exact_forecast, solve_exact

    if options.dry_run:
        expected = exact_forecast(options.cards, Objective(options.objective))
        show(options, expected.to_json(), expected.to_text())
        return DONE
    found = prize_sets_found(options.cards, options.objective, options.store)
    with solve_progress(quiet=options.quiet) as progress:
        path, took = _timed(
            lambda: solve_exact(
                options.cards,
                objective=options.objective,
                store=options.store,
                resume=options.resume,
                force=options.force,
                progress=progress,
            ),
            prize_sets_found=found,
        )
    facts = exact_solve_json(path, took)
    _show_solved(options, facts, exact_solve_text(facts))
    return DONE


def _verify(options: argparse.Namespace) -> int:
    from goofspiel.render.tables import verification_json, verification_text
    from goofspiel.store import list_tables, store_at

    store = store_at(options.store)
    tables = [(c, o, exact) for exact in (False, True) for c, o in list_tables(store, exact=exact)]
    if options.cards:
        tables = [table for table in tables if table[0] == options.cards]
    if not tables:
        wanted = f"table of {options.cards} cards" if options.cards else "table"
        raise MissingTableError(f"there is no {wanted} in {store}: goofspiel solve {options.cards or 13} makes one")
    code = DONE
    for cards, objective, exact in tables:
        try:
            path, found = (_check_exact if exact else _check)(options, store, cards, objective)
        except GoofspielError as error:
            code = complain(str(error))
            continue
        show(options, verification_json(path, found), verification_text(path, found))
        code = code if found.passed else FAILED
    return code


def _check(options: argparse.Namespace, store: Path, cards: int, objective: Objective) -> "tuple[Path, Verification]":
    from goofspiel.render.progress import verify_progress
    from goofspiel.store import Table, table_path
    from goofspiel.tablebase import verify

    table = Table.open(table_path(store, cards, objective), cards=cards, objective=objective)
    with verify_progress(f"{objective} {cards}", quiet=options.quiet) as progress:
        return table.path, verify(table, samples=options.samples, seed=options.seed, progress=progress)


def _check_exact(
    options: argparse.Namespace, store: Path, cards: int, objective: Objective
) -> "tuple[Path, Verification]":
    from goofspiel.render.progress import verify_progress
    from goofspiel.store import exact_table_path
    from goofspiel.store.exact_table import ExactTable
    from goofspiel.tablebase.exact_verify import verify_exact

    table = ExactTable.open(exact_table_path(store, cards, objective))
    with verify_progress(f"{objective} {cards} exact", quiet=options.quiet) as progress:
        return table.path, verify_exact(table, samples=options.samples, seed=options.seed, progress=progress)


def _info(options: argparse.Namespace) -> int:
    from goofspiel.render.tables import store_json, store_text
    from goofspiel.store import store_at

    store = store_at(options.store)
    show(options, store_json(store), store_text(store))
    return DONE
