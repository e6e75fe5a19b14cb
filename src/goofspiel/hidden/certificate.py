"""The proof of a policy: what its best reply gains, over all information sets, in double precision.

It shares nothing with the solvers but the order in which a policy is kept (see `sets`), and finds that by itself: it
compares all ways to play the cards with all others, prizes by prizes, where the solvers walk through tracks that meet.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

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


def best_reply_gain(rules: Rules, mixes: Floats) -> float:
    """What the best reply to a policy gains, in the objective: 0 where nothing beats it."""
    decisions = max(1, rules.cards - 1) if rules.rounds == rules.cards else rules.rounds
    stages = [_stage(rules.cards, rounds) for rounds in range(decisions)]
    trees = [_prize_orders(rules, rounds + 1) for rounds in range(decisions)]
    plans: list[Any] = []
    gains: list[Any] = []
    sizes = [len(tree) * stage.count * stage.hands.shape[1] for stage, tree in zip(stages, trees, strict=True)]
    if sum(sizes) != len(mixes):
        raise ValueError(f"{sum(sizes)} chances make a policy, not {len(mixes)}")
    at = 0
    for stage, tree, size in zip(stages, trees, sizes, strict=True):
        plans.append(np.asarray(mixes[at : at + size]).reshape(len(tree), stage.count, stage.hands.shape[1]))
        gains.append(np.zeros(plans[-1].shape))
        at += size
    places = [{prizes: place for place, prizes in enumerate(tree)} for tree in trees]
    for depth in range(1, decisions):
        above, actions = _above(stages[depth - 1], stages[depth])
        plans[depth] = np.array(plans[depth])
        for place, prizes in enumerate(trees[depth]):
            before = plans[depth - 1][places[depth - 1][prizes[:-1]]]
            plans[depth][place] *= before[above, actions][:, None]
    last = stages[-1]
    for place, (prizes, chance) in enumerate(trees[-1].items()):
        gains[-1][place] = chance * _last_gains(rules, last, prizes, plans[-1][place])
    for depth in range(decisions - 1, 0, -1):
        above, actions = _above(stages[depth - 1], stages[depth])
        width = stages[depth - 1].hands.shape[1]
        for place, prizes in enumerate(trees[depth]):
            best = gains[depth][place].max(axis=1)
            flat = np.bincount(above * width + actions, weights=best, minlength=stages[depth - 1].count * width)
            gains[depth - 1][places[depth - 1][prizes[:-1]]] += flat.reshape(-1, width)
    return float(gains[0].max(axis=2).sum())


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


def _last_gains(rules: Rules, stage: _Stage, prizes: tuple[int, ...], plan: Floats) -> Floats:
    """[what was seen][my card]: what the last choice gains against a plan of the other."""
    width, gains = stage.hands.shape[1], np.zeros(stage.count * stage.hands.shape[1])
    leads, pots = _standing(rules, prizes[:-1])
    for some, outcomes in _compared(stage.ways):
        mine = stage.numbers[outcomes, some[:, None]]
        theirs = stage.numbers[3 ** stage.ways.shape[1] - 1 - outcomes, np.arange(len(stage.ways))]
        lead, pot = leads[outcomes], pots[outcomes]
        for i in range(width):
            gained = np.zeros(outcomes.shape)
            for j in range(width):
                ends = _round(rules, lead, pot, prizes[-1], stage.hands[some, i][:, None] - stage.hands[:, j][None])
                if rules.rounds == rules.cards and width == 2:
                    left = rules.total - sum(prizes)
                    other = stage.hands[some, 1 - i][:, None] - stage.hands[:, 1 - j][None]
                    ends = _round(rules, *ends, left, other)
                gained += plan[theirs, j] * rules.at_the_end(ends[0])
            gains += np.bincount((mine * width + i).ravel(), weights=gained.ravel(), minlength=len(gains))
    return gains.reshape(stage.count, width)


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
