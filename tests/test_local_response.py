"""Local best responses: in the mean they gain no more than a best response, and as much if they see the whole game."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from bots import noting
from command import the_json
from fixtures import Call, Tablebases
from test_respond import erratic

from goofspiel.best_response.local import LocalResponse, local_response
from goofspiel.best_response.response import respond
from goofspiel.errors import OptionError, RulesError
from goofspiel.players.players import BidUpcardPlayer, FunctionPlayer, Player, TablePlayer, UniformPlayer
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.tablebase import Tablebase

DEVIATIONS = 4.5  # of a mean that are allowed to chance: one test in 100,000


def deviation(found: LocalResponse) -> float:
    return float(np.sqrt(found.gain.variance / found.games)) + 1e-9


PLAYERS = [UniformPlayer(), BidUpcardPlayer(), BidUpcardPlayer(1), FunctionPlayer(erratic, "erratic")]
RULES = ["3", "4", "4 win", "4 carry", "4 win carry", "4 order=4,2,1,3", "4 prizes=1,1,2,5", "4 rounds=3"]


@pytest.mark.parametrize("player", PLAYERS, ids=lambda player: player.name)
@pytest.mark.parametrize("text", RULES)
def test_no_more_than_a_best_response_and_as_much_with_the_whole_game_in_sight(
    text: str, player: Player, tablebase: Tablebases
) -> None:
    rules = Rules.parse(text)
    exact = respond(player, rules).value
    for horizon, games in ((1, 200), (rules.cards - 1, 96)):
        found = local_response(player, tablebase(rules), games=games, horizon=horizon)
        assert found.gain.mean <= exact + DEVIATIONS * deviation(found)
    assert found.gain.mean == pytest.approx(exact, abs=DEVIATIONS * deviation(found))
    assert found.at_least <= exact + DEVIATIONS * deviation(found)
    assert found.rules == rules


def test_every_bid_gains_or_gives_nothing_away(tablebase: Tablebases) -> None:
    """No game is below 0: against a mix some card earns the value of the position."""
    found = local_response(FunctionPlayer(erratic, "erratic"), tablebase(5), games=200)
    assert found.gain.mean > 0
    assert found.at_least > 0


@pytest.mark.parametrize("objective", ["points", "win"])
def test_nothing_is_gained_from_perfect_play(objective: str, tablebase: Tablebases) -> None:
    table = tablebase(5, objective=objective)
    found = local_response(TablePlayer(table), table, games=100)
    assert abs(found.gain.mean) < 1e-6
    assert found.at_least <= 2 * table.bound.exploitability


def test_a_drawn_card_is_not_looked_through(tablebase: Tablebases) -> None:
    """Who saw the card first and then called it a mix would gain far more than the 4 points of a best response."""
    draw = random.Random(1)
    player = FunctionPlayer(lambda position: draw.choice(position.my_cards), "draws")
    for samples in (1, 5):
        found = local_response(player, tablebase(5), games=300, samples=samples)
        assert found.gain.mean <= 4 + DEVIATIONS * deviation(found)
    assert found.gain.mean > 1


def test_intervals_hold_what_they_estimate(tablebase: Tablebases) -> None:
    """Of many short runs nearly all intervals hold the mean of a long one, and the bound is below a best response."""
    player, table = UniformPlayer(), tablebase(4)
    long = local_response(player, table, games=10_000, seed=99).gain.mean
    runs = [local_response(player, table, games=60, seed=seed) for seed in range(100)]
    assert sum(run.gain.low <= long <= run.gain.high for run in runs) >= 88
    exact = respond(player, 4).value
    assert sum(run.at_least <= exact for run in runs) >= 95
    assert long <= exact


def test_the_same_seed_the_same_games(tablebase: Tablebases) -> None:
    player, table = UniformPlayer(), tablebase(5)
    one, two = (local_response(player, table, games=100, seed=seed) for seed in (3, 4))
    assert one == local_response(player, table, games=100, seed=3)
    assert one.gain != two.gain
    again = local_response(FunctionPlayer(lambda p: [1 / p.level] * p.level, "uniform"), table, games=100, seed=3)
    assert again.gain.mean == pytest.approx(one.gain.mean)  # however many games are played side by side


def test_what_is_asked(tablebase: Tablebases) -> None:
    """What is believed once at each position, what is played in every game; nothing with one card left."""
    asked: list[Position] = []
    found = local_response(FunctionPlayer(noting(erratic, asked), "erratic"), tablebase(4), games=20)
    assert found.questions == len(asked)
    assert len(asked) == len(set(asked)) + 20 * 3
    assert min(position.level for position in asked) == 2
    assert Counter(position.level for position in asked)[4] <= 20 + 4


def test_wrong_arguments(tablebase: Tablebases) -> None:
    wrong: list[dict[str, Any]] = [{"games": 0}, {"horizon": 0}, {"samples": 0}]
    for options in wrong:
        with pytest.raises(OptionError, match="must be 1 or more, not 0"):
            local_response(UniformPlayer(), tablebase(3), **options)
    with pytest.raises(RulesError, match="has no values of the game '3 carry'"):
        local_response(UniformPlayer(), tablebase(3), "3 carry")


def test_the_command(call: Call) -> None:
    words = ["respond", "match", "--cards", 5, "--games", 200, "--quiet"]
    found = the_json(call(*words, "--json"))
    assert (found["games"], found["horizon"], found["rules"]) == (200, 1, "5")
    assert 0 < found["at_least"] < found["gain"]["mean"] < 5.2
    _, out, _ = call(*words, "--horizon", 2, "--seed", 7)
    assert "it looks 2 rounds ahead, then takes exact values" in out
    assert out.splitlines()[-1].startswith("exploitability  at least ")


# Ross's best reply to a player who bids the upcard takes 78 of 91 points with 13 cards; a local one finds it.
def test_thirteen_cards(table13: Tablebase) -> None:
    found = local_response(BidUpcardPlayer(), table13, games=100)
    assert found.gain.mean == pytest.approx(78 - 13, abs=0.5)
    assert found.at_least > 64
