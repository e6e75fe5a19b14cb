"""Batches of matrix games: shapes, threads, arrays of other libraries, what is written where, what is refused."""

import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from goofspiel import games
from goofspiel.arrays import Floats
from goofspiel.errors import ProofError
from goofspiel.games import batches, large, payoffs

MANY = 2 * batches.PIECE + 5  # games that no thread gets all of


def same(first: games.BatchSolution, second: games.BatchSolution) -> bool:
    """Bit by bit."""
    return all(
        getattr(first, name).tobytes() == getattr(second, name).tobytes()
        for name in ("value", "row_mix", "column_mix", "gap")
    )


def with_ties(count: int, *shape: int) -> Floats:
    """Games in which several mixes are optimal."""
    return np.random.default_rng(5).integers(-1, 2, size=(count, *shape)).astype(float)


def proved(matrix: Floats, value: float, row_mix: Floats, column_mix: Floats, gap: float) -> bool:
    """Whether the mixes are mixes, and leave no more than the gap, which is next to nothing."""
    rounding = 1e-15 * max(matrix.shape) * max(np.abs(matrix).max(), 1e-300)
    guaranteed, conceded = (row_mix @ matrix).min(), (matrix @ column_mix).max()
    is_mix = min(row_mix.min(), column_mix.min()) >= 0 and np.allclose([row_mix.sum(), column_mix.sum()], 1, 0, 1e-13)
    is_between = guaranteed - rounding <= value + gap and value - gap <= conceded + rounding
    return bool(is_mix and is_between and conceded - guaranteed <= gap + rounding <= 1e-9 * np.abs(matrix).max())


# --- shapes


@pytest.mark.parametrize("leading", [(), (0,), (7,), (2, 3), (2, 0, 3), (2, 1, 2, 3)])
def test_leading_dimensions_as_in_numpy_linalg(leading: tuple[int, ...]) -> None:
    matrices = np.random.default_rng(1).normal(size=(*leading, 3, 4))
    found = games.solve_batch(matrices, ranges=True)
    assert found.row_ranges
    assert found.column_ranges
    assert found.value.shape == found.gap.shape == found.row_ranges.unique.shape == leading
    assert found.row_mix.shape == found.row_ranges.least.shape == (*leading, 3)
    assert found.column_mix.shape == found.column_ranges.greatest.shape == (*leading, 4)
    for index in np.ndindex(leading):
        assert found.value[index] == pytest.approx(games.solve(matrices[index]).value, abs=1e-13)


def test_games_of_different_shapes_in_one_list() -> None:
    random = np.random.default_rng(2)
    shapes = [(1, 1), (3, 5), (20, 4), (3, 5), (16, 16), (2, 30), (3, 5)]
    matrices = [random.normal(size=shape) for shape in shapes]
    found = games.solve_batch(matrices)
    assert found.row_mix.shape == (7, 20)
    assert found.column_mix.shape == (7, 30)
    for place, (matrix, (rows, columns)) in enumerate(zip(matrices, shapes, strict=True)):
        alone = games.solve(matrix)
        assert (found.value[place], found.gap[place]) == (alone.value, alone.gap)
        assert found.row_mix[place].tolist() == [*alone.row_mix, *[0.0] * (20 - rows)]
        assert found.column_mix[place].tolist() == [*alone.column_mix, *[0.0] * (30 - columns)]


def test_a_list_may_be_of_lists_and_of_arrays() -> None:
    matrices: list[Any] = [
        [[3, -1], [-2, 4]],
        np.array([[7]]),
        [[1.5, Fraction(1, 2)]],
        np.array([[2], [3]], dtype=np.float32),
    ]
    assert games.solve_batch(matrices).value.round(9).tolist() == [1.0, 7.0, 0.5, 3.0]
    assert games.solve_batch(tuple(matrices)[1:]).value.tolist() == [7.0, 0.5, 3.0]
    equal = games.solve_batch([np.eye(2), np.eye(2)])
    assert equal.row_mix.shape == (2, 2)
    nothing = games.solve_batch([])
    assert (nothing.value.shape, nothing.row_mix.shape) == ((0,), (0, 0))


@pytest.mark.parametrize("kind", ["float32", "float16", "int8", "uint64", "bool", ">f8", "longdouble", "object"])
def test_any_real_numbers(kind: str) -> None:
    matrices = np.random.default_rng(3).integers(0, 2, size=(50, 3, 4)).astype(kind)
    assert same(games.solve_batch(matrices), games.solve_batch(matrices.astype(np.float64)))
    assert games.solve(matrices[0]).value == games.solve(matrices[0].astype(np.float64)).value


@pytest.mark.parametrize("turned", ["transposed", "strided", "backwards", "fortran", "read only"])
def test_any_layout_in_memory(turned: str) -> None:
    matrices = np.random.default_rng(4).normal(size=(30, 4, 4))
    view = {
        "transposed": matrices.transpose(0, 2, 1),
        "strided": np.repeat(matrices, 2, axis=0)[::2],
        "backwards": matrices[::-1, ::-1],
        "fortran": np.asfortranarray(matrices),
        "read only": matrices.copy(),
    }[turned]
    view.flags.writeable = False
    before = view.copy()
    assert same(games.solve_batch(view), games.solve_batch(np.ascontiguousarray(view)))
    assert (view == before).all()


# --- large games


@pytest.mark.parametrize("shape", [(17, 1), (1, 17), (17, 17), (16, 40), (60, 33), (128, 128), (512, 20), (3, 1000)])
def test_what_is_too_large_for_the_kernel(shape: tuple[int, int]) -> None:
    matrix = np.random.default_rng(shape[0]).normal(size=shape)
    found = games.solve(matrix)
    assert proved(matrix, found.value, found.row_mix, found.column_mix, found.gap)
    judged = games.solve_with_highs(matrix)
    assert found.value == pytest.approx(judged.value, abs=found.gap + judged.gap + 1e-14)
    assert found.gap <= 1e-13


def test_the_largest_games() -> None:
    matrix = np.random.default_rng(1).normal(size=(512, 512))
    found = games.solve(matrix)
    assert proved(matrix, found.value, found.row_mix, found.column_mix, found.gap)
    turned = games.solve(-matrix.T)
    assert turned.value == pytest.approx(-found.value, abs=found.gap + turned.gap + 1e-14)


def test_a_kernel_size_game_solved_as_a_large_one() -> None:
    """The two ways agree where both can go."""
    random = np.random.default_rng(6)
    for size in (1, 2, 5, 16):
        for matrix in [*random.normal(size=(5, size, size)), *with_ties(5, size, size)]:
            solution = large.solve_large(matrix)
            assert solution.value == pytest.approx(games.solve(matrix).value, abs=1e-13)


def test_what_the_kernel_cannot_prove_is_solved_in_another_way(monkeypatch: pytest.MonkeyPatch) -> None:
    matrices = np.random.default_rng(7).normal(size=(9, 3, 4))
    expected = games.solve_batch(matrices).value

    def some_fail(stack: Floats, found: Any, **_: Any) -> NDArray[np.intp]:
        found[0][:] = np.nan
        return np.arange(len(stack))

    monkeypatch.setattr(batches, "solve_stack", some_fail)
    found = games.solve_batch(matrices)
    assert found.value == pytest.approx(expected, abs=1e-13)
    assert all(map(proved, matrices, found.value, found.row_mix, found.column_mix, found.gap))


def test_no_answer_without_a_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    matrices = np.random.default_rng(8).normal(size=(2, 3, 20, 18))
    monkeypatch.setattr(large, "_find_basis", lambda *_: ([0], [0]))
    with pytest.raises(ProofError, match=r"^game \(0, 0\) of 20 × 18 has no answer that proves itself optimal$"):
        games.solve_batch(matrices)
    monkeypatch.setattr(large, "_find_basis", lambda *_: None)
    with pytest.raises(ProofError, match=r"^the game of 20 × 18 has no answer"):
        games.solve(matrices[0, 0])


# --- threads and neighbours


@pytest.mark.parametrize("threads", [2, 3, 64])
def test_threads_change_nothing(threads: int) -> None:
    matrices = with_ties(MANY, 4, 4)
    assert same(games.solve_batch(matrices, threads=threads), games.solve_batch(matrices))


def test_threads_change_nothing_in_lists_and_large_games() -> None:
    random = np.random.default_rng(9)
    shapes = random.integers(1, 20, size=(300, 2)).tolist()
    matrices = [random.integers(-1, 2, size=shape) for shape in shapes]
    assert same(games.solve_batch(matrices, threads=3), games.solve_batch(matrices))


def test_games_do_not_see_their_neighbours() -> None:
    matrices = with_ties(MANY, 4, 4)
    whole = games.solve_batch(matrices)
    order = np.random.default_rng(10).permutation(MANY)
    moved = games.solve_batch(matrices[order])
    assert (moved.row_mix == whole.row_mix[order]).all()
    assert (moved.column_mix == whole.column_mix[order]).all()
    mixed = games.solve_batch([np.ones((17, 2)), *matrices[:50], np.ones((4, 5))])
    assert (mixed.row_mix[1:-1, :4] == whole.row_mix[:50]).all()
    assert mixed.value[1:-1].tolist() == whole.value[:50].tolist()


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads(threads: int) -> None:
    with pytest.raises(ValueError, match=f"^games are solved on 1 thread or more, not {threads}$"):
        games.solve_batch(np.zeros((1, 1, 1)), threads=threads)


# --- what is written where


def test_results_are_written_to_the_arrays_given() -> None:
    first, second = np.random.default_rng(11).normal(size=(2, 4, 6, 3, 5))
    out = games.solve_batch(first)
    arrays = out.value, out.row_mix, out.column_mix, out.gap
    again = games.solve_batch(second, out=out)
    found = again.value, again.row_mix, again.column_mix, again.gap
    assert all(new is old for new, old in zip(found, arrays, strict=True))
    assert same(out, games.solve_batch(second))
    with_ranges = games.solve_batch(first, out=out, ranges=True)
    assert with_ranges.value is out.value
    assert with_ranges.row_ranges
    of_others = games.solve_batch(second, out=with_ranges)
    assert (of_others.row_ranges, of_others.column_ranges) == (None, None)


def test_a_list_overwrites_all_that_was_there() -> None:
    matrices = [np.eye(2), np.eye(3)]
    out = games.BatchSolution(np.full(2, 9.0), np.full((2, 3), 9.0), np.full((2, 3), 9.0), np.full(2, 9.0))
    assert same(games.solve_batch(matrices, out=out), games.solve_batch(matrices))


@pytest.mark.parametrize("name", ["value", "row_mix", "column_mix", "gap"])
@pytest.mark.parametrize("wrong", ["shape", "kind", "order", "read only", "list"])
def test_arrays_that_cannot_be_written_to(name: str, wrong: str) -> None:
    matrices = np.zeros((4, 2, 3))
    arrays: dict[str, Any] = {"value": np.empty(4), "row_mix": np.empty((4, 2)), "column_mix": np.empty((4, 3))}
    arrays["gap"] = np.empty(4)
    right = arrays[name]
    arrays[name] = {
        "shape": right[:3],
        "kind": right.astype(np.float32),
        "order": np.repeat(right, 2, axis=0)[::2],
        "read only": np.broadcast_to(right, right.shape),
        "list": right.tolist(),
    }[wrong]
    message = f"out.{name} must be a writeable array of float64 in C order, of shape {right.shape}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        games.solve_batch(matrices, out=games.BatchSolution(**arrays))


def test_arrays_that_overlap_are_refused() -> None:
    out = games.solve_batch(np.ones((4, 2, 3)))
    with pytest.raises(ValueError, match=r"^the arrays of out must not overlap$"):
        games.solve_batch(np.ones((4, 2, 3)), out=replace(out, gap=out.value))
    with pytest.raises(TypeError, match=r"^out must be a BatchSolution, not tuple$"):
        games.solve_batch(np.ones((4, 2, 3)), out=(out.value, out.gap))  # type: ignore[arg-type]


# --- all optimal mixes


def test_ranges_of_both_players() -> None:
    # the first two rows are alike against what the column player may do; the column player has no choice
    found = games.solve([[1.0, 1.0], [1.0, 2.0], [0.0, 3.0]], ranges=True)
    assert found.row_ranges
    assert found.column_ranges
    assert (found.row_ranges.least.tolist(), found.row_ranges.greatest.tolist()) == ([0, 0, 0], [1, 1, 0])
    assert (found.row_ranges.unique, found.column_ranges.unique) == (False, True)
    assert found.column_ranges.least.tolist() == found.column_mix.tolist() == [1, 0]
    swapped = found.swap()
    assert swapped.row_ranges is found.column_ranges
    assert games.solve([[1.0]]).row_ranges is None


def test_ranges_in_a_batch_are_those_of_its_games() -> None:
    matrices: list[Floats] = [*with_ties(20, 3, 3), *with_ties(20, 2, 4), np.ones((2, 2))]
    found = games.solve_batch(matrices, ranges=True, threads=2)
    for place, matrix in enumerate(matrices):
        alone = games.solve(matrix, ranges=True)
        for many, one in ((found.row_ranges, alone.row_ranges), (found.column_ranges, alone.column_ranges)):
            assert many
            assert one
            size = len(one.least)
            assert many.unique[place] == one.unique
            assert many.least[place].tolist() == [*one.least, *[0.0] * (many.least.shape[1] - size)]
            assert many.greatest[place, :size].tolist() == one.greatest.tolist()


def test_ranges_of_large_games() -> None:
    random = np.random.default_rng(12)
    found = games.solve(random.normal(size=(40, 30)), ranges=True)
    assert found.row_ranges
    assert found.row_ranges.unique
    assert found.row_ranges.least.tolist() == found.row_mix.tolist()
    matrix = np.repeat(random.normal(size=(10, 10)), 2, axis=0)  # every row twice
    twice = games.solve(matrix, ranges=True)
    assert twice.row_ranges
    assert twice.column_ranges
    assert twice.row_ranges.unique is None
    share = twice.row_mix.reshape(-1, 2).sum(axis=1).repeat(2)
    assert twice.row_ranges.least == pytest.approx(np.zeros(20), abs=1e-7)
    assert twice.row_ranges.greatest == pytest.approx(share, abs=1e-7)
    assert not games.solve_batch([matrix, matrix], ranges=True).row_ranges.unique.any()  # type: ignore[union-attr]


# --- what is refused


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        ([[[1.0]], [[math.nan]]], "payoffs must be finite, not nan: game 1, row 0, column 0"),
        (np.where(np.arange(24).reshape(2, 3, 2, 2) == 21, np.inf, 0), "not inf: game (1, 2), row 0, column 1"),
        (np.array([[1.0, -np.inf]]), "payoffs must be finite, not -inf: row 0, column 1"),
        ([np.eye(2), [[1.0, math.nan]]], "payoffs must be finite, not nan: game 1, row 0, column 1"),
        ([np.eye(2), np.full((20, 20), math.nan)], "payoffs must be finite, not nan: game 1, row 0, column 0"),
        (np.zeros((2, 2, 2), dtype=complex), "payoffs must be real numbers, not complex128"),
        ([[[1.0]], [[1j]]], "game 1: payoffs must be real numbers, not complex128"),
        ([[[1.0]], [["a"]]], "game 1: payoffs must be real numbers, not <U1"),
        ([[[1, 2], [3]], [[1]]], "game 0: a payoff matrix needs rows of equal length and real numbers"),
        ([[[1, 2]], [1]], "game 1: a payoff matrix has 2 dimensions, not 1"),
        ([np.zeros((2, 2, 2)), np.zeros((2, 2))], "game 0: a payoff matrix has 2 dimensions, not 3"),
        ([np.zeros((2, 2)), np.zeros((2, 0))], "game 1: a game has 1 to 1000 rows and columns, not 2 × 0"),
        ([1.0, 2.0], "a payoff matrix has 2 dimensions, not 1"),
        (5, "a payoff matrix has 2 dimensions, not 0"),
        ([[[Fraction(1, 2), "3"]]], "game 0: payoffs must be real numbers, not '3'"),
        (
            np.ma.masked_array(np.eye(2), mask=np.eye(2, dtype=bool)),
            "payoffs must all be there: a masked array hides some",
        ),
        (iter([[[1.0]]]), "payoffs are a list or an array of numbers, not a list_iterator"),
        (np.zeros((3, 0, 2)), "a game has 1 to 1000 rows and columns, not 0 × 2"),
        (np.zeros((2, 1001, 3)), "a game has 1 to 1000 rows and columns, not 1001 × 3"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_no_batch(matrices: Any, message: str, threads: int) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        games.solve_batch(matrices, threads=threads)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", ["threads", "kernel"])
def test_options_of_another_type_are_refused(option: str) -> None:
    with pytest.raises(TypeError, match=f"^{option} must be a (whole number|str), not None$"):
        games.solve_batch([[[1.0]]], **{option: None})  # type: ignore[arg-type]


def test_the_first_game_that_is_not_finite_is_named() -> None:
    matrices = np.zeros((MANY, 2, 2))
    matrices[[3, batches.PIECE + 1, MANY - 1], 1, 0] = math.nan
    for threads in (1, 2):
        with pytest.raises(ValueError, match=r"not nan: game 3, row 1, column 0$"):
            games.solve_batch(matrices, threads=threads)


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("kernel", games.kernels())
def test_what_is_not_finite_is_found_wherever_it_stands(kernel: str, wrong: float) -> None:
    chance = np.random.default_rng(1)
    for _ in range(200):
        count, rows, columns = chance.integers(1, (20, 17, 17))
        matrices = chance.choice([chance.normal(size=(count, rows, columns)), np.zeros((count, rows, columns))])
        game, row, column = (int(chance.integers(size)) for size in (count, rows, columns))
        matrices[game, row, column] = wrong
        with pytest.raises(ValueError, match=f"not {wrong}: game {game}, row {row}, column {column}$"):
            games.solve_batch(matrices, kernel=kernel)
        with pytest.raises(ValueError, match=f"not {wrong}: row {row}, column {column}$"):
            games.solve(matrices[game])


# --- arrays of other libraries, where they are installed


@pytest.mark.parametrize("kind", ["float64", "float32", "int32"])
def test_torch_tensors_are_read_where_they_stand(kind: str) -> None:
    torch = pytest.importorskip("torch")
    tensor = torch.arange(24).reshape(2, 3, 4).to(getattr(torch, kind))
    taken = payoffs.take_batch(tensor)
    assert isinstance(taken, np.ndarray)
    assert taken.ctypes.data == tensor.data_ptr()
    assert same(games.solve_batch(tensor), games.solve_batch(tensor.numpy()))
    assert same(games.solve_batch([*tensor]), games.solve_batch(tensor.numpy()))
    assert same(games.solve_batch(tensor.mT), games.solve_batch(tensor.numpy().transpose(0, 2, 1)))


def test_torch_tensors_that_cannot_be_read() -> None:
    torch = pytest.importorskip("torch")
    for tensor in (torch.eye(2, requires_grad=True), torch.eye(2, device="meta"), torch.eye(2, dtype=torch.bfloat16)):
        with pytest.raises(ValueError, match=r"^a torch\.Tensor cannot be read as an array of the CPU: .+") as caught:
            games.solve(tensor)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="real numbers, not complex64"):
        games.solve(torch.eye(2, dtype=torch.complex64))


def test_jax_arrays_are_read_where_they_stand() -> None:
    jax = pytest.importorskip("jax")
    array = jax.numpy.arange(24.0).reshape(2, 3, 4)
    taken = payoffs.take_batch(array)
    assert isinstance(taken, np.ndarray)
    assert taken.ctypes.data == array.unsafe_buffer_pointer()
    assert same(games.solve_batch(array), games.solve_batch(np.asarray(array)))


class Foreign:
    """An array of a library of our own: only DLPack leads to its numbers."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __dlpack__(self, **asked: Any) -> Any:
        return self.array.__dlpack__(**asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_any_array_that_speaks_dlpack_is_read_where_it_stands() -> None:
    array = np.random.default_rng(13).normal(size=(5, 3, 4))
    taken = payoffs.take_batch(Foreign(array))
    assert isinstance(taken, np.ndarray)
    assert np.shares_memory(taken, array)
    assert same(games.solve_batch(Foreign(array)), games.solve_batch(array))
    assert same(games.solve_batch([Foreign(array[0]), Foreign(array[1])]), games.solve_batch(array[:2]))
    with pytest.raises(ValueError, match=r"^a test_game_batches\.Foreign cannot be read as an array of the CPU: "):
        games.solve(Foreign(np.array([["a"]])))
