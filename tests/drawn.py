"""Rules and positions drawn by chance: any kind of game, anywhere in its course."""

import random

from goofspiel.position import Position
from goofspiel.rules import Objective, Rules


def drawn_rules(chance: random.Random, most_cards: int) -> Rules:
    """Any kind of game of 2 cards or more."""
    cards = chance.randint(2, most_cards)
    fields: dict[str, object] = {
        "objective": chance.choice(list(Objective)),
        "ties": chance.choice(["carry", "discard"]),
    }
    if chance.random() < 0.4:
        rounds = chance.choice([cards, chance.randint(1, cards)])
        more = chance.randint(0, 2) if rounds < cards else 0
        fields |= {"prizes": sorted(chance.choices(range(1, 12), k=cards + more)), "rounds": rounds}
    rules = Rules(cards, **fields)  # type: ignore[arg-type]
    if chance.random() < 0.3:
        rules = Rules.of(rules, order=chance.sample(rules.prizes, len(rules.prizes)))
    return rules


def drawn_position(chance: random.Random, rules: Rules, *, upcard: bool | None = None) -> Position:
    """Where a game of random bids may stand, perhaps with a prize turned up."""
    position = Position.start(rules)
    for _ in range(chance.randint(0, rules.rounds - 1)):
        position = turned_up(chance, position, rules)
        mine = chance.choice(position.my_cards)
        both = [card for card in position.their_cards if card == mine]
        theirs = both[0] if both and chance.random() < 0.4 else chance.choice(position.their_cards)
        position = position.play(mine, theirs, carry=rules.has_pots)
    shown = chance.random() < 0.8 if upcard is None else upcard
    return turned_up(chance, position, rules) if shown else position


def turned_up(chance: random.Random, position: Position, rules: Rules) -> Position:
    """The next prize, by chance or as it comes."""
    return position.turn_up(position.deck[0] if rules.order is not None else chance.choice(position.deck))
