"""Where tables live, and what they are called."""

import os
from pathlib import Path

from goofspiel.errors import GoofspielError
from goofspiel.rules import Rules
from goofspiel.store.hosts import INDEX
from goofspiel.store.locations import is_local, is_read_only, location

TABLES = "tables"  # the folder of a site that holds them
ZARR, EXACT = ".zarr", ".exact"  # the ends of the names of tables, in floating point and in fractions
POLICY = ".policy"  # of policies of games with hidden bids


def default_store() -> Path:
    """`GOOFSPIEL_STORE`, or a folder in the user's data directory."""
    if chosen := os.environ.get("GOOFSPIEL_STORE"):
        return location(chosen)
    from platformdirs import user_data_path

    return user_data_path("goofspiel", appauthor=False)


def store_at(where: Path | str | None) -> Path:
    """The folder of a store, given as a path or a URL; by default the user's. Of a site it is that of its tables."""
    folder = default_store() if where is None else location(where)
    if is_local(folder) and folder.exists() and not folder.is_dir():
        raise GoofspielError(f"{folder} is a file, a store of tables is a folder")
    return tables_of(folder) if is_read_only(folder) else folder


def tables_of(folder: Path) -> Path:
    """Where the tables of a folder are: below it, if it is that of a site."""
    return folder / TABLES if (folder / TABLES / INDEX).is_file() else folder


def table_path(store: Path, rules: Rules, *, exact: bool = False) -> Path:
    """The folder of a table."""
    return store / f"{rules.slug}{EXACT if exact else ZARR}"


def policy_path(store: Path, rules: Rules) -> Path:
    """The folder of a policy."""
    return store / f"{rules.slug}{POLICY}"


def lock_path(table: Path) -> Path:
    """The file that a process locks while it solves a table."""
    return table.with_name(f"{table.name}.lock" if table.suffix == EXACT else f"{table.stem}.lock")


def list_tables(store: Path, *, exact: bool = False) -> list[Rules]:
    """The tables in a store, solved or not, in floating point or exact: smallest first."""
    return _listed(store, EXACT if exact else ZARR)


def list_policies(store: Path) -> list[Rules]:
    """The policies in a store, finished or not: smallest first."""
    return _listed(store, POLICY)


def _listed(store: Path, end: str) -> list[Rules]:
    if not store.is_dir():
        return []
    names = [entry.name.removesuffix(end) for entry in store.iterdir() if entry.name.endswith(end)]
    found = [rules for name in names if (rules := Rules.from_slug(name))]
    return sorted(found, key=lambda rules: (rules.cards, rules.slug))


def rules_options(rules: Rules) -> list[str]:
    """The words of a command that say which game it is, its number of cards apart."""
    return [word for name, value in rules.options().items() for word in (f"--{name}", value)]


def going_on(table: Path, rules: Rules | None = None) -> str:
    """The command that goes on with a table whose header cannot be read; none if its name does not say which it is."""
    named = rules or Rules.from_slug(table.stem)
    return solve_command(named, table.parent, exact=table.suffix == EXACT, resume=True) if named else ""


def solve_command(rules: Rules, store: Path, *, keep: str = "all", exact: bool = False, resume: bool = False) -> str:
    """The command that makes a table, for a message."""
    words = ["goofspiel", "solve", str(rules.cards), *rules_options(rules)]
    if exact:
        words += ["--exact"]
    if keep != "all":
        words += ["--keep", keep]
    if store != default_store():
        words += ["--store", str(store)]
    return " ".join(words + ["--resume"] * resume)
