"""What a sampled player loses at least: a response to one half of its answers, tried on the other half.

Games go through each position at most once, and the answers at different positions are independent. So what any fixed
way to play earns against the shares of the answers is, in the mean, what it earns against the player. A response that
was made from the other half of the answers is such a way: in the mean it gains no more than a best response. One that
was made from the very answers that it is tried on knows them too well, and gains, in the mean, no less.
"""

import numpy as np

from goofspiel.arrays import Floats, Numbers
from goofspiel.best_response.hand_pairs import HandPairLevel, HandPairSpace, PrizeRound, Quantity
from goofspiel.best_response.policy import PolicyEvaluator
from goofspiel.best_response.response import flags_of
from goofspiel.players.tabulated import TabulatedPlayer


def held_out_value(player: TabulatedPlayer) -> float:
    """What responses to each half of the answers gain against the other half, in the mean."""
    space = HandPairSpace(player.rules, player.uses_lead)
    flags = flags_of(player, space)
    assert flags
    halves = player.half(0), player.half(1)
    quantity = Quantity.of(space.rules)
    gains = []
    for made_from, tried_on in (halves, halves[::-1]):
        hoped = gained = space.last_values(quantity)
        for level in space.levels[1:]:
            here = _Level(level, level.rows_after(), quantity)
            asked = [PolicyEvaluator(half, level, flags[level.index]) for half in (made_from, tried_on)]
            hoped, gained = here.work_out((asked[0], asked[1]), (hoped, gained))
        gains.append(float(gained[0]))
    return sum(gains) / len(gains)


class _Level:
    """A level, from the one below: what the response hopes for, and what it gets."""

    def __init__(self, level: HandPairLevel, rows: list[Numbers], quantity: Quantity) -> None:
        self.level, self.rows, self.quantity = level, rows, quantity

    def work_out(
        self, asked: tuple[PolicyEvaluator, PolicyEvaluator], below: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        hoped, gained = np.zeros(self.level.size), np.zeros(self.level.size)
        for which in range(len(self.level.states)):
            for prize_round in self.level.rounds(which):
                earned = [
                    self._earned(who, values, which, prize_round) for who, values in zip(asked, below, strict=True)
                ]
                best = earned[0].argmax(axis=0)[None]
                for into, some in zip((hoped, gained), earned, strict=True):
                    self.level.part(into, which)[:] += np.take_along_axis(some, best, axis=0)[0] * prize_round.copies
        return hoped / self.level.upcards, gained / self.level.upcards

    def _earned(self, asked: PolicyEvaluator, below: Floats, which: int, prize_round: PrizeRound) -> Floats:
        """What each of my cards earns: `[my rank][kept pair][lead]`."""
        mixes = asked.mixes(which, prize_round)
        after = self.level.after(below, which, prize_round, self.quantity)
        rows = self.rows[self.level.ties_of(which)]
        return np.stack([sum(mixes[theirs] * after[row] for theirs, row in enumerate(mine)) for mine in rows])
