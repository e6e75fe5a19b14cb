"""Search for the rule that loses least to a best response, among those that look at nothing but the upcard."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from goofspiel.arrays import Floats
from goofspiel.best_response.hand_pairs import HandPairLevel, HandPairSpace, PrizeRound, Quantity
from goofspiel.rules import Rules
from goofspiel.studies.upcard_rules import BANDS, KNOTS, band_shares, by_ratio, knot_weights

STEPS = 120
LEARNING = 1.0  # of the first step: the exponent of the largest change of a probability; then falling like 1/√step
DIGITS = 3  # of the probabilities of a rule that was found
FLOOR = 0.02  # probability that every card has at the start, before scaling: what is 0 stays 0


@dataclass(frozen=True, eq=False)
class _BestReplies:
    """The best answers to a rule in a round of a prize set, by hand pair."""

    which: int  # the prize set
    rounds: int  # that it may go on with
    prize_round: PrizeRound  # this one of them
    best: NDArray[np.intp]  # the rank of the best card
    worth: Floats  # [pair][rank of the rule's card]: what the best card earns against it


@dataclass(frozen=True)
class UpcardSearch:
    """Rules for a game of points: a chance for each card by the upcard, missing cards replaced by the next higher one.

    A rule is an array `[upcard − 1][card − 1]`, as `TargetPlayer` takes it.
    """

    cards: int

    @cached_property
    def _space(self) -> HandPairSpace:
        return HandPairSpace(Rules(self.cards))

    @cached_property
    def _ranks(self) -> list[NDArray[np.intp]]:
        """By level: which card of each hand answers to each card drawn, `[hand][card]`."""
        found = []
        for level in self._space.levels:
            held = (level.hands[:, None] >> np.arange(self.cards, dtype=np.uint16) & 1).astype(np.intp)
            found.append(np.minimum(np.cumsum(held, axis=1) - held, level.level - 1))
        return found

    def exploitability(self, rule: Floats) -> tuple[float, Floats]:
        """What a best response gains in a game, and how that changes with each chance while the response stays."""
        quantity = Quantity.of(self._space.rules)
        mixes = [self._mixes(level, rule) for level in range(self.cards + 1)]
        replies: list[list[_BestReplies]] = [[]]
        values = self._space.last_values(quantity)
        for level in self._space.levels[1:]:
            values, found = _replies(level, mixes[level.level], values, quantity)
            replies.append(found)
        return float(values[0]), self._slope(replies, mixes)

    def _mixes(self, level: int, rule: Floats) -> Floats:
        """The mixes of a level by upcard and hand, `[upcard − 1][hand][rank]`."""
        rank = self._ranks[level]
        mixes = np.zeros((self.cards, len(rank), max(level, 1)))
        hand = np.arange(len(rank))
        for card in range(self.cards):
            mixes[:, hand, rank[:, card]] += rule[:, card, None]
        return mixes

    def _slope(self, replies: list[list[_BestReplies]], mixes: list[Floats]) -> Floats:
        """Follow both from the opening: each chance weighs as much as the positions in which it is drawn are likely."""
        slope = np.zeros((self.cards, self.cards))
        likely = np.ones((1, 1))  # [prize set][pair]
        for level in reversed(self._space.levels[1:]):
            count, pairs = len(level.hands), np.arange(level.pair_count)
            rank, (rows,) = np.tile(self._ranks[level.level], (count, 1)), level.rows_after()
            after = np.zeros((len(level.below.states), level.below.pair_count))
            for one in replies[level.level]:
                chance, upcard = likely[one.which] / one.rounds, one.prize_round.upcard
                slope[upcard - 1] += chance @ np.take_along_axis(one.worth, rank, axis=1)
                moved = chance[:, None] * np.tile(mixes[level.level][upcard - 1], (count, 1))
                child = rows[one.best, :, pairs] % after.shape[1]
                after[one.prize_round.untied] += np.bincount(child.ravel(), moved.ravel(), minlength=after.shape[1])
            likely = after
        return slope

    def best(self, start: Floats, *, steps: int = STEPS) -> tuple[Floats, float]:
        """The best rule found on the way down from a start, and its exploitability."""
        return descend(self.exploitability, start, steps=steps)


def _replies(
    level: HandPairLevel, mixes: Floats, below: Floats, quantity: Quantity
) -> tuple[Floats, list[_BestReplies]]:
    """The values of a level to the best response, and its bids."""
    values, (rows,) = np.zeros(level.size), level.rows_after()
    pairs = np.arange(level.pair_count)
    found = []
    for which in range(len(level.states)):
        part, rounds = level.part(values, which)[:, 0], level.rounds(which)
        for prize_round in rounds:
            worth = level.after(below, which, prize_round, quantity).ravel()[rows]  # [my rank][their rank][pair]
            # Their hand is the second of a pair.
            against = np.tile(mixes[prize_round.upcard - 1], (len(level.hands), 1))
            earned = np.einsum("itp,pt->ip", worth, against)
            best = earned.argmax(axis=0)
            part += earned[best, pairs] / len(rounds)
            found.append(_BestReplies(which, len(rounds), prize_round, best, worth[best, :, pairs]))
    return values, found


@dataclass(frozen=True)
class RatioSearch:
    """One function of upcard/N for all games of points, `[knot][band]` as `by_ratio` takes it.

    What is made small is the mean over some games of the exploitability, as a share of all prizes.
    """

    cards: tuple[int, ...]

    @cached_property
    def _searches(self) -> tuple[UpcardSearch, ...]:
        return tuple(UpcardSearch(cards) for cards in self.cards)

    def share(self, function: Floats) -> tuple[float, Floats]:
        """The mean share, and how it changes with each chance."""
        mean, slope = 0.0, np.zeros((KNOTS, BANDS))
        for search in self._searches:
            value, by_chance = search.exploitability(by_ratio(function, search.cards))
            weight = 1 / (Rules(search.cards).total * len(self.cards))
            mean += weight * value
            slope += weight * (knot_weights(search.cards).T @ by_chance @ band_shares(search.cards))
        return mean, slope

    def best(self, *, steps: int = STEPS) -> tuple[Floats, float]:
        """The best function found on the way down from 'up to double', and its mean share."""
        double = np.maximum(2 * np.linspace(0, 1, KNOTS), 1 / BANDS)[:, None]
        up_to = np.minimum(np.arange(1, BANDS + 1) / BANDS / double, 1.0)
        up_to[:, -1] = 1.0
        return descend(self.share, np.diff(up_to, axis=1, prepend=0.0), steps=steps)


def descend(
    loss: Callable[[Floats], tuple[float, Floats]], start: Floats, *, steps: int = STEPS
) -> tuple[Floats, float]:
    """The rows of chances that lose least on the way down from a start, and what they lose.

    Every step scales the chances against the slope (exponentiated subgradients). The least is a limit from above: the
    search does not prove that nothing is better.
    """
    rule = start + FLOOR
    rule /= rule.sum(axis=1, keepdims=True)
    found, least = start, loss(start)[0]
    for step in range(steps):
        value, slope = loss(rule)
        if value < least:
            found, least = rule, value
        gain = slope - (slope * rule).sum(axis=1, keepdims=True)
        scale = np.abs(gain).max()
        if not scale:
            break
        rule = rule * np.exp(-LEARNING / np.sqrt(step + 1) * gain / scale)
        rule /= rule.sum(axis=1, keepdims=True)
    return found, least


def rounded(rule: Floats, *, digits: int = DIGITS) -> Floats:
    """With few digits, so that it can be written down; what that adds or takes is made up for by the largest chance."""
    short = np.round(rule, digits)
    rows = np.arange(len(short))
    short[rows, short.argmax(axis=1)] += 1 - short.sum(axis=1)
    return np.asarray(np.round(short, digits))
