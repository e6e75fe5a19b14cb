"""The study of growth: the numbers of the plan, saddle points of all games, and samples like the whole."""

from itertools import combinations
from pathlib import Path

import pytest
import reference
from fixtures import Exact, Made, Win
from study import picked

from goofspiel.rules import Objective, Rules
from goofspiel.solver.plan import Plan
from goofspiel.states import matchups
from goofspiel.store import make_layout
from goofspiel.studies.growth import sample_level, study_growth
from goofspiel.studies.request import Request


def test_growth_agrees_with_the_plan(made: Made) -> None:
    study = made("growth", cards=range(1, 6))
    for objective in Objective:
        for cards in range(2, 6):
            layout = make_layout(Rules(cards, objective=objective))
            rows = picked(study, objective=objective, cards=cards)
            assert [row["games"] for row in rows] == [level.games for level in layout.levels]
            assert [row["bytes"] for row in rows] == [level.bytes for level in layout.levels]
            (summary,) = [
                row for row in study.summary.records() if (row["objective"], row["cards"]) == (objective, cards)
            ]
            assert summary["games"] == layout.games
            assert summary["forecast_cpu_seconds"] == pytest.approx(Plan(layout, threads=1).cpu_seconds)


@pytest.mark.parametrize("objective", Objective)
def test_saddle_points_and_supports_of_all_games(made: Made, objective: Objective) -> None:
    cards, level = 3, 2
    leads = {frozenset(s): min(sum(s), 6 - sum(s)) for s in combinations(range(1, cards + 1), level)}
    found = []
    patterns = [(m, t) for m, t in zip(*(some.tolist() for some in matchups.all_matchups(cards, level)), strict=True)]
    hands = [tuple(tuple(c + 1 for c in range(4) if mask >> c & 1) for mask in pair) for pair in patterns]
    hands += [((1, 2), (1, 2))] if objective == Objective.WIN else []
    for prizes, most in leads.items():
        for lead in range(-most, most + 1) if objective == Objective.WIN else [None]:
            for upcard in prizes:
                for mine, theirs in hands:
                    matrix = reference.payoff(mine, theirs, tuple(sorted(prizes)), upcard, lead)
                    found.append(max(map(min, matrix)) == min(map(max, zip(*matrix, strict=True))))
    (row,) = picked(made("growth", cards=range(1, 6)), objective=objective, cards=cards, level=level)
    assert row["games"] == len(found)
    assert row["saddle_share"] == pytest.approx(sum(found) / len(found))
    assert row["saddle_low"] == row["saddle_high"] == row["saddle_share"]


def test_a_sample_is_like_the_whole(win: Win) -> None:
    tablebase = win(5)
    level = make_layout(tablebase.rules).levels[2]
    whole = sample_level(tablebase, level, rounds=level.games)
    some = sample_level(tablebase, level, rounds=400, seed=3)
    assert whole.saddle.low == whole.saddle.high
    assert 0 < whole.saddle.mean < 1
    assert whole.support.mean > 1
    for one, other in ((some.support, whole.support), (some.saddle, whole.saddle)):
        assert one.low < one.high
        assert abs(one.mean - other.mean) < 2 * (one.high - one.low)


def test_digits_are_those_of_exact_tables(exact: Exact, store: Path) -> None:
    exact(4)
    rows = picked(study_growth(Request(cards=(4,))), objective="points")
    assert [row["digits"] for row in rows] == [1, 2, 8]
    assert [row["digits"] for row in picked(study_growth(Request(cards=(8,))), objective="points")] == [None] * 7
