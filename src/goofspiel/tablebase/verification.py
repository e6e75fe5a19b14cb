"""Check a table: every part is read, and random positions are solved again by HiGHS, mirrored, and prizes doubled."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import nextafter
from typing import Any

import numpy as np

from goofspiel.batch import cards_needed
from goofspiel.cards import cards_of
from goofspiel.errors import DamagedTableError, MissingTableError
from goofspiel.games import solve_with_highs
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.states.space import level_space
from goofspiel.store import Table
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase.base import mean_of, next_upcards
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
    missing: int
    """How many are not there: those of a table that is not completely solved."""
    damaged: tuple[str, ...]
    """What is damaged, or gone from a complete table, one line each."""
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
            and not self.missing
            and self.largest_difference <= self.allowed
            and unlike <= (0 if self.exact else self.allowed)
        )


def verify(
    table: Table | ExactTable,
    *,
    positions: int = 200,
    seed: int = 0,
    on_progress: OnRead = lambda done, whole: None,
) -> Verification:
    """Read every part of a table, then solve sampled positions again."""
    if isinstance(table, ExactTable):
        read, levels = _read_exact(table, on_progress), range(table.rules.last_level + 1, table.rules.cards)
    else:
        read, levels = _read_blocks(table, on_progress), table.levels
    # What is not kept cannot be solved from.
    asked = [level for level in levels if table.rules.is_over(level - 1) or level - 1 in levels]
    if read.damaged or read.missing or not asked:
        return read  # what is damaged or missing cannot be asked, and one card leaves nothing to ask
    stored, bound = _asking(table)
    return _judge(read, table.rules, stored, levels=asked, positions=positions, seed=seed, bound=bound)


def _asking(table: Table | ExactTable) -> tuple[StoredValues, float]:
    """What is stored of positions, and how far each value may be from the true one."""
    if isinstance(table, Table):
        return Tablebase(table).values, table_bound(table).value
    tablebase = ExactTablebase(table)
    return lambda positions: map(tablebase.stored, positions), 0.0


def _read_blocks(table: Table, on_progress: OnRead) -> Verification:
    faults = {level: table.metadata_faults(level) for level in table.levels}
    damaged, size, missing = [fault for level in table.levels for fault in faults[level]], 0, 0
    blocks = [
        (level, block) for level in table.levels if not faults[level] for block in range(table.block_count(level))
    ]
    for done, (level, block) in enumerate(blocks, start=1):
        try:
            size += table.check_block(level, block)
        except (DamagedTableError, MissingTableError) as error:
            missing += not _is_damage(table, error)
            damaged += [str(error)] * _is_damage(table, error)
        on_progress(done, len(blocks))
    for level in range(table.rules.last_level + 1, table.rules.cards):
        try:
            table.level_gap(level)
        except (DamagedTableError, MissingTableError) as error:
            damaged += [str(error)] * _is_damage(table, error)
    damaged = list(dict.fromkeys(damaged))  # what is damaged is noticed again and again
    return Verification(exact=False, blocks=len(blocks) - missing, bytes=size, missing=missing, damaged=tuple(damaged))


def _is_damage(table: Table | ExactTable, error: Exception) -> bool:
    """Whether what cannot be read is damaged; else it is not solved yet."""
    return table.header.complete or isinstance(error, DamagedTableError)


def _read_exact(table: ExactTable, on_progress: OnRead) -> Verification:
    damaged, size, missing, most = [], 0, 0, int(table.rules.payoff_bound)
    prize_sets_ = table.prize_sets()
    for done, which in enumerate(prize_sets_, start=1):
        try:
            values = table.read(*which)
            size += table.file(*which).stat().st_size
            if any(abs(value) > most for value in values):
                damaged.append(f"{table.file(*which)} holds a value above {most}, all there is to win")
        except (DamagedTableError, MissingTableError) as error:
            missing += not _is_damage(table, error)
            damaged += [str(error)] * _is_damage(table, error)
        on_progress(done, len(prize_sets_))
    return Verification(
        exact=True, blocks=len(prize_sets_) - missing, bytes=size, missing=missing, damaged=tuple(damaged)
    )


def _judge(
    read: Verification,
    rules: Rules,
    stored: StoredValues,
    *,
    levels: Sequence[int],
    positions: int,
    seed: int,
    bound: float,
) -> Verification:
    """Compare sampled positions of some levels; each stored value is said to be within `bound` of the true one."""
    random = np.random.default_rng(seed)
    asked = [_random_position(rules, levels, random) for _ in range(positions)]
    found = list(stored(asked))
    small = [position for position in asked if _can_double(position, rules)]
    factor = 1 if rules.has_leads else 2
    return replace(
        read,
        positions=positions,
        games=sum(len(next_upcards(position, rules)) for position in asked),
        largest_difference=_largest(
            float(ours) - _solve_again(stored, p, rules) for ours, p in zip(found, asked, strict=True)
        ),
        swapped=positions,
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
    """A stored position; where games nest, every other one has its prizes among the lower half: they can be doubled."""
    cards = rules.cards
    low = rules.nests and bool(random.integers(2)) and cards >= 4
    level = int(random.choice(list(range(1, cards // 2 + 1) if low else levels)))
    space = level_space(rules, level)
    states = space.states
    rows = np.flatnonzero(states.left < 1 << cards // 2) if low else np.arange(space.rows)
    row = int(random.choice(rows[[space.columns_with(int(ties)) > 0 for ties in states.tied[rows]]]))
    column = random.choice(space.kept_columns(int(states.tied[row])), size=1)
    mine, theirs = (cards_of(int(pattern[0])) for pattern in space.patterns(column))
    left, largest = int(states.left[row]), space.largest_lead(row)
    deck = [prize for place, prize in enumerate(rules.prizes) if left >> place & 1]
    lead = int(random.integers(-largest, largest + 1))
    return Position.of(mine, theirs, deck, lead=lead, pot=int(states.pot[row]), rules=rules)


def _solve_again(stored: StoredValues, position: Position, rules: Rules) -> float:
    """The value from the stored values of all positions two plies on, by HiGHS; no numbering of matrices is reused."""
    upcards, values = next_upcards(position, rules), []
    for card in upcards:
        shown = position.turn_up(card)
        pairs = [(mine, theirs) for mine in shown.my_cards for theirs in shown.their_cards]
        after = [shown.play(*bids, carry=rules.has_pots) for bids in pairs]
        payoff = np.array([float(value) for value in stored(after)]).reshape(position.level, position.level)
        values.append(solve_with_highs(payoff).value)
    return float(mean_of(position, upcards, values))


def _can_double(position: Position, rules: Rules) -> bool:
    """Whether the table holds the position with all prizes, the lead and the pot doubled."""
    if not rules.nests or 2 * max(position.prizes) > rules.cards:
        return False
    return cards_needed(_double(position), rules) <= rules.cards


def _double(position: Position) -> Position:
    deck = [2 * card for card in position.deck]
    return Position.of(position.my_cards, position.their_cards, deck, lead=2 * position.lead, pot=2 * position.pot)
