"""Whole games of one player against another: every course of the game with its probability."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from goofspiel.best_response.consistency import ConsistencyCheck
from goofspiel.best_response.hand_pairs import HandPairSpace, Quantity
from goofspiel.best_response.policy import PolicyEvaluator
from goofspiel.best_response.response import flags_of, is_built_in
from goofspiel.players.players import Player, check_player
from goofspiel.rules import Objective, Rules
from goofspiel.store.blocks import check_open_bids

DRAW = Quantity(lambda lead: lead == 0, adds_up=False)


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


def play_exactly(first: Player, second: Player, rules: Rules | int | str) -> ExactResult:
    """The result of a game, whatever its objective; a `PlayerError` if a player answers otherwise when asked again."""
    points, win = (Rules.of(rules, objective=objective) for objective in (Objective.POINTS, Objective.WIN))
    with _checked(first, second, points):
        score, draw = _expected(first, second, HandPairSpace(win), (Quantity.of(win), DRAW))
        won, lost = ((1 - draw + side * score) / 2 for side in (1, -1))
        return ExactResult(_expected_value(first, second, points), won, draw, lost)


def expected_value(first: Player, second: Player, rules: Rules | int | str) -> float:
    """What the first player gains, in the objective of the rules: for points quick if neither looks at the lead.

    A `PlayerError` if a player answers otherwise when asked again.
    """
    game = Rules.of(rules)
    with _checked(first, second, game):
        return _expected_value(first, second, game)


@contextmanager
def _checked(first: Player, second: Player, game: Rules) -> Iterator[None]:
    """Ask the players that are not ours about some positions before and after the block."""
    check_open_bids(game)
    checks = [
        ConsistencyCheck(player, game) for player in map(check_player, (first, second)) if not is_built_in(player)
    ]
    for check in checks:
        check.begin()
    yield
    for check in checks:
        check.end()


def _expected_value(first: Player, second: Player, game: Rules) -> float:
    space = HandPairSpace(game, first.uses_lead or second.uses_lead)
    return _expected(first, second, space, (Quantity.of(game),))[0]


def _expected(first: Player, second: Player, space: HandPairSpace, quantities: Sequence[Quantity]) -> list[float]:
    below = [space.last_values(quantity) for quantity in quantities]
    flags = [flags_of(player, space) for player in (first, second)]
    for level in space.levels[1:]:
        here = [np.zeros(level.size) for _ in quantities]
        rows, swapped = level.rows_after(), [level.swapped(ties) for ties in range(len(level.kept))]
        evaluators = [
            PolicyEvaluator(player, level, some[level.index] if some else None)
            for player, some in zip((first, second), flags, strict=True)
        ]
        for which in range(len(level.states)):
            ties = level.ties_of(which)
            for prize_round in level.rounds(which):
                # From the second seat's side: hands of a pair swapped, leads turned round.
                mine = evaluators[0].mixes(which, prize_round).take(swapped[ties], axis=1)[..., ::-1]
                theirs = evaluators[1].mixes(which, prize_round)
                for quantity, values, out in zip(quantities, below, here, strict=True):
                    after = level.after(values, which, prize_round, quantity)
                    part = level.part(out, which)
                    for my_rank, my_chance in enumerate(mine):
                        for their_rank, their_chance in enumerate(theirs):
                            worth = after[rows[ties][my_rank, their_rank]]
                            part += my_chance * their_chance * worth * prize_round.copies / level.upcards
        below = here
    return [float(values[0]) for values in below]
