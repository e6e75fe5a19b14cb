"""Players, matches between them, records of games and their reviews."""

from goofspiel.best_response.response import Response, respond
from goofspiel.matches.playing import MatchResult, MatchStoppedError, play_match
from goofspiel.matches.session import Session
from goofspiel.players.players import (
    BidUpcardPlayer,
    Chooser,
    FunctionPlayer,
    Mix,
    OverridePlayer,
    Player,
    TablePlayer,
    UniformPlayer,
    checked_mixes,
)
from goofspiel.records.record import GameRecord, Round, read_records
from goofspiel.records.reviews import Review, ReviewedRound, review
from goofspiel.render.matches import match_json, match_text
from goofspiel.render.responses import response_json, response_text
from goofspiel.render.reviews import review_json, review_text
from goofspiel.roster import load_player, lock

__all__ = [
    "BidUpcardPlayer",
    "Chooser",
    "FunctionPlayer",
    "GameRecord",
    "MatchResult",
    "MatchStoppedError",
    "Mix",
    "OverridePlayer",
    "Player",
    "Response",
    "Review",
    "ReviewedRound",
    "Round",
    "Session",
    "TablePlayer",
    "UniformPlayer",
    "checked_mixes",
    "load_player",
    "lock",
    "match_json",
    "match_text",
    "play_match",
    "read_records",
    "respond",
    "response_json",
    "response_text",
    "review",
    "review_json",
    "review_text",
]
