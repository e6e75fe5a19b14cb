"""Tables and checks of them, for people and programs."""

from pathlib import Path
from typing import Any

from goofspiel.errors import GoofspielError
from goofspiel.plan import make_plan, size_text
from goofspiel.rules import Objective
from goofspiel.store import Table, exact_table_path, is_being_solved, list_tables, store_at, table_path
from goofspiel.store.exact_table import ExactTable, path_of
from goofspiel.tablebase import Verification, table_bound


def blocks_found(cards: int, objective: str, store: Path | None) -> int:
    """How many blocks of a table are there before a solve."""
    try:
        return Table.open(table_path(store_at(store), cards, Objective(objective))).done_count()
    except GoofspielError:
        return 0


def prize_sets_found(cards: int, objective: str, store: Path | None) -> int:
    """How many prize sets of an exact table are there before a solve."""
    try:
        return ExactTable.open(path_of(cards, Objective(objective), store)).done_count()
    except GoofspielError:
        return 0


def solve_json(path: Path, took: dict[str, float | None]) -> dict[str, Any]:
    """A solved table, and what it took."""
    table = Table.open(path)
    return {"table": str(path), **_facts(table), **took}


def solve_text(facts: dict[str, Any]) -> str:
    """What `solve_json` says, for a reader."""
    took = _time_text(facts)
    return f"{facts['games']:,} games, {took}; every value is within {facts['value_bound']:.1e} of the true one"


def _time_text(facts: dict[str, Any]) -> str:
    """How long a solve took; what the machines of a cluster used is not known."""
    wall, used = facts["wall_seconds"], facts["cpu_seconds"]
    return f"{wall:.1f} s" if used is None else f"{wall:.1f} s, {used:.1f} CPU-seconds"


def exact_solve_json(path: Path, took: dict[str, float | None]) -> dict[str, Any]:
    """A solved exact table, and what it took."""
    return {"table": str(path), **_exact_facts(ExactTable.open(path)), **took}


def exact_solve_text(facts: dict[str, Any]) -> str:
    """What `exact_solve_json` says, for a reader."""
    return (
        f"{facts['games']:,} games, {_time_text(facts)}; {size_text(facts['bytes'])} of fractions, nothing is rounded"
    )


def _exact_facts(table: ExactTable) -> dict[str, Any]:
    """What an exact table holds."""
    return {
        "cards": table.cards,
        "objective": str(table.header.objective),
        "exact": True,
        "games": make_plan(table.cards, objective=table.header.objective).games,
        "prize_sets": len(table.prize_sets()),
        "bytes": table.disk_bytes(),
    }


def _facts(table: Table) -> dict[str, Any]:
    """What a complete table holds, and how exact it is."""
    plan, bound = table.plan, table_bound(table)
    return {
        "cards": plan.cards,
        "objective": str(plan.objective),
        "exact": False,
        "dtype": plan.dtype,
        "games": plan.games,
        "blocks": plan.block_count,
        "bytes": sum(plan.levels[level - 1].bytes for level in table.levels),
        "keep": table.header.keep,
        "value_bound": bound.value,
        "exploitability_bound": bound.exploitability,
        "gaps": list(bound.gaps),
    }


def store_json(store: Path) -> dict[str, Any]:
    """All tables of a store, the exact ones last."""
    tables = [_table_json(store, *which) for which in list_tables(store)]
    tables += [_exact_table_json(store, *which) for which in list_tables(store, exact=True)]
    return {"store": str(store), "tables": tables}


def _table_json(store: Path, cards: int, objective: Objective) -> dict[str, Any]:
    path = table_path(store, cards, objective)
    found: dict[str, Any] = {"cards": cards, "objective": str(objective), "exact": False, "path": str(path)}
    try:
        table = Table.open(path, cards=cards, objective=objective)
        plan = table.plan
        found |= {
            "format": table.header.format,
            "solver": table.header.solver,
            "dtype": plan.dtype,
            "games": plan.games,
            "bytes": plan.disk_bytes(),
            "keep": table.header.keep,
            "complete": table.header.complete,
            "blocks": plan.block_count,
            "blocks_done": table.done_count(),
            "being_solved": is_being_solved(path),
        }
        if table.header.complete:
            found |= _facts(table)
    except GoofspielError as error:
        found["error"] = str(error)
    return found


def _exact_table_json(store: Path, cards: int, objective: Objective) -> dict[str, Any]:
    path = exact_table_path(store, cards, objective)
    found: dict[str, Any] = {"cards": cards, "objective": str(objective), "exact": True, "path": str(path)}
    try:
        table = ExactTable.open(path)
    except GoofspielError as error:
        return found | {"error": str(error)}
    done, sets = table.done_count(), len(table.prize_sets())
    found |= _exact_facts(table) | {
        "format": table.header.format,
        "solver": table.header.solver,
        "complete": table.header.complete,
        "prize_sets_done": done,
        "being_solved": is_being_solved(path),
    }
    if table.header.complete and done < sets:
        found["error"] = f"{sets - done} of {sets} prize sets are missing from {path}: {table.mend_command} mends it"
    return found


def store_text(store: Path) -> str:
    """All tables of a store, and how exact they are."""
    lines = [f"store  {store}"]
    tables = store_json(store)["tables"]
    if not tables:
        lines.append("no tables yet: goofspiel solve 13 makes one")
    for table in tables:
        lines += ["", f"{table['objective']} {table['cards']}{' exact' * table['exact']}"]
        if "error" in table:
            lines.append(f"  {table['error']}")
        else:
            lines += _exact_table_lines(table) if table["exact"] else _table_lines(table)
    return "\n".join(lines)


def _table_lines(table: dict[str, Any]) -> list[str]:
    state = _state(table, table["blocks_done"], table["blocks"], "blocks")
    if table["keep"] == "last":
        state += ", only the last level is kept"
    lines = [
        f"  {state}; {table['games']:,} games, {size_text(table['bytes'])}, {table['dtype']}",
        f"  format {table['format']}, made by goofspiel {table['solver']}",
    ]
    if table["complete"]:
        lines.append(f"  every value is within          {table['value_bound']:.1e} of the true one")
        lines.append(f"  every mix loses no more than   {table['exploitability_bound']:.1e} to any opponent")
    if table["complete"] and table["gaps"]:
        lines.append("  largest gap by level           " + " ".join(f"{gap:.0e}" for gap in table["gaps"]))
    return lines


def _exact_table_lines(table: dict[str, Any]) -> list[str]:
    state = _state(table, table["prize_sets_done"], table["prize_sets"], "prize sets")
    return [
        f"  {state}; {table['games']:,} games, {size_text(table['bytes'])}, fractions",
        f"  format {table['format']}, made by goofspiel {table['solver']}",
        "  every value is the true one",
    ]


def _state(table: dict[str, Any], done: int, parts: int, what: str) -> str:
    state = "complete" if table["complete"] else f"{done} of {parts} {what}"
    return f"{state}, being solved now" if table["being_solved"] else state


def verification_json(path: Path, found: Verification) -> dict[str, Any]:
    """What was checked."""
    facts = {name: getattr(found, name) for name in Verification.__slots__}
    return {"table": str(path), "passed": found.passed, **facts, "damaged": list(found.damaged)}


def verification_text(path: Path, found: Verification) -> str:
    """What was checked, for a reader."""
    lines = [f"{path}", f"  {found.blocks} blocks read, {size_text(found.bytes)}: {len(found.damaged)} damaged"]
    lines += [f"    {damage}" for damage in found.damaged]
    if not found.damaged and not found.positions:
        why = "what the stored level was made from is not kept" if found.blocks else "one card leaves nothing to ask"
        lines.append(f"  nothing to solve again: {why}")
    elif not found.damaged:
        lines += [
            f"  {found.positions} positions ({found.games} games) solved again by HiGHS: "
            f"largest difference {found.largest_difference:.1e}",
            f"  {found.swapped} positions against their mirror image: largest difference {found.largest_asymmetry:.1e}",
            f"  {found.scaled} positions with all prizes doubled: "
            f"largest difference {found.largest_scaling_difference:.1e}",
            f"  allowed: {found.allowed:.1e}{' from HiGHS, none otherwise' * found.exact}",
        ]
    return "\n".join([*lines, "  passed" if found.passed else "  FAILED"])
