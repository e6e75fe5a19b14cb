"""What is known of a rule in a game, and how it came to be known."""

from dataclasses import dataclass

from goofspiel.arrays import Floats
from goofspiel.best_response.expectation import Measured
from goofspiel.rules import Objective

SEARCHED = {Objective.POINTS: 7, Objective.WIN: 6}  # cards: parameters are searched for up to here, then kept
RATIO_SEARCHED = (4, 5, 6)  # cards: the games in which a function of upcard/N is searched for
GAMES = 4096  # of a match, in pairs with sides swapped
SEED = 0


@dataclass(frozen=True, eq=False)
class Judged:
    """A rule in a game: what a best response gains, if that was worked out, and what optimal play gains."""

    cards: int
    rule: str
    random: bool
    parameter: float | None
    mix: Floats | None  # of a rule that was searched for
    exploitability: float | None
    loss: Measured
