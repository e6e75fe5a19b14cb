"""One process at a time solves a table: an advisory lock that ends with the process, however it ends."""

import errno
import os
import re
import socket
import stat
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import lock_descriptor

from goofspiel.errors import GoofspielError, SolveError, TableBusyError
from goofspiel.store.locations import is_local
from goofspiel.store.paths import lock_path

_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # of a file system that cannot lock
_HOLDER = re.compile(rb"(\d{1,20}( on \S{1,255})?)?")  # what a lock says
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # no link, no pipe
# Who only looks whether a lock is held, holds it for an instant, and says nothing in it.
_LOOKS, _LOOK_SECONDS = 5, 0.02


class FileLock:
    """Hold a file that says who holds it; a second holder is refused, or waits for the first to end.

    It follows no link, and a file that is not a lock is left as it is. Where there are no locks nobody is refused.
    """

    def __init__(
        self,
        path: Path,
        *,
        busy: Callable[[str], GoofspielError],
        refused: type[GoofspielError],
        wait: bool = False,
        remove: bool = False,
    ) -> None:
        self._path, self._busy, self._refused = path, busy, refused
        self._wait, self._remove = wait, remove
        self._descriptor: int | None = None  # while it is held

    def __enter__(self) -> Self:
        while True:
            descriptor = self._open()
            try:
                is_locked = self._is_locked(descriptor)
                if is_locked and self._is_there(descriptor):
                    os.ftruncate(descriptor, 0)
                    os.lseek(descriptor, 0, os.SEEK_SET)
                    os.write(descriptor, f"{os.getpid()} on {socket.gethostname()}".encode())
                    self._descriptor = descriptor
                    return self
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
            if not is_locked:
                return self
            # Its last holder has removed it.

    def _open(self) -> int:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | _SAFELY, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise self._refused(f"{self._path} is a symbolic link instead of a lock: remove it") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not _HOLDER.fullmatch(_content(descriptor)):
            os.close(descriptor)
            raise self._refused(f"{self._path} is another file instead of a lock, and left alone: move it away")
        return descriptor

    def _is_locked(self, descriptor: int) -> bool:
        """Whether it is ours now; not where there are no locks."""
        try:
            for _ in range(_LOOKS):
                if lock_descriptor(descriptor, blocking=self._wait):
                    return True
                if holder := _content(descriptor):
                    break
                time.sleep(_LOOK_SECONDS)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return False
        raise self._busy(f" (pid {holder.decode(errors='replace')})" if holder else "")

    def _is_there(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._path, follow_symlinks=False))
        except FileNotFoundError:
            return False

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        if self._descriptor is None:
            return
        if not self._remove:
            os.ftruncate(self._descriptor, 0)
        elif os.name != "nt":  # there, a file that is open cannot be removed: it stays
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None


def _content(descriptor: int) -> bytes:
    os.lseek(descriptor, 0, os.SEEK_SET)
    try:
        return os.read(descriptor, 512)  # more than any lock has
    except PermissionError:  # on Windows, nobody but its holder reads a lock
        return b""


class SolveLock:
    """Hold a table for writing; a second holder is refused, or waits for the first to end.

    Where there are no locks, at a URL or on some shared file systems, nobody is refused: blocks are written whole, and
    two solves write the same.
    """

    def __init__(self, table: Path, *, wait: bool = False) -> None:
        self._table = table
        self._lock = FileLock(lock_path(table), busy=self._busy, refused=SolveError, wait=wait)

    def _busy(self, holder: str) -> TableBusyError:
        return TableBusyError(f"{self._table} is being solved by another process{holder}")

    def __enter__(self) -> "SolveLock":
        if is_local(self._table):
            self._table.parent.mkdir(parents=True, exist_ok=True)
            self._lock.__enter__()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._lock.__exit__()


def is_being_solved(table: Path) -> bool:
    """Whether some process holds the table for writing."""
    if not is_local(table):
        return False
    path = lock_path(table)
    try:
        descriptor = os.open(path, (os.O_RDWR if os.access(path, os.W_OK) else os.O_RDONLY) | _SAFELY)
    except OSError as error:
        if error.errno not in {errno.ENOENT, errno.ELOOP}:  # a link is no lock
            raise
        return False
    try:
        for _ in range(_LOOKS):
            if lock_descriptor(descriptor, blocking=False):
                return False
            if _content(descriptor):
                return True
            time.sleep(_LOOK_SECONDS)
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False
    finally:
        os.close(descriptor)
    return os.name == "nt"  # where a lock does not say who holds it; elsewhere others were looking, too
