"""The values of the level below, for the blocks of a level: held in memory, or read as needed."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from goofspiel.arrays import Ints, Values
from goofspiel.states.space import LevelSpace
from goofspiel.store import Table
from goofspiel.store.encoding import Encoding

READ_BYTES = 256 << 20  # at once: no more than a second's


class Children(Protocol):
    """Rows of the bands of the level below."""

    def rows(self, band: int, needed: Ints) -> tuple[Values, Ints]:
        """Some rows of a band, among them the needed ones, and where each of these is found."""
        ...


class HeldChildren:
    """All rows, in memory: one array a band."""

    def __init__(self, bands: Sequence[Values]) -> None:
        self._bands = bands

    def rows(self, band: int, needed: Ints) -> tuple[Values, Ints]:
        """Everything, and the numbers as they are."""
        return self._bands[band], needed


class StreamedChildren:
    """Rows read from the table, only those that are needed; Ctrl-C is delivered now and then meanwhile."""

    def __init__(self, table: Table, level: int, deliver_sigint: Callable[[], None] = lambda: None) -> None:
        self._table = table
        self._level = level
        self._deliver_sigint = deliver_sigint

    def rows(self, band: int, needed: Ints) -> tuple[Values, Ints]:
        """The needed rows, once each, in ascending order."""
        distinct, index = np.unique(needed, return_inverse=True)
        found = self._table.band(self._level, band)
        rows: Values = np.empty((len(distinct), found.columns, found.leads), dtype=found.encoding.stored)
        ends = {len(distinct), *(np.flatnonzero(np.diff(distinct) != 1) + 1).tolist()}
        ends |= set(range(0, len(distinct), max(1, READ_BYTES // found.row_bytes)))
        for begin, end in pairwise(sorted(ends)):
            first = int(distinct[begin])
            self._table.read_rows(self._level, first, first + end - begin, band=band, buffer=rows[begin:end])
            self._deliver_sigint()
        return rows, index.astype(np.int32)


class NothingLeft:
    """What follows the last round: one row for all, as nothing is left to win."""

    def __init__(self, space: LevelSpace, encoding: Encoding) -> None:
        leads = np.arange(-space.rules.last_lead, space.rules.last_lead + 1)
        ends = np.asarray(space.rules.at_the_end(leads)) * space.rules.has_leads
        self._row: Values = np.tile(encoding.encode(ends[None].astype(np.float64)), (1, space.columns, 1))

    def rows(self, band: int, needed: Ints) -> tuple[Values, Ints]:
        """The one."""
        return self._row, np.zeros_like(needed)


def tied_rows(children: Children, below: LevelSpace, needed: Ints, width: int, dtype: Any) -> tuple[Values, Ints]:
    """The first columns of rows of any bands without leads, put together, and where each is found."""
    if not width:
        return np.zeros((1, 0), dtype=dtype), np.zeros_like(needed)
    distinct, index = np.unique(needed, return_inverse=True)
    band, place = below.bands.band[distinct], below.bands.row[distinct]
    found: Values = np.empty((len(distinct), width), dtype=dtype)
    for which in np.unique(band).tolist():
        here = np.flatnonzero(band == which)
        rows, where = children.rows(which, place[here])
        found[here] = rows[where, :width, 0]
    return found, index.astype(np.int32)
