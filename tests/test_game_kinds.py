"""Matrix games of every kind and shape, against HiGHS and in fractions: every difference is within the stated gaps."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from fixtures import Repeats, Tally

from goofspiel import games
from goofspiel.arrays import Floats
from goofspiel.errors import SolveError
from goofspiel.games.exact import exact_value, rational_cells, to_fraction

Make = Callable[[np.random.Generator, tuple[int, int]], Floats]

ROUNDING = 2.3e-16  # of a sum, for each of its terms, as a share of the largest payoff

# Linear programs in which the simplex method with Dantzig's rule goes round in circles: greatest c·x, A x ≤ b, x ≥ 0.
BEALE = ([[0.25, -60, -0.04, 9], [0.5, -90, -0.02, 3], [0, 0, 1, 0]], [0, 0, 1], [0.75, -150, 0.02, -6])
KUHN = ([[-2, -9, 1, 9], [1 / 3, 1, -1 / 3, -2], [2, 3, -1, -12]], [0, 0, 2], [2, 3, -1, -12])


def cycling(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """The numbers of one of them, or the symmetric game that is solved by the program together with its dual."""
    programs = [[np.array(part, dtype=float) for part in program] for program in (BEALE, KUHN)]
    limits, bounds, gains = programs[random.integers(2)]
    if random.integers(2):
        game = np.block(
            [
                [np.zeros((3, 3)), limits, -bounds[:, None]],
                [-limits.T, np.zeros((4, 4)), gains[:, None]],
                [bounds[None], -gains[None], np.zeros((1, 1))],
            ]
        )
        order = random.permutation(8)
        return game[np.ix_(order, order)]
    return np.block([[limits], [gains[None]]])[random.integers(4, size=shape[0])][:, random.integers(4, size=shape[1])]


def saddle(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    matrix = random.normal(size=shape)
    row, column = random.integers(shape[0]), random.integers(shape[1])
    matrix[row] = np.maximum(matrix[row], 0.5)
    matrix[:, column] = np.minimum(matrix[:, column], 0.5)
    matrix[row, column] = 0.5
    return matrix


def low_rank(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    rank = random.integers(1, 4)
    left, right = random.integers(-3, 4, size=(shape[0], rank)), random.integers(-3, 4, size=(rank, shape[1]))
    return (left @ right).astype(np.float64)


def repeated(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    matrix = random.normal(size=shape)
    return matrix[random.integers(shape[0], size=shape[0])][:, random.integers(shape[1], size=shape[1])]


def square(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return random.integers(-4, 5, size=(min(shape),) * 2).astype(float)


def signs(random: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """As in the card game: who bids more, and a little for what is left."""
    mine, theirs = random.integers(13, size=shape[0]), random.integers(13, size=shape[1])
    little = 10.0 ** random.integers(-13, 1) * random.normal(size=shape)
    return np.asarray(7 * np.sign(mine[:, None] - theirs) + little, dtype=np.float64)


KINDS: dict[str, Make] = {
    "normal": lambda random, shape: random.normal(size=shape),
    "integers": lambda random, shape: random.integers(-99, 100, size=shape).astype(float),
    "small integers": lambda random, shape: random.integers(-2, 3, size=shape).astype(float),
    "low rank": low_rank,
    "repeated": repeated,
    "tiny": lambda random, shape: 1e-12 * random.normal(size=shape),
    "huge": lambda random, shape: 1e12 * random.normal(size=shape),
    "ill cells": lambda random, shape: random.normal(size=shape) * 10.0 ** random.integers(-12, 13, size=shape),
    "ill rows": lambda random, shape: random.normal(size=shape) * 10.0 ** random.integers(-12, 13, size=(shape[0], 1)),
    "ill columns": lambda random, shape: random.normal(size=shape) * 10.0 ** random.integers(-12, 13, size=shape[1]),
    "skew": lambda random, shape: (cells := random.normal(size=(min(shape),) * 2)) - cells.T,
    "skew integers": lambda random, shape: (cells := square(random, shape)) - cells.T,
    "nearly constant": lambda random, shape: 5 + 1e-12 * random.normal(size=shape),
    "saddle": saddle,
    "signs": signs,
    "cycling": cycling,
}
WHOLE = {"integers", "small integers", "low rank", "skew integers"}  # for the engine that calculates in fractions
ILL = {"ill cells", "ill rows", "ill columns", "signs", "nearly constant", "cycling"}  # HiGHS may give up
GAMES = 250, 12_500  # of each kind, in a test and in a soak
LARGE = 4, 60  # of these with more than 16 rows or columns
LARGEST = 0, 2  # of these with hundreds
EXACT = 60, 1_000  # of whole numbers, also in fractions


def check_one(matrix: Floats, value: float, row_mix: Floats, column_mix: Floats, gap: float) -> None:
    """The mixes are mixes and leave no more than the gap, computed with more digits than the solver has."""
    scale = float(np.abs(matrix).max())
    rounding = ROUNDING * max(matrix.shape) * scale
    careful = matrix.astype(np.longdouble)
    assert min(row_mix.min(), column_mix.min()) >= 0
    assert max(abs(row_mix.sum() - 1), abs(column_mix.sum() - 1)) <= 1e-15 * max(matrix.shape)
    guaranteed, conceded = (row_mix @ careful).min(), (careful @ column_mix).max()
    assert 0 <= gap <= 1e-9 * scale
    assert conceded - guaranteed <= gap + 2 * rounding
    assert guaranteed - rounding <= value + gap / 2
    assert value - gap / 2 <= conceded + rounding


@pytest.mark.parametrize("kind", KINDS)
def test_games_of_every_kind(kind: str, repeats: Repeats, tally: Tally) -> None:
    random = np.random.default_rng([*kind.encode()])
    count, large, largest, in_fractions = repeats(*GAMES), repeats(*LARGE), repeats(*LARGEST), repeats(*EXACT)
    shapes = [*random.integers(1, 17, size=(count - large - largest, 2)), *random.integers(10, 80, size=(large, 2))]
    shapes += [*random.integers(100, 513, size=(largest, 2))]
    matrices = [KINDS[kind](random, (int(rows), int(columns))) for rows, columns in shapes]
    found = games.solve_batch(matrices, threads=2)
    tally("games of every kind", count)
    given_up = 0
    for place, matrix in enumerate(matrices):
        rows, columns = matrix.shape
        value, gap = float(found.value[place]), float(found.gap[place])
        check_one(matrix, value, found.row_mix[place, :rows], found.column_mix[place, :columns], gap)
        rounding = 4 * ROUNDING * max(matrix.shape) * float(np.abs(matrix).max())
        try:
            judged = games.solve_with_highs(matrix)
            assert abs(value - judged.value) <= (gap + abs(judged.gap)) / 2 + rounding
        except SolveError:
            given_up += 1
        if kind in WHOLE and place < in_fractions:
            exact = to_fraction(exact_value(rational_cells(matrix.astype(int).tolist())))
            assert abs(Fraction(value) - exact) <= gap / 2 + rounding
        if kind.startswith("skew"):
            assert abs(value) <= gap / 2 + rounding
    assert given_up <= (count / 2 if kind in ILL else 0)
