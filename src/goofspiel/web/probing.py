"""Probes that are answered together: what a table holds is read, solved and written for many positions at once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import orjson

from goofspiel.errors import GoofspielError
from goofspiel.position import Position
from goofspiel.render.answers import AnyAnswer, answer_json, round_answers_json
from goofspiel.rules import Rules
from goofspiel.tablebase.asking import settled
from goofspiel.tablebase.outcomes import outcomes
from goofspiel.web.limits import SETTLED
from goofspiel.web.problems import ProblemError
from goofspiel.web.tables import KnownTables, NoTable, NotSolvedYetError, OpenTable, SlowWorkError, Tables

# What keeps a position from being answered: said of it alone.
REFUSALS = (GoofspielError, ProblemError, NotSolvedYetError, SlowWorkError)


class Question(NamedTuple):
    """A position of a game, as text. Outcomes are worked out with up to so many cards in a hand."""

    text: str
    rules: Rules
    any_cards: bool
    outcomes: int

    def asks_outcomes(self, position: Position) -> bool:
        """Whether the answer says how the game ends."""
        return self.rules.has_leads and position.level <= self.outcomes


@dataclass(frozen=True, slots=True)
class Found:
    """The table that answers a position, and the answer: as it is, or, where that takes longer, what makes it."""

    position: Position
    table: OpenTable | NoTable
    answer: bytes | Callable[[], bytes]


def find_answers(questions: Sequence[Question], tables: Tables) -> list[Found | Exception]:
    """What is found for each question, or why there is nothing."""
    found: dict[int, Found | Exception] = {}
    rounds: dict[tuple[OpenTable, int], dict[int, Position]] = {}
    known: KnownTables = {}
    for place, asked in enumerate(questions):
        try:
            position = Position(asked.text, asked.rules)
            table = tables.find_for(position, asked.rules, any_cards=asked.any_cards, known=known)
        except REFUSALS as error:
            found[place] = error
            continue
        if isinstance(table, OpenTable) and position.upcard and not asked.asks_outcomes(position):
            rounds.setdefault((table, position.level), {})[place] = position
    for (table, _), positions in rounds.items():
        try:
            answers = table.tablebase.answer_rounds(list(positions.values()))
            bodies = [as_json(said) for said in round_answers_json(answers, settle=_settled)]
        except GoofspielError:  # which may be true of some of them only: each is asked alone
            continue
        for (place, position), body in zip(positions.items(), bodies, strict=True):
            found[place] = Found(position, table, body)
    return [found[place] if place in found else _alone(asked, tables) for place, asked in enumerate(questions)]


def _alone(asked: Question, tables: Tables) -> Found | Exception:
    """The same for one position; the table is the smallest from which it can be read."""
    position = Position(asked.text, asked.rules)
    try:
        table = tables.find_for(position, asked.rules, any_cards=asked.any_cards)
    except REFUSALS as error:
        return error
    return Found(position, table, partial(_answer, table, position, asked.asks_outcomes(position)))


def _answer(table: OpenTable | NoTable, position: Position, with_outcomes: bool) -> bytes:
    answer = _settled(table.probe(position))
    return as_json(answer_json(answer, outcomes=outcomes(answer) if with_outcomes else None))


def _settled(answer: AnyAnswer) -> AnyAnswer:
    return settled(answer, SETTLED)


def as_json(found: Any) -> bytes:
    """In one line, without spaces; numbers of NumPy, too."""
    return orjson.dumps(found, option=orjson.OPT_SERIALIZE_NUMPY)
