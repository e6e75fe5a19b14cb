"""Numbers that others have printed: the paper's tables, a public solver's tests, what is easily done by hand."""

from fractions import Fraction

import pytest
import reference
from answers import with_upcard
from corpora import corpus
from fixtures import Tablebases

from goofspiel.games import solve
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.store import make_layout
from goofspiel.tablebase import Tablebase
from goofspiel.tablebase.answer import Answer

# A printed number may be off by half a unit of its last digit, and the paper's by a hair more: it has .014 for .014503
# (13 cards, bid 1 on upcard 11) and .063 for .063508 (bid 11 on upcard 10).
UNITS = 0.51
ZERO = 1e-9

FIRST_MOVES = [(int(n), int(up), int(bid), p, source) for n, up, bid, p, source in corpus("first_moves.txt")]


@pytest.mark.parametrize("case", [case for case in FIRST_MOVES if case[0] != 13])
def test_first_moves(tablebase: Tablebases, case: tuple[int, int, int, str, str]) -> None:
    cards, upcard, bid, printed, source = case
    _check_first_move(with_upcard(tablebase(cards).probe(Position.start(cards, upcard))), bid, printed, source)


@pytest.mark.parametrize("case", [case for case in FIRST_MOVES if case[0] == 13])
def test_first_moves_of_13_cards(table13: Tablebase, case: tuple[int, int, int, str, str]) -> None:
    _, upcard, bid, printed, source = case
    _check_first_move(with_upcard(table13.probe(Position.start(13, upcard))), bid, printed, source)


def _check_first_move(answer: Answer[float], bid: int, printed: str, source: str) -> None:
    assert answer.unique, "a mix can be compared only where there is no other"
    digits = len(printed.partition(".")[2])
    assert abs(answer.mine[bid] - float(printed)) <= (UNITS * 10**-digits if digits else ZERO), source
    assert abs(answer.theirs[bid] - answer.mine[bid]) <= ZERO, "both sides are in the same situation"
    assert abs(answer.value) <= ZERO


def test_all_cells_of_the_papers_tables_are_there() -> None:
    for cards in (4, 5, 13):
        cells = [(upcard, bid) for n, upcard, bid, _, _ in FIRST_MOVES if n == cards]
        assert sorted(cells) == [(upcard, bid) for upcard in range(1, cards + 1) for bid in range(1, cards + 1)]


@pytest.mark.parametrize("case", corpus("exact_first_move.txt"))
def test_the_fraction_that_the_paper_prints_in_full(tablebase: Tablebases, case: list[str]) -> None:
    cards, upcard, bid, numerator, denominator = map(int, case[:-1])
    printed = Fraction(numerator, denominator)
    everything = tuple(range(1, cards + 1))
    _, mix, _ = reference.solve_game(reference.payoff(everything, everything, everything, upcard))
    assert mix[bid - 1] == printed
    found = with_upcard(tablebase(cards).probe(Position.start(cards, upcard))).mine[bid]
    assert found == pytest.approx(float(printed), abs=1e-13)


@pytest.mark.parametrize(("notation", "value", "mix", "source"), corpus("values.txt"))
def test_values(table13: Tablebase, notation: str, value: str, mix: str, source: str) -> None:
    answer = table13.probe(Position(notation))
    assert answer.value == pytest.approx(float(Fraction(value)), abs=1e-12), source
    if mix != "-":
        assert isinstance(answer, Answer)
        expected = [float(Fraction(p)) for p in mix.split()]
        assert list(answer.mine.values()) == pytest.approx(expected, abs=1e-12), source
        assert answer.unique


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_up_to_three_cards_bid_the_upcard(tablebase: Tablebases, cards: int) -> None:
    for upcard in range(1, cards + 1):
        answer = with_upcard(tablebase(cards).probe(Position.start(cards, upcard)))
        # optimal, though not always the only optimal bid: it earns the value against every reply
        assert min(answer.matrix[upcard - 1]) == pytest.approx(answer.value, abs=1e-12)
        assert answer.ranges[upcard][1] == pytest.approx(1, abs=1e-7)
        assert answer.regret[upcard] == 0


@pytest.mark.parametrize("cards", [5, 6, 7, 8, 9])
def test_the_two_bids_below_the_highest_upcard_are_never_played(tablebase: Tablebases, cards: int) -> None:
    _check_two_bids(with_upcard(tablebase(cards).probe(Position.start(cards, cards))), cards)


def test_the_two_bids_below_the_highest_upcard_are_never_played_with_13_cards(table13: Tablebase) -> None:
    _check_two_bids(with_upcard(table13.probe(Position.start(13, 13))), 13)


def _check_two_bids(answer: Answer[float], cards: int) -> None:
    for bid in (cards - 1, cards - 2):
        assert answer.ranges[bid] == (0, 0)
        assert answer.mine[bid] == 0
        assert answer.regret[bid] > 1e-3  # it costs something: not merely one of several optimal mixes
    assert answer.mine[cards] > 0.5


def test_the_papers_game_of_three_rows() -> None:
    solution = solve([[1, -2, 3], [-4, 5, -6], [7, -8, 9]])
    assert solution.value == pytest.approx(0, abs=1e-14)
    assert solution.row_mix == pytest.approx([1 / 4, 1 / 2, 1 / 4], abs=1e-14)
    assert solution.gap <= 1e-14


@pytest.mark.parametrize(
    ("cards", "games", "source"),
    [
        (13, 1_338_879_360, "facts.md, counted twice"),
        (9, 1.18e6, "design.md"),
        (14, 7.7e9, "design.md"),
        (15, 4.5e10, "design.md"),
        (16, 2.6e11, "design.md"),
    ],
)
def test_matrix_games_of_a_table(cards: int, games: float, source: str) -> None:
    exact = isinstance(games, int)
    assert make_layout(Rules(cards)).games == pytest.approx(games, rel=0 if exact else 0.02, abs=0), source


@pytest.mark.parametrize(("cards", "mib"), [(9, 2), (13, 1.25 * 1024), (14, 6.7 * 1024)])
def test_size_of_a_table(cards: int, mib: float) -> None:
    plan = make_layout(Rules(cards))  # design.md, in doubles
    assert plan.dtype == "float64"
    assert plan.disk_bytes() / 2**20 == pytest.approx(mib, rel=0.25 if cards == 9 else 0.01)
