"""Records and reviews of games of every kind of rules."""

from fractions import Fraction
from pathlib import Path

import pytest
from command import one_line
from hypothesis import given
from hypothesis import strategies as st

from goofspiel.errors import RecordError
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round, read_records
from goofspiel.records.reviews import review
from goofspiel.render.review_figure import draw_review
from goofspiel.render.reviews import review_json, review_text
from goofspiel.rules import Rules
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.alone import probe_alone

GAMES = (
    "4 carry",
    "4 win carry",
    "4 order=descending",
    "4 win order=3,1,4,2",
    "4 prizes=1,1,2,5",
    "4 carry prizes=2,2,20,30",
    "5 rounds=3",
    "4 carry prizes=1,2,2,7,900 order=7,2,900,1,2 rounds=3",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rules")


@st.composite
def games(draw: st.DrawFn) -> GameRecord:
    """Any game of any of these rules, perhaps cut short, its last round perhaps open."""
    rules = Rules.parse(draw(st.sampled_from(GAMES)))
    upcards = rules.order or draw(st.permutations(rules.prizes))
    hand = range(1, rules.cards + 1)
    mine, theirs = draw(st.permutations(hand)), draw(st.permutations(hand))
    count = draw(st.integers(0, rules.rounds))
    rounds = [Round(*played) for played in zip(upcards[:count], mine[:count], theirs[:count], strict=True)]
    is_open = draw(st.booleans())
    if rounds and is_open:
        rounds[-1] = Round(rounds[-1].upcard)
    return GameRecord(rules, tuple(rounds))


@given(record=games())
def test_a_file_says_which_game_it_is(record: GameRecord) -> None:
    written = record.to_file()
    assert written.startswith(f"rules: {record.rules}\n")
    assert read_records(f"{written}\n{written}") == [record, record]
    assert record.swap().position == record.position.swap()
    closed = [played for played in record.rounds if not played.is_open]
    assert record.is_over == (len(closed) == record.rules.rounds)


@given(record=games())
def test_points_are_those_of_a_scorekeeper(record: GameRecord) -> None:
    """Who keeps the score by hand comes to the same lead and pot."""
    lead = pot = 0
    for upcard, mine, theirs in (played for played in record.rounds if not played.is_open):
        stake = upcard + pot
        pot = 0
        if mine == theirs:
            pot = stake if record.rules.ties == "carry" else 0
        else:
            lead += stake if mine > theirs else -stake
    assert (record.position.lead, record.position.pot) == (lead, pot)


def test_a_pot_goes_to_the_next_winner() -> None:
    carried, discarded = (GameRecord.read("244 3A2", cards=4, ties=ties) for ties in ("carry", "discard"))
    assert [str(after) for _, _, after in carried.steps()] == ["A23/A23/A34 - 0 2", "23/A3/A4 - -5"]
    assert [str(after) for _, _, after in discarded.steps()] == ["A23/A23/A34 -", "23/A3/A4 - -3"]


def test_records_of_before_are_of_the_usual_game() -> None:
    old = "cards: 3\nobjective: win\nmine: human\ntheirs: optimal\nseed: 7\n\n2A3 33A A22\n"
    record = GameRecord.read(old)
    assert (record.rules, record.to_file()) == (Rules(3, objective="win"), old)
    assert GameRecord.read("rules: 3 win\n\n2A3 33A A22").rules == record.rules
    assert GameRecord.read("cards: 3\nrules: 3 carry\n\n2A3").rules == Rules(3, ties="carry")


def test_a_prize_above_all_cards_is_in_brackets() -> None:
    record = GameRecord(Rules.parse("2 prizes=16,700"), (Round(700, 1, 2), Round(16)))
    assert str(record) == "[700]A2 [16]"
    assert GameRecord.read(record.to_file()) == record
    assert GameRecord.read("[700]A2 [16]", cards=2, prizes=(16, 700)) == record


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules: 3 order=3,1,2\n\n2A3", "round 1, '2A3': the next prize is 3: 'A23/A23/3A2 -'"),
        ("rules: 3 order=descending\n\n3A3 A", "round 2, 'A': the next prize is 2: '23/A2/2A - -3'"),
        ("rules: 3 rounds=1\n\n2A3 3", "round 2, '3': the game is over after 1 round"),
        ("rules: 3 prizes=1,1,5\n\n2A3", "round 1, '2A3': card 2 is not in the deck: 'A23/A23/AA5 -'"),
        ("rules: 3 prizes=1,1,5\n\nA12 A23 A", "round 3, 'A': card A is not in the deck: '3/A/5 - -2'"),
        ("rules: 3 prizes=1,1,5\n\n[1000]A2", "round 1: unknown card '[' in '[1000]A2'"),
        ("rules: 3 glory\n\n2A3", "rules know no 'glory': '3 glory'"),
        ("rules:\n\n2A3", "rules start with a number of cards, as in '13 win': ''"),
        ("rules: 3 carry\ncards: 4\n\n2A3", "the record is of the game '3 carry', not of 4 cards"),
        ("rules: 3 carry\nobjective: win\n\n2A3", "the record is of the game '3 carry', not of '3 win carry'"),
        ("rules: 3 carry\nobjective: glory\n\n2A3", "objective must be points or win, not 'glory'"),
    ],
)
def test_what_the_rules_do_not_allow(text: str, said: str) -> None:
    with pytest.raises(RecordError) as caught:
        GameRecord.read(text)
    assert said in one_line(caught)


def test_fields_that_a_record_contradicts() -> None:
    with pytest.raises(RecordError, match="the record is of the game '3 carry', not of '3'"):
        GameRecord.read("rules: 3 carry\n\n2A3", ties="discard")
    with pytest.raises(RecordError, match="does not say how many cards there are"):
        GameRecord.read("2A3 33A A22", rounds=2)
    with pytest.raises(RecordError, match="not cards, rules or from: 'rules'"):
        GameRecord(Rules(3), (), {"rules": "3 carry"})


# --- reviews


@given(record=games())
def test_skill_and_luck_add_up(record: GameRecord, store: Path) -> None:
    found = review(record, open_tablebase(record.rules, store=store))
    moves = found.draw_luck + found.gain + found.chance
    assert found.value == pytest.approx(moves, abs=1e-6)
    assert min([0.0, *(min(reviewed.cost, reviewed.their_cost) for reviewed in found.rounds)]) == 0
    position = record.position
    if record.is_over:
        lead = position.lead
        assert found.result == ((lead > 0) - (lead < 0) if record.rules.has_leads else lead)
    else:
        assert found.result is None
    if record.rules.order is not None:
        assert found.draw_luck == pytest.approx(0, abs=1e-6)
    for reviewed in found.rounds:
        exact = probe_alone(reviewed.position, record.rules).value
        assert isinstance(exact, Fraction)
        assert reviewed.value == pytest.approx(float(exact), abs=1e-6)
    assert review_json(found)["rules"] == str(record.rules)
    assert found.swap().value == pytest.approx(-found.value)


def test_a_review_shows_the_pot(store: Path) -> None:
    found = review(GameRecord.read("244 3A2 4", cards=4, ties="carry"), open_tablebase("4 carry", store=store))
    title, _, _, _, first, second, *_ = review_text(found).splitlines()
    assert title == "4 cards, objective points, ties carried over"
    assert (first[:21].split(), second[:21].split()) == (["1", "2", "4", "4"], ["2", "3+2", "A", "2"])
    assert [played["pot"] for played in review_json(found)["rounds"]] == [0, 2, 0]
    worst = review(GameRecord.read("222 341 A", cards=3 + 1, ties="carry"), open_tablebase("4 carry", store=store))
    assert worst.rounds[1].position == Position("A34/A34/A4 3 0 2")


def test_a_review_of_a_known_order_has_no_draw(store: Path) -> None:
    found = review(GameRecord.read("321 213 132", order=(3, 2, 1), cards=3), open_tablebase("3 order=descending"))
    text = review_text(found)
    assert "3 cards, objective points, prizes descending" in text
    assert "+2.00 is made of: your bids" in text
    assert "luck of the draw" not in text
    assert found.draw_luck == 0


@pytest.mark.parametrize("game", ["4 carry", "4 carry prizes=1,2,2,7,900 order=7,2,900,1,2 rounds=3"])
def test_the_figure_of_a_review(store: Path, tmp_path: Path, game: str) -> None:
    rules = Rules.parse(game)
    upcards = rules.order or rules.prizes
    rounds = [Round(upcards[at], at + 1, at + 1 if at < 1 else rules.cards - at) for at in range(rules.rounds)]
    if len({played.theirs for played in rounds}) < len(rounds):
        rounds = rounds[:2]
    draw_review(review(GameRecord(rules, tuple(rounds)), open_tablebase(rules, store=store)), tmp_path / "review.svg")
    drawn = (tmp_path / "review.svg").read_text(encoding="utf-8")
    assert f"{upcards[1]}+{upcards[0]}" in drawn.replace(">A<", ">1<")
    assert "ties carried over" in drawn


def test_a_table_of_another_game_reviews_nothing(store: Path) -> None:
    record = GameRecord.read("244 3A2", cards=4, ties="carry")
    with pytest.raises(RecordError, match="the record is of the game '4 carry', the table of '4'"):
        review(record, open_tablebase(4, store=store))
    assert review(record, open_tablebase("5 carry", store=store)).rounds  # where games nest, a larger one holds it
