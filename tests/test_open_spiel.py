"""OpenSpiel judges the tables: in its own game of Goofspiel, no reply to a player who follows them gains anything."""

import pytest
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.policy import UniformRandomPolicy
from spiel import game_of

from goofspiel import open_tablebase
from goofspiel.interop.open_spiel import OptimalPolicy, returns_scale


# Twice what a best response gains: recomputed, and the same with open_spiel 2.0.2.
@pytest.mark.parametrize(
    ("objective", "cards", "expected"),
    [
        *(("points", 2, 0.5), ("points", 3, 4 / 3), ("points", 4, 2.5)),
        *(("win", 2, 1), ("win", 3, 2 * 2 / 3), ("win", 4, 2 * 215 / 288)),
    ],
)
def test_a_uniform_player_loses_as_much_as_is_known(objective: str, cards: int, expected: float) -> None:
    game = game_of(cards, objective, turns=True)
    assert nash_conv(game, UniformRandomPolicy(game)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("cards", [2, 3, 4])
def test_no_reply_to_a_player_who_follows_the_table_gains_anything(objective: str, cards: int) -> None:
    game = game_of(cards, objective, turns=True)
    assert nash_conv(game, OptimalPolicy(game)) <= 1e-9
    table = open_tablebase(cards, objective=objective)
    asked = OptimalPolicy(game, tablebase=table)
    assert nash_conv(game, asked) / returns_scale(game) <= 2 * table.bound.exploitability + 1e-12


def test_the_best_points_are_not_the_best_chance_to_win() -> None:
    """With four cards: who plays for points can be beaten by who plays to win, and the other way round."""
    for objective, other in (("points", "win"), ("win", "points")):
        game = game_of(4, other, turns=True)
        assert nash_conv(game, OptimalPolicy(game, objective=objective)) > 0.01
