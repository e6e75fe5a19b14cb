"""Answer the questions of the API from tables: no HTTP here."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.cards import card_name, prize_name
from goofspiel.errors import GoofspielError
from goofspiel.matches.session import Session
from goofspiel.players.players import Player, TablePlayer, UniformPlayer, chance, checked_mixes, draw
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.render.first_moves import first_move
from goofspiel.render.reviews import review_json
from goofspiel.roster import load_player
from goofspiel.rules import Rules
from goofspiel.tablebase import SOLVED_ON_FIRST_USE, Answer
from goofspiel.web.bounds import check_served, is_worked_out
from goofspiel.web.cache import AnswerCache
from goofspiel.web.limits import ALONE_WORK_IN_BATCH, ANSWER_CACHE_BYTES
from goofspiel.web.probing import Found, Question, as_json, find_answers
from goofspiel.web.problems import ProblemError, problem_of
from goofspiel.web.tables import NoTable, NotSolvedYetError, OpenTable, SlowWorkError, Tables

Batch: TypeAlias = list[bytes | Callable[[], bytes]]  # the answers to a batch, or what makes them
JSON, CSV = "application/json", "text/csv; charset=utf-8"
PLAYERS = ("optimal", "uniform", "match", "match+1")


@dataclass(frozen=True)
class Reply:
    """An answer: its bytes, none when the client has them already; and the tag of what it comes from."""

    etag: str
    body: bytes | None
    media_type: str = JSON
    file: str | None = None  # the name to save it under


class Service:
    """Ask the tables. `if_none_match` are the tags of what a client has: it is not sent again.

    With `any_cards`, the smallest table of a game like that of the rules answers, whatever its number of cards.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._cache = AnswerCache(ANSWER_CACHE_BYTES)

    def probe(self, questions: Sequence[tuple[Question, str | None]]) -> list[Reply | Exception]:
        """Value and mixes of positions, each with the tags that its client has; or why there is no answer."""
        found = find_answers([asked for asked, _ in questions], self._tables)
        return [
            one if isinstance(one, Exception) else self._probe_reply(one, asked, tags)
            for one, (asked, tags) in zip(found, questions, strict=True)
        ]

    def _probe_reply(self, found: Found, asked: Question, if_none_match: str | None) -> Reply | Exception:
        etag = found.table.etag
        if matches(if_none_match, etag):
            return Reply(etag, None)
        if found.table.is_slow:
            return SlowWorkError(lambda: Reply(etag, self._made(found, asked)))
        try:
            return Reply(etag, self._made(found, asked))
        except (GoofspielError, ProblemError) as error:
            return error

    def probe_many(self, batches: Sequence[Sequence[Question]]) -> list[Batch | Exception]:
        """The same for batches of positions; one that cannot be answered has an error instead.

        What takes longer is left to be called, one by one.
        """
        found = iter(find_answers([asked for batch in batches for asked in batch], self._tables))
        return [self._batch(batch, list(islice(found, len(batch)))) for batch in batches]

    def _batch(self, questions: Sequence[Question], found: Sequence[Found | Exception]) -> Batch | Exception:
        missing = (one for one in found if isinstance(one, NotSolvedYetError))
        return next(missing, None) or [self._one_of_many(*pair) for pair in zip(found, questions, strict=True)]

    def _one_of_many(self, found: Found | Exception, asked: Question) -> bytes | Callable[[], bytes]:
        if isinstance(found, SlowWorkError):  # what is wrong: to say so may take a while
            return partial(_tried, found.work)
        if isinstance(found, Exception):
            return _error_json(found)
        if isinstance(found.answer, bytes):
            return found.answer
        if found.table.is_slow and not is_worked_out(found.position, asked.rules, ALONE_WORK_IN_BATCH):
            return _error_json(
                ProblemError(
                    "missing-table",
                    f"{str(found.position)!r} is worked out without a table, which takes too long in a batch: "
                    "ask it alone",
                )
            )
        return partial(_tried, partial(self._made, found, asked))

    def _made(self, found: Found, asked: Question) -> bytes:
        """The answer; one that takes longer may have been given lately."""
        if isinstance(found.answer, bytes):
            return found.answer
        return self._cached(found.table.etag, ("probe", found.position, asked.outcomes), found.answer)

    def table(self, rules: Rules, form: str, *, if_none_match: str | None = None) -> Reply:
        """The first-move table."""
        table = self._tables.get(rules)

        def make() -> bytes:
            found = first_move(table.tablebase)
            return found.to_csv().encode() if form == "csv" else as_json(found.to_json())

        question = "table", form
        if form == "csv":
            file = f"{rules.slug}.csv"
            return self._reply(table, if_none_match, question, make, media_type=CSV, file=file)
        return self._reply(table, if_none_match, question, make)

    def review(
        self, text: str, rules: Rules, *, any_cards: bool = False, side: str = "mine", if_none_match: str | None = None
    ) -> Reply:
        """What each bid of a game cost; with `any_cards` the record of a usual game says how many there are."""
        check_served(rules)
        fields = (
            {} if rules.is_usual else {name: getattr(rules, name) for name in ("ties", "prizes", "order", "rounds")}
        )
        cards = None if any_cards else rules.cards
        record = GameRecord.read(text.replace("_", " "), cards=cards, **fields)
        played = Rules.of(record.rules, objective=rules.objective)
        table = self._tables.get_for(played)

        def make() -> bytes:
            found = review(record, table.tablebase)
            return as_json({"side": side, **review_json(found if side == "mine" else found.swap())})

        return self._reply(table, if_none_match, ("review", record.to_file(), side), make)

    def bid(
        self,
        text: str,
        player: str,
        rules: Rules,
        seed: int,
        *,
        any_cards: bool = False,
        if_none_match: str | None = None,
    ) -> Reply:
        """What a player bids at a position, seen from its own side."""
        position = Position(text, rules)
        if not position.upcard:
            raise ProblemError("position", f"no upcard is shown to bid for: {str(position)!r}")
        if player not in PLAYERS:
            raise ProblemError("player", f"no player is called {player[:40]!r} here: {', '.join(PLAYERS)}")
        optimal = player == "optimal"
        table = self._tables.find_for(position, rules, any_cards=any_cards) if optimal else NoTable(rules)

        def make() -> bytes:
            mix = _mix(table, position) if optimal else _mix_of(load_player(player, rules), position, rules)
            rank = int(draw(mix, np.array([chance(f"{seed} bid {position}")]))[0])
            return as_json({"bid": card_name(position.my_cards[rank])})

        return self._reply(table, if_none_match, ("bid", player, position, seed), make, slow=optimal and table.is_slow)

    def deck(self, rules: Rules, seed: int, *, if_none_match: str | None = None) -> Reply:
        """The order of the prizes: that of `goofspiel play --seed`, which does not depend on the bids."""

        def make() -> bytes:
            game = Session.begin(rules, UniformPlayer(), seed=seed)
            while not game.is_over:
                game = game.bid(game.position.my_cards[0])
            return as_json({"upcards": [prize_name(played.upcard) for played in game.rounds]})

        table = NoTable(check_served(rules))
        return self._reply(table, if_none_match, ("deck", seed), make, slow=False)

    def tables(self) -> bytes:
        """What can be asked."""
        return as_json({"tables": self._tables.facts(), "players": PLAYERS, "solved_on_first_use": SOLVED_ON_FIRST_USE})

    def _reply(
        self,
        table: OpenTable | NoTable,
        if_none_match: str | None,
        question: tuple[Any, ...],
        make: Callable[[], bytes],
        *,
        media_type: str = JSON,
        file: str | None = None,
        slow: bool | None = None,
    ) -> Reply:
        """What was asked; what is slow and not known yet waits in its own line."""
        if matches(if_none_match, table.etag):
            return Reply(table.etag, None, media_type)

        def reply(make: Callable[[], bytes]) -> Reply:
            return Reply(table.etag, self._cached(table.etag, question, make), media_type, file)

        def later() -> bytes:
            raise SlowWorkError(lambda: reply(make))

        return reply(later if (table.is_slow if slow is None else slow) else make)

    def _cached(self, etag: str, question: tuple[Any, ...], make: Callable[[], bytes]) -> bytes:
        return self._cache.get(repr((etag, question)), make)


def _mix(table: OpenTable | NoTable, position: Position) -> Floats:
    """What is optimal, as a player's mixes."""
    if isinstance(table, OpenTable):
        return _mix_of(TablePlayer(table.tablebase), position, table.tablebase.rules)
    answer = table.probe(position)
    assert isinstance(answer, Answer)  # an upcard is shown
    return np.array([list(answer.mine.values())])


def _mix_of(player: Player, position: Position, rules: Rules) -> Floats:
    return checked_mixes(player, PositionBatch.of([position], rules=rules))


def _tried(work: Callable[[], bytes]) -> bytes:
    """An answer, or what is wrong."""
    try:
        return work()
    except (GoofspielError, ProblemError) as error:
        return _error_json(error)


def _error_json(error: Exception) -> bytes:
    problem = problem_of(error) if isinstance(error, GoofspielError) else error
    if not isinstance(problem, ProblemError):
        raise problem
    return as_json({"error": problem.detail})


def matches(if_none_match: str | None, etag: str) -> bool:
    """Whether a tag is among those of such a header."""
    tags = {tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")}
    return etag in tags or "*" in tags
