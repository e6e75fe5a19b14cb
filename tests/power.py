"""A disk that loses power: of what was written, only what was synced is there afterwards, names and contents alike."""

import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from goofspiel.store import locations, table


class PowerCutError(BaseException):
    """Nothing after this happens."""


class Disk:
    """What of a folder is on the disk: contents of files by their number, and the names in folders."""

    def __init__(self, root: Path, *, cut: int | None = None) -> None:
        self._root, self._cut = root, cut
        self.steps = 0
        self._contents: dict[int, bytes] = {}
        self._names: dict[int, dict[str, tuple[int, bool]]] = {}  # by folder: (number, is it a folder)
        self._held: dict[int, int] = {}  # what is open keeps its number when it is deleted

    def _step(self) -> None:
        """The power may be cut before anything that changes the disk."""
        self.steps += 1
        if self._cut is not None and self.steps > self._cut:
            raise PowerCutError

    def _sync(self, path: Path) -> None:
        number = self._number(path)
        if path.is_dir():
            self._names[number] = {entry.name: (self._number(entry), entry.is_dir()) for entry in path.iterdir()}
        else:
            self._contents[number] = path.read_bytes()

    def _number(self, path: Path) -> int:
        number = path.stat().st_ino
        if number not in self._held:
            self._held[number] = os.open(path, os.O_RDONLY)
        return number

    def sync_all(self, _: Path) -> None:
        """Everything."""
        self._step()
        for path in (self._root, *self._root.rglob("*")):
            self._sync(path)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """While files are written."""
        replace, mkdir, unlink = os.replace, os.mkdir, os.unlink
        self.sync_all(self._root)

        def synced(descriptor: int) -> None:
            self._step()
            self._sync(Path(os.readlink(f"/proc/self/fd/{descriptor}")))

        def stepping(change: Callable[..., None]) -> Callable[..., None]:
            def changed(*arguments: Any, **options: Any) -> None:
                self._step()
                change(*arguments, **options)

            return changed

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", synced)
            patch.setattr(table, "sync_all", self.sync_all)
            patch.setattr(locations, "sync_all", self.sync_all)
            for name, change in (("replace", replace), ("mkdir", mkdir), ("unlink", unlink)):
                patch.setattr(os, name, stepping(change))
            yield

    def after_the_cut(self, into: Path, chance: random.Random) -> None:
        """The folder as it is found afterwards.

        A file whose name is there without its content is empty, cut off, or zeros. Some names that were not synced are
        there, too: a disk may have written more than it was asked for.
        """
        self._restore(self._root, self._number(self._root), into, chance)
        self.close()

    def close(self) -> None:
        """Let go of its files."""
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    def _restore(self, path: Path, number: int, into: Path, chance: random.Random) -> None:
        into.mkdir()
        there = {entry.name: (self._number(entry), entry.is_dir()) for entry in path.iterdir()} if path.is_dir() else {}
        early = {name: entry for name, entry in there.items() if chance.random() < 0.5}
        for name, (inode, folder) in {**self._names.get(number, {}), **early}.items():
            if folder:
                self._restore(path / name, inode, into / name, chance)
            elif inode in self._contents:
                (into / name).write_bytes(self._contents[inode])
            else:
                real = (path / name).read_bytes() if there.get(name, (0, False))[0] == inode else b"lost"
                lost = [b"", real[: len(real) // 2], bytes(len(real))]
                (into / name).write_bytes(chance.choice(lost))
