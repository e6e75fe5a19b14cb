"""Ask a solved table about positions, one by one or many at a time."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from goofspiel import games, matchups, prizes
from goofspiel.answer import Answer, ByCard, ChanceAnswer, make_answer
from goofspiel.errors import MissingTableError
from goofspiel.games.solution import Floats
from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.store import Table, solve_command
from goofspiel.subsets import Masks, squeeze
from goofspiel.tablebase.bounds import Bound, table_bound
from goofspiel.tablebase.rows import CACHE_BYTES, Rows

# A level of no more matchups than this is laid out whole once a question asks for a good share of it.
WHOLE_LEVEL = 1 << 18
WHOLE_LEVEL_SHARE = 8


@lru_cache(maxsize=2)
def _level_successors(cards: int, level: int) -> matchups.Successors:
    words = matchups.all_matchups(cards, level)
    return matchups.successors(*words, level, matchups.count(cards, level - 1))


class Tablebase:
    """A solved table. `probe` raises where `get` returns None; `values` takes many positions."""

    def __init__(self, table: Table, *, cache_bytes: int = CACHE_BYTES) -> None:
        self._table = table
        self._rows = Rows(table, cache_bytes=cache_bytes)

    def __repr__(self) -> str:
        return f"open_tablebase({self.cards}, objective={str(self.objective)!r}, store={str(self.path.parent)!r})"

    def __enter__(self) -> "Tablebase":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the rows kept in memory."""
        self._rows.clear()

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self._table.header.cards

    @property
    def objective(self) -> Objective:
        """What the players maximise."""
        return self._table.header.objective

    @property
    def path(self) -> Path:
        """Where the table is."""
        return self._table.path

    @property
    def bound(self) -> Bound:
        """How wrong the table can be."""
        return table_bound(self._table)

    def holds(self, position: Position) -> bool:
        """Whether the table answers this position."""
        return cards_needed(position) <= self.cards

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
        asked: Sequence[Position] = positions if isinstance(positions, Sequence) else list(positions)
        fields = np.array([(p.mine, p.theirs, p.deck, p.upcard, p.lead) for p in asked], dtype=np.int32).reshape(-1, 5)
        mine, theirs, deck, upcard, lead = fields.T
        level = np.bitwise_count(mine.astype(np.uint16))
        needed = _cards_needed(mine, theirs, deck, upcard)
        if len(asked) and needed.max() > self.cards:
            self._require(asked[int(needed.argmax())])
        result = lead.astype(np.float64)
        # A position before its upcard and one after are different questions, and levels have different tables.
        kind = level * 2 + (upcard > 0)
        for which in np.unique(kind[level > 0]).tolist():
            here = np.flatnonzero(kind == which)
            ask = self._after_upcard if which % 2 else self._before_upcard
            hands = mine[here].astype(np.uint16), theirs[here].astype(np.uint16)
            result[here] += ask(which // 2, *hands, deck[here].astype(np.uint16), upcard[here])
        return result

    def _require(self, position: Position) -> None:
        needed = cards_needed(position)
        if needed > self.cards:
            command = solve_command(needed, self.objective, self.path.parent)
            raise MissingTableError(
                f"{str(position)!r} needs a table of {needed} cards, {self.path.name} has {self.cards}: {command}"
            )

    def _before_upcard(self, level: int, mine: Masks, theirs: Masks, deck: Masks, _: NDArray[np.int32]) -> Floats:
        index, sign = matchups.number(mine, theirs, level)
        unequal = np.flatnonzero(sign)
        result = np.zeros(len(mine))
        found = self._rows.gather(level, prizes.number(deck[unequal]).astype(np.int64), index[unequal])
        result[unequal] = sign[unequal] * found
        return result

    def _after_upcard(self, level: int, mine: Masks, theirs: Masks, deck: Masks, upcard: NDArray[np.int32]) -> Floats:
        index, sign = matchups.number(mine, theirs, level)
        unequal = np.flatnonzero(sign)
        order = unequal[np.argsort(deck[unequal], kind="stable")]  # neighbours read the same rows
        successors, which = self._successors(level, index[order])
        found = np.empty(len(order))
        for members, payoff in self._payoffs(level, successors, which, deck[order], upcard[order]):
            found[members] = games.solve_batch(payoff).value
        result = np.zeros(len(mine))
        result[order] = sign[order] * found
        return result

    def _payoff(self, position: Position) -> Floats:
        """The payoffs of the distinct cards at one position, its lead included."""
        mine, theirs, deck = (np.array([m], dtype=np.uint16) for m in (position.mine, position.theirs, position.deck))
        held = mine | theirs
        child_count = matchups.count(self.cards, position.level - 1)
        successors = matchups.successors(squeeze(mine, held), squeeze(theirs, held), position.level, child_count)
        only = np.zeros(1, dtype=np.int64)
        ((_, payoff),) = self._payoffs(position.level, successors, only, deck, np.array([position.upcard]))
        return np.asarray(payoff[0] + position.lead)

    def _successors(self, level: int, index: NDArray[np.int64]) -> tuple[matchups.Successors, NDArray[np.int64]]:
        """The successors of numbered matchups, and where each of them is found there."""
        count = matchups.count(self.cards, level)
        if len(index) > count // WHOLE_LEVEL_SHARE and count <= WHOLE_LEVEL:
            return _level_successors(self.cards, level), index
        distinct, which = np.unique(index, return_inverse=True)
        words = matchups.words(distinct, level)
        return matchups.successors(*words, level, matchups.count(self.cards, level - 1)), which

    def _payoffs(
        self,
        level: int,
        successors: matchups.Successors,
        which: NDArray[np.int64],
        deck: Masks,
        upcard: NDArray[np.int32],
    ) -> Iterable[tuple[NDArray[np.int64], Floats]]:
        """The payoff matrices of positions, shape by shape; `which` of the successors are those of a position."""
        child_count = matchups.count(self.cards, level - 1)
        prize_set = prizes.number(deck).astype(np.int64)
        shape = successors.shapes[which].astype(np.int64)
        kind = shape[:, 0] * 32 + shape[:, 1]
        for rows, columns in (divmod(k, 32) for k in np.unique(kind).tolist()):
            members = np.flatnonzero(kind == rows * 32 + columns)
            cells = successors.offsets[which[members]][:, None] + np.arange(rows * columns)
            codes = successors.codes[cells]
            child = (codes >> matchups.INDEX_SHIFT).astype(np.int64)
            if child_count:
                equal = child == child_count
                child[equal] = 0
                payoff = self._rows.gather(level - 1, prize_set[members], child)
                payoff[equal] = 0
            else:
                payoff = np.zeros(codes.shape)
            payoff *= matchups.CHILD_SIGN[codes & 7]
            payoff += matchups.UPCARD_SIGN[codes & 3] * upcard[members][:, None]
            yield members, payoff.reshape(-1, rows, columns)


def cards_needed(position: Position) -> int:
    """The least number of cards of a table that holds the position: its prizes, and the order of its hands."""
    return int(
        _cards_needed(
            *(np.array([field]) for field in (position.mine, position.theirs, position.deck, position.upcard))
        )[0]
    )


def _cards_needed(
    mine: NDArray[np.int32], theirs: NDArray[np.int32], deck: NDArray[np.int32], upcard: NDArray[np.int32]
) -> NDArray[np.int64]:
    highest_prize = np.maximum(np.frexp(deck.astype(np.float64))[1], upcard)
    needed: NDArray[np.int64] = np.maximum(np.maximum(highest_prize, np.bitwise_count(mine | theirs)), 1).astype(
        np.int64
    )
    return needed
