"""Players, matches between them, records of games and their reviews."""

from goofspiel.play.match import MatchResult, MatchStoppedError, match_json, match_text, play_match
from goofspiel.play.named import load_player, lock
from goofspiel.play.players import (
    Chooser,
    ChoosingPlayer,
    LockedPlayer,
    MatchPlayer,
    Mix,
    Player,
    TablePlayer,
    UniformPlayer,
    checked_mixes,
)
from goofspiel.play.record import GameRecord, Round, read_records
from goofspiel.play.respond import Response, respond
from goofspiel.play.response_show import response_json, response_text
from goofspiel.play.review import Review, ReviewedRound, review
from goofspiel.play.review_show import review_json, review_text
from goofspiel.play.session import Session

__all__ = [
    "Chooser",
    "ChoosingPlayer",
    "GameRecord",
    "LockedPlayer",
    "MatchPlayer",
    "MatchResult",
    "MatchStoppedError",
    "Mix",
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
