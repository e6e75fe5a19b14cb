"""How likely is a win, a draw, a loss, when both play to win? Worked out by playing the mixes against each other.

The value of a position is P(win) − P(loss); it does not tell how the rest is shared with draws, and that depends on the
mixes: where more than one is optimal, another one may draw more or less often. What is said here holds for the mixes
that the kernel finds.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from goofspiel.errors import SolveError
from goofspiel.position import Position
from goofspiel.rules import MAX_CARDS, Objective, cards_of, mask_of
from goofspiel.solver.lead_rounds import LeadRounds
from goofspiel.states import bands, matchups
from goofspiel.states.subsets import Masks, Ranks

MOST_CARDS = 8  # in a hand: every position that can follow is solved, in a second or two


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Probabilities of the end of the game."""

    win: float
    """That I win."""
    draw: float
    """That nobody does."""
    loss: float
    """That they win."""


def outcomes(value: float, draw: float) -> Outcomes:
    """From the value P(win) − P(loss), and the probability of a draw."""
    decided = 1 - draw
    return Outcomes(max((decided + value) / 2, 0.0), draw, max((decided - value) / 2, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class _Matchups:
    """The matchups of a level that can follow a position, and what their bids lead to."""

    index: Ranks  # ascending; equal hands have the largest
    successors: matchups.Successors

    def find(self, mine: Masks, theirs: Masks, level: int) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
        """Which of them some hand pairs are, and their sign."""
        index, sign = bands.number(mine, theirs, MAX_CARDS, level, Objective.WIN)
        return np.searchsorted(self.index, index), sign


def _following(position: Position) -> list[_Matchups]:
    """The matchups of every level from 0 to that of the deck."""
    nothing = matchups.successors(np.zeros(0, np.uint16), np.zeros(0, np.uint16), 0, 0)
    found = [_Matchups(np.array([matchups.count(MAX_CARDS, 0)]), nothing)]
    for level in range(1, len(position.deck_cards) + 1):
        mine, theirs = (
            np.array([mask_of(some) for some in combinations(cards_of(hand), level)], dtype=np.uint16)
            for hand in (position.mine, position.theirs)
        )
        mine, theirs = np.repeat(mine, len(theirs)), np.tile(theirs, len(mine))
        index, sign = bands.number(mine, theirs, MAX_CARDS, level, Objective.WIN)
        distinct, first = np.unique(index, return_index=True)
        words = matchups.patterns_of(mine[first], theirs[first])
        # A numbered matchup is seen from the side that has a positive sign.
        mirrored = sign[first] < 0
        seen = np.where(mirrored, words[1], words[0]), np.where(mirrored, words[0], words[1])
        reached = matchups.successors(*seen, level, matchups.count(MAX_CARDS, level - 1))
        child, bits = reached.codes >> matchups.INDEX_SHIFT, reached.codes & (1 << matchups.INDEX_SHIFT) - 1
        compact = np.searchsorted(found[-1].index, child).astype(np.uint32)
        codes = (compact << matchups.INDEX_SHIFT | bits).astype(np.uint32)
        found.append(_Matchups(distinct, reached._replace(codes=codes)))
    return found


def draws_after(position: Position) -> NDArray[np.float64]:
    """The probability of a draw after each pair of bids at a position with an upcard, [my card][their card]."""
    if _is_decided(position):
        return np.zeros((position.level, position.level))
    table = _DrawTable.of(position)
    after = [[table.draw(position.play(mine, theirs)) for theirs in position.their_cards] for mine in position.my_cards]
    return np.array(after)


def draw_before(position: Position) -> float:
    """The probability of a draw at a position whose upcard is still to be drawn."""
    if _is_decided(position):
        return 0.0
    return _DrawTable.of(position).draw(position)


def _is_decided(position: Position) -> bool:
    return abs(position.lead) > sum(position.deck_cards) + position.upcard


@dataclass(frozen=True, slots=True, eq=False)
class _DrawTable:
    """Probabilities of a draw when the upcard is still to be drawn, for one deck."""

    matchups: _Matchups
    draws: NDArray[np.float32]  # [matchup][lead]

    @staticmethod
    def of(position: Position) -> "_DrawTable":
        """Solve everything that can follow, fewest cards first."""
        following = _following(position)
        values = {0: np.zeros((1, 1), dtype=np.float32)}  # by the prizes that are left: [matchup][lead]
        draws = {0: np.ones((1, 1), dtype=np.float32)}
        everything = sum(position.deck_cards) + position.upcard + abs(position.lead)
        for level in range(1, len(following)):
            solved = {}
            for left in combinations(position.deck_cards, level):
                lead = min(sum(left), everything - sum(left))
                solved[mask_of(left)] = _solve(following[level].successors, left, lead, values, draws)
            values = {mask: found[0] for mask, found in solved.items()}
            draws = {mask: found[1] for mask, found in solved.items()}
        return _DrawTable(following[-1], draws[position.deck])

    def draw(self, position: Position) -> float:
        """For a position with this deck."""
        reach = self.draws.shape[1] // 2
        if abs(position.lead) > reach:
            return 0.0  # decided
        hands = np.array([position.mine], dtype=np.uint16), np.array([position.theirs], dtype=np.uint16)
        (which,), (sign,) = self.matchups.find(*hands, position.level)
        return float(self.draws[which, reach + int(sign) * position.lead])


def _solve(
    successors: matchups.Successors,
    left: tuple[int, ...],
    lead: int,
    values: dict[int, NDArray[np.float32]],
    draws: dict[int, NDArray[np.float32]],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The values of one set of prizes, and the probabilities of a draw, [matchup][lead]."""
    count, leads = len(successors.shapes), 2 * lead + 1
    out, out_draws = np.zeros((count, leads)), np.zeros((count, leads))
    mask = mask_of(left)
    # However few prizes are left, all these sets have the same matchups.
    children = {prize: mask ^ 1 << prize - 1 for prize in left}
    rounds = LeadRounds(successors, (0, count), lead, max(left), len(values[children[left[0]]]), draws=True)
    for prize, child in children.items():
        failures, _ = rounds.solve(values[child], prize, 1 / len(left), out, (draws[child], out_draws))
        if failures:
            raise SolveError(f"{failures} games without a proof of optimality among those that can follow")
    return out.astype(np.float32), out_draws.astype(np.float32)
