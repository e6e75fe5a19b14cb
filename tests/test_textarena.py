"""Whole games of TextArena's own engine, round by round: its pot, lead, hands and winner are those of our positions."""

import random
from pathlib import Path
from typing import Any

import pytest
import textarena
from answers import with_upcard
from fixtures import Repeats

from goofspiel.errors import RecordError
from goofspiel.interop.text_arena import Agent, ScoredAgent, TableAgent, _value, position_of, read_transcript, to_log
from goofspiel.players.players import BidUpcardPlayer, TablePlayer
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.tablebase import open_tablebase

RULES = Rules(13, ties="carry", objective="win")
FACES = {1: "A", 11: "J", 12: "Q", 13: "K"}


def engine(seed: int, deck: list[int] | None = None) -> Any:
    """A game that begins, its prizes shuffled, or in this order."""
    env: Any = textarena.make("GameOfPureStrategy-v0")
    with pytest.MonkeyPatch.context() as patch:
        if deck:
            patch.setattr(random, "sample", lambda *_, **__: list(deck))
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


def play(first: Agent, second: Agent, env: Any) -> tuple[dict[int, int], list[str]]:
    """A game between two agents: what it pays, and what both were told in the end."""
    agents, told = (first, second), ["", ""]
    done = False
    while not done:
        player, observation = env.get_observation()
        told[player] = observation
        done, _ = env.step(agents[player](observation))
    return env.close()[0], told


def test_an_agent_plays_our_tables_there_and_is_scored() -> None:
    table, other = ScoredAgent(TableAgent(BidUpcardPlayer(), seed=1)), ScoredAgent(match_prize)
    rewards, told = play(table, other, engine(3))
    assert rewards[0] in (-1, 0, 1)
    assert len(table.regrets) == len(other.regrets) == 7  # with one card left nothing is chosen
    assert all(regret <= 1e-5 for _, regret in table.regrets)
    assert any(regret > 1e-3 for _, regret in other.regrets)
    for player in range(2):
        rounds, upcard, reader = read_transcript(told[player])
        assert (len(rounds), reader) == (12, player)
        assert upcard
        assert position_of(told[player]).level == 1


def after(rounds: list[int], agent: Agent) -> Agent:
    """The agent, once it has bid these cards."""
    left = iter(rounds)

    def bid(observation: str) -> str:
        card = next(left, 0)
        return f"[{FACES.get(card, card)}]" if card else agent(observation)

    return bid


def test_a_table_with_carried_ties_bids_while_hands_are_large(large_store: Path, repeats: Repeats) -> None:
    """A whole game of TextArena's engine. The agent's table is that of 13 cards in a soak.

    That takes minutes: in a test it is that of 9 cards, which answers after four rounds for the highest prizes.
    """
    cards = repeats(9, 13)
    solve(Rules(cards, ties="carry"), store=large_store, resume=True, wait=True)
    table = open_tablebase(Rules(cards, ties="carry"), store=large_store)
    agent = TableAgent(TablePlayer(table) if cards < 13 else None, store=large_store, seed=1)
    by_table: list[float] = []  # how likely the table bids what the agent bids

    def watched(observation: str) -> str:
        said, shown = agent(observation), position_of(observation)
        if shown.level > 8:
            by_table.append(with_upcard(table.probe(shown.replaced(lead=0))).mine[_value(said.strip("[]"))])
        return said

    highest, others = ([13, 12, 11, 10], [12, 13, 10, 11]) if cards < 13 else ([], [])
    env, scored = engine(4, [10, 12, 11, 13, 7, 2, 9, 4, 1, 8, 6, 3, 5]), ScoredAgent(watched)
    rewards, _ = play(after(highest, scored), after(others, match_prize), env)
    assert rewards[0] == -rewards[1]
    assert (len(by_table), len(scored.regrets)) == (cards - 8, 7)
    assert min(by_table) > 0
    assert all(regret <= 1e-5 for _, regret in scored.regrets)


def test_transcripts_are_games_to_be_judged() -> None:
    _, told = play(match_prize, match_prize, engine(5))
    game = to_log(told[0], ("a", "b"))
    assert (game.rules, len(game.rounds), game.players) == (RULES, 12, ("a", "b"))
    assert all(upcard == first == second for upcard, first, second in game.rounds)
    with pytest.raises(RecordError, match="some of the rounds are missing: it tells of 3"):
        read_transcript("### Round 3/13 - Prize: K  (worth 13)")
