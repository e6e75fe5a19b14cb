"""Ask the table that holds a position; where there is none and few cards are left, work the answer out."""

from pathlib import Path
from typing import Any

from goofspiel.errors import MissingTableError, ResourceError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver.endgame import MOST_CARDS
from goofspiel.tablebase.alone import MOST_EXACT, probe_alone
from goofspiel.tablebase.answer import Answer, ChanceAnswer
from goofspiel.tablebase.base import BaseTablebase, as_position
from goofspiel.tablebase.opening import needed_rules, open_for, open_tablebase


def settled(answer: Answer[Any] | ChanceAnswer[Any], most_cards: int = MOST_EXACT) -> Answer[Any] | ChanceAnswer[Any]:
    """The same answer; whether its mix is the only one, an exact endgame of few cards tells where the table cannot."""
    if isinstance(answer, ChanceAnswer) or answer.position.level > most_cards or answer.unique is not None:
        return answer
    exact = probe_alone(answer.position, answer.rules)
    assert isinstance(exact, Answer)  # an upcard is shown
    return answer.settled_by(exact)


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
        return settled(self._probe(as_position(position, self._like)))

    def _probe(self, asked: Position) -> Answer[Any] | ChanceAnswer[Any]:
        for table in self._tables.values():
            if table.holds(asked):
                return table.probe(asked)
        try:
            found = self._open(asked)
        except (MissingTableError, ResourceError):
            most = MOST_EXACT if self._exact else MOST_CARDS
            if self._cards or asked.level - self._like.last_level > most:
                raise
            return probe_alone(asked, self._like) if self._exact else probe_alone(asked, self._like, exact=False)
        return self._tables.setdefault(found.cards, found).probe(asked)

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
