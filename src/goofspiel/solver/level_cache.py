"""What a worker of a cluster keeps between the blocks of a level."""

import threading

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.solver.block_solver import LevelSolver
from goofspiel.solver.children import Children, HeldChildren, NothingLeft, StreamedChildren
from goofspiel.solver.plan import INTERPRETER_BYTES, Plan
from goofspiel.solver.resources import keep_freed_memory
from goofspiel.solver.threads import read_level
from goofspiel.store import Layout, Table
from goofspiel.store.blocks import LevelLayout

# Of a worker's memory. Dask moves results to disk when 0.6 are in use, and starts no more tasks when 0.8 are.
HELD_SHARE, MOST_SHARE = 0.6, 0.8


def level_needs(layout: Layout, level: LevelLayout, threads: int) -> int:
    """The bytes that the threads of a worker take, each with a block of its own and reading the children it needs."""
    own = Plan(layout, threads=1).level_memory(level, children_held=False, held=False) - INTERPRETER_BYTES
    return INTERPRETER_BYTES + threads * own


def worker_bytes(layout: Layout, threads: int = 1) -> int:
    """The memory that a worker must have for a table: of it Dask leaves a share to the work."""
    return int(max((level_needs(layout, level, threads) for level in layout.levels), default=0) / MOST_SHARE)


class CachedLevel:
    """The successors and the children of one level."""

    def __init__(
        self, table: Table, level: int, own: threading.local, *, kernel: str, threads: int, memory: int
    ) -> None:
        here = table.layout.level(level)
        self._own = own
        self._largest = here.largest
        self.solver = LevelSolver(here, kernel=kernel)
        self.children = self._load_children(table, level, memory - level_needs(table.layout, here, threads))

    @staticmethod
    def _load_children(table: Table, level: int, free_bytes: float) -> Children:
        """In memory when they fit."""
        here = table.layout.level(level)
        if here.is_first:
            return NothingLeft(here.space.below, here.encoding)
        below = table.layout.level(level - 1)
        held = below.bytes <= free_bytes
        return HeldChildren(read_level(table, below)) if held else StreamedChildren(table, level - 1)

    @property
    def buffer(self) -> Floats:
        """For the results of a block of this thread: new memory is slow, the system has to clear it."""
        needed = self._largest.block_bytes // self._largest.itemsize
        found: Floats | None = getattr(self._own, "buffer", None)
        if found is None or not needed <= found.size <= 2 * needed:
            self._own.buffer = found = np.empty(needed)
        return found


class LevelCache:
    """One level at a time, shared by the threads of a worker."""

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._of: tuple[str, int] | None = None
        self._level: CachedLevel | None = None
        self._own = threading.local()  # what each thread keeps from level to level

    def level(self, run: str, table: Table, level: int, *, kernel: str, threads: int, memory: int) -> CachedLevel:
        """A level in one run; it is loaded when another was kept so far, which is let go first: both may not fit."""
        with self._loading:
            if self._level is None or self._of != (run, level):
                keep_freed_memory()
                self._level = None
                self._level = CachedLevel(table, level, self._own, kernel=kernel, threads=threads, memory=memory)
                self._of = run, level
            return self._level

    def forget(self, run: str) -> None:
        """Let go of what was loaded for a run."""
        with self._loading:
            if self._of and self._of[0] == run:
                self._level = None
                self._own = threading.local()


LEVEL_CACHE = LevelCache()  # that of this process: a worker's threads share it
