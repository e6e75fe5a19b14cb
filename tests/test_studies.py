"""Studies: what is known of their answers, slow and obvious computations of the same, and the command."""

import csv
import importlib
import io
import json
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from statistics import mean
from zlib import crc32

import numpy as np
import pytest
import reference
from command import one_line, the_json

from goofspiel import matchups
from goofspiel.analysis import FirstMove, first_move
from goofspiel.analysis.figures import draw_first_move
from goofspiel.analysis.review_figure import draw_review
from goofspiel.analysis.study import Column, Grid, numbers_text
from goofspiel.analysis.study_chip import DEFINITIONS, _course, estimate, follows, study_chip
from goofspiel.analysis.study_descent import RatioSearch, UpcardSearch, rounded
from goofspiel.analysis.study_drawing import _kept_apart
from goofspiel.analysis.study_figures import draw_growth
from goofspiel.analysis.study_games import WinThenPoints, expected_score, play_exactly
from goofspiel.analysis.study_growth import sample_level, study_growth
from goofspiel.analysis.study_heuristics import USUAL, study_heuristics
from goofspiel.analysis.study_heuristics_words import BY_RATIO, BY_UPCARD
from goofspiel.analysis.study_list import STUDIES, find_study
from goofspiel.analysis.study_objectives import EXACT, first_costs, first_moves, study_objectives
from goofspiel.analysis.study_parity import Parity, _survival, study_parity
from goofspiel.analysis.study_request import Request, StudyError
from goofspiel.analysis.study_rules import FAMILIES, RULES, RankPlayer, TargetPlayer, by_ratio, spread
from goofspiel.errors import GoofspielError, MissingTableError
from goofspiel.plan import make_plan
from goofspiel.play import ChoosingPlayer, GameRecord, TablePlayer, UniformPlayer, respond, review
from goofspiel.play.players import checked_mixes
from goofspiel.position import Position
from goofspiel.questions import Questions
from goofspiel.rules import Objective
from goofspiel.solver import solve

PUBLISHED = Path(__file__).parent.parent / "docs/results/studies"
ROUNDING = 1e-9
STORED = 1e-6  # of a win table
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def made(store):
    """A function: a study of small games, made once."""
    return cache(lambda name, **asked: find_study(name).make(Request(**asked)))


def picked(study, **wanted):
    """The rows of a study's data that have these cells."""
    return [row for row in study.data.records() if all(row[name] == cell for name, cell in wanted.items())]


# Parity


def test_shares_of_parity_by_hand(made):
    # From the paper's table of five cards, four digits: the bids of the upcard's parity, added up.
    by_hand = [0.0470 + 0.1203, 0.0770, 0.1182, 0.0735 + 0.2043, 0.1123 + 0.8636]
    rows = picked(made("parity", largest=8), objective="points", cards=5)
    assert [row["upcard"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["same_parity"] for row in rows] == pytest.approx(by_hand, abs=3 * 0.51e-4)
    assert [row["more_than_double"] for row in rows] == pytest.approx([0.1203, 0, 0, 0, 0], abs=0.51e-4)
    # Above 3N/4 are 4 and 5; below N/2 and of the other parity are 1 and 2.
    assert [row["low_other_parity"] for row in rows][3:] == pytest.approx([0.1226, 0.0241], abs=0.51e-4)
    assert [row["low_other_parity"] for row in rows][:3] == [None] * 3


def test_the_highest_upcard_never_gets_the_next_two_cards(made):
    rows = [row for row in made("parity", largest=8).data.records() if row["upcard"] == row["cards"]]
    assert [(row["objective"], row["cards"]) for row in rows] == [(o, n) for o in Objective for n in range(5, 9)]
    assert all(row["next_two"] == 0 for row in rows)


def test_claims_are_judged_by_the_table(tablebase):
    found = first_move(tablebase(6))
    good = Parity(found)
    assert good.next_two() == 0
    assert good.favoured() == (2, 2)
    assert [(upcard, bid) for upcard, bid, _ in good.exceptions()] == [(5, 2)]
    turned = found.probability.copy()
    turned[:, 5] = [0.1, 0.1, 0.2, 0.3, 0.2, 0.1]  # on the 6: 1 and 3 where it should be 2
    turned[:, 4] = [0, 0, 0.2, 0, 0.8, 0]
    bad = Parity(FirstMove(6, Objective.POINTS, turned, found.unique, 0.0))
    assert bad.next_two() == pytest.approx(0.5)
    assert bad.favoured() == (0, 2)
    assert {(upcard, bid) for upcard, bid, _ in bad.exceptions()} == {(6, 1)}
    assert bad.same_parity()[4] == pytest.approx(1)
    assert bad.same_parity()[5] == pytest.approx(0.5)


def test_verdicts_of_parity(made):
    verdicts = made("parity", largest=8).verdicts
    assert sum("N−1 or N−2: holds for 5 to 8 cards" in verdict for verdict in verdicts) == 2
    assert any(
        "points: a high upcard gets no low bid" in verdict and "fails for 5 to 8" in verdict for verdict in verdicts
    )
    assert verdicts[-1].startswith("Parity survives when both play to win")
    assert "shuffled over the bids: 0.7" in verdicts[-1]


def test_shuffled_is_the_mean_over_all_orders(tablebase):
    found = first_move(tablebase(5))
    for column, sampled in zip(found.probability.T.tolist(), Parity(found).shuffled(), strict=True):
        used = column[: max(bid for bid, p in enumerate(column) if p > 0) + 1]
        shares = [sum(order[::2]) for order in permutations(used)]
        assert sampled == pytest.approx(mean(max(share, 1 - share) for share in shares), abs=0.02)
        assert sampled >= 0.5


def test_parity_fades_where_all_bids_are_alike(tablebase):
    points = Parity(first_move(tablebase(8)))
    win = Parity(FirstMove(8, Objective.WIN, np.full((8, 8), 1 / 8), points.table.unique, 0.0))
    assert _survival([points], [win])[0].startswith("Parity fades")
    assert _survival([points], [points])[0].startswith("Parity survives")


# Chip


def worth(mine, theirs, prizes):
    return reference.value(tuple(mine), tuple(theirs), tuple(prizes))


def slow_chip(cards):
    """Every definition from real hands, in fractions: (whole, by level)."""
    by_level = {name: {} for name in ("raised", "ahead", "slope")}
    sums = {name: [Fraction(0), Fraction(0)] for name in by_level}
    everything = range(1, cards + 1)
    for level in range(1, cards):
        hands = list(combinations(everything, level))
        raised, ahead, products, squares = [], [], Fraction(0), 0
        for prizes in hands:
            for mine in hands:
                for card in mine:
                    if card + 1 <= cards and card + 1 not in mine:
                        raised.append(worth(sorted({*mine, card + 1} - {card}), mine, prizes))
                for theirs in hands:
                    more = sum(mine) - sum(theirs)
                    value = worth(mine, theirs, prizes)
                    ahead += [value] if more == 1 else []
                    products += more * value
                    squares += more * more
        for name, total, weight in (
            ("raised", sum(raised), len(raised)),
            ("ahead", sum(ahead), len(ahead)),
            ("slope", products, squares),
        ):
            by_level[name][level] = total / weight
            sums[name] = [sums[name][0] + total, sums[name][1] + weight]
    return {name: total / weight for name, (total, weight) in sums.items()}, by_level


@pytest.mark.parametrize("cards", [2, 3, 4])
def test_chips_of_whole_levels_from_real_hands(made, cards):
    whole, by_level = slow_chip(cards)
    study = made("chip", largest=5)
    for name, value in whole.items():
        (row,) = picked(study, definition=name, cards=cards, level=None)
        assert row["value"] == pytest.approx(float(value), abs=ROUNDING)
        for level, one in by_level[name].items():
            (row,) = picked(study, definition=name, cards=cards, level=level)
            assert row["value"] == pytest.approx(float(one), abs=ROUNDING)


@pytest.mark.parametrize("cards", [2, 3])
def test_chips_of_the_opening_from_real_hands(made, cards):
    everything = range(1, cards + 1)
    doubled = [2 * card for card in everything]  # room for half a rank
    raised = [
        worth(sorted(card + (card == doubled[place]) for card in doubled), doubled, everything)
        for place in range(cards)
    ]
    after = [
        worth([c for c in everything if c != low], [c for c in everything if c != low + 1], prizes)
        for low in range(1, cards)
        for prizes in combinations(everything, cards - 1)
    ]
    expected = {
        "opening": mean(raised),
        "top": raised[-1],
        "shift": worth(range(2, cards + 2), everything, everything) / cards,
        "after": mean(after),
    }
    study = made("chip", largest=5)
    for name, value in expected.items():
        (row,) = picked(study, definition=name, cards=cards, level=None)
        assert row["value"] == pytest.approx(float(value), abs=ROUNDING), name


def test_the_estimate_and_which_comes_closest(made):
    study = made("chip", largest=5)
    assert {row["definition"] for row in study.data.records()} == set(DEFINITIONS)
    for row in study.summary.records():
        assert row["estimate"] == pytest.approx(1 + 1 / (2 * row["cards"] - 2))
        off = {name: abs(row[name] - row["estimate"]) for name in DEFINITIONS}
        assert off[row["closest"]] == min(off.values())
    assert study.verdicts[0].startswith("'after' follows the estimate")
    assert study.verdicts[1].startswith("Closest to the estimate is 'after'")
    before, last = (
        {name: abs(row[name] - row["estimate"]) for name in DEFINITIONS} for row in study.summary.records()[-2:]
    )
    assert "From the last number of cards but one to the last, only" in study.verdicts[3]
    for name in DEFINITIONS:
        assert (f"'{name}'" in study.verdicts[3]) == (last[name] < before[name])


def test_what_follows_the_estimate():
    exactly = {cards: estimate(cards) for cards in range(2, 9)}
    assert follows(exactly)
    assert follows(exactly | {2: 7.0})  # only the end counts
    assert follows({cards: 1 + 1.9 * (value - 1) for cards, value in exactly.items()})
    assert not follows({cards: 1 + 2.1 * (value - 1) for cards, value in exactly.items()})
    assert not follows(exactly | {8: 1.0})


def test_how_the_closest_leaves_the_estimate():
    # The published numbers: above 1 and near at first, below 1 at the end.
    with (PUBLISHED / "chip.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["definition"] == "after" and not row["level"]]
    values = {int(row["cards"]): float(row["value"]) for row in rows}
    below = min(cards for cards, value in values.items() if value < 1)
    assert f"it falls below 1, where the estimate never is, from {below} cards on" in _course(values)
    assert not _course({cards: estimate(cards) for cards in range(2, 9)})


# Whole games


def noise(position):
    """A mix that depends on everything, the lead too."""
    weights = [crc32(f"{position} {card}".encode()) % 5 for card in position.my_cards]
    weights[0] += 1
    return {card: weight / sum(weights) for card, weight in zip(position.my_cards, weights, strict=True)}


def slow_result(first, second, cards):
    """(points, win, draw, loss) by following every course of the game, a position at a time."""

    def mix(player, position):
        return checked_mixes(player, Questions.of([position]))[0].tolist()

    @cache
    def expected(position):
        if not position.mine:
            ends = [position.lead > 0, position.lead == 0, position.lead < 0]
            return np.array([position.lead, *ends], dtype=float)
        if not position.upcard:
            return sum(expected(position.turn_up(card)) for card in position.deck_cards) / len(position.deck_cards)
        mine, theirs = mix(first, position), mix(second, position.swap())
        return sum(
            p * q * expected(position.play(card, other))
            for card, p in zip(position.my_cards, mine, strict=True)
            for other, q in zip(position.their_cards, theirs, strict=True)
            if p and q
        )

    return expected(Position.start(cards)).tolist()


@pytest.mark.parametrize("cards", [1, 2, 3, 4])
def test_points_against_win_over_whole_games(tablebase, win, cards):
    for_points = TablePlayer(tablebase(cards))
    to_win = WinThenPoints(TablePlayer(win(cards)), for_points)
    found = play_exactly(for_points, to_win, cards=cards)
    slow = slow_result(for_points, to_win, cards)
    assert [found.points, found.win, found.draw, found.loss] == pytest.approx(slow, abs=ROUNDING)
    # Neither can lose in its own currency.
    assert found.points >= -ROUNDING
    assert found.score <= STORED


@pytest.mark.parametrize("other", [UniformPlayer(), ChoosingPlayer(noise, "noise again")], ids=lambda one: one.name)
def test_any_two_players_over_whole_games(other):
    player = ChoosingPlayer(noise, "noise")
    found = play_exactly(player, other, cards=3)
    slow = slow_result(player, other, 3)
    assert [found.points, found.win, found.draw, found.loss] == pytest.approx(slow, abs=ROUNDING)
    assert expected_score(player, other, cards=3) == pytest.approx(slow[1] - slow[3], abs=ROUNDING)
    back = play_exactly(other, player, cards=3)
    assert (back.points, back.score, back.draw) == pytest.approx((-found.points, -found.score, found.draw))


def test_a_decided_game_is_played_for_points(tablebase, win):
    points, to_win = TablePlayer(tablebase(5)), TablePlayer(win(5))
    both = WinThenPoints(to_win, points)
    asked = Questions.of([Position("24/A3/A 2 4"), Position("24/A3/A 2 2"), Position("24/A3/A 2 -4")])
    assert both.mixes(asked)[[0, 2]].tolist() == points.mixes(asked)[[0, 2]].tolist()
    assert both.mixes(asked)[1].tolist() == to_win.mixes(asked)[1].tolist()


# Objectives


def test_costs_of_first_moves_from_slow_games(tablebase, win):
    everything = (1, 2, 3, 4)
    for points, to_win in zip(first_moves(tablebase(4)), first_moves(win(4)), strict=True):
        upcard = points.position.upcard
        matrices = [reference.payoff(everything, everything, everything, upcard, lead) for lead in (None, 0)]
        mixes = [reference.solve_game(matrix)[1] for matrix in matrices]
        expected = []
        for mix, (matrix, optimal) in zip(mixes, reversed(list(zip(matrices, mixes, strict=True))), strict=True):
            earned = [sum(p * row[column] for p, row in zip(mix, matrix, strict=True)) for column in range(4)]
            against = sum(p * e for p, e in zip(optimal, earned, strict=True))  # a symmetric game: their mix is ours
            expected += [float(-against), float(-min(earned))]
        assert first_costs(points, to_win) == pytest.approx(expected, abs=STORED)


def test_whole_games_are_worked_out(made, tablebase):
    study = made("objectives", largest=5)
    assert {row["method"] for row in study.data.records()} == {"exact"}
    assert [row["cards"] for row in picked(study, quantity="points_player_gains_points")] == [4, 5]
    for row in study.data.records():
        assert row["value"] >= -ROUNDING  # nobody gains against what is optimal in that currency
    worst = picked(study, quantity="points_player_loses_win_at_worst", cards=4)[0]["value"]
    assert worst == pytest.approx(respond(TablePlayer(tablebase(4)), cards=4, objective="win").value)


def test_larger_games_are_played(made):
    study = made("objectives", cards=EXACT + 1)
    (points,) = picked(study, quantity="points_player_gains_points")
    (score,) = picked(study, quantity="win_player_gains_win")
    for row, most in ((points, 2), (score, 0.2)):
        assert "seed 0" in row["method"]
        assert 0 < row["low"] < row["value"] < row["high"] < most
    assert not picked(study, quantity="points_player_loses_win_at_worst")


# Heuristics


def test_what_is_known_of_rules(made):
    study = made("heuristics", largest=5)
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
def test_the_rules_found_are_in_the_data(made, rule):
    rows = picked(made("heuristics", largest=5), rule=rule)
    assert [row["cards"] for row in rows] == [4, 5]
    for row in rows:
        cards, mix = row["cards"], np.array(json.loads(row["mix"]))
        chances = mix if rule == BY_UPCARD else by_ratio(mix, cards)
        assert chances.sum(axis=1) == pytest.approx([1.0] * cards)
        worst = respond(TargetPlayer(chances, rule), cards=cards).exploitability
        assert row["exploitability"] == pytest.approx(worst, abs=ROUNDING)
    assert (rows[0]["mix"] == rows[1]["mix"]) is (rule == BY_RATIO)  # one function for all games, or a mix for each


def test_a_function_of_the_ratio_by_hand():
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


def test_the_search_for_a_function_knows_its_slope_and_goes_down():
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


def test_rounded_rules_are_still_rules():
    rule = np.random.default_rng(3).dirichlet(np.ones(7), size=7)
    short = rounded(rule, digits=3)
    assert np.abs(short - rule).max() < 0.004
    assert short.sum(axis=1).round(12).tolist() == [1.0] * 7
    assert np.abs(1000 * short - (1000 * short).round()).max() < ROUNDING


def test_larger_games_are_played_against_optimal_play(made, monkeypatch, tmp_path):
    whole = made("heuristics", largest=5)
    monkeypatch.setitem(USUAL, Objective.POINTS, 4)
    monkeypatch.setattr("goofspiel.analysis.study_heuristics.FULL_SUIT", 5)
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
def test_a_parameter_is_the_best_of_its_family(made, family):
    (row,) = picked(made("heuristics", largest=5), rule=family.name, cards=4)
    found = respond(family.make(4, row["parameter"]), cards=4).exploitability
    assert row["exploitability"] == pytest.approx(found)
    others = [respond(family.make(4, p), cards=4).exploitability for p in np.linspace(family.low, family.high, 17)]
    assert found <= min(others) + ROUNDING


def slow_spread(position, factor, *, by_rank):
    """Draw a number up to factor × upcard (or its rank), bid that card or rank, by adding up chances."""
    upcard = 1 + sum(card < position.upcard for card in position.deck_cards) if by_rank else position.upcard
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
def test_rules_are_what_their_sentences_say(factor, by_rank):
    cards = 4
    rule = RankPlayer(lambda level: spread(level, factor), "r") if by_rank else TargetPlayer(spread(cards, factor), "t")

    def choose(position):
        return slow_spread(position, factor, by_rank=by_rank)

    choose.uses_lead = False
    for level in range(1, cards + 1):
        hands = list(combinations(range(1, cards + 1), level))
        for mine in hands:
            for prizes in hands:
                asked = Questions.of([Position.of(mine, mine, set(prizes) - {upcard}, upcard) for upcard in prizes])
                for row, which in zip(rule.mixes(asked), range(len(asked)), strict=True):
                    assert row.tolist() == pytest.approx(list(choose(asked.position(which)).values()), abs=ROUNDING)
    slow = ChoosingPlayer(choose, "slow", uses_lead=False)
    assert respond(rule, cards=cards).value == pytest.approx(respond(slow, cards=cards).value)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_loss_to_optimal_play_is_that_of_whole_games(made, tablebase, rule):
    (row,) = picked(made("heuristics", largest=5), rule=rule.name, cards=4)
    assert row["random"] == (rule.random * 1)
    slow = slow_result(rule.make(4), TablePlayer(tablebase(4)), 4)[0]
    assert row["loss_to_optimal"] == pytest.approx(-slow, abs=ROUNDING)


@pytest.mark.parametrize("seed", range(12))
def test_no_rule_without_chance_loses_less_than_match(seed):
    cards = 5
    chances = np.eye(cards)[np.random.default_rng(seed).integers(cards, size=cards)]
    worst = respond(TargetPlayer(chances, "fixed"), cards=cards).exploitability
    assert worst >= cards * (cards - 3) / 2 - ROUNDING


def test_the_search_knows_exploitability_and_its_slope():
    cards = 4
    search = UpcardSearch(cards)
    chances = np.random.default_rng(1).dirichlet(np.ones(cards), size=cards)
    value, slope = search.exploitability(chances)
    assert value == pytest.approx(respond(TargetPlayer(chances, "any"), cards=cards).exploitability)
    step = 1e-6
    for upcard in range(cards):
        moved = chances.copy()
        moved[upcard, 0] += step
        moved[upcard, 2] -= step
        change = (search.exploitability(moved)[0] - value) / step
        assert change == pytest.approx(slope[upcard, 0] - slope[upcard, 2], abs=1e-3)


def test_the_search_goes_down():
    search = UpcardSearch(4)
    start = spread(4, 2.0)
    values = [search.best(start, steps=steps)[1] for steps in (0, 20, 60)]
    assert values[0] == pytest.approx(search.exploitability(start)[0])
    assert values[0] > values[1] > values[2]
    best, least = search.best(start, steps=60)
    assert respond(TargetPlayer(best, "best"), cards=4).exploitability == pytest.approx(least)


def test_rules_to_win(store):
    study = study_heuristics(Request(cards=4, objective=Objective.WIN))
    (uniform,) = picked(study, rule="uniform")
    assert uniform["exploitability"] == pytest.approx(215 / 288, abs=STORED)
    assert not picked(study, rule=BY_UPCARD)
    assert all(row["share_of_prizes"] is None for row in study.data.records())


# Growth


def test_growth_agrees_with_the_plan(made):
    study = made("growth", largest=5)
    for objective in Objective:
        for cards in range(2, 6):
            plan = make_plan(cards, objective=objective)
            rows = picked(study, objective=objective, cards=cards)
            assert [row["games"] for row in rows] == [level.games for level in plan.levels]
            assert [row["bytes"] for row in rows] == [level.bytes for level in plan.levels]
            (summary,) = [
                row for row in study.summary.records() if (row["objective"], row["cards"]) == (objective, cards)
            ]
            assert summary["games"] == plan.games
            assert summary["forecast_cpu_seconds"] == pytest.approx(plan.cpu_seconds)


@pytest.mark.parametrize("objective", Objective)
def test_saddle_points_and_supports_of_all_games(made, objective):
    cards, level = 3, 2
    leads = {frozenset(s): min(sum(s), 6 - sum(s)) for s in combinations(range(1, cards + 1), level)}
    found = []
    words = [(m, t) for m, t in zip(*(some.tolist() for some in matchups.all_matchups(cards, level)), strict=True)]
    hands = [tuple(tuple(c + 1 for c in range(4) if mask >> c & 1) for mask in pair) for pair in words]
    hands += [((1, 2), (1, 2))] if objective == Objective.WIN else []
    for prizes, most in leads.items():
        for lead in range(-most, most + 1) if objective == Objective.WIN else [None]:
            for upcard in prizes:
                for mine, theirs in hands:
                    matrix = reference.payoff(mine, theirs, tuple(sorted(prizes)), upcard, lead)
                    found.append(max(map(min, matrix)) == min(map(max, zip(*matrix, strict=True))))
    (row,) = picked(made("growth", largest=5), objective=objective, cards=cards, level=level)
    assert row["games"] == len(found)
    assert row["saddle_share"] == pytest.approx(sum(found) / len(found))
    assert row["saddle_low"] == row["saddle_high"] == row["saddle_share"]


def test_a_sample_is_like_the_whole(win):
    tablebase = win(5)
    plan = make_plan(5, objective=Objective.WIN).levels[2]
    whole = sample_level(tablebase, plan, rounds=plan.games)
    some = sample_level(tablebase, plan, rounds=400, seed=3)
    assert whole.saddle.low == whole.saddle.high
    assert 0 < whole.saddle.mean < 1
    assert whole.support.mean > 1
    for one, other in ((some.support, whole.support), (some.saddle, whole.saddle)):
        assert one.low < one.high
        assert abs(one.mean - other.mean) < 2 * (one.high - one.low)


def test_digits_are_those_of_exact_tables(exact, store):
    exact(4)
    rows = picked(study_growth(Request(cards=4)), objective="points")
    assert [row["digits"] for row in rows] == [1, 2, 8]
    assert [row["digits"] for row in picked(study_growth(Request(cards=8)), objective="points")] == [None] * 7


# What all have in common


def test_numbers_in_words():
    assert numbers_text([5]) == "5"
    assert numbers_text([5, 6]) == "5, 6"
    assert numbers_text([5, 6, 7, 9, 11, 12, 13]) == "5 to 7, 9, 11 to 13"


def test_names_of_lines_keep_apart():
    assert _kept_apart([1.0, 5.0], 1.0) == [1.0, 5.0]
    assert _kept_apart([1.0, 1.2, 5.0], 1.0) == pytest.approx([0.6, 1.6, 5.0])
    assert _kept_apart([1.0, 1.9, 2.0, 2.1], 1.0) == pytest.approx([0.25, 1.25, 2.25, 3.25])


def test_a_grid_is_written_and_read():
    grid = Grid(
        (Column("name"), Column("value", "+.2f", "the\nvalue"), Column("count", ",d")),
        (('a "b", c', 1 / 3, 12345), ("d", None, 1), ("e", -0.0001, 2)),
    )
    rows = list(csv.reader(io.StringIO(grid.to_csv())))
    assert rows == [
        ["name", "value", "count"],
        ['a "b", c', repr(1 / 3), "12345"],
        ["d", "", "1"],
        ["e", "-0.0001", "2"],
    ]
    lines = grid.to_text().splitlines()
    assert lines[0].split() == ["the"]
    assert lines[1].split() == ["name", "value", "count"]
    assert lines[3].split() == ["a", '"b",', "c", "+0.33", "12,345"]
    assert lines[4].split() == ["d", "-", "1"]
    assert lines[5].split() == ["e", "+0.00", "2"]  # no negative zero
    assert grid.to_markdown().splitlines()[:2] == ["| name | the value | count |", "| :--- | ---: | ---: |"]


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_says_where_its_numbers_come_from(made, name, tmp_path):
    study = made(name, largest=5)
    text = study.to_text()
    assert study.title in text
    assert all(len(line) <= 140 for line in text.splitlines())
    assert f"Command: goofspiel study {name} --largest 5" in text
    assert "Tables: " in text
    assert study.data.rows
    assert study.verdicts
    bounds = {(source.objective, source.cards): source.bound for source in study.sources}
    assert bounds[Objective.POINTS, 5] == Request().open(5, Objective.POINTS).bound.value
    assert json.loads(json.dumps(study.to_json()))["data"] == study.data.records()
    for path in (tmp_path / "a.png", tmp_path / "b.png"):
        STUDIES[name].draw(study, path)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)


def test_what_is_not_solved_is_left_out_and_named(store):
    study = study_parity(Request(largest=11, objective=Objective.WIN))
    solved = {row["cards"] for row in study.data.records()}  # others of this session may have solved 10
    missing = sorted(set(range(5, 12)) - solved)
    assert 9 in solved
    assert 11 in missing
    (note,) = [note for note in study.notes if note.startswith("Left out")]
    for cards in missing:
        assert f"goofspiel solve {cards} --objective win" in note


def test_a_table_that_is_asked_for_must_be_there(tmp_path):
    with pytest.raises(MissingTableError, match="goofspiel solve 12") as caught:
        study_parity(Request(cards=12, store=tmp_path))
    one_line(caught)


def test_a_table_without_its_lower_levels_is_none(tmp_path):
    solve(5, store=tmp_path, keep="last")
    assert len(study_parity(Request(cards=5, store=tmp_path, objective=Objective.POINTS)).data.rows) == 5
    with pytest.raises(StudyError, match="needs all levels") as caught:
        study_chip(Request(cards=5, store=tmp_path))
    one_line(caught)
    assert 5 not in [row["cards"] for row in study_chip(Request(largest=5, store=tmp_path)).summary.records()]


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ({"cards": 5, "largest": 6}, "either one number of cards or the largest, not 5 and 6"),
        ({"cards": 17}, "number of cards must be 1 to 16, not 17"),
    ],
)
def test_requests_that_make_no_sense(asked, complaint):
    with pytest.raises(ValueError, match=complaint):
        Request(**asked)


@pytest.mark.parametrize(
    ("make", "asked", "complaint"),
    [
        (study_chip, {"objective": Objective.WIN}, "study chip is about points, not 'win'"),
        (study_objectives, {"objective": Objective.WIN}, "compares both objectives: leave out 'win'"),
        (study_heuristics, {"cards": 12}, "study heuristics takes 4 to 9 cards, not 12"),
        (study_parity, {"largest": 3}, "study parity takes 5 cards or more, not 3"),
    ],
)
def test_what_a_study_cannot_be_made_of(make, asked, complaint):
    with pytest.raises(StudyError, match=complaint) as caught:
        make(Request(**asked))
    one_line(caught)


@pytest.mark.parametrize(("name", "largest"), [("parity", 8), ("chip", 5), ("objectives", 5), ("growth", 5)])
def test_the_published_numbers_are_those_of_the_study(made, name, largest):
    study = made(name, largest=largest)
    wanted = [row for row in csv.DictReader(io.StringIO(study.to_csv())) if int(row["cards"]) <= largest]
    with (PUBLISHED / f"{name}.csv").open(encoding="utf-8") as file:
        published = [row for row in csv.DictReader(file) if int(row["cards"]) <= largest]
    assert len(published) == len(wanted) > 0
    for there, here in zip(published, wanted, strict=True):
        for column, cell in here.items():
            if column != "digits":  # known only where the exact tables are
                assert there[column] == cell or float(there[column]) == pytest.approx(float(cell), abs=STORED), column


def test_the_page_has_a_part_and_a_figure_of_every_study():
    page = (PUBLISHED.parent / "studies.md").read_text(encoding="utf-8")
    for name in STUDIES:
        part = page.partition(f"<!-- generated: study {name} -->")[2].partition("<!-- end -->")[0]
        assert "Tables: " in part
        assert f"`goofspiel study {name} --csv {name}.csv --figure {name}.png`" in part
        assert f"(studies/{name}.csv)" in part
        assert f"(studies/{name}.png)" in part
        assert (PUBLISHED / f"{name}.png").read_bytes().startswith(PNG)


# The command


def test_text_csv_json_and_figure(call, tmp_path):
    asked = ("study", "parity", "--cards", 5, "--objective", "points", "--quiet")
    code, text, complaints = call(*asked)
    assert (code, complaints) == (0, "")
    assert text.startswith("Parity: ")
    _, printed, _ = call(*asked, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert [row["upcard"] for row in rows] == ["1", "2", "3", "4", "5"]
    found = the_json(call(*asked, "--json"))
    assert [row["same_parity"] for row in found["data"]] == [float(row["same_parity"]) for row in rows]
    assert found["tables"][0].keys() == {"objective", "cards", "value_bound"}
    assert the_json(call(*asked, "--format", "json")) == found
    files = tmp_path / "parity.csv", tmp_path / "parity.png"
    code, text, _ = call(*asked, "--csv", files[0], "--figure", files[1])
    assert (code, text.splitlines()[-2:]) == (0, [str(file) for file in files])
    assert files[0].read_text(encoding="utf-8") == printed
    assert files[1].read_bytes().startswith(PNG)
    both = the_json(call(*asked, "--json", "--csv", files[0], "--figure", files[1]))
    assert (both["csv"], both["figure"]) == tuple(map(str, files))


STARTS = {"png": PNG, "pdf": b"%PDF-", "svg": b"<?xml"}


@pytest.mark.parametrize("kind", STARTS)
def test_a_figure_is_what_its_name_says(call, tablebase, made, tmp_path, kind):
    _, text, _ = call(
        "study", "parity", "--cards", 5, "--objective", "points", "--quiet", "--figure", tmp_path / f"a.{kind}"
    )
    assert text.splitlines()[-1] == str(tmp_path / f"a.{kind}")
    drawings = {
        "b": lambda path: draw_first_move(first_move(tablebase(4)), path),
        "c": lambda path: draw_review(review(GameRecord.read("344 A5A 423 235 512"), tablebase(5)), path),
        "d": lambda path: draw_growth(made("growth", largest=5), path, [("points", 5, 1.0)]),
    }
    for name, draw in drawings.items():
        for path in (tmp_path / f"{name}.{kind}", tmp_path / f"{name}-again.{kind.upper()}"):
            draw(path)
        assert path.read_bytes() == (tmp_path / f"{name}.{kind}").read_bytes()  # no date in it
    for path in tmp_path.iterdir():
        assert path.read_bytes().startswith(STARTS[kind])


@pytest.mark.parametrize("name", ["a.jpg", "a.png.txt", "a.eps"])
def test_figures_of_other_kinds_are_refused(tablebase, made, tmp_path, name):
    for draw in (
        lambda path: draw_first_move(first_move(tablebase(4)), path),
        lambda path: draw_review(review(GameRecord.read("344 A5A 423 235 512"), tablebase(5)), path),
        lambda path: draw_growth(made("growth", largest=5), path),
    ):
        with pytest.raises(GoofspielError, match=f"png, pdf or svg, by the end of its name, not '{name}'") as caught:
            draw(tmp_path / name)
        one_line(caught)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def results(monkeypatch):
    """The scripts of docs/results, by name."""
    monkeypatch.syspath_prepend(str(PUBLISHED.parent))
    return importlib.import_module


def test_the_page_of_studies_does_not_shrink(results, tmp_path, monkeypatch):
    monkeypatch.setenv("GOOFSPIEL_STORE", str(tmp_path))
    for name, command in (("parity", "goofspiel solve 5 first"), ("chip", "goofspiel solve 2 first")):
        with pytest.raises(SystemExit, match=command):
            results("studies").refuse_to_shrink(name)
    for cards in range(2, 15):
        for objective in Objective:
            (tmp_path / f"{objective}-{cards}.zarr").mkdir()
    results("studies").refuse_to_shrink("parity")
    with pytest.raises(SystemExit, match="goofspiel solve 2 --exact first"):
        results("studies").refuse_to_shrink("growth")


def test_the_page_of_exact_values_does_not_shrink(results, store, tmp_path, monkeypatch):
    exact = results("exact")
    path = tmp_path / "digits.csv"
    path.write_text("objective,cards\npoints,7\n", encoding="utf-8")
    monkeypatch.setattr(exact, "game_of", lambda cards, objective: None if cards == 7 else "a game")
    with pytest.raises(SystemExit, match=r"^goofspiel solve 7 --exact first$"):
        exact.read_games(path)


def test_exact_lines_are_those_of_the_tables(results, exact):
    exact(4)
    game = results("exact").game_of(4, Objective.POINTS)
    assert [line.longest for line in game.lines] == [1, 2, 8]
    assert game.values == 64
    assert game.longest == 8


def test_progress_is_told_on_standard_error(call):
    _, _, told = call("study", "parity", "--cards", 5, "--objective", "points")
    assert "studying 100%" in told


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("study", "parities"), 2, "no study is called 'parities': parity, chip, objectives, heuristics, growth"),
        (("study",), 2, "the following arguments are required: NAME"),
        (("study", "parity", "--cards", 5, "--largest", 6), 2, "not allowed with argument"),
        (("study", "parity", "--cards", "five"), 2, "number of cards must be 1 to 16, not 'five'"),
        (("study", "parity", "--json", "--format", "csv"), 2, "--json prints json, not csv"),
        (
            ("study", "parity", "--figure", "a.jpg"),
            2,
            "a figure is a png, pdf or svg, by the end of its name, not 'a.jpg'",
        ),
        (("study", "parity", "--figure", "nowhere/a.png"), 2, "there is no folder 'nowhere' for 'a.png'"),
        (("study", "parity", "--csv", "nowhere/a.csv"), 2, "there is no folder 'nowhere' for 'a.csv'"),
        (("study", "parity", "--cards", 4), 1, "study parity takes 5 to 16 cards, not 4"),
        (("study", "parity", "--cards", 12), 1, "goofspiel solve 12"),
        (("study", "chip", "--objective", "win"), 1, "study chip is about points, not 'win'"),
    ],
)
def test_complaints(call, arguments, code, complaint):
    found, out, said = call(*arguments)
    assert (found, out) == (code, "")
    assert complaint in said
    assert said.count("\n") == 1


def test_the_help_names_all_studies(call):
    _, out, _ = call("study", "--help")
    named = out.partition("NAME")[2]
    assert all(name in named for name in STUDIES)


def test_a_figure_needs_the_extra(call, monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    code, out, said = call("study", "parity", "--cards", 5, "--figure", tmp_path / "a.png")
    assert (code, out) == (1, "")
    assert said == "goofspiel: a figure needs the plots extra: pip install 'goofspiel[plots]'\n"


def test_another_store_is_part_of_the_command(call, tables, tmp_path):
    _, text, _ = call("study", "parity", "--cards", 5, "--objective", "points", "--store", tmp_path, "--quiet")
    assert f"Command: goofspiel study parity --cards 5 --objective points --store {tmp_path}" in text
    assert (Path(tmp_path) / "points-5.zarr").is_dir()
