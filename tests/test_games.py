"""Matrix games: known answers, awkward games, and agreement with HiGHS."""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import reference
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from goofspiel import games
from goofspiel.arrays import Floats

SIZES = range(1, games.solution.KERNEL_SIZE + 1)
SHAPES = list(product(SIZES, SIZES))
PROVED = 1e-12  # the gap of a solved game, as a share of its largest payoff
SUBNORMAL = 1e-322  # a few of the smallest steps between doubles

# Integers far apart and close together, and fractions that are no round numbers.
payoffs = st.one_of(st.integers(-9, 9).map(float), st.floats(-100, 100, allow_subnormal=False))


def check(matrices: Floats, solution: games.BatchSolution, *, share: float = PROVED) -> None:
    """Mixes are mixes, the gap is next to nothing, and it hides nothing that the mixes really leave."""
    scale = np.abs(matrices).max(axis=(1, 2))
    rounding = 1e-14 * scale + SUBNORMAL
    for mix in (solution.row_mix, solution.column_mix):
        assert (mix >= 0).all()
        assert np.abs(mix.sum(axis=1) - 1).max() <= 1e-14
    best_reply = np.einsum("gij,gj->gi", matrices, solution.column_mix).max(axis=1)
    guaranteed = np.einsum("gij,gi->gj", matrices, solution.row_mix).min(axis=1)
    assert (solution.gap >= 0).all()
    assert (solution.gap <= share * scale).all()
    # It may be larger than what is left: rounding of a probability below zero is charged to it.
    assert (best_reply - guaranteed <= solution.gap + rounding).all()
    assert (solution.value <= guaranteed + solution.gap + rounding).all()
    assert (solution.value >= best_reply - solution.gap - rounding).all()


def solve_and_check(matrix: ArrayLike) -> games.Solution:
    solution = games.solve(matrix)
    batch = games.BatchSolution(
        np.array([solution.value]), solution.row_mix[None], solution.column_mix[None], np.array([solution.gap])
    )
    check(np.array([matrix], dtype=float), batch)
    return solution


def random_games(shape: tuple[int, int], random: np.random.Generator, count: int) -> Floats:
    """Games of one shape, alike in nothing: smooth, with ties, sparse, with equal rows, nearly constant."""
    made = []
    for kind in range(count):
        matrix = random.normal(size=shape)
        match kind % 6:
            case 1:
                matrix = random.integers(-2, 3, size=shape).astype(float)
            case 2:
                matrix[random.random(shape) < 0.7] = 0
            case 3:
                matrix = matrix[random.integers(shape[0], size=shape[0])][:, random.integers(shape[1], size=shape[1])]
            case 4:
                matrix = 5 + 1e-3 * matrix
            case 5:  # as in the card game: who bids more, and a little for what is left
                mine, theirs = random.integers(13, size=shape[0]), random.integers(13, size=shape[1])
                matrix = 7 * np.sign(mine[:, None] - theirs) + matrix
        made.append(matrix)
    return np.array(made)


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_agrees_with_highs(rows: int, columns: int) -> None:
    matrices = random_games((rows, columns), np.random.default_rng(rows * 100 + columns), 12)
    solution = games.solve_batch(matrices)
    check(matrices, solution)
    expected = [games.solve_with_highs(matrix).value for matrix in matrices]
    assert np.abs(solution.value - expected).max() <= 1e-9 * np.abs(matrices).max()


@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_all_builds_of_the_kernel_agree(rows: int, columns: int) -> None:
    matrices = random_games((rows, columns), np.random.default_rng(rows * 100 + columns), 60)
    scale = np.abs(matrices).max(axis=(1, 2))
    best = games.solve_batch(matrices)
    assert games.kernels()[-1] == "portable"
    for kernel in games.kernels():
        solution = games.solve_batch(matrices, kernel=kernel)
        check(matrices, solution)
        assert (np.abs(solution.value - best.value) <= 1e-12 * scale).all(), kernel


def test_a_kernel_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="no kernel 'abacus' runs on this CPU"):
        games.solve_batch([[[1.0]]], kernel="abacus")


@given(st.tuples(payoffs, payoffs, payoffs, payoffs))
def test_two_by_two(cells: tuple[float, float, float, float]) -> None:
    a, b, c, d = cells
    matrix = [[a, b], [c, d]]
    solution = solve_and_check(matrix)
    lower, upper = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    if lower == upper:  # a saddle point
        assert solution.value == pytest.approx(lower, abs=1e-12 * max(map(abs, cells)))
    else:
        # the formula loses digits where its denominator nearly cancels: compare with it done exactly
        exact, _, _ = reference.solve_game([[Fraction(cell) for cell in row] for row in matrix])
        p, q, r, s = map(Fraction, cells)
        assert exact == (p * s - q * r) / (p - q - r + s)
        assert solution.value == pytest.approx(float(exact), abs=1e-12 * max(map(abs, cells)))


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_small_games_are_exact_to_rounding(rows: int, columns: int, data: st.DataObject) -> None:
    matrix = data.draw(st.lists(st.lists(payoffs, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    exact, _, _ = reference.solve_game([[Fraction(cell) for cell in row] for row in matrix])
    scale = max(abs(cell) for row in matrix for cell in row)
    assert solve_and_check(matrix).value == pytest.approx(float(exact), abs=1e-12 * scale)


@pytest.mark.parametrize("constant", [0.0, 1.0, -7.25, 1e-9, 1e9])
def test_constant_games(constant: float) -> None:
    for shape in SHAPES:
        assert solve_and_check(np.full(shape, constant)).value == pytest.approx(constant, rel=1e-15, abs=0)


@pytest.mark.parametrize("size", SIZES)
def test_one_row_or_one_column(size: int) -> None:
    line = np.random.default_rng(size).normal(size=size)
    row = solve_and_check(line[None])
    assert row.value == line.min()
    assert row.column_mix.tolist() == [float(place == line.argmin()) for place in range(size)]
    column = solve_and_check(line[:, None])
    assert column.value == line.max()
    assert column.row_mix.tolist() == [float(place == line.argmax()) for place in range(size)]


@pytest.mark.parametrize("size", SIZES)
def test_saddle_points(size: int) -> None:
    random = np.random.default_rng(size)
    for _ in range(20):
        matrix = random.normal(size=(size, size))
        row, column = random.integers(size, size=2)
        matrix[row] = np.maximum(matrix[row], 0.5)  # the least of its row
        matrix[:, column] = np.minimum(matrix[:, column], 0.5)  # and the greatest of its column
        matrix[row, column] = 0.5
        assert solve_and_check(matrix).value == 0.5


@pytest.mark.parametrize("size", range(2, 17))
def test_games_solved_by_formula(size: int) -> None:
    # paying only where both choose alike: a mix inversely to the payments
    pays = np.arange(1.0, size + 1)
    solution = solve_and_check(np.diag(pays))
    assert solution.value == pytest.approx(1 / (1 / pays).sum(), rel=1e-12)
    assert solution.row_mix == pytest.approx(solution.value / pays, rel=1e-12)
    # rock, paper, scissors with an odd number of gestures, each beating the next half
    if size % 2:
        circle = (np.arange(size)[:, None] - np.arange(size)) % size
        matrix = np.where(circle == 0, 0.0, np.where(circle <= size // 2, 1.0, -1.0))
        solution = solve_and_check(matrix)
        assert abs(solution.value) <= 1e-14
        assert solution.row_mix == pytest.approx(np.full(size, 1 / size), abs=1e-12)


@pytest.mark.parametrize("size", SIZES)
def test_antisymmetric_games_are_worth_nothing(size: int) -> None:
    random = np.random.default_rng(size)
    for matrix in random.integers(-3, 4, size=(50, size, size)).astype(float):
        assert abs(solve_and_check(matrix - matrix.T).value) <= 1e-12


@pytest.mark.parametrize("values", [(0, 1), (-1, 0, 1), (0, 0, 0, 1)])
def test_integers_with_many_ties(values: tuple[int, ...]) -> None:
    random = np.random.default_rng(len(values))
    for rows, columns in SHAPES:
        matrices = random.choice(values, size=(40, rows, columns)).astype(float)
        check(matrices, games.solve_batch(matrices))


def test_every_game_of_three_by_three_signs() -> None:
    matrices = np.array(list(product([-1.0, 0.0, 1.0], repeat=9))).reshape(-1, 3, 3)
    solution = games.solve_batch(matrices)
    check(matrices, solution)
    mirrored = games.solve_batch(-matrices.transpose(0, 2, 1))
    assert np.abs(solution.value + mirrored.value).max() <= 1e-13
    for matrix, value in zip(matrices[::97], solution.value[::97], strict=True):
        assert value == pytest.approx(float(reference.solve_game(matrix.astype(int).tolist())[0]), abs=1e-14)


@pytest.mark.parametrize("repeated", ["rows", "columns", "both"])
def test_repeated_rows_and_columns_change_nothing(repeated: str) -> None:
    random = np.random.default_rng(3)
    for size in range(1, 9):
        matrix = random.normal(size=(size, size))
        larger = matrix
        if repeated != "columns":
            larger = np.concatenate([larger, larger[::-1]])
        if repeated != "rows":
            larger = np.concatenate([larger, larger[:, ::-1]], axis=1)
        assert solve_and_check(larger).value == pytest.approx(games.solve(matrix).value, abs=1e-13)


@pytest.mark.parametrize("exponent", [-300, -200, -100, -30, -9, -3, 3, 9, 30, 100, 200, 300])
def test_scale_does_not_matter(exponent: int) -> None:
    random = np.random.default_rng(5)
    scale = 10.0**exponent
    for shape in [(1, 1), (2, 2), (3, 5), (7, 7), (16, 4), (16, 16)]:
        matrices = random_games(shape, random, 12)
        small = games.solve_batch(matrices)
        large = games.solve_batch(matrices * scale)
        check(matrices * scale, large)
        assert np.abs(large.value / scale - small.value).max() <= 1e-12 * np.abs(matrices).max()


def test_payoffs_of_different_sizes() -> None:
    random = np.random.default_rng(6)
    for shape in [(2, 2), (3, 3), (5, 4), (8, 8), (16, 16)]:
        matrices = random.normal(size=(200, *shape)) * 10.0 ** random.integers(-3, 4, size=(200, *shape))
        check(matrices, games.solve_batch(matrices))


@pytest.mark.parametrize("spread", [1e-3, 1e-6, 1e-9, 1e-12, 1e-14])
def test_nearly_constant_games(spread: float) -> None:
    random = np.random.default_rng(7)
    for shape in [(2, 2), (3, 3), (5, 4), (8, 8), (16, 16)]:
        matrices = 5 + spread * random.normal(size=(200, *shape))
        check(matrices, games.solve_batch(matrices))


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (5, 4), (8, 8), (16, 16)])
def test_payoffs_that_are_hardly_doubles(shape: tuple[int, int]) -> None:
    random = np.random.default_rng(9)
    for scale in (1e-320, 1e-310, 1e300, 1e307):
        for matrix in scale * random.uniform(-1, 1, size=(20, *shape)):
            solve_and_check(matrix)


@pytest.mark.parametrize("shape", [(2, 2), (3, 3), (5, 4), (8, 8), (16, 16)])
def test_ill_games_are_solved_with_a_proof(shape: tuple[int, int]) -> None:
    """Payoffs of 18 orders of magnitude: what the kernel cannot prove, HiGHS solves."""
    random = np.random.default_rng(9)
    ill = random.normal(size=(300, *shape)) * 10.0 ** random.integers(-9, 10, size=(300, *shape))
    check(ill, games.solve_batch(ill), share=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (7, 7), (16, 16)])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 9, 64])
def test_a_batch_is_its_games_one_by_one(shape: tuple[int, int], count: int) -> None:
    matrices = random_games(shape, np.random.default_rng(count), count).reshape(count, *shape)
    batch = games.solve_batch(matrices)
    assert batch.value.shape == batch.gap.shape == (count,)
    assert (batch.row_mix.shape, batch.column_mix.shape) == ((count, shape[0]), (count, shape[1]))
    for place, matrix in enumerate(matrices):
        assert batch.value[place] == games.solve(matrix).value
    if count:
        check(matrices, batch)


def test_games_have_the_mixes_that_they_have_alone() -> None:
    matrices = np.random.default_rng(2).integers(-1, 2, size=(60, 4, 4)).astype(float)  # several mixes are optimal
    batch = games.solve_batch(matrices)
    for place, matrix in enumerate(matrices):
        single = games.solve(matrix)
        assert batch.row_mix[place].tolist() == single.row_mix.tolist()
        assert batch.column_mix[place].tolist() == single.column_mix.tolist()


@pytest.mark.parametrize("kernel", games.kernels())
def test_players_who_could_change_places_have_the_same_mix(kernel: str) -> None:
    matrices = np.random.default_rng(3).normal(size=(40, 7, 7))
    batch = games.solve_batch(matrices - matrices.transpose(0, 2, 1), kernel=kernel)
    assert (batch.row_mix == batch.column_mix).all()
    assert (batch.value == 0).all()
    assert (games.solve_batch(matrices, kernel=kernel).value != 0).all()


def test_the_largest_doubles_have_a_value() -> None:
    """The sum of two of them is none."""
    matrices = np.array([[[-1.7e308, -1.7e308]], [[1.7e308, -1.7e308]]])
    assert games.solve_batch(matrices).value.tolist() == [-1.7e308, -1.7e308]


def test_the_matrix_is_not_changed_and_may_be_any_sequence() -> None:
    matrix = np.array([[1, -2, 3], [-4, 5, -6], [7, -8, 9]], order="F")
    before = matrix.copy()
    expected = games.solve(matrix).row_mix.tolist()
    assert (matrix == before).all()
    assert matrix.dtype == before.dtype
    assert games.solve(matrix.tolist()).row_mix.tolist() == expected
    assert games.solve(np.repeat(matrix, 2, axis=1)[:, ::2]).row_mix.tolist() == expected
    assert games.solve(matrix.astype(np.float32)).row_mix.tolist() == expected


@pytest.mark.parametrize("solver", [games.solve, games.solve_with_highs])
@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, math.nan]], "payoffs must be finite, not nan: row 0, column 1"),
        ([[1.0], [math.inf]], "payoffs must be finite, not inf: row 1, column 0"),
        ([[-math.inf]], "payoffs must be finite, not -inf: row 0, column 0"),
        ([[1, 2], [3]], "rows of equal length"),
        ([["one"]], "real numbers"),
        ([[None]], "finite|real numbers"),
        ([[1j]], "payoffs must be real numbers, not complex128"),
        ([[Fraction(1), 1j]], "payoffs must be real numbers"),
        ([["2"]], "payoffs must be real numbers, not <U1"),
        ([[np.datetime64("2020-01-01")]], "payoffs must be real numbers, not datetime64"),
        ([1, 2, 3], "a payoff matrix has 2 dimensions, not 1"),
        (4.0, "a payoff matrix has 2 dimensions, not 0"),
        ([[[1.0]]], "a payoff matrix has 2 dimensions, not 3"),
        (np.zeros((0, 3)), "rows and columns, not 0 × 3"),
        (np.zeros((3, 0)), "rows and columns, not 3 × 0"),
        (np.zeros((1, 1001)), "1 to 1000 rows and columns, not 1 × 1001"),
    ],
)
def test_what_is_no_game(solver: Callable[[Any], games.Solution], matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        solver(matrix)


def test_a_solution_cannot_be_changed() -> None:
    solution = games.solve([[1.0]])
    with pytest.raises(AttributeError):
        solution.value = 3.0  # type: ignore[misc]


# The set of all optimal mixes.


def ranges_of(matrix: ArrayLike, error: float | None = 0.0) -> games.Ranges:
    payoffs = np.array(matrix, dtype=float)
    return games.optimal_ranges(payoffs, games.solve(payoffs), error=error)


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        ([[1, 1], [1, 2]], -1.0, "an error is a number from 0 on, not -1.0"),
        ([[1, 1], [1, 2]], float("nan"), "an error is a number from 0 on, not nan"),
        ([[1, 1], [1, float("nan")]], 0.0, "payoffs must be finite, not nan: row 1, column 1"),
        ([[1, 1, 1]], 0.0, "the solution is of a game of 2 × 2, not of 1 × 3"),
    ],
)
def test_ranges_of_what_is_wrong(matrix: list[list[float]], error: float, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        games.optimal_ranges(matrix, games.solve([[1, 1], [1, 2]]), error=error)


@pytest.mark.parametrize(
    ("matrix", "least", "greatest"),
    [
        ([[1, -2, 3], [-4, 5, -6], [7, -8, 9]], [0.25, 0.5, 0.25], [0.25, 0.5, 0.25]),  # the paper's
        ([[0]], [1], [1]),
        ([[2, 2], [2, 2]], [0, 0], [1, 1]),  # anything goes
        ([[1], [1], [0]], [0, 0, 0], [1, 1, 0]),
        ([[3, 1, 2]], [1], [1]),
        ([[1, 0], [1, 0], [0, 1]], [0, 0, 0.5], [0.5, 0.5, 0.5]),  # two rows alike share one half
        ([[0, 1], [1, 0], [0.5, 0.5]], [0, 0, 0], [0.5, 0.5, 1]),  # a row that is the mean of two
        ([[1, 1, 0], [0, 2, 0], [0, 0, 0]], [0, 0, 0], [1, 1, 1]),  # all guarantee 0
        ([[2, 1], [2, 0]], [1, 0], [1, 0]),  # a saddle point and a row that is worse elsewhere
        ([[0, 3], [1, 1], [3, 0]], [0.5, 0, 0.5], [0.5, 0, 0.5]),
        # the opponent plays one column only; my mix needs just enough of either row to keep the others away
        ([[0, 2, -1], [0, -1, 2]], [1 / 3, 1 / 3], [2 / 3, 2 / 3]),
    ],
)
def test_ranges_by_hand(matrix: list[list[float]], least: list[float], greatest: list[float]) -> None:
    found = ranges_of(matrix)
    assert found.least == pytest.approx(least, abs=1e-8)
    assert found.greatest == pytest.approx(greatest, abs=1e-8)
    assert found.unique == (least == greatest)


def test_ranges_of_random_games_are_single_mixes() -> None:
    random = np.random.default_rng(8)
    for size in (2, 5, 9, 16):
        for matrix in random.normal(size=(5, size, size)):
            for error in (0.0, None):
                found = ranges_of(matrix, error)
                assert found.unique
                assert found.least == pytest.approx(games.solve(matrix).row_mix)


@given(st.integers(1, 4), st.integers(1, 4), st.sampled_from([1e-12, 1e-7, 1e-3]), st.data())
def test_nothing_is_said_of_wrong_payoffs_that_is_not_true_of_the_right_ones(
    rows: int, columns: int, error: float, data: st.DataObject
) -> None:
    """Degenerate games, payoffs moved a little: unique is never said in vain, and the ranges leave nothing out."""
    cells = st.integers(-2, 2)
    right = data.draw(st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    moved = np.random.default_rng(data.draw(st.integers(0, 99))).uniform(-error, error, (rows, columns))
    found = ranges_of(np.array(right) + moved, error)
    corners = np.array(reference.optimal_vertices(right), dtype=float)
    assert found.unique is not False  # payoffs that may be wrong cannot prove that
    if found.unique:
        assert len(corners) == 1
        assert np.abs(found.least - corners[0]).max() <= 100 * error
    else:
        assert (found.least <= corners.min(axis=0) + 1e-9).all()
        assert (found.greatest >= corners.max(axis=0) - 1e-9).all()


def test_ranges_where_highs_loses_its_way_from_one_end_to_the_next() -> None:
    """Its status is not set; from no basis it finds all of them."""
    right = np.array([[0, 0, 1], [2, 2, 0], [0, 0, 0], [2, 2, 0]])
    moved = np.random.default_rng(2).uniform(-1e-7, 1e-7, right.shape)
    found = ranges_of(right + moved, 1e-7)
    assert found.least == pytest.approx([2 / 3, 0, 0, 0], abs=1e-6)
    assert found.greatest == pytest.approx([2 / 3, 1 / 3, 0, 1 / 3], abs=1e-6)


@given(st.integers(2, 5), st.data())
def test_uniqueness_is_found_where_the_error_is_small(size: int, data: st.DataObject) -> None:
    """A proof that never succeeds would be true as well."""
    matrix = np.random.default_rng(data.draw(st.integers(0, 999))).normal(size=(size, size))
    assert ranges_of(matrix, 1e-12).unique
    assert ranges_of(matrix, 10.0).unique is None


@given(st.integers(1, 4), st.integers(1, 4), st.sampled_from([1, 2]), st.data())
def test_ranges_against_all_corners_of_the_optimal_set(
    rows: int, columns: int, largest: int, data: st.DataObject
) -> None:
    cells = st.integers(-largest, largest)
    matrix = data.draw(st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=rows, max_size=rows))
    corners = np.array(reference.optimal_vertices(matrix), dtype=float)
    found = ranges_of(matrix)
    assert found.least == pytest.approx(corners.min(axis=0), abs=1e-8)
    assert found.greatest == pytest.approx(corners.max(axis=0), abs=1e-8)
    assert found.unique == (len(corners) == 1)


@given(st.integers(2, 3), st.data())
def test_ranges_do_not_depend_on_the_scale(size: int, data: st.DataObject) -> None:
    cells = st.integers(-1, 1)
    matrix = np.array(
        data.draw(st.lists(st.lists(cells, min_size=size, max_size=size), min_size=size, max_size=size)), dtype=float
    )
    assume(matrix.any())
    expected = ranges_of(matrix)
    for scale, shift in [(1e-9, 0), (1e9, 0), (13, 0), (1, 5)]:
        found = ranges_of(matrix * scale + shift, None)
        assert found.least == pytest.approx(expected.least, abs=1e-7)
        assert found.greatest == pytest.approx(expected.greatest, abs=1e-7)
