"""The kernel at work: against HiGHS on games of every kind, against itself from scratch, in every build."""

from itertools import pairwise

import numpy as np
import pytest
from levels import solve_level, solved_levels

import goofspiel as gs
from goofspiel import games
from goofspiel.rules import Objective, Rules
from goofspiel.solver.block_solver import LevelSolver
from goofspiel.solver.children import HeldChildren
from goofspiel.states import matchups
from goofspiel.store import make_layout

SIZES = range(1, 17)
GAMES = 40, 400  # of each of the 256 shapes: 10,240 in all; in a soak 102,400
JUDGE = 1e-8  # what HiGHS may be wrong by, as a share of the largest payoff


def games_of_every_kind(count: int, rows: int, columns: int, random: np.random.Generator) -> np.ndarray:
    """Random games of a shape: plain, integers with ties, repeated rows and columns, constant, tiny and huge."""
    kind = np.arange(count) % 8
    plain = random.uniform(-1, 1, size=(count, rows, columns))
    found = plain.copy()
    found[kind == 1] = np.round(found[kind == 1] * 2)
    found[kind == 2] = np.round(found[kind == 2] * 9)
    found[kind == 3] = found[kind == 3][:, random.integers(rows, size=rows)]
    found[kind == 4] = found[kind == 4][:, :, random.integers(columns, size=columns)]
    found[kind == 5] = found[kind == 5][:, :1, :1]
    found[kind == 6] *= 1e-12
    found[kind == 7] *= 1e12
    return found


@pytest.mark.parametrize("rows", SIZES)
def test_games_of_every_shape_against_highs(repeats, tally, rows):
    for columns in SIZES:
        matrices = games_of_every_kind(repeats(*GAMES), rows, columns, np.random.default_rng(100 * rows + columns))
        tally("games against HiGHS", len(matrices))
        found = games.solve_batch(matrices)
        judged = np.array([games.solve_with_highs(matrix).value for matrix in matrices])
        scale = np.abs(matrices).max(axis=(1, 2))
        assert (np.abs(found.value - judged) <= JUDGE * scale).all()
        assert (found.gap <= 1e-12 * scale).all()


@pytest.mark.parametrize("cards", range(2, 10))
def test_every_level_against_the_simplex_method_from_scratch(cards):
    """Each game on its own, nothing basis_cache from any other: the order of solving must not matter."""
    for works, (children,), (found,) in solved_levels(cards):
        level, successors, below = works[0].level, works[0].successors, np.pad(children[..., 0], ((0, 0), (0, 1)))
        values = found[..., 0]
        means = np.zeros(values.shape)
        shapes = successors.shapes.astype(int)
        for rows, columns in np.unique(shapes, axis=0).tolist():
            members = np.flatnonzero((shapes == (rows, columns)).all(axis=1))
            codes = successors.codes[successors.offsets[members][:, None] + np.arange(rows * columns)]
            for work in works:
                for child, prize, row in zip(work.child, work.rounds.prize, work.rounds.row, strict=True):
                    cells = below[child, codes >> matchups.INDEX_SHIFT] * matchups.CHILD_SIGN[codes & 7]
                    cells += matchups.UPCARD_SIGN[codes & 3] * prize
                    # Each game shuffled among strangers of its shape: what is remembered fits nobody.
                    order = np.random.default_rng(int(prize)).permutation(len(members))
                    solved = games.solve_batch(cells[order].reshape(-1, rows, columns)).value
                    means[work.block.start + row, members[order]] += solved / level.level
        assert np.abs(means - values).max() <= 1e-12 * level.space.payoff_bound


@pytest.mark.parametrize("kernel", games.kernels()[1:])
@pytest.mark.parametrize("cards", [6, 9])
def test_builds_agree(cards, kernel):
    for (_, _, (ours,)), (works, _, (theirs,)) in zip(solved_levels(cards), solved_levels(cards, kernel), strict=True):
        assert np.abs(ours - theirs).max() <= 1e-12 * works[0].level.space.payoff_bound


@pytest.mark.parametrize("cards", range(2, 8))
def test_every_level_with_leads_against_the_simplex_method_from_scratch(cards):
    """The same, every game at every lead; the kernel's doubles, before they are rounded to what is stored."""
    for works, children, _ in solved_levels(cards, objective=Objective.WIN):
        below = works[0].level.space.below.bands
        for work in works:
            means = np.zeros(work.values.shape)
            for number, prize, row in zip(work.rounds.child, work.rounds.prize, work.rounds.row, strict=True):
                child = children[below.band[number]][below.row[number]].astype(np.float64)
                for members, matrices in round_with_leads(work.successors, child, int(prize), means.shape[2] // 2):
                    order = np.random.default_rng(int(prize)).permutation(len(matrices))
                    solved = np.empty(len(matrices))
                    solved[order] = games.solve_batch(matrices[order]).value
                    means[row, members] += solved.reshape(len(members), -1) / work.level.level
            assert np.abs(means - work.values).max() <= 1e-12


def round_with_leads(successors, child, prize, lead):
    """The games of one round by shape: their matchups, and [matchup and lead][row][column]."""
    leads, largest = np.arange(-lead, lead + 1), child.shape[1] // 2
    shapes = successors.shapes.astype(int)
    for rows, columns in np.unique(shapes, axis=0).tolist():
        members = np.flatnonzero((shapes == (rows, columns)).all(axis=1))
        codes = successors.codes[successors.offsets[members][:, None] + np.arange(rows * columns)][:, None]
        sign = matchups.CHILD_SIGN[codes & 7].astype(int)
        # The mirror image of a child has the negative of its value at the negative of its lead.
        after = sign * (leads[:, None] + matchups.UPCARD_SIGN[codes & 3] * prize)
        stored = child[codes >> matchups.INDEX_SHIFT, np.clip(after + largest, 0, 2 * largest)]
        cells = sign * np.where(np.abs(after) <= largest, stored, np.sign(after))
        yield members, cells.reshape(-1, rows, columns)


@pytest.mark.parametrize("kernel", games.kernels()[1:])
@pytest.mark.parametrize("cards", [5, 8])
def test_builds_agree_with_leads(cards, kernel):
    """From the same children: once a last digit of what is stored differs, so do all levels above, a little."""
    for works, children, _ in solved_levels(cards, objective=Objective.WIN):
        for ours, theirs in zip(works, solve_level(works[0].level, children, kernel), strict=True):
            assert np.abs(ours.values - theirs.values).max() <= 1e-12


def test_the_cuts_of_a_block_do_not_matter(monkeypatch):
    level = make_layout(Rules(8)).levels[4]
    children = HeldChildren([np.random.default_rng(1).normal(size=(70, matchups.count(8, 4), 1))])
    solver = LevelSolver(level)
    (block,) = level.blocks
    whole = solver.start(block, children)
    gap = whole.solve(0, level.columns)
    assert whole.cuts(7) == [0, level.columns]  # too small a block
    monkeypatch.setattr("goofspiel.solver.block_solver.SMALL_BLOCK", 0)
    for slices in (2, 3, 7):
        cut = solver.start(block, children)
        edges = cut.cuts(slices)
        assert (edges[0], edges[-1], len(edges)) == (0, level.columns, slices + 1)
        assert max(cut.solve(*ends) for ends in pairwise(edges)) == gap
        assert (cut.values == whole.values).all()


@pytest.mark.parametrize("kernel", games.kernels())
@pytest.mark.parametrize("objective", Objective)
def test_what_is_stopped_is_given_up(objective, kernel):
    """Without leads before the next eight rounds, with leads after a round."""
    works, children, _ = list(solved_levels(5, objective=objective))[2]
    solved = works[-1]
    solver = LevelSolver(solved.level, kernel=kernel)
    work = solver.start(solved.block, HeldChildren(children))
    solver.stop()
    with pytest.raises(gs.SolveError, match="stopped"):
        work.solve(0, solved.level.columns)
    assert (work.values != solved.values).any()
    if objective == Objective.POINTS:
        assert not work.values.any()


def test_a_kernel_that_does_not_run_here_is_refused():
    with pytest.raises(ValueError, match="no kernel 'z80' runs on this CPU"):
        games.solve_batch(np.zeros((1, 2, 2)), kernel="z80")


def test_a_game_whose_payoffs_differ_by_the_rounding_of_the_store():
    # From a win table of 13 cards: no pure bid is optimal, and each mix has probabilities of 1e-8.
    tie, less = np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(0))
    top, bottom = [np.float32(x) for x in (0.0975933671, 0.0694922879)]
    high = [[0.4, 0.6, 0.73333335], [0.398843795, 0.594480753, 0.729608536], [less, 0.4, 0.5999984741]]
    matrix = np.array(
        [
            [top, bottom, tie, *high[0]],
            [tie, top, less, *high[1]],
            [tie, tie, less, *high[1]],
            [tie, tie, tie, *high[2]],
            [-0.2, -0.2, -0.2, tie, 0.0941099748, 0.3959819376],
            [-0.6, -0.6, -0.6, -0.2, tie, 0.0941099748],
        ],
        dtype=np.float32,
    ).astype(np.float64)
    for turned in (matrix, matrix[::-1], matrix[:, ::-1], -matrix.T):
        assert games.solve(turned).gap <= 1e-12
