"""Matches and sessions under all kinds of rules: what is dealt, what is won, and what luck explains."""

from collections import Counter
from collections.abc import Iterator
from math import sqrt

import numpy as np
import pytest
from command import one_line
from plain_games import KINDS, as_player, matching, odd, played, seen, start, upcards

from goofspiel.batch import PositionBatch
from goofspiel.best_response.expectation import play_exactly
from goofspiel.errors import RulesError
from goofspiel.matches.playing import MatchStoppedError, play_match
from goofspiel.matches.session import Session
from goofspiel.players.players import BidUpcardPlayer, TablePlayer, UniformPlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase import Tablebase, open_tablebase

ALL = pytest.mark.parametrize("text", KINDS)
GAMES = 600
DEVIATIONS = 4.0  # of an estimate from the truth, at most, with this seed


@pytest.fixture
def tables(text: str) -> Iterator[list[Tablebase]]:
    """Tables of a game for both objectives, where there can be one."""
    rules = Rules.parse(text)
    wanted = [objective for objective in Objective if objective is Objective.POINTS or rules.total <= 1000]
    found = [open_tablebase(rules, objective=objective) for objective in wanted]
    yield found
    for tablebase in found:
        tablebase.close()


@ALL
def test_the_mean_of_a_match_is_what_is_expected(text: str, tables: list[Tablebase]) -> None:
    rules = Rules.parse(text)
    players = as_player(odd, "odd"), UniformPlayer()
    exact = play_exactly(*players, rules)
    found = play_match(*players, rules, games=GAMES, seed=16, control=tables)
    estimates = [(found.points, exact.points), (found.score, exact.score)]
    for tablebase in tables:
        by_points = tablebase.objective is Objective.POINTS
        controlled = found.controlled[tablebase.objective]
        estimates.append((controlled, exact.points if by_points else exact.score))
        assert controlled.variance <= found.plain(tablebase.objective).variance * (1 + 1e-9)
    for estimate, expected in estimates:
        assert abs(estimate.mean - expected) <= DEVIATIONS * sqrt(estimate.variance / GAMES) + 1e-9


# Both play what is worth 0: all that they gain is luck, game by game.
@ALL
def test_between_optimal_players_everything_is_luck(text: str, tables: list[Tablebase]) -> None:
    rules = Rules.parse(text)
    for tablebase in tables:
        player = TablePlayer(tablebase)
        found = play_match(player, player, rules, games=64, control=[tablebase]).controlled[tablebase.objective]
        assert found.mean == pytest.approx(0, abs=1e-6)
        assert found.variance == pytest.approx(0, abs=1e-5)


@ALL
def test_every_game_is_one_of_the_rules(text: str) -> None:
    rules = Rules.parse(text)
    records: list[GameRecord] = []
    found = play_match(UniformPlayer(), BidUpcardPlayer(), rules, games=100, duplicate=True, on_record=records.append)
    assert len(records) == found.games == 100
    match = matching(rules)
    total = 0
    for number, record in enumerate(records):
        assert record.rules == rules
        assert record.is_over
        assert len(record.rounds) == rules.rounds
        table = start(rules)
        for upcard, mine, theirs in record.rounds:
            table = next(after for after in upcards(rules, table) if after.upcard == upcard)
            side = number % 2  # who bids the upcard
            assert ((mine, theirs)[1 - side],) == tuple(match(table if side else table.swap()))
            table = played(rules, table, mine, theirs)
        assert seen(record.position) == table
        total += -table.lead if number % 2 else table.lead
    assert found.points.mean == pytest.approx(total / 100)


def test_equal_prizes_come_as_often_as_they_are_there() -> None:
    rules = Rules.parse("3 prizes=1,1,1,1,7 rounds=1")
    records: list[GameRecord] = []
    play_match(UniformPlayer(), UniformPlayer(), rules, games=2000, on_record=records.append)
    count = Counter(record.rounds[0].upcard for record in records)
    assert count[1] + count[7] == 2000
    assert abs(count[7] - 400) <= DEVIATIONS * sqrt(2000 * 0.2 * 0.8)


def test_chance_is_the_same_whatever_is_done_with_ties() -> None:
    records: dict[str, list[GameRecord]] = {"5": [], "5 carry": [], "5 order=ascending": []}
    for text, found in records.items():
        play_match(UniformPlayer(), UniformPlayer(), text, games=20, on_record=found.append)
    assert [r.rounds for r in records["5"]] == [r.rounds for r in records["5 carry"]]
    assert {tuple(r.upcard for r in record.rounds) for record in records["5 order=ascending"]} == {(1, 2, 3, 4, 5)}


@pytest.mark.parametrize(("table", "game"), [("4", "4 carry"), ("4 carry", "4"), ("4 rounds=2", "4")])
def test_luck_is_not_taken_out_by_the_table_of_another_game(table: str, game: str) -> None:
    with open_tablebase(table) as tablebase, pytest.raises(RulesError) as caught:
        play_match(UniformPlayer(), UniformPlayer(), game, games=1, control=[tablebase])
    assert one_line(caught) == f"the table {tablebase.path.name} takes no luck out of the game {game!r}"


def test_hidden_bids_are_not_played() -> None:
    for refused in (
        lambda: play_match(UniformPlayer(), UniformPlayer(), "4 hidden", games=1),
        lambda: Session.begin("4 hidden", UniformPlayer(), seed=1),
    ):
        with pytest.raises(RulesError, match=r"^only games with open bids .*: '4 hidden'$"):
            refused()


# Each prize has its card: who bids the prize never lacks it.
@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("4", {1: [1], 2: [2], 3: [3], 4: [4]}),
        ("4 prizes=10,20,30,999", {10: [1], 20: [2], 30: [3], 999: [4]}),
        ("5 prizes=1,1,2,8,8", {1: [2, 1], 2: [3], 8: [5, 4]}),
        ("3 prizes=1,2,3,4,5,6 rounds=1", {1: [1], 2: [1], 3: [2], 4: [2], 5: [3], 6: [3]}),
        ("4 order=3,1,4,2", {3: [3], 1: [1], 4: [4], 2: [2]}),
    ],
)
def test_the_card_of_a_prize_is_that_of_its_rank(text: str, cards: dict[int, list[int]]) -> None:
    rules = Rules.parse(text)
    records: list[GameRecord] = []
    play_match(BidUpcardPlayer(), UniformPlayer(), rules, games=64, on_record=records.append)
    bids: dict[int, list[int]] = {}
    for record in records:
        for prize in rules.prizes:
            found = [mine for upcard, mine, _ in record.rounds if upcard == prize]
            bids[prize] = max(bids.get(prize, []), found, key=len)
    assert bids == cards


@ALL
def test_a_session_follows_the_rules(text: str) -> None:
    rules = Rules.parse(text)
    with open_tablebase(rules) as tablebase:
        session = Session.begin(rules, TablePlayer(tablebase), seed=7)
        shown: list[Position] = []
        while not session.is_over:
            shown.append(session.position)
            assert session.hint(tablebase)[0].position == session.position
            session = session.bid(session.position.my_cards[-1])
            assert session.is_over or Session.resume(session.record, session.opponent).rounds == session.rounds
    assert len(session.rounds) == rules.rounds
    table, won = start(rules), [0, 0]
    for position, (upcard, mine, theirs) in zip(shown, session.rounds, strict=True):
        table = next(after for after in upcards(rules, table) if after.upcard == upcard)
        assert seen(position) == table
        after = played(rules, table, mine, theirs)
        won[after.lead < table.lead] += abs(after.lead - table.lead)
        table = after
    assert session.points == tuple(won)
    assert session.position.pot == table.pot


def test_a_player_that_takes_many_positions_knows_the_game() -> None:
    seen_rules = set()

    class Many:
        name, uses_lead = "many", False

        def mixes(self, batch: PositionBatch) -> np.ndarray:
            seen_rules.add(batch.rules)
            return np.eye(int(batch.level[0]))[np.zeros(len(batch), dtype=int)]

    rules = Rules.parse("3 carry prizes=5,5,900")
    play_match(Many(), UniformPlayer(), rules, games=10)
    assert seen_rules == {rules}


def test_what_a_function_is_asked_is_quoted_as_it_saw_it() -> None:
    rules = Rules.parse("3 order=2,900,1 prizes=1,2,900 carry")
    with pytest.raises(MatchStoppedError) as caught:
        play_match(as_player(lambda _: {}, "none"), UniformPlayer(), rules, games=1)
    assert "'A23/A23/[900]A 2'" in one_line(caught)
