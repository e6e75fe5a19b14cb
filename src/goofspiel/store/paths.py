"""Where tables live, and what they are called."""

import os
import re
from pathlib import Path

from goofspiel.rules import Objective
from goofspiel.store.locations import place

_NAME = re.compile(r"(points|win)-([1-9]|1[0-6])\.(zarr|exact)")


def default_store() -> Path:
    """`GOOFSPIEL_STORE`, or a folder in the user's data directory."""
    if chosen := os.environ.get("GOOFSPIEL_STORE"):
        return place(chosen)
    from platformdirs import user_data_path

    return user_data_path("goofspiel", appauthor=False)


def store_at(where: Path | str | None) -> Path:
    """The folder of a store, given as a path or a URL; by default the user's."""
    return default_store() if where is None else place(where)


def table_path(store: Path, cards: int, objective: Objective) -> Path:
    """The folder of a table."""
    return store / f"{objective}-{cards}.zarr"


def exact_table_path(store: Path, cards: int, objective: Objective) -> Path:
    """The folder of a table of rationals."""
    return store / f"{objective}-{cards}.exact"


def lock_path(table: Path) -> Path:
    """The file that a process locks while it solves a table."""
    return table.with_name(f"{table.name}.lock" if table.suffix == ".exact" else f"{table.stem}.lock")


def list_tables(store: Path, *, exact: bool = False) -> list[tuple[int, Objective]]:
    """The tables in a store, solved or not, in floating point or exact: smallest first."""
    if not store.is_dir():
        return []
    names = (_NAME.fullmatch(entry.name) for entry in store.iterdir())
    kind = "exact" if exact else "zarr"
    return sorted((int(name[2]), Objective(name[1])) for name in names if name and name[3] == kind)


def solve_command(
    cards: int, objective: Objective, store: Path, *, keep: str = "all", exact: bool = False, resume: bool = False
) -> str:
    """The command that makes a table, for a message."""
    words = ["goofspiel", "solve", str(cards)]
    if objective is not Objective.POINTS:
        words += ["--objective", str(objective)]
    if exact:
        words += ["--exact"]
    if keep != "all":
        words += ["--keep", keep]
    if store != default_store():
        words += ["--store", str(store)]
    return " ".join(words + ["--resume"] * resume)
