"""Whole games of TextArena's own engine, round by round: its pot, lead, hands and winner are those of our positions."""

import random
from typing import Any

import pytest
import textarena
from answers import with_upcard

from goofspiel.errors import RecordError
from goofspiel.interop.text_arena import Agent, ScoredAgent, TableAgent, _value, position_of, read_transcript, to_log
from goofspiel.players.players import BidUpcardPlayer, TablePlayer
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.tablebase import open_tablebase

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


# --- agents and transcripts


def match_prize(observation: str) -> str:
    """A scripted agent: bids the prize."""
    upcard = position_of(observation).upcard
    return f"The prize is mine. [{FACES.get(upcard, upcard)}]"


def play(first: Agent, second: Agent, seed: int) -> tuple[dict[int, int], list[str]]:
    """A game between two agents: what it pays, and what both were told in the end."""
    env, agents, told = engine(seed), (first, second), ["", ""]
    done = False
    while not done:
        player, observation = env.get_observation()
        told[player] = observation
        done, _ = env.step(agents[player](observation))
    return env.close()[0], told


def test_an_agent_plays_our_tables_there_and_is_scored() -> None:
    table, other = ScoredAgent(TableAgent(BidUpcardPlayer(), seed=1)), ScoredAgent(match_prize)
    rewards, told = play(table, other, seed=3)
    assert rewards[0] in (-1, 0, 1)
    assert len(table.regrets) == len(other.regrets) == 7  # with one card left nothing is chosen
    assert all(regret <= 1e-5 for _, regret in table.regrets)
    assert any(regret > 1e-3 for _, regret in other.regrets)
    for player in range(2):
        rounds, upcard, reader = read_transcript(told[player])
        assert (len(rounds), reader) == (12, player)
        assert upcard
        assert position_of(told[player]).level == 1


def test_a_table_with_carried_ties_bids_while_hands_are_large() -> None:
    """After four rounds for the highest prizes what is left is a game of nine cards, which a table of nine answers.

    That of 13 cards, which takes 3.8 GiB, is asked in the same way.
    """
    bids = [(9, 8), (8, 9), (5, 4), (4, 5)]
    text = "You are Player 0\n"
    for number, (prize, (first, second)) in enumerate(zip("KQJ", bids, strict=False), start=1):
        text += f"### Round {number}/13 - Prize: {prize}\nBids: P0 {first} vs P1 {second}\n"
    text += "### Round 4/13 - Prize: 10\nBids: P0 4 vs P1 5\n### Round 5/13 - Prize: 7\n"
    table = open_tablebase(Rules(9, ties="carry"))
    agent = TableAgent(TablePlayer(table), seed=1)
    position = position_of(text)
    assert (position.level, position.upcard, position.deck) == (9, 7, (1, 2, 3, 4, 5, 6, 8, 9))
    answer = with_upcard(table.probe(Position("A23456789/A23456789/A2345689 7")))
    patterns = dict(zip(position.my_cards, range(1, 10), strict=True))  # equal hands: only the order matters
    drawn = {_value(agent(text).strip("[]")) for _ in range(60)}
    assert drawn <= {card for card, rank in patterns.items() if answer.mine[rank] > 0}
    assert len(drawn) > 1


def test_transcripts_are_games_to_be_judged() -> None:
    _, told = play(match_prize, match_prize, seed=5)
    game = to_log(told[0], ("a", "b"))
    assert (game.rules, len(game.rounds), game.players) == (RULES, 12, ("a", "b"))
    assert all(upcard == first == second for upcard, first, second in game.rounds)
    with pytest.raises(RecordError, match="some of the rounds are missing: it tells of 3"):
        read_transcript("### Round 3/13 - Prize: K  (worth 13)")
