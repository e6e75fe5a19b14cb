"""What many games tell of how somebody bids: how often beside perfect play, what that costs, and how sure that is.

A habit is a kind of bid, such as the King on the King, that is made more often or less often than perfect play makes it
in the same positions. Its cost is what an opponent who knows it, and nothing else, gains by it in a game: the positions
are those that occurred, the mix there is the optimal one moved so far towards the bid, or away from it, that on the
whole it is made as often as it was.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import fsum
from typing import Any

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import is_settled
from goofspiel.rules import Rules
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import interchangeable_groups

STAGES = ("first third", "second third", "last third")
WHOLE = "whole game"
RELATIONS = ("below the prize", "the prize's own card", "above the prize")
NOTHING = 1e-9  # a cost below this is rounding
SURE = 0.95  # from here on a habit is called one


@dataclass(frozen=True)
class Habit:
    """A kind of bid, and how often it is made where it could be."""

    upcard: int | None
    """For which prize; None: for any."""
    stage: str
    """In which part of the game."""
    card: int | None
    """Which card; None where the kind is a relation to the prize."""
    relation: str
    """Below, the same as, or above the prize; or nothing where it is a card."""
    bids: int
    """How often it could have been made."""
    rate: float
    """How often it was."""
    perfect: float
    """How often perfect play makes it there."""
    cost: float
    """What who knows it gains a game, in the objective."""
    sure: float
    """1 less the probability that one who plays perfectly looks so by chance, in one of as many kinds as were looked
    at; 0 where that is likely."""

    @property
    def is_sure(self) -> bool:
        """Whether it is hardly chance."""
        return self.sure >= SURE


@dataclass(frozen=True)
class Habits:
    """All of somebody's games under the same rules."""

    rules: Rules
    games: int
    bids: int
    """Those that were a choice and could matter."""
    regret: float
    """What the bids cost against perfect play, a game, in the mean."""
    regret_error: float
    """Half of the interval that holds the true mean with 95 % confidence; infinite for a single game."""
    found: tuple[Habit, ...]
    """Those that are sure first, and among them the costliest."""


@dataclass(frozen=True, eq=False)
class _Bid:
    """A choice, and all that is known of it."""

    game: int
    position: Position
    bid: int
    stage: str
    mix: Floats
    payoffs: Floats
    value: float
    regret: float

    def set_of(self, holds: Callable[[int, int], bool]) -> Floats:
        """Which cards of the hand are of a kind: those interchangeable with one that is count as it is."""
        groups, group_of = interchangeable_groups(self.position.mine, self.position.theirs)
        kinds = [any(holds(card, self.position.upcard) for card in group) for group in groups]
        return np.array([float(kinds[group]) for group in group_of])


def habits(records: Iterable[GameRecord], tablebase: Tablebase) -> Habits:
    """My habits in games of the rules of a table, `mine` being the side that is looked at."""
    games = [record for record in records if record.rounds]
    bids = _bids(games, tablebase)
    found = _found(bids, len(games), tablebase.rules)
    by_game = np.zeros(max(len(games), 1))
    for bid in bids:
        by_game[bid.game] += bid.regret
    spread = 1.96 * by_game.std(ddof=1) / np.sqrt(len(games)) if len(games) > 1 else np.inf
    return Habits(tablebase.rules, len(games), len(bids), float(by_game.mean()), float(spread), found)


def _bids(games: list[GameRecord], tablebase: Tablebase) -> list[_Bid]:
    """Every choice of mine that could matter, a level at a time."""
    rules = tablebase.rules
    made: dict[int, list[tuple[int, Position, int, str]]] = {}
    for game, record in enumerate(games):
        for number, (before, played, _) in enumerate(record.steps()):
            if played.is_open or before.level < 2 or is_settled(before, rules):
                continue
            stage = STAGES[number * len(STAGES) // record.rules.rounds]
            made.setdefault(before.level, []).append((game, before.turn_up(played.upcard), played.mine, stage))
    found = []
    for some in made.values():
        solved = tablebase.solve_rounds(PositionBatch.of([position for _, position, _, _ in some], rules=rules))
        fields = zip(some, solved.mine, solved.payoffs(), solved.value, solved.regret, strict=True)
        for (game, position, bid, stage), mix, payoffs, value, regrets in fields:
            lost = float(regrets[position.my_cards.index(bid)])
            cost = lost if lost > NOTHING else 0.0
            found.append(_Bid(game, position, bid, stage, mix, payoffs, float(value), cost))
    return found


def _found(bids: list[_Bid], games: int, rules: Rules) -> tuple[Habit, ...]:
    """All kinds of bids that were looked at, those that are sure first."""
    looked: list[tuple[_Kind, dict[str, Any]]] = []
    for upcard in sorted({bid.position.upcard for bid in bids}):
        here = [bid for bid in bids if bid.position.upcard == upcard]
        for stage in (WHOLE, *STAGES):
            some = here if stage == WHOLE else [bid for bid in here if bid.stage == stage]
            for card in sorted({bid.bid for bid in some} | _favourites(some)):
                of_card = _kind(some, lambda held, _, card=card: held == card)  # type: ignore[misc]
                looked.append((of_card, {"upcard": upcard, "stage": stage, "card": card, "relation": ""}))
    for stage in STAGES if rules.nests else ():
        some = [bid for bid in bids if bid.stage == stage]
        for sign, relation in zip((-1, 0, 1), RELATIONS, strict=True):
            kind = _kind(some, lambda held, upcard, sign=sign: np.sign(held - upcard) == sign)  # type: ignore[misc]
            looked.append((kind, {"upcard": None, "stage": stage, "card": None, "relation": relation}))
    kinds = [(kind, where) for kind, where in looked if kind]
    found = [_habit(kind, games, len(kinds), **where) for kind, where in kinds]
    return tuple(sorted((one for one in found if one.cost > NOTHING), key=lambda one: (not one.is_sure, -one.cost)))


def _favourites(bids: list[_Bid]) -> set[int]:
    """The cards that perfect play bids most often, which somebody may never bid."""
    return {bid.position.my_cards[int(np.argmax(bid.mix))] for bid in bids}


_Kind = list[tuple[_Bid, Floats]]


def _kind(bids: list[_Bid], holds: Callable[[int, int], bool]) -> _Kind:
    """The bids where a kind could have been made, and need not have been; with which cards it is."""
    some = [(bid, bid.set_of(holds)) for bid in bids]
    return [(bid, cards) for bid, cards in some if 0 < cards.sum() < len(cards)]


def _habit(kind: _Kind, games: int, looked: int, **where: Any) -> Habit:
    made = np.array([cards[bid.position.my_cards.index(bid.bid)] for bid, cards in kind])
    perfect = np.array([float(bid.mix @ cards) for bid, cards in kind])
    rate, mean = float(made.mean()), float(perfect.mean())
    cost = fsum(_cost(bid, cards, rate, mean) for bid, cards in kind) / games
    chance = tail(perfect, int(made.sum()))
    sure = max(1 - looked * chance, 0.0)
    return Habit(bids=len(kind), rate=rate, perfect=mean, cost=cost, sure=sure, **where)


def _cost(bid: _Bid, cards: Floats, rate: float, perfect: float) -> float:
    """What is lost to one who knows it, where the kind is made at this rate instead of the perfect one."""
    share = float(bid.mix @ cards)
    if abs(rate - perfect) <= NOTHING:
        return 0.0
    if rate > perfect:
        more = (rate - perfect) / (1 - perfect)
        inside = bid.mix * cards / share if share > NOTHING else cards / cards.sum()
        mix = (1 - more) * bid.mix + more * inside
    elif share < 1 - NOTHING:
        kept = rate / perfect
        mix = np.where(cards > 0, kept * bid.mix, bid.mix * (1 - kept * share) / (1 - share))
    else:
        others = (1 - cards) / (1 - cards).sum()
        mix = rate / perfect * bid.mix + (1 - rate / perfect) * others
    return max(bid.value - float((mix @ bid.payoffs).min()), 0.0)


def tail(probabilities: Floats, count: int) -> float:
    """How likely independent events of these probabilities happen so often or more, or so often or less: the smaller.

    Exactly, one after the other: what is likely for some of them is moved on by the next.
    """
    spread = np.zeros(len(probabilities) + 1)
    spread[0] = 1.0
    for probability in np.clip(probabilities, 0.0, 1.0).tolist():
        spread[1:] = spread[1:] * (1 - probability) + spread[:-1] * probability
        spread[0] *= 1 - probability
    return float(min(spread[count:].sum(), spread[: count + 1].sum(), 1.0))
