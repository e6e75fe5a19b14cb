"""Payoff matrices as callers have them: nested lists, arrays of NumPy, Torch or JAX, games of different shapes."""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from goofspiel.arrays import Floats
from goofspiel.games.solution import LARGEST

REAL = "biuf"  # kinds of numbers that become doubles; objects, such as fractions, may do so too


class DLPackArray(Protocol):
    """An array of another library, which is read where it stands."""

    def __dlpack__(self, *, stream: Any = None) -> Any:
        """Hand it over."""


Payoffs: TypeAlias = ArrayLike | DLPackArray


def take_matrix(given: Payoffs) -> Floats:
    """One payoff matrix in doubles, not yet known to be finite; a ValueError says what else is wrong with it."""
    array = _checked(_real(given))
    if array.ndim != 2:
        raise ValueError(f"a payoff matrix has 2 dimensions, not {array.ndim}")
    doubles: Floats = np.ascontiguousarray(array, dtype=np.float64)
    return doubles


def take_batch(given: Payoffs | Sequence[Payoffs]) -> NDArray[Any] | list[NDArray[Any]]:
    """Games of one shape as an array `[…][row][column]`, or else matrices; not yet in doubles, nor known to be finite.

    A list may hold matrices of different shapes.
    """
    if not isinstance(given, (list, tuple)):
        return _checked(_real(given))
    games = []
    for place, game in enumerate(given):
        try:
            games.append(_real(game))
        except ValueError as error:
            raise ValueError(f"game {place}: {error}") from None
    if len({game.shape for game in games}) == 1:
        return _checked(np.stack(games))
    for place, game in enumerate(games):
        if game.ndim != 2:
            raise ValueError(f"game {place}: a payoff matrix has 2 dimensions, not {game.ndim}")
    return [_checked(game, f"game {place}: ") for place, game in enumerate(games)]


def check_finite(payoffs: Floats, name: str) -> None:
    """Refuse a payoff matrix with other numbers in it; the error calls the game by its name, if it has one."""
    wrong = np.argwhere(~np.isfinite(payoffs))
    if len(wrong):
        row, column = wrong[0].tolist()
        where = ", ".join(filter(None, (name, f"row {row}", f"column {column}")))
        raise ValueError(f"payoffs must be finite, not {payoffs[row, column]}: {where}")


def _real(given: Any) -> NDArray[Any]:
    """An array of real numbers, without a copy where it is one already."""
    if isinstance(given, np.ma.MaskedArray):
        raise ValueError("payoffs must all be there: a masked array hides some")
    if isinstance(given, np.ndarray):
        array = np.asarray(given)
    elif hasattr(given, "__dlpack__"):
        array = _from_dlpack(given)
    else:
        try:
            array = np.asarray(given)
        except (TypeError, ValueError, RuntimeError) as error:  # the last of a tensor among them
            raise ValueError(f"a payoff matrix needs rows of equal length and real numbers: {error}") from None
    if array.dtype == object:
        if array.ndim == 0:
            raise ValueError(f"payoffs are a list or an array of numbers, not a {type(given).__name__}")
        if text := next((cell for cell in array.flat if isinstance(cell, str | bytes)), None):
            raise ValueError(f"payoffs must be real numbers, not {text!r}")
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"payoffs must be real numbers: {error}") from None
    if array.dtype.kind not in REAL:
        raise ValueError(f"payoffs must be real numbers, not {array.dtype}")
    return array


def _from_dlpack(given: DLPackArray) -> NDArray[Any]:
    try:
        return np.from_dlpack(given)
    except Exception as error:  # each library has its own for a device, a kind of number, a gradient
        kind = f"{type(given).__module__}.{type(given).__qualname__}"
        said = str(error).strip().partition("\n")[0]
        raise ValueError(f"a {kind} cannot be read as an array of the CPU: {said}") from None


def _checked(array: NDArray[Any], name: str = "") -> NDArray[Any]:
    if array.ndim < 2:
        raise ValueError(f"{name}a payoff matrix has 2 dimensions, not {array.ndim}")
    rows, columns = array.shape[-2:]
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise ValueError(f"{name}a game has 1 to {LARGEST} rows and columns, not {rows} × {columns}")
    return array
