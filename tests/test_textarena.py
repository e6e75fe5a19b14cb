"""Whole games of TextArena's own engine, round by round: its pot, lead, hands and winner are those of our positions."""

import random
from typing import Any

import pytest
import textarena

from goofspiel.position import Position
from goofspiel.rules import Rules

RULES = Rules(13, ties="carry", objective="win")
FACES = {1: "A", 11: "J", 12: "Q", 13: "K"}


def engine(seed: int) -> Any:
    env: Any = textarena.make("GameOfPureStrategy-v0")
    env.reset(num_players=2, seed=seed)
    return env


def state_of(env: Any) -> dict[str, Any]:
    found: dict[str, Any] = env.state.game_state
    return found


def check_state(env: Any, position: Position) -> None:
    """What the engine says of itself before a bid is what the position says, seen from player 0."""
    state = state_of(env)
    scores = state["player_scores"]
    assert tuple(sorted(state["player_hands"][0])) == position.my_cards
    assert tuple(sorted(state["player_hands"][1])) == position.their_cards
    assert state["current_prize"] == position.upcard
    assert sorted(state["prize_deck"][state["round"] :]) == sorted(position.deck)
    assert (scores[0] - scores[1], state["carry_pot"]) == (position.lead, position.pot)


def bids(choose: random.Random, position: Position, likes_ties: bool) -> tuple[int, int]:
    mine, theirs = choose.choice(position.my_cards), choose.choice(position.their_cards)
    both = [card for card in position.my_cards if card in position.their_cards]
    if likes_ties and both and choose.random() < 0.6:
        mine = theirs = choose.choice(both)
    return mine, theirs


@pytest.mark.parametrize("likes_ties", [False, True])
def test_whole_games(likes_ties: bool) -> None:
    ties = left_in_pot = 0
    winners = set()
    for seed in range(40):
        env, choose = engine(seed), random.Random(seed)
        position = Position.start(RULES)
        for upcard in tuple(state_of(env)["prize_deck"]):
            position = position.turn_up(upcard).under(RULES)
            check_state(env, position)
            chosen = bids(choose, position, likes_ties)
            for _ in range(2):  # who bids first changes from round to round
                player = env.state.current_player_id
                done, _ = env.step(f"I bid [{FACES.get(chosen[player], chosen[player])}]")
            ties += chosen[0] == chosen[1]
            position = position.play(*chosen, carry=True)
        assert done
        assert RULES.is_over(position.level)
        left_in_pot += position.pot > 0
        rewards, _ = env.close()
        won = RULES.at_the_end(position.lead)
        assert (rewards[0], rewards[1]) == (won, -won)  # what is left in the pot is nobody's
        winners.add(won)
    assert {1, -1} <= winners
    assert ties > (200 if likes_ties else 10)
    assert left_in_pot > 0
