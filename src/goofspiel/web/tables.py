"""The tables that a server answers from: each opened once, the small ones solved when first needed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from goofspiel import __version__
from goofspiel.batch import cards_needed, no_such_game
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import DamagedTableError, GoofspielError, MissingTableError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.solver import solve
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
from goofspiel.tablebase import (
    SOLVED_ON_FIRST_USE,
    Answer,
    ChanceAnswer,
    Tablebase,
    open_tablebase,
    table_bound,
)
from goofspiel.tablebase.alone import probe_alone
from goofspiel.tablebase.opening import candidates
from goofspiel.web.bounds import check_served, cost_of, is_small, is_worked_out
from goofspiel.web.limits import SCRATCH_BYTES, SCRATCH_TABLES
from goofspiel.web.problems import EXHAUSTED, LOG, ProblemError, busy, is_exhaustion
from goofspiel.web.scratch import Scratch

CACHE_BYTES = 64 << 20  # of rows, for each table
UNSOLVED = "is not solved here:"
RELIST_SECONDS = 60  # what is far away is not looked for more often
_Stamp = tuple[int, int, int]  # of a file: changes when it is written anew


class NotSolvedYetError(Exception):
    """A small table is missing: it is to be solved, but not by the thread that answers questions."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.rules = rules


class SlowWorkError(Exception):
    """What is asked takes a second or more: `work` is what is to be done, but not by the thread that was asked."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(work)
        self.work = work


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A complete table, and its tag."""

    table: Table
    tablebase: Tablebase
    etag: str
    is_slow = False

    def probe(self, position: Position) -> Answer[float] | ChanceAnswer[float]:
        """The answer for a position."""
        return self.tablebase.probe(position)

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


@dataclass(frozen=True)
class NoTable:
    """Instead of a table: few cards are left, and all that can follow is worked out."""

    rules: Rules
    is_slow = True

    @property
    def etag(self) -> str:
        """Of answers that follow from the rules alone."""
        return f'"{self.rules.slug}-rules-{__version__}"'

    def probe(self, position: Position) -> Answer[float] | ChanceAnswer[float]:
        """The answer for a position."""
        return probe_alone(position, self.rules, exact=False)


KnownTables = dict[tuple[Rules, bool, int], OpenTable]  # by rules, whether any cards will do, and cards needed


class Tables:
    """The tables of a store. Threads may ask at the same time."""

    def __init__(self, store: Path | str | None = None, *, tell_store: bool = False) -> None:
        self._store = store_at(store)
        self._tell_store = tell_store  # whether commands name the store; its path is nobody's business but the owner's
        self._open: dict[Rules, tuple[_Stamp, OpenTable | None]] = {}
        self._listing: tuple[int, list[Rules]] = (-1, [])
        self._scratch = Scratch(SCRATCH_BYTES, SCRATCH_TABLES)
        self._lock = Lock()  # of the dict and of the scratch folder
        self._opening = Lock()  # one table is opened at a time

    def get(self, rules: Rules) -> OpenTable:
        """The table of a game; a problem when it is missing and too large to be solved for a request."""
        check_served(rules)
        if found := self._complete(rules):
            return found
        if is_small(rules):
            raise NotSolvedYetError(rules)
        raise self._missing(rules)

    def find_for(
        self,
        position: Position,
        rules: Rules,
        *,
        any_cards: bool = False,
        known: KnownTables | None = None,
    ) -> OpenTable | NoTable:
        """The table of a game that a position belongs to, or none where the answer is worked out.

        With `any_cards` it is the smallest that is there and holds it, of a game like that of the rules; one from which
        it cannot be read is left out. Who asks for many in a moment keeps in `known` what was found, and does not have
        it read.
        """
        cards = _cards_needed(position, check_served(rules))
        if cards > rules.cards:
            raise ProblemError("position", f"{str(position)!r} needs a table of {cards} cards, not of {rules.cards}")
        key = rules, any_cards, cards
        if known and (before := known.get(key)):
            return before
        needed = rules.with_cards(cards)
        if any_cards:
            found = self._there(position, needed, read=known is None)
            if not found and not is_small(needed) and is_worked_out(position, needed):
                return NoTable(needed)
            found = found or self._holding(position, needed)
        else:
            found = self._holding(position, rules)
        if known is not None and found.table.header.keep == "all":  # which holds all positions of such games
            known[key] = found
        return found

    def get_for(self, rules: Rules) -> OpenTable:
        """The smallest table that is there and holds a whole game."""
        position = Position.start(check_served(rules))
        return self._there(position, rules) or self._holding(position, rules)

    def _there(self, position: Position, needed: Rules, *, read: bool = True) -> OpenTable | None:
        there = list(candidates(needed, self.in_store()))
        for candidate in there:
            found = self.load(candidate)
            # One that is damaged does not keep a larger one from answering.
            if found and found.holds(position) and (len(there) == 1 or not read or found.reads(position)):
                return found
        return None

    def _holding(self, position: Position, rules: Rules) -> OpenTable:
        found = self.get(rules)
        if not found.holds(position):
            raise self._missing(found.table.rules, "keeps only its last level: delete it, then")
        return found

    def solve(self, rules: Rules) -> None:
        """Solve a small table, or wait for another process that does."""
        if not is_small(rules):
            self._missing(rules).work()
        try:
            if rules.nests:
                open_tablebase(rules, store=self._store).close()
            else:
                self._solve_in_scratch(rules)
        except OSError as error:
            if is_exhaustion(error):
                raise busy("too many files are open") from None
            LOG.error("%s", error)
            raise ProblemError("fault", f"{_named(rules)} cannot be written here") from None

    def _solve_in_scratch(self, rules: Rules) -> None:
        solve(rules, store=self._scratch.folder, resume=True, wait=True)
        with self._lock:
            for gone in self._scratch.add(rules):
                self._open.pop(gone, None)

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
            with self._lock:
                if rules not in self._scratch:
                    return None
            path = table_path(self._scratch.folder, rules)
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

    def _missing(self, rules: Rules, state: str = UNSOLVED) -> SlowWorkError:
        """What raises the problem, and what it takes to solve it: that is not found out in a moment."""

        def tell() -> None:
            more = {"cards": rules.cards, "objective": str(rules.objective), "rules": str(rules)}
            if state == UNSOLVED and is_being_solved(table_path(self._store, rules)):
                command = "goofspiel info"  # for minutes or hours
                raise ProblemError(
                    "missing-table",
                    f"{_named(rules)} is still being solved: {command}",
                    more | {"command": command},
                )
            command = solve_command(rules, self._store if self._tell_store else default_store())
            takes = cost_of(rules)
            detail = f"{_named(rules)} {state} {command}" + (f" ({takes})" if takes else "")
            raise ProblemError("missing-table", detail, more | {"command": command, "cost": takes})

        return SlowWorkError(tell)


def _cards_needed(position: Position, rules: Rules) -> int:
    """How many cards the smallest game like that of the rules has that has a position; some rules have one only."""
    needed = cards_needed(position, rules) if rules.nests else rules.cards
    if needed > MAX_CARDS:
        raise ProblemError("position", str(no_such_game(position, rules)))
    return needed


def _named(rules: Rules) -> str:
    return f"the {rules.objective} table of {rules.cards} cards" if rules.is_usual else f"the table of {str(rules)!r}"


def _facts(rules: Rules) -> dict[str, Any]:
    """What is said of a table that is not there yet."""
    return {
        "rules": str(rules),
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
