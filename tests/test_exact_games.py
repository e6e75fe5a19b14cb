"""Matrix games in rationals: worked by hand, against the slow solver, degenerate, and of any size."""

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import reference
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from reference import Matrix

from goofspiel.errors import SolveError
from goofspiel.games import exact, exact_ranges, solve_exactly
from goofspiel.games.exact import ExactNumber, ExactSolution, exact_value, rational_cells, to_fraction
from goofspiel.games.exact_program import Optimum, Program

HUGE = 10**400  # no double is as large
PAPER = [[1, -2, 3], [-4, 5, -6], [7, -8, 9]]
ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]

fractions = st.builds(Fraction, st.integers(-30, 30), st.integers(1, 12))
few = st.sampled_from([Fraction(-1), Fraction(0), Fraction(1)])  # ties everywhere


def turned(matrix: Matrix) -> Matrix:
    """The same game as the other side sees it."""
    return [[-cell for cell in column] for column in zip(*matrix, strict=True)]


def earnings(mix: list[Fraction], matrix: Matrix) -> list[Fraction]:
    return [
        sum((p * cell for p, cell in zip(mix, column, strict=True)), Fraction(0))
        for column in zip(*matrix, strict=True)
    ]


def check(matrix: Matrix, solution: ExactSolution) -> Fraction:
    """Both mixes are mixes, and no reply is better than the value: nothing is rounded."""
    value = to_fraction(solution.value)
    x, y = (list(map(to_fraction, mix)) for mix in (solution.row_mix, solution.column_mix))
    assert (sum(x), sum(y)) == (1, 1)
    assert min(x + y) >= 0
    assert min(earnings(x, matrix)) == value
    assert min(earnings(y, turned(matrix))) == -value
    return value


def solve_and_check(matrix: Matrix) -> ExactSolution:
    solution = solve_exactly(matrix)
    value = check(matrix, solution)
    assert check(matrix, exact._solve_by_simplex(rational_cells(matrix))) == value
    assert exact_value(rational_cells(matrix)) == solution.value
    return solution


def matrices(cells: st.SearchStrategy[Fraction], largest: int = 5) -> st.SearchStrategy[list[list[Fraction]]]:
    sizes = st.tuples(st.integers(1, largest), st.integers(1, largest))
    return sizes.flatmap(
        lambda size: st.lists(st.lists(cells, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
    )


def random_game(numbers: random.Random, kind: str) -> Matrix:
    """Small games, alike in nothing: smooth, with ties, with equal rows and columns, constant, of integers."""
    rows, columns = numbers.randint(1, 5), numbers.randint(1, 5)

    def cell() -> Fraction:
        return Fraction(numbers.randint(-99, 99), numbers.randint(1, 99))

    match kind:
        case "ties":
            return [[Fraction(numbers.randint(-1, 1)) for _ in range(columns)] for _ in range(rows)]
        case "integers":
            return [[numbers.randint(-9, 9) for _ in range(columns)] for _ in range(rows)]
        case "constant":
            return [[c] * columns for c in [cell()]] * rows
        case "repeated":
            few = [[cell() for _ in range(2)] for _ in range(2)]
            across = [numbers.randrange(2) for _ in range(columns)]
            return [[few[i][j] for j in across] for i in (numbers.randrange(2) for _ in range(rows))]
        case "antisymmetric":
            half = [[cell() for _ in range(rows)] for _ in range(rows)]
            return [[half[i][j] - half[j][i] for j in range(rows)] for i in range(rows)]
    return [[cell() for _ in range(columns)] for _ in range(rows)]


KINDS = ["smooth", "ties", "integers", "constant", "repeated", "antisymmetric"]


# --- by hand


@pytest.mark.parametrize(
    ("matrix", "value", "mix"),
    [
        ([[Fraction(2, 7)]], Fraction(2, 7), [1]),
        ([[3, 1, 2]], 1, [1]),
        ([[3], [5], [4]], 5, [0, 1, 0]),
        ([[1, 2], [0, 5]], 1, [1, 0]),  # a saddle point
        ([[5, -1], [1, 5]], Fraction(13, 5), [Fraction(2, 5), Fraction(3, 5)]),
        (PAPER, 0, [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]),
        (ROCK_PAPER_SCISSORS, 0, [Fraction(1, 3)] * 3),
        ([[1, 0, 0], [0, 2, 0], [0, 0, 3]], Fraction(6, 11), [Fraction(6, 11), Fraction(3, 11), Fraction(2, 11)]),
    ],
)
def test_games_worked_by_hand(matrix: Matrix, value: Fraction | int, mix: Sequence[Fraction | int]) -> None:
    solution = solve_and_check(matrix)
    assert solution.value == rational(value)
    assert list(map(to_fraction, solution.row_mix)) == mix
    assert exact_ranges(matrix, solution) == [(p, p) for p in solution.row_mix]


@given(st.tuples(fractions, fractions, fractions, fractions))
def test_two_by_two(cells: tuple[Fraction, Fraction, Fraction, Fraction]) -> None:
    a, b, c, d = cells
    value = to_fraction(solve_and_check([[a, b], [c, d]]).value)
    lower, upper = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
    assert value == (lower if lower == upper else (a * d - b * c) / (a - b - c + d))


@pytest.mark.parametrize("size", [1, 2, 7, 16])
def test_a_sum_of_inverses(size: int) -> None:
    """Paying only where both choose alike: a mix inversely to the payments."""
    solution = solve_and_check([[i + 1 if i == j else 0 for j in range(size)] for i in range(size)])
    assert to_fraction(solution.value) == 1 / sum(Fraction(1, pay) for pay in range(1, size + 1))
    assert [to_fraction(p / solution.value) for p in solution.row_mix] == [Fraction(1, i + 1) for i in range(size)]


def test_every_mix_may_be_optimal() -> None:
    solution = solve_and_check([[2] * 3] * 4)
    assert exact_ranges([[2] * 3] * 4, solution) == [(fmpq(0), fmpq(1))] * 4
    halves = [[1, -1], [1, 2]]  # by hand: the first row at most one time in three
    assert exact_ranges(halves, solve_and_check(halves)) == [(fmpq(0), fmpq(1, 3)), (fmpq(2, 3), fmpq(1))]


# --- against the slow solver


@pytest.mark.parametrize("kind", KINDS)
def test_random_games_agree_with_the_reference(kind: str) -> None:
    numbers = random.Random(kind)
    for _ in range(40):
        matrix = random_game(numbers, kind)
        assert to_fraction(solve_and_check(matrix).value) == reference.solve_game(matrix)[0], matrix


@pytest.mark.parametrize("kind", KINDS)
def test_ranges_are_those_of_the_corners(kind: str) -> None:
    numbers = random.Random(f"ranges {kind}")
    for _ in range(12):
        matrix = random_game(numbers, kind)
        if len(matrix) + len(matrix[0]) > 8:  # the reference looks at every corner
            matrix = [row[:4] for row in matrix[:4]]
        corners = list(zip(*reference.optimal_vertices(matrix), strict=True))
        expected = [(min(p), max(p)) for p in corners]
        solution = solve_exactly(matrix)
        assert [tuple(map(to_fraction, ends)) for ends in exact_ranges(matrix, solution)] == expected, matrix
        # whichever optimal mix they are asked with
        other = exact._solve_by_simplex(rational_cells(matrix))
        assert [tuple(map(to_fraction, ends)) for ends in exact_ranges(matrix, other)] == expected, matrix


@given(matrices(few, 4))
def test_games_full_of_ties(matrix: list[list[Fraction]]) -> None:
    assert to_fraction(solve_and_check(matrix).value) == reference.solve_game(matrix)[0]


@given(matrices(fractions), fractions, st.integers(1, 50))
def test_the_value_follows_the_payoffs(matrix: list[list[Fraction]], added: Fraction, factor: int) -> None:
    value = to_fraction(solve_and_check(matrix).value)
    assert to_fraction(solve_exactly(turned(matrix)).value) == -value
    assert to_fraction(solve_exactly([[factor * c + added for c in row] for row in matrix]).value) == (
        factor * value + added
    )
    assert to_fraction(solve_exactly(matrix + matrix[::-1]).value) == value  # every row twice


@pytest.mark.parametrize("kind", ["ties", "integers", "smooth"])
def test_the_largest_games(kind: str) -> None:
    numbers = random.Random(f"largest {kind}")
    cells: dict[str, Callable[[], Fraction | int]] = {
        "ties": lambda: numbers.randint(-1, 1),
        "integers": lambda: numbers.randint(-9, 9),
        "smooth": lambda: Fraction(numbers.randint(-999, 999), numbers.randint(1, 99)),
    }
    cell = cells[kind]
    for rows, columns in [(16, 16), (3, 16), (16, 5)]:
        matrix = [[cell() for _ in range(columns)] for _ in range(rows)]
        check(matrix, solve_exactly(matrix))
        assert exact_value(rational_cells(matrix)) == solve_exactly(matrix).value


# --- where doubles are no help


@pytest.mark.parametrize("scale", [Fraction(HUGE), Fraction(1, HUGE)], ids=["huge", "tiny"])
@pytest.mark.parametrize("kind", ["smooth", "ties", "repeated"])
def test_scale_does_not_matter(scale: Fraction, kind: str) -> None:
    numbers = random.Random(f"scale {kind}")
    for _ in range(8):
        matrix = random_game(numbers, kind)
        scaled = solve_and_check([[cell * scale for cell in row] for row in matrix])
        assert to_fraction(scaled.value) == scale * reference.solve_game(matrix)[0]


@pytest.mark.parametrize(
    "matrix",
    [
        [[HUGE, Fraction(1, HUGE)], [Fraction(-1, HUGE), 1]],
        [[HUGE, -1], [-HUGE, 1]],
        [[1, 1 + Fraction(1, HUGE)], [1 + Fraction(2, HUGE), 1]],  # in doubles a constant game
        [[Fraction(1, 10**30), -Fraction(1, HUGE), 1], [-Fraction(1, HUGE), Fraction(1, 10**30), 1], [0, 0, 1]],
        [[0, 0, Fraction(1, HUGE)], [0, Fraction(-1, HUGE), 0], [HUGE, 0, 0]],
    ],
)
def test_payoffs_of_very_different_sizes(matrix: Matrix) -> None:
    assert to_fraction(solve_and_check(matrix).value) == reference.solve_game(matrix)[0]
    corners = list(zip(*reference.optimal_vertices(matrix), strict=True))
    found = exact_ranges(matrix, solve_exactly(matrix))
    assert [tuple(map(to_fraction, ends)) for ends in found] == [(min(p), max(p)) for p in corners]


@pytest.mark.parametrize("wrong", ["nothing", "refused", "one row", "singular"])
def test_a_bad_proposal_of_the_kernel_does_no_harm(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    """What the floating-point kernel says is checked, not trusted."""
    if wrong == "refused":
        monkeypatch.setattr(exact, "solve_stack", lambda *_: [0])
    else:
        proposed = {"nothing": None, "one row": exact._Supports([0], [0]), "singular": exact._Supports([0, 2], [0, 2])}
        monkeypatch.setattr(exact, "_propose", lambda _: proposed[wrong])
    matrix = [*PAPER[:2], PAPER[0]]
    for game in (PAPER, matrix, [[1, 2], [3, 0], [1, 2]]):
        wide = [[*row, row[0]] for row in game]
        assert to_fraction(solve_and_check(wide).value) == reference.solve_game(wide)[0]


# --- what goes in, what comes out


def rational(number: Fraction | int) -> fmpq:
    return fmpq(Fraction(number).numerator, Fraction(number).denominator)


@pytest.mark.parametrize(
    "number", [int, Fraction, np.int64, np.int8, rational], ids=["int", "Fraction", "int64", "int8", "fmpq"]
)
def test_all_kinds_of_exact_numbers(number: Callable[[int], ExactNumber]) -> None:
    matrix = [[number(cell) for cell in row] for row in PAPER]
    solution = solve_exactly(matrix)
    assert solution == solve_exactly(PAPER)
    assert all(isinstance(p, fmpq) for p in (solution.value, *solution.row_mix, *solution.column_mix))


def test_arrays_of_integers_and_anything_that_yields_rows() -> None:
    assert solve_exactly(np.array(PAPER)) == solve_exactly(PAPER)
    assert solve_exactly(iter(row) for row in PAPER) == solve_exactly(PAPER)
    assert solve_exactly([[np.uint64(2**64 - 1), np.int64(-(2**63))]]).value == -(2**63)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 0.5]], "0.5"),
        ([[1, 2.0]], "2.0"),
        ([[float("nan")]], "nan"),
        ([[np.float64(0.25)]], "0.25"),
        ([["1/2"]], "'1/2'"),
        ([[1, None]], "None"),
        ([[1, 2], [3]], "2 and 1"),
        ([], "0 × 0"),
        ([[]], "1 × 0"),
        ([[], []], "2 × 0"),
        ([[1]] * 17, "17 × 1"),
        ([[1] * 17], "1 × 17"),
    ],
)
def test_what_is_no_game_is_quoted(matrix: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        solve_exactly(matrix)
    assert "\n" not in str(caught.value)


def test_the_matrix_is_not_changed() -> None:
    matrix: Matrix = [[Fraction(1, 3), 2], [3, Fraction(-1, 7)]]
    solution = solve_exactly(matrix)
    exact_ranges(matrix, solution)
    assert matrix == [[Fraction(1, 3), 2], [3, Fraction(-1, 7)]]


@given(st.fractions())
def test_fractions_of_the_standard_library(number: Fraction) -> None:
    found = to_fraction(fmpq(number.numerator, number.denominator))
    assert type(found) is Fraction
    assert (type(found.numerator), type(found.denominator)) == (int, int)
    assert (found.numerator, found.denominator) == (number.numerator, number.denominator)
    assert (hash(found), str(found), found + 1) == (hash(number), str(number), number + 1)


# --- linear programs


def linear(gains: Sequence[Fraction | int], limits: Matrix, bounds: Sequence[int]) -> Optimum:
    def rationals(row: Sequence[Fraction | int]) -> list[fmpq]:
        return [rational(cell) for cell in row]

    return Program([rationals(row) for row in limits], rationals(bounds)).maximise(rationals(gains))


def check_optimum(found: Optimum, gains: Sequence[Fraction | int], limits: Matrix, bounds: Sequence[int]) -> None:
    """Within the limits, and the prices prove that nothing is greater."""
    z, prices = list(map(to_fraction, found.solution)), list(map(to_fraction, found.prices))
    assert min(z + prices) >= 0
    used = [sum(a * b for a, b in zip(row, z, strict=True)) for row in limits]
    assert all(u <= bound for u, bound in zip(used, bounds, strict=True))
    worth = [sum(p * row[j] for p, row in zip(prices, limits, strict=True)) for j in range(len(gains))]
    assert all(w >= gain for w, gain in zip(worth, gains, strict=True))
    assert to_fraction(found.value) == sum(a * b for a, b in zip(gains, z, strict=True))
    assert to_fraction(found.value) == sum(a * b for a, b in zip(prices, bounds, strict=True))


@pytest.mark.parametrize(
    ("gains", "limits", "bounds", "value"),
    [
        ([3, 5], [[1, 0], [0, 2], [3, 2]], [4, 12, 18], 36),  # by hand: (2, 6)
        ([1, 1], [[1, 2], [3, 1]], [4, 6], Fraction(14, 5)),
        ([-1, -1], [[-1, -2], [-3, -1]], [-4, -6], Fraction(-14, 5)),  # nothing is allowed at (0, 0)
        ([2, -1], [[2, -1], [1, -5]], [2, -4], 2),  # neither here
        ([1, 0], [[1, 1], [-1, -1]], [1, -1], 1),  # a sum that is given
        ([0, 0], [[1, 1]], [1], 0),
        ([1], [[1], [-1]], [0, 0], 0),  # a single point
        ([-1, -1], [[-1, 0], [-1, 0], [0, -1]], [-1, -1, -1], -2),  # a limit twice
        # Beale (1955): with the largest gain first, the simplex method goes round in a circle
        (
            [Fraction(3, 4), -150, Fraction(1, 50), -6],
            [[Fraction(1, 4), -60, Fraction(-1, 25), 9], [Fraction(1, 2), -90, Fraction(-1, 50), 3], [0, 0, 1, 0]],
            [0, 0, 1],
            Fraction(1, 20),
        ),
    ],
)
def test_linear_programs_with_a_solution(
    gains: Sequence[Fraction | int], limits: Matrix, bounds: Sequence[int], value: Fraction | int
) -> None:
    found = linear(gains, limits, bounds)
    assert to_fraction(found.value) == value
    check_optimum(found, gains, limits, bounds)


@pytest.mark.parametrize(
    ("gains", "limits", "bounds"),
    [([1], [[1]], [-1]), ([0, 0], [[1, 1], [-1, -1]], [1, -2]), ([1], [[0]], [-1]), ([1], [[1], [-1]], [1, -2])],
)
def test_limits_that_leave_nothing(gains: list[int], limits: list[list[int]], bounds: Sequence[int]) -> None:
    with pytest.raises(SolveError, match="no solution"):
        linear(gains, limits, bounds)


@pytest.mark.parametrize(
    ("gains", "limits", "bounds"),
    [([1], [[-1]], [1]), ([1, 1], [[1, -1]], [1]), ([1], [[-1]], [-5]), ([1], [[0]], [0])],
)
def test_limits_that_leave_no_greatest_value(gains: list[int], limits: list[list[int]], bounds: Sequence[int]) -> None:
    with pytest.raises(SolveError, match="no greatest value"):
        linear(gains, limits, bounds)


@given(st.integers(1, 4), st.integers(1, 4), st.data())
def test_random_programs_prove_themselves(count: int, width: int, data: st.DataObject) -> None:
    small = st.integers(-3, 3)
    gains = data.draw(st.lists(small, min_size=width, max_size=width))
    limits = data.draw(st.lists(st.lists(small, min_size=width, max_size=width), min_size=count, max_size=count))
    bounds = data.draw(st.lists(small, min_size=count, max_size=count))
    limits, bounds = [*limits, [1] * width], [*bounds, 9]  # bounded, so that it can fail in one way only
    try:
        found = linear(gains, limits, bounds)
    except SolveError:
        # Farkas: then prices exist that make nothing of the limits and less than nothing of their bounds
        columns = [[-row[j] for row in limits] for j in range(width)]
        proof = linear([-b for b in bounds], [*columns, [1] * len(bounds)], [0] * width + [1])
        assert proof.value > 0
    else:
        check_optimum(found, gains, limits, bounds)
