"""What every open table offers, whatever its numbers are: which game it is of, where it is, and answers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self

import numpy as np

from goofspiel.batch import batch_of, cards_needed, no_such_game
from goofspiel.cards import MAX_CARDS
from goofspiel.errors import MissingTableError
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.states.matchups import patterns_of
from goofspiel.states.space import Array, LevelSpace, Stored, level_space
from goofspiel.store import solve_command
from goofspiel.tablebase.answer import Answer, ByCard, ChanceAnswer, Number, SolvedGame, answer_of


def as_position(position: Position | str, rules: Rules) -> Position:
    """A position, given as such or in notation, as the rules have it; refused if they do not know it."""
    return position.under(rules) if isinstance(position, Position) else Position(position, rules)


def check_many(positions: Any) -> Any:
    """Positions; one text would be taken for its letters."""
    if isinstance(positions, str | Position):
        raise TypeError(f"positions are a list of positions, not one: {str(positions)!r}")
    return positions


def payoffs_at(position: Position, space: LevelSpace, stored: Stored) -> Array:
    """The payoffs of the distinct cards at a position of a level with an upcard, its lead included."""
    batch = batch_of([position], space)
    successors = space.successors_of(*patterns_of(batch.mine, batch.theirs))
    ((_, codes),) = successors.by_shape(np.arange(1))
    return np.asarray(space.payoffs(codes, batch.shown(), stored)[0])


def answer_at(
    position: Position, rules: Rules, space: LevelSpace, stored: Stored, *, error: float = 0.0
) -> Answer[Any]:
    """The answer at a position of a level with an upcard; each payoff is within the error of the true one."""
    batch = batch_of([position], space)
    _, (sign,), (lead,) = space.solved_as(batch.mine, batch.theirs, batch.lead)
    turned = sign < 0
    seen = (position.swap() if turned else position).replaced(lead=int(lead))
    game = SolvedGame.of(payoffs_at(seen, space, stored), error)
    game = game.swap() if turned else game
    return answer_of(position, rules, game if rules.has_leads else replace(game, lead=position.lead))


def next_upcards(position: Position, rules: Rules) -> tuple[int, ...]:
    """The prizes that may be turned up now, ascending."""
    if rules.is_over(position.level) or position.upcard:
        return ()
    return position.deck[:1] if rules.order is not None else tuple(sorted(set(position.deck)))


def most_left(position: Position, rules: Rules) -> int:
    """What can still be won: the pot and the best prizes of the rounds that are left."""
    rounds = position.level - rules.last_level
    if position.upcard:
        rounds -= 1
    left = position.deck if rules.order is not None else sorted(position.deck, reverse=True)
    return position.pot + position.upcard + sum(left[: max(rounds, 0)])


def mean_of(position: Position, upcards: Sequence[int], values: Sequence[Any]) -> Any:
    """The mean over upcards that are as likely as the deck has copies of them."""
    copies = [position.deck.count(card) for card in upcards]
    return sum(count * value for count, value in zip(copies, values, strict=True)) / sum(copies)


class BaseTablebase(ABC, Generic[Number]):
    """A solved table: a context manager that closes what it opened. `probe` raises where `get` returns None."""

    exact: bool

    def __init__(self, path: Path, rules: Rules) -> None:
        self._path, self._rules = path, rules

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        rules = repr(self._rules)
        if self._rules.is_usual:
            rules = rules.removeprefix("Rules(").removesuffix(")")
        return f"open_tablebase({rules}{', exact=True' * self.exact}, store={str(self.path.parent)!r})"

    @abstractmethod
    def close(self) -> None:
        """Let go of what was read."""

    @property
    def rules(self) -> Rules:
        """Which game it is of."""
        return self._rules

    @property
    def cards(self) -> int:
        """The number of cards of the game."""
        return self._rules.cards

    @property
    def objective(self) -> Objective:
        """What the players maximise."""
        return self._rules.objective

    @property
    def path(self) -> Path:
        """Where the table is."""
        return self._path

    def holds(self, position: Position | str) -> bool:
        """Whether the table answers this position."""
        return cards_needed(as_position(position, self._rules), self._rules) <= self.cards

    def get(self, position: Position | str) -> Answer[Number] | ChanceAnswer[Number] | None:
        """The answer for a position, or None when the table does not hold it."""
        return self.probe(position) if self.holds(position) else None

    def probe(self, position: Position | str) -> Answer[Number] | ChanceAnswer[Number]:
        """The answer for a position: an `Answer` when an upcard is shown, a `ChanceAnswer` before."""
        asked = as_position(position, self._rules)
        self._require(asked)
        if asked.upcard:
            space = level_space(self._rules, asked.level)
            return answer_at(asked, self._rules, space, self._stored, error=self._payoff_error(asked))
        value, *shown = self._values_with_upcards(asked)
        upcards = ByCard(dict(zip(next_upcards(asked, self._rules), shown, strict=True)))
        return ChanceAnswer(asked, self._rules, value, upcards, self._value_bound(asked))

    @property
    @abstractmethod
    def _stored(self) -> Stored:
        """What the table holds."""

    @abstractmethod
    def _values_with_upcards(self, position: Position) -> list[Any]:
        """The value of a position before its upcard, and once each prize that may come is turned up."""

    @abstractmethod
    def _payoff_error(self, position: Position) -> float:
        """What each payoff at a position may be wrong by."""

    @abstractmethod
    def _value_bound(self, position: Position) -> Any:
        """What the values of a position before its upcard, and with each, may be wrong by."""

    def _require(self, position: Position) -> None:
        needed = cards_needed(position, self._rules)
        if needed > MAX_CARDS:
            raise no_such_game(position, self._rules)
        if needed > self.cards:
            command = solve_command(self._rules.with_cards(needed), self.path.parent, exact=self.exact)
            raise MissingTableError(
                f"{str(position)!r} needs {'an exact' if self.exact else 'a'} table of {needed} cards, "
                f"{self.path.name} has {self.cards}: {command}"
            )
