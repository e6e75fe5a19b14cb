"""Games of every kind of rules: against a slow solver and HiGHS, numbers of others, and what must be alike."""

from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import house
import numpy as np
import pytest
from corpora import corpus
from fixtures import Exact, Tablebases

from goofspiel.games.exact import to_fraction
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.solver.exact import solve_exact
from goofspiel.states.occurrence import occurs
from goofspiel.store import make_layout
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.alone import probe_alone
from goofspiel.tablebase.answer import Answer, ChanceAnswer
from goofspiel.tablebase.exact import ExactTablebase
from goofspiel.tablebase.verification import verify

ROUNDING = 1e-12  # as a share of all prizes

# Every combination at three cards.
THREE = [
    f"3{win}{carry}{order}{rest}"
    for win, carry in product(("", " win"), ("", " carry"))
    for orders, rest in (
        (("ascending", "descending", "2,3,1"), ""),
        (("ascending", "descending", "2,3,1"), " rounds=2"),
        (("ascending", "descending", "1,5,1"), " prizes=1,1,5"),
        (("ascending", "descending", "2,20,1,2"), " prizes=1,2,2,20 rounds=2"),
    )
    for order in ("", *(f" order={known}" for known in orders))
]
FOUR = """
4 carry; 4 win carry; 4 order=descending; 4 win order=3,1,4,2; 4 carry order=3,1,4,2; 4 win carry order=ascending
4 prizes=1,1,2,5; 4 win prizes=2,2,7,7; 4 carry prizes=3,3,3,3; 4 win carry prizes=1,1,2,5
4 rounds=3; 4 win rounds=2; 4 carry rounds=3; 4 win carry rounds=3; 4 prizes=1,2,2,5,9,20 rounds=3
4 win carry prizes=1,2,2,5,9 rounds=3; 4 carry prizes=1,1,1,1 order=ascending rounds=3
4 win prizes=1,2,2,5,9 order=9,2,1,2,5 rounds=2
"""
FIVE = """
5 order=4,2,5,1,3; 5 win order=descending; 5 carry order=descending; 5 win carry order=3,1,5,2,4; 5 carry rounds=2
5 win carry prizes=1,1,2,3,3 rounds=2; 5 win rounds=2; 5 prizes=1,1,2,5,8,40 rounds=2
"""
SAMPLED = ["5 carry", "5 win carry", "5 prizes=1,1,2,5,8", "5 win prizes=1,1,1,2,2"]  # too slow to the end
SAMPLED += ["5 carry rounds=4", "5 win carry prizes=1,1,2,3,3,40 rounds=3"]
KINDS = ["6 carry", "6 win carry", "7 order=descending", "6 win carry order=3,1,6,5,2,4", "6 prizes=1,1,2,2,5,9"]
KINDS += ["6 win prizes=1,1,2,2,5,9 rounds=4", "6 carry prizes=1,2,3,4,5,6,7 rounds=3"]


def texts(lines: str) -> list[str]:
    return [text.strip() for line in lines.strip().splitlines() for text in line.split(";")]


@pytest.fixture(scope="module")
def exact() -> Exact:
    """A function: the exact tablebase of a game."""

    def opened(text: str) -> ExactTablebase:
        solve_exact(text, resume=True, wait=True)
        return open_tablebase(text, exact=True)

    return cache(opened)


def all_states(rules: Rules) -> list[house.State]:
    """All that a table holds; for points, too, with the leads that games come to."""
    return sorted({*house.states(rules), *house.reached(rules)})


def some_states(rules: Rules, count: int) -> list[house.State]:
    """Some of these in which a round is left, few of them near the beginning: they take long."""
    found = [state for state in house.states(rules) if not house.is_over(state, rules)]
    late = [state for state in found if len(state.mine) <= rules.last_level + 3]
    early = [state for state in found if len(state.mine) == rules.last_level + 4 and state.mine != state.theirs]
    chance = Random(str(rules))
    return chance.sample(late, min(count, len(late))) + chance.sample(early, min(4, len(early)))


def distinct_upcards(state: house.State, rules: Rules) -> list[int]:
    return sorted(set(house.upcards(state, rules)))


# --- the slow solver


@pytest.mark.parametrize("text", [*THREE, *texts(FOUR), *texts(FIVE)])
def test_every_position_of_a_table(tablebase: Tablebases, text: str) -> None:
    rules = Rules.parse(text)
    base, asked = tablebase(rules), all_states(rules)
    allowed = base.bound.value + ROUNDING * rules.total
    expected = np.array([float(house.value(state, rules)) for state in asked])
    found = base.values([house.position_of(state, rules) for state in asked])
    assert np.abs(found - expected).max() <= allowed
    shown = [(state, upcard) for state in asked for upcard in distinct_upcards(state, rules)]
    expected = np.array([float(house.value_of_upcard(*case, rules)) for case in shown])
    found = base.values([house.position_of(state, rules, upcard) for state, upcard in shown])
    assert np.abs(found - expected).max() <= allowed


@pytest.mark.parametrize("text", SAMPLED)
def test_positions_of_a_larger_table(tablebase: Tablebases, text: str) -> None:
    rules = Rules.parse(text)
    base, asked = tablebase(rules), some_states(rules, 400)
    expected = np.array([float(house.value(state, rules)) for state in asked])
    found = base.values([house.position_of(state, rules) for state in asked])
    assert np.abs(found - expected).max() <= base.bound.value + ROUNDING * rules.total


@pytest.mark.parametrize("text", [*THREE, *texts(FOUR), *texts(FIVE)[:4]])
def test_every_position_in_fractions(exact: Exact, text: str) -> None:
    rules = Rules.parse(text)
    for number, state in enumerate(house.states(rules)):
        position = house.position_of(state, rules)
        assert to_fraction(exact(text).stored(position)) == house.value(state, rules), position
        if number % 7 or house.is_over(state, rules):
            continue
        answer = exact(text).probe(position)
        assert isinstance(answer, ChanceAnswer)
        assert answer.value == house.value(state, rules), answer
        expected = {upcard: house.value_of_upcard(state, upcard, rules) for upcard in distinct_upcards(state, rules)}
        assert dict(answer.upcards) == expected, answer


@pytest.mark.parametrize("text", [*THREE, *texts(FOUR), *texts(FIVE), *SAMPLED])
def test_without_a_table(text: str) -> None:
    """In fractions and in doubles, before and after an upcard."""
    rules = Rules.parse(text)
    for state in some_states(rules, 12):
        position, value = house.position_of(state, rules), house.value(state, rules)
        upcards = {upcard: house.value_of_upcard(state, upcard, rules) for upcard in distinct_upcards(state, rules)}
        exactly, nearly = probe_alone(position, rules), probe_alone(position, rules, exact=False)
        assert isinstance(exactly, ChanceAnswer)
        assert isinstance(nearly, ChanceAnswer)
        assert (exactly.value, dict(exactly.upcards)) == (value, upcards), position
        assert nearly.upcards.keys() == upcards.keys()
        assert abs(Fraction(nearly.value) - value) <= nearly.bound, position
        assert all(abs(Fraction(nearly.upcards[card]) - upcards[card]) <= nearly.bound for card in upcards), position
        upcard = min(upcards)
        shown, payoff = position.turn_up(upcard), house.payoff(state, upcard, rules)
        whole, doubles = probe_alone(shown, rules), probe_alone(shown, rules, exact=False)
        assert isinstance(whole, Answer)
        assert isinstance(doubles, Answer)
        assert (whole.value, [list(row) for row in whole.matrix]) == (upcards[upcard], payoff), shown
        assert abs(Fraction(doubles.value) - whole.value) <= doubles.bound + doubles.gap, shown
        least = min(
            sum(p * row[c] for p, row in zip(doubles.mine.values(), payoff, strict=True)) for c in range(len(payoff))
        )
        assert float(whole.value) - least <= doubles.bound + doubles.gap, shown


@pytest.mark.parametrize("text", [*THREE[:32], *texts(FOUR), "5 carry order=descending", "5 prizes=1,1,2,5,8 rounds=2"])
def test_what_occurs_is_what_all_games_come_to(tablebase: Tablebases, text: str) -> None:
    rules = Rules.parse(text)
    reached = house.reached(rules)
    assert all(occurs(house.position_of(state, rules), rules) for state in reached)
    never = 0
    for state in house.states(Rules.of(rules, objective="win")):
        for lead, pot in ((0, 0), (1, 0), (0, 1)):
            near = state._replace(lead=state.lead + lead, pot=state.pot + pot * rules.has_pots)
            position = house.position_of(near, rules)
            assert occurs(position, rules) == (near in reached), position
            for upcard in distinct_upcards(near, rules)[:1]:
                assert occurs(position.turn_up(upcard), rules) == (near in reached), position
            never += near not in reached
    assert never
    answer = tablebase(rules).probe(house.position_of(max(reached), rules))
    assert answer.occurs


# --- others


@pytest.mark.parametrize(("text", "notation", "value", "source"), corpus("house_values.txt"))
def test_numbers_of_others(
    tablebase: Tablebases, exact: Exact, text: str, notation: str, value: str, source: str
) -> None:
    rules = Rules.parse(text)
    assert exact(text).probe(notation).value == Fraction(value), source
    assert probe_alone(notation, rules).value == Fraction(value), source
    assert tablebase(rules).probe(notation).value == pytest.approx(float(Fraction(value)), abs=1e-6), source


@pytest.mark.parametrize(
    "text",
    [
        *("8 carry", "7 win carry", "10 order=descending", "9 win order=2,9,4,7,5,3,6,1,8"),
        *("8 prizes=1,1,2,2,3,5,8,13", "7 win carry prizes=1,1,1,2,2,3,3", "9 carry rounds=4", "8 win rounds=3"),
        *("9 win carry order=ascending", "7 win carry prizes=1,2,3,4,5,6,7,8,9 rounds=4"),
    ],
)  # fmt: skip
def test_random_positions_by_another_solver(tablebase: Tablebases, text: str) -> None:
    found = verify(tablebase(text)._table, positions=100)
    assert found.positions == found.swapped == 100
    assert found.passed, found


@pytest.mark.parametrize(
    ("text", "games"),
    [
        *(("13 order=descending", 163_092), ("16 order=ascending", 3_963_321)),
        ("13 order=A,K,2,Q,3,J,4,T,5,9,6,8,7", 163_092),
        *(("11 carry", 1.8e8), ("13 carry", 7.2e9), ("8 win carry", 1.5e7), ("10 win carry", 9.9e8)),
    ],
)  # fmt: skip
def test_the_layout_counts_what_the_design_counts(text: str, games: float) -> None:
    assert make_layout(Rules.parse(text)).games == pytest.approx(games, rel=0 if isinstance(games, int) else 0.03)


# --- what must be alike


def random_positions(rules: Rules, count: int) -> list[Position]:
    """Positions of games that are played at random, ties sought: some before their upcard, some with it."""
    chance = Random(str(rules))
    found: list[Position] = []
    while len(found) < count:
        state = house.start(rules)
        for _ in range(chance.randrange(rules.rounds)):
            upcard = chance.choice(house.upcards(state, rules))
            both = [card for card in state.mine if card in state.theirs]
            tied = both and chance.random() < 0.4
            bids = (chance.choice(both),) * 2 if tied else (chance.choice(state.mine), chance.choice(state.theirs))
            state = house.play(state, upcard, (bids[0], bids[1]), rules)
        shown = chance.choice(house.upcards(state, rules)) if chance.random() < 0.5 else None
        found.append(house.position_of(state, rules, shown))
    return found


@pytest.mark.parametrize("text", KINDS)
def test_the_other_side_sees_the_opposite(tablebase: Tablebases, text: str) -> None:
    rules, base = Rules.parse(text), tablebase(text)
    asked = random_positions(rules, 300)
    assert len({position.pot for position in asked}) > 3 or not rules.has_pots
    assert np.abs(base.values(asked) + base.values([p.swap() for p in asked])).max() <= 2 * base.bound.value
    for position in asked[:10]:
        answer, swapped = base.probe(position), base.probe(position.swap())
        assert answer.value == pytest.approx(-swapped.value, abs=2 * base.bound.value)


@pytest.mark.parametrize(
    "text", ["5", "5 win", "5 carry", "5 win carry", "6 carry order=2,6,1,5,3,4", "6 rounds=3", "6 win rounds=3"]
)
def test_twice_the_prizes_are_worth_twice_the_points_and_the_same_wins(tablebase: Tablebases, text: str) -> None:
    rules = Rules.parse(text)
    order = None if rules.order is None else [2 * prize for prize in rules.order]
    double = Rules(
        rules.cards, prizes=[2 * prize for prize in rules.prizes], order=order, ties=rules.ties, rounds=rules.rounds,
        objective=rules.objective,
    )  # fmt: skip
    asked = random_positions(rules, 200)
    doubled = [
        Position.of(
            p.my_cards,
            p.their_cards,
            [2 * prize for prize in p.deck],
            2 * p.upcard,
            lead=2 * p.lead,
            pot=2 * p.pot,
            rules=double,
        )
        for p in asked
    ]
    single, twice = tablebase(rules), tablebase(double)
    factor = 1 if rules.has_leads else 2
    allowed = factor * single.bound.value + twice.bound.value
    assert np.abs(twice.values(doubled) - factor * single.values(asked)).max() <= allowed


@pytest.mark.parametrize("text", ["5", "5 win", "5 order=descending", "4 win prizes=1,1,2,5"])
def test_ties_may_be_carried_where_there_are_none(tablebase: Tablebases, text: str) -> None:
    rules = Rules.parse(text)
    carry = Rules.of(rules, ties="carry")
    asked = [s for s in house.states(rules) if not {*s.mine} & {*s.theirs} and abs(s.lead) <= rules.total - sum(s.deck)]
    assert len(asked) > 50
    ours, theirs = (tablebase(game).values([house.position_of(s, game) for s in asked]) for game in (rules, carry))
    assert np.abs(ours - theirs).max() <= tablebase(rules).bound.value + tablebase(carry).bound.value
    unlike = [s for s in house.states(rules) if s.mine != s.theirs and {*s.mine} & {*s.theirs}]
    ours, theirs = (tablebase(game).values([house.position_of(s, game) for s in unlike]) for game in (rules, carry))
    assert np.abs(ours - theirs).max() > 0.01  # elsewhere it makes a difference


@pytest.mark.parametrize(
    "text", ["5 prizes=3,3,3,3,3", "5 win carry prizes=2,2,2,2,2", "5 carry prizes=2,2,2,2,2 rounds=3"]
)
def test_the_order_of_equal_prizes_makes_no_difference(tablebase: Tablebases, text: str) -> None:
    rules = Rules.parse(text)
    known = Rules.of(rules, order="ascending")
    assert known != rules
    ours, theirs = (
        tablebase(game).values([house.position_of(s, game) for s in house.states(rules)]) for game in (rules, known)
    )
    assert np.abs(ours - theirs).max() <= 2 * tablebase(rules).bound.value


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_table_with_pots_holds_the_smaller_games(tablebase: Tablebases, objective: str) -> None:
    small, large = (Rules(cards, ties="carry", objective=objective) for cards in (4, 5))
    asked = [house.position_of(state, small) for state in all_states(small)]
    assert all(map(tablebase(large).holds, asked))
    difference = np.abs(tablebase(large).values(asked) - tablebase(small).values(asked)).max()
    assert difference <= tablebase(large).bound.value + tablebase(small).bound.value


def test_rules_that_say_the_same_are_the_same() -> None:
    assert Rules(5, rounds=5) == Rules(5) == Rules.parse("5 points discard rounds=5")
    assert Rules(5, order=(5, 4, 3, 2, 1)) == Rules(5, order="descending") == Rules.parse("5 order=5,4,3,2,A")
    assert Rules(3, prizes=(1, 2, 3), order=(1, 2, 3)) == Rules(3, order="ascending") != Rules(3)
    for text in [*THREE, *texts(FOUR), *texts(FIVE)]:
        rules = Rules.parse(text)
        assert Rules.parse(str(rules)) == eval(repr(rules)) == Rules.from_slug(rules.slug) == rules
    assert len({Rules.parse(text).slug for text in THREE}) == len(THREE) == 64
