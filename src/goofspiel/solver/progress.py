"""What a solve tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from goofspiel.store.blocks import Block, Layout, LevelLayout


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a block."""

    level: int
    """The level that is being solved: cards in a hand."""
    levels: int
    """The last one."""
    games_done: int
    """Matrix games that are done."""
    games: int
    """Those of the whole table."""
    blocks_done: int
    """Blocks that are done."""
    blocks: int
    """Those of the whole table."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is there of a table before it is solved."""

    done: int
    """Its parts that are solved."""
    parts: int
    """All of them."""
    unit: str
    """What they are: blocks, or prize sets."""
    complete: bool
    """Whether nothing is left to solve."""
    being_solved: bool = False
    """Whether another process is at work on it."""

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        state = "complete" if self.complete else "begun" if self.done else "missing"
        done = {f"{self.unit}_done".replace(" ", "_"): self.done}
        return {"state": state, self.unit.replace(" ", "_"): self.parts, **done, "being_solved": self.being_solved}

    def to_text(self) -> str:
        """For people."""
        state = f"{self.done} of {self.parts} {self.unit} are solved, --resume goes on" if self.done else "nothing yet"
        return ("complete" if self.complete else state) + ", being solved by another process" * self.being_solved


OnProgress = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Nobody listens."""


@dataclass
class Tally:
    """Count what is done, and say so."""

    layout: Layout
    on_progress: OnProgress
    games: int = 0
    blocks: int = 0

    def count(self, level: LevelLayout, blocks: list[Block]) -> None:
        """Some blocks of a level are done."""
        for block in blocks:
            self.games += level.block_games(block)
            self.blocks += 1
        self.on_progress(
            Progress(
                level.level,
                self.layout.levels[-1].level,
                self.games,
                self.layout.games,
                self.blocks,
                self.layout.block_count,
            )
        )
