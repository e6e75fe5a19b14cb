"""Tables and checks of them, for people and programs."""

from pathlib import Path
from typing import Any

from goofspiel.errors import GoofspielError
from goofspiel.plan import size_text
from goofspiel.rules import Objective
from goofspiel.store import Table, default_store, is_being_solved, list_tables, table_path
from goofspiel.tablebase import Verification, table_bound


def blocks_found(cards: int, objective: str, store: Path | None) -> int:
    """How many blocks of a table are there before a solve."""
    try:
        return Table.open(table_path(store or default_store(), cards, Objective(objective))).done_count()
    except GoofspielError:
        return 0


def solve_json(path: Path, took: dict[str, float]) -> dict[str, Any]:
    """A solved table, and what it took."""
    table = Table.open(path)
    return {"table": str(path), **_facts(table), **took}


def solve_text(facts: dict[str, Any]) -> str:
    """What `solve_json` says, for a reader."""
    time = f"{facts['wall_seconds']:.1f} s, {facts['cpu_seconds']:.1f} CPU-seconds"
    return f"{facts['games']:,} games, {time}; every value is within {facts['value_bound']:.1e} of the true one"


def _facts(table: Table) -> dict[str, Any]:
    """What a complete table holds, and how exact it is."""
    plan, bound = table.plan, table_bound(table)
    return {
        "cards": plan.cards,
        "objective": str(plan.objective),
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
    """All tables of a store."""
    return {"store": str(store), "tables": [_table_json(store, *which) for which in list_tables(store)]}


def _table_json(store: Path, cards: int, objective: Any) -> dict[str, Any]:
    path = table_path(store, cards, objective)
    found: dict[str, Any] = {"cards": cards, "objective": str(objective), "path": str(path)}
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


def store_text(store: Path) -> str:
    """All tables of a store, and how exact they are."""
    lines = [f"store  {store}"]
    tables = store_json(store)["tables"]
    if not tables:
        lines.append("no tables yet: goofspiel solve 13 makes one")
    for table in tables:
        lines += ["", f"{table['objective']} {table['cards']}"]
        if "error" in table:
            lines.append(f"  {table['error']}")
            continue
        state = "complete" if table["complete"] else f"{table['blocks_done']} of {table['blocks']} blocks"
        if table["being_solved"]:
            state += ", being solved now"
        if table["keep"] == "last":
            state += ", only the last level is kept"
        lines.append(f"  {state}; {table['games']:,} games, {size_text(table['bytes'])}, {table['dtype']}")
        lines.append(f"  format {table['format']}, made by goofspiel {table['solver']}")
        if table["complete"]:
            lines.append(f"  every value is within          {table['value_bound']:.1e} of the true one")
            lines.append(f"  every mix loses no more than   {table['exploitability_bound']:.1e} to any opponent")
        if table["complete"] and table["gaps"]:
            lines.append("  largest gap by level           " + " ".join(f"{gap:.0e}" for gap in table["gaps"]))
    return "\n".join(lines)


def verification_json(table: Table, found: Verification) -> dict[str, Any]:
    """What was checked."""
    facts = {name: getattr(found, name) for name in Verification.__slots__}
    return {"table": str(table.path), "passed": found.passed, **facts, "damaged": list(found.damaged)}


def verification_text(table: Table, found: Verification) -> str:
    """What was checked, for a reader."""
    lines = [f"{table.path}", f"  {found.blocks} blocks read, {size_text(found.bytes)}: {len(found.damaged)} damaged"]
    lines += [f"    {damage}" for damage in found.damaged]
    if not found.damaged and not found.positions:
        lines.append("  nothing to solve again: what the stored level was made from is not kept")
    elif not found.damaged:
        lines += [
            f"  {found.positions} positions ({found.games} games) solved again by HiGHS: "
            f"largest difference {found.largest_difference:.1e}",
            f"  {found.swapped} positions against their mirror image: largest difference {found.largest_asymmetry:.1e}",
            f"  {found.scaled} positions with all prizes doubled: "
            f"largest difference {found.largest_scaling_difference:.1e}",
            f"  allowed: {found.allowed:.1e}",
        ]
    return "\n".join([*lines, "  passed" if found.passed else "  FAILED"])
