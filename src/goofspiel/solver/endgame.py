"""Solve all that can follow a position, whatever its cards, without a table: a small game of its own.

Only the hands, prizes and leads that can occur are looked at. The values are numbered as in the table of the largest
game, so that who asks them asks as it asks a table.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from goofspiel import _kernel
from goofspiel.arrays import Floats, Numbers
from goofspiel.errors import ProofError
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Rules, cards_of, mask_of
from goofspiel.solver.lead_rounds import LeadRounds
from goofspiel.states.matchups import INDEX_SHIFT, Successors, patterns_of, successors
from goofspiel.states.prize_sets import number as number_of
from goofspiel.states.space import LevelSpace, level_space
from goofspiel.states.subsets import Masks, Ranks

MOST_CARDS = 8  # in a hand: what can follow is solved in a second or two

Singles = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class _Level:
    """What can follow with so many cards in a hand: columns of the largest game, and prize sets."""

    space: LevelSpace
    columns: Ranks  # ascending
    successors: Successors  # which name columns of the level below by their place there
    sets: Masks  # prizes that may be left, in the order of their numbers
    values: list[Floats | Singles]  # by prize set, [column][lead]; filled as it is solved
    draws: list[Singles]  # probabilities of a draw, where leads count

    def column(self, column: Ranks) -> NDArray[np.intp]:
        """Where columns of the largest game are found here."""
        return np.searchsorted(self.columns, column)


class Endgame:
    """The values of all positions before their upcard that can follow a position; they are asked as a table is."""

    dtype = float

    def __init__(self, position: Position, rules: Rules) -> None:
        self.rules = rules.with_cards(MAX_CARDS)
        self._everything = sum(position.deck_cards) + position.upcard + abs(position.lead)
        self._levels = [self._end()]
        for level in range(1, position.deck.bit_count() + 1):
            self._levels.append(self._solved(position, level))

    def __call__(self, level: int, row: Numbers, column: Numbers, lead: Numbers | None) -> Floats:
        """By level, number of a prize set, column and lead."""
        here = self._levels[level]
        index = here.column(column)
        found = np.empty(column.shape)
        if lead is None:
            rows = np.searchsorted(number_of(here.sets), row)
            values = np.stack(here.values)[..., 0]
            return np.asarray(values[rows.reshape(-1, *[1] * (column.ndim - 1)), index])
        for which, prize_set in enumerate(number_of(here.sets).tolist()):
            some = row == prize_set
            values = here.values[which]
            found[some] = values[index[some], lead[some] + values.shape[1] // 2]
        return found

    def draw(self, position: Position) -> float:
        """The probability of a draw at a position before its upcard, when both play on by the mixes found."""
        here = self._levels[position.level]
        deck = np.array([position.deck], dtype=np.uint16)
        draws = here.draws[int(np.searchsorted(number_of(here.sets), number_of(deck))[0])]
        reach = draws.shape[1] // 2
        if abs(position.lead) > reach:
            return 0.0  # decided
        hands = np.array([position.mine], dtype=np.uint16), np.array([position.theirs], dtype=np.uint16)
        (column,), (sign,) = here.space.column_of(*hands)
        return float(draws[int(here.column(np.array([column]))[0]), reach + int(sign) * position.lead])

    def _end(self) -> _Level:
        """Without cards nothing is left to win."""
        space, none = level_space(self.rules, 0), np.zeros(0, dtype=np.uint16)
        nothing = np.zeros((space.columns, 1), dtype=np.float32)
        sets = np.zeros(1, dtype=np.uint16)
        return _Level(space, np.arange(space.columns), successors(none, none, 0, 0), sets, [nothing], [nothing + 1])

    def _solved(self, position: Position, level: int) -> _Level:
        below, space = self._levels[-1], level_space(self.rules, level)
        columns, successors = _columns_that_follow(position, space, below)
        sets = np.sort(np.array([mask_of(some) for some in combinations(position.deck_cards, level)], dtype=np.uint16))
        here = _Level(space, columns, successors, sets, [], [])
        if self.rules.has_leads:
            for prizes in sets.tolist():
                self._solve_leads(here, below, prizes)
        else:
            self._solve_rows(here, below)
        return here

    def _solve_rows(self, here: _Level, below: _Level) -> None:
        """All prize sets of a level at once."""
        rounds = here.space.rounds(here.sets)
        child = np.searchsorted(number_of(below.sets), rounds.child).astype(np.int32)
        out = np.zeros((len(here.sets), len(here.columns)))
        children = np.ascontiguousarray(np.stack(below.values)[..., 0], dtype=np.float64)
        failures, _, _ = _kernel.solve_block(
            children,
            child,
            rounds.prize,
            rounds.row,
            rounds.weight,
            *here.successors,
            0,
            len(here.columns),
            self.rules.payoff_bound,
            out,
        )
        _check(failures)
        here.values.extend(out[..., None])

    def _solve_leads(self, here: _Level, below: _Level, prizes: int) -> None:
        """One prize set at every lead that can occur and is not decided."""
        left = cards_of(prizes)
        lead = min(sum(left), self._everything - sum(left))
        shape = len(here.columns), 2 * lead + 1
        out, out_draws = np.zeros(shape), np.zeros(shape)
        rounds = LeadRounds(here.successors, (0, shape[0]), lead, max(left), len(below.columns), draws=True)
        for prize in left:
            remain = np.array([prizes ^ 1 << prize - 1], dtype=np.uint16)
            child = int(np.searchsorted(below.sets, remain)[0])
            draws = below.draws[child], out_draws
            failures, _ = rounds.solve(below.values[child], prize, 1 / len(left), out, draws)
            _check(failures)
        here.values.append(out.astype(np.float32))
        here.draws.append(out_draws.astype(np.float32))


def _check(failures: int) -> None:
    if failures:
        raise ProofError(f"{failures} games without a proof of optimality among those that can follow")


def _columns_that_follow(position: Position, space: LevelSpace, below: _Level) -> tuple[Ranks, Successors]:
    """The columns of a level that can follow a position, and what their bids lead to."""
    mine, theirs = (
        np.array([mask_of(some) for some in combinations(cards_of(hand), space.level)], dtype=np.uint16)
        for hand in (position.mine, position.theirs)
    )
    mine, theirs = np.repeat(mine, len(theirs)), np.tile(theirs, len(mine))
    column, sign = space.column_of(mine, theirs)
    kept = sign != 0
    columns, first = np.unique(column[kept], return_index=True)
    hands = patterns_of(mine[kept][first], theirs[kept][first])
    # A column is seen from the side that has a positive sign.
    mirrored = sign[kept][first] < 0
    seen = np.where(mirrored, hands[1], hands[0]), np.where(mirrored, hands[0], hands[1])
    reached = space.successors_of(*seen)
    child, bits = reached.codes >> INDEX_SHIFT, reached.codes & (1 << INDEX_SHIFT) - 1
    codes = (below.column(child.astype(np.int64)).astype(np.uint32) << INDEX_SHIFT | bits).astype(np.uint32)
    return columns, reached._replace(codes=codes)
