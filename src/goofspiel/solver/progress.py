"""What a solve tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a block."""

    level: int
    levels: int
    games_done: int
    games: int  # in the whole table
    blocks_done: int
    blocks: int


Report = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Report nothing."""
