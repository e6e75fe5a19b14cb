"""A policy as a table: what a player answers at every position that it can come to, and no others."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.errors import PlayerError, ResourceError
from goofspiel.rules import Rules

Keys = NDArray[np.uint64]
MOST_KEYS = 1 << 64


class LevelPolicy(NamedTuple):
    """The positions of a level, as the player sees them, in the order of their keys, and its answers."""

    keys: Keys
    batch: PositionBatch
    parts: Floats  # [part of the answers][position][card]: their means

    @staticmethod
    def sorted(keys: Keys, batch: PositionBatch, parts: Floats) -> "LevelPolicy":
        """In the order of the keys, each once."""
        _, first = np.unique(keys, return_index=True)
        return LevelPolicy(keys[first], batch[first], parts[:, first])


@dataclass(frozen=True, eq=False)
class TabulatedPlayer:
    """Answers from a table of its mixes. It knows what it can come to in one game, whatever the other side does.

    See `goofspiel.play.tabulate`. Of a player that draws, a mix is the share of its answers.
    """

    name: str
    """Whose policy it is."""
    rules: Rules
    """Which game it plays."""
    uses_lead: bool
    """Whether its mixes depend on the lead."""
    samples: int
    """How often it was asked at each position."""
    levels: Mapping[int, LevelPolicy]
    """By the cards in a hand, from 2 on: the last card is no choice."""

    @property
    def count(self) -> int:
        """How many positions it knows."""
        return sum(len(level.keys) for level in self.levels.values())

    @property
    def questions(self) -> int:
        """How many answers it rests on."""
        return self.samples * self.count

    def half(self, which: int) -> "TabulatedPlayer":
        """The policy by one half of the answers, 0 or 1: nothing but the player connects it with the other half."""
        if self.samples < 2:
            raise PlayerError(f"policy of {self.name}: one answer a position has no halves")
        levels = {number: level._replace(parts=level.parts[which : which + 1]) for number, level in self.levels.items()}
        return replace(self, samples=part_sizes(self.samples)[which], levels=levels)

    def mixes(self, batch: PositionBatch) -> Floats:
        """What was answered."""
        if batch.rules is not None and batch.rules != self.rules:
            raise PlayerError(
                f"the policy of {self.name} is of the game {str(self.rules)!r}, and is asked in {str(batch.rules)!r}"
            )
        level = int(batch.mine[0]).bit_count() if len(batch) else 0
        if level == 1:
            return np.ones((len(batch), 1))
        if level not in self.levels:
            raise self._unknown(batch, 0)
        known = self.levels[level]
        keys = key_of(self.rules, self.uses_lead)(batch)
        place = np.minimum(np.searchsorted(known.keys, keys), len(known.keys) - 1)
        wrong = np.flatnonzero(known.keys[place] != keys)
        if len(wrong):
            raise self._unknown(batch, int(wrong[0]))
        return mean_of_parts(known.parts[:, place], self.samples)

    def _unknown(self, batch: PositionBatch, which: int) -> PlayerError:
        return PlayerError(
            f"the policy of {self.name} knows only what it can come to in the game {str(self.rules)!r}, which "
            f"{str(batch.position(which))!r} is not"
        )


def part_sizes(samples: int) -> tuple[int, ...]:
    """How many answers each part is the mean of: two halves, if there are two answers."""
    return (samples,) if samples == 1 else (samples - samples // 2, samples // 2)


def mean_of_parts(parts: Floats, samples: int) -> Floats:
    """The mix of all answers."""
    if len(parts) == 1:
        return np.asarray(parts[0])
    weights = np.array(part_sizes(samples)) / samples
    return np.asarray(np.tensordot(weights, parts, axes=1))


def key_of(rules: Rules, uses_lead: bool) -> Callable[[PositionBatch], Keys]:
    """Numbers for positions, equal only for those that the player does not tell apart."""
    total = rules.total if uses_lead else 0
    pots = rules.total + 1 if rules.has_pots else 1
    radices = (1 << rules.cards, 1 << rules.cards, 1 << len(rules.prizes), len(rules.prizes) + 1, 2 * total + 1, pots)
    whole = 1
    for radix in radices:
        whole *= radix
    if whole > MOST_KEYS:
        raise ResourceError(f"the game {str(rules)!r} is too large for the table of a policy: take fewer cards")

    def keys(batch: PositionBatch) -> Keys:
        lead = batch.lead + total if uses_lead else np.zeros_like(batch.lead)
        shown = batch.upcard_place + 1
        fields: list[NDArray[Any]] = [batch.mine, batch.theirs, batch.deck, shown, lead, batch.pot]
        found = np.zeros(len(batch), dtype=np.uint64)
        fits = np.ones(len(batch), dtype=np.bool_)
        for field, radix in zip(fields, radices, strict=True):
            fits &= (field >= 0) & (field < radix)
            found = found * np.uint64(radix) + field.astype(np.uint64)
        if not fits.all():
            wrong = str(batch.position(int(np.flatnonzero(~fits)[0])))
            raise PlayerError(f"the game {str(rules)!r} does not come to {wrong!r}")
        return found

    return keys
