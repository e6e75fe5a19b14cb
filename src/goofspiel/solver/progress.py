"""What a solve tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass

from goofspiel.plan import Block, LevelPlan, Plan


@dataclass(frozen=True, slots=True)
class Progress:
    """The state after a block."""

    level: int
    """The level that is being solved: cards in a hand."""
    levels: int
    """How many levels there are."""
    games_done: int
    """Matrix games that are done."""
    games: int
    """Those of the whole table."""
    blocks_done: int
    """Blocks that are done."""
    blocks: int
    """Those of the whole table."""


Report = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Report nothing."""


@dataclass
class Tally:
    """Count what is done, and report it."""

    plan: Plan
    report: Report
    games: int = 0
    blocks: int = 0

    def count(self, level: LevelPlan, blocks: list[Block]) -> None:
        """Some blocks of a level are done."""
        for block in blocks:
            self.games += level.block_games(block)
            self.blocks += 1
        self.report(
            Progress(
                level.level, len(self.plan.levels), self.games, self.plan.games, self.blocks, self.plan.block_count
            )
        )
