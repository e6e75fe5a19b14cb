"""One block on disk: a Zarr v3 shard, chunks with a checksum each, the block's entry of the manifest, an index.

Zarr can read these files, too: it skips the entry, which the index does not name. Doing it here takes a fifth of the
time, and rows are read straight to where they are needed.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Values
from goofspiel.store.encoding import Encoding
from goofspiel.store.locations import open_bytes, written_whole
from goofspiel.store.manifest import Entry, entry_bytes

_CHECKSUM = np.dtype("<u4")
_PLACE = np.dtype("<u8")
_ABSENT = np.iinfo(_PLACE).max


class ShardError(ValueError):
    """A shard is not what its index or its checksums say."""


@dataclass(frozen=True, slots=True)
class ShardShape:
    """Prize sets, matchups and leads of a shard and of its chunks. The last chunk of a row may be partly empty."""

    rows: int
    columns: int
    leads: int
    chunk_rows: int
    chunk_columns: int
    encoding: Encoding

    @property
    def dtype(self) -> "np.dtype[np.generic]":
        """Of what is kept."""
        return self.encoding.stored

    @property
    def chunk(self) -> tuple[int, int, int]:
        return self.chunk_rows, self.chunk_columns, self.leads

    @property
    def grid(self) -> tuple[int, int]:
        """Chunks down and across."""
        return self.rows // self.chunk_rows, -(-self.columns // self.chunk_columns)

    @property
    def chunk_bytes(self) -> int:
        return self.chunk_rows * self.chunk_columns * self.leads * self.dtype.itemsize

    @property
    def chunk_count(self) -> int:
        return self.grid[0] * self.grid[1]

    @property
    def places(self) -> NDArray[np.uint64]:
        """Where the chunks are: one after the other, (start, length) of each with its checksum."""
        size = self.chunk_bytes + _CHECKSUM.itemsize
        places = np.full((self.chunk_count, 2), size, dtype=_PLACE)
        places[:, 0] = np.arange(len(places), dtype=_PLACE) * _PLACE.type(size)
        return places

    def file_bytes(self, *, entry: bool) -> int:
        """The size of a shard that is whole, with or without an entry of the manifest."""
        chunk = self.chunk_bytes + _CHECKSUM.itemsize + 2 * _PLACE.itemsize
        return self.chunk_count * chunk + _CHECKSUM.itemsize + (self.entry_bytes if entry else 0)

    @property
    def entry_bytes(self) -> int:
        return entry_bytes(self.chunk_count) + _CHECKSUM.itemsize


def write_shard(
    path: Path,
    values: Values,
    shape: ShardShape,
    *,
    place: bytes = b"",
    gap: float = 0.0,
    below: Path | None = None,
    sync: bool = False,
) -> None:
    """Write a block whole, or not at all. It may have fewer rows than a shard: the rest is not a number.

    With a `place` an entry of the manifest says that this is its block. Folders are made, or only those below a given
    one.
    """
    values = values.reshape(-1, shape.columns, shape.leads)
    down, across = shape.grid
    checksums = bytearray()
    with written_whole(path, below=below, sync=sync) as file:
        for i in range(down):
            for j in range(across):
                checksums += _write_checked(file, _chunk_of(values, shape, i, j))
        if place:
            entry = Entry(gap, np.frombuffer(checksums, dtype=_CHECKSUM)).to_bytes(place)
            _write_checked(file, np.frombuffer(entry, dtype=np.uint8))
        _write_checked(file, shape.places)


def write_chunk(path: Path, data: NDArray[np.generic], *, below: Path | None = None, sync: bool = False) -> None:
    """Write a chunk that is a file of its own, whole or not at all."""
    with written_whole(path, below=below, sync=sync) as file:
        _write_checked(file, data)


def read_chunk(path: Path) -> float:
    """The only number of such a chunk."""
    data = np.empty(1, dtype="<f8")
    with open_bytes(path, data.nbytes, size=data.nbytes + _CHECKSUM.itemsize) as file:
        _read_checked(file, data, "chunk")
    return float(data[0])


def _chunk_of(values: Values, shape: ShardShape, i: int, j: int) -> Values:
    rows = slice(i * shape.chunk_rows, (i + 1) * shape.chunk_rows)
    part: Values = values[rows, j * shape.chunk_columns : (j + 1) * shape.chunk_columns]
    if part.shape == shape.chunk:
        return np.ascontiguousarray(part, dtype=shape.dtype)
    whole: Values = np.full(shape.chunk, shape.encoding.nothing, dtype=shape.dtype)
    whole[: part.shape[0], : part.shape[1]] = part
    return whole


def _write_checked(file: BinaryIO, data: NDArray[np.generic]) -> bytes:
    """Its checksum."""
    file.write(data.reshape(-1).view(np.uint8).data)
    checksum = _checksum(data)
    file.write(checksum)
    return checksum


def _checksum(data: NDArray[np.generic]) -> bytes:
    return _CHECKSUM.type(google_crc32c.value(data.reshape(-1).view(np.uint8))).tobytes()


def read_shard(path: Path, shape: ShardShape, rows: slice, columns: slice, *, into: Values, place: bytes = b"") -> None:
    """Read some rows and matchups of a block, [row][matchup][lead]; every chunk that holds some of them is checked.

    With a `place` the block must be the one of that place, and each of its chunks where it belongs.
    """
    down_chunks = range(rows.start // shape.chunk_rows, -(-rows.stop // shape.chunk_rows))
    along_chunks = range(columns.start // shape.chunk_columns, -(-columns.stop // shape.chunk_columns))
    spanned = len(along_chunks) + shape.grid[1] * (len(down_chunks) - 1)
    expected, size = spanned * (shape.chunk_bytes + _CHECKSUM.itemsize), shape.file_bytes(entry=bool(place))
    with open_bytes(path, expected, size=size) as file:
        places, entry = _read_index(file, shape, place)
        for i in down_chunks:
            for j in along_chunks:
                number = i * shape.grid[1] + j
                listed = None if entry is None else entry.checksums[number].tobytes()
                down, into_rows = _overlap(i, shape.chunk_rows, rows)
                along, into_columns = _overlap(j, shape.chunk_columns, columns)
                target = into[into_rows, into_columns]
                if target.shape == shape.chunk and target.flags.c_contiguous:
                    _read_chunk(file, places[number], target, listed)
                else:
                    chunk: Values = np.empty(shape.chunk, dtype=shape.dtype)
                    _read_chunk(file, places[number], chunk, listed)
                    target[:] = chunk[down, along]


def check_empty_rows(path: Path, shape: ShardShape, first: int, *, place: bytes = b"") -> None:
    """Read what a block has after its rows, from the first that is none: no value, but whole like all else."""
    if first < shape.rows:
        rest: Values = np.empty((shape.rows - first, shape.columns, shape.leads), dtype=shape.dtype)
        read_shard(path, shape, slice(first, shape.rows), slice(0, shape.columns), into=rest, place=place)


def read_entry(path: Path, shape: ShardShape, place: bytes) -> Entry:
    """The entry of the manifest that stands in a block."""
    with open_bytes(path, shape.entry_bytes, size=shape.file_bytes(entry=True)) as file:
        _, entry = _read_index(file, shape, place)
    if entry is None:
        raise ShardError("it has no entry of the manifest")
    return entry


def read_checksums(path: Path, shape: ShardShape) -> NDArray[np.uint32]:
    """The checksums of the chunks of a block without an entry, as they stand behind each."""
    found = bytearray()
    with open_bytes(path, _CHECKSUM.itemsize, size=shape.file_bytes(entry=False)) as file:
        for start, length in _read_index(file, shape, b"")[0].tolist():
            file.seek(start + length - _CHECKSUM.itemsize)
            found += file.read(_CHECKSUM.itemsize)
    return np.frombuffer(found, dtype=_CHECKSUM)


def _overlap(chunk: int, length: int, wanted: slice) -> tuple[slice, slice]:
    """What is wanted of a chunk: where it is in the chunk, and where it goes."""
    start, stop = max(chunk * length, wanted.start), min((chunk + 1) * length, wanted.stop)
    return slice(start - chunk * length, stop - chunk * length), slice(start - wanted.start, stop - wanted.start)


def _read_index(file: BinaryIO, shape: ShardShape, place: bytes) -> tuple[NDArray[np.uint64], Entry | None]:
    """Where the chunks are; with a place, that is known, and the entry of the manifest that goes with it."""
    expected, size = shape.places, file.seek(0, os.SEEK_END)
    places: NDArray[np.uint64] = np.empty_like(expected)
    if size < places.nbytes + _CHECKSUM.itemsize:
        raise ShardError(f"{size} bytes are too few for an index of {places.nbytes}")
    if not place:
        file.seek(-places.nbytes - _CHECKSUM.itemsize, os.SEEK_END)
        _read_checked(file, places, "index")
        return places, None
    if size != shape.file_bytes(entry=True):
        raise ShardError(f"{size} bytes instead of {shape.file_bytes(entry=True)}")
    file.seek(-shape.entry_bytes - places.nbytes - _CHECKSUM.itemsize, os.SEEK_END)
    entry = np.empty(shape.entry_bytes - _CHECKSUM.itemsize, dtype=np.uint8)
    _read_checked(file, entry, "entry of the manifest")
    found = Entry.read(entry.tobytes(), place)
    _read_checked(file, places, "index")
    if not np.array_equal(places, expected):
        raise ShardError("its index names other places than those of its chunks")
    return places, found


def _read_chunk(file: BinaryIO, place: NDArray[np.uint64], chunk: Values, listed: bytes | None) -> None:
    start, length = map(int, place)
    if start == _ABSENT:
        raise ShardError("a chunk is absent")
    if length != chunk.nbytes + _CHECKSUM.itemsize:
        raise ShardError(f"a chunk of {length} bytes instead of {chunk.nbytes + _CHECKSUM.itemsize}")
    file.seek(start)
    checksum = _read_checked(file, chunk, "chunk")
    if listed is not None and checksum != listed:
        raise ShardError("a chunk is not the one that the manifest has for its place")


def _read_checked(file: BinaryIO, data: NDArray[np.generic], what: str) -> bytes:
    """Its checksum, which is right."""
    view = data.reshape(-1).view(np.uint8).data
    done = 0
    while done < len(view):
        got = file.readinto(view[done:])  # type: ignore[attr-defined]
        if not got:
            raise ShardError(f"the file ends within its {what}")
        done += got
    checksum = _checksum(data)
    if file.read(_CHECKSUM.itemsize) != checksum:
        raise ShardError(f"the checksum of the {what} does not match")
    return checksum
