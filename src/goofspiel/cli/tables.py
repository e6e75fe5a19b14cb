"""The verbs that make and check tables: solve, verify, info."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goofspiel.cli.converters import gap
from goofspiel.cli.options import (
    DONE,
    FAILED,
    Commands,
    add_cards,
    add_count,
    add_exact,
    add_memory,
    add_quiet,
    add_rules,
    add_seed,
    add_threads,
    complain,
    refuse,
    retire,
    show,
    understood,
)
from goofspiel.cli.rules import chosen, fields_of, is_hidden, listed, rules_of
from goofspiel.errors import ClusterError, GoofspielError, MissingTableError
from goofspiel.rules import Rules

METHODS = ("LP", "CFR", "CFR+", "DCFR", "PCFR+")  # those of `hidden.solving`
DTYPES = ("float64", "float32", "fixed32", "fixed24")  # those of `store.encoding`, which takes long to load


def add_tables(commands: Commands) -> None:
    """Add the verbs."""
    solve = commands.add("solve", _solve, "solve every position of a game and keep the table")
    solve.set_defaults(interrupted="interrupted: what was finished is kept")
    add_cards(solve)
    add_rules(solve)
    add_threads(solve)
    add_memory(solve)
    solve.add_argument(
        "--dtype",
        choices=DTYPES,
        help="what values are kept in (default: fixed32 for win, and for points from 15 cards on)",
    )
    solve.add_argument(
        "--keep",
        choices=["all", "last"],
        default="all",
        help="the levels to keep: all, or the last, which is all that the first-move table needs",
    )
    solve.add_argument("--resume", action="store_true", help="go on with what was begun: a table")
    solve.add_argument(
        "--repair", action="store_true", help="with --resume: read everything, solve again what is damaged"
    )
    solve.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="solve on the workers of a Dask cluster, tcp://HOST:8786, or local:N for N processes here",
    )
    add_exact(solve)
    solve.add_argument(
        "--gap",
        type=gap,
        metavar="G",
        help="with hidden bids: what best replies to both sides may gain (default: 1e-8, for large games 1e-3)",
    )
    solve.add_argument(
        "--method",
        choices=METHODS,
        help="with hidden bids: a linear program, or how regrets are matched (default: LP, for large games DCFR)",
    )
    solve.add_argument("--force", action="store_true", help="with --exact: more cards, whatever it takes")
    solve.add_argument("--dry-run", action="store_true", help="only say what it will take")
    add_quiet(solve)

    verify = commands.add("verify", _verify, "check tables: checksums, and a sample solved again by HiGHS")
    add_cards(verify)
    add_rules(verify, "only tables of such games", "all")
    add_count(verify, "positions", "how many to draw, and to solve again", default=200)
    add_seed(verify, "positions")
    add_quiet(verify)
    retire(verify, "--samples", "--positions K")

    info = commands.add("info", _info, "the tables that are there, and how exact they are")
    add_cards(info)
    add_rules(info, "only tables of such games", "all")
    info.add_argument(
        "--digest", action="store_true", help="with the sha256 that every copy of a table must have, of what it holds"
    )


def _solve(options: argparse.Namespace) -> int:
    if options.dry_run:
        refuse(options, {"quiet": False}, "--dry-run has no progress to show")
    if is_hidden(rules := rules_of(options)):
        from goofspiel.cli.hidden import solve_policy

        return solve_policy(options, rules)
    refuse(options, {"gap": None, "method": None}, "only with --bids hidden")
    if options.exact:
        without = {"threads": None, "memory": None, "dtype": None, "keep": "all", "cluster": None, "repair": False}
        refuse(options, without, "not with --exact, which solves in fractions on one core and keeps everything")
    else:
        refuse(options, {"force": False}, "only with --exact")
    if options.cluster is not None:
        refuse(options, {"threads": None, "memory": None}, "not with --cluster, whose workers have their own")
        from goofspiel.solver.dask_client import check_address

        with understood(ClusterError):
            check_address(options.cluster)
    if not options.resume:
        refuse(options, {"repair": False}, "only with --resume")
    from goofspiel.games import kernels
    from goofspiel.render.progress import solve_progress
    from goofspiel.render.tables import parts_found, solve_json, solve_text
    from goofspiel.store import store_at, table_path

    if options.dry_run:
        return _forecast(options)
    path = table_path(store_at(options.store), rules_of(options), exact=options.exact)
    found = {"prize_sets_found" if options.exact else "blocks_found": parts_found(path)}
    with solve_progress(quiet=options.quiet) as on_progress:
        took = _timed(lambda: _run(options, on_progress))
    if not options.exact:
        took |= {"kernel": kernels()[0]}
    if options.cluster:
        took |= {"cpu_seconds": None, "peak_memory_bytes": None, "kernel": None}  # of its machines: not known here
    facts = solve_json(path, took | found)
    show(options, facts, facts["table"])
    if not options.quiet and not options.json:
        print(solve_text(facts), file=sys.stderr)
    return DONE


def _run(options: argparse.Namespace, on_progress: Callable[[Any], None]) -> None:
    """Solve a table, in doubles or in fractions."""
    from goofspiel.solver import solve
    from goofspiel.solver.exact import solve_exact

    rules, common = rules_of(options), {"store": options.store, "resume": options.resume, "on_progress": on_progress}
    if options.exact:
        solve_exact(rules, force=options.force, **common)
    else:
        solve(
            rules,
            cluster=options.cluster,
            repair=options.repair,
            on_repair=_tell_repaired,
            **_effort(options),
            **common,
        )


def _effort(options: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in ("threads", "memory", "dtype", "keep")}


def _forecast(options: argparse.Namespace) -> int:
    from goofspiel.solver import forecast
    from goofspiel.solver.exact import exact_forecast
    from goofspiel.store import store_at

    refuse(options, {"repair": False}, "not with --dry-run, which reads no blocks")
    rules = rules_of(options)
    if options.exact:
        exact = exact_forecast(rules, store=store_at(options.store), force=options.force)
        show(options, exact.to_json(), exact.to_text())
        return DONE
    expected = forecast(rules, store=options.store, cluster=options.cluster, **_effort(options))
    show(options, expected.to_json(), expected.to_text())
    return DONE


def _tell_repaired(files: list[str]) -> None:
    for file in files:
        print(f"damaged, to be made again: {file}", file=sys.stderr)


def _timed(work: Callable[[], None]) -> dict[str, float | str | None]:
    """What some work took."""
    from goofspiel.solver import peak_memory

    started, used = time.monotonic(), time.process_time()
    work()
    return {
        "wall_seconds": time.monotonic() - started,
        "cpu_seconds": time.process_time() - used,
        "peak_memory_bytes": peak_memory(),
    }


def _verify(options: argparse.Namespace) -> int:
    from goofspiel.render.tables import table_name, verification_json, verification_text
    from goofspiel.store import list_tables, store_at, table_path
    from goofspiel.store.paths import list_policies, policy_path

    store, wanted = store_at(options.store), chosen(options)
    found = [(rules, exact) for exact in (False, True) for rules in list_tables(store, exact=exact)]
    tables = [(rules, exact) for rules, exact in found if wanted(rules)]
    policies = [rules for rules in list_policies(store) if wanted(rules)]
    if not tables and not policies:
        raise MissingTableError(_none_of(options, store))
    code = DONE
    for rules, exact in tables:
        path = table_path(store, rules, exact=exact)
        try:
            checked = _check(options, path, table_name(rules, exact=exact))
        except GoofspielError as error:
            code = _unread(options, {"table": str(path), "rules": str(rules)}, str(error))
            continue
        except OSError as error:
            why = f"{path} cannot be read: {error.strerror or error}"
            code = _unread(options, {"table": str(path), "rules": str(rules)}, why)
            continue
        show(options, verification_json(path, rules, checked), verification_text(path, checked))
        code = code if checked.passed else FAILED
    for rules in policies:
        code = max(code, _verify_policy(options, policy_path(store, rules), rules))
    return code


def _unread(options: argparse.Namespace, which: dict[str, str], why: str) -> int:
    """What could not be checked has not passed."""
    if options.json:
        show(options, which | {"passed": False, "error": why}, "")
    return complain(why)


def _verify_policy(options: argparse.Namespace, path: Path, rules: Rules) -> int:
    from goofspiel.hidden.solving import verify_policy
    from goofspiel.render.hidden import policy_check_text

    which = {"policy": str(path), "rules": str(rules)}
    try:
        checked = verify_policy(path)
    except GoofspielError as error:
        return _unread(options, which, str(error))
    show(options, which | checked, policy_check_text(path, checked))
    return DONE if checked["passed"] else FAILED


def _none_of(options: argparse.Namespace, store: Path) -> str:
    """That there is no such table, and the command that makes one."""
    from goofspiel.cards import counted
    from goofspiel.store.paths import rules_options

    fields = fields_of(options)
    words = [f"--{name} {value}" for name, value in fields.items()]
    if options.cards or listed(fields):
        rules = rules_of(options)
        wanted = (
            f" of {counted(rules.cards, 'card')}" if rules == Rules(rules.cards) else f" of the game {str(rules)!r}"
        )
        words = [str(rules.cards), *rules_options(rules)]
    else:
        wanted = f" with {' '.join(words)}" if words else ""
        words = ["N", *words] if words else ["13"]
    return f"there is no table{wanted} in {store}: goofspiel solve {' '.join(words)} makes one"


def _check(options: argparse.Namespace, path: Path, what: str) -> Any:
    from goofspiel.render.progress import verify_progress
    from goofspiel.render.tables import open_table
    from goofspiel.tablebase.verification import verify

    table = open_table(path, Rules.from_slug(path.stem))
    with verify_progress(what, quiet=options.quiet) as on_progress:
        return verify(table, positions=options.positions, seed=options.seed, on_progress=on_progress)


def _info(options: argparse.Namespace) -> int:
    from goofspiel.render.hidden import policies_json, policies_text
    from goofspiel.render.tables import store_json, store_text
    from goofspiel.store import store_at

    store, wanted = store_at(options.store), chosen(options)
    found = store_json(store, digest=options.digest, wanted=wanted)
    policies = policies_json(store, wanted)
    if not found["tables"] and not policies and (options.cards or fields_of(options)):
        raise MissingTableError(_none_of(options, store))
    lines = store_text(found).splitlines()
    if policies and not found["tables"]:
        del lines[1:]
    show(options, found | {"policies": policies}, "\n".join([*lines, *policies_text(policies)]))
    return DONE
