"""Best responses and whole games under all kinds of rules, against plain recursions in fractions."""

from fractions import Fraction
from pathlib import Path

import pytest
from command import one_line
from plain_games import (
    KINDS,
    Choice,
    Table,
    against,
    as_player,
    matching,
    occurring,
    odd,
    odd_without_lead,
    seen,
    start,
    uniform,
)

from goofspiel.batch import PositionBatch
from goofspiel.best_response.expectation import expected_value, play_exactly
from goofspiel.best_response.response import respond
from goofspiel.errors import PlayerError
from goofspiel.players.players import BidUpcardPlayer, Player, TablePlayer, UniformPlayer
from goofspiel.position import Position
from goofspiel.roster import load_player
from goofspiel.rules import Rules
from goofspiel.tablebase import open_tablebase

SHARE = 1e-12  # of what is played for: sums in another order, in doubles
ALL = pytest.mark.parametrize("text", KINDS)
PLAYERS = pytest.mark.parametrize("name", ["uniform", "match", "match+1", "odd", "odd without lead"])


def player_of(name: str, rules: Rules) -> tuple[Player, Choice]:
    """A player, and the same from its definition."""
    found: dict[str, tuple[Player, Choice]] = {
        "uniform": (UniformPlayer(), uniform),
        "match": (BidUpcardPlayer(), matching(rules)),
        "match+1": (BidUpcardPlayer(1), matching(rules, 1)),
        "odd": (as_player(odd, "odd"), odd),
        "odd without lead": (as_player(odd_without_lead, "odd", uses_lead=False), odd_without_lead),
    }
    return found[name]


def close(rules: Rules, expected: Fraction | float) -> object:
    return pytest.approx(float(expected), abs=SHARE * max(rules.total, 1), rel=0)


@PLAYERS
@ALL
def test_every_position_is_worth_what_the_plain_recursion_says(text: str, name: str) -> None:
    rules = Rules.parse(text)
    player, choose = player_of(name, rules)
    found, value = respond(player, rules), against(choose, rules)
    assert found.value == found.exploitability == close(rules, value(start(rules)))
    tables = sorted(occurring(rules))
    values = found.values([table.position for table in tables]).tolist()
    assert values == [close(rules, value(table)) for table in tables]


@ALL
def test_first_moves_are_best_bids_for_every_first_prize(text: str) -> None:
    rules = Rules.parse(text)
    value = against(odd, rules)
    moves = respond(as_player(odd, "odd"), rules).first_moves()
    assert [move.upcard for move in moves] == ([rules.order[0]] if rules.order else sorted(set(rules.prizes)))
    for move in moves:
        position = Position.start(rules, move.upcard)
        assert move.value == close(rules, value(seen(position)))
        assert move.mix == {card: float(p) for card, p in odd(seen(position).swap()).items()}


@pytest.mark.parametrize("name", ["match", "odd"])
@ALL
def test_a_response_that_plays_earns_its_value(text: str, name: str) -> None:
    rules = Rules.parse(text)
    player, _ = player_of(name, rules)
    found = respond(player, rules)
    assert expected_value(found, player, rules) == close(rules, found.value)
    assert expected_value(player, found, rules) == close(rules, -found.value)


@pytest.mark.parametrize("other", ["uniform", "match"])
@ALL
def test_whole_games_end_as_the_plain_recursion_says(text: str, other: str) -> None:
    rules = Rules.parse(text)
    first, second = player_of("odd", rules), player_of(other, rules)
    found = play_exactly(first[0], second[0], rules)
    points, win = (Rules.of(rules, objective=objective) for objective in ("points", "win"))
    assert found.points == close(rules, against(second[1], points, first[1])(start(rules)))
    assert found.score == close(rules, against(second[1], win, first[1])(start(rules)))
    assert found.win + found.draw + found.loss == close(rules, 1)


@pytest.mark.parametrize("uses_lead", [True, False])
@ALL
def test_a_function_sees_the_positions_that_can_occur_and_no_others(text: str, uses_lead: bool) -> None:
    rules = Rules.parse(text)
    asked: set[Table] = set()

    def noting(table: Table) -> dict[int, Fraction]:
        asked.add(table if uses_lead else table._replace(lead=0))
        return odd_without_lead(table)

    respond(as_player(noting, "noting", uses_lead=uses_lead), rules)
    there = {table for table in occurring(rules) if table.upcard and len(table.mine) > 1}
    even = {table for table in there if table.lead == 0}
    there = there if uses_lead else {table._replace(lead=0) for table in there}
    if rules.has_leads:  # what is decided is not asked about
        assert even <= asked <= there
    else:
        assert asked == there


@ALL
def test_what_follows_a_table_is_exploited_by_no_more_than_its_bound(text: str) -> None:
    rules = Rules.parse(text)
    with open_tablebase(rules) as tablebase:
        found = respond(TablePlayer(tablebase), rules)
        assert -SHARE * rules.total <= found.value <= tablebase.bound.exploitability


@pytest.mark.parametrize(
    "text",
    [
        *("5 carry", "5 win carry", "5 order=descending", "5 win order=ascending", "5 prizes=1,1,2,5,8"),
        *("5 win prizes=1,1,2,5,8 carry", "5 rounds=3", "5 win carry rounds=3 prizes=1,2,3,4,5,6,7"),
        "5 win carry order=2,5,2,9,1 prizes=1,2,2,5,9",
    ],
)
def test_what_follows_a_larger_table_is_exploited_by_no_more_than_its_bound(text: str) -> None:
    rules = Rules.parse(text)
    with open_tablebase(rules) as tablebase:
        player = TablePlayer(tablebase)
        found = respond(player, rules)
        assert -SHARE * rules.total <= found.value <= tablebase.bound.exploitability
        assert expected_value(player, UniformPlayer(), rules) > 0


# A table of the other objective, or of a game that nests it, plays as well; that of another game is refused.
@pytest.mark.parametrize(
    ("table", "game", "plays"),
    [
        *(("4 win carry", "4 carry", True), ("5 carry", "4 carry", True), ("4", "4 carry", False)),
        *(("4 carry", "4", False), ("4", "4 order=descending", False), ("4 rounds=2", "4 rounds=3", False)),
        *(("4 prizes=1,1,2,5", "4", False), ("4 order=descending", "4 win order=descending", True)),
    ],
)
def test_a_table_plays_its_own_game(table: str, game: str, plays: bool) -> None:
    with open_tablebase(table) as tablebase:
        player = TablePlayer(tablebase)
        if plays:
            assert respond(player, game).value > -SHARE
            return
        with pytest.raises(PlayerError) as caught:
            respond(player, game)
        assert one_line(caught) == (
            f"player optimal:points knows the game {table!r}, and is asked in the game {game!r}"
        )


def test_a_response_knows_the_positions_of_its_own_game() -> None:
    found = respond(UniformPlayer(), "3 carry")
    pot = Position("A3/23/A2 - 0 3", Rules.parse("3 carry"))
    with pytest.raises(PlayerError) as caught:  # 3 is in the pot, and no card is gone from both
        found.values([pot])
    assert one_line(caught) == "respond:uniform knows the positions of the game '3 carry', not 'A3/23/A2 - 0 3'"
    with pytest.raises(PlayerError, match="knows the positions of the game '3 carry', not 'A/A/- 2'"):
        found.mixes(PositionBatch.of([Position("A/A/- 2")], (1, 2, 3)))


def test_an_upcard_of_a_rule_may_be_any_prize() -> None:
    rules = Rules.parse("3 prizes=1,20,300")
    player = load_player("uniform,[300]=A,[20]=2*0.5+3*0.5", rules)
    shown = [Position.start(rules, prize) for prize in rules.prizes]
    mixes = player.mixes(PositionBatch.of(shown, rules=rules)).tolist()
    assert mixes == [[1 / 3] * 3, [0, 0.5, 0.5], [1, 0, 0]]
    with pytest.raises(PlayerError, match=r"^a rule is UPCARD=BID"):
        load_player("uniform,300=A", rules)


def test_a_function_in_a_process_of_its_own_sees_the_same() -> None:
    rules = Rules.parse("3 carry prizes=1,2,2,50,700 order=2,700,1,2,50 rounds=2")
    name = f"{Path(__file__).with_name('bots.py')}:by_all_it_sees"
    direct, patient = (respond(load_player(name, rules, patience=patience), rules) for patience in (None, 60))
    assert direct.value == patient.value == close(rules, against(by_all_it_sees, rules)(start(rules)))


def by_all_it_sees(table: Table) -> dict[int, Fraction]:
    """The same as in bots.py."""
    return {table.mine[(table.deck[0] + table.pot + table.lead) % len(table.mine)]: Fraction(1)}


def test_a_response_to_a_response_of_a_game_with_pots() -> None:
    rules = Rules.parse("4 win carry prizes=1,2,2,5")
    once = respond(as_player(odd, "odd"), rules)
    twice = respond(once, rules)
    assert twice.value >= -once.value - SHARE
    assert expected_value(twice, once, rules) == close(rules, twice.value)


@pytest.mark.parametrize("text", ["4 carry", "5 win carry", "5 order=descending", "5 prizes=1,1,2,5,800", "5 rounds=3"])
@pytest.mark.parametrize(
    ("bot", "message"), [("drawn", "only matches can be played with it"), ("denies_the_lead", "say uses_lead = True")]
)
def test_who_answers_otherwise_when_asked_again_has_no_best_response(text: str, bot: str, message: str) -> None:
    player = load_player(f"{Path(__file__).with_name('bots.py')}:{bot}", text)
    with pytest.raises(PlayerError, match=message) as caught:
        respond(player, text)
    one_line(caught)


# With every tied prize in the pot, matching a player who matches leaves everything to nobody.
def test_facts_of_carried_ties() -> None:
    assert expected_value(BidUpcardPlayer(), BidUpcardPlayer(), "6 carry") == 0
    assert respond(BidUpcardPlayer(), "4 carry").value >= respond(BidUpcardPlayer(), "4").value
