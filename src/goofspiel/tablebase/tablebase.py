"""Ask a solved table about positions, one by one or many at a time."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel import games
from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch, places
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import PositionError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.states.matchups import Successors
from goofspiel.states.space import Stored, level_space
from goofspiel.store import Table
from goofspiel.tablebase.base import BaseTablebase, as_position, check_many, most_left, next_upcards
from goofspiel.tablebase.bounds import ANSWER_GAP, ROUNDING, Bound, table_bound
from goofspiel.tablebase.enumeration import LevelPositions
from goofspiel.tablebase.many import Answers, RoundAnswers
from goofspiel.tablebase.rounds import SolvedRounds, SolvedShape, unique_rows
from goofspiel.tablebase.rows import CACHE_BYTES, Rows

# A level of no more matchups than this is laid out whole once a batch asks for a good share of it.
WHOLE_LEVEL = 1 << 18
WHOLE_LEVEL_SHARE = 8


class Tablebase(BaseTablebase[float]):
    """A solved table. `probe` raises where `get` returns None; `values` and `probe_many` take many positions."""

    exact = False

    def __init__(self, table: Table, *, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(table.path, table.rules)
        self._table = table
        self._cache_bytes = cache_bytes
        self._rows = Rows(table, cache_bytes=cache_bytes)

    def __reduce__(self) -> Any:
        return _reopened, (self.path, self._cache_bytes)

    def close(self) -> None:
        """Let go of the rows kept in memory."""
        self._rows.clear()

    @cached_property
    def bound(self) -> Bound:
        """How wrong the table can be."""
        return table_bound(self._table)

    @property
    def _stored(self) -> Stored:
        return self._rows

    def holds(self, position: Position | str) -> bool:
        """Whether the table answers this position."""
        asked = as_position(position, self.rules)
        needed = {asked.level - 1} if asked.upcard else {asked.level - 1, asked.level}
        last = self.rules.last_level
        kept = all(level in self._table.levels for level in needed if last < level < self.cards)
        return kept and super().holds(asked)

    def require_all_levels(self) -> None:
        """Refuse a table that keeps only its last level, before work that goes through all of them."""
        if len(self._table.levels) < self.cards - 1 - self.rules.last_level:
            self._table.refuse_last("this needs all")

    def values(self, positions: PositionBatch | Iterable[Position | str]) -> Floats:
        """The values of many positions, in their order."""
        batch = self._batch(positions)
        return self._values(batch, lambda level, here: self._rounds(level, batch[here]).value)

    def probe_many(self, positions: PositionBatch | Iterable[Position | str]) -> Answers:
        """The answers at many positions of any sizes, in their order, as arrays: to the last bit those of `probe`."""
        batch = self._batch(positions)
        rounds: list[tuple[NDArray[np.intp], SolvedRounds]] = []

        def solved(level: int, here: NDArray[np.intp]) -> Floats:
            some = self._rounds(level, batch[here])
            rounds.append((here, some))
            return some.value

        found = Answers.without_bids(self._values(batch, solved))
        for here, some in rounds:
            found.put(here, some, batch.mine[here], batch.theirs[here])
        return found

    def answer_rounds(self, positions: Sequence[Position]) -> RoundAnswers:
        """The answers at positions with an upcard, all of one level, with all that `probe` says of each."""
        batch = self._batch(positions)
        level = _one_level(batch)
        self._require_all(batch)
        if self.rules.has_leads:
            error = np.array([self._payoff_error(position) for position in positions])
        else:
            error = np.full(len(positions), self.bound.payoff(level))
        return RoundAnswers(positions, self.rules, self._rounds(level, batch), error)

    def positions(self, level: int) -> LevelPositions:
        """All positions of a level that show an upcard and differ, as batches."""
        return LevelPositions(self.rules, level)

    def _values(self, batch: PositionBatch, with_upcard: Callable[[int, NDArray[np.intp]], Floats]) -> Floats:
        """What positions are worth; what is said of those of a level that show an upcard is given."""
        self._require_all(batch)
        result = np.asarray(self.rules.at_the_end(batch.lead)).astype(np.float64)
        # A position before its upcard and one after are different questions, and levels have different tables.
        level = batch.level
        kind = level * 2 + (batch.upcard > 0)
        for which in np.unique(kind[level > self.rules.last_level]).tolist():
            here = np.flatnonzero(kind == which)
            result[here] = (with_upcard if which % 2 else partial(self._before_upcard, batch))(which // 2, here)
        return result + 0.0  # no negative zeros

    def _batch(self, positions: PositionBatch | Iterable[Position | str]) -> PositionBatch:
        rules = self.rules
        check_many(positions)
        if isinstance(positions, PositionBatch):
            if positions.prizes != places(rules):
                raise PositionError(
                    f"decks are masks of the prizes {list(places(rules))}, not {list(positions.prizes)}"
                )
            positions.check(rules)
            return positions
        if not rules.nests:
            return PositionBatch.of([as_position(position, rules) for position in positions], rules.prizes)
        found = [position if isinstance(position, Position) else Position(position, rules) for position in positions]
        batch = PositionBatch.of(found)
        if (np.bitwise_count(batch.deck) + (batch.upcard > 0) != batch.level).any() or batch.pot.any():
            for position in found:
                position.under(rules)
        return batch

    def _values_with_upcards(self, position: Position) -> list[float]:
        shown = [position.turn_up(card) for card in next_upcards(position, self.rules)]
        found: list[float] = self.values([position, *shown]).tolist()
        return found

    def _payoff_error(self, position: Position) -> float:
        return 0.0 if self.rules.is_decided(position.lead, most_left(position, self.rules)) else self._below(position)

    def _value_bound(self, position: Position) -> float:
        """That of the stored value, and of the games of the upcards: each has a gap that is accepted at once."""
        if self.rules.is_over(position.level):
            return 0.0
        scale = self.rules.payoff_bound + abs(position.lead)
        stored = max(self._below(position), self.bound.payoff(position.level + 1))
        return stored + (ANSWER_GAP + ROUNDING) * scale

    def _below(self, position: Position) -> float:
        """What the payoffs of a position may be wrong by."""
        return self.bound.payoff(position.level)

    def _require_all(self, batch: PositionBatch) -> None:
        needed = batch.cards_needed(self.rules)
        if needed.max(initial=0) > self.cards:
            self._require(batch.position(int(needed.argmax()), self.rules))

    def _before_upcard(self, batch: PositionBatch, level: int, here: NDArray[np.intp]) -> Floats:
        some, space = batch[here], level_space(self.rules, level)
        column, sign = space.column_of(some.mine, some.theirs)
        return space.worth(space.row_of(some.deck, some.pot), column, sign, some.lead, self._rows)

    def solve_rounds(self, batch: PositionBatch) -> SolvedRounds:
        """Values, mixes and payoffs of many positions with an upcard, all of one level."""
        level = _one_level(batch)
        self._require_all(batch)
        return self._rounds(level, batch)

    def _rounds(self, level: int, batch: PositionBatch) -> SolvedRounds:
        """Solve them; equal games once."""
        space = level_space(self.rules, level)
        column, sign, lead = space.solved_as(batch.mine, batch.theirs, batch.lead)
        # Where leads do not count, the game is the same at any lead, which is added at the end.
        added = np.zeros(len(batch)) if self.rules.has_leads else batch.lead.astype(np.float64)
        first, which = unique_rows((batch.deck.astype(np.int64), batch.upcard, batch.pot, lead, column))
        order = first[np.argsort(batch.deck[first], kind="stable")]  # neighbours read the same rows
        back = np.empty(len(batch), dtype=np.intp)
        back[order] = np.arange(len(order))
        successors, matchup = self._successors(level, column[order])
        shapes = []
        for members, codes in successors.by_shape(matchup):
            some = order[members]
            payoffs = space.payoffs(codes, batch[some].shown(lead[some]), self._rows)
            shapes.append(SolvedShape(members, payoffs, games.solve_batch(payoffs)))
        return SolvedRounds(shapes, space.patterns(column[order]), level, back[first][which], sign, added)

    def _successors(self, level: int, column: NDArray[np.int64]) -> tuple[Successors, NDArray[np.int64]]:
        """The successors of columns, that of equal hands among them, and where each of them is found there."""
        count = level_space(self.rules, level).equal
        if len(column) > count // WHOLE_LEVEL_SHARE and count <= WHOLE_LEVEL:
            return _level_successors(self.rules, level), column
        distinct, which = np.unique(column, return_inverse=True)
        return level_space(self.rules, level).successors(distinct), which


def _one_level(batch: PositionBatch) -> int:
    """The cards in a hand, which must be as many everywhere, with an upcard shown."""
    level = batch.level
    if len(batch) and (level != level[0]).any():
        other = int(np.flatnonzero(level != level[0])[0])
        raise PositionError(
            f"all positions must have as many cards in a hand: {str(batch.position(0))!r} and "
            f"{str(batch.position(other))!r}"
        )
    if (batch.upcard == 0).any():
        position = batch.position(int(np.flatnonzero(batch.upcard == 0)[0]))
        raise PositionError(f"no upcard is shown to bid for: {str(position)!r}")
    return int(level[0]) if len(batch) else 0


@lru_cache(maxsize=MAX_CARDS)  # a batch may have positions of every level
def _level_successors(rules: Rules, level: int) -> Successors:
    space = level_space(rules, level)
    return space.successors(np.arange(space.equal + 1))


def _reopened(path: Path, cache_bytes: int) -> Tablebase:
    return Tablebase(Table.open(path), cache_bytes=cache_bytes)
