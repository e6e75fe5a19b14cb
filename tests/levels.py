"""The levels of a game straight from the kernel, without a store."""

from collections.abc import Iterator

import numpy as np

from goofspiel.plan import make_plan
from goofspiel.solver.children import HeldChildren
from goofspiel.solver.level import BlockWork, LevelSolver


def solved_levels(cards: int, kernel: str = "") -> Iterator[tuple[list[BlockWork], np.ndarray, np.ndarray]]:
    """Each level's solved blocks, with the values of the level below and its own."""
    children = np.zeros((1, 0))
    for level in make_plan(cards).levels:
        solver = LevelSolver(level, kernel=kernel)
        works = [solver.start(block, HeldChildren(children)) for block in level.blocks()]
        for work in works:
            work.solve(0, level.matchups)
        values = np.concatenate([work.values for work in works])
        yield works, children, values
        children = values
