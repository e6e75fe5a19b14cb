"""How likely is a win, a draw, a loss, when both play to win? Worked out by playing the mixes against each other.

The value of a position is P(win) − P(loss); it does not tell how the rest is shared with draws, and that depends on the
mixes: where more than one is optimal, another one may draw more or less often. What is said here holds for the mixes
that the kernel finds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.solver.endgame import MOST_CARDS, Endgame, last_endgame
from goofspiel.tablebase.answer import Answer, ChanceAnswer
from goofspiel.tablebase.base import most_left

__all__ = ["MOST_CARDS", "Outcomes", "outcomes", "outcomes_from"]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Probabilities of the end of the game."""

    win: float
    """That I win."""
    draw: float
    """That nobody does."""
    loss: float
    """That they win."""


def outcomes(answer: Answer[Any] | ChanceAnswer[Any]) -> Outcomes | None:
    """How the game ends when both play to win, this round with the mixes of the answer.

    All that can follow is solved for it, in a second or two. None for `points`, where the mixes of later rounds are not
    made for it, and with more than 8 cards in a hand.
    """
    position = answer.position
    if answer.objective is not Objective.WIN or position.level > MOST_CARDS:
        return None
    draw = 0.0
    if not answer.rules.is_decided(position.lead, most_left(position, answer.rules)):
        endgame = last_endgame(position, answer.rules)
        draw = _draw(answer, endgame) if isinstance(answer, Answer) else endgame.draw(position)
    return outcomes_from(float(answer.value), draw)


def outcomes_from(value: float, draw: float) -> Outcomes:
    """From the value P(win) − P(loss), and the probability of a draw."""
    decided = 1 - draw
    return Outcomes(max((decided + value) / 2, 0.0), draw, max((decided - value) / 2, 0.0))


def _draw(answer: Answer[Any], endgame: Endgame) -> float:
    position: Position = answer.position
    after = [
        [endgame.draw(position.play(mine, theirs, carry=answer.rules.has_pots)) for theirs in position.their_cards]
        for mine in position.my_cards
    ]
    mine, theirs = (np.array(list(mix.values()), dtype=np.float64) for mix in (answer.mine, answer.theirs))
    return float(mine @ np.array(after) @ theirs)
