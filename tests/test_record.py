"""Records of games: notation, files of several games, and what is said about wrong ones."""

import dataclasses
import pickle

import pytest
from command import one_line
from hypothesis import example, given
from hypothesis import strategies as st

from goofspiel.cards import MAX_CARDS
from goofspiel.errors import GoofspielError, RecordError, RulesError
from goofspiel.matches.session import Session
from goofspiel.players.players import UniformPlayer
from goofspiel.position import Position
from goofspiel.records.logs import logged
from goofspiel.records.record import GameRecord, Round, read_records
from goofspiel.rules import Objective, Rules

NAMES = st.from_regex(r"[a-z]{1,9}", fullmatch=True).filter(lambda name: name not in ("cards", "rules", "from"))
VALUES = st.text(min_size=0, max_size=20).map(lambda text: " ".join(text.split()))


@st.composite
def records(draw: st.DrawFn, *, tagged: bool = True) -> GameRecord:
    """Any game, perhaps cut short, its last round perhaps open."""
    cards = draw(st.integers(1, MAX_CARDS))
    upcards, mine, theirs = (draw(st.permutations(range(1, cards + 1))) for _ in range(3))
    rounds = [Round(*played) for played in zip(upcards, mine, theirs, strict=True)][: draw(st.integers(0, cards))]
    if bool(rounds) and draw(st.booleans()):
        rounds[-1] = Round(rounds[-1].upcard)
    return GameRecord(Rules(cards), tuple(rounds), draw(st.dictionaries(NAMES, VALUES, max_size=3)) if tagged else {})


# --- reading and writing


def test_the_papers_notation() -> None:
    record = GameRecord.read("K53 2AJ 7", cards=13)
    assert record.rounds == (Round(13, 5, 3), Round(2, 1, 11), Round(7))
    assert [played.is_open for played in record.rounds] == [False, False, True]
    assert str(record) == "K53 2AJ 7"
    assert record.position == Position("2346789TJQK/A2456789TQK/A345689TJQ 7 11")
    assert not record.is_over


def test_steps_are_the_positions_between_rounds() -> None:
    steps = list(GameRecord.read("2A3 33A A22").steps())
    assert [str(before) for before, _, _ in steps] == ["A23/A23/A23 -", "23/A2/A3 - -2", "2/2/A - 1"]
    assert [str(after) for _, _, after in steps] == ["23/A2/A3 - -2", "2/2/A - 1", "-/-/- - 1"]
    *_, (before, _, after) = GameRecord.read("2A3 3", cards=3).steps()
    assert after == before.turn_up(3)


def test_a_game_without_rounds_stands_at_the_start() -> None:
    record = GameRecord(Rules(5))
    assert (record.position, record.is_over, str(record)) == (Position.start(5), False, "")
    assert read_records(record.to_file()) == [record]


@pytest.mark.parametrize("text", ["2a3 33a a22", "213 331 122", "[2][1][3] 33A A22", " 2A3\n33A # remark\n\tA22\n"])
def test_cards_are_read_as_in_positions(text: str) -> None:
    assert str(GameRecord.read(text)) == "2A3 33A A22"


def test_cards_without_a_letter_are_in_brackets() -> None:
    record = GameRecord.read("[14]K[16] [15][14]A [16]", cards=16)
    assert record.rounds == (Round(14, 13, 16), Round(15, 14, 1), Round(16))
    assert str(record) == "[14]K[16] [15][14]A [16]"


def test_a_complete_game_says_how_many_cards_it_has() -> None:
    assert GameRecord.read("AAA").cards == 1
    assert GameRecord.read("2A3 33A A22").cards == 3
    assert GameRecord.read("cards: 4\n2A3 33A A22").cards == 4  # complete it would be of three


@given(record=records(tagged=False))
def test_notation_round_trip(record: GameRecord) -> None:
    if record.rounds:
        assert GameRecord.read(str(record), cards=record.cards) == record


@given(games=st.lists(records(), max_size=4))
@example([GameRecord(Rules(3)), GameRecord(Rules(3), tags={"mine": "a # b: c"}), GameRecord(Rules(2), (Round(1),))])
def test_file_round_trip(games: list[GameRecord]) -> None:
    assert read_records("\n".join(game.to_file() for game in games)) == games


@given(record=records())
def test_swapped_twice_is_the_same_and_once_is_the_mirror(record: GameRecord) -> None:
    swapped = record.swap()
    assert swapped.swap() == record
    assert swapped.position == record.position.swap()
    assert (swapped.tags.get("mine"), swapped.tags.get("theirs")) == (
        record.tags.get("theirs"),
        record.tags.get("mine"),
    )


def test_a_record_is_a_frozen_hashable_value() -> None:
    record = GameRecord(Rules(3), (Round(2, 1, 3),), {"mine": "me"})
    assert hash(record) == hash(GameRecord(Rules(3), (Round(2, 1, 3),), {"mine": "me"}))
    assert record != GameRecord(Rules(3), (Round(2, 1, 3),), {"mine": "you"})
    assert pickle.loads(pickle.dumps(record)) == record
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.cards = 4  # type: ignore[misc]


# --- files


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2A3 33A A23", "round 3, 'A23': they bid the 3 before"),
        ("2A3 3A2", "round 2, '3A2': you bid the A before"),
        ("2A3 33A 2", "round 3, '2': the prize 2 came before"),
    ],
)
def test_a_card_twice_is_named_though_the_number_of_cards_is_not(text: str, why: str) -> None:
    with pytest.raises(RecordError) as caught:
        GameRecord.read(text)
    assert str(caught.value) == why
    with pytest.raises(RecordError, match="not of a complete game"):
        GameRecord.read("2A3 23A", prizes=(2, 2, 5))  # a prize may come as often as it is there


def test_several_games_of_a_file() -> None:
    text = """# two games with tags, one without
cards: 3
mine: me
theirs: bot # 1

2A3
33A   # the remark of a round
cards: 2

2AA A22

2AA

A"""
    with pytest.raises(RecordError, match="game 3: the record is not of a complete game") as caught:
        read_records(text)
    one_line(caught)
    with pytest.raises(RecordError, match="game 1: the record is of a game of 3 cards, not of 2"):
        read_records(text, cards=2)
    games = read_records(text.replace("2AA\n\nA", "A2A 2A2"))
    assert [(game.cards, str(game)) for game in games] == [(3, "2A3 33A"), (2, "2AA A22"), (2, "A2A 2A2")]
    assert games[0].tags == {"mine": "me", "theirs": "bot # 1"}


def test_a_tag_given_again_begins_a_game() -> None:
    games = read_records("cards: 3\ncards: 4\nmine: me\n\n2A3")
    assert [(game.cards, str(game)) for game in games] == [(3, ""), (4, "2A3")]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_text_without_games(text: str) -> None:
    assert read_records(text) == []
    with pytest.raises(RecordError, match="one game is expected, not 0"):
        GameRecord.read(text)


def test_what_a_tag_says_is_written_in_one_line() -> None:
    written = GameRecord(Rules(3), (), {"mine": " a\nb\u2028c "}).to_file()
    assert read_records(written) == [GameRecord(Rules(3), (), {"mine": "a b c"})]


@pytest.mark.parametrize(("said", "objective"), [("win", Objective.WIN), ("points", Objective.POINTS)])
def test_the_objective_of_a_record(said: str, objective: Objective) -> None:
    assert GameRecord.read(f"cards: 3\nobjective: {said}\n2").rules.objective is objective
    assert GameRecord.read("2", cards=3).rules.objective is Objective.POINTS


def test_an_unknown_objective() -> None:
    with pytest.raises(RecordError, match="the objective of a record is points or win, not 'glory'") as caught:
        GameRecord(Rules(3), (), {"objective": "glory"})
    one_line(caught)


# --- what is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2A3 X3A", "round 2: unknown card 'X' in 'X3A'"),
        ("2A3 3[17]A", "round 2: unknown card '[17]' in '3[17]A'"),
        ("2A3 3[1", "round 2: unknown card '[1' in '3[1'"),
        ("2A10", "round 1: unknown card '0' in '2A10'"),
        ("2A3 33", "round 2: a round is upcard, my bid, their bid, or an upcard alone, not '33'"),
        ("2A3 33A4", "round 2: a round is upcard, my bid, their bid, or an upcard alone, not '33A4'"),
        ("2A3 " + "3" * 1000, f"an upcard alone, not '{'3' * 40}'"),
        ("2A3 2", "round 2, '2': card 2 is not in the deck: '23/A2/A3 - -2'"),
        ("2A3 4", "round 2, '4': card 4 is not in the deck"),
        ("2A3 3A2", "round 2, '3A2': card A is not in my hand: '23/A2/A 3 -2'"),
        ("2A3 323", "round 2, '323': card 3 is not in their hand"),
        ("2A3 3 A", "round 2, '3': only the last round may be open"),
        ("2A3 33A A22 A", "round 4, 'A': the game is over after 3 rounds"),
        ("cards: 17\n2A3", "number of cards must be 1 to 16, not '17'"),
        ("cards: 0\n2A3", "number of cards must be 1 to 16, not '0'"),
        ("cards: three\n2A3", "number of cards must be 1 to 16, not 'three'"),
        ("cards:\n2A3", "number of cards must be 1 to 16, not ''"),
        ("cards: \u0663\n2A3", "number of cards must be 1 to 16, not '\u0663'"),
        (f"cards: 0001{'0' * 5000}\n2A3", "number of cards must be 1 to 16, not '0001000"),
        ("cards: 4\n2A3", "the record is of a game of 4 cards, not of 3"),
    ],
)
def test_a_wrong_record_names_the_round(text: str, message: str) -> None:
    with pytest.raises(RecordError) as caught:
        GameRecord.read(text, cards=3)
    assert message in one_line(caught)
    assert isinstance(caught.value, GoofspielError)
    assert isinstance(caught.value, ValueError)


def test_among_several_games_the_game_is_named_too() -> None:
    with pytest.raises(RecordError, match=r"^game 2: round 2, '3A2': card A is not in my hand") as caught:
        read_records("cards: 3\n\n2A3\n\ncards: 3\n\n2A3 3A2")
    one_line(caught)


@pytest.mark.parametrize("text", ["2A3", "2A3 33A", "7"])
def test_how_many_cards_must_be_known(text: str) -> None:
    with pytest.raises(RecordError, match="does not say how many cards there are") as caught:
        GameRecord.read(text)
    assert repr(text) in one_line(caught)


@pytest.mark.parametrize(
    ("rounds", "message"),
    [
        ([Round(2, 1, 0)], r"round 1, '2A': card 0 is not in their hand"),
        ([Round(2, 0, 1)], r"round 1, '2A': card 0 is not in my hand"),
        ([Round(2, 1, 3), Round(99)], r"round 2, '\[99\]': card \[99\] is not in the deck"),
        ([Round(2, -1, 3)], r"round 1, Round\(.*\): card -1 is not in my hand"),
    ],
)
def test_rounds_that_cannot_be_written(rounds: list[Round], message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        GameRecord(Rules(3), tuple(rounds))
    one_line(caught)


@pytest.mark.parametrize("name", ["cards", "", "Mine", "my name", "mine:", "a\nb"])
def test_tags_that_a_file_could_not_hold(name: str) -> None:
    with pytest.raises(RecordError, match="a tag is a word of lower-case letters") as caught:
        GameRecord(Rules(3), (), {name: "x"})
    one_line(caught)


def test_a_game_that_there_is_not() -> None:
    with pytest.raises(RulesError, match="number of cards must be 1 to 16, not 17"):
        GameRecord(17)  # type: ignore[arg-type]


@given(text=st.text(alphabet="A23456789TJQK[]1 0:#\nca-/x", max_size=60), cards=st.none() | st.integers(1, 16))
def test_any_text_is_read_or_refused(text: str, cards: int | None) -> None:
    try:
        games = read_records(text, cards=cards)
    except RecordError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert read_records("\n".join(game.to_file() for game in games)) == games


# --- games that begin at a position

BEGAN = "from: 245/A35/A3 4 2\ntheirs: match\n\n425 343 A5A"


def test_a_game_may_begin_at_a_position() -> None:
    record = GameRecord.read(BEGAN)
    assert (record.began, record.rules, record.is_over) == (Position("245/A35/A3 4 2"), Rules(5), True)
    assert [str(after) for _, _, after in record.steps()] == ["45/A3/A3 - -2", "5/A/A - 1", "-/-/- - 2"]
    assert GameRecord.read(record.to_file()) == record
    assert record.swap().swap() == record
    assert record.swap().began == Position("A35/245/A3 4 -2")
    assert GameRecord.read("from: 245/A35/A3 4").position == Position("245/A35/A3 4")
    assert GameRecord.read("rules: 13 carry\nfrom: 245/A35/A3 4 0 7\n455").position.pot == 11
    assert GameRecord.read("rules: 13 carry\nfrom: 245/A35/A34 - 0 7\n355").position.pot == 10


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from: 245/A3/A3 4\n425", "hands of different sizes (3 and 2): '245/A3/A3 4'"),
        ("from: 245/A35/A3 4\n325", "round 1, '325': the next prize is 4: '245/A35/A34 -'"),
        ("from: 245/A35/A34 -\n525", "round 1, '525': card 5 is not in the deck: '245/A35/A34 -'"),
        ("cards: 4\nfrom: 245/A35/A3 4\n425", "no game begins at '245/A35/A3 4': a game of 4 cards has no 5"),
        ("cards: 4\nfrom: -/-/- -", "no game begins at '-/-/- -': nothing is left to bid for"),
        ("from: somewhere\n425", "a position starts with mine/theirs/deck: 'somewhere'"),
    ],
)
def test_what_is_wrong_with_a_beginning(text: str, said: str) -> None:
    with pytest.raises(RecordError) as error:
        GameRecord.read(text)
    assert said in one_line(error)


def test_where_only_games_from_the_opening_are_of_use_others_are_refused() -> None:
    record = GameRecord.read(BEGAN)
    with pytest.raises(RecordError, match="began at '245/A35/A3 4 2': only games from the opening are judged"):
        logged(record)
    with pytest.raises(RecordError, match="only games from the opening are played on here"):
        Session.resume(GameRecord.read("from: 245/A35/A3 4\nseed: 1\n4"), UniformPlayer())
