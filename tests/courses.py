"""Whole games, slow and obvious: every course of them is followed, a position at a time."""

from collections.abc import Callable
from functools import cache, reduce
from operator import add
from typing import TypeVar

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.players.players import Player, checked_mixes
from goofspiel.position import Position

ROUNDING = 1e-12  # of sums in another order

T = TypeVar("T", float, Floats)
Choice = Callable[[Position], dict[int, float]]  # what a player bids


def followed(
    end: Callable[[Position], T], bids: Callable[[Position, Callable[[Position], T]], T]
) -> Callable[[Position], T]:
    """The value of a position: what the end of a game is worth, the mean over upcards, and what the bids make of it."""

    def find(position: Position) -> T:
        if position.is_over:
            return end(position)
        if not position.upcard:
            return reduce(add, (value(position.turn_up(card)) for card in position.deck)) / position.level
        return bids(position, value)

    value: Callable[[Position], T] = cache(find)
    return value


def expectation(
    position: Position, value: Callable[[Position], T], mine: dict[int, float], theirs: dict[int, float]
) -> T:
    """The value after bids that are drawn from two mixes."""
    return reduce(
        add,
        (p * q * value(position.play(bid, card)) for bid, p in mine.items() for card, q in theirs.items() if p and q),
    )


def slow_result(first: Player, second: Player, cards: int) -> list[float]:
    """(points, win, draw, loss) by following every course of the game, a position at a time."""

    def mix(player: Player, position: Position) -> dict[int, float]:
        found: list[float] = checked_mixes(player, PositionBatch.of([position]))[0].tolist()
        return dict(zip(position.my_cards, found, strict=True))

    def end(position: Position) -> Floats:
        return np.array([position.lead, position.lead > 0, position.lead == 0, position.lead < 0], dtype=float)

    def bids(position: Position, value: Callable[[Position], Floats]) -> Floats:
        return expectation(position, value, mix(first, position), mix(second, position.swap()))

    result: list[float] = followed(end, bids)(Position.start(cards)).tolist()
    return result


def ending(position: Position, objective: str) -> float:
    return float(np.sign(position.lead)) if objective == "win" else float(position.lead)


def slow_response(choose: Choice, objective: str) -> Callable[[Position], float]:
    """The value of a position against a player, from the definition."""

    def bids(position: Position, value: Callable[[Position], float]) -> float:
        theirs = choose(position.swap())
        return max(sum(p * value(position.play(bid, card)) for card, p in theirs.items()) for bid in position.my_cards)

    return followed(lambda position: ending(position, objective), bids)


def slow_match(choose: Choice, other: Choice, objective: str) -> Callable[[Position], float]:
    """The value of a position to the first of two players."""

    def bids(position: Position, value: Callable[[Position], float]) -> float:
        return expectation(position, value, choose(position), other(position.swap()))

    return followed(lambda position: ending(position, objective), bids)
