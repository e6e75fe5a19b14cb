"""Players that err as people do: perfect play in part, or with one thing forgotten; and who makes the most of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.errors import PlayerError
from goofspiel.players.players import Player, TablePlayer, checked_mixes, one_card
from goofspiel.rules import Rules

SAME = 1e-9  # probabilities that differ by less are equally likely, and so are gains
STEPS = 4  # cards that a safe mix is moved towards, one after the other


@dataclass(frozen=True, eq=False)
class MixturePlayer:
    """Bids now as one player would, now as another: who does is drawn anew for every bid."""

    parts: tuple[tuple[float, Player], ...]
    """How often it bids as which player; the shares sum to 1."""
    name: str
    """What to call it."""

    @property
    def uses_lead(self) -> bool:
        """If one of them does."""
        return any(player.uses_lead for _, player in self.parts)

    def mixes(self, batch: PositionBatch) -> Floats:
        """The mean of their mixes."""
        return np.asarray(sum(share * checked_mixes(player, batch) for share, player in self.parts))


@dataclass(frozen=True, eq=False)
class ForgetfulPlayer:
    """Plays perfectly by its own cards, and believes that the other side still holds the same."""

    base: TablePlayer
    """Who plays."""
    name: str = "forgetful"
    """What to call it."""

    @property
    def uses_lead(self) -> bool:
        """As the perfect player does."""
        return self.base.uses_lead

    def mixes(self, batch: PositionBatch) -> Floats:
        """An optimal mix against its own hand."""
        return self.base.mixes(replace(batch, theirs=batch.mine))


@dataclass(frozen=True, eq=False)
class PredictablePlayer:
    """Always bids the card that perfect play bids most often."""

    base: TablePlayer
    """Who plays perfectly."""
    name: str = "predictable"
    """What to call it."""

    @property
    def uses_lead(self) -> bool:
        """As the perfect player does."""
        return self.base.uses_lead

    def mixes(self, batch: PositionBatch) -> Floats:
        """The likeliest card for certain; of several, the lowest."""
        mixes = self.base.mixes(batch)
        return one_card(np.argmax(mixes >= mixes.max(axis=1, keepdims=True) - SAME, axis=1), mixes.shape[1])


@dataclass(frozen=True, eq=False)
class SafeExploiter:
    """Plays perfectly, and leans towards what gains against a certain player, as far as a promise allows.

    The promise: against anybody, it loses no more than `risk` below the value of the game. Each round may give away an
    equal part of that, whatever the other side bids; since what follows a round is worth its value to perfect play, the
    parts add up to the risk at most.
    """

    base: TablePlayer
    """Perfect play, and the values that the promise is about."""
    target: Player
    """Whom it expects to meet."""
    rules: Rules
    """The game that the promise is for."""
    risk: float
    """What it may lose a game, in the objective of the table."""

    @property
    def name(self) -> str:
        """With the promise, and whom it expects."""
        return f"exploit:{self.risk:g}:{bracketed(self.target.name)}"

    @property
    def uses_lead(self) -> bool:
        """If perfect play or the other player does."""
        return self.base.uses_lead or self.target.uses_lead

    @property
    def allowance(self) -> float:
        """What a round may give away."""
        rules = self.rules
        choices = rules.rounds - (rules.rounds == rules.cards)  # the last card is no choice
        return self.risk / max(choices, 1)

    def mixes(self, batch: PositionBatch) -> Floats:
        """A mix that earns as much against the target as it can, and against nobody less than the promise."""
        if batch.level.max(initial=0) > self.rules.cards:
            raise PlayerError(f"player {self.name} promises something for {self.rules.cards} cards, not for more")
        solved = self.base.solve(batch)
        mixes, payoffs = solved.mine, solved.payoffs()
        gains = (payoffs * checked_mixes(self.target, batch.swap())[:, None, :]).sum(axis=2)  # of each of my cards
        return lean(mixes, payoffs, gains, solved.value - self.allowance)


def lean(mixes: Floats, payoffs: Floats, gains: Floats, floor: Floats) -> Floats:
    """Move mixes towards the cards that gain most, as far as they earn at least the floor against every card.

    One card after the other, always the one by which most is gained; `payoffs` are `[position][mine][theirs]`.
    """
    mixes, every = mixes.copy(), np.arange(len(mixes))
    for _ in range(STEPS):
        earned = (mixes[:, :, None] * payoffs).sum(axis=1)  # against each of their cards
        spare = np.maximum(earned - floor[:, None], 0.0)
        lost = earned[:, None, :] - payoffs  # by bidding my card instead, against their card
        with np.errstate(divide="ignore", invalid="ignore"):
            far = np.where(lost > SAME, spare[:, None, :] / lost, np.inf).min(axis=2)
        share = np.minimum(far, 1.0)
        gained = share * (gains - (mixes * gains).sum(axis=1, keepdims=True))
        card = np.argmax(gained >= gained.max(axis=1, keepdims=True) - SAME, axis=1)
        step = np.where(gained[every, card] > SAME, share[every, card], 0.0)
        mixes *= 1 - step[:, None]
        mixes[every, card] += step
    return mixes


def bracketed(name: str) -> str:
    """A name within another one: in brackets where rules follow it."""
    return f"({name})" if "," in name and not name.startswith("mix(") else name


def mixture_name(parts: Sequence[tuple[float, Player]]) -> str:
    """What loads such a player: shares in percent."""
    return f"mix({', '.join(f'{100 * share:.6g} {player.name}' for share, player in parts)})"
