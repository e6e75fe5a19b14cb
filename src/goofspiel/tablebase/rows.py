"""Rows of a table, the recently read ones kept in memory."""

from collections import OrderedDict
from itertools import pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from goofspiel.games.solution import Floats
from goofspiel.store import Table
from goofspiel.store.table import Values

CACHE_BYTES = 1 << 30


class Rows:
    """Values by (level, prize set, matchup), read a chunk at a time."""

    def __init__(self, table: Table, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._table = table
        self._cache_bytes = cache_bytes
        self._chunks: OrderedDict[tuple[int, int], Values] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def gather(self, level: int, prize_set: NDArray[np.int64], matchup: NDArray[np.int64]) -> Floats:
        """The values of numbered positions of one level: `matchup` has one or more for each prize set."""
        result = np.empty(matchup.shape)
        if not result.size:
            return result
        chunk_rows = self._table.chunk_rows(level)
        chunk, row = np.divmod(prize_set, chunk_rows)
        if (np.diff(chunk) < 0).any():
            order = np.argsort(chunk, kind="stable")
            result[order] = self.gather(level, prize_set[order], matchup[order])
            return result
        edges = np.flatnonzero(np.diff(chunk, prepend=-1, append=-1)).tolist()
        row = row.reshape(-1, *[1] * (matchup.ndim - 1))
        for start, stop in pairwise(edges):
            values = self._chunk(level, int(chunk[start]))
            result[start:stop] = values.ravel().take(row[start:stop] * values.shape[1] + matchup[start:stop])
        return result

    def _chunk(self, level: int, chunk: int) -> Values:
        key = (level, chunk)
        with self._lock:
            if key in self._chunks:
                self._chunks.move_to_end(key)
                return self._chunks[key]
        rows = self._table.chunk_rows(level)
        values = self._table.read_rows(level, chunk * rows, (chunk + 1) * rows)
        with self._lock:
            if key not in self._chunks:
                self._chunks[key] = values
                self._held += values.nbytes
            while self._held > self._cache_bytes and len(self._chunks) > 1:
                self._held -= self._chunks.popitem(last=False)[1].nbytes
        return values

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._chunks.clear()
            self._held = 0
