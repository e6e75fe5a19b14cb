"""The study of both objectives: games between players of either, and what first moves cost."""

from zlib import crc32

import pytest
import reference
from courses import slow_result
from fixtures import Made, Tablebases, Win
from study import ROUNDING, STORED, picked

from goofspiel.batch import PositionBatch
from goofspiel.best_response.expectation import expected_value, play_exactly
from goofspiel.best_response.response import respond
from goofspiel.players.players import FunctionPlayer, Player, TablePlayer, UniformPlayer
from goofspiel.position import Position
from goofspiel.studies.objectives import EXACT, WinThenPoints, first_answers, first_costs
from goofspiel.studies.study import as_number

# --- whole games


def noise(position: Position) -> dict[int, float]:
    """A mix that depends on everything, the lead too."""
    weights = [crc32(f"{position} {card}".encode()) % 5 for card in position.my_cards]
    weights[0] += 1
    return {card: weight / sum(weights) for card, weight in zip(position.my_cards, weights, strict=True)}


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_points_against_win_over_whole_games(tablebase: Tablebases, win: Win, cards: int) -> None:
    for_points = TablePlayer(tablebase(cards))
    to_win = WinThenPoints(TablePlayer(win(cards)), for_points)
    found = play_exactly(for_points, to_win, cards)
    slow = slow_result(for_points, to_win, cards)
    assert [found.points, found.win, found.draw, found.loss] == pytest.approx(slow, abs=ROUNDING)
    # Neither can lose in its own currency.
    assert found.points >= -ROUNDING
    assert found.score <= STORED


@pytest.mark.parametrize("other", [UniformPlayer(), FunctionPlayer(noise, "noise again")], ids=lambda one: one.name)
def test_any_two_players_over_whole_games(other: Player) -> None:
    player = FunctionPlayer(noise, "noise")
    found = play_exactly(player, other, 3)
    slow = slow_result(player, other, 3)
    assert [found.points, found.win, found.draw, found.loss] == pytest.approx(slow, abs=ROUNDING)
    assert expected_value(player, other, "3 win") == pytest.approx(slow[1] - slow[3], abs=ROUNDING)
    assert expected_value(player, other, 3) == found.points
    back = play_exactly(other, player, 3)
    assert (back.points, back.score, back.draw) == pytest.approx((-found.points, -found.score, found.draw))


def test_a_decided_game_is_played_for_points(tablebase: Tablebases, win: Win) -> None:
    points, to_win = TablePlayer(tablebase(5)), TablePlayer(win(5))
    both = WinThenPoints(to_win, points)
    batch = PositionBatch.of([Position("24/A3/A 2 4"), Position("24/A3/A 2 2"), Position("24/A3/A 2 -4")])
    assert both.mixes(batch)[[0, 2]].tolist() == points.mixes(batch)[[0, 2]].tolist()
    assert both.mixes(batch)[1].tolist() == to_win.mixes(batch)[1].tolist()


# --- the study


def test_costs_of_first_moves_from_slow_games(tablebase: Tablebases, win: Win) -> None:
    everything = (1, 2, 3, 4)
    for points, to_win in zip(first_answers(tablebase(4)), first_answers(win(4)), strict=True):
        upcard = points.position.upcard
        matrices = [reference.payoff(everything, everything, everything, upcard, lead) for lead in (None, 0)]
        mixes = [reference.solve_game(matrix)[1] for matrix in matrices]
        expected = []
        for mix, (matrix, optimal) in zip(mixes, reversed(list(zip(matrices, mixes, strict=True))), strict=True):
            earned = [sum(p * row[column] for p, row in zip(mix, matrix, strict=True)) for column in range(4)]
            against = sum(p * e for p, e in zip(optimal, earned, strict=True))  # a symmetric game: their mix is ours
            expected += [float(-against), float(-min(earned))]
        assert first_costs(points, to_win) == pytest.approx(expected, abs=STORED)


def test_whole_games_are_worked_out(made: Made, tablebase: Tablebases) -> None:
    study = made("objectives", cards=range(1, 6))
    assert {row["method"] for row in study.data.records()} == {"exact"}
    assert [row["cards"] for row in picked(study, quantity="points_player_gains_points")] == [4, 5]
    for row in study.data.records():
        assert as_number(row["value"]) >= -ROUNDING  # nobody gains against what is optimal in that currency
    worst = picked(study, quantity="points_player_loses_win_at_worst", cards=4)[0]["value"]
    assert worst == pytest.approx(respond(TablePlayer(tablebase(4)), 4, objective="win").value)


def test_larger_games_are_played(made: Made) -> None:
    study = made("objectives", cards=(EXACT + 1,))
    (points,) = picked(study, quantity="points_player_gains_points")
    (score,) = picked(study, quantity="win_player_gains_win")
    for row, most in ((points, 2), (score, 0.2)):
        assert "seed 0" in row["method"]
        assert 0 < row["low"] < row["value"] < row["high"] < most
    assert not picked(study, quantity="points_player_loses_win_at_worst")
