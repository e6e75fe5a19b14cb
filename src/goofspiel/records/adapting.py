"""An opponent that learns whom it plays against from their games, and risks no more than it promises."""

from collections.abc import Iterable

from goofspiel.players.human import MixturePlayer, SafeExploiter
from goofspiel.players.modelling import Evidence, Observed
from goofspiel.players.players import TablePlayer
from goofspiel.records.record import GameRecord
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase import Tablebase

ADAPT = "adapt"  # the name of such an opponent, before it is known whom it meets


def default_risk(objective: Objective) -> float:
    """What it may lose a game when nothing is said: a point, or a tenth of P(win) − P(loss)."""
    return 1.0 if objective is Objective.POINTS else 0.1


def observed(records: Iterable[GameRecord]) -> list[Observed]:
    """My bids in games, each with the position that I saw."""
    return [
        Observed(before.turn_up(played.upcard), played.mine)
        for record in records
        for before, played, _ in record.steps()
        if not played.is_open
    ]


def model_of(records: Iterable[GameRecord], tablebase: Tablebase, rules: Rules | int | str) -> MixturePlayer:
    """How I bid, as a mixture of players, by my games of these rules; without any, nearly perfect play."""
    return Evidence.of(observed(records), tablebase, Rules.of(rules)).player()


def adapted(
    records: Iterable[GameRecord], tablebase: Tablebase, rules: Rules | int | str, risk: float
) -> SafeExploiter:
    """Who exploits how I bid, and loses no more than the risk a game to anybody."""
    return SafeExploiter(TablePlayer(tablebase), model_of(records, tablebase, rules), Rules.of(rules), risk)
