"""Ask the table that holds a position; where there is none and few cards are left, work the answer out."""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from goofspiel.batch import cards_needed
from goofspiel.cards import cards_of
from goofspiel.errors import MissingTableError, ResourceError, TableBusyError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver.endgame import MOST_CARDS
from goofspiel.solver.exact_rows import ExactEndgame
from goofspiel.states.occurrence import pattern_of
from goofspiel.states.space import level_space
from goofspiel.store import list_tables, store_at
from goofspiel.tablebase.alone import MOST_EXACT, probe_alone
from goofspiel.tablebase.answer import Answer, ChanceAnswer
from goofspiel.tablebase.base import BaseTablebase, answer_at, as_position
from goofspiel.tablebase.opening import candidates, needed_rules, on_first_use, open_for, open_tablebase

# The least and greatest probability of each of my cards, ascending.
Ranges: TypeAlias = tuple[tuple[float, float], ...]


def settled(answer: Answer[Any] | ChanceAnswer[Any], most_cards: int = MOST_EXACT) -> Answer[Any] | ChanceAnswer[Any]:
    """The same answer; whether its mix is the only one, an exact endgame of few cards tells where the table cannot."""
    if isinstance(answer, ChanceAnswer) or answer.position.level > most_cards or answer.tells_unique:
        return answer
    if not answer.rules.has_whole_ends:
        return answer
    ranges, unique = exact_ranges(answer.position, answer.rules)
    return answer.settled_by(ranges, unique=unique)


def exact_ranges(position: Position, rules: Rules) -> tuple[Ranges, bool | None]:
    """What an exact endgame says of my mixes with an upcard and few cards, or of a position like it, asked lately.

    Only comparisons of cards count, and leads where they do.
    """
    mine, theirs = map(cards_of, pattern_of(position.mine, position.theirs))
    lead = position.lead if rules.has_leads else 0
    like = Position.of(mine, theirs, position.deck, position.upcard, lead=lead, pot=position.pot, rules=rules)
    return _exact_ranges(like, rules)


@lru_cache(maxsize=1 << 15)
def _exact_ranges(position: Position, rules: Rules) -> tuple[Ranges, bool | None]:
    if rules.nests and not position.pot and cards_needed(position, rules) <= rules.cards:
        values = _exact_values(rules, position.level)  # which the next position needs, too
        exact = answer_at(position, rules, values.space, values)
    else:
        alone = probe_alone(position, rules)
        assert isinstance(alone, Answer)  # an upcard is shown
        exact = alone
    return tuple((float(least), float(greatest)) for least, greatest in exact.ranges.values()), exact.unique


@lru_cache(maxsize=16)
def _exact_values(rules: Rules, level: int) -> ExactEndgame:
    return ExactEndgame(level_space(rules, level))


class Found(NamedTuple):
    """An answer, and where it comes from."""

    answer: Answer[Any] | ChanceAnswer[Any]
    """What was answered."""
    table: Path | None
    """The table that was asked; None: it was worked out without one."""


class Asker:
    """Answers positions of games alike but for their number of cards; tables stay open from one to the next.

    `cards` names the table to ask; without it, the smallest that is there and holds the position.
    """

    def __init__(
        self, like: Rules, *, cards: int | None = None, store: Path | str | None = None, exact: bool = False
    ) -> None:
        self._like, self._cards, self._store, self._exact = like, cards, store, exact
        self._tables: dict[int, BaseTablebase[Any]] = {}

    def probe(self, position: Position | str) -> Answer[Any] | ChanceAnswer[Any]:
        """The answer for a position; where the table cannot tell whether a mix is unique, an exact endgame may."""
        return self.ask(position).answer

    def ask(self, position: Position | str) -> Found:
        """The same, with the table that was asked."""
        found = self._ask(as_position(position, self._like))
        return found._replace(answer=settled(found.answer))

    def _ask(self, asked: Position) -> Found:
        for table in self._tables.values():
            if table.holds(asked):
                return Found(table.probe(asked), table.path)
        few = asked.level <= (MOST_EXACT if self._exact else MOST_CARDS)  # however few rounds: large hands take long
        try:
            if few and not (self._cards or self._exact or self._has_table(asked)):
                return Found(probe_alone(asked, self._like, exact=False), None)
            opened = self._open(asked)
        except (MissingTableError, TableBusyError, ResourceError):
            if self._cards or not few:
                raise
            answer = probe_alone(asked, self._like) if self._exact else probe_alone(asked, self._like, exact=False)
            return Found(answer, None)
        table = self._tables.setdefault(opened.cards, opened)
        return Found(table.probe(asked), table.path)

    def _has_table(self, asked: Position) -> bool:
        """Whether a table may hold a position, or is made in a moment; else nobody need know what it would cost."""
        needed = needed_rules(asked, self._like)
        return on_first_use(needed) or any(candidates(needed, list_tables(store_at(self._store))))

    def _open(self, position: Position) -> BaseTablebase[Any]:
        if self._cards:
            return self._named(self._like.with_cards(self._cards))
        if self._exact:
            return self._named(needed_rules(position, self._like))
        return open_for(position, rules=self._like, store=self._store)

    def _named(self, rules: Rules) -> BaseTablebase[Any]:
        if self._exact:
            return open_tablebase(rules, store=self._store, exact=True)
        return open_tablebase(rules, store=self._store)
