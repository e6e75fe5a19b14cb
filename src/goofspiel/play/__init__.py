"""Players, matches between them, records of games and their reviews."""

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

__all__ = [
    "Chooser",
    "ChoosingPlayer",
    "GameRecord",
    "LockedPlayer",
    "MatchPlayer",
    "Mix",
    "Player",
    "Round",
    "TablePlayer",
    "UniformPlayer",
    "checked_mixes",
    "load_player",
    "lock",
    "read_records",
]
