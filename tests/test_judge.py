"""Random positions solved again by HiGHS from the values of what their bids lead to."""

import numpy as np
import pytest
from answers import with_upcard
from fixtures import Repeats, Tablebases, Tally

from goofspiel.games import solve_with_highs
from goofspiel.position import Position
from goofspiel.rules import Objective
from goofspiel.tablebase.tablebase import Tablebase

TOLERANCE = 1e-8  # of HiGHS, as a share of what is played for


def random_position(random: np.random.Generator, cards: int, level: int) -> Position:
    mine, theirs, prizes = ((random.permutation(cards)[:level] + 1).tolist() for _ in range(3))
    return Position.of(mine, theirs, prizes)


def random_lead(random: np.random.Generator, cards: int, position: Position) -> Position:
    """The position with a lead that can occur and is not decided."""
    left = sum(position.deck)
    largest = min(left, cards * (cards + 1) // 2 - left)
    lead = int(random.integers(-largest, largest + 1))
    return position.replaced(lead=lead)


def judge(table: Tablebase, position: Position) -> float:
    """Compare the position after each upcard, then before."""
    worst, total = 0.0, 0.0
    for card in position.deck:
        shown = position.turn_up(card)
        after = [[shown.play(mine, theirs) for theirs in shown.their_cards] for mine in shown.my_cards]
        matrix = np.array([table.values(row) for row in after])  # the lead of each holds what the upcard brought
        judged = solve_with_highs(matrix)
        answer = with_upcard(table.probe(shown))
        worst = max(worst, abs(answer.value - judged.value), abs(float(table.values([shown])[0]) - judged.value))
        # each side's mix holds against the other's from HiGHS
        worst = max(worst, judged.value - np.array(list(answer.mine.values())) @ matrix @ judged.column_mix)
        worst = max(worst, judged.row_mix @ matrix @ np.array(list(answer.theirs.values())) - judged.value)
        total += judged.value
    worst = max(worst, abs(float(table.values([position])[0]) - total / position.level))
    return worst / (sum(position.deck) if table.objective == Objective.POINTS else 1)


@pytest.mark.parametrize("cards", [6, 7, 8, 9])
def test_random_positions(tablebase: Tablebases, repeats: Repeats, tally: Tally, cards: int) -> None:
    random, count = np.random.default_rng(cards), repeats(4, 12)
    tally("positions against HiGHS", cards * count)
    for level in range(1, cards + 1):
        for _ in range(count):
            position = random_position(random, cards, level)
            assert judge(tablebase(cards), position) <= TOLERANCE, position


@pytest.mark.parametrize("cards", [6, 7, 8, 9])
def test_random_positions_and_leads(tablebase: Tablebases, repeats: Repeats, tally: Tally, cards: int) -> None:
    count = repeats(4, 12)
    tally("positions against HiGHS", (cards - 1) * count)
    judge_leads(tablebase(cards, objective="win"), range(1, cards), count)


@pytest.mark.parametrize("level", range(1, 11))
def test_random_positions_and_leads_of_10_cards(win10: Tablebase, repeats: Repeats, tally: Tally, level: int) -> None:
    count = repeats(4, 12)
    tally("positions against HiGHS", count)
    judge_leads(win10, [level], count)


def judge_leads(table: Tablebase, levels: list[int] | range, count: int) -> None:
    """Stored values are rounded to single precision once: what HiGHS says of their children is within that."""
    random = np.random.default_rng(table.cards)
    rounding = float(np.finfo(np.float32).eps) / 2
    for level in levels:
        for _ in range(count):
            position = random_lead(random, table.cards, random_position(random, table.cards, level))
            assert judge(table, position) <= TOLERANCE + rounding, position


@pytest.mark.parametrize("level", range(1, 14))
def test_random_positions_of_13_cards(table13: Tablebase, level: int) -> None:
    random = np.random.default_rng(level)
    for _ in range(6):
        position = random_position(random, 13, level)
        assert judge(table13, position) <= TOLERANCE, position


@pytest.mark.parametrize("upcard", range(1, 14))
def test_the_openings_of_13_cards(table13: Tablebase, upcard: int) -> None:
    opening = Position.start(13, upcard)
    matrix = np.array(
        [table13.values([opening.play(mine, bid) for bid in opening.their_cards]) for mine in range(1, 14)]
    )
    assert np.abs(matrix + matrix.T).max() <= 1e-9
    judged = solve_with_highs(matrix)
    answer = with_upcard(table13.probe(opening))
    assert abs(judged.value - answer.value) <= TOLERANCE * 91
    if answer.unique:
        assert np.abs(judged.row_mix - list(answer.mine.values())).max() <= 1e-7


def test_the_bound_that_the_table_states_holds_for_smaller_tables(tablebase: Tablebases, table13: Tablebase) -> None:
    """Two tables are each within their bound of the truth, so of each other."""
    random = np.random.default_rng(0)
    asked = [random_position(random, 9, level) for level in range(1, 9) for _ in range(500)]
    difference = np.abs(tablebase(9).values(asked) - table13.values(asked)).max()
    assert difference <= tablebase(9).bound.value + table13.bound.value
    assert table13.bound.value <= 1e-9
