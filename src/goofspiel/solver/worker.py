"""What a worker of a cluster does: solve a block, or a slice of one, from the store and into it."""

import os
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from goofspiel import __version__
from goofspiel.arrays import Floats, Values
from goofspiel.errors import GoofspielError, SolveError
from goofspiel.rules import Rules
from goofspiel.solver.block_solver import KERNEL
from goofspiel.solver.level_cache import HELD_SHARE, LEVEL_CACHE, CachedLevel, worker_bytes
from goofspiel.solver.plan import size_text
from goofspiel.solver.resources import available_memory
from goofspiel.store import Layout, Table, make_layout
from goofspiel.store.blocks import Block, Geometry, LevelLayout
from goofspiel.store.locations import location

if TYPE_CHECKING:
    from distributed import Worker


@dataclass(frozen=True, slots=True)
class Order:
    """A block to be solved. Only names travel: everything else is in the store."""

    table: str  # where it is
    run: str  # what a worker has loaded is good for one run
    version: str
    rules: Rules
    dtype: str
    geometry: Geometry
    level: int
    block: int
    kernel: str

    @property
    def layout(self) -> Layout:
        """How the table is cut."""
        return make_layout(self.rules, dtype=self.dtype, geometry=self.geometry)


@dataclass(frozen=True, slots=True)
class Slice:
    """The values of some matchups of a block as they are stored, [row][matchup][lead], and their largest gap."""

    begin: int
    end: int
    values: Values
    gap: float

    def __sizeof__(self) -> int:
        """For Dask, which puts slices together where most of their bytes are."""
        return object.__sizeof__(self) + self.values.nbytes


def dask_setup(worker: "Worker") -> None:
    """Called by `dask worker --preload goofspiel.solver.worker`: load everything before the first order comes."""
    from goofspiel.store import shards  # noqa: F401


def check(order: Order, dask_worker: "Worker") -> str:
    """What speaks against this worker, or nothing: its version, that it does not see the store, too little memory."""
    if order.version != __version__:
        return _another_version(order)
    try:
        _table(order.table, order.run)
    except (GoofspielError, OSError) as error:
        return f"does not see the store, which all workers must share: {error}"
    layout, threads = order.layout, dask_worker.state.nthreads
    needed, memory = worker_bytes(layout, threads), _memory(dask_worker)
    if needed > memory:
        return (
            f"has {size_text(memory)} of memory, its {threads} threads need {size_text(needed)}: "
            "give it more, or fewer threads"
        )
    return ""


def solve_block(order: Order) -> float:
    """Solve a whole block and write it: its largest gap."""
    level, block = _block(order)
    loaded = _loaded(order)
    work = loaded.solver.start(block, loaded.children, loaded.buffer)
    gap = work.solve(0, work.values.shape[1])
    _write(order, level.encoding.encode(work.values), gap)
    return gap


def solve_slice(order: Order, begin_share: float, end_share: float) -> Slice:
    """Solve some matchups of a block: from one share of its cells to another."""
    level, block = _block(order)
    loaded = _loaded(order)
    work, begin = loaded.solver.start_slice(block, loaded.children, begin_share, end_share)
    count = work.values.shape[1]
    gap = work.solve(0, count)
    return Slice(begin, begin + count, level.encoding.encode(work.values), gap)


def write_slices(order: Order, slices: list[Slice]) -> float:
    """Put the slices of a block together and write it: its largest gap."""
    level, block = _block(order)
    shape = level.block_shape(block)
    kept = level.encoding.stored
    values: Values = _loaded(order).buffer.view(np.uint8)[: prod(shape) * kept.itemsize].view(kept).reshape(shape)
    for part in slices:
        values[:, part.begin : part.end] = part.values
    gap = max(part.gap for part in slices)
    _write(order, values, gap)
    return gap


def forget(run: str) -> None:
    """Let go of what was loaded."""
    LEVEL_CACHE.forget(run)
    _table.cache_clear()


def _write(order: Order, values: "Values | Floats", gap: float) -> None:
    """Keep a block, unless somebody else has: a worker that was thought to be lost."""
    table = _table(order.table, order.run)
    if not table.is_done(order.level, order.block):
        table.write_block(order.level, order.block, values, gap)


def _block(order: Order) -> tuple[LevelLayout, Block]:
    if order.version != __version__:
        from distributed import get_worker

        raise SolveError(f"worker {get_worker().address} {_another_version(order)}")
    level = order.layout.level(order.level)
    return level, level.blocks[order.block]


def _another_version(order: Order) -> str:
    return f"has goofspiel {__version__}, this solve is by {order.version}"


@lru_cache(maxsize=2)
def _table(where: str, run: str) -> Table:
    return Table.open(location(where))


def _loaded(order: Order) -> CachedLevel:
    """What all blocks of a level need."""
    from distributed import get_worker

    worker = get_worker()
    return LEVEL_CACHE.level(
        order.run,
        _table(order.table, order.run),
        order.level,
        kernel=order.kernel or os.environ.get(KERNEL, ""),
        threads=worker.state.nthreads,
        memory=int(HELD_SHARE * _memory(worker)),
    )


def _memory(worker: "Worker") -> int:
    """The memory of a worker, in bytes."""
    limit = worker.memory_manager.memory_limit
    return min(limit, available_memory()) if limit else available_memory()
