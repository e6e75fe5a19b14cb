"""Files of tabulated policies: written answer by answer, so that a long tabulation can go on, and checked when read.

After a line that names the format come frames: a length, the crc32c of what follows, and that many bytes. The first is
the header, in json; then positions of a level with their answers, compressed; the last says that it is whole.
"""

import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

import google_crc32c
import numpy as np

from goofspiel import __version__
from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch, places
from goofspiel.errors import GoofspielError, PlayerError
from goofspiel.players.tabulated import LevelPolicy, TabulatedPlayer, key_of, part_sizes
from goofspiel.rules import Rules
from goofspiel.store.lock import FileLock

MAGIC = b"goofspiel policy 1\n"
HEADER, ANSWERS, END = b"h", b"a", b"e"  # how what a frame holds begins
_FRAME = struct.Struct("<II")  # length, crc32c
_COUNTS = struct.Struct("<II")  # level, positions
_FIELDS = ("mine", "theirs", "deck", "upcard", "lead", "pot")
MOST_BYTES = 1 << 30  # of a frame: a longer one is none


class Header(NamedTuple):
    """Whose policy it is, and how it was asked."""

    player: str
    rules: Rules
    uses_lead: bool
    samples: int

    def to_json(self) -> dict[str, Any]:
        """As it stands in the file."""
        return self._asdict() | {"rules": str(self.rules), "goofspiel": __version__}


def load_policy(path: Path | str) -> TabulatedPlayer:
    """The player that a file holds; a `PlayerError` if it is damaged, or not whole."""
    with _opened(Path(path)) as file:
        header, levels, end, problem = _read(file, Path(path))
    if problem:
        raise PlayerError(f"{path}: {problem}")
    if not end:
        known = sum(len(level.keys) for level in levels.values())
        raise PlayerError(
            f"{path} is not whole, it has {known:,} positions: goofspiel respond … --policy {path} --resume goes on"
        )
    return TabulatedPlayer(*header, levels=levels)


def save_policy(player: TabulatedPlayer, path: Path | str) -> None:
    """Write a policy that is known already to a new file."""
    header = Header(player.name, player.rules, player.uses_lead, player.samples)
    with PolicyWriter(Path(path), header, resume=False) as writer:
        for number, level in player.levels.items():
            writer.add(number, level.batch, level.parts)
        writer.end(player.count)


class PolicyWriter:
    """Writes a file, or goes on with one that was begun: `levels` is what it has."""

    def __init__(self, path: Path, header: Header, *, resume: bool) -> None:
        self.levels: dict[int, LevelPolicy] = {}
        self.is_whole = False
        self._path, self._header, self._resume = path, header, resume
        self._lock = FileLock(
            path.with_name(path.name + ".lock"),
            busy=lambda holder: PlayerError(f"{path} is being written by another process{holder}"),
            refused=PlayerError,
            remove=True,
        )

    def __enter__(self) -> Self:
        try:
            self._lock.__enter__()
            self._file = self._begun()
        except BaseException as error:
            self._lock.__exit__()
            if isinstance(error, OSError):
                raise PlayerError(f"{self._path} cannot be written: {error.strerror or error}") from None
            raise
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()
        self._lock.__exit__()

    def _begun(self) -> BinaryIO:
        if not (self._resume and self._path.exists() and self._path.stat().st_size):
            if self._path.exists() and self._path.stat().st_size:
                raise PlayerError(
                    f"{self._path} is there already: --resume goes on with it, policy:{self._path} plays it"
                )
            file: BinaryIO = self._path.open("wb")
            file.write(MAGIC)
            self._write(file, HEADER + json.dumps(self._header.to_json()).encode())
            return file
        file = self._path.open("r+b")
        try:
            found, self.levels, self.is_whole, _ = _read(file, self._path, cut=True)
            if found != self._header:
                for name, there, wanted in zip(found._fields, found, self._header, strict=True):
                    if there != wanted:
                        raise PlayerError(f"{self._path} was begun with {name} {str(there)!r}, not {str(wanted)!r}")
        except BaseException:
            file.close()
            raise
        return file

    def add(self, level: int, batch: PositionBatch, parts: Floats) -> None:
        """Write some answers down."""
        fields = np.stack([getattr(batch, name).astype("<i4") for name in _FIELDS])
        data = fields.tobytes() + np.ascontiguousarray(parts, dtype="<f8").tobytes()
        self._write(self._file, ANSWERS + _COUNTS.pack(level, len(batch)) + zlib.compress(data, 1))

    def end(self, positions: int) -> None:
        """That is all."""
        self._write(self._file, END + json.dumps({"positions": positions}).encode())
        self.is_whole = True

    def _write(self, file: BinaryIO, data: bytes) -> None:
        file.write(_FRAME.pack(len(data), google_crc32c.value(data)) + data)
        file.flush()
        os.fsync(file.fileno())


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise PlayerError(f"policy {str(path)!r} cannot be read: {error.strerror or error}") from None


def _frames(file: BinaryIO) -> Iterator[bytes | None]:
    """What the frames hold; None where one is cut off or damaged, and nothing after it."""
    while head := file.read(_FRAME.size):
        length, checksum = _FRAME.unpack(head) if len(head) == _FRAME.size else (MOST_BYTES, 0)
        data = file.read(length) if 0 < length < MOST_BYTES else b""
        if not data or len(data) < length or google_crc32c.value(data) != checksum:
            yield None
            return
        yield data


def _read(file: BinaryIO, path: Path, *, cut: bool = False) -> tuple[Header, dict[int, LevelPolicy], bool, str]:
    """All that is whole: header, answers, whether the end is there, and what is wrong. `cut`: what is wrong goes."""
    if file.read(len(MAGIC)) != MAGIC:
        raise PlayerError(f"{path} is no policy of goofspiel's, version 1")
    frames = _frames(file)
    header = _header(next(frames, None), path)
    found: dict[int, list[tuple[PositionBatch, Floats]]] = {}
    count, whole, problem, good = 0, False, "", file.tell()
    for data in frames:
        if data is None or whole:
            problem = f"damaged, or cut off, after byte {good:,}"
            break
        try:
            if data[:1] == END:
                whole = json.loads(data[1:])["positions"] == count
                problem = "" if whole else f"{count:,} positions are not as many as its end says"
            else:
                level, batch, parts = _answers(data, header)
                found.setdefault(level, []).append((batch, parts))
                count += len(batch)
        except (GoofspielError, ValueError, KeyError, TypeError, struct.error, zlib.error):
            problem = f"what it holds at byte {good:,} makes no sense"
        if problem:
            break
        good = file.tell()
    if cut and not whole:
        file.truncate(good)
        file.seek(good)
    keys = key_of(header.rules, header.uses_lead)
    levels = {}
    for level, some in found.items():
        batch = joined([batch for batch, _ in some])
        levels[level] = LevelPolicy.sorted(keys(batch), batch, np.concatenate([parts for _, parts in some], axis=1))
    return header, levels, whole, problem


def _header(data: bytes | None, path: Path) -> Header:
    try:
        said = json.loads((data or b"").removeprefix(HEADER))
        rules = Rules.parse(said["rules"])
        return Header(str(said["player"]), rules, bool(said["uses_lead"]), max(int(said["samples"]), 1))
    except (ValueError, KeyError, TypeError):
        raise PlayerError(f"{path}: its header is damaged") from None


def _answers(data: bytes, header: Header) -> tuple[int, PositionBatch, Floats]:
    level, count = _COUNTS.unpack_from(data, 1)
    raw = zlib.decompress(data[1 + _COUNTS.size :])
    parts = len(part_sizes(header.samples))
    fields = np.frombuffer(raw, dtype="<i4", count=len(_FIELDS) * count).reshape(len(_FIELDS), count)
    answers = np.frombuffer(raw, dtype="<f8", offset=fields.nbytes).reshape(parts, count, level)
    mine, theirs, deck = (field.astype(np.uint16) for field in fields[:3])
    upcard, lead, pot = (field.astype(np.int32) for field in fields[3:])
    batch = PositionBatch(mine, theirs, deck, upcard, lead, pot, places(header.rules), header.rules)
    if data[:1] != ANSWERS or not (batch.level == level).all() or not np.isclose(answers.sum(axis=2), 1).all():
        raise ValueError("no answers")
    return level, batch, answers


def joined(batches: list[PositionBatch]) -> PositionBatch:
    """Batches one after the other."""
    mine, theirs, deck, upcard, lead, pot = (
        np.concatenate([getattr(batch, name) for batch in batches]) for name in _FIELDS
    )
    return PositionBatch(mine, theirs, deck, upcard, lead, pot, batches[0].prizes, batches[0].rules)
