"""What a worker of a cluster does: solve a block, or a slice of one, from the store and into it."""

import threading
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from goofspiel import __version__
from goofspiel.errors import GoofspielError, SolveError
from goofspiel.games.solution import Floats
from goofspiel.plan import Block, LevelPlan, Plan, make_plan, size_text
from goofspiel.rules import Objective
from goofspiel.solver.children import Children, HeldChildren, StreamedChildren, no_cards
from goofspiel.solver.level import LevelSolver
from goofspiel.solver.machine import available_memory
from goofspiel.solver.threads import read_level
from goofspiel.store import Table
from goofspiel.store.places import place

HELD_SHARE = 2  # the level below is kept in memory when it takes no more than this part of it

_loading = threading.Lock()  # threads of a worker share what is loaded


@dataclass(frozen=True, slots=True)
class Order:
    """A block to be solved. Only names travel: everything else is in the store."""

    table: str  # its place
    run: str  # what a worker has loaded is good for one run
    version: str
    cards: int
    objective: Objective
    dtype: str
    level: int
    block: int
    kernel: str

    @property
    def plan(self) -> Plan:
        """The plan of the table."""
        return make_plan(self.cards, objective=self.objective, dtype=self.dtype)


@dataclass(frozen=True, slots=True)
class Slice:
    """The values of some matchups of a block, [row][matchup][lead], and their largest gap."""

    begin: int
    end: int
    values: Floats
    gap: float


def check(order: Order) -> str:
    """What speaks against this worker, or nothing: it has another version, or does not see the store."""
    if order.version != __version__:
        return f"has goofspiel {__version__}, this solve is by {order.version}"
    try:
        _table(order.table, order.run)
    except (GoofspielError, OSError) as error:
        return f"does not see the store, which must be shared by all workers: {error}"
    return ""


def solve_block(order: Order) -> float:
    """Solve a whole block and write it: its largest gap."""
    level, block = _block(order)
    whole = solve_slice(order, 0, level.matchups)
    _table(order.table, order.run).write_block(level.level, block.index, _rounded(whole.values, order), whole.gap)
    return whole.gap


def solve_slice(order: Order, begin: int, end: int) -> Slice:
    """Solve some matchups of a block."""
    if order.version != __version__:
        raise SolveError(f"a worker {check(order)}")
    level, block = _block(order)
    children = _children(order.table, order.run, order.level)
    work = _level_solver(order.cards, order.objective, order.dtype, order.level, order.kernel).start(block, children)
    gap = work.solve(begin, end)
    values = work.values if end - begin == level.matchups else np.ascontiguousarray(work.values[:, begin:end])
    return Slice(begin, end, values, gap)


def write_slices(order: Order, slices: list[Slice]) -> float:
    """Put the slices of a block together and write it: its largest gap."""
    level, block = _block(order)
    shelf = level.shelves[block.shelf]
    values = np.empty((block.stop - block.start, shelf.matchups, shelf.leads), dtype=order.dtype)
    for part in slices:
        values[:, part.begin : part.end] = part.values
    gap = max(part.gap for part in slices)
    _table(order.table, order.run).write_block(level.level, block.index, values, gap)
    return gap


def _rounded(values: Floats, order: Order) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    return values.astype(order.dtype, copy=False)


def _block(order: Order) -> tuple[LevelPlan, Block]:
    level = order.plan.levels[order.level - 1]
    return level, level.blocks[order.block]


@lru_cache(maxsize=2)
def _table(where: str, run: str) -> Table:
    return Table.open(place(where))


@lru_cache(maxsize=1)
def _load_level_solver(cards: int, objective: Objective, dtype: str, level: int, kernel: str) -> LevelSolver:
    return LevelSolver(make_plan(cards, objective=objective, dtype=dtype).levels[level - 1], kernel=kernel)


def _level_solver(cards: int, objective: Objective, dtype: str, level: int, kernel: str) -> LevelSolver:
    with _loading:
        return _load_level_solver(cards, objective, dtype, level, kernel)


@lru_cache(maxsize=1)
def _load_children(where: str, run: str, level: int) -> Children:
    """The values of the level below: in memory when there is room for them."""
    table = _table(where, run)
    if level == 1:
        return HeldChildren(no_cards(table.plan))
    below = table.plan.levels[level - 2]
    if below.bytes <= _memory() // HELD_SHARE:
        return HeldChildren(read_level(table, below))
    return StreamedChildren(table, level - 1)


def _children(where: str, run: str, level: int) -> Children:
    with _loading:
        return _load_children(where, run, level)


def _memory() -> int:
    """The memory of this worker."""
    from distributed import get_worker

    limit = get_worker().memory_manager.memory_limit
    return min(limit, available_memory()) if limit else available_memory()


def needs(plan: Plan) -> str:
    """What the largest block takes of a worker's memory, for a message."""
    return size_text(max(plan.level_memory(level, 1, children_held=False, held=False) for level in plan.levels))
