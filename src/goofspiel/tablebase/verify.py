"""Check a table: every checksum, and a sample of positions solved again by HiGHS."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from goofspiel import prizes, shelves
from goofspiel.errors import DamagedTableError, MissingTableError
from goofspiel.games import solve_with_highs
from goofspiel.position import Position
from goofspiel.rules import Objective, mask_of
from goofspiel.store import Table
from goofspiel.tablebase.bounds import table_bound
from goofspiel.tablebase.tablebase import Tablebase

# What HiGHS may be wrong by, as a share of what is played for: its tolerance, over the upcards of a position.
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
    scaled: int  # positions compared with the same position, all prizes and the lead doubled
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
            size += table.read_block(level, block).nbytes
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
        progress(done, len(blocks))
    for level in range(1, table.header.cards):
        try:
            table.level_gap(level)
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
    levels = [level for level in table.levels if level == 1 or level - 1 in table.levels]
    if damaged or not levels:
        # What is damaged cannot be asked, what is not kept cannot be solved from, and one card leaves nothing to ask.
        return Verification(len(blocks), size, tuple(damaged), 0, 0, 0.0, 0, 0.0, 0, 0.0, 0.0)
    allowed = 2 * table_bound(table).value + JUDGE_TOLERANCE * table.plan.payoff_bound
    random = np.random.default_rng(seed)
    asked = [_random_position(table, levels, random) for _ in range(samples)]
    with Tablebase(table) as tablebase:
        stored = tablebase.values(asked)
        judged = [_solve_again(tablebase, position) for position in asked]
        mirrored = tablebase.values([position.swap() for position in asked])
        low = [position for position in asked if position.prizes < 1 << table.header.cards // 2]
        small = [position for position in low if tablebase.holds(_double(position))]
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
        largest_scaling_difference=_largest(
            doubled - (2 if table.header.objective == Objective.POINTS else 1) * single
        ),
        allowed=allowed,
    )


def _largest(differences: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(np.abs(differences).max(initial=0.0))


def _random_position(table: Table, levels: list[int], random: np.random.Generator) -> Position:
    """A stored position; every other one has its prizes among the lower half of the cards, so that they can double."""
    cards, objective = table.header.cards, table.header.objective
    low = bool(random.integers(2)) and cards >= 4
    level = int(random.choice(list(range(1, cards // 2 + 1) if low else levels)))
    index = random.integers(shelves.matchup_count(cards, level, objective), size=1)
    mine, theirs = (int(word[0]) for word in shelves.words(index, cards, level))
    deck = mask_of((random.permutation(cards // 2 if low else cards)[:level] + 1).tolist())
    where = shelves.shelve(cards, level, objective)
    (number,) = prizes.number(np.array([deck], dtype=np.uint16)).tolist()
    largest = where.leads[where.shelf[number]]
    lead = int(random.integers(-largest, largest + 1))
    return Position.from_masks(mine, theirs, deck, lead=lead)


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
    deck = [2 * card for card in position.deck_cards]
    return Position.of(position.my_cards, position.their_cards, deck, lead=2 * position.lead)
