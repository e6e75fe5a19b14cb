"""TextArena's GameOfPureStrategy: an agent that plays our tables there, its transcripts as games, its agents scored.

Its rules: 13 cards, shuffled prizes, tied prizes carried over, played to win. With more than 8 cards in a hand the
agent asks a player, by default the table for points; from then on it plays exactly to win, without any table.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from goofspiel.batch import PositionBatch
from goofspiel.errors import RecordError
from goofspiel.players.players import Player, TablePlayer, card_at, checked_mixes, draw
from goofspiel.position import Position
from goofspiel.records.logs import LoggedGame
from goofspiel.rules import Objective, Rules
from goofspiel.solver.endgame import MOST_CARDS
from goofspiel.tablebase import Answer, open_tablebase
from goofspiel.tablebase.alone import probe_alone

RULES = Rules(13, ties="carry", objective=Objective.WIN)
_FACES = {"A": 1, "J": 11, "Q": 12, "K": 13}
_CARD = "(10|[2-9AJQK])"
_TOLD = re.compile(
    rf"### Round ([0-9]+)/13 - Prize: {_CARD}\b|Bids: P0 {_CARD} vs P1 {_CARD}\b|You are Player ([01])\b", re.IGNORECASE
)
_BID = re.compile(rf"\[{_CARD}\]", re.IGNORECASE)

Agent = Callable[[str], str]
"""What TextArena calls an agent: an observation in, an action out."""


def read_transcript(text: str) -> tuple[list[tuple[int, int, int]], int, int]:
    """The rounds that a text tells, upcard and both bids; the prize that is up, or 0; and which player reads it."""
    rounds: dict[int, list[int]] = {}
    player, current = 0, 0
    for number, prize, first, second, who in _TOLD.findall(text):
        if number:
            current = int(number)
            rounds.setdefault(current, [_value(prize)])
        elif first and current in rounds:
            rounds[current] = [rounds[current][0], _value(first), _value(second)]
        elif who:
            player = int(who)
    told = [rounds[number] for number in sorted(rounds)]
    if sorted(rounds) != list(range(1, len(rounds) + 1)) or any(len(one) == 1 for one in told[:-1]):
        raise RecordError(f"some of the rounds are missing: it tells of {', '.join(map(str, sorted(rounds)))}")
    played = [(one[0], one[1], one[2]) for one in told if len(one) == 3]
    return played, told[-1][0] if told and len(told[-1]) == 1 else 0, player


def to_log(text: str, players: tuple[str, str] = ("Player 0", "Player 1")) -> LoggedGame:
    """A game of a transcript, to be judged."""
    return LoggedGame(RULES, players, tuple(read_transcript(text)[0]), "a game of TextArena's")


def position_of(text: str) -> Position:
    """What an observation shows whoever reads it."""
    rounds, upcard, player = read_transcript(text)
    position = Position.start(RULES)
    for prize, first, second in rounds:
        position = position.turn_up(prize).play(first, second, carry=True)
    position = position.swap() if player else position
    return position.turn_up(upcard) if upcard else position


class TableAgent:
    """Plays by the tables."""

    def __init__(self, opening: Player | None = None, *, store: Any = None, seed: int | None = None) -> None:
        """`opening` bids with more than 8 cards in a hand: by default the table of 13 cards for points."""
        self._opening = opening or TablePlayer(open_tablebase(Rules(13, ties="carry"), store=store))
        self._random = np.random.default_rng(seed)

    def __call__(self, observation: str) -> str:
        """A card, drawn from the mix."""
        position = position_of(observation)
        batch = PositionBatch.of([position], rules=RULES)
        if position.level > MOST_CARDS:
            mixes = checked_mixes(self._opening, batch)
        else:
            mix = _to_win(position).mine
            mixes = np.array([[float(mix[card]) for card in position.my_cards]])
        (card,) = card_at(batch.mine, draw(mixes, self._random.random(1))).tolist()
        return f"[{ {value: face for face, value in _FACES.items()}.get(card, card) }]"


class ScoredAgent:
    """Any agent, every bid of it scored in the last 8 rounds: what it gives up in P(win) − P(loss)."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.regrets: list[tuple[str, float]] = []
        """Position and regret, by bid; a bid that is none is not scored."""

    def __call__(self, observation: str) -> str:
        """What the agent says."""
        said = self._agent(observation)
        self.regrets += self._scored(observation, said)
        return said

    def _scored(self, observation: str, said: str) -> Iterator[tuple[str, float]]:
        position, bids = position_of(observation), _BID.findall(said)
        if len(bids) == 1 and 1 < position.level <= MOST_CARDS and (card := _value(bids[0])) in position.my_cards:
            yield str(position), max(float(_to_win(position).regret[card]), 0.0)


def _to_win(position: Position) -> Answer[float]:
    answer = probe_alone(position, RULES, exact=False)
    assert isinstance(answer, Answer)
    return answer


def _value(face: str) -> int:
    return _FACES.get(face.upper()) or int(face)
