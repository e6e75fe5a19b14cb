"""Check a table: every checksum, and a sample of positions solved again by HiGHS."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from goofspiel import matchups
from goofspiel.errors import DamagedTableError, MissingTableError
from goofspiel.games import solve_with_highs
from goofspiel.position import Position
from goofspiel.rules import cards_of
from goofspiel.store import Table
from goofspiel.tablebase.bounds import table_bound
from goofspiel.tablebase.tablebase import Tablebase

# What HiGHS may be wrong by, as a share of the prizes: its tolerance, over the upcards of a position.
JUDGE_TOLERANCE = 1e-8


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and what was found."""

    blocks: int
    bytes: int
    damaged: tuple[str, ...]
    positions: int  # solved again by HiGHS
    games: int
    largest_difference: float  # between a stored value and HiGHS
    swapped: int  # positions compared with their mirror image
    largest_asymmetry: float
    scaled: int  # positions compared with the same position, all prizes doubled
    largest_scaling_difference: float
    allowed: float  # the largest difference that is no fault

    @property
    def passed(self) -> bool:
        """Whether nothing wrong was found."""
        worst = max(self.largest_difference, self.largest_asymmetry, self.largest_scaling_difference)
        return not self.damaged and worst <= self.allowed


def verify(
    table: Table, *, samples: int = 200, seed: int = 0, progress: Callable[[int, int], None] = lambda done, all_: None
) -> Verification:
    """Read every block, then solve sampled positions again; `progress` is told (done, all) of the blocks."""
    damaged, size = [], 0
    blocks = [(level, block) for level in table.levels for block in range(table.block_count(level))]
    for done, (level, block) in enumerate(blocks, start=1):
        try:
            rows = table.block_rows(level)
            size += table.read_rows(level, block * rows, (block + 1) * rows).nbytes
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
        progress(done, len(blocks))
    for level in table.levels:
        try:
            table.level_gap(level)
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
    if damaged or table.header.cards == 1:
        # What is damaged cannot be asked, and one card leaves nothing to ask.
        return Verification(len(blocks), size, tuple(damaged), 0, 0, 0.0, 0, 0.0, 0, 0.0, 0.0)
    prize_total = table.header.cards * (table.header.cards + 1) / 2
    allowed = 2 * table_bound(table).value + JUDGE_TOLERANCE * prize_total
    random = np.random.default_rng(seed)
    asked = [_random_position(table, random) for _ in range(samples)]
    with Tablebase(table) as tablebase:
        stored = tablebase.values(asked)
        judged = [_solve_again(tablebase, position) for position in asked]
        mirrored = tablebase.values([position.swap() for position in asked])
        small = [position for position in asked if position.prizes < 1 << table.header.cards // 2]
        doubled = tablebase.values([_double(position) for position in small])
        single = tablebase.values(small)
    return Verification(
        blocks=len(blocks),
        bytes=size,
        damaged=(),
        positions=samples,
        games=sum(position.level for position in asked),
        largest_difference=_largest(stored - np.array(judged)),
        swapped=samples,
        largest_asymmetry=_largest(stored + mirrored),
        scaled=len(small),
        largest_scaling_difference=_largest(doubled - 2 * single),
        allowed=allowed,
    )


def _largest(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(np.abs(differences).max(initial=0.0))


def _random_position(table: Table, random: np.random.Generator) -> Position:
    """A stored position; every other one has its prizes among the lower half of the cards, so that they can double."""
    cards = table.header.cards
    low = bool(random.integers(2)) and cards >= 4
    level = int(random.choice(list(range(1, cards // 2 + 1) if low else table.levels)))
    index = random.integers(matchups.count(cards, level), size=1)
    mine, theirs = (int(word[0]) for word in matchups.words(index, level))
    chosen = random.permutation(cards // 2 if low else cards)[:level] + 1
    return Position.of(cards_of(mine), cards_of(theirs), chosen.tolist())


def _solve_again(tablebase: Tablebase, position: Position) -> float:
    """The value from the stored values of all positions two plies on, by HiGHS; no numbering of matrices is reused."""
    total = 0.0
    for card in position.deck_cards:
        shown = position.turn_up(card)
        after = [shown.play(mine, theirs) for mine in shown.my_cards for theirs in shown.their_cards]
        payoff = tablebase.values(after).reshape(position.level, position.level)
        total += solve_with_highs(payoff).value
    return total / position.level


def _double(position: Position) -> Position:
    return Position.of(position.my_cards, position.their_cards, [2 * card for card in position.deck_cards])
