"""A person's game against a player: what is drawn, recorded, resumed, taken back and hinted."""

from collections import Counter

import numpy as np
import pytest
from command import one_line
from fixtures import Tablebases
from sessions import UNIFORM, begin, lowest, reread, to_the_end

from goofspiel.arrays import Floats
from goofspiel.batch import PositionBatch
from goofspiel.errors import GoofspielError, PlayerError, PositionError, RecordError
from goofspiel.matches.session import Session
from goofspiel.players.players import UniformPlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.roster import load_player
from goofspiel.rules import Rules

# --- what is drawn


def test_the_same_seed_is_the_same_game() -> None:
    assert to_the_end(begin()).record == to_the_end(begin()).record
    assert len({str(to_the_end(begin(9, seed)).record) for seed in range(50)}) == 50


def test_a_game_is_never_drawn_otherwise() -> None:
    """Games that were saved long ago go on as they would have: what follows from a seed may not change."""
    assert str(to_the_end(begin(6, 1)).record) == "6A6 223 532 445 A5A 364"


def test_their_bid_does_not_depend_on_mine() -> None:
    for seed in range(20):
        start = begin(6, seed)
        after = [start.bid(card) for card in start.position.my_cards]
        assert len({session.rounds[0].theirs for session in after}) == 1
        assert len({session.rounds[1].upcard for session in after}) == 1


class Spy(UniformPlayer):
    """Notes what it is shown."""

    seen: list[Position]

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "seen", [])

    def mixes(self, asked: PositionBatch) -> Floats:
        self.seen.extend(asked.position(which) for which in range(len(asked)))
        return super().mixes(asked)


def test_they_choose_before_i_do_and_see_only_the_position() -> None:
    spy = Spy()
    session = begin(4, opponent=spy)
    expected = []
    while not session.is_over:
        expected.append(session.position.swap())
        assert spy.seen == expected  # asked once a round, before my bid
        session = session.bid(lowest(session))
    assert spy.seen == expected


def test_upcards_and_bids_are_drawn_with_the_right_probabilities() -> None:
    count = 4000
    player = load_player("uniform,1=1*0.3+2*0.7,2=3,3=1*0.5+3*0.5", 3)
    firsts = [begin(3, seed, player).bid(1).rounds[0] for seed in range(count)]
    upcards = Counter(played.upcard for played in firsts)
    bids = Counter((played.upcard, played.theirs) for played in firsts)
    expected = {(1, 1): 0.3, (1, 2): 0.7, (2, 3): 1.0, (3, 1): 0.5, (3, 3): 0.5}
    assert set(bids) == set(expected)
    for upcard in (1, 2, 3):
        assert abs(upcards[upcard] - count / 3) < 5 * np.sqrt(count * 2 / 9)
    for (upcard, bid), share in expected.items():
        assert abs(bids[upcard, bid] - share * upcards[upcard]) <= 5 * np.sqrt(upcards[upcard] * share * (1 - share))


def test_chance_in_one_round_says_nothing_about_another() -> None:
    games = [to_the_end(begin(3, seed)).rounds for seed in range(3000)]
    orders = Counter(tuple(played.upcard for played in rounds) for rounds in games)
    theirs = Counter(tuple(played.theirs for played in rounds) for rounds in games)
    for found in (orders, theirs):
        assert len(found) == 6
        assert max(abs(number - 500) for number in found.values()) < 5 * np.sqrt(3000 * 5 / 36)


# --- the course of a game


def test_a_game() -> None:
    session = begin(3, 1, opponent=load_player("match", 3), theirs="match", date="2026-07-01 20:15:00")
    assert session.position == Position.start(3, session.rounds[0].upcard)
    first = session.rounds[0].upcard
    session = session.bid(first)  # they match the upcard: a tie
    assert session.points == (0, 0)
    assert [played.is_open for played in session.rounds] == [False, True]
    while not session.is_over:
        session = session.bid(session.position.my_cards[-1])
    assert session.position.is_over
    assert session.points[0] - session.points[1] == session.position.lead
    assert session.record.tags == {
        "mine": "human",
        "theirs": "match",
        "objective": "points",
        "seed": "1",
        "date": "2026-07-01 20:15:00",
    }
    with pytest.raises(PositionError):
        session.bid(1)


@pytest.mark.parametrize("card", [0, 6, -1])
def test_a_card_that_is_not_held_cannot_be_bid(card: int) -> None:
    with pytest.raises(PositionError, match="is not in my hand"):
        begin().bid(card)
    with pytest.raises(PositionError, match="is not in my hand"):
        begin().bid(3).bid(3)


@pytest.mark.parametrize("name", ["two\nlines", "two  spaces", " before", "bell\a", "\udcff"])
def test_a_name_that_a_record_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(PlayerError) as caught:
        begin(theirs=name)
    assert repr(name) in one_line(caught)


@pytest.mark.parametrize("name", ["bot.py:best # 1", "uniform,K=A", "C:\\bots\\é.py:f"])
def test_a_name_comes_back_from_a_record(name: str) -> None:
    assert reread(begin(theirs=name)).theirs == name


def test_a_resumed_game_goes_on_as_it_would_have(tablebase: Tablebases) -> None:
    opponent = load_player("optimal", 6)
    session = begin(6, 3, opponent, objective="win")
    whole = to_the_end(session).record
    while not session.is_over:
        again = reread(session, opponent)
        assert again == session
        assert to_the_end(again).record == whole
        session = session.bid(lowest(session))


def test_a_record_that_was_cut_before_an_upcard_goes_on_too() -> None:
    session = begin(5).bid(1)
    cut = GameRecord(5, session.played, session.record.tags)  # type: ignore[arg-type]  # a number will do
    assert Session.resume(cut, UNIFORM) == session


def test_the_file_does_not_tell_their_bid() -> None:
    session = begin(5)
    assert session.record.to_file().splitlines()[-1] == str(session.rounds[0].upcard).replace("1", "A")


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ({"seed": None}, "'seed: …' with a whole number, not None"),
        ({"seed": "12a"}, "not '12a'"),
        ({"seed": "-3"}, "not '-3'"),
        ({"seed": "9" * 5000}, "'seed: …'"),
        ({"theirs": None}, "a line 'theirs: optimal'"),
        ({"objective": "fun"}, "not 'fun'"),
        ({"hints": "1 x"}, "'hints: …'"),
        ({"undone": ""}, "'undone: …'"),
    ],
)
def test_a_record_without_what_is_needed_is_not_resumed(tags: dict[str, str | None], said: str) -> None:
    kept = {name: value for name, value in {**begin().record.tags, **tags}.items() if value is not None}
    with pytest.raises(RecordError) as caught:
        Session.resume(GameRecord(Rules(5), (Round(2),), kept), UNIFORM)
    assert said in one_line(caught)


def test_a_game_that_is_over_is_not_resumed() -> None:
    with pytest.raises(RecordError, match="the game is over"):
        reread(to_the_end(begin()))


# --- taking back


def test_undo_goes_back_to_the_upcard_and_draws_the_rest_anew() -> None:
    changed: Counter[str] = Counter()
    for seed in range(200):
        before = begin(6, seed).bid(2)
        after = before.bid(3)
        back = after.undo()
        assert (back.position, back.rounds, back.undone) == (before.position, before.rounds, 1)
        again = back.bid(3)
        changed["bid"] += again.rounds[1].theirs != after.rounds[1].theirs
        changed["upcard"] += again.rounds[2].upcard != after.rounds[2].upcard
        assert back.record.tags["undone"] == "1"
        assert reread(back) == back
        assert to_the_end(reread(back)).record == to_the_end(back).record
    assert abs(changed["bid"] - 160) < 30  # 1 in 5 draws the same card again
    assert abs(changed["upcard"] - 150) < 30


def test_undo_again_and_again() -> None:
    session = begin(5).bid(1).bid(2).undo().undo()
    assert (session.rounds, session.undone) == (begin(5).rounds, 2)
    with pytest.raises(RecordError, match="no round to take back"):
        session.undo()


# --- hints


def test_a_hint_is_the_answer_of_the_table(tablebase: Tablebases) -> None:
    session = begin(5).bid(3)
    answer, asked = session.hint(tablebase(5))
    assert answer == tablebase(5).probe(session.position)
    assert asked.hints == (2,)
    assert asked.hint(tablebase(5))[1] is asked  # once a round
    later = reread(asked).bid(2).hint(tablebase(5))[1]
    assert later.hints == (2, 3)
    assert later.record.tags["hints"] == "2 3"
    with pytest.raises(GoofspielError):
        to_the_end(later).hint(tablebase(5))
