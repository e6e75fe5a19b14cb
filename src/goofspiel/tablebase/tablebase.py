"""Ask a solved table about positions, one by one or many at a time."""

from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from goofspiel import games
from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.errors import PositionError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.states.matchups import Successors
from goofspiel.states.space import Stored, level_space
from goofspiel.store import Table
from goofspiel.tablebase.base import BaseTablebase, as_position, most_left, next_upcards
from goofspiel.tablebase.bounds import ANSWER_GAP, ROUNDING, Bound, table_bound
from goofspiel.tablebase.rounds import SolvedRounds, groups_of, unique_rows
from goofspiel.tablebase.rows import CACHE_BYTES, Rows

# A level of no more matchups than this is laid out whole once a batch asks for a good share of it.
WHOLE_LEVEL = 1 << 18
WHOLE_LEVEL_SHARE = 8


class Tablebase(BaseTablebase[float]):
    """A solved table. `probe` raises where `get` returns None; `values` takes many positions."""

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

    def values(self, positions: Iterable[Position | str]) -> Floats:
        """The values of many positions, in their order."""
        batch = self._batch(positions)
        self._require_all(batch)
        result = np.asarray(self.rules.at_the_end(batch.lead)).astype(np.float64)
        # A position before its upcard and one after are different questions, and levels have different tables.
        level = batch.level
        kind = level * 2 + (batch.upcard > 0)
        for which in np.unique(kind[level > self.rules.last_level]).tolist():
            here = np.flatnonzero(kind == which)
            ask = self._after_upcard if which % 2 else self._before_upcard
            result[here] = ask(which // 2, batch[here])
        return result + 0.0  # no negative zeros

    def _batch(self, positions: Iterable[Position | str]) -> PositionBatch:
        rules = self.rules
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

    def _before_upcard(self, level: int, batch: PositionBatch) -> Floats:
        space = level_space(self.rules, level)
        column, sign = space.column_of(batch.mine, batch.theirs)
        return space.worth(space.row_of(batch.deck, batch.pot), column, sign, batch.lead, self._rows)

    def _after_upcard(self, level: int, batch: PositionBatch) -> Floats:
        space = level_space(self.rules, level)
        column, sign = space.column_of(batch.mine, batch.theirs)
        kept = np.flatnonzero(sign)
        order = kept[np.argsort(batch.deck[kept], kind="stable")]  # neighbours read the same rows
        successors, which = self._successors(level, column[order])
        side = sign[order]
        found = np.empty(len(order))
        asked, lead = batch[order], side * batch.lead[order]
        for members, codes in successors.by_shape(which):
            payoffs = space.payoffs(codes, asked[members].shown(lead[members]), self._rows)
            found[members] = games.solve_batch(payoffs).value
        result = batch.lead.astype(np.float64)
        result[order] = side * found
        return result

    def solve_rounds(self, batch: PositionBatch) -> SolvedRounds:
        """Values, mixes and payoffs of many positions with an upcard, all of one level; equal games are solved once."""
        level = _one_level(batch)
        self._require_all(batch)
        space = level_space(self.rules, level)
        column, sign = space.column_of(batch.mine, batch.theirs)
        side = np.where(sign < 0, -1, 1).astype(np.int32)
        # Where leads do not count, the game is the same at any lead, which is added at the end.
        lead = batch.lead * side if self.rules.has_leads else np.zeros_like(batch.lead)
        added = np.zeros(len(batch)) if self.rules.has_leads else batch.lead.astype(np.float64)
        first, which = unique_rows((batch.deck.astype(np.int64), batch.upcard, batch.pot, lead, column))
        order = first[np.argsort(batch.deck[first], kind="stable")]  # neighbours read the same rows
        back = np.empty(len(batch), dtype=np.intp)
        back[order] = np.arange(len(order))
        games_of = back[first][which]
        successors, matchup = self._successors(level, column[order])
        my_pattern, their_pattern = space.patterns(column[order])
        mine, theirs = groups_of(my_pattern, their_pattern, level), groups_of(their_pattern, my_pattern, level)
        count = len(order)
        value, payoffs = np.empty(count), np.empty((count, level, level))
        mixes = np.zeros((count, level)), np.zeros((count, level))
        for members, codes in successors.by_shape(matchup):
            some = order[members]
            payoff = space.payoffs(codes, batch[some].shown(lead[some]), self._rows)
            solved = games.solve_batch(payoff, independent=True)
            value[members] = solved.value
            here = np.arange(len(members))[:, None, None]
            payoffs[members] = payoff[here, mine[members][:, :, None], theirs[members][:, None, :]]
            for mix, group, found in zip(mixes, (mine, theirs), (solved.row_mix, solved.column_mix), strict=True):
                mix[members] = _to_the_lowest(found, group[members])
        return SolvedRounds(value, mixes, payoffs, games_of, side < 0, added)

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


@lru_cache(maxsize=2)
def _level_successors(rules: Rules, level: int) -> Successors:
    space = level_space(rules, level)
    return space.successors(np.arange(space.equal + 1))


def _reopened(path: Path, cache_bytes: int) -> Tablebase:
    return Tablebase(Table.open(path), cache_bytes=cache_bytes)


def _to_the_lowest(mix: Floats, group: NDArray[np.intp]) -> Floats:
    """The mixes of groups as mixes of cards, [game][card]: the lowest card of a group has all of it."""
    spread: Floats = np.take_along_axis(mix, group, axis=1)
    spread[:, 1:][group[:, 1:] == group[:, :-1]] = 0.0
    return spread
