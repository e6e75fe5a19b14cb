"""Tables, forecasts and checks of tables, for people and programs."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from goofspiel.cards import counted
from goofspiel.errors import GoofspielError
from goofspiel.rules import Rules
from goofspiel.solver.plan import size_text
from goofspiel.store import Table, is_being_solved, list_tables, make_layout, table_path
from goofspiel.store.digest import table_digest
from goofspiel.store.exact_table import ExactTable
from goofspiel.store.locations import tree_bytes
from goofspiel.tablebase import table_bound
from goofspiel.tablebase.verification import Verification

AnyTable = Table | ExactTable


def open_table(path: Path, rules: Rules | None = None) -> AnyTable:
    """A table that exists, in floating point or exact by its name."""
    return ExactTable.open(path, rules) if path.suffix == ".exact" else Table.open(path, rules)


def parts_found(path: Path) -> int:
    """How many blocks, or prize sets, of a table are there before a solve."""
    try:
        return open_table(path).done_count()
    except GoofspielError:
        return 0


def solve_json(path: Path, took: Mapping[str, float | str | None]) -> dict[str, Any]:
    """A solved table, and what it took."""
    return {"table": str(path), **_facts(open_table(path)), **took}


def solve_text(facts: dict[str, Any]) -> str:
    """What `solve_json` says, for a reader."""
    wall, used = facts["wall_seconds"], facts["cpu_seconds"]
    # What the machines of a cluster used is not known.
    took = f"{wall:.1f} s" if used is None else f"{wall:.1f} s, {used:.1f} CPU-seconds"
    games = counted(facts["games"], "game")
    if facts["exact"]:
        return f"{games}, {took}; {size_text(facts['bytes'])} of fractions, nothing is rounded"
    return f"{games}, {took}; every value is within {facts['value_bound']:.1e} of the true one"


def _facts(table: AnyTable) -> dict[str, Any]:
    """What a complete table holds, and how exact it is."""
    rules = table.rules
    common = _game(rules) | {"exact": isinstance(table, ExactTable)}
    games = make_layout(rules).games
    if isinstance(table, ExactTable):
        return common | {"games": games, "prize_sets": len(table.prize_sets()), "bytes": table.disk_bytes()}
    layout, bound = table.layout, table_bound(table)
    return common | {
        "dtype": layout.dtype,
        "games": games,
        "blocks": layout.block_count,
        "bytes": sum(layout.level(level).bytes for level in table.levels),
        "keep": table.header.keep,
        "value_bound": bound.value,
        "exploitability_bound": bound.exploitability,
        "gaps": list(bound.gaps),
    }


def _game(rules: Rules) -> dict[str, Any]:
    return {"rules": str(rules), "cards": rules.cards, "objective": str(rules.objective)}


def table_name(rules: Rules, *, exact: bool) -> str:
    """A table as people call it: `points 9`, `win 9 carry exact`."""
    rest = [word for word in str(rules).split()[1:] if word != rules.objective]
    return " ".join([rules.objective, str(rules.cards), *rest, *["exact"] * exact])


def store_json(
    store: Path, *, digest: bool = False, wanted: Callable[[Rules], bool] = lambda rules: True
) -> dict[str, Any]:
    """All tables of a store that are wanted, the exact ones last; of those that are complete, the digest, too."""
    tables = [
        _table_json(table_path(store, rules, exact=exact), rules, digest=digest)
        for exact in (False, True)
        for rules in list_tables(store, exact=exact)
        if wanted(rules)
    ]
    return {"store": str(store), "tables": tables}


def _table_json(path: Path, rules: Rules, *, digest: bool) -> dict[str, Any]:
    exact = path.suffix == ".exact"
    found: dict[str, Any] = _game(rules) | {"exact": exact, "path": str(path)}
    try:
        table = open_table(path, rules)
        header, done = table.header, table.done_count()
        common = {"format": header.format, "solver": header.solver, "complete": header.complete}
        common["being_solved"] = is_being_solved(path)
        if digest and header.complete:
            common["digest"] = table_digest(table) if isinstance(table, Table) else table.digest()
        if isinstance(table, ExactTable):
            sets = len(table.prize_sets())
            found |= _facts(table) | common | {"prize_sets_done": done}
            if header.complete and done < sets:
                missing = f"{sets - done} of {sets} prize sets are missing from {path}"
                found["error"] = f"{missing}: {table.resume_command} mends it"
            return found
        layout = table.layout
        found |= common | {
            "dtype": layout.dtype,
            "games": layout.games,
            "bytes": 0 if header.complete else tree_bytes(path),
            "keep": table.header.keep,
            "blocks": layout.block_count,
            "blocks_done": done,
        }
        if header.complete:
            found |= _facts(table)
    except GoofspielError as error:
        found["error"] = str(error)
    except OSError as error:
        found["error"] = f"{path} cannot be read: {error.strerror or error}"
    return found


def store_text(found: dict[str, Any]) -> str:
    """What `store_json` says, for a reader."""
    lines = [f"store  {found['store']}"]
    tables = found["tables"]
    if not tables:
        lines.append("no tables yet: goofspiel solve 13 makes one")
    for table in tables:
        lines += ["", table_name(Rules.parse(table["rules"]), exact=table["exact"])]
        lines += [f"  {table['error']}"] if "error" in table else _table_lines(table)
    return "\n".join(lines)


def _table_lines(table: dict[str, Any]) -> list[str]:
    exact = table["exact"]
    done, parts, what = (
        ("prize_sets_done", "prize_sets", "prize sets") if exact else ("blocks_done", "blocks", "blocks")
    )
    state = "complete" if table["complete"] else f"{table[done]} of {table[parts]} {what}"
    state += ", being solved now" * table["being_solved"]
    state += ", only the last level is kept" * (table.get("keep") == "last")
    numbers = "fractions" if exact else table["dtype"]
    lines = [
        f"  {state}; {counted(table['games'], 'game')}, {size_text(table['bytes'])}, {numbers}",
        f"  format {table['format']}, made by goofspiel {table['solver']}",
    ]
    lines += [f"  sha256 {table['digest']}"] if "digest" in table else []
    if exact:
        return [*lines, "  every value is the true one"]
    if table["complete"]:
        lines.append(f"  every value is within          {table['value_bound']:.1e} of the true one")
        lines.append(f"  every mix loses no more than   {table['exploitability_bound']:.1e} to any opponent")
    if table["complete"] and table["gaps"]:
        lines.append("  largest gap by level           " + " ".join(f"{gap:.0e}" for gap in table["gaps"]))
    return lines


def verification_json(path: Path, rules: Rules, found: Verification) -> dict[str, Any]:
    """What was checked."""
    facts = {name: getattr(found, name) for name in Verification.__slots__}
    return {"table": str(path), "rules": str(rules), "passed": found.passed, **facts, "damaged": list(found.damaged)}


def verification_text(path: Path, found: Verification) -> str:
    """What was checked, for a reader."""
    read = counted(found.blocks, "block")
    lines = [f"{path}", f"  {read} read, {size_text(found.bytes)}: {len(found.damaged)} damaged"]
    lines += [f"    {damage}" for damage in found.damaged]
    if found.missing:
        there = f"{found.blocks} of {counted(found.blocks + found.missing, 'block')}"
        lines.append(f"  not complete: {there}; {open_table(path).resume_command} goes on")
    elif not found.damaged and not found.positions:
        why = "what the stored level was made from is not kept" if found.blocks else "one round leaves nothing to ask"
        lines.append(f"  nothing to solve again: {why}")
    elif not found.damaged:
        lines += [
            f"  {counted(found.positions, 'position')} ({counted(found.games, 'game')}) solved again by HiGHS: "
            f"largest difference {found.largest_difference:.1e}",
            f"  {counted(found.swapped, 'position')} against their mirror image: "
            f"largest difference {found.largest_asymmetry:.1e}",
            f"  {counted(found.scaled, 'position')} with all prizes doubled: "
            f"largest difference {found.largest_scaling_difference:.1e}",
            f"  allowed: {found.allowed:.1e}{' from HiGHS, none otherwise' * found.exact}",
        ]
    if found.missing and not found.damaged:
        return "\n".join(lines)
    return "\n".join([*lines, "  passed" if found.passed else "  FAILED"])
