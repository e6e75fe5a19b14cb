"""Whole games, slow and obvious: every course of them is followed, a position at a time."""

from collections.abc import Callable
from functools import cache

import numpy as np

from goofspiel.play.players import Player, checked_mixes
from goofspiel.position import Position
from goofspiel.questions import Questions

ROUNDING = 1e-12  # of sums in another order

Choice = Callable[[Position], dict[int, float]]  # what a player bids


def slow_result(first: Player, second: Player, cards: int) -> list[float]:
    """(points, win, draw, loss) by following every course of the game, a position at a time."""

    def mix(player, position):
        return checked_mixes(player, Questions.of([position]))[0].tolist()

    @cache
    def expected(position):
        if not position.mine:
            ends = [position.lead > 0, position.lead == 0, position.lead < 0]
            return np.array([position.lead, *ends], dtype=float)
        if not position.upcard:
            return sum(expected(position.turn_up(card)) for card in position.deck_cards) / len(position.deck_cards)
        mine, theirs = mix(first, position), mix(second, position.swap())
        return sum(
            p * q * expected(position.play(card, other))
            for card, p in zip(position.my_cards, mine, strict=True)
            for other, q in zip(position.their_cards, theirs, strict=True)
            if p and q
        )

    return expected(Position.start(cards)).tolist()


def ending(position: Position, objective: str) -> float:
    return float(np.sign(position.lead)) if objective == "win" else float(position.lead)


def slow_response(choose: Choice, objective: str) -> Callable[[Position], float]:
    """The value of a position against a player, from the definition."""

    @cache
    def value(position: Position) -> float:
        if position.is_over:
            return ending(position, objective)
        if not position.upcard:
            return sum(value(position.turn_up(card)) for card in position.deck_cards) / position.level
        theirs = choose(position.swap())
        return max(sum(p * value(position.play(bid, card)) for card, p in theirs.items()) for bid in position.my_cards)

    return value


def slow_match(choose: Choice, other: Choice, objective: str) -> Callable[[Position], float]:
    """The value of a position to the first of two players."""

    @cache
    def value(position: Position) -> float:
        if position.is_over:
            return ending(position, objective)
        if not position.upcard:
            return sum(value(position.turn_up(card)) for card in position.deck_cards) / position.level
        mine, theirs = choose(position), other(position.swap())
        return sum(
            p * q * value(position.play(bid, card)) for bid, p in mine.items() for card, q in theirs.items() if p and q
        )

    return value
