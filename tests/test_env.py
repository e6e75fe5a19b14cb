"""The environments: the tests of PettingZoo and Gymnasium themselves, and whole games against the library."""

import runpy
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from answers import with_upcard

pytest.importorskip("pettingzoo")

from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import goofspiel as gs
from goofspiel.env import AGENTS, GoofspielEnv, GoofspielVectorEnv, aec_env, parallel_env
from goofspiel.errors import OptionError, PlayerError
from goofspiel.position import Position
from goofspiel.rules import Rules

RULES = [
    "5",
    "5 win",
    "6 win carry",
    "5 prizes=1,1,2,5,40",
    "6 order=descending rounds=3",
    "4 prizes=1,2,3,4,5,6 rounds=3",
]
EXAMPLE = Path(__file__).parent.parent / "examples/learner.py"


@pytest.mark.parametrize("rules", RULES)
def test_the_tests_of_pettingzoo(rules: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a mask beside the observation is not in its list of spaces
        parallel_api_test(parallel_env(rules, judge=True), num_cycles=40)
        api_test(aec_env(rules), num_cycles=40)
        parallel_seed_test(lambda: parallel_env(rules))
        seed_test(lambda: aec_env(rules))


@pytest.mark.parametrize("rules", RULES)
def test_the_tests_of_gymnasium(rules: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(GoofspielEnv(rules, opponent="match", judge=True, render_mode="ansi").unwrapped)


def as_position(env: Any, agent: str) -> Position:
    """What an agent sees, read back from its numbers."""
    rules: Rules = env.rules
    numbers = env._seen()[agent]["observation"]
    parts = np.split(numbers, np.cumsum([rules.cards, rules.cards, len(rules.prizes), len(rules.prizes)]))
    mine, theirs = ((np.flatnonzero(part) + 1).tolist() for part in parts[:2])
    deck, (upcard,) = ([rules.prizes[place] for place in np.flatnonzero(part)] for part in parts[2:4])
    lead, pot = np.rint(parts[4].astype(float) * rules.total).astype(int).tolist()
    return Position.of(mine, theirs, deck, upcard, lead=lead, pot=pot, rules=rules)


@pytest.mark.parametrize("text", RULES)
def test_whole_games_are_those_of_the_library(text: str) -> None:
    rules, random = Rules.parse(text), np.random.default_rng(1)
    env, tablebase = parallel_env(text, judge=True), gs.open_tablebase(text)
    for seed in range(3):
        seen, info = env.reset(seed=seed)
        total, position, bids = 0.0, Position.start(rules), {}
        while env.agents:
            mine = as_position(env, AGENTS[0])
            assert str(as_position(env, AGENTS[1])) == str(mine.swap())
            assert str(mine) == str(position.turn_up(mine.upcard))
            for agent, asked in zip(AGENTS, (mine, mine.swap()), strict=True):
                answer = with_upcard(tablebase.probe(asked))
                assert info[agent]["value"] == pytest.approx(answer.value, abs=1e-9)
                assert info[agent]["mix"].sum() == pytest.approx(1)
                held = np.flatnonzero(seen[agent]["action_mask"])
                assert tuple((held + 1).tolist()) == asked.my_cards
                bids[agent] = int(random.choice(held))
                info[agent]["expected"] = max(answer.regret[bids[agent] + 1], 0)
            expected = {agent: info[agent]["expected"] for agent in AGENTS}
            seen, rewards, *_, info = env.step(bids)
            for agent in AGENTS:  # there may be several optimal mixes to compare with
                assert info[agent]["regret"] == pytest.approx(expected[agent], abs=1e-6) or expected[agent] > 0
            assert rewards[AGENTS[0]] == -rewards[AGENTS[1]]
            total += rewards[AGENTS[0]]
            position = mine.play(*(bid + 1 for bid in bids.values()), carry=rules.has_pots)
        assert total == float(np.asarray(rules.at_the_end(np.array(position.lead))))


def test_rewards_by_regret() -> None:
    env = parallel_env(5, reward="regret")
    seen, _ = env.reset(seed=3)
    while env.agents:
        bids = {agent: int(np.flatnonzero(seen[agent]["action_mask"])[0]) for agent in env.agents}
        seen, rewards, *_, info = env.step(bids)
        assert rewards == {agent: -info[agent]["regret"] for agent in AGENTS}


def test_many_games_at_once_are_as_many_single_ones() -> None:
    """Against a player that draws nothing, a game is its deck."""
    env = GoofspielVectorEnv(6, 50, opponent="match", judge=True)
    seen, _ = env.reset(seed=5)
    leads, score = [], np.zeros(50)
    for _ in range(6):
        seen, reward, ended, _, info = env.step(seen["action_mask"].argmax(axis=1))
        score += reward
        leads.append(env._common.games.batch.lead)
        assert (info["regret"] >= 0).all()
    assert ended.all()
    assert (score == leads[-1]).all()
    assert all((abs(after - before) <= 6).all() for before, after in pairwise(leads))
    seen, reward, ended, _, _ = env.step(np.zeros(50, dtype=int))
    assert not reward.any()
    assert not ended.any()
    assert seen["action_mask"].all()


def test_the_same_seed_the_same_games() -> None:
    def play(seed: int) -> list[float]:
        env = GoofspielEnv(5, opponent="uniform")
        seen, _ = env.reset(seed=seed)
        rewards, ended = [], False
        while not ended:
            seen, reward, ended, _, _ = env.step(seen["action_mask"].argmax())
            rewards.append(reward)
        return rewards

    assert play(1) == play(1)
    assert len({tuple(play(seed)) for seed in range(9)}) > 1


def test_what_is_wrong_is_one_line() -> None:
    env = parallel_env(4)
    with pytest.raises(OptionError, match="the game is over: reset begins another"):
        env.step(dict.fromkeys(AGENTS, 0))
    env.reset()
    env.step(dict.fromkeys(AGENTS, 0))
    with pytest.raises(PlayerError, match="action 0 is no card of the hand: one of 1, 2, 3"):
        env.step(dict.fromkeys(AGENTS, 0))
    with pytest.raises(PlayerError, match="action 9 is no card of the hand: one of 1, 2, 3"):
        env.step(dict.fromkeys(AGENTS, 9))
    with pytest.raises(OptionError, match="reward must be score or regret, not 'much'"):
        parallel_env(4, reward="much")


def test_a_small_learner_learns() -> None:
    scores = runpy.run_path(str(EXAMPLE))["learn"]()
    assert abs(np.mean(scores[:3])) < 1
    assert 2.5 < np.mean(scores[-20:]) <= 4.2
