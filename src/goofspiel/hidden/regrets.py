"""Regret matching in the kernel: a first-order method for games that are too large for a linear program."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from goofspiel._kernel import match_regrets
from goofspiel.arrays import Floats
from goofspiel.hidden.plans import SequenceGame


class Method(IntEnum):
    """How regrets are added up, and iterations averaged. In all of them two learners take turns."""

    CFR = 0
    """All alike."""
    CFR_PLUS = 1
    """Regrets never below 0, later iterations weigh more."""
    DCFR = 2
    """Earlier regrets count less and less."""
    PCFR_PLUS = 3
    """Regrets never below 0, the next ones are expected to be like the last."""

    @property
    def label(self) -> str:
        """As papers call it."""
        return self.name.replace("_PLUS", "+")


@dataclass(eq=False)
class Learners:
    """Two learners, and the average of both: a plan that loses less and less."""

    game: SequenceGame
    method: Method = Method.DCFR
    threads: int = 1
    iterations: int = 0
    state: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    """[4 · learner + (regrets, predicted, mixes, reach)][sequence]"""
    average: Floats = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        size = self.game.sets.sequences
        if not self.state.size:
            self.state, self.average = np.zeros((8, size)), np.zeros(size)
        self._gains = np.zeros(size)

    def iterate(self, count: int) -> None:
        """So many more iterations."""
        match_regrets(
            *self.game.arrays,
            self.state,
            self.average,
            self._gains,
            method=self.method,
            begin=self.iterations,
            end=self.iterations + count,
            threads=self.threads,
        )
        self.iterations += count

    @property
    def plan(self) -> Floats:
        """The average plan."""
        first = self.average[: self.game.sets.depths[0].actions].sum()
        return np.asarray(self.average / first)
