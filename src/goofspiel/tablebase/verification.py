"""Check a table: every part is read, and random positions are solved again by HiGHS, mirrored, and prizes doubled."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import nextafter
from typing import Any

import numpy as np

from goofspiel.batch import cards_needed
from goofspiel.errors import DamagedTableError, MissingTableError
from goofspiel.games import solve_with_highs
from goofspiel.position import Position
from goofspiel.rules import Rules, mask_of
from goofspiel.states import prize_sets
from goofspiel.states.space import level_space
from goofspiel.store import Table
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase.bounds import table_bound
from goofspiel.tablebase.exact import ExactTablebase
from goofspiel.tablebase.tablebase import Tablebase

# What HiGHS may be wrong by, as a share of what is played for: its tolerance, over the upcards of a position.
JUDGE_TOLERANCE = 1e-8

StoredValues = Callable[[Sequence[Position]], Iterable[Any]]  # positions before their upcard → any numbers
OnRead = Callable[[int, int], None]  # (done, all) of the parts that are read


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked, and what was found."""

    exact: bool
    """In fractions: mirror images and doubled prizes may not differ at all."""
    blocks: int
    """How many blocks were read."""
    bytes: int
    """How much that was."""
    damaged: tuple[str, ...]
    """What is damaged or missing, one line each."""
    positions: int = 0
    """Positions solved again by HiGHS."""
    games: int = 0
    """Their matrix games."""
    largest_difference: float = 0.0
    """Between a stored value and HiGHS."""
    swapped: int = 0
    """Positions compared with their mirror image."""
    largest_asymmetry: float = 0.0
    """Between a stored value and that of the mirror image."""
    scaled: int = 0
    """Positions compared with the same position, all prizes and the lead doubled."""
    largest_scaling_difference: float = 0.0
    """Between what these should be worth and what is stored."""
    allowed: float = 0.0
    """The largest difference that is no fault."""

    @property
    def passed(self) -> bool:
        """Whether nothing wrong was found."""
        unlike = max(self.largest_asymmetry, self.largest_scaling_difference)
        return (
            not self.damaged
            and self.largest_difference <= self.allowed
            and unlike <= (0 if self.exact else self.allowed)
        )


def verify(
    table: Table | ExactTable,
    *,
    samples: int = 200,
    seed: int = 0,
    on_progress: OnRead = lambda done, whole: None,
) -> Verification:
    """Read every part of a table, then solve sampled positions again."""
    if isinstance(table, ExactTable):
        read, levels = _read_exact(table, on_progress), range(1, table.rules.cards)
    else:
        read, levels = _read_blocks(table, on_progress), table.levels
    # What is not kept cannot be solved from.
    asked = [level for level in levels if level == 1 or level - 1 in levels]
    if read.damaged or not asked:
        return read  # what is damaged cannot be asked, and one card leaves nothing to ask
    stored, bound = _asking(table)
    return _judge(read, table.rules, stored, levels=asked, samples=samples, seed=seed, bound=bound)


def _asking(table: Table | ExactTable) -> tuple[StoredValues, float]:
    """What is stored of positions, and how far each value may be from the true one."""
    if isinstance(table, Table):
        return Tablebase(table).values, table_bound(table).value
    tablebase = ExactTablebase(table)
    return lambda positions: map(tablebase.stored, positions), 0.0


def _read_blocks(table: Table, on_progress: OnRead) -> Verification:
    faults = {level: table.metadata_faults(level) for level in table.levels}
    damaged, size = [fault for level in table.levels for fault in faults[level]], 0
    blocks = [
        (level, block) for level in table.levels if not faults[level] for block in range(table.block_count(level))
    ]
    for done, (level, block) in enumerate(blocks, start=1):
        try:
            size += table.check_block(level, block)
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
        on_progress(done, len(blocks))
    for level in range(1, table.rules.cards):
        try:
            table.level_gap(level)
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
    damaged = list(dict.fromkeys(damaged))  # what is damaged is noticed again and again
    return Verification(exact=False, blocks=len(blocks), bytes=size, damaged=tuple(damaged))


def _read_exact(table: ExactTable, on_progress: OnRead) -> Verification:
    damaged, size, most = [], 0, int(table.rules.payoff_bound)
    prize_sets_ = table.prize_sets()
    for done, which in enumerate(prize_sets_, start=1):
        try:
            values = table.read(*which)
            size += table.file(*which).stat().st_size
            if any(abs(value) > most for value in values):
                damaged.append(f"{table.file(*which)} holds a value above {most}, all there is to win")
        except (DamagedTableError, MissingTableError) as error:
            damaged.append(str(error))
        on_progress(done, len(prize_sets_))
    return Verification(exact=True, blocks=len(prize_sets_), bytes=size, damaged=tuple(damaged))


def _judge(
    read: Verification,
    rules: Rules,
    stored: StoredValues,
    *,
    levels: Sequence[int],
    samples: int,
    seed: int,
    bound: float,
) -> Verification:
    """Compare sampled positions of some levels; each stored value is said to be within `bound` of the true one."""
    random = np.random.default_rng(seed)
    asked = [_random_position(rules, levels, random) for _ in range(samples)]
    found = list(stored(asked))
    low = [position for position in asked if position.prizes < 1 << rules.cards // 2]
    small = [position for position in low if cards_needed(_double(position), rules) <= rules.cards]
    factor = 1 if rules.has_leads else 2
    return replace(
        read,
        positions=samples,
        games=sum(position.level for position in asked),
        largest_difference=_largest(
            float(ours) - _solve_again(stored, p) for ours, p in zip(found, asked, strict=True)
        ),
        swapped=samples,
        largest_asymmetry=_largest(map(sum, zip(found, stored([p.swap() for p in asked]), strict=True))),
        scaled=len(small),
        largest_scaling_difference=_largest(
            double - factor * single
            for double, single in zip(stored([_double(p) for p in small]), stored(small), strict=True)
        ),
        allowed=2 * bound + JUDGE_TOLERANCE * rules.payoff_bound,
    )


def _largest(differences: Iterable[Any]) -> float:
    return max(map(_size, differences), default=0.0)


def _size(difference: Any) -> float:
    """As a double; a fraction that is not 0 stays so, however small."""
    return abs(float(difference)) or (nextafter(0.0, 1.0) if difference else 0.0)


def _random_position(rules: Rules, levels: Sequence[int], random: np.random.Generator) -> Position:
    """A stored position; every other one has its prizes among the lower half of the cards, so that they can double."""
    cards = rules.cards
    low = bool(random.integers(2)) and cards >= 4
    level = int(random.choice(list(range(1, cards // 2 + 1) if low else levels)))
    space = level_space(rules, level)
    index = random.integers(space.columns, size=1)
    mine, theirs = (int(pattern[0]) for pattern in space.patterns(index))
    deck = mask_of((random.permutation(cards // 2 if low else cards)[:level] + 1).tolist())
    (number,) = prize_sets.number(np.array([deck], dtype=np.uint16)).tolist()
    largest = space.largest_lead(number)
    lead = int(random.integers(-largest, largest + 1))
    return Position.from_masks(mine, theirs, deck, lead=lead)


def _solve_again(stored: StoredValues, position: Position) -> float:
    """The value from the stored values of all positions two plies on, by HiGHS; no numbering of matrices is reused."""
    total = 0.0
    for card in position.deck_cards:
        shown = position.turn_up(card)
        after = [shown.play(mine, theirs) for mine in shown.my_cards for theirs in shown.their_cards]
        payoff = np.array([float(value) for value in stored(after)]).reshape(position.level, position.level)
        total += solve_with_highs(payoff).value
    return total / position.level


def _double(position: Position) -> Position:
    deck = [2 * card for card in position.deck_cards]
    return Position.of(position.my_cards, position.their_cards, deck, lead=2 * position.lead)
