"""Ask a solved table about positions, one by one or many at a time."""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from goofspiel import games
from goofspiel.arrays import Floats
from goofspiel.batch import Ints, PositionBatch, cards_needed, no_such_game
from goofspiel.errors import MissingTableError
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Objective
from goofspiel.states import bands, matchups, prize_sets
from goofspiel.states.subsets import Masks, Ranks
from goofspiel.store import Table, solve_command
from goofspiel.tablebase.answer import Answer, ByCard, ChanceAnswer, make_answer
from goofspiel.tablebase.bounds import Bound, table_bound
from goofspiel.tablebase.opened import OpenedTable
from goofspiel.tablebase.rounds import SolvedRounds, distinct, groups_of
from goofspiel.tablebase.rows import CACHE_BYTES, Rows

# A level of no more matchups than this is laid out whole once a question asks for a good share of it.
WHOLE_LEVEL = 1 << 18
WHOLE_LEVEL_SHARE = 8


_level_successors = lru_cache(maxsize=2)(bands.successors)


class Tablebase(OpenedTable):
    """A solved table. `probe` raises where `get` returns None; `values` takes many positions."""

    def __init__(self, table: Table, *, cache_bytes: int = CACHE_BYTES) -> None:
        super().__init__(table.path, table.header.cards, table.header.objective)
        self._table = table
        self._rows = Rows(table, cache_bytes=cache_bytes)

    def __repr__(self) -> str:
        return f"open_tablebase({self.cards}, objective={str(self.objective)!r}, store={str(self.path.parent)!r})"

    def close(self) -> None:
        """Let go of the rows kept in memory."""
        self._rows.clear()

    @cached_property
    def bound(self) -> Bound:
        """How wrong the table can be."""
        return table_bound(self._table)

    def holds(self, position: Position) -> bool:
        """Whether the table answers this position."""
        asked = {position.level - 1} if position.upcard else {position.level - 1, position.level}
        kept = all(level in self._table.levels for level in asked if 0 < level < self.cards)
        return kept and cards_needed(position, self.objective) <= self.cards

    def get(self, position: Position) -> Answer | ChanceAnswer | None:
        """The answer for a position, or None when the table does not hold it."""
        return self.probe(position) if self.holds(position) else None

    def probe(self, position: Position) -> Answer | ChanceAnswer:
        """The answer for a position: an `Answer` when an upcard is shown, a `ChanceAnswer` before."""
        self._require(position)
        if position.upcard:
            return make_answer(position, self.objective, self._payoff(position))
        upcards = position.deck_cards
        values = self.values([position, *(position.turn_up(card) for card in upcards)]).tolist()
        found = ByCard(dict(zip(upcards, values[1:], strict=True)))
        return ChanceAnswer(position, self.objective, values[0], found)

    def values(self, positions: Iterable[Position]) -> Floats:
        """The values of many positions, in their order."""
        listed: Sequence[Position] = positions if isinstance(positions, Sequence) else list(positions)
        asked = PositionBatch.of(listed)
        needed = asked.cards_needed(self.objective)
        if len(listed) and needed.max() > self.cards:
            self._require(listed[int(needed.argmax())])
        # Without cards nothing is left to win.
        result = (np.sign(asked.lead) if self.objective == Objective.WIN else asked.lead).astype(np.float64)
        # A position before its upcard and one after are different questions, and levels have different tables.
        level = asked.level
        kind = level * 2 + (asked.upcard > 0)
        for which in np.unique(kind[level > 0]).tolist():
            here = np.flatnonzero(kind == which)
            ask = self._after_upcard if which % 2 else self._before_upcard
            result[here] = ask(which // 2, asked[here])
        return result + 0.0  # no negative zeros

    def _require(self, position: Position) -> None:
        needed = cards_needed(position, self.objective)
        if needed > MAX_CARDS:
            raise no_such_game(position)
        if needed > self.cards:
            command = solve_command(needed, self.objective, self.path.parent)
            raise MissingTableError(
                f"{str(position)!r} needs a table of {needed} cards, {self.path.name} has {self.cards}: {command}"
            )

    def _worth(self, level: int, deck: Masks, index: Ranks, sign: NDArray[np.int8], lead: Ints) -> Floats:
        """The values of numbered positions before their upcard: one or more for each deck."""
        numbers = prize_sets.number(deck).astype(np.int64)
        if self.objective == Objective.POINTS:
            if level == 0 or not matchups.count(self.cards, level):
                return lead.astype(np.float64)
            worth = self._rows.gather(level, numbers, np.where(sign == 0, 0, index))
            worth *= sign
            worth += lead
            return worth
        worth = np.sign(lead).astype(np.float64)
        if 0 < level < self.cards:  # with all cards the hands are equal, and so are the points
            shape = (-1, *[1] * (index.ndim - 1))
            open_ = np.abs(lead) <= prize_sets.totals(deck).reshape(shape)  # all other leads are decided
            side = sign[open_].astype(np.int64)
            where = np.broadcast_to(numbers.reshape(shape), index.shape)[open_]
            worth[open_] = side * self._rows.gather_leads(level, where, index[open_], side * lead[open_])
        return worth + 0.0  # no negative zeros

    def _before_upcard(self, level: int, asked: PositionBatch) -> Floats:
        index, sign = bands.number(asked.mine, asked.theirs, self.cards, level, self.objective)
        return self._worth(level, asked.deck, index, sign, asked.lead)

    def _after_upcard(self, level: int, asked: PositionBatch) -> Floats:
        index, sign = bands.number(asked.mine, asked.theirs, self.cards, level, self.objective)
        kept = np.flatnonzero(sign)
        order = kept[np.argsort(asked.deck[kept], kind="stable")]  # neighbours read the same rows
        successors, which = self._successors(level, index[order])
        side = sign[order]
        found = np.empty(len(order))
        deck, upcard, lead = asked.deck[order], asked.upcard[order], side * asked.lead[order]
        for members, codes in _by_shape(successors, which):
            payoff = self._payoffs(level, codes, deck[members], upcard[members], lead[members])
            found[members] = games.solve_batch(payoff).value
        result = asked.lead.astype(np.float64)
        result[order] = side * found
        return result

    def solve_rounds(self, asked: PositionBatch) -> SolvedRounds:
        """Values, mixes and payoffs of many positions with an upcard, all of one level; equal games are solved once."""
        level = int(asked.level[0]) if len(asked.mine) else 0
        needed = asked.cards_needed(self.objective)
        if needed.max(initial=0) > self.cards:
            self._require(asked.position(int(needed.argmax())))
        # Equal hands have a number only for win; here they need one in any case.
        index, sign = bands.number(asked.mine, asked.theirs, self.cards, level, Objective.WIN)
        lead = asked.lead * sign if self.objective == Objective.WIN else np.zeros_like(asked.lead)
        first, which = distinct((asked.deck.astype(np.int64), asked.upcard, lead, index))
        order = first[np.argsort(asked.deck[first], kind="stable")]  # neighbours read the same rows
        back = np.empty(len(asked.mine), dtype=np.intp)
        back[order] = np.arange(len(order))
        games_of = back[first][which]
        successors, matchup = self._successors(level, index[order])
        my_word, their_word = bands.words(index[order], self.cards, level)
        mine, theirs = groups_of(my_word, their_word, level), groups_of(their_word, my_word, level)
        count = len(order)
        value, payoffs = np.empty(count), np.empty((count, level, level))
        mixes = np.zeros((count, level)), np.zeros((count, level))
        for members, codes in _by_shape(successors, matchup):
            some = order[members]
            payoff = self._payoffs(level, codes, asked.deck[some], asked.upcard[some], lead[some])
            solved = games.solve_batch(payoff, independent=True)
            value[members] = solved.value
            here = np.arange(len(members))[:, None, None]
            payoffs[members] = payoff[here, mine[members][:, :, None], theirs[members][:, None, :]]
            for mix, group, found in zip(mixes, (mine, theirs), (solved.row_mix, solved.column_mix), strict=True):
                mix[members] = _to_the_lowest(found, group[members])
        added = asked.lead * (self.objective == Objective.POINTS)
        return SolvedRounds(value, mixes, payoffs, games_of, sign < 0, added.astype(np.float64))

    def _payoff(self, position: Position) -> Floats:
        """The payoffs of the distinct cards at one position, its lead included."""
        asked = PositionBatch.of([position])
        words = matchups.patterns_of(asked.mine, asked.theirs)
        successors = matchups.successors(*words, position.level, matchups.count(self.cards, position.level - 1))
        ((_, codes),) = _by_shape(successors, np.zeros(1, dtype=np.int64))
        return np.asarray(self._payoffs(position.level, codes, asked.deck, asked.upcard, asked.lead)[0])

    def _payoffs(self, level: int, codes: NDArray[np.uint32], deck: Masks, upcard: Ints, lead: Ints) -> Floats:
        """The payoff matrices of positions of one shape, from the codes of their cells."""
        cells = codes.reshape(len(codes), -1)
        child = (cells >> matchups.INDEX_SHIFT).astype(np.int64)
        sign = matchups.CHILD_SIGN[cells & 7]
        if self.objective == Objective.POINTS:
            sign[child == matchups.count(self.cards, level - 1)] = 0  # equal hands
        after = lead[:, None] + matchups.UPCARD_SIGN[cells & 3] * upcard[:, None]
        return self._worth(level - 1, deck, child, sign, after).reshape(codes.shape)

    def _successors(self, level: int, index: NDArray[np.int64]) -> tuple[matchups.Successors, NDArray[np.int64]]:
        """The successors of numbered matchups, and where each of them is found there."""
        count = matchups.count(self.cards, level)
        if len(index) > count // WHOLE_LEVEL_SHARE and count <= WHOLE_LEVEL:
            return _level_successors(self.cards, level, Objective.WIN), index  # with equal hands, for both
        distinct, which = np.unique(index, return_inverse=True)
        words = bands.words(distinct, self.cards, level)
        return matchups.successors(*words, level, matchups.count(self.cards, level - 1)), which


def _by_shape(successors: matchups.Successors, which: Ranks) -> Iterable[tuple[NDArray[np.intp], NDArray[np.uint32]]]:
    """The games of one shape together: which they are, and the codes of their cells, [game][row][column]."""
    shape = successors.shapes[which].astype(np.int64)
    kind = shape[:, 0] * 32 + shape[:, 1]
    for rows, columns in (divmod(k, 32) for k in np.unique(kind).tolist()):
        members = np.flatnonzero(kind == rows * 32 + columns)
        cells = successors.offsets[which[members]][:, None] + np.arange(rows * columns)
        yield members, successors.codes[cells].reshape(-1, rows, columns)


def _to_the_lowest(mix: Floats, group: NDArray[np.intp]) -> Floats:
    """The mixes of groups as mixes of cards, [game][card]: the lowest card of a group has all of it."""
    spread: Floats = np.take_along_axis(mix, group, axis=1)
    spread[:, 1:][group[:, 1:] == group[:, :-1]] = 0.0
    return spread
