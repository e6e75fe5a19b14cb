"""The study of rules of thumb: what is known of them, the search for better ones, and what each loses."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from courses import slow_result
from fixtures import Made, Tablebases
from study import PNG, ROUNDING, STORED, picked

from goofspiel.batch import PositionBatch
from goofspiel.best_response.response import respond
from goofspiel.players.players import FunctionPlayer, TablePlayer
from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.studies.catalogue import find_study
from goofspiel.studies.descent import RatioSearch, UpcardSearch, rounded
from goofspiel.studies.heuristics import USUAL, study_heuristics
from goofspiel.studies.heuristics_words import BY_RATIO, BY_UPCARD
from goofspiel.studies.request import Request
from goofspiel.studies.upcard_rules import (
    FAMILIES,
    RULES,
    Family,
    RankPlayer,
    Rule,
    TargetPlayer,
    by_ratio,
    evenly_up_to,
)


def test_what_is_known_of_rules(made: Made) -> None:
    study = made("heuristics", cards=range(1, 6))
    for cards in (4, 5):
        (match,) = picked(study, rule="match", cards=cards)
        assert match["exploitability"] == pytest.approx(cards * (cards - 3) / 2)
        (uniform,) = picked(study, rule="uniform", cards=cards)
        assert uniform["exploitability"] == pytest.approx((cards**2 - 1) / 6)
        assert uniform["share_of_prizes"] == pytest.approx(uniform["exploitability"] / (cards * (cards + 1) / 2))
        for row in picked(study, cards=cards):
            assert row["loss_to_optimal"] <= row["exploitability"] + ROUNDING
            assert row["loss_to_optimal"] >= -ROUNDING
        (ratio,) = picked(study, rule=BY_RATIO, cards=cards)
        (found,) = picked(study, rule=BY_UPCARD, cards=cards)
        known = min(match["exploitability"], uniform["exploitability"])
        assert found["exploitability"] < ratio["exploitability"] < known


@pytest.mark.parametrize("rule", [BY_UPCARD, BY_RATIO])
def test_the_rules_found_are_in_the_data(made: Made, rule: str) -> None:
    rows = picked(made("heuristics", cards=range(1, 6)), rule=rule)
    assert [row["cards"] for row in rows] == [4, 5]
    for row in rows:
        cards, mix = row["cards"], np.array(json.loads(row["mix"]))
        chances = mix if rule == BY_UPCARD else by_ratio(mix, cards)
        assert chances.sum(axis=1) == pytest.approx([1.0] * cards)
        worst = respond(TargetPlayer(chances, rule), cards).exploitability
        assert row["exploitability"] == pytest.approx(worst, abs=ROUNDING)
    assert (rows[0]["mix"] == rows[1]["mix"]) is (rule == BY_RATIO)  # one function for all games, or a mix for each


def test_a_function_of_the_ratio_by_hand() -> None:
    function = np.zeros((5, 5))
    function[:, 0] = 1.0  # always the lowest fifth …
    function[4] = [0, 0, 0, 0, 1]  # … but at upcard/N = 1 the highest
    assert by_ratio(function, 5)[0].tolist() == pytest.approx([1, 0, 0, 0, 0])
    assert by_ratio(function, 5)[4].tolist() == pytest.approx([0, 0, 0, 0, 1])
    # At 4/5, between 3/4 and 1: a fifth of the way.
    assert by_ratio(function, 5)[3].tolist() == pytest.approx([0.8, 0, 0, 0, 0.2])
    # With 4 cards the lowest fifth lies within the 1; with 10 it is the 1 or the 2.
    assert by_ratio(function, 4)[0].tolist() == pytest.approx([1, 0, 0, 0])
    assert by_ratio(function, 10)[0].tolist() == pytest.approx([0.5, 0.5, *[0] * 8])


def test_the_search_for_a_function_knows_its_slope_and_goes_down() -> None:
    search = RatioSearch((4,))
    function = np.random.default_rng(2).dirichlet(np.ones(5), size=5)
    share, slope = search.share(function)
    assert share == pytest.approx(UpcardSearch(4).exploitability(by_ratio(function, 4))[0] / 10)
    step = 1e-6
    for knot in range(5):
        moved = function.copy()
        moved[knot, 0] += step
        moved[knot, 3] -= step
        assert (search.share(moved)[0] - share) / step == pytest.approx(slope[knot, 0] - slope[knot, 3], abs=1e-3)
    shares = [search.best(steps=steps)[1] for steps in (0, 20, 60)]
    assert shares[0] > shares[1] > shares[2]


def test_rounded_rules_are_still_rules() -> None:
    rule = np.random.default_rng(3).dirichlet(np.ones(7), size=7)
    short = rounded(rule, digits=3)
    assert np.abs(short - rule).max() < 0.004
    assert short.sum(axis=1).round(12).tolist() == [1.0] * 7
    assert np.abs(1000 * short - (1000 * short).round()).max() < ROUNDING


def test_larger_games_are_played_against_optimal_play(
    made: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = made("heuristics", cards=range(1, 6))
    monkeypatch.setitem(USUAL, Objective.POINTS, 4)
    monkeypatch.setattr("goofspiel.studies.heuristics.FULL_SUIT", 5)
    study = study_heuristics(Request())
    assert {row["cards"] for row in study.data.records()} == {4, 5}
    for row in picked(study, cards=5):
        assert row["exploitability"] is None
        assert row["loss_low"] < row["loss_to_optimal"] < row["loss_high"]
        if row["parameter"] is None:  # that is the one of four cards here
            (exact,) = picked(whole, cards=5, rule=row["rule"])
            assert abs(row["loss_to_optimal"] - exact["loss_to_optimal"]) < row["loss_high"] - row["loss_low"]
    assert any("with 5 cards" in verdict and "±" in verdict for verdict in study.verdicts)
    assert [caption for caption, _ in study.tables()][-1] == "what it loses to optimal play"
    find_study("heuristics").draw(study, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_parameter_is_the_best_of_its_family(made: Made, family: Family) -> None:
    (row,) = picked(made("heuristics", cards=range(1, 6)), rule=family.name, cards=4)
    found = respond(family.make(4, row["parameter"]), 4).exploitability
    assert row["exploitability"] == pytest.approx(found)
    others = [respond(family.make(4, p), 4).exploitability for p in np.linspace(family.low, family.high, 17)]
    assert found <= min(others) + ROUNDING


def slow_spread(position: Position, factor: float, *, by_rank: bool) -> dict[int, float]:
    """Draw a number up to factor × upcard (or its rank), bid that card or rank, by adding up chances."""
    upcard = 1 + sum(card < position.upcard for card in position.deck) if by_rank else position.upcard
    cards = position.my_cards
    mix = dict.fromkeys(cards, 0.0)
    top = factor * upcard
    number = 1
    while number - 1 < top:
        share = min(top, number) - (number - 1)
        if by_rank:
            card = cards[min(number, len(cards)) - 1]
        else:
            card = min((held for held in cards if held >= number), default=cards[-1])
        mix[card] += share / top
        number += 1
    return mix


@pytest.mark.parametrize("by_rank", [False, True])
@pytest.mark.parametrize("factor", [1.0, 1.75, 2.0])
def test_rules_are_what_their_sentences_say(factor: float, by_rank: bool) -> None:
    cards = 4
    by_number = TargetPlayer(evenly_up_to(cards, factor), "t")
    rule = RankPlayer(lambda level: evenly_up_to(level, factor), "r") if by_rank else by_number

    def choose(position: Position) -> dict[int, float]:
        return slow_spread(position, factor, by_rank=by_rank)

    choose.uses_lead = False  # type: ignore[attr-defined]
    for level in range(1, cards + 1):
        hands = list(combinations(range(1, cards + 1), level))
        for mine in hands:
            for prizes in hands:
                batch = PositionBatch.of([Position.of(mine, mine, set(prizes) - {upcard}, upcard) for upcard in prizes])
                for row, which in zip(rule.mixes(batch), range(len(batch)), strict=True):
                    assert row.tolist() == pytest.approx(list(choose(batch.position(which)).values()), abs=ROUNDING)
    slow = FunctionPlayer(choose, "slow", uses_lead=False)
    assert respond(rule, cards).value == pytest.approx(respond(slow, cards).value)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_loss_to_optimal_play_is_that_of_whole_games(made: Made, tablebase: Tablebases, rule: Rule) -> None:
    (row,) = picked(made("heuristics", cards=range(1, 6)), rule=rule.name, cards=4)
    assert row["random"] == (rule.random * 1)
    slow = slow_result(rule.make(4), TablePlayer(tablebase(4)), 4)[0]
    assert row["loss_to_optimal"] == pytest.approx(-slow, abs=ROUNDING)


@pytest.mark.parametrize("seed", range(12))
def test_no_rule_without_chance_loses_less_than_match(seed: int) -> None:
    cards = 5
    chances = np.eye(cards)[np.random.default_rng(seed).integers(cards, size=cards)]
    worst = respond(TargetPlayer(chances, "fixed"), cards).exploitability
    assert worst >= cards * (cards - 3) / 2 - ROUNDING


def test_the_search_knows_exploitability_and_its_slope() -> None:
    cards = 4
    search = UpcardSearch(cards)
    chances = np.random.default_rng(1).dirichlet(np.ones(cards), size=cards)
    value, slope = search.exploitability(chances)
    assert value == pytest.approx(respond(TargetPlayer(chances, "any"), cards).exploitability)
    step = 1e-6
    for upcard in range(cards):
        moved = chances.copy()
        moved[upcard, 0] += step
        moved[upcard, 2] -= step
        change = (search.exploitability(moved)[0] - value) / step
        assert change == pytest.approx(slope[upcard, 0] - slope[upcard, 2], abs=1e-3)


def test_the_search_goes_down() -> None:
    search = UpcardSearch(4)
    start = evenly_up_to(4, 2.0)
    values = [search.best(start, steps=steps)[1] for steps in (0, 20, 60)]
    assert values[0] == pytest.approx(search.exploitability(start)[0])
    assert values[0] > values[1] > values[2]
    best, least = search.best(start, steps=60)
    assert respond(TargetPlayer(best, "best"), 4).exploitability == pytest.approx(least)


def test_rules_to_win(store: Path) -> None:
    study = study_heuristics(Request(cards=(4,), objective=Objective.WIN))
    (uniform,) = picked(study, rule="uniform")
    assert uniform["exploitability"] == pytest.approx(215 / 288, abs=STORED)
    assert not picked(study, rule=BY_UPCARD)
    assert all(row["share_of_prizes"] is None for row in study.data.records())
