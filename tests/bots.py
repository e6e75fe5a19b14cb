"""Players of a user's own, good and bad, to be loaded by name."""

import random
from typing import NoReturn

import numpy as np

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.players.players import Chooser, Mix
from goofspiel.position import Position


def noting(choose: Chooser, asked: list[Position]) -> Chooser:
    """The same player, which writes down what it is asked."""

    def noted(position: Position) -> Mix:
        asked.append(position)
        return choose(position)

    return noted


def lowest(position: Position) -> int:
    return position.my_cards[0]


def numpy_card(position: Position) -> np.int64:
    return np.int64(position.my_cards[-1])


def halves(position: Position) -> dict[int, float]:
    """Its lowest and its highest card, as a mapping."""
    cards = position.my_cards
    return {cards[0]: 1.0} if len(cards) == 1 else {cards[0]: 0.5, cards[-1]: 0.5}


def flat(position: Position) -> list[float]:
    """A probability for each card."""
    return [1 / position.level] * position.level


def flat_array(position: Position) -> Floats:
    return np.full(position.level, 1 / position.level)


def drawn(position: Position) -> int:
    """Any card, drawn, where it should return its mix."""
    return random.choice(position.my_cards)


def denies_the_lead(position: Position) -> int:
    """Looks at the lead and says that it does not."""
    return position.my_cards[-1 if position.lead > 0 else 0]


denies_the_lead.uses_lead = False  # type: ignore[attr-defined]


def ignores_the_lead(position: Position) -> int:
    return position.my_cards[0]


ignores_the_lead.uses_lead = False  # type: ignore[attr-defined]


class Lowest:
    """A player that takes many positions at a time."""

    name = "lowest of many"
    uses_lead = False

    def mixes(self, asked: PositionBatch) -> Floats:
        level = int(asked.mine[0]).bit_count()
        return np.eye(level)[np.zeros(len(asked), dtype=int)]


lowest_object = Lowest()


class Nameless:
    def mixes(self, asked: PositionBatch) -> Floats:
        return np.ones((len(asked), 1))


class CannotBeMade:
    def __init__(self) -> None:
        raise OSError("no such model")


class WrongShape(Lowest):
    name = "wrong shape"

    def mixes(self, asked: PositionBatch) -> Floats:
        return np.ones((len(asked), 17))


class Fails(Lowest):
    name = "fails"

    def mixes(self, asked: PositionBatch) -> NoReturn:
        raise RuntimeError("out of coffee")


def not_in_hand(position: Position) -> int:
    return 16


def not_in_hand_mix(position: Position) -> dict[int, float]:
    return {position.my_cards[0]: 0.5, 16: 0.5}


def too_few(position: Position) -> list[float]:
    return [1.0] * (position.level - 1)


def sums_to_two(position: Position) -> dict[int, float]:
    return dict.fromkeys(position.my_cards, 2 / position.level)


def negative(position: Position) -> list[float]:
    return [1.5, -0.5] + [0.0] * (position.level - 2)


def not_a_number(position: Position) -> list[float]:
    return [float("nan")] * position.level


def words(position: Position) -> str:
    return "ace"


def mix_of_words(position: Position) -> dict[int, str]:
    return dict.fromkeys(position.my_cards, "often")


def nothing(position: Position) -> None:
    return None


def raises(position: Position) -> NoReturn:
    raise ZeroDivisionError("division by zero")


def by_all_it_sees(position: Position) -> int:
    """A card that depends on the next prize, the pot and the lead."""
    cards = position.my_cards
    return cards[(position.deck[0] + position.pot + position.lead) % len(cards)]


def sometimes_wrong(position: Position) -> int:
    """Wrong in one of the positions that a match comes to sooner or later."""
    return 16 if (position.upcard, position.level, position.lead) == (3, 3, -7) else position.my_cards[0]


constant = 7
