"""Rows of a table, the recently read parts kept in memory."""

from collections import OrderedDict
from itertools import pairwise
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats, Numbers, Values
from goofspiel.store import Table

CACHE_BYTES = 1 << 30


class Rows:
    """Stored values, read a chunk at a time."""

    dtype = float

    def __init__(self, table: Table, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._table = table
        self._cache_bytes = cache_bytes
        self._chunks: OrderedDict[tuple[int, int, int, int], Values] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Floats:
        """By level, row, column and, where leads count, lead."""
        if lead is None and not self._table.rules.has_pots:
            return self._gather(level, row, column)
        place = self._table.layout.level(level).space.place_of(row, column)
        return self._gather_from_bands(level, row, place, np.zeros_like(row) if lead is None else lead)

    def _gather(self, level: int, prize_set: Numbers, matchup: Numbers) -> Floats:
        """From one band, without leads: one or more matchups for each prize set."""
        result = np.empty(matchup.shape)
        if not result.size:
            return result
        chunk_rows, _ = self._table.chunk_shape(level, 0)
        chunk, row = np.divmod(prize_set, chunk_rows)
        if (np.diff(chunk) < 0).any():
            order = np.argsort(chunk, kind="stable")
            result[order] = self._gather(level, prize_set[order], matchup[order])
            return result
        row = row.reshape(-1, *[1] * (matchup.ndim - 1))
        for start, stop in _runs(chunk):
            values = self._chunk(level, 0, int(chunk[start]), 0)
            result[start:stop] = values.ravel().take(row[start:stop] * values.shape[1] + matchup[start:stop])
        return result

    def _gather_from_bands(self, level: int, prize_set: Numbers, matchup: Numbers, lead: Numbers) -> Floats:
        """From any bands: one of each for each position."""
        result = np.empty(len(matchup))
        where = self._table.layout.level(level).space.bands
        band = where.band[prize_set]
        for which in np.unique(band).tolist():
            here = np.flatnonzero(band == which)
            chunk_rows, chunk_columns = self._table.chunk_shape(level, which)
            down, row = np.divmod(where.row[prize_set[here]], chunk_rows)
            along, column = np.divmod(matchup[here], chunk_columns)
            leads = 2 * where.leads[which] + 1
            offset = lead[here] + where.leads[which] + leads * column
            chunk = down.astype(np.int64) << 32 | along
            order = np.argsort(chunk, kind="stable")
            for start, stop in _runs(chunk[order]):
                some = order[start:stop]
                values = self._chunk(level, which, int(down[some[0]]), int(along[some[0]]))
                result[here[some]] = values.ravel().take(offset[some] + row[some] * (values.shape[1] * leads))
        return result

    def _chunk(self, level: int, band: int, down: int, along: int) -> Values:
        key = (level, band, down, along)
        with self._lock:
            if key in self._chunks:
                self._chunks.move_to_end(key)
                return self._chunks[key]
        rows, width = self._table.chunk_shape(level, band)
        columns = slice(along * width, (along + 1) * width)
        kept = self._table.read_rows(level, down * rows, (down + 1) * rows, band=band, columns=columns)
        encoding = self._table.layout.level(level).encoding
        values: Values = encoding.decode(kept) if encoding.is_fixed else kept
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


def _runs(ascending: NDArray[np.integer]) -> list[tuple[int, int]]:
    """Where each run of equal numbers starts and stops."""
    return list(pairwise(np.flatnonzero(np.diff(ascending, prepend=-1, append=-1)).tolist()))
