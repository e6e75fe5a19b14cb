"""Answer the questions of the API from tables: no HTTP here."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from goofspiel import __version__
from goofspiel.batch import PositionBatch
from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError
from goofspiel.matches.session import Session
from goofspiel.players.players import Player, TablePlayer, UniformPlayer, checked_mixes, draw
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.render.answers import answer_json
from goofspiel.render.first_moves import first_move
from goofspiel.render.reviews import review_json
from goofspiel.roster import load_player
from goofspiel.rules import Rules
from goofspiel.tablebase import SOLVED_ON_FIRST_USE
from goofspiel.tablebase.asking import settled
from goofspiel.tablebase.outcomes import outcomes
from goofspiel.web.cache import AnswerCache
from goofspiel.web.limits import ANSWER_CACHE_BYTES, OUTCOMES, OUTCOMES_IN_BATCH, OUTCOMES_ON_REQUEST, SETTLED
from goofspiel.web.problems import ProblemError, problem_of
from goofspiel.web.tables import OpenTable, Tables

JSON, CSV = "application/json", "text/csv; charset=utf-8"
PLAYERS = ("optimal", "uniform", "match", "match+1")
NO_TABLE = f'"rules-{__version__}"'  # the tag of answers that follow from the rules alone


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

    def probe(
        self,
        text: str,
        rules: Rules,
        *,
        any_cards: bool = False,
        with_outcomes: bool = False,
        if_none_match: str | None = None,
    ) -> Reply:
        """Value and mixes of a position."""
        position = Position(text)
        table = self._tables.get_for(position, rules, any_cards=any_cards)
        shown = position.level <= (OUTCOMES_ON_REQUEST if with_outcomes else OUTCOMES)
        question = "probe", position, shown
        return self._reply(table.etag, if_none_match, question, lambda: _probe(table, position, shown))

    def probe_many(self, texts: Sequence[str], rules: Rules, *, any_cards: bool = False) -> list[bytes]:
        """The same for many positions; one that cannot be answered has an error instead."""
        return [self._one_of_many(text, rules, any_cards) for text in texts]

    def _one_of_many(self, text: str, rules: Rules, any_cards: bool) -> bytes:
        try:
            position = Position(text)
            table = self._tables.get_for(position, rules, any_cards=any_cards)
            shown = position.level <= OUTCOMES_IN_BATCH
            return self._cached(table.etag, ("probe", position, shown), lambda: _probe(table, position, shown))
        except (GoofspielError, ProblemError) as error:
            problem = error if isinstance(error, ProblemError) else problem_of(error)
            return as_json({"error": problem.detail})

    def table(self, rules: Rules, form: str, *, if_none_match: str | None = None) -> Reply:
        """The first-move table."""
        table = self._tables.get(rules)

        def make() -> bytes:
            found = first_move(table.tablebase)
            return found.to_csv().encode() if form == "csv" else as_json(found.to_json())

        question = "table", form
        if form == "csv":
            file = f"{rules.slug}.csv"
            return self._reply(table.etag, if_none_match, question, make, media_type=CSV, file=file)
        return self._reply(table.etag, if_none_match, question, make)

    def review(
        self, text: str, rules: Rules, *, any_cards: bool = False, side: str = "mine", if_none_match: str | None = None
    ) -> Reply:
        """What each bid of a game cost; with `any_cards` the record says how many there are."""
        record = GameRecord.read(text.replace("_", " "), cards=None if any_cards else rules.cards)
        table = self._tables.get_for(Position.start(record.cards), rules, any_cards=True)

        def make() -> bytes:
            found = review(record, table.tablebase)
            return as_json({"side": side, **review_json(found if side == "mine" else found.swap())})

        return self._reply(table.etag, if_none_match, ("review", record.to_file(), side), make)

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
        position = Position(text)
        if not position.upcard:
            raise ProblemError("position", f"no upcard is shown to bid for: {str(position)!r}")
        if player not in PLAYERS:
            raise ProblemError("player", f"no player is called {player[:40]!r} here: {', '.join(PLAYERS)}")
        bidder: Player
        if player == "optimal":
            table = self._tables.get_for(position, rules, any_cards=any_cards)
            bidder, etag = TablePlayer(table.tablebase), table.etag
        else:
            bidder, etag = load_player(player, rules.with_cards(position.highest_card)), NO_TABLE

        def make() -> bytes:
            mixes = checked_mixes(bidder, PositionBatch.of([position]))
            rank = int(draw(mixes, np.array([_chance(f"{seed} bid {position}")]))[0])
            return as_json({"bid": card_name(position.my_cards[rank])})

        return self._reply(etag, if_none_match, ("bid", player, position, seed), make)

    def deck(self, rules: Rules, seed: int, *, if_none_match: str | None = None) -> Reply:
        """The order of the prizes: that of `goofspiel play --seed`, which does not depend on the bids."""

        def make() -> bytes:
            game = Session.begin(rules, UniformPlayer(), seed=seed)
            while not game.is_over:
                game = game.bid(game.position.my_cards[0])
            return as_json({"upcards": [card_name(played.upcard) for played in game.rounds]})

        return self._reply(NO_TABLE, if_none_match, ("deck", str(rules), seed), make)

    def tables(self) -> bytes:
        """What can be asked."""
        return as_json({"tables": self._tables.facts(), "players": PLAYERS, "solved_on_first_use": SOLVED_ON_FIRST_USE})

    def _reply(
        self,
        etag: str,
        if_none_match: str | None,
        question: tuple[Any, ...],
        make: Callable[[], bytes],
        *,
        media_type: str = JSON,
        file: str | None = None,
    ) -> Reply:
        if matches(if_none_match, etag):
            return Reply(etag, None, media_type)
        return Reply(etag, self._cached(etag, question, make), media_type, file)

    def _cached(self, etag: str, question: tuple[Any, ...], make: Callable[[], bytes]) -> bytes:
        return self._cache.get(repr((etag, question)), make)


def _probe(table: OpenTable, position: Position, with_outcomes: bool) -> bytes:
    answer = settled(table.tablebase.probe(position), SETTLED)
    return as_json(answer_json(answer, outcomes=outcomes(answer) if with_outcomes else None))


def matches(if_none_match: str | None, etag: str) -> bool:
    """Whether a tag is among those of such a header."""
    tags = {tag.strip().removeprefix("W/") for tag in (if_none_match or "").split(",")}
    return etag in tags or "*" in tags


def as_json(found: Any) -> bytes:
    """In one line, every number a number."""
    return json.dumps(found, allow_nan=False).encode()


def _chance(what: str) -> float:
    """A number from 0 to 1 that looks drawn by chance, and is the same on every machine."""
    return (int.from_bytes(sha256(what.encode()).digest()[:8], "big") >> 11) / 2**53
