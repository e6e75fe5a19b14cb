"""The levels of a game straight from the kernel, without a store."""

from collections.abc import Iterator

import numpy as np

from goofspiel.arrays import Values
from goofspiel.rules import Objective, Rules
from goofspiel.solver.block_solver import LeadWork, LevelSolver, RoundWork
from goofspiel.solver.children import Children, HeldChildren, NothingLeft
from goofspiel.store import make_layout
from goofspiel.store.blocks import LevelLayout
from goofspiel.store.encoding import DTYPES

Works = list[RoundWork | LeadWork]
Bands = list[Values]  # of a level: one array a band, [row][matchup][lead]


def solve_level(level: LevelLayout, below: Bands, kernel: str = "") -> Works:
    """All blocks of a level, solved."""
    children: Children = HeldChildren(below)
    if level.is_first:
        children = NothingLeft(level.space.below, level.encoding)
    solver = LevelSolver(level, kernel=kernel)
    works: Works = []
    for block in level.blocks:
        work = solver.start(block, children)
        assert isinstance(work, RoundWork | LeadWork)
        work.solve(0, work.values.shape[1])
        works.append(work)
    return works


def solved_levels(
    rules: Rules | int, kernel: str = "", objective: Objective | None = None, dtype: str | None = None
) -> Iterator[tuple[Works, Bands, Bands]]:
    """Each level's solved blocks, with the values of the level below and its own, as a table keeps them."""
    layout = make_layout(Rules.of(rules, objective=objective), dtype=dtype)
    # Without cards nothing is left to win.
    children: Bands = [np.zeros((1, int(layout.rules.has_leads), 1), dtype=DTYPES[layout.dtype][0])]
    for level in layout.levels:
        works = solve_level(level, children, kernel)
        values = [
            level.encoding.encode(np.concatenate([work.values for work in works if work.block.band == band]))
            for band in range(len(level.bands))
        ]
        yield works, children, values
        children = values
