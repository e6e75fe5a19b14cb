"""Solve matrix games of any origin: one or many, of one shape or several, on one thread or more."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.errors import whole
from goofspiel.games.fast import solve_stack
from goofspiel.games.large import solve_large
from goofspiel.games.optimal_face import optimal_ranges
from goofspiel.games.payoffs import Payoffs, check_finite, take_batch, take_matrix
from goofspiel.games.solution import KERNEL_SIZE, BatchRanges, BatchSolution, Found, Ranges, Solution, empty

Task = TypeVar("Task")
Result = TypeVar("Result")

PIECE = 8192  # games that the kernel is handed at a time, at most
SHARES = 4  # pieces that every thread has, at least: none waits long for another


def solve(matrix: Payoffs, *, ranges: bool = False) -> Solution:
    """Solve one game, given as its payoff matrix: rows are the maximiser's choices.

    `ranges` asks for all optimal mixes of both players.

    >>> solve([[1, -2, 3], [-4, 5, -6], [7, -8, 9]]).row_mix
    array([0.25, 0.5 , 0.25])
    """
    payoffs = take_matrix(matrix)
    value, row_mix, column_mix, gap = found = empty((1,), *payoffs.shape)
    _solve_stack(payoffs[None], found, lambda _: "")
    solution = Solution(value.item(), row_mix[0], column_mix[0], gap.item())
    if not ranges:
        return solution
    mine, theirs = _both_ranges(payoffs, solution)
    return replace(solution, row_ranges=mine, column_ranges=theirs)


def solve_batch(
    matrices: Payoffs | Sequence[Payoffs],
    *,
    threads: int = 1,
    ranges: bool = False,
    out: BatchSolution | None = None,
    kernel: str = "",
) -> BatchSolution:
    """Solve many games: an array `[…][row][column]` with any leading dimensions, or a list of matrices of any shapes.

    What is found of a game depends on the game only, not on its company nor on the number of threads. `ranges` asks for
    all optimal mixes of both players. `out` has arrays to write to. `kernel` names a build other than the best.
    """
    if whole(threads, "threads") < 1:
        raise ValueError(f"games are solved on 1 thread or more, not {threads}")
    if not isinstance(kernel, str):
        raise TypeError(f"kernel must be a str, not {kernel!r}")
    batch = _Batch.of(take_batch(matrices))
    result = BatchSolution(*empty(batch.leading, *batch.size)) if out is None else batch.checked(out)
    found = batch.flat(result)
    _each(lambda piece: batch.solve_piece(piece, found, kernel), batch.pieces(threads), threads)
    if not ranges:
        return result
    both = _each(lambda game: batch.ranges(game, found), range(len(batch)), threads)
    rows, columns = (batch.join([pair[side] for pair in both], side) for side in (0, 1))
    return replace(result, row_ranges=rows, column_ranges=columns)


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Games, and the dimensions of what is found."""

    games: NDArray[Any] | list[NDArray[Any]]  # [game][row][column]
    leading: tuple[int, ...]
    size: tuple[int, int]  # the most rows and columns

    @staticmethod
    def of(taken: NDArray[Any] | list[NDArray[Any]]) -> "_Batch":
        if isinstance(taken, list):
            rows, columns = (max((game.shape[axis] for game in taken), default=0) for axis in (0, 1))
            return _Batch(taken, (len(taken),), (rows, columns))
        *leading, rows, columns = taken.shape
        return _Batch(taken.reshape(-1, rows, columns), tuple(leading), (rows, columns))

    def __len__(self) -> int:
        return len(self.games)

    def name(self, game: int) -> str:
        """As the caller would index it."""
        if len(self.leading) == 1:
            return f"game {game}"
        return f"game {tuple(map(int, np.unravel_index(game, self.leading)))}" if self.leading else ""

    def checked(self, out: BatchSolution) -> BatchSolution:
        """Arrays of the caller's that can be written to; what they held, ranges included, is forgotten."""
        if not isinstance(out, BatchSolution):
            raise TypeError(f"out must be a BatchSolution, not {type(out).__name__}")
        rows, columns = self.size
        shapes = {"value": (), "row_mix": (rows,), "column_mix": (columns,), "gap": ()}
        for name, last in shapes.items():
            array, shape = getattr(out, name), (*self.leading, *last)
            fits = isinstance(array, np.ndarray) and (array.shape, array.dtype) == (shape, np.float64)
            if not (fits and array.flags.carray):
                raise ValueError(f"out.{name} must be a writeable array of float64 in C order, of shape {shape}")
        arrays = [getattr(out, name) for name in shapes]
        if any(np.may_share_memory(one, other) for one, other in combinations(arrays, 2)):
            raise ValueError("the arrays of out must not overlap")
        return BatchSolution(*arrays)

    def flat(self, result: BatchSolution) -> Found:
        """Views of the same arrays, `[game]`."""
        count, (rows, columns) = len(self), self.size
        mixes = result.row_mix.reshape(count, rows), result.column_mix.reshape(count, columns)
        return result.value.reshape(count), *mixes, result.gap.reshape(count)

    def pieces(self, threads: int) -> list[list[int] | slice]:
        """Games of one shape, as many as are solved together."""
        share = PIECE if threads == 1 else max(1, min(PIECE, len(self) // (SHARES * threads)))
        if isinstance(self.games, np.ndarray):
            step = share if max(self.size) <= KERNEL_SIZE else 1
            return [slice(begin, begin + step) for begin in range(0, len(self), step)]
        by_shape: dict[tuple[int, ...], list[int]] = {}
        for game, matrix in enumerate(self.games):
            by_shape.setdefault(matrix.shape, []).append(game)
        return [
            members[begin : begin + step]
            for shape, members in by_shape.items()
            for step in [share if max(shape) <= KERNEL_SIZE else 1]
            for begin in range(0, len(members), step)
        ]

    def solve_piece(self, piece: list[int] | slice, found: Found, kernel: str) -> None:
        value, row_mix, column_mix, gap = found
        if isinstance(piece, slice):
            members: Sequence[int] = range(len(self))[piece]
            stack = np.asarray(self.games)[piece]
            into = value[piece], row_mix[piece], column_mix[piece], gap[piece]
        else:
            members = piece
            stack = np.stack([self.games[game] for game in piece])
            into = empty((len(piece),), *stack.shape[1:])

        def name(game: int) -> str:
            return self.name(members[game])

        _solve_stack(np.ascontiguousarray(stack, dtype=np.float64), into, name, kernel=kernel)
        if not isinstance(piece, slice):
            rows, columns = stack.shape[1:]
            row_mix[piece], column_mix[piece] = 0, 0
            value[piece], row_mix[piece, :rows], column_mix[piece, :columns], gap[piece] = into

    def ranges(self, game: int, found: Found) -> tuple[Ranges, Ranges]:
        payoffs = np.asarray(self.games[game], dtype=np.float64)
        rows, columns = payoffs.shape
        value, row_mix, column_mix, gap = found
        mixes = row_mix[game, :rows], column_mix[game, :columns]
        return _both_ranges(payoffs, Solution(value[game].item(), *mixes, gap[game].item()))

    def join(self, ranges: list[Ranges], side: int) -> BatchRanges:
        """Of a choice that a game does not have, the probability is 0."""
        ends = np.zeros((2, len(self), self.size[side]))
        for game, one in enumerate(ranges):
            ends[:, game, : len(one.least)] = one.least, one.greatest
        least, greatest = ends.reshape(2, *self.leading, self.size[side])
        unique = np.array([one.unique is True for one in ranges], dtype=np.bool_)
        return BatchRanges(least, greatest, unique.reshape(self.leading))


def _solve_stack(payoffs: Floats, found: Found, name: Callable[[int], str], *, kernel: str = "") -> None:
    """Games of one shape in the kernel; those that are too large or too ill for it one by one.

    Nothing is proved of payoffs that are not finite, so they are found among those.
    """
    left: Sequence[int] | NDArray[np.intp] = range(len(payoffs))
    if max(payoffs.shape[1:]) <= KERNEL_SIZE:
        left = solve_stack(payoffs, found, kernel=kernel)
    value, row_mix, column_mix, gap = found
    for game in left:
        check_finite(payoffs[game], name(int(game)))
        one = solve_large(payoffs[game], name(int(game)) or "the game")
        value[game], row_mix[game], column_mix[game], gap[game] = one.value, one.row_mix, one.column_mix, one.gap


def _both_ranges(payoffs: Floats, solution: Solution) -> tuple[Ranges, Ranges]:
    """All optimal mixes of either player, the payoffs being exactly what they are."""
    return optimal_ranges(payoffs, solution, error=0), optimal_ranges(-payoffs.T, solution.swap(), error=0)


def _each(function: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """The function of each task, in their order: an error is that of the first that fails."""
    helpers = min(threads, len(tasks)) - 1
    if helpers < 1:
        return [function(task) for task in tasks]
    left = deque(range(len(tasks)))
    found: dict[int, Result] = {}
    errors: dict[int, BaseException] = {}

    def work() -> None:
        while True:
            try:
                which = left.popleft()
            except IndexError:
                return
            try:
                found[which] = function(tasks[which])
            except BaseException as error:  # raised when nobody works any more
                errors[which] = error
                left.clear()

    with ThreadPoolExecutor(helpers) as pool:
        for _ in range(helpers):
            pool.submit(work)
        try:
            work()  # the thread that would else wait is one of them
        finally:
            left.clear()  # Ctrl-C may come between two tasks
    if errors:
        raise errors[min(errors)]
    return [found[which] for which in range(len(tasks))]
