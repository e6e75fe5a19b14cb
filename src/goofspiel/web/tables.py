"""The tables that a server answers from: each opened once, the small ones solved when first needed."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from goofspiel import __version__
from goofspiel.errors import DamagedTableError, GoofspielError, MissingTableError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.store import (
    Table,
    default_store,
    is_being_solved,
    list_tables,
    make_layout,
    solve_command,
    store_at,
    table_path,
)
from goofspiel.store.digest import table_digest
from goofspiel.store.locations import is_local
from goofspiel.tablebase import SOLVED_ON_FIRST_USE, Tablebase, open_tablebase, table_bound
from goofspiel.tablebase.opening import candidates, needed_rules
from goofspiel.web.problems import EXHAUSTED, LOG, ProblemError, busy, is_exhaustion

CACHE_BYTES = 64 << 20  # of rows, for each table
RELIST_SECONDS = 60  # what is far away is not looked for more often
_Stamp = tuple[int, int, int]  # of a file: changes when it is written anew


class NotSolvedYetError(Exception):
    """A small table is missing: it is to be solved, but not by the thread that answers questions."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.rules = rules


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A complete table, and its tag."""

    table: Table
    tablebase: Tablebase
    etag: str

    def holds(self, position: Position) -> bool:
        """Whether a position of a game of no more cards can be asked."""
        return self.table.header.keep == "all" or self.tablebase.holds(position)

    def reads(self, position: Position) -> bool:
        """Whether what is stored of a position can be read."""
        try:
            self.tablebase.values([position])
        except GoofspielError as error:
            LOG.error("%s", error)
            return False
        return True

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What it is, and how exact; for that the gaps of all blocks are read."""
        header, bound = self.table.header, table_bound(self.table)
        return _facts(header.rules) | {
            "complete": True,
            "keep": header.keep,
            "value_bound": bound.value,
            "exploitability_bound": bound.exploitability,
            "etag": self.etag,
        }


class Tables:
    """The tables of a store. Threads may ask at the same time."""

    def __init__(self, store: Path | str | None = None, *, tell_store: bool = False) -> None:
        self._store = store_at(store)
        self._tell_store = tell_store  # whether commands name the store; its path is nobody's business but the owner's
        self._open: dict[Rules, tuple[_Stamp, OpenTable | None]] = {}
        self._listing: tuple[int, list[Rules]] = (-1, [])
        self._lock = Lock()  # of the dict
        self._opening = Lock()  # one table is opened at a time

    def get(self, rules: Rules) -> OpenTable:
        """The table of a game; a problem when it is missing and too large to be solved for a request."""
        if found := self._complete(rules):
            return found
        if rules.cards <= SOLVED_ON_FIRST_USE:
            raise NotSolvedYetError(rules)
        if is_being_solved(table_path(self._store, rules)):
            raise self._missing(rules, "is still being solved", "goofspiel info")  # for minutes or hours
        raise self._missing(rules)

    def get_for(self, position: Position, rules: Rules, *, any_cards: bool = False) -> OpenTable:
        """The table of a game that a position belongs to.

        With `any_cards` it is the smallest that is there and holds it, of a game like that of the rules.
        """
        try:
            needed = needed_rules(position, rules)
        except MissingTableError as error:
            raise ProblemError("position", str(error)) from None
        if not any_cards and needed.cards > rules.cards:
            raise ProblemError(
                "position", f"{str(position)!r} needs a table of {needed.cards} cards, not of {rules.cards}"
            )
        if any_cards:
            there = list(candidates(needed, self.in_store()))
            for candidate in there:
                found = self.load(candidate)
                # One that is damaged does not keep a larger one from answering.
                if found and found.holds(position) and (len(there) == 1 or found.reads(position)):
                    return found
        found = self.get(needed if any_cards else rules)
        if not found.holds(position):
            raise self._missing(found.table.rules, "keeps only its last level")
        return found

    def solve(self, rules: Rules) -> None:
        """Solve a small table, or wait for another process that does."""
        if rules.cards > SOLVED_ON_FIRST_USE:
            raise self._missing(rules)
        try:
            open_tablebase(rules, store=self._store).close()
        except OSError as error:
            if is_exhaustion(error):
                raise busy("too many files are open") from None
            LOG.error("%s", error)
            raise ProblemError("fault", f"{_named(rules)} cannot be written here") from None

    def facts(self) -> list[dict[str, Any]]:
        """What is said of the tables that questions can be asked of, smallest first."""
        small = {
            Rules(cards, objective=objective) for cards in range(1, SOLVED_ON_FIRST_USE + 1) for objective in Objective
        }
        found = []
        for rules in sorted({*self.in_store(), *small}, key=lambda rules: (rules.cards, rules.slug)):
            if (table := self.load(rules)) or rules in small:
                found.append(table.facts if table else _facts(rules))
        return found

    def load(self, rules: Rules) -> OpenTable | None:
        """A complete table, its facts worked out; one that is damaged is left out."""
        try:
            if table := self._complete(rules):
                _ = table.facts
            return table
        except GoofspielError as error:
            cause = error.__cause__
            if not (isinstance(cause, OSError) and cause.errno in EXHAUSTED):  # that is no fault of the table
                LOG.error("%s", error)
            return None

    def _complete(self, rules: Rules) -> OpenTable | None:
        """The table, opened, if it is complete; opened anew when it was written anew."""
        path = table_path(self._store, rules)
        if not (stamp := self._stamp(path / "zarr.json", rules)):
            return None
        if entry := self._cached(rules, stamp):
            return entry[1]
        with self._opening:
            if entry := self._cached(rules, stamp):
                return entry[1]
            try:
                table = Table.open(path, rules)
                found = _opened(table) if table.header.complete else None
            except MissingTableError:
                found = None
            except OSError as error:
                raise DamagedTableError(f"{path} cannot be read: {error}") from error
            with self._lock:
                self._open[rules] = stamp, found
        return found

    def _stamp(self, path: Path, rules: Rules) -> _Stamp | None:
        """Changes when a file is written anew; far away, a table that is complete is taken to stay as it is."""
        if is_local(path):
            try:
                found = path.stat()
            except OSError:
                return None
            return found.st_ino, found.st_size, found.st_mtime_ns
        with self._lock:
            entry = self._open.get(rules)
        if entry and (entry[1] or entry[0][2] == _period()):
            return entry[0]
        return (0, 0, _period()) if path.is_file() else None

    def _cached(self, rules: Rules, stamp: _Stamp) -> tuple[_Stamp, OpenTable | None] | None:
        with self._lock:
            entry = self._open.get(rules)
        return entry if entry and entry[0] == stamp else None

    def in_store(self) -> list[Rules]:
        """The games of the tables in the store, complete or not, smallest first."""
        try:
            changed = self._store.stat().st_mtime_ns if is_local(self._store) else _period()
        except OSError:
            return []
        if self._listing[0] != changed:
            self._listing = changed, list_tables(self._store)
        return self._listing[1]

    def _missing(self, rules: Rules, state: str = "is not solved here", command: str = "") -> ProblemError:
        command = command or solve_command(rules, self._store if self._tell_store else default_store())
        more = {"cards": rules.cards, "objective": str(rules.objective), "command": command}
        return ProblemError("missing-table", f"{_named(rules)} {state}: {command}", more)


def _named(rules: Rules) -> str:
    return f"the {rules.objective} table of {rules.cards} cards"


def _facts(rules: Rules) -> dict[str, Any]:
    """What is said of a table that is not there yet."""
    return {
        "objective": str(rules.objective),
        "cards": rules.cards,
        "complete": False,
        "keep": "all",
        "games": make_layout(rules).games,
        "value_bound": None,
        "exploitability_bound": None,
        "etag": None,
    }


def _period() -> int:
    return int(monotonic() / RELIST_SECONDS)


def _opened(table: Table) -> OpenTable:
    return OpenTable(table, Tablebase(table, cache_bytes=CACHE_BYTES), f'"{table.rules.slug}-{_digest(table)}"')


def _digest(table: Table) -> str:
    """Of the header and what the manifest has of every block: other tables have others, copies the same."""
    return sha256(f"{__version__} {table.header} {table_digest(table)}".encode()).hexdigest()[:16]
