"""Ask the table that holds a position; where there is none and few cards are left, work the answer out."""

from pathlib import Path
from typing import Any

from goofspiel.errors import MissingTableError, ResourceError
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.tablebase.answer import Answer, ChanceAnswer
from goofspiel.tablebase.base import BaseTablebase, as_position
from goofspiel.tablebase.exact import MOST_ALONE, probe_alone
from goofspiel.tablebase.opening import needed_rules, open_for, open_tablebase


def settled(answer: Answer[Any] | ChanceAnswer[Any], most_cards: int = MOST_ALONE) -> Answer[Any] | ChanceAnswer[Any]:
    """The same answer; whether its mix is the only one, an exact endgame of few cards tells where the table cannot."""
    if isinstance(answer, ChanceAnswer) or answer.position.level > most_cards or answer.unique is not None:
        return answer
    exact = probe_alone(answer.position, objective=answer.objective)
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
        return settled(self._probe(as_position(position)))

    def _probe(self, asked: Position) -> Answer[Any] | ChanceAnswer[Any]:
        for table in self._tables.values():
            if table.holds(asked):
                return table.probe(asked)
        try:
            found = self._open(asked)
        except (MissingTableError, ResourceError):
            if not self._exact or self._cards or asked.level > MOST_ALONE:
                raise
            return probe_alone(asked, objective=self._like.objective)
        return self._tables.setdefault(found.cards, found).probe(asked)

    def _open(self, position: Position) -> BaseTablebase[Any]:
        if self._cards:
            return self._named(self._like.with_cards(self._cards))
        if self._exact:
            return self._named(needed_rules(position, self._like))
        return open_for(position, objective=self._like.objective, store=self._store)

    def _named(self, rules: Rules) -> BaseTablebase[Any]:
        if self._exact:
            return open_tablebase(rules, store=self._store, exact=True)
        return open_tablebase(rules, store=self._store)
