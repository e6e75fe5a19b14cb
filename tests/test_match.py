"""Matches: the same seed, the same games; means that agree with exact values; less noise; faults survived."""

import itertools
import json
import signal
from math import inf
from pathlib import Path
from typing import Any

import bots
import numpy as np
import pytest
from command import one_line, run, start, the_json, wait_until
from fixtures import Call, Tablebases
from numpy.testing import assert_allclose

from goofspiel.matches.playing import MatchResult, MatchStoppedError, play_match
from goofspiel.matches.statistics import Sums
from goofspiel.players.players import BidUpcardPlayer, FunctionPlayer, UniformPlayer
from goofspiel.records.record import GameRecord, read_records
from goofspiel.render.matches import match_json, match_text
from goofspiel.roster import load_player
from goofspiel.rules import Objective

POINTS, WIN = Objective.POINTS, Objective.WIN


def facts(result: MatchResult) -> dict[str, Any]:
    return {name: value for name, value in match_json(result).items() if name != "wall_seconds"}


def test_the_same_seed_plays_the_same_games() -> None:
    first = play_match(UniformPlayer(), BidUpcardPlayer(), 6, games=500, seed=3)
    again = play_match(UniformPlayer(), BidUpcardPlayer(), 6, games=500, seed=3)
    other = play_match(UniformPlayer(), BidUpcardPlayer(), 6, games=500, seed=4)
    assert facts(first) == facts(again)
    assert facts(first) != facts(other)


def test_a_longer_match_starts_with_the_games_of_a_shorter_one() -> None:
    kept: dict[int, list[GameRecord]] = {games: [] for games in (70, 200)}
    for games, records in kept.items():
        play_match(UniformPlayer(), BidUpcardPlayer(1), 5, games=games, seed=1, on_record=records.append)
    assert kept[200][:70] == kept[70]
    assert len({str(record) for record in kept[200]}) > 190


@pytest.mark.parametrize("objective", Objective)
def test_table_players_bid_the_same_whatever_other_games_are_played(
    tablebase: Tablebases, objective: Objective
) -> None:
    """Where several mixes are optimal, which one is played depends on the position only."""
    optimal = load_player("optimal", 6, objective=objective)
    kept: dict[int, list[GameRecord]] = {games: [] for games in (64, 1000)}
    for games, records in kept.items():
        play_match(optimal, UniformPlayer(), 6, games=games, seed=1, on_record=records.append)
    assert kept[1000][:64] == kept[64]


def test_one_at_a_time_or_many_makes_no_difference() -> None:
    alone = FunctionPlayer(bots.lowest, "lowest of many")
    a = play_match(alone, UniformPlayer(), 5, games=300, seed=2)
    b = play_match(bots.Lowest(), UniformPlayer(), 5, games=300, seed=2)
    assert facts(a) == facts(b)


def test_records_are_the_games(tablebase: Tablebases) -> None:
    records: list[GameRecord] = []
    result = play_match(load_player("optimal", 6), BidUpcardPlayer(), 6, games=200, seed=5, on_record=records.append)
    leads = [record.position.lead for record in records]
    assert all(record.is_over for record in records)
    assert (sum(d > 0 for d in leads), sum(d == 0 for d in leads)) == (result.wins, result.draws)
    assert result.points.mean == pytest.approx(np.mean(leads))
    assert records[0].tags == {"mine": "optimal:points", "theirs": "match", "seed": "5"}
    assert GameRecord.read(records[0].to_file()) == records[0]
    assert all(played.theirs == played.upcard for record in records for played in record.rounds)


def test_every_deck_comes_up_equally_often() -> None:
    records: list[GameRecord] = []
    play_match(BidUpcardPlayer(), BidUpcardPlayer(), 3, games=6000, seed=0, on_record=records.append)
    decks = [tuple(played.upcard for played in record.rounds) for record in records]
    counts = [decks.count(deck) for deck in itertools.permutations((1, 2, 3))]
    assert sum(counts) == 6000
    assert max(abs(count - 1000) for count in counts) < 5 * (6000 * 5 / 36) ** 0.5


# --- what is exactly known


@pytest.mark.parametrize("cards", [5, 7, 9])
def test_match_gains_against_uniform_what_ross_found(tablebase: Tablebases, cards: int) -> None:
    result = play_match(BidUpcardPlayer(), UniformPlayer(), cards, games=8000, control=[tablebase(cards)])
    exact = (cards**2 - 1) / 6
    wider = 4 / 1.96  # a test of many intervals may not fail once in twenty
    for estimate in (result.points, result.controlled[POINTS]):
        assert abs(estimate.mean - exact) < wider * (estimate.high - estimate.mean)
    assert result.variance_ratio(POINTS) > 5


def test_one_more_than_match_wins_everything_but_one_prize(tablebase: Tablebases) -> None:
    result = play_match(BidUpcardPlayer(1), BidUpcardPlayer(), 8, games=200, control=[tablebase(8)])
    assert (result.wins, result.points.mean, result.points.variance) == (200, 8 * 5 / 2, 0)
    assert result.controlled[POINTS].mean == pytest.approx(20, abs=1e-12)  # luck explains nothing, and is left alone


def test_thirteen_cards_by_ross() -> None:
    """To bid the prize gains 28 points against uniform play, and loses 13 to 78 to who bids one more."""
    gained = play_match(BidUpcardPlayer(), UniformPlayer(), 13, games=8000).points
    assert abs(gained.mean - 28) < 4 / 1.96 * (gained.high - gained.mean)
    lost = play_match(BidUpcardPlayer(), BidUpcardPlayer(1), 13, games=200).points
    assert (lost.mean, lost.variance) == (13 - 78, 0)


@pytest.mark.parametrize("objective", Objective)
def test_perfect_players_gain_nothing_from_each_other(tablebase: Tablebases, objective: Objective) -> None:
    optimal = load_player("optimal", 7, objective=objective)
    table = tablebase(7, objective=objective)
    result = play_match(optimal, optimal, 7, games=4000, seed=1, control=[table])
    assert result.players == (f"optimal:{objective} (1)", f"optimal:{objective} (2)")
    assert abs(result.controlled[objective].mean) < 1e-9
    plain = result.plain(objective)
    assert abs(plain.mean) < 2.5 * (plain.high - plain.mean)


@pytest.mark.parametrize("opponent", ["uniform", "match", "match+1", "match-1"])
@pytest.mark.parametrize("objective", Objective)
def test_nobody_gains_from_perfect_play(tablebase: Tablebases, opponent: str, objective: Objective) -> None:
    table = tablebase(6, objective=objective)
    result = play_match(
        load_player("optimal", 6, objective=objective),
        load_player(opponent, 6),
        6,
        games=3000,
        control=[table],
    )
    plain, controlled = result.plain(objective), result.controlled[objective]
    assert controlled.mean > -1e-9
    assert result.variance_ratio(objective) > 2.5  # the noise that the table takes away
    assert abs(plain.mean - controlled.mean) < 2 * (plain.high - plain.mean)


@pytest.mark.parametrize("opponent", ["uniform", "match", "match+1"])
def test_the_noise_of_points_against_simple_players_is_cut_five_times(tablebase: Tablebases, opponent: str) -> None:
    players = load_player("optimal", 9), load_player(opponent, 9)
    result = play_match(*players, 9, games=4096, control=[tablebase(9)])
    assert result.variance_ratio(POINTS) > 5


def test_the_controlled_mean_is_the_exact_one(tablebase: Tablebases) -> None:
    """Of all decks and all bids of a game of three cards, worked out one by one."""
    exact = 0.0
    for deck in itertools.permutations((1, 2, 3)):
        for mine in itertools.permutations((1, 2, 3)):
            exact += sum(p * np.sign(bid - p) for p, bid in zip(deck, mine, strict=True)) / 36
    result = play_match(UniformPlayer(), BidUpcardPlayer(), 3, games=4096, control=[tablebase(3)])
    assert exact == pytest.approx(-4 / 3)
    assert abs(result.controlled[POINTS].mean - exact) < 2.5 * (
        result.controlled[POINTS].high - result.controlled[POINTS].mean
    )


def test_duplicate_takes_away_what_is_no_skill() -> None:
    result = play_match(UniformPlayer(), UniformPlayer(), 6, games=1000, duplicate=True)
    assert (result.points.mean, result.points.variance, result.wins) == (0, 0, result.losses)
    plain = play_match(BidUpcardPlayer(), UniformPlayer(), 6, games=4000)
    paired = play_match(BidUpcardPlayer(), UniformPlayer(), 6, games=4000, duplicate=True)
    assert paired.games == 4000
    assert abs(paired.points.mean - 35 / 6) < 2.5 * (paired.points.high - paired.points.mean)
    assert paired.points.variance < plain.points.variance


def test_duplicate_plays_each_deck_from_both_sides() -> None:
    records: list[GameRecord] = []
    play_match(UniformPlayer(), BidUpcardPlayer(), 5, games=20, duplicate=True, on_record=records.append)
    for first, second in zip(records[::2], records[1::2], strict=True):
        assert [r.upcard for r in first.rounds] == [r.upcard for r in second.rounds]
        assert (first.tags["mine"], second.tags["mine"]) == ("uniform", "match")
        assert all(r.theirs == r.upcard for r in first.rounds)
        assert all(r.mine == r.upcard for r in second.rounds)


@pytest.mark.parametrize(("games", "duplicate"), [(0, False), (-1, False), (3, True)])
def test_numbers_of_games_that_cannot_be(games: int, duplicate: bool) -> None:
    with pytest.raises(ValueError, match=f"not {games}$"):
        play_match(UniformPlayer(), UniformPlayer(), 3, games=games, duplicate=duplicate)


# --- faults


def test_a_player_that_fails_stops_the_match_and_keeps_what_was_played() -> None:
    records: list[GameRecord] = []
    with pytest.raises(
        MatchStoppedError, match=r"player rare bid \[16\], which is not in its hand: '.*3 -7'"
    ) as caught:
        play_match(
            FunctionPlayer(bots.sometimes_wrong, "rare"), BidUpcardPlayer(), 5, games=500, on_record=records.append
        )
    one_line(caught)
    result = caught.value.result
    assert 0 < result.games == len(records) < 500
    assert f"(after {result.games} finished games)" in str(caught.value)
    good = play_match(FunctionPlayer(bots.lowest, "rare"), BidUpcardPlayer(), 5, games=result.games)
    assert facts(good) == facts(result)


def test_ctrl_c_keeps_what_was_played() -> None:
    def stop(done: int, whole: int) -> None:
        if done >= 128:
            raise KeyboardInterrupt

    with pytest.raises(MatchStoppedError, match="interrupted") as caught:
        play_match(FunctionPlayer(bots.lowest, "slow"), BidUpcardPlayer(), 4, games=1000, on_progress=stop)
    assert caught.value.result.games == 128


# --- intervals


def test_means_and_their_intervals() -> None:
    sums = Sums()
    sums.add(np.array([1.0, 2.0]))
    sums.add(np.array([3.0, 6.0]))
    estimate = sums.estimate()
    assert estimate.mean == 3.0
    assert estimate.variance == pytest.approx(14 / 3)
    assert estimate.high - 3 == pytest.approx(1.96 * (14 / 3 / 4) ** 0.5, rel=1e-4)
    assert estimate.holds(3.0)
    assert not estimate.holds(9.0)


def test_a_single_observation_says_nothing_about_noise() -> None:
    sums = Sums()
    sums.add(np.array([4.0]))
    assert (sums.estimate().mean, sums.estimate().low, sums.estimate().high) == (4, -inf, inf)


def test_shares_near_their_ends() -> None:
    sums = Sums()
    sums.add(np.zeros(100))
    share = sums.share()
    # Wilson: z² / (n + z²)
    assert share.low == 0
    assert share.high == pytest.approx(1.96**2 / (100 + 1.96**2), rel=1e-4)
    none = Sums().share()
    assert (none.low, none.high) == (0, 1)


def test_intervals_hold_as_often_as_they_say() -> None:
    exact, held = (5**2 - 1) / 6, 0
    for seed in range(200):
        held += play_match(BidUpcardPlayer(), UniformPlayer(), 5, games=64, seed=seed).points.holds(exact)
    assert 175 <= held <= 199  # of 200; 190 expected


# --- the command


def test_match_in_text(call: Call) -> None:
    code, out, err = call("match", "optimal", "match", "--cards", 5, "--games", 2000, "--quiet", "--objective", "win")
    assert (code, err) == (0, "")
    assert out.startswith("optimal:win against match: 2,000 games of 5 cards, seed 0\n")
    assert out.count("without luck") == 2
    assert "as good as" in out


def test_match_as_json(call: Call, tmp_path: Path) -> None:
    records = tmp_path / "games.txt"
    said = the_json(
        call("match", "match", "uniform", "--cards", 5, "--games", 100, "--seed", 7, "--json", "--records", records)
    )
    result = play_match(BidUpcardPlayer(), UniformPlayer(), 5, games=100, seed=7)
    assert {name: said[name] for name in ("wins", "draws", "losses", "points", "score", "win")} == {
        name: facts(result)[name] for name in ("wins", "draws", "losses", "points", "score", "win")
    }
    assert said["controlled"]["points"]["variance_ratio"] > 1
    games = read_records(records.read_text())
    assert len(games) == 100
    assert sum(game.position.lead for game in games) / 100 == pytest.approx(said["points"]["mean"])


def test_without_a_table_there_is_no_control(call: Call, tmp_path: Path) -> None:
    code, out, err = call("match", "uniform", "match", "--cards", 10, "--games", 64, "--store", tmp_path)
    assert code == 0
    assert "without luck" not in out
    assert "no estimate without luck for points: the table of 10 cards for points is not solved" in err
    code, out, err = call("match", "uniform", "match", "--cards", 10, "--games", 64, "--no-control", "--quiet")
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("match optimal", 2, "the following arguments are required: PLAYER"),
        ("match optimal nobody", 2, "no player is called 'nobody'"),
        ("match optimal uniform --games 0", 2, "games must be 1 to 1000000000, not '0'"),
        ("match optimal uniform --games 3 --duplicate", 2, "--games must be even, not 3"),
        ("match optimal uniform --cards 17", 2, "number of cards must be 1 to 16, not '17'"),
        ("match bots:not_in_hand uniform --cards 4 --quiet", 1, r"which is not in its hand: 'A234/"),
        ("match uniform uniform --records /no/such/folder/x", 1, "No such file or directory: /no/such/folder/x"),
    ],
)
def test_mistakes_are_one_line(call: Call, arguments: str, code: int, message: str) -> None:
    found, out, err = call(*arguments.split())
    assert (found, out, err.count("\n")) == (code, "", 1)
    assert message in err


def test_a_match_that_stops_prints_what_was_played(call: Call) -> None:
    code, out, err = call("match", "bots:sometimes_wrong", "match", "--cards", 5, "--games", 500, "--quiet", "--json")
    assert (code, err.count("\n")) == (1, 1)
    assert 0 < json.loads(out)["games"] < 500
    assert "player bots:sometimes_wrong bid [16], which is not in its hand" in err


def test_ctrl_c_prints_what_was_played(tmp_path: Path, store: Path) -> None:
    records = tmp_path / "games.txt"
    arguments = ("match", "uniform", "match", "--cards", "9", "--games", "900000000", "--records", str(records))
    process = start(*arguments, "--json", "--quiet", "--no-control", store=store)
    assert wait_until(lambda: records.exists() and records.stat().st_size > 10_000, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "interrupted" in err
    assert json.loads(out)["games"] == len(read_records(records.read_text()))


def test_the_module_of_a_player_may_lie_in_the_working_folder(tmp_path: Path, store: Path) -> None:
    (tmp_path / "mybot.py").write_text("def bid(position):\n    return max(position.my_cards)\n")
    done = run("match", "mybot:bid", "match", "--cards", "4", "--games", "50", "--json", store=store, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["players"] == ["mybot:bid", "match"]


def test_text_without_noise_says_no_ratio(tablebase: Tablebases) -> None:
    optimal = load_player("optimal", 4)
    text = match_text(play_match(optimal, optimal, 4, games=128, control=[tablebase(4)]))
    assert "without luck" in text
    assert "times as many games" not in text
    assert_allclose(play_match(optimal, optimal, 4, games=128).points.mean, 0, atol=2)
