"""Tables that are solved for requests and not kept: those of rules that anybody may think up."""

import shutil
import weakref
from pathlib import Path
from tempfile import mkdtemp

from goofspiel.rules import Rules
from goofspiel.store import table_path


class Scratch:
    """A folder for tables, bounded: those that were not asked for longest go first. It ends with the server."""

    def __init__(self, most_bytes: int, most_tables: int) -> None:
        self._most_bytes, self._most_tables = most_bytes, most_tables
        self._folder: Path | None = None  # made when it is needed
        self._sizes: dict[Rules, int] = {}  # the one that was not asked for longest first

    @property
    def folder(self) -> Path:
        """Where they are."""
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix="goofspiel-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def __contains__(self, rules: Rules) -> bool:
        """Whether it has been solved here; one that is asked for stays longest."""
        size = self._sizes.pop(rules, None)
        if size is not None:
            self._sizes[rules] = size
        return size is not None

    def add(self, rules: Rules) -> list[Rules]:
        """Take note of a table that was solved here; those that had to go for it."""
        self._sizes[rules] = _size(table_path(self.folder, rules))
        gone = []
        while len(self._sizes) > self._most_tables or (
            sum(self._sizes.values()) > self._most_bytes and len(self._sizes) > 1
        ):
            oldest = next(iter(self._sizes))
            del self._sizes[oldest]
            gone.append(oldest)
            path = table_path(self.folder, oldest)
            shutil.rmtree(path, ignore_errors=True)
            path.with_suffix(".lock").unlink(missing_ok=True)
        return gone


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
