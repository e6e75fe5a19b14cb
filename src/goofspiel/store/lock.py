"""One process at a time solves a table: an advisory lock that ends with the process, however it ends."""

import errno
import fcntl
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import TextIO

from goofspiel.errors import TableBusyError
from goofspiel.store.locations import is_local
from goofspiel.store.paths import lock_path

_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # of a file system that cannot lock


class SolveLock:
    """Hold a table for writing; a second holder is refused, or waits for the first to end.

    Where there are no locks, at a URL or on some shared file systems, nobody is refused: blocks are written whole, and
    two solves write the same.
    """

    def __init__(self, table: Path, *, wait: bool = False) -> None:
        self._path = lock_path(table)
        self._table = table
        self._file: TextIO | None = None
        self._how = fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB

    def __enter__(self) -> "SolveLock":
        if not is_local(self._table):
            return self
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
        except OSError as error:
            file.close()
            if error.errno not in _NO_LOCKS:
                raise
            return self
        file.truncate(0)
        file.write(f"{os.getpid()} on {socket.gethostname()}")
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
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return False
