"""Whole games of one player against another: every course of the game with its probability, or what a match tells."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.best_response.hand_pairs import I_WIN, THEY_WIN, HandPairLevel, HandPairSpace, after_bids
from goofspiel.best_response.policy import PolicyEvaluator
from goofspiel.matches.playing import MatchResult
from goofspiel.players.players import Player, TablePlayer
from goofspiel.rules import Objective, cards_of, check_cards
from goofspiel.states.prize_sets import totals
from goofspiel.states.subsets import ranks


@dataclass(frozen=True)
class Measured:
    """A number, and between which limits it lies when it is an estimate."""

    value: float
    low: float | None = None
    high: float | None = None
    method: str = "exact"

    @property
    def half(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


def estimated(played: MatchResult, objective: Objective, *, seed: int) -> tuple[Measured, Measured]:
    """What the first player of a match gains, and what the second does, with the luck taken out."""
    found, method = played.controlled[objective], f"{played.games} games, seed {seed}, luck taken out"
    return (
        Measured(found.mean, found.low, found.high, method),
        Measured(-found.mean, -found.high, -found.low, method),
    )


@dataclass(frozen=True)
class ExactResult:
    """What a game comes to for the first player: expected points, and how it ends."""

    points: float
    win: float
    draw: float
    loss: float

    @property
    def score(self) -> float:
        """P(win) − P(loss)."""
        return self.win - self.loss


@dataclass(frozen=True, eq=False)
class WinThenPoints:
    """Plays to win, and once the game is decided for points: then every bid is as good as any other to win."""

    win: TablePlayer
    points: TablePlayer
    name: str = "optimal:win, then points"
    uses_lead: bool = True

    def mixes(self, asked: PositionBatch) -> Floats:
        """By the lead and by what is left to win."""
        decided = np.abs(asked.lead) > totals(asked.deck) + asked.upcard
        mixes = np.empty((len(asked), int(asked.mine[0]).bit_count() if len(asked) else 0))
        for player, here in ((self.win, np.flatnonzero(~decided)), (self.points, np.flatnonzero(decided))):
            if len(here):
                mixes[here] = player.mixes(asked[here])
        return mixes


@dataclass(frozen=True, slots=True)
class _Quantity:
    """What is expected at the end: by how much a round adds to it, and what it is where a lead decides the game."""

    last: float  # when no cards are left and nobody leads
    ends: tuple[float, float]  # lost, won
    adds_points: bool


POINTS = _Quantity(0.0, (0.0, 0.0), adds_points=True)
SCORE = _Quantity(0.0, (-1.0, 1.0), adds_points=False)
DRAW = _Quantity(1.0, (0.0, 0.0), adds_points=False)


def play_exactly(first: Player, second: Player, *, cards: int) -> ExactResult:
    """The result of a game of `cards` cards."""
    score, draw = _expected(first, second, HandPairSpace(check_cards(cards), Objective.WIN, True), (SCORE, DRAW))
    win, loss = ((1 - draw + side * score) / 2 for side in (1, -1))
    return ExactResult(expected_points(first, second, cards=cards), win, draw, loss)


def expected_points(first: Player, second: Player, *, cards: int) -> float:
    """Only the points: that is quick as long as neither player looks at the lead."""
    course = HandPairSpace(check_cards(cards), Objective.POINTS, first.uses_lead or second.uses_lead)
    return _expected(first, second, course, (POINTS,))[0]


def expected_score(first: Player, second: Player, *, cards: int) -> float:
    """Only P(win) − P(loss)."""
    return _expected(first, second, HandPairSpace(check_cards(cards), Objective.WIN, True), (SCORE,))[0]


def _expected(first: Player, second: Player, course: HandPairSpace, quantities: Sequence[_Quantity]) -> list[float]:
    below = [np.full(course.levels[0].size, quantity.last) for quantity in quantities]
    for level in course.levels[1:]:
        here = [np.zeros(level.size) for _ in quantities]
        rows = level.rows_after()
        asking = PolicyEvaluator(first, level, None), PolicyEvaluator(second, level, None)
        for which, prize_set in enumerate(level.sets.tolist()):
            for upcard in cards_of(prize_set):
                mine = _from_the_other_side(asking[0].mixes(which, upcard), level)
                theirs = asking[1].mixes(which, upcard)
                left = int(ranks()[prize_set ^ 1 << upcard - 1])
                reach = int(level.reach[which])
                under = course.levels[level.level - 1]
                for quantity, values, out in zip(quantities, below, here, strict=True):
                    after = after_bids(under.part(values, left), reach, upcard * course.leads, ends=quantity.ends)
                    if quantity.adds_points:
                        by_winner = after.reshape(3, -1)
                        by_winner[THEY_WIN] -= upcard
                        by_winner[I_WIN] += upcard
                    part = level.part(out, which)
                    for my_rank, my_chance in enumerate(mine):
                        for their_rank, their_chance in enumerate(theirs):
                            part += my_chance * their_chance * after[rows[my_rank, their_rank]] / level.level
        below = here
    return [float(values[0]) for values in below]


def _from_the_other_side(mixes: Floats, level: HandPairLevel) -> Floats:
    """`[card][pair][lead]` of the second seat as that of the first: hands of a pair swapped, leads turned round."""
    count = len(level.hands)
    swapped = mixes.reshape(len(mixes), count, count, -1).swapaxes(1, 2)[..., ::-1]
    return np.ascontiguousarray(swapped.reshape(mixes.shape))
