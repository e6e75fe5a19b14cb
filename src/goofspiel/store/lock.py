"""One process at a time solves a table: an advisory lock that ends with the process, however it ends."""

import fcntl
import os
from pathlib import Path
from types import TracebackType

from goofspiel.errors import TableBusyError
from goofspiel.store.paths import lock_path


class SolveLock:
    """Hold a table for writing; a second holder is refused, or waits for the first to end."""

    def __init__(self, table: Path, *, wait: bool = False) -> None:
        self._path = lock_path(table)
        self._table = table
        self._how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB

    def __enter__(self) -> "SolveLock":
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(self._path, "a+", encoding="ascii")
        try:
            fcntl.flock(self._file, self._how)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip()
            self._file.close()
            raise TableBusyError(
                f"{self._table} is being solved by another process{f' (pid {holder})' if holder else ''}"
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        # The file stays: removing it could pull the lock from under a process that has just opened it.
        self._file.truncate(0)
        self._file.close()


def is_being_solved(table: Path) -> bool:
    """Whether some process holds the table for writing."""
    try:
        with open(lock_path(table), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
