"""What a solve tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass

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
