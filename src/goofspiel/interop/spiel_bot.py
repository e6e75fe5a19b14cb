"""OpenSpiel, or a line that says how to get it; a bot of its kind that plays one side of a game by a policy."""

from typing import Any

import numpy as np

from goofspiel.errors import GoofspielError
from goofspiel.interop.spiel_states import State, checked_player

try:
    import pyspiel
    from open_spiel.python.policy import Policy
except ImportError:
    raise GoofspielError("OpenSpiel needs the openspiel extra: pip install 'goofspiel[openspiel]'") from None

__all__ = ["Policy", "PolicyBot", "probabilities", "pyspiel"]


def probabilities(policy: Any, state: State, player: int) -> dict[int, float]:
    """What a policy of OpenSpiel's answers: action → probability."""
    if isinstance(policy, pyspiel.Policy):  # written in C++, and asked otherwise than those in Python
        return dict(policy.get_state_policy(state, player))
    return dict(policy.action_probabilities(state, player))


class PolicyBot(pyspiel.Bot):  # type: ignore[misc]
    """Draws from a policy. It remembers nothing of a game, so that it may be asked at any state."""

    def __init__(self, policy: Any, player_id: int, seed: int | None) -> None:
        pyspiel.Bot.__init__(self)
        self._player = checked_player(player_id)
        self._policy = policy
        # Two bots with one seed must not bid alike.
        self._random = np.random.default_rng(seed if seed is None else [seed, self._player])

    def player_id(self) -> int:
        """The side that it plays."""
        return self._player

    def provides_policy(self) -> bool:
        """It tells how it mixes its bids."""
        return True

    def get_policy(self, state: State) -> list[tuple[int, float]]:
        """The probability of each action."""
        return list(self._policy.action_probabilities(state, self._player).items())

    def step_with_policy(self, state: State) -> tuple[list[tuple[int, float]], int]:
        """The probability of each action, and the one that was drawn."""
        policy = self.get_policy(state)
        actions, probabilities = zip(*policy, strict=True)
        return policy, int(self._random.choice(actions, p=probabilities))

    def step(self, state: State) -> int:
        """A bid, drawn."""
        return self.step_with_policy(state)[1]

    def restart_at(self, state: State) -> None:
        """Nothing is remembered."""
