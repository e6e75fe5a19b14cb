"""The proof of a policy: what its best reply gains, over all information sets, in double precision.

It shares nothing with the solvers but the order in which a policy is kept (see `sets`), and finds that by itself: it
compares all ways to play the cards with all others, prizes by prizes, where the solvers walk through tracks that meet.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from goofspiel.arrays import Floats, Numbers
from goofspiel.rules import Rules

ROWS = 1 << 20  # pairs of ways to play that are compared at a time


@dataclass(frozen=True, eq=False)
class _Stage:
    """After so many rounds: all ways to have played the cards, and the numbers of what can have been seen."""

    ways: Numbers
    """[way][round]: bids, in lexicographic order."""
    hands: Numbers
    """[way][card]"""
    numbers: Numbers
    """[outcomes][way]: the number of the two together; −1 where they cannot be."""
    count: int


@dataclass(frozen=True, eq=False)
class _Tree:
    """All that can have been played and seen, round by round."""

    rules: Rules
    stages: list[_Stage]
    orders: list[dict[tuple[int, ...], float]]
    """The prizes so far, as they may come, and how likely."""

    @staticmethod
    def of(rules: Rules) -> "_Tree":
        decisions = max(1, rules.cards - 1) if rules.rounds == rules.cards else rules.rounds
        stages = [_stage(rules.cards, rounds) for rounds in range(decisions)]
        return _Tree(rules, stages, [_prize_orders(rules, rounds + 1) for rounds in range(decisions)])

    def before(self, depth: int) -> list[int]:
        """By prizes of a depth: which those are without the last."""
        places = {prizes: place for place, prizes in enumerate(self.orders[depth - 1])}
        return [places[prizes[:-1]] for prizes in self.orders[depth]]

    def plans(self, mixes: Floats) -> list[Floats]:
        """By depth, [prizes][what was seen][card]: how likely a policy plays so, the other and chance apart."""
        shapes = [
            (len(orders), stage.count, stage.hands.shape[1])
            for stage, orders in zip(self.stages, self.orders, strict=True)
        ]
        sizes = [a * b * c for a, b, c in shapes]
        if sum(sizes) != len(mixes):
            raise ValueError(f"{sum(sizes)} chances make a policy, not {len(mixes)}")
        parts = np.split(np.array(mixes, dtype=np.float64), np.cumsum(sizes)[:-1])
        plans = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        for depth in range(1, len(plans)):
            above, actions = _above(self.stages[depth - 1], self.stages[depth])
            for place, earlier in enumerate(self.before(depth)):
                plans[depth][place] *= plans[depth - 1][earlier][above, actions][:, None]
        return plans

    def best_gain(self, last: list[Floats]) -> float:
        """What best replies of a player who sees outcomes gain: [what was seen][card] of the last choice, by prizes."""
        gains = last
        for depth in range(len(self.stages) - 1, 0, -1):
            above, actions = _above(self.stages[depth - 1], self.stages[depth])
            shape = self.stages[depth - 1].count, self.stages[depth - 1].hands.shape[1]
            earlier = [np.zeros(shape) for _ in self.orders[depth - 1]]
            for place, found in zip(self.before(depth), gains, strict=True):
                best = found.max(axis=1)
                flat = np.bincount(above * shape[1] + actions, weights=best, minlength=shape[0] * shape[1])
                earlier[place] += flat.reshape(shape)
            gains = earlier
        return float(sum(found.max(axis=1).sum() for found in gains))


def best_reply_gain(rules: Rules, mixes: Floats) -> float:
    """What the best reply to a policy gains, in the objective: 0 where nothing beats it."""
    tree = _Tree.of(rules)
    stage, plans = tree.stages[-1], tree.plans(mixes)[-1]
    last = []
    for plan, (prizes, chance) in zip(plans, tree.orders[-1].items(), strict=True):
        found = np.zeros(stage.count * stage.hands.shape[1])
        for met in _met(stage):
            found += _by_seen(stage, met, _gained(rules, prizes, stage, met, plan[met.theirs]))
        last.append(chance * found.reshape(stage.count, -1))
    return tree.best_gain(last)


def seeing_reply_gain(rules: Rules, mixes: Floats) -> float:
    """What the best reply to a policy gains if it, and it alone, sees the other's bids."""
    tree = _Tree.of(rules)
    stage, plans = tree.stages[-1], tree.plans(mixes)[-1]
    values: list[Any] = []
    for plan, (prizes, chance) in zip(plans, tree.orders[-1].items(), strict=True):
        found = np.zeros((len(stage.ways), len(stage.ways)))
        for met in _met(stage):
            found[met.some] = chance * _gained(rules, prizes, stage, met, plan[met.theirs]).max(axis=2)
        values.append(found)
    for depth in range(len(tree.stages) - 1, 0, -1):
        count, width = len(tree.stages[depth - 1].ways), tree.stages[depth - 1].hands.shape[1]
        earlier = [np.zeros((count * width, count * width)) for _ in tree.orders[depth - 1]]
        for place, found in zip(tree.before(depth), values, strict=True):
            earlier[place] += found
        values = [one.reshape(count, width, count, width).sum(axis=3).max(axis=1) for one in earlier]
    return float(sum(one.sum() for one in values))


def reply_gain_to_seeing(rules: Rules, policy: list[Floats]) -> float:
    """What the best reply to a policy that sees the other's bids gains, if it does not see them itself.

    The policy is by depth, [prizes][its bids so far][the other's][card], bids in lexicographic order.
    """
    tree = _Tree.of(rules)
    reaches: list[Any] = [np.ones((1, 1)) for _ in tree.orders[0]]
    for depth in range(1, len(tree.stages)):
        count, width = len(tree.stages[depth - 1].ways), tree.stages[depth - 1].hands.shape[1]
        played = [reach[:, :, None] * one for reach, one in zip(reaches, policy[depth - 1], strict=True)]
        after = [np.repeat(one.transpose(0, 2, 1).reshape(count * width, count), width, axis=1) for one in played]
        reaches = [after[place] for place in tree.before(depth)]
    stage, last = tree.stages[-1], []
    for number, (prizes, chance) in enumerate(tree.orders[-1].items()):
        plan = reaches[number][:, :, None] * policy[-1][number]  # [its bids][mine][its card]
        found = np.zeros(stage.count * stage.hands.shape[1])
        for met in _met(stage):
            gained = _gained(rules, prizes, stage, met, plan[:, met.some].transpose(1, 0, 2))
            found += _by_seen(stage, met, gained)
        last.append(chance * found.reshape(stage.count, -1))
    return tree.best_gain(last)


def _prize_orders(rules: Rules, rounds: int) -> dict[tuple[int, ...], float]:
    """The prizes of the first rounds, as they may come, and how likely."""
    if rules.order:
        return {rules.order[:rounds]: 1.0}
    counts = Counter(permutations(rules.prizes, rounds))
    whole = counts.total()
    return {prizes: counts[prizes] / whole for prizes in sorted(counts)}


def _stage(cards: int, rounds: int) -> _Stage:
    listed = list(permutations(range(1, cards + 1), rounds))
    ways = np.array(listed, dtype=np.int64).reshape(len(listed), rounds)
    hands = np.array([sorted(set(range(1, cards + 1)) - set(way)) for way in ways.tolist()], dtype=np.int64)
    seen = np.zeros((3**rounds, len(ways)), dtype=bool)
    for some, outcomes in _compared(ways):
        seen[outcomes, some[:, None]] = True
    numbers = np.cumsum(seen.ravel()).reshape(seen.shape) - 1
    return _Stage(ways, hands, np.where(seen, numbers, -1), int(seen.sum()))


def _compared(ways: Numbers) -> Iterator[tuple[Numbers, Numbers]]:
    """Some ways to play at a time, and [way][other way]: how the rounds go, lost 0, tied 1, won 2, in base 3."""
    step = max(1, ROWS // len(ways))
    for begin in range(0, len(ways), step):
        some = np.arange(begin, min(begin + step, len(ways)))
        outcomes = np.zeros((len(some), len(ways)), dtype=np.int64)
        for bids in ways.T:
            outcomes = outcomes * 3 + 1 + np.sign(bids[some][:, None] - bids[None])
        yield some, outcomes


def _above(before: _Stage, after: _Stage) -> tuple[Numbers, Numbers]:
    """For what can have been seen, what had been seen a round before, and which card was then played."""
    outcomes, ways = np.nonzero(after.numbers >= 0)
    width = before.hands.shape[1]  # each way goes on in so many
    return before.numbers[outcomes // 3, ways // width], ways % width


class _Met(NamedTuple):
    """Some ways to play, and [way][other way]: outcomes, and what each of the two has seen."""

    some: Numbers
    outcomes: Numbers
    mine: Numbers
    theirs: Numbers


def _met(stage: _Stage) -> Iterator[_Met]:
    """All ways to play that meet, some at a time."""
    for some, outcomes in _compared(stage.ways):
        mine = stage.numbers[outcomes, some[:, None]]
        turned = 3 ** stage.ways.shape[1] - 1 - outcomes
        yield _Met(some, outcomes, mine, stage.numbers[turned, np.arange(len(stage.ways))])


def _gained(rules: Rules, prizes: tuple[int, ...], stage: _Stage, met: "_Met", plan: Floats) -> Floats:
    """[way][other way][my card]: what the last choice gains against a plan of the other, [way][other way][card]."""
    (some, outcomes, _, _), width = met, stage.hands.shape[1]
    leads, pots = _standing(rules, prizes[:-1])
    lead, pot = leads[outcomes], pots[outcomes]
    gained = np.zeros((*outcomes.shape, width))
    for i in range(width):
        for j in range(width):
            ends = _round(rules, lead, pot, prizes[-1], stage.hands[some, i][:, None] - stage.hands[:, j][None])
            if rules.rounds == rules.cards and width == 2:
                left = rules.total - sum(prizes)
                other = stage.hands[some, 1 - i][:, None] - stage.hands[:, 1 - j][None]
                ends = _round(rules, *ends, left, other)
            gained[:, :, i] += plan[:, :, j] * rules.at_the_end(ends[0])
    return gained


def _by_seen(stage: _Stage, met: _Met, gained: Floats) -> Floats:
    """[what was seen · card]: the sums of what the ways to play gain."""
    width = stage.hands.shape[1]
    cells = met.mine[:, :, None] * width + np.arange(width)
    return np.asarray(np.bincount(cells.ravel(), gained.ravel(), stage.count * width), dtype=np.float64)


def _standing(rules: Rules, prizes: tuple[int, ...]) -> tuple[Numbers, Numbers]:
    """[outcomes]: the lead and the pot after these prizes."""
    lead = pot = np.zeros(1, dtype=np.int64)
    for prize in prizes:
        lead, pot = _round(rules, np.repeat(lead, 3), np.repeat(pot, 3), prize, np.tile([-1, 0, 1], len(lead)))
    return lead, pot


def _round(rules: Rules, lead: Numbers, pot: Numbers, prize: int, margin: Numbers) -> tuple[Numbers, Numbers]:
    """Lead and pot after a bid that was so much higher than the other's."""
    after = lead + (prize + pot) * np.sign(margin)
    return after, (prize + pot) * (margin == 0) if rules.has_pots else pot
