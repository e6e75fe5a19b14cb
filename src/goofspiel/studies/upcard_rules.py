"""Rules of thumb as players: what a person could follow without a table of all positions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.players.players import BidUpcardPlayer, Player, UniformPlayer, card_at, one_card
from goofspiel.render.first_moves import FirstMove


@dataclass(frozen=True, eq=False)
class TargetPlayer:
    """Draws a card by the upcard alone, and bids it, or the next higher one that it holds, or its highest."""

    chances: Floats  # [upcard − 1][card − 1]
    name: str
    uses_lead: bool = False

    def mixes(self, batch: PositionBatch) -> Floats:
        """A card is bid when the draw falls on it or on one that is missing below it."""
        level = _level(batch)
        reached = np.cumsum(self.chances, axis=1)[batch.upcard - 1]
        held = np.stack([card_at(batch.mine, np.full(len(batch), rank)) for rank in range(level)], axis=1)
        up_to = np.take_along_axis(reached, held.astype(np.intp) - 1, axis=1)
        up_to[:, -1] = 1.0
        return np.diff(up_to, axis=1, prepend=0.0)


@dataclass(frozen=True, eq=False)
class RankPlayer:
    """Looks only at the rank of the upcard among the prizes left, and draws one of its own cards by rank."""

    chances: Callable[[int], Floats]  # level → [rank of the upcard][rank of the card]
    name: str
    uses_lead: bool = False

    def mixes(self, batch: PositionBatch) -> Floats:
        """By ranks, lowest first."""
        below = batch.deck & ((np.int64(1) << batch.upcard - 1) - 1).astype(np.uint16)
        return np.asarray(self.chances(_level(batch))[np.bitwise_count(below).astype(np.intp)])


@dataclass(frozen=True)
class LowestPlayer:
    """Throws its lowest card."""

    name: str = "lowest"
    uses_lead: bool = False

    def mixes(self, batch: PositionBatch) -> Floats:
        """One card for certain."""
        return one_card(np.zeros(len(batch), dtype=np.intp), _level(batch))


@dataclass(frozen=True, eq=False)
class MixedPlayer:
    """Plays like one player or like another, drawn anew for every bid."""

    parts: Sequence[tuple[Player, float]]
    name: str
    uses_lead: bool = field(default=False, init=False)

    def mixes(self, batch: PositionBatch) -> Floats:
        """The mean of their mixes."""
        mixed = [probability * player.mixes(batch) for player, probability in self.parts]
        return np.asarray(sum(mixed[1:], start=mixed[0]))


def evenly_up_to(cards: int, factor: float) -> Floats:
    """Each number from 1 to factor × upcard as likely as any other, [upcard − 1][card − 1].

    A last number that is reached only in part has its share of the chance; what lies above the highest card is on it.
    """
    upcard, card = np.arange(1, cards + 1)[:, None], np.arange(1, cards + 1)
    up_to = np.minimum(card / (factor * upcard), 1.0)
    up_to[:, -1] = 1.0
    return np.diff(up_to, axis=1, prepend=0.0)


@dataclass(frozen=True)
class Rule:
    """A rule without a parameter: how to say it, and the player that follows it in a game of so many cards."""

    name: str
    sentence: str
    random: bool
    make: Callable[[int], Player]


@dataclass(frozen=True)
class Family:
    """Rules with one parameter."""

    name: str
    sentence: str
    low: float
    high: float
    make: Callable[[int, float], Player]


RULES = (
    Rule("match", "bid the upcard, or the next higher card, or the lowest", False, lambda cards: BidUpcardPlayer()),
    Rule("match+1", "bid one more than the upcard", False, lambda cards: BidUpcardPlayer(1)),
    Rule("match+2", "bid two more than the upcard", False, lambda cards: BidUpcardPlayer(2)),
    Rule("uniform", "bid any card", True, lambda cards: UniformPlayer()),
    Rule(
        "up to double",
        "draw a number from 1 to twice the upcard; bid that card, or the next higher one, or the highest",
        True,
        lambda cards: TargetPlayer(evenly_up_to(cards, 2.0), "up to double"),
    ),
    Rule(
        "up to double, by rank",
        "count the prizes left that are not above the upcard, draw a number from 1 to twice that count; bid the card "
        "of that rank in the hand, the lowest being 1, or the highest card",
        True,
        lambda cards: RankPlayer(lambda level: evenly_up_to(level, 2.0), "up to double, by rank"),
    ),
)
FAMILIES = (
    Family(
        "match or lowest",
        "bid the upcard, with probability p the lowest card",
        0.0,
        1.0,
        lambda cards, p: MixedPlayer(((BidUpcardPlayer(), 1 - p), (LowestPlayer(), p)), "match or lowest"),
    ),
    Family(
        "match or one more",
        "bid the upcard, with probability p one more",
        0.0,
        1.0,
        lambda cards, p: MixedPlayer(((BidUpcardPlayer(), 1 - p), (BidUpcardPlayer(1), p)), "match or one more"),
    ),
    Family(
        "match or uniform",
        "bid the upcard, with probability p any card",
        0.0,
        1.0,
        lambda cards, p: MixedPlayer(((BidUpcardPlayer(), 1 - p), (UniformPlayer(), p)), "match or uniform"),
    ),
    Family(
        "up to p times",
        "draw a number from 1 to p times the upcard; bid that card, or the next higher one, or the highest",
        1.0,
        3.0,
        lambda cards, p: TargetPlayer(evenly_up_to(cards, p), "up to p times"),
    ),
    Family(
        "up to p times, by rank",
        "the same with the rank of the upcard among the prizes left, and ranks of cards in the hand",
        1.0,
        3.0,
        lambda cards, p: RankPlayer(lambda level: evenly_up_to(level, p), "up to p times, by rank"),
    ),
)


KNOTS = 5  # places of upcard/N, evenly from 0 to 1, at which a function of it is given; straight lines between them
BANDS = 5  # equal parts of bid/N


def knot_weights(cards: int) -> Floats:
    """How much each knot counts at each upcard, [upcard − 1][knot]."""
    place = np.arange(1, cards + 1) / cards * (KNOTS - 1)
    return np.asarray(np.maximum(1 - np.abs(place[:, None] - np.arange(KNOTS)), 0.0))


def band_shares(cards: int) -> Floats:
    """How much of each band falls on each card, [card − 1][band]; card c reaches from (c − 1)/N to c/N."""
    card, band = np.arange(1, cards + 1)[:, None] / cards, np.arange(1, BANDS + 1) / BANDS
    both = np.minimum(card, band) - np.maximum(card - 1 / cards, band - 1 / BANDS)
    return np.asarray(np.maximum(both, 0.0) * BANDS)


def by_ratio(function: Floats, cards: int) -> Floats:
    """One function of upcard/N, [knot][band], in a game of so many cards: [upcard − 1][card − 1]."""
    return np.asarray(knot_weights(cards) @ function @ band_shares(cards).T)


def first_move_rule(table: FirstMove) -> Player:
    """Plays the first-move table in every round: whoever has learnt one table by heart."""
    return TargetPlayer(table.probability.T, "first move throughout")


def _level(batch: PositionBatch) -> int:
    return int(batch.level.max(initial=0))
