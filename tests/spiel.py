"""OpenSpiel's games and states, and positions of the game to compare them with."""

import random
import re
from collections.abc import Iterator
from itertools import product

import pyspiel
import pytest

from goofspiel.position import Position
from goofspiel.rules import Rules

RETURNS = {"points": "point_difference", "win": "win_loss"}
FORMS = pytest.mark.parametrize("turns", [False, True], ids=["simultaneous", "turn-based"])
OBJECTIVES = pytest.mark.parametrize("objective", ["points", "win"])


def game_of(
    cards: int, objective: str = "points", *, turns: bool = False, order: str = "random", rounds: int = -1
) -> pyspiel.Game:
    """The game; with turns one player moves after the other, without seeing the other's bid."""
    load = pyspiel.load_game_as_turn_based if turns else pyspiel.load_game
    returns = RETURNS.get(objective, objective)
    parameters = {"num_cards": cards, "returns_type": returns, "points_order": order, "num_turns": rounds}
    return load("goofspiel", parameters)


def bid_at_random(state: pyspiel.State, choose: random.Random) -> pyspiel.State:
    """A state of the game after the next action, drawn."""
    after = state.clone()
    if after.is_simultaneous_node():
        after.apply_actions([choose.choice(after.legal_actions(player)) for player in (0, 1)])
    else:
        after.apply_action(choose.choice(after.legal_actions()))
    return after


def playouts(game: pyspiel.Game, *, games: int, seed: int) -> Iterator[pyspiel.State]:
    """All states of some games at random."""
    choose = random.Random(seed)
    for _ in range(games):
        state = game.new_initial_state()
        yield state
        while not state.is_terminal():
            state = bid_at_random(state, choose)
            yield state


def read_position(state: pyspiel.State, player: int, rules: Rules | None = None) -> Position:
    """The position of a state, from what OpenSpiel writes about it."""
    seen = state.information_state_string(player)
    fields = {name: list(map(int, numbers.split())) for name, numbers in re.findall(r"^(.+): ([\d ]*)$", seen, re.M)}
    turned_up = fields["Point card sequence"]
    shown = [] if state.is_chance_node() or state.is_terminal() else turned_up[-1:]
    prizes = (rules and rules.order) or range(1, state.get_game().num_distinct_actions() + 1)
    deck = [card for card in prizes if card not in turned_up]
    lead = fields["Points"][0] - fields["Points"][1]
    position = Position.of(fields["P0 hand"], fields["P1 hand"], deck, *shown, lead=lead, rules=rules)
    return position if player == 0 else position.swap()


def reachable(cards: int) -> set[Position]:
    """All positions that a game of so many cards comes to."""
    found = new = {Position.start(cards)}
    while new:
        after = set()
        for position in new:
            if position.upcard:
                after |= {position.play(a, b) for a, b in product(position.my_cards, position.their_cards)}
            else:
                after |= {position.turn_up(card) for card in position.deck}
        new = after - found
        found = found | new
    return found


def drawn_position(cards: int, level: int, choose: random.Random) -> Position:
    """A position of a game at random, its upcard shown."""
    position = Position.start(cards)
    while True:
        position = position.turn_up(choose.choice(position.deck))
        if position.level == level:
            return position
        position = position.play(choose.choice(position.my_cards), choose.choice(position.their_cards))
