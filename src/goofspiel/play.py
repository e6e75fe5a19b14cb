"""Players, matches between them, records of games and their reviews."""

from goofspiel.best_response.held_out import held_out_value
from goofspiel.best_response.local import LocalResponse, local_response
from goofspiel.best_response.response import Response, respond
from goofspiel.best_response.tabulation import tabulate
from goofspiel.matches.drills import Puzzle, Score, puzzle, score_card, score_mix
from goofspiel.matches.playing import MatchResult, MatchStoppedError, play_match
from goofspiel.matches.session import Session
from goofspiel.players.human import ForgetfulPlayer, MixturePlayer, PredictablePlayer, SafeExploiter
from goofspiel.players.ladder import Rung, ladder
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
from goofspiel.players.policy_file import load_policy, save_policy
from goofspiel.players.tabulated import TabulatedPlayer
from goofspiel.records.adapting import adapted, model_of
from goofspiel.records.habits import Habit, Habits, habits
from goofspiel.records.record import GameRecord, Round, read_records
from goofspiel.records.reviews import Review, ReviewedRound, review
from goofspiel.render.habits import habits_json, habits_text
from goofspiel.render.matches import match_json, match_text
from goofspiel.render.responses import response_json, response_text
from goofspiel.render.reviews import review_json, review_text
from goofspiel.roster import load_player, lock

__all__ = [
    "BidUpcardPlayer",
    "Chooser",
    "ForgetfulPlayer",
    "FunctionPlayer",
    "GameRecord",
    "Habit",
    "Habits",
    "LocalResponse",
    "MatchResult",
    "MatchStoppedError",
    "Mix",
    "MixturePlayer",
    "OverridePlayer",
    "Player",
    "PredictablePlayer",
    "Puzzle",
    "Response",
    "Review",
    "ReviewedRound",
    "Round",
    "Rung",
    "SafeExploiter",
    "Score",
    "Session",
    "TablePlayer",
    "TabulatedPlayer",
    "UniformPlayer",
    "adapted",
    "checked_mixes",
    "habits",
    "habits_json",
    "habits_text",
    "held_out_value",
    "ladder",
    "load_player",
    "load_policy",
    "local_response",
    "lock",
    "match_json",
    "match_text",
    "model_of",
    "play_match",
    "puzzle",
    "read_records",
    "respond",
    "response_json",
    "response_text",
    "review",
    "review_json",
    "review_text",
    "save_policy",
    "score_card",
    "score_mix",
    "tabulate",
]
