"""The tables that a server answers from: each opened once, the small ones solved when first needed."""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from goofspiel import __version__
from goofspiel.batch import cards_needed
from goofspiel.errors import DamagedTableError, GoofspielError, MissingTableError
from goofspiel.plan import make_plan
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Objective
from goofspiel.store import Table, default_store, is_being_solved, list_tables, solve_command, store_at, table_path
from goofspiel.store.locations import is_local
from goofspiel.tablebase import SOLVED_ON_FIRST_USE, Tablebase, open_tablebase, table_bound
from goofspiel.web.problems import LOG, ProblemError

CACHE_BYTES = 64 << 20  # of rows, for each table
LOOK_AGAIN_SECONDS = 60  # what is far away is not looked for more often
_Stamp = tuple[int, int, int]  # of a file: changes when it is written anew


class NotSolvedYetError(Exception):
    """A small table is missing: it is to be solved, but not by the thread that answers questions."""

    def __init__(self, cards: int, objective: Objective) -> None:
        super().__init__(cards, objective)
        self.cards, self.objective = cards, objective


@dataclass(frozen=True, eq=False)
class OpenTable:
    """A complete table, and its tag."""

    table: Table
    tablebase: Tablebase
    etag: str

    def holds(self, position: Position) -> bool:
        """Whether a position of a game of no more cards can be asked."""
        return self.table.header.keep == "all" or self.tablebase.holds(position)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What it is, and how exact; for that the gaps of all blocks are read."""
        header, bound = self.table.header, table_bound(self.table)
        return _facts(header.cards, header.objective) | {
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
        self._open: dict[tuple[int, Objective], tuple[_Stamp, OpenTable | None]] = {}
        self._names: tuple[int, list[tuple[int, Objective]]] = (-1, [])
        self._lock = Lock()  # of the dict
        self._opening = Lock()  # one table is opened at a time

    def get(self, cards: int, objective: Objective) -> OpenTable:
        """The table of a game; a problem when it is missing and too large to be solved for a request."""
        if found := self._complete(cards, objective):
            return found
        if cards <= SOLVED_ON_FIRST_USE:
            raise NotSolvedYetError(cards, objective)
        if is_being_solved(table_path(self._store, cards, objective)):
            raise self._missing(cards, objective, "is still being solved", "goofspiel info")  # for minutes or hours
        raise self._missing(cards, objective)

    def get_for(self, position: Position, objective: Objective, cards: int | None = None) -> OpenTable:
        """The table of a game that a position belongs to; by default the smallest that is there and holds it."""
        needed = cards_needed(position, objective)
        if needed > MAX_CARDS:
            raise ProblemError(
                "position", f"{str(position)!r}: no game of up to {MAX_CARDS} cards comes to such a lead"
            )
        if cards is not None and needed > cards:
            raise ProblemError("position", f"{str(position)!r} needs a table of {needed} cards, not of {cards}")
        games = [cards] if cards is not None else [n for n, kind in self.there() if kind == objective and n >= needed]
        for game in games:
            if (found := self._complete(game, objective)) and found.holds(position):
                return found
        found = self.get(cards if cards is not None else needed, objective)
        if not found.holds(position):
            raise self._missing(found.tablebase.cards, objective, "keeps only its last level")
        return found

    def solve(self, cards: int, objective: Objective) -> None:
        """Solve a small table, or wait for another process that does."""
        if cards > SOLVED_ON_FIRST_USE:
            raise self._missing(cards, objective)
        try:
            open_tablebase(cards, objective=objective, store=self._store).close()
        except OSError as error:
            LOG.error("%s", error)
            raise ProblemError("fault", f"the {objective} table of {cards} cards cannot be written here") from None

    def listed(self) -> list[dict[str, Any]]:
        """The tables that questions can be asked of, smallest first."""
        small = {(cards, objective) for cards in range(1, SOLVED_ON_FIRST_USE + 1) for objective in Objective}
        found = []
        for cards, objective in sorted({*self.there(), *small}):
            if (table := self.look(cards, objective)) or (cards, objective) in small:
                found.append(table.facts if table else _facts(cards, objective))
        return found

    def look(self, cards: int, objective: Objective) -> OpenTable | None:
        """A complete table, its facts worked out; one that is damaged is left out."""
        try:
            if table := self._complete(cards, objective):
                _ = table.facts
            return table
        except GoofspielError as error:
            LOG.error("%s", error)
            return None

    def _complete(self, cards: int, objective: Objective) -> OpenTable | None:
        """The table, opened, if it is complete; opened anew when it was written anew."""
        path, key = table_path(self._store, cards, objective), (cards, objective)
        if not (stamp := self._stamp(path / "zarr.json", key)):
            return None
        if known := self._known(key, stamp):
            return known[1]
        with self._opening:
            if known := self._known(key, stamp):
                return known[1]
            try:
                table = Table.open(path, cards=cards, objective=objective)
                found = _opened(table) if table.header.complete else None
            except MissingTableError:
                found = None
            except OSError as error:
                raise DamagedTableError(f"{path} cannot be read: {error}") from error
            with self._lock:
                self._open[key] = stamp, found
        return found

    def _stamp(self, path: Path, key: tuple[int, Objective]) -> _Stamp | None:
        """Changes when a file is written anew; far away, a table that is complete is taken to stay as it is."""
        if is_local(path):
            try:
                found = path.stat()
            except OSError:
                return None
            return found.st_ino, found.st_size, found.st_mtime_ns
        with self._lock:
            known = self._open.get(key)
        if known and (known[1] or known[0][2] == _period()):
            return known[0]
        return (0, 0, _period()) if path.is_file() else None

    def _known(self, key: tuple[int, Objective], stamp: _Stamp) -> tuple[_Stamp, OpenTable | None] | None:
        with self._lock:
            known = self._open.get(key)
        return known if known and known[0] == stamp else None

    def there(self) -> list[tuple[int, Objective]]:
        """The tables in the store, complete or not, smallest first."""
        try:
            changed = self._store.stat().st_mtime_ns if is_local(self._store) else _period()
        except OSError:
            return []
        if self._names[0] != changed:
            self._names = changed, list_tables(self._store)
        return self._names[1]

    def _missing(
        self, cards: int, objective: Objective, state: str = "is not solved here", command: str = ""
    ) -> ProblemError:
        command = command or solve_command(cards, objective, self._store if self._tell_store else default_store())
        detail = f"the {objective} table of {cards} cards {state}: {command}"
        return ProblemError("missing-table", detail, {"cards": cards, "objective": str(objective), "command": command})


def _facts(cards: int, objective: Objective) -> dict[str, Any]:
    """What is said of a table that is not there yet."""
    return {
        "objective": str(objective),
        "cards": cards,
        "complete": False,
        "keep": "all",
        "games": make_plan(cards, objective=objective).games,
        "value_bound": None,
        "exploitability_bound": None,
        "etag": None,
    }


def _period() -> int:
    return int(monotonic() / LOOK_AGAIN_SECONDS)


def _opened(table: Table) -> OpenTable:
    name = f"{table.header.objective}-{table.header.cards}"
    return OpenTable(table, Tablebase(table, cache_bytes=CACHE_BYTES), f'"{name}-{_digest(table)}"')


def _digest(table: Table) -> str:
    """Of the header and the gap of every block: other tables have others, copies the same."""
    digest = sha256(f"{__version__} {table.header}".encode())
    for level in table.levels:
        folder = table.path / f"gap-{level:02}" / "c"
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            digest.update(f"\n{level} {file.name} ".encode() + file.read_bytes())
    return digest.hexdigest()[:16]
