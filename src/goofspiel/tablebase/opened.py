"""What every open table offers: which game it is of, where it is, and an end to its use."""

from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import Self

from goofspiel.rules import Objective


class OpenedTable(ABC):
    """A context manager that closes what it opened."""

    def __init__(self, path: Path, cards: int, objective: Objective) -> None:
        self._path, self._cards, self._objective = path, cards, objective

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Let go of what was read."""

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self._cards

    @property
    def objective(self) -> Objective:
        """What the players maximise."""
        return self._objective

    @property
    def path(self) -> Path:
        """Where the table is."""
        return self._path
