"""What a solve tells while it runs."""

from collections.abc import Callable
from dataclasses import dataclass

from goofspiel.plan import Block, LevelPlan, Plan


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
