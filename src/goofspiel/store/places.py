"""Where files are: in a folder of this machine, or in any place that fsspec reaches by a URL.

Both are handled as paths: `pathlib.Path`, or the `UPath` of universal_pathlib, which offers the same methods.
"""

import io
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any, BinaryIO

from goofspiel.errors import GoofspielError

PARTIAL = ".partial"  # the end of the name of a file that is still being written


def place(where: Path | str) -> Path:
    """The path of a place, given as a path or as a URL."""
    if not isinstance(where, str) or "://" not in where:
        return Path(where) if isinstance(where, str) else where
    try:
        from upath import UPath
    except ModuleNotFoundError:
        raise GoofspielError(f"a store at a URL needs pip install 'goofspiel[cluster]': {where!r}") from None
    try:
        found = UPath(where)
        found.exists()
    except (ValueError, ImportError, OSError) as error:
        raise GoofspielError(f"{where!r} cannot be reached: {error}") from None
    return found  # type: ignore[return-value]


def is_local(path: Path) -> bool:
    """Whether a path is one of this machine's file system, or of one that is mounted there."""
    return isinstance(path, Path)


def for_zarr(path: Path) -> Any:
    """The place as Zarr takes it."""
    if is_local(path):
        return path
    from zarr.storage import FsspecStore

    return FsspecStore.from_url(str(path), storage_options=dict(path.storage_options))  # type: ignore[attr-defined]


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """A file to be read here and there."""
    if is_local(path):
        with open(path, "rb", buffering=0) as file:
            yield file
    else:
        with path.open("rb") as remote:
            yield remote


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name when all is written."""
    if not is_local(path):
        content = io.BytesIO()
        yield content
        path.write_bytes(content.getvalue())
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = f"{socket.gethostname()}-{os.getpid()}-{threading.get_ident():x}"  # of many that may share the folder
    partial = path.with_name(f"{path.name}.{writer}{PARTIAL}")
    try:
        with open(partial, "wb") as file:
            yield file
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def remove_tree(path: Path) -> None:
    """Delete a folder and all that is in it."""
    if is_local(path):
        rmtree(path)
    else:
        path.rmdir(recursive=True)  # type: ignore[call-arg]
