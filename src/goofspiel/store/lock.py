"""One process at a time solves a table: an advisory lock that ends with the process, however it ends."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import TextIO

from goofspiel.errors import TableBusyError
from goofspiel.store.paths import lock_path
from goofspiel.store.places import is_local


class SolveLock:
    """Hold a table for writing; a second holder is refused, or waits for the first to end."""

    def __init__(self, table: Path, *, wait: bool = False) -> None:
        self._path = lock_path(table)
        self._table = table
        self._file: TextIO | None = None
        self._how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB

    def __enter__(self) -> "SolveLock":
        if not is_local(self._table):
            return self  # blocks are written whole, and two solves write the same
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = open(self._path, "a+", encoding="ascii")
        try:
            fcntl.flock(file, self._how)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip()
            file.close()
            raise TableBusyError(
                f"{self._table} is being solved by another process{f' (pid {holder})' if holder else ''}"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._file = file
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        # The file stays: removing it could pull the lock from under a process that has just opened it.
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()


def is_being_solved(table: Path) -> bool:
    """Whether some process holds the table for writing."""
    if not is_local(table):
        return False
    try:
        with open(lock_path(table), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
