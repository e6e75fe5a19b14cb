"""Exact tables: printed numbers, the slow solver, and the floating-point tables."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
import reference
from answers import before_upcard, with_upcard
from command import one_line
from corpora import corpus
from fixtures import Exact, Tablebases
from reference import Hand

from goofspiel.errors import MissingTableError, RulesError, SolveError
from goofspiel.games.exact import to_rational
from goofspiel.games.rationals import full_text
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.solver.exact import solve_exact
from goofspiel.states.space import level_space
from goofspiel.store import Table, table_path
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.alone import probe_alone
from goofspiel.tablebase.answer import Answer, ChanceAnswer

POINTS, WIN = Objective.POINTS, Objective.WIN
SMALL = [*((cards, POINTS) for cards in range(1, 7)), *((cards, WIN) for cards in range(1, 6))]  # seconds to solve


# --- printed numbers


@pytest.mark.parametrize("case", corpus("exact_first_move.txt"))
def test_the_fraction_that_the_paper_prints_in_full(exact: Exact, case: list[str]) -> None:
    cards, upcard, bid = map(int, case[:3])
    assert (len(case[3]), len(case[4])) == (254, 256)
    answer = with_upcard(exact(cards).probe(Position.start(cards, upcard)))
    assert full_text(answer.mine[bid]) == f"{case[3]}/{case[4]}"
    assert answer.unique
    assert answer.value == 0


@pytest.mark.parametrize(
    ("objective", "case"),
    [(POINTS, case) for case in corpus("first_moves.txt") if int(case[0]) < 6]
    + [(WIN, case) for case in corpus("first_moves_win.txt") if int(case[0]) < 6],
)
def test_first_moves(exact: Exact, objective: Objective, case: list[str]) -> None:
    cards, upcard, bid = map(int, case[:3])
    printed, source = case[3:]
    answer = with_upcard(exact(cards, objective).probe(Position.start(cards, upcard)))
    digits = len(printed.partition(".")[2])
    assert answer.unique
    assert abs(answer.mine[bid] - Fraction(printed)) <= (Fraction(51, 100) / 10**digits if digits else 0), source
    assert answer.theirs == answer.mine
    assert answer.value == 0


@pytest.mark.parametrize("case", corpus("values.txt"))
def test_values_of_a_few_cards_need_no_table(case: list[str]) -> None:
    notation, value, mix, source = case
    answer = probe_alone(Position(notation))
    assert answer.value == Fraction(value), source
    if mix != "-":
        assert isinstance(answer, Answer)
        assert list(answer.mine.values()) == [Fraction(p) for p in mix.split()], source
        assert answer.unique


def test_a_position_of_a_public_solvers_tests(exact: Exact) -> None:
    answer = with_upcard(exact(4).probe(Position("12/23/A 2")))
    assert answer.value == Fraction(-7, 3)
    assert dict(answer.mine) == {1: Fraction(2, 3), 2: Fraction(1, 3)}
    assert answer.unique


@pytest.mark.parametrize("cards", [5, 6])
def test_the_two_bids_below_the_highest_upcard_are_never_played(exact: Exact, cards: int) -> None:
    answer = with_upcard(exact(cards).probe(Position.start(cards, cards)))
    for bid in (cards - 1, cards - 2):
        assert answer.ranges[bid] == (Fraction(0), Fraction(0))
        assert answer.regret[bid] > 0


# --- the slow solver


def positions(cards: int, objective: Objective) -> Iterator[tuple[tuple[Hand, Hand, Hand], int | None]]:
    """Every (my hand, their hand, prizes) and lead of a game whose lead can occur, or is decided."""
    total = sum(range(1, cards + 1))
    for hands in reference.positions(cards):
        left = sum(hands[2])
        for lead in range(-total, total + 1) if objective == WIN else [None]:
            if lead is None or abs(lead) > left or abs(lead) + left <= total:
                yield hands, lead


@pytest.mark.parametrize(("cards", "objective"), list(product(range(1, 5), Objective)))
def test_every_position_is_worth_what_the_reference_says(exact: Exact, cards: int, objective: Objective) -> None:
    for hands, lead in positions(cards, objective):
        answer = exact(cards, objective).probe(Position.of(*hands, lead=lead or 0))
        assert isinstance(answer, ChanceAnswer)
        assert answer.value == reference.value(*hands, lead), answer.position
        expected = {card: reference.value_of_upcard(*hands, card, lead) for card in hands[2]}
        assert dict(answer.upcards) == expected, answer.position


@pytest.mark.parametrize(("cards", "objective"), [(3, POINTS), (4, POINTS), (3, WIN)])
def test_every_answer_is_optimal_in_the_reference_game(exact: Exact, cards: int, objective: Objective) -> None:
    for hands, lead in positions(cards, objective):
        for upcard in hands[2]:
            position = Position.of(*hands, lead=lead or 0).turn_up(upcard)
            answer = with_upcard(exact(cards, objective).probe(position))
            payoff = reference.payoff(*hands, upcard, lead)
            mine, theirs = list(answer.mine.values()), list(answer.theirs.values())
            earned = [sum(p * cell for p, cell in zip(theirs, row, strict=True)) for row in payoff]
            assert [list(row) for row in answer.matrix] == payoff
            assert (sum(mine), sum(theirs), min(mine + theirs) >= 0) == (1, 1, True)
            assert max(earned) == answer.value
            assert min(sum(p * c for p, c in zip(mine, cs, strict=True)) for cs in zip(*payoff, strict=True)) == max(
                earned
            )
            assert list(answer.regret.values()) == [answer.value - e for e in earned]
            if not answer.interchangeable:
                corners = zip(*reference.optimal_vertices(payoff), strict=True)
                assert list(answer.ranges.values()) == [(min(p), max(p)) for p in corners]


@pytest.mark.parametrize("objective", Objective)
def test_without_a_table_the_answer_is_the_same(exact: Exact, objective: Objective) -> None:
    lead = 2 if objective == WIN else -3
    for hands, _ in list(positions(4, POINTS))[::7]:
        position = Position.of(*hands, lead=lead)
        if exact(4, objective).holds(position):
            for asked in (position, *(position.turn_up(upcard) for upcard in position.deck)):
                found = probe_alone(asked, objective=objective)
                assert found.objective == objective
                assert replace(found, rules=Rules(4, objective=objective)) == exact(4, objective).probe(asked)


# --- the floating-point tables


@pytest.mark.parametrize(("cards", "objective"), SMALL)
def test_every_value_of_the_floating_point_table_is_within_its_bound(
    exact: Exact, tablebase: Tablebases, store: Path, cards: int, objective: Objective
) -> None:
    bound = to_rational(Fraction(tablebase(cards, objective=objective).bound.value))
    rounded = Table.open(table_path(store, Rules(cards, objective=objective)))
    whole = ExactTable.open(exact(cards, objective).path)
    for level in range(1, cards):
        where = level_space(Rules(cards, objective=objective), level).bands
        for number in range(comb(cards, level)):
            band, row = int(where.band[number]), int(where.row[number])
            found = rounded.values(level, row, row + 1, band=band)[0].ravel().tolist()
            expected = whole.read(level, number)
            assert len(found) == level_space(Rules(cards, objective=objective), level).columns * (
                2 * where.leads[band] + 1
            )
            assert all(abs(to_rational(Fraction(f)) - e) <= bound for f, e in zip(found, expected, strict=True))


@pytest.mark.parametrize(("cards", "objective"), [(5, POINTS), (6, POINTS), (4, WIN), (5, WIN)])
def test_answers_in_floating_point_leave_no_more_than_they_say(
    exact: Exact, tablebase: Tablebases, cards: int, objective: Objective
) -> None:
    random = np.random.default_rng(cards)
    base = tablebase(cards, objective=objective)
    hands = [tuple(sorted(random.choice(cards, 3, replace=False) + 1)) for _ in range(90)]
    shown = [Position.start(cards, upcard) for upcard in range(1, cards + 1)]
    shown += [Position.of(*three).turn_up(int(three[2][1])) for three in zip(*[iter(hands)] * 3, strict=True)]
    for position in shown:
        answer, truth = base.probe(position), with_upcard(exact(cards, objective).probe(position))
        assert isinstance(answer, Answer)
        slack = Fraction(answer.bound) + Fraction(answer.gap)
        assert abs(Fraction(answer.value) - truth.value) <= slack
        mine, theirs = ([Fraction(p) for p in mix.values()] for mix in (answer.mine, answer.theirs))
        guaranteed = min(sum(p * c for p, c in zip(mine, cs, strict=True)) for cs in zip(*truth.matrix, strict=True))
        reached = max(sum(p * c for p, c in zip(theirs, cs, strict=True)) for cs in truth.matrix)
        assert truth.value - guaranteed <= slack
        assert reached - truth.value <= slack
        assert answer.unique in (truth.unique, None)


# --- symmetry and leads


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("notation", ["24/A3/2 3", "A35/234/A3 5", "A3/A2/A 2", "A2/34/A 2", "A25/A34/24 3 1"])
def test_the_other_side_sees_the_opposite(exact: Exact, objective: Objective, notation: str) -> None:
    position = Position(notation)
    answer, swapped = (with_upcard(exact(5, objective).probe(p)) for p in (position, position.swap()))
    assert swapped.value == -answer.value
    assert swapped.matrix == tuple(tuple(-cell for cell in column) for column in zip(*answer.matrix, strict=True))
    if answer.unique and swapped.unique:
        assert (swapped.mine, swapped.theirs) == (answer.theirs, answer.mine)


@pytest.mark.parametrize("lead", [1, -5, 136, -136])
def test_points_have_the_lead_added(exact: Exact, lead: int) -> None:
    level, ahead = (with_upcard(exact(4).probe(Position(f"24/A3/2 3 {d}"))) for d in (0, lead))
    assert (level.value, ahead.value) == (Fraction(13, 5), Fraction(13, 5) + lead)
    assert (ahead.mine, ahead.theirs, ahead.regret, ahead.ranges) == (
        level.mine,
        level.theirs,
        level.regret,
        level.ranges,
    )
    assert exact(4).probe(Position(f"24/A3/23 - {lead}")).value == exact(4).probe(Position("24/A3/23 -")).value + lead
    assert exact(4).probe(Position(f"-/-/- - {lead}")).value == lead


def test_a_lead_larger_than_what_is_left_wins(exact: Exact) -> None:
    for lead, worth in ((6, 1), (-6, -1), (10, 1)):
        answer = with_upcard(exact(4, WIN).probe(Position(f"24/A3/2 3 {lead}")))
        assert answer.value == worth
        assert not answer.unique
        assert set(answer.regret.values()) == {0}
        assert exact(4, WIN).probe(Position(f"24/A3/23 - {lead}")).value == worth
    for lead, worth in ((0, 0), (3, 1), (-10, -1)):
        over = before_upcard(exact(4, WIN).probe(Position(f"-/-/- - {lead}")))
        assert over.value == worth
        assert dict(over.upcards) == {}


@pytest.mark.parametrize(("cards", "objective"), SMALL)
def test_the_opening_is_level(exact: Exact, cards: int, objective: Objective) -> None:
    opening = before_upcard(exact(cards, objective).probe(Position.start(cards)))
    assert opening.value == 0
    assert set(opening.upcards.values()) == {0}


@pytest.mark.parametrize(
    ("objective", "notation", "needed"),
    [
        (POINTS, "start 5", 5),
        (POINTS, "24/A3/Q K", 13),
        (POINTS, "A35/246/A2 3", 6),
        (WIN, "24/A3/2 3 -5", 4),
        (WIN, "24/A3/3 4 7", 5),
        (WIN, "24/A3/3 5", 5),
    ],
)
def test_what_the_table_does_not_hold(exact: Exact, objective: Objective, notation: str, needed: int) -> None:
    position, table = Position(notation), exact(4, objective)
    assert table.holds(position) == (needed <= 4)
    if needed <= 4:
        assert table.get(position) == table.probe(position)
        return
    assert table.get(position) is None
    with pytest.raises(MissingTableError, match=f"needs an exact table of {needed} cards") as caught:
        table.probe(position)
    assert repr(notation.replace("start 5", "A2345/A2345/A2345 -")) in one_line(caught)


def test_a_hand_too_large_to_do_without_a_table() -> None:
    with pytest.raises(SolveError, match="6 cards in a hand"):
        probe_alone(Position.start(6, 1))


# --- opening and solving


def test_an_exact_tablebase_is_a_context_and_says_what_it_is(exact: Exact) -> None:
    with open_tablebase(4, exact=True) as tablebase:
        assert (tablebase.cards, tablebase.objective) == (4, POINTS)
        assert tablebase.path.name == "points-4.exact"
        assert repr(tablebase) == f"open_tablebase(4, exact=True, store={str(tablebase.path.parent)!r})"
    assert exact(4, WIN).path.name == "win-4.exact"


@pytest.mark.parametrize("cards", [0, 17, -1])
def test_games_that_do_not_exist(cards: int, tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=str(cards)):
        solve_exact(cards, store=tmp_path)
    with pytest.raises(RulesError, match=str(cards)):
        open_tablebase(cards, store=tmp_path, exact=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("cards", "objective", "most"), [(8, "points", 7), (16, "points", 7), (7, "win", 6)])
def test_games_too_large_are_refused(cards: int, objective: str, most: int, tmp_path: Path) -> None:
    for ask in (solve_exact, partial(open_tablebase, exact=True)):
        with pytest.raises(SolveError, match=f"up to {most} cards, not {cards}") as caught:
            ask(cards, objective=objective, store=tmp_path)
        one_line(caught)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("cards", "objective"), [(7, "points"), (6, "win")])
def test_what_takes_long_is_not_solved_unasked(cards: int, objective: str, tmp_path: Path) -> None:
    with pytest.raises(MissingTableError, match=f"goofspiel solve {cards}.* --exact") as caught:
        open_tablebase(cards, objective=objective, store=tmp_path, exact=True)
    one_line(caught)
    assert not table_path(tmp_path, Rules(cards, objective=Objective(objective)), exact=True).exists()
