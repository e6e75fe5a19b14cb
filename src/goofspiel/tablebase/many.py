"""Answers at many positions, side by side: as arrays by card, or level by level with all that an answer has."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Flags, Floats
from goofspiel.cards import MAX_CARDS
from goofspiel.games.optimal_face import are_surely_unique
from goofspiel.games.solution import Solution
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.states.subsets import Masks
from goofspiel.tablebase.answer import Answer, SolvedGame, answer_of
from goofspiel.tablebase.bounds import ROUNDING
from goofspiel.tablebase.rounds import SolvedRounds


@dataclass(frozen=True, eq=False)
class RoundAnswers:
    """Answers at positions with an upcard, all of one level: to the last bit what `probe` says of each."""

    positions: Sequence[Position]
    """What was asked."""
    rules: Rules
    """Which game it is."""
    rounds: SolvedRounds
    """Values, mixes, regrets, gaps and payoffs."""
    _error: Floats  # by position: each payoff is within this of the true one

    @property
    def bound(self) -> Floats:
        """The value of each is within this of the true one."""
        largest = np.empty(len(self.positions))
        for members, payoffs, _ in self.rounds.by_shape:
            largest[members] = np.abs(payoffs).max(axis=(1, 2))
        return self._error + self.rounds.gap / 2 + ROUNDING * (largest + np.abs(self._leads))

    @property
    def groups(self) -> list[int]:
        """How many cards of mine can be told apart, at each position."""
        found = np.empty(len(self.positions), dtype=np.intp)
        for members, payoffs, _ in self.rounds.by_shape:
            found[members] = payoffs.shape[1]
        return list(found.tolist())

    @cached_property
    def unique(self) -> Flags:
        """Whether it is proved that there are no other optimal mixes; where it is not, the `answer` may know more."""
        found = np.empty(len(self.positions), dtype=np.bool_)
        shapes = self.rounds.by_shape
        stacks = [(payoffs, solution, self._error[members]) for members, payoffs, solution in shapes]
        level = self.positions[0].level if self.positions else 0
        for (members, _, _), unique in zip(shapes, are_surely_unique(stacks, (level, level)), strict=True):
            found[members] = unique
        return found

    def answer(self, position: int) -> Answer[float]:
        """The answer at one of the positions."""
        shape, place = self._place[position]
        _, payoffs, found = self.rounds.by_shape[shape]
        mixes = found.row_mix[place], found.column_mix[place]
        solution = Solution(found.value[place].item(), *mixes, found.gap[place].item())
        looked_at = self.unique[position].item()
        error, lead = self._error[position].item(), self._leads[position]
        game = SolvedGame(payoffs[place], solution, error, lead, looked_at=looked_at)
        return answer_of(self.positions[position], self.rules, game)

    @cached_property
    def _leads(self) -> list[int]:
        """What is only added to payoffs."""
        return [0 if self.rules.has_leads else position.lead for position in self.positions]

    @cached_property
    def _place(self) -> dict[int, tuple[int, int]]:
        """By position: its shape, and its place there."""
        return {
            position: (shape, place)
            for shape, solved in enumerate(self.rounds.by_shape)
            for place, position in enumerate(solved.members.tolist())
        }


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers at many positions. What belongs to a card stands in its column: `mine[position, card - 1]`."""

    value: Floats
    """What each position is worth to me, its lead included."""
    mine: Floats
    """An optimal mix of mine, `[position][card − 1]`; 0 for a card that I do not hold, and where no upcard is shown."""
    theirs: Floats
    """An optimal mix of theirs, likewise."""
    regret: Floats
    """What each of my cards loses against `theirs`; NaN for a card that I do not hold, and where no upcard is shown."""
    gap: Floats
    """The proof of both mixes: 0 is perfect. NaN where no upcard is shown, and nothing is bid."""

    @staticmethod
    def without_bids(value: Floats) -> "Answers":
        """Where nothing is bid."""
        shape = len(value), MAX_CARDS
        return Answers(value, np.zeros(shape), np.zeros(shape), np.full(shape, np.nan), np.full(len(value), np.nan))

    def put(self, where: NDArray[np.intp], rounds: SolvedRounds, mine: Masks, theirs: Masks) -> None:
        """The answers at some positions, whose hands are these."""
        self.value[where], self.gap[where] = rounds.value, rounds.gap
        bits = np.uint16(1) << np.arange(MAX_CARDS, dtype=np.uint16)
        my_cards, their_cards = (
            np.nonzero(hand[:, None] & bits)[1].reshape(rounds.mine.shape) for hand in (mine, theirs)
        )
        for field, cards, found in (
            (self.mine, my_cards, rounds.mine),
            (self.theirs, their_cards, rounds.theirs),
            (self.regret, my_cards, rounds.regret),
        ):
            field[where[:, None], cards] = found
