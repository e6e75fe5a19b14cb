"""Answer the questions of the API from tables: no HTTP here."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from goofspiel import __version__
from goofspiel.batch import PositionBatch
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
from goofspiel.rules import Objective, card_name
from goofspiel.tablebase import SOLVED_ON_FIRST_USE
from goofspiel.web.cache import Remembered
from goofspiel.web.limits import OUTCOMES, OUTCOMES_ASKED, OUTCOMES_IN_BATCH, REMEMBERED_BYTES
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


class Answers:
    """Ask the tables. `known` are the tags of what a client has: it is not sent again."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._remembered = Remembered(REMEMBERED_BYTES)

    def probe(
        self, text: str, objective: Objective, cards: int | None, *, outcomes: bool = False, known: str = ""
    ) -> Reply:
        """Value and mixes of a position."""
        position = Position(text)
        table = self._tables.get_for(position, objective, cards)
        wanted = position.level <= (OUTCOMES_ASKED if outcomes else OUTCOMES)
        return self._reply(table.etag, known, (position, wanted), lambda: _probe(table, position, wanted))

    def probe_many(self, texts: Sequence[str], objective: Objective, cards: int | None) -> list[bytes]:
        """The same for many positions; one that cannot be answered has an error instead."""
        return [self._one_of_many(text, objective, cards) for text in texts]

    def _one_of_many(self, text: str, objective: Objective, cards: int | None) -> bytes:
        try:
            position = Position(text)
            table = self._tables.get_for(position, objective, cards)
            wanted = position.level <= OUTCOMES_IN_BATCH
            key = table.etag, (position, wanted)
            return self._remembered.get(key, lambda: _probe(table, position, wanted))
        except (GoofspielError, ProblemError) as error:
            problem = error if isinstance(error, ProblemError) else problem_of(error)
            return as_json({"error": problem.detail})

    def table(self, cards: int, objective: Objective, form: str, *, known: str = "") -> Reply:
        """The first-move table."""
        table = self._tables.get(cards, objective)

        def make() -> bytes:
            found = first_move(table.tablebase)
            return found.to_csv().encode() if form == "csv" else as_json(found.to_json())

        if form == "csv":
            file = f"{objective}-{cards}.csv"
            return self._reply(table.etag, known, ("table", form), make, media_type=CSV, file=file)
        return self._reply(table.etag, known, ("table", form), make)

    def review(
        self, text: str, objective: Objective, cards: int | None, *, side: str = "mine", known: str = ""
    ) -> Reply:
        """What each bid of a game cost."""
        record = GameRecord.read(text.replace("_", " "), cards=cards)
        table = self._tables.get_for(Position.start(record.cards), objective)

        def make() -> bytes:
            found = review(record, table.tablebase)
            return as_json({"side": side, **review_json(found if side == "mine" else found.swap())})

        return self._reply(table.etag, known, ("review", record.to_file(), side), make)

    def bid(
        self, text: str, player: str, objective: Objective, cards: int | None, seed: int, *, known: str = ""
    ) -> Reply:
        """What a player bids at a position, seen from its own side."""
        position = Position(text)
        if not position.upcard:
            raise ProblemError("position", f"no upcard is shown to bid for: {str(position)!r}")
        if player not in PLAYERS:
            raise ProblemError("player", f"no player is called {player[:40]!r} here: {', '.join(PLAYERS)}")
        bidder: Player
        if player == "optimal":
            table = self._tables.get_for(position, objective, cards)
            bidder, etag = TablePlayer(table.tablebase), table.etag
        else:
            bidder, etag = load_player(player, cards=position.highest_card), NO_TABLE

        def make() -> bytes:
            mixes = checked_mixes(bidder, PositionBatch.of([position]))
            rank = int(draw(mixes, np.array([_chance(f"{seed} bid {position}")]))[0])
            return as_json({"bid": card_name(position.my_cards[rank])})

        return self._reply(etag, known, ("bid", player, position, seed), make)

    def deck(self, cards: int, seed: int, *, known: str = "") -> Reply:
        """The order of the prizes: that of `goofspiel play --seed`, which does not depend on the bids."""

        def make() -> bytes:
            game = Session.begin(cards, UniformPlayer(), seed=seed)
            while not game.is_over:
                game = game.bid(game.position.my_cards[0])
            return as_json({"upcards": [card_name(played.upcard) for played in game.rounds]})

        return self._reply(NO_TABLE, known, ("deck", cards, seed), make)

    def tables(self) -> bytes:
        """What can be asked."""
        return as_json(
            {"tables": self._tables.listed(), "players": PLAYERS, "solved_on_first_use": SOLVED_ON_FIRST_USE}
        )

    def _reply(
        self,
        etag: str,
        known: str,
        question: tuple[Any, ...],
        make: Callable[[], bytes],
        *,
        media_type: str = JSON,
        file: str | None = None,
    ) -> Reply:
        if has(known, etag):
            return Reply(etag, None, media_type)
        return Reply(etag, self._remembered.get((etag, question), make), media_type, file)


def _probe(table: OpenTable, position: Position, outcomes: bool) -> bytes:
    return as_json(answer_json(table.tablebase.probe(position), outcomes=outcomes))


def has(known: str, etag: str) -> bool:
    """Whether a tag is among those of an If-None-Match header."""
    tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
    return etag in tags or "*" in tags


def as_json(found: Any) -> bytes:
    """In one line, every number a number."""
    return json.dumps(found, allow_nan=False).encode()


def _chance(what: str) -> float:
    """A number from 0 to 1 that looks drawn by chance, and is the same on every machine."""
    return (int.from_bytes(sha256(what.encode()).digest()[:8], "big") >> 11) / 2**53
