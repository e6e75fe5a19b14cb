"""One block on disk: a Zarr v3 shard, chunks with a checksum each, then an index of them.

Zarr can read and write these files too. Doing it here takes a fifth of the time, and rows are read straight to where
they are needed.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import google_crc32c
import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Values
from goofspiel.store.locations import open_bytes, written_whole

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
    dtype: str

    @property
    def chunk(self) -> tuple[int, int, int]:
        return self.chunk_rows, self.chunk_columns, self.leads

    @property
    def grid(self) -> tuple[int, int]:
        """Chunks down and across."""
        return self.rows // self.chunk_rows, -(-self.columns // self.chunk_columns)

    @property
    def chunk_bytes(self) -> int:
        return self.chunk_rows * self.chunk_columns * self.leads * np.dtype(self.dtype).itemsize


def write_shard(path: Path, values: Values, shape: ShardShape, *, below: Path | None = None) -> None:
    """Write a block whole, or not at all. It may have fewer rows than a shard: the rest is not a number.

    Folders are made, or only those below a given one.
    """
    values = values.reshape(-1, shape.columns, shape.leads)
    down, across = shape.grid
    size = shape.chunk_bytes + _CHECKSUM.itemsize
    places = np.full((down * across, 2), size, dtype=_PLACE)
    places[:, 0] = np.arange(len(places), dtype=_PLACE) * _PLACE.type(size)
    with written_whole(path, below=below) as file:
        for i in range(down):
            for j in range(across):
                _write_checked(file, _chunk_of(values, shape, i, j))
        _write_checked(file, places)


def write_chunk(path: Path, data: NDArray[np.generic], *, below: Path | None = None) -> None:
    """Write a chunk that is a file of its own, whole or not at all."""
    with written_whole(path, below=below) as file:
        _write_checked(file, data)


def read_chunk(path: Path) -> float:
    """The only number of such a chunk."""
    data = np.empty(1, dtype="<f8")
    with open_bytes(path, data.nbytes) as file:
        _read_checked(file, data, "chunk")
    return float(data[0])


def _chunk_of(values: Values, shape: ShardShape, i: int, j: int) -> Values:
    rows = slice(i * shape.chunk_rows, (i + 1) * shape.chunk_rows)
    part: Values = values[rows, j * shape.chunk_columns : (j + 1) * shape.chunk_columns]
    if part.shape == shape.chunk:
        return np.ascontiguousarray(part, dtype=shape.dtype)
    whole: Values = np.full(shape.chunk, np.nan, dtype=shape.dtype)
    whole[: part.shape[0], : part.shape[1]] = part
    return whole


def _write_checked(file: BinaryIO, data: NDArray[np.generic]) -> None:
    file.write(data.reshape(-1).view(np.uint8).data)
    file.write(_checksum(data))


def _checksum(data: NDArray[np.generic]) -> bytes:
    return _CHECKSUM.type(google_crc32c.value(data)).tobytes()


def read_shard(path: Path, shape: ShardShape, rows: slice, columns: slice, *, into: Values) -> None:
    """Read some rows and matchups of a block, [row][matchup][lead]; every chunk that holds some of them is checked."""
    down_chunks = range(rows.start // shape.chunk_rows, -(-rows.stop // shape.chunk_rows))
    along_chunks = range(columns.start // shape.chunk_columns, -(-columns.stop // shape.chunk_columns))
    with open_bytes(path, (len(along_chunks) + shape.grid[1] * (len(down_chunks) - 1)) * shape.chunk_bytes) as file:
        places = _read_index(file, shape)
        for i in down_chunks:
            for j in along_chunks:
                down, into_rows = _overlap(i, shape.chunk_rows, rows)
                along, into_columns = _overlap(j, shape.chunk_columns, columns)
                target = into[into_rows, into_columns]
                if target.shape == shape.chunk and target.flags.c_contiguous:
                    _read_chunk(file, places[i, j], target)
                else:
                    chunk: Values = np.empty(shape.chunk, dtype=shape.dtype)
                    _read_chunk(file, places[i, j], chunk)
                    target[:] = chunk[down, along]


def _overlap(chunk: int, length: int, wanted: slice) -> tuple[slice, slice]:
    """What is wanted of a chunk: where it is in the chunk, and where it goes."""
    start, stop = max(chunk * length, wanted.start), min((chunk + 1) * length, wanted.stop)
    return slice(start - chunk * length, stop - chunk * length), slice(start - wanted.start, stop - wanted.start)


def _read_index(file: BinaryIO, shape: ShardShape) -> NDArray[np.uint64]:
    places: NDArray[np.uint64] = np.empty((*shape.grid, 2), dtype=_PLACE)
    size = file.seek(0, os.SEEK_END)
    if size < places.nbytes + _CHECKSUM.itemsize:
        raise ShardError(f"{size} bytes are too few for an index of {places.nbytes}")
    file.seek(-places.nbytes - _CHECKSUM.itemsize, os.SEEK_END)
    _read_checked(file, places, "index")
    return places


def _read_chunk(file: BinaryIO, place: NDArray[np.uint64], chunk: Values) -> None:
    start, length = map(int, place)
    if start == _ABSENT:
        raise ShardError("a chunk is absent")
    if length != chunk.nbytes + _CHECKSUM.itemsize:
        raise ShardError(f"a chunk of {length} bytes instead of {chunk.nbytes + _CHECKSUM.itemsize}")
    file.seek(start)
    _read_checked(file, chunk, "chunk")


def _read_checked(file: BinaryIO, data: NDArray[np.generic], what: str) -> None:
    view = data.reshape(-1).view(np.uint8).data
    done = 0
    while done < len(view):
        got = file.readinto(view[done:])  # type: ignore[attr-defined]
        if not got:
            raise ShardError(f"the file ends within its {what}")
        done += got
    if file.read(_CHECKSUM.itemsize) != _checksum(data):
        raise ShardError(f"the checksum of the {what} does not match")
