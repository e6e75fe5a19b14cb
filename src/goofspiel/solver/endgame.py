"""Solve all that can follow a position, whatever its cards, without a table: a small game of its own.

Only the hands, prizes, pots and leads that can occur are looked at. Columns are numbered as in the table of the largest
game, rows as in a game of the prizes that are left: who asks the values asks as it asks a table.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from goofspiel import _kernel
from goofspiel.arrays import Floats, Numbers
from goofspiel.batch import batch_of
from goofspiel.cards import cards_of, mask_of
from goofspiel.errors import ProofError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver.lead_rounds import LeadChildren, LeadRounds
from goofspiel.solver.resources import available_threads
from goofspiel.states.matchups import INDEX_SHIFT, UPCARD_SIGN, Successors, patterns_of
from goofspiel.states.space import LevelSpace, endgame_space
from goofspiel.states.subsets import Masks, Ranks

# Roundings of one game: cells, best replies and the mean over upcards, in units of the last place of a double.
ROUNDINGS = 64
MOST_CARDS = 8  # in a hand: what can follow is solved in a second or two

Singles = NDArray[np.float32]


def endgame_of(position: Position, rules: Rules) -> LevelSpace:
    """A position, its upcard not yet turned up, as the beginning of a game of its own."""
    deck = (position.upcard, *position.deck) if position.upcard else position.deck
    return endgame_space(rules, position.level, deck=deck, pot=position.pot, lead=position.lead)


@dataclass(frozen=True, eq=False)
class _Level:
    """What can follow with so many cards in a hand: columns of the largest game, and all rows."""

    space: LevelSpace
    columns: Ranks  # ascending
    values: list[Floats | Singles]  # by row, [column][lead]; filled as it is solved
    draws: list[Singles]  # probabilities of a draw, where they are asked for

    def child(self, row: int) -> LeadChildren:
        """What a round leads to, where leads count."""
        return LeadChildren(self.values[row], self.draws[row] if self.draws else None)

    def column(self, column: Ranks) -> NDArray[np.intp]:
        """Where columns of the largest game are found here."""
        return np.searchsorted(self.columns, column)


class Endgame:
    """The values of all positions before their upcard that can follow a position; they are asked as a table is."""

    dtype = float

    def __init__(self, position: Position, rules: Rules, *, draws: bool = False) -> None:
        """Solve everything below a position that has an upcard; else the position itself, too.

        With `draws` their probabilities as well, where leads count.
        """
        self._draws = draws
        self.rules, self.space = rules, endgame_of(position, rules)
        self.error = 0.0 if rules.has_whole_ends else float(np.finfo(np.float32).eps) / 2
        """Every value is within this of the true one."""
        self._levels: dict[int, _Level] = {}
        last = position.level - (position.upcard > 0)
        for level in range(min(rules.last_level, position.level), last + 1):
            self._solve(position, level)

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Floats:
        """By level, row, column and lead."""
        here = self._levels[level]
        index = here.column(column)
        if lead is None:
            values = np.stack(here.values)[..., 0]
            return np.asarray(values[row.reshape(-1, *[1] * (column.ndim - 1)), index])
        found = np.empty(column.shape)
        for which in np.unique(row).tolist():
            some = row == which
            values = here.values[which]
            found[some] = values[index[some], lead[some] + values.shape[1] // 2]
        return found

    def draw(self, position: Position) -> float:
        """The probability of a draw at a position before its upcard, when both play on by the mixes found."""
        here, batch = self._levels[position.level], batch_of([position], self.space)
        (row,) = here.space.row_of(batch.deck, batch.pot)
        draws = here.draws[row]
        reach = draws.shape[1] // 2
        if here.space.is_over:
            return float(not position.lead)
        if abs(position.lead) > reach:
            return 0.0  # decided
        (column,), (sign,) = here.space.column_of(batch.mine, batch.theirs)
        return float(draws[int(here.column(np.array([column]))[0]), reach + int(sign) * position.lead])

    def _solve(self, position: Position, level: int) -> None:
        space = self.space.at(level)
        columns, mine, theirs, most_ties = _columns_that_follow(position, space)
        nothing = np.zeros((0, 1), dtype=np.float32)
        here = _Level(space, columns, [nothing] * space.rows, [nothing] * (space.rows * self._draws))
        if space.is_over:
            shape = len(columns), 2 * self.rules.last_lead + 1
            nothing = np.zeros(shape, dtype=np.float32)
            nothing[:] = self.rules.at_the_end(np.arange(shape[1]) - shape[1] // 2) * self.rules.has_leads
            here.values[:] = [nothing] * space.rows
            here.draws[:] = [np.ones_like(nothing)] * (space.rows * self._draws)
        else:
            below = self._levels[level - 1]
            successors = self._successors(space, below, space.successors_of(mine, theirs))
            if self.rules.has_leads:
                gaps: list[float] = []
                with ThreadPoolExecutor(available_threads()) as pool:
                    for ties in np.unique(space.states.tied).tolist():
                        some = np.flatnonzero(most_ties >= ties)
                        rows = np.flatnonzero(space.states.tied == ties).tolist()
                        gaps += pool.map(partial(self._solve_leads, here, below, (some, successors.some(some))), rows)
                self._add_error(space, max(gaps), float(np.finfo(np.float32).eps))
            else:
                self._solve_rows(here, below, successors)
        self._levels[level] = here

    def _successors(self, space: LevelSpace, below: _Level, reached: Successors) -> Successors:
        """What bids lead to, columns of the level below named by their place there."""
        child, bits = (reached.codes >> INDEX_SHIFT).astype(np.int64), reached.codes & (1 << INDEX_SHIFT) - 1
        tied = (UPCARD_SIGN[reached.codes & 3] == 0) & self.rules.has_pots
        place = below.column(child - tied * (below.space.equal + 1))
        place += tied * (len(below.columns) + (not self.rules.has_leads))
        return reached._replace(codes=(place.astype(np.uint32) << INDEX_SHIFT | bits).astype(np.uint32))

    def _solve_rows(self, here: _Level, below: _Level, successors: Successors) -> None:
        """All rows of a level at once."""
        rounds = here.space.rounds(np.arange(here.space.rows))
        out = np.zeros((here.space.rows, len(here.columns)))
        children = np.ascontiguousarray(np.stack(below.values)[..., 0], dtype=np.float64)
        failures, gap, _ = _kernel.solve_block(
            children,
            rounds.won,
            (rounds.prize + rounds.pot).astype(np.float64),
            rounds.row,
            rounds.weight,
            *successors,
            0,
            len(here.columns),
            here.space.payoff_bound,
            out,
            tied=children if self.rules.has_pots else None,
            tied_of=rounds.tied if self.rules.has_pots else None,
        )
        _check(failures)
        self._add_error(here.space, gap, np.finfo(np.float64).eps)
        here.values[:] = out[..., None]

    def _solve_leads(self, here: _Level, below: _Level, some: tuple[Ranks, Successors], row: int) -> float:
        """Some columns of one row at every lead that can occur and is not decided; the largest gap of their games."""
        worst, (which, successors) = 0.0, some
        lead, pots = here.space.largest_lead(row), self.rules.has_pots
        shape = len(which), 2 * lead + 1
        out, draws = np.zeros(shape), np.zeros(shape) if self._draws else None
        rounds = here.space.rounds(np.array([row]))
        prizes = rounds.prize + rounds.pot
        count = len(below.columns) * (1 + pots)
        work = LeadRounds(successors, (0, shape[0]), lead, int(prizes.max()), count, draws=self._draws)
        for prize, share, won, tied in zip(
            prizes.tolist(), rounds.weight.tolist(), rounds.won, rounds.tied, strict=True
        ):
            after, after_tie = below.child(won), below.child(tied) if pots else None
            failures, gap = work.solve(after, prize, share, out, tied=after_tie, draws=draws)
            _check(failures)
            worst = max(worst, gap)
        for kept, found in ((here.values, out), (here.draws, draws)):
            if found is not None:
                whole = np.zeros((len(here.columns), shape[1]), dtype=np.float32)
                whole[which] = found
                kept[row] = whole
        return worst

    def _add_error(self, space: LevelSpace, gap: float, stored: float) -> None:
        """As for the levels of a table: half of the largest gap, and rounding; a last upcard makes whole numbers."""
        if gap or not space.has_whole_values:
            self.error += gap / 2 + (ROUNDINGS * float(np.finfo(np.float64).eps) + stored) / 2 * space.payoff_bound


@lru_cache(maxsize=1)
def last_endgame(position: Position, rules: Rules) -> Endgame:
    """All that can follow a position, with draws where they count; the last one is kept for the next who asks."""
    return Endgame(position, rules, draws=rules.can_be_decided)


def _check(failures: int) -> None:
    if failures:
        raise ProofError(f"{failures} games without a proof of optimality among those that can follow")


def _columns_that_follow(position: Position, space: LevelSpace) -> tuple[Ranks, Masks, Masks, Ranks]:
    """The columns of a level that can follow a position, the patterns of their hands, and the most ties before them."""
    mine, theirs = (
        np.array([mask_of(some) for some in combinations(cards_of(hand), space.level)], dtype=np.uint16)
        for hand in (position.mine, position.theirs)
    )
    mine, theirs = np.repeat(mine, len(theirs)), np.tile(theirs, len(mine))
    column, sign = space.column_of(mine, theirs)
    kept = sign != 0
    columns, first, which = np.unique(column[kept], return_index=True, return_inverse=True)
    ties = np.zeros(len(columns), dtype=np.int64)
    gone = (np.uint16(position.mine) ^ mine[kept]) & (np.uint16(position.theirs) ^ theirs[kept])
    np.maximum.at(ties, which, np.bitwise_count(gone))
    hands = patterns_of(mine[kept][first], theirs[kept][first])
    # A column is seen from the side that has a positive sign.
    mirrored = sign[kept][first] < 0
    return columns, np.where(mirrored, hands[1], hands[0]), np.where(mirrored, hands[0], hands[1]), ties
