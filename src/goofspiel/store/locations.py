"""Where files are: in a folder of this machine, on a host of files, or in any place that fsspec reaches by a URL.

All are handled as paths: `pathlib.Path`; `WebPath`, which can only be read; or the `UPath` of universal_pathlib, which
offers the same methods.
"""

import errno
import io
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO
from urllib.parse import unquote

from goofspiel.errors import GoofspielError
from goofspiel.store.hosts import HTTP, PIECE_BYTES, WebPath, has_host
from goofspiel.system import sync_file_system, sync_folder

PARTIAL = ".partial"  # the end of the name of a file that is still being written
HERE = "file://"  # a URL of a folder of this machine
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]*://")


def location(where: Path | str) -> Path:
    """The path of a location, given as a path or as a URL."""
    if not isinstance(where, str):
        return where
    where = re.sub("(?<![:/])/+$", "", where)
    if where.startswith(HERE):
        return Path(unquote(where.removeprefix(HERE)))
    if "://" not in where:
        return Path(where)
    if where.startswith(HTTP):
        if not re.fullmatch(r"https?://[^/?#\s]+(/[^?#\s]*)?", where) or not has_host(where):
            raise GoofspielError(f"{where!r} cannot be reached: a URL of tables is a host and a path, and nothing else")
        return WebPath(where.rstrip("/"))  # type: ignore[return-value]
    if not _SCHEME.match(where):
        raise GoofspielError(f"{where!r} cannot be reached: a URL starts with its scheme, as in s3://bucket/folder")
    try:
        from upath import UPath
    except ModuleNotFoundError:
        raise GoofspielError(f"a store at a URL needs pip install 'goofspiel[cluster]': {where!r}") from None
    try:
        found = UPath(where)
        found.exists()
    except Exception as error:  # every kind of place has its own
        raise GoofspielError(f"{where!r} cannot be reached: {_first_line(error)}") from None
    return found  # type: ignore[return-value]


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def is_local(path: Path) -> bool:
    """Whether a path is one of this machine's file system, or of one that is mounted there."""
    return isinstance(path, Path)


def is_read_only(path: Path) -> bool:
    """Whether a path is on a host of files, which nothing can be written to."""
    return isinstance(path, WebPath)


@contextmanager
def _failing_as_files_do() -> Iterator[None]:
    """Some places far away have errors of their own where a file system has the operating system's."""
    try:
        yield
    except (OSError, ValueError, MemoryError, GoofspielError):
        raise
    except Exception as error:
        raise OSError(errno.EIO, _first_line(error)) from error


@contextmanager
def open_bytes(path: Path, expected: int, *, size: int) -> Iterator[BinaryIO]:
    """A file to be read here and there, of a size that is to be. From far away, so many bytes are asked for at once."""
    if is_local(path):
        with open(path, "rb", buffering=0) as file:
            yield file
    elif isinstance(path, WebPath):
        yield path.reader(expected, size)
    else:
        with _failing_as_files_do(), path.open("rb", block_size=expected, cache_type="readahead") as remote:  # type: ignore[call-overload]
            yield remote


def read_whole(path: Path) -> bytes:
    """All of a file."""
    if is_local(path):
        return path.read_bytes()
    with _failing_as_files_do():
        return path.read_bytes()


def read_pieces(path: Path) -> Iterator[bytes]:
    """All of a file, some bytes at a time."""
    if isinstance(path, WebPath):
        yield from path.pieces()
        return
    with _failing_as_files_do(), path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An error of writing says to which file; who reads a pipe may end it."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise error if error.filename else OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def written_whole(path: Path, *, below: Path | None = None, sync: bool = False) -> Iterator[BinaryIO]:
    """A file that appears under its name when all is written. Its folders are made, or only those below a given one.

    With `sync` it is on the disk when this ends: its content before its name, then the folders that lead to it.
    """
    if not is_local(path):
        content = io.BytesIO()
        yield content
        with _failing_as_files_do():
            _put(path, content.getvalue(), below)
        return
    folders = _make_folder(path.parent, below)
    writer = f"{socket.gethostname()}-{os.getpid()}-{threading.get_ident():x}"  # of many that may share the folder
    partial = path.with_name(f"{path.name}.{writer}{PARTIAL}")
    try:
        with open(partial, "wb") as file:
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        partial.replace(path)
    except BaseException as error:
        partial.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(partial):
            raise OSError(error.errno, error.strerror, str(path)) from error  # the name that was asked for
        raise
    for folder in folders if sync else ():
        sync_folder(folder)


def remove_leftovers(folder: Path) -> None:
    """Delete what a killed process had begun to write."""
    for leftover in folder.rglob(f"*{PARTIAL}"):
        leftover.unlink(missing_ok=True)


def sync_all(folder: Path) -> None:
    """All that was written to the file system of a folder is on the disk; far away, that is not ours to say.

    One call: to sync hundreds of small files one by one takes a second.
    """
    if is_local(folder):
        sync_file_system(folder)


def file_bytes(path: Path) -> int | None:
    """The size of a file, if it is there."""
    try:
        with _failing_as_files_do():
            return int(path.stat().st_size)
    except (FileNotFoundError, NotADirectoryError):
        return None


def tree_bytes(folder: Path) -> int:
    """The sizes of all files of a folder; 0 on a host of files, which lists none."""
    if is_read_only(folder):
        return 0
    with _failing_as_files_do():
        return sum(int(file.stat().st_size) for file in folder.rglob("*") if file.is_file())


def _put(path: Path, content: bytes, below: Path | None) -> None:
    """Write a file far away. Most places have no folders, in some they must be made."""
    try:
        path.write_bytes(content)
    except FileNotFoundError:
        if below is not None and not below.exists():
            raise
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _make_folder(folder: Path, below: Path | None) -> list[Path]:
    """Make it, and those above it that are missing or below a given one: the folders in which names may be new."""
    if folder == below or (below is None and folder.is_dir()):
        return [folder]
    above = _make_folder(folder.parent, below)
    folder.mkdir(exist_ok=True)
    return [folder, *above]


def remove_tree(path: Path) -> None:
    """Delete a folder and all that is in it."""
    if is_local(path):
        rmtree(path)
    else:
        path.rmdir(recursive=True)  # type: ignore[call-arg]
