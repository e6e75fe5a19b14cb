"""Reviews of games: costs and luck add up to the result; how they look as text, JSON and figure."""

import json
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
from answers import before_upcard, with_upcard
from command import GAME, one_line
from fixtures import Tablebases, Win
from hypothesis import given
from hypothesis import strategies as st

from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError, MissingTableError
from goofspiel.players.players import FunctionPlayer, TablePlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord, Round
from goofspiel.records.reviews import ReviewedRound, review
from goofspiel.render.review_figure import draw_review
from goofspiel.render.reviews import review_json, review_text
from goofspiel.rules import Objective, Rules

OBJECTIVES = st.sampled_from(list(Objective))
NOTHING = 1e-9


@st.composite
def games(draw: st.DrawFn, *, whole: bool = False) -> GameRecord:
    """A game of any bids; perhaps cut short, its last round perhaps open."""
    cards = draw(st.integers(1, 7))
    upcards, mine, theirs = (draw(st.permutations(range(1, cards + 1))) for _ in range(3))
    rounds = [Round(*played) for played in zip(upcards, mine, theirs, strict=True)]
    if not whole:
        rounds = rounds[: draw(st.integers(0, cards))]
        if bool(rounds) and draw(st.booleans()):
            rounds[-1] = Round(rounds[-1].upcard)
    return GameRecord(Rules(cards), tuple(rounds))


def position_before(position: Position) -> Position:
    """The position before its upcard was turned up."""
    return Position.of(position.my_cards, position.their_cards, position.prizes, lead=position.lead)


def moves(reviewed: ReviewedRound) -> tuple[float, float, float]:
    """How the value went in a round; they add up."""
    return reviewed.draw_luck, reviewed.gain, reviewed.chance


def bids(text: str) -> FunctionPlayer:
    """Who bids as in a game, seen from the first seat: the second player of the record, for certain."""
    steps = list(GameRecord.read(text).steps())
    made = {before.turn_up(played.upcard).swap(): played.theirs for before, played, _ in steps}
    return FunctionPlayer(made.__getitem__, "scripted")


# --- by hand


def test_two_cards_by_hand(tablebase: Tablebases) -> None:
    """The matrix for the 2, bids A and 2, is (0, −1 / 1, 0): who bids the ace gives away a point."""
    found = review(GameRecord.read("2A2 A2A"), tablebase(2), theirs=bids("2A2 A2A"))
    first, last = found.rounds
    assert [str(reviewed.position) for reviewed in found.rounds] == ["A2/A2/A 2", "2/A/- A -2"]
    assert (first.value_before, first.value, first.value_after) == (0, 0, -1)
    assert moves(first) == (0, -1, 0)
    assert (dict(first.mix), dict(first.their_mix), first.probability, first.best) == (
        {1: 0, 2: 1},
        {1: 0, 2: 1},
        0,
        (2,),
    )
    assert moves(last) == (0, 0, 0)
    assert (last.probability, last.best) == (1, (2,))
    assert (found.cost, found.their_cost, found.draw_luck, found.gain, found.chance) == (1, 0, 0, -1, 0)
    assert (found.value, found.result, found.worst) == (-1, -1, first)


def test_two_cards_both_wrong_by_hand(tablebase: Tablebases) -> None:
    found = review(GameRecord.read("2AA A22"), tablebase(2), theirs=bids("2AA A22"))
    assert moves(found.rounds[0]) == (0, 0, 0)  # against who bids the ace, the ace costs nothing
    assert (found.cost, found.their_cost, found.result) == (1, 1, 0)


def test_two_cards_to_win_by_hand(win: Win) -> None:
    """The ace is worth bidding for the ace only: the 2 that is kept for the 2 wins."""
    found = review(GameRecord.read("A2A 2A2"), win(2), theirs=bids("A2A 2A2"))
    assert moves(found.rounds[0]) == (0, -1, 0)
    assert (found.objective, found.cost, found.result) == (Objective.WIN, 1, -1)


def test_three_cards_by_hand(tablebase: Tablebases) -> None:
    """The 3 is worth a 3. Who bids the ace for it loses 3 and then holds 23 against A2.

    Then the 2 has the matrix (3, 1 / 2, 3) and the ace (3, 2 / 1, 3); both are worth 7/3, so the draw brings nothing.
    The 2 is bid with 1/3 on both sides. Where both bid it, the game goes on with 1 instead of 7/3.
    """
    found = review(GameRecord.read("3A3 222 A3A"), tablebase(3), theirs=TablePlayer(tablebase(3)))
    first, second, third = found.rounds
    assert moves(first) == pytest.approx((0, -2 / 3, 0), abs=NOTHING)
    assert moves(second) == pytest.approx((0, 0, -4 / 3), abs=NOTHING)
    assert dict(second.mix) == pytest.approx({2: 1 / 3, 3: 2 / 3})
    assert dict(second.their_mix) == pytest.approx({1: 2 / 3, 2: 1 / 3})
    assert second.probability == pytest.approx(1 / 3)
    assert (second.cost, second.their_cost, second.best) == (0, 0, (2, 3))
    assert second.value == pytest.approx(-3 + 7 / 3)
    assert moves(third) == pytest.approx((0, 0, 0), abs=NOTHING)
    assert (found.result, found.worst) == (-2, first)
    assert first.cost == pytest.approx(2 / 3)


def test_luck_of_the_draw(tablebase: Tablebases) -> None:
    """What can be drawn is worth the mean of the upcards; what was drawn is worth more or less than that."""
    found = review(GameRecord.read("513 4", cards=5), tablebase(5))
    last = found.rounds[-1]
    upcards = before_upcard(tablebase(5).probe(Position("2345/A245/A234 - -5"))).upcards
    mean = sum(upcards.values()) / 4
    assert abs(upcards[4] - mean) > 0.01
    assert last.draw_luck == found.draw_luck == pytest.approx(upcards[4] - mean)


# --- what must hold for every game


@given(record=games(), objective=OBJECTIVES)
def test_everything_adds_up_to_the_result(tablebase: Tablebases, record: GameRecord, objective: Objective) -> None:
    found = review(record, tablebase(record.cards, objective=objective))
    value = 0.0
    for reviewed in found.rounds:
        assert reviewed.value_before == value  # exactly: nothing is lost between rounds
        value = reviewed.value_after
        assert value - reviewed.value_before == pytest.approx(sum(moves(reviewed)), abs=1e-12)
    assert found.value == value
    assert found.draw_luck + found.gain + found.chance == pytest.approx(value, abs=1e-10)
    lead = record.position.lead
    if record.is_over:
        assert found.result == (lead if objective == Objective.POINTS else np.sign(lead))
    else:
        assert found.result is None


@given(record=games(), objective=OBJECTIVES)
def test_each_part_is_what_its_formula_says(tablebase: Tablebases, record: GameRecord, objective: Objective) -> None:
    table = tablebase(record.cards, objective=objective)
    for reviewed in review(record, table).rounds:
        answer, played = reviewed.answer, reviewed.round
        assert answer == table.probe(reviewed.position)
        before = position_before(reviewed.position)
        assert reviewed.value_before == table.probe(before).value
        if played.is_open:
            continue
        matrix = np.array(answer.matrix)
        row, column = answer.position.my_cards.index(played.mine), answer.position.their_cards.index(played.theirs)
        earns = matrix[row] @ list(answer.theirs.values())
        concedes = np.array(list(answer.mine.values())) @ matrix[:, column]
        assert reviewed.value_after == pytest.approx(matrix[row, column], abs=1e-12)
        rounding = reviewed.tolerance * 2
        assert reviewed.cost == pytest.approx(answer.value - earns, abs=rounding)
        assert reviewed.their_cost == pytest.approx(concedes - answer.value, abs=rounding)
        against = matrix[row] @ list(reviewed.their_play.values())
        assert reviewed.gain == pytest.approx(against - answer.value, abs=rounding)
        assert reviewed.chance == pytest.approx(matrix[row, column] - against, abs=rounding)
        assert reviewed.cost >= 0
        assert reviewed.their_cost >= 0
        assert (reviewed.cost == 0) == (played.mine in reviewed.best)


@given(record=games(), objective=OBJECTIVES)
def test_from_the_other_side_everything_changes_places(
    tablebase: Tablebases, record: GameRecord, objective: Objective
) -> None:
    table = tablebase(record.cards, objective=objective)
    mine = review(record, table)
    theirs = mine.swap()
    assert theirs.swap() == mine
    assert theirs.record == record.swap()
    assert (theirs.cost, theirs.their_cost) == (mine.their_cost, mine.cost)
    assert (theirs.draw_luck, theirs.value) == (-mine.draw_luck, -mine.value)
    assert (theirs.mine, theirs.theirs) == (mine.theirs, mine.mine)
    for one, other, direct in zip(mine.rounds, theirs.rounds, review(record.swap(), table).rounds, strict=True):
        assert other.position == one.position.swap() == direct.position
        assert (other.cost, other.their_cost) == (one.their_cost, one.cost)
        assert (other.mix, other.their_mix, other.round) == (one.their_mix, one.mix, one.round.swap())
        assert (other.value_before, other.value_after) == (-one.value_before, -one.value_after)
        assert (other.value, other.draw_luck) == pytest.approx((direct.value, direct.draw_luck), abs=1e-12)
        if one.answer.unique and direct.answer.unique:  # each side has one optimal mix to be measured against
            assert moves(other) == pytest.approx(moves(direct), abs=2e-6)


@given(record=games(whole=True), objective=OBJECTIVES)
def test_the_support_costs_nothing(tablebase: Tablebases, record: GameRecord, objective: Objective) -> None:
    found = review(record, tablebase(record.cards, objective=objective))
    for reviewed in found.rounds:
        for mix, answer in ((reviewed.mix, reviewed.answer), (reviewed.their_mix, reviewed.their_answer)):
            assert sum(mix.values()) == pytest.approx(1)
            support = [card for card, probability in mix.items() if probability > NOTHING]
            assert all(answer.regret[card] <= NOTHING for card in support)
        assert reviewed.probability is not None
        if reviewed.probability > NOTHING:
            assert reviewed.cost == 0
            assert reviewed.round.mine in reviewed.best


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("cards", [3, 6, 8])
def test_optimal_play_on_both_sides_costs_nothing(tablebase: Tablebases, cards: int, objective: Objective) -> None:
    table, random = tablebase(cards, objective=objective), np.random.default_rng(cards)
    for _ in range(5):
        record = GameRecord(Rules(cards))
        for upcard in (random.permutation(cards) + 1).tolist():
            answer = with_upcard(table.probe(record.position.turn_up(upcard)))
            bids = [int(random.choice(list(mix), p=list(mix.values()))) for mix in (answer.mine, answer.theirs)]
            record = GameRecord(Rules(cards), (*record.rounds, Round(upcard, *bids)))
        found = review(record, table)
        assert (found.cost, found.their_cost, found.worst) == (0, 0, None)
        assert found.draw_luck + found.gain + found.chance == pytest.approx(found.result)
        known = review(record, table, theirs=TablePlayer(table))
        assert known.theirs.is_known
        assert known.gain == 0


@given(record=games(whole=True), objective=OBJECTIVES)
def test_the_worst_bid_costs_most(tablebase: Tablebases, record: GameRecord, objective: Objective) -> None:
    found = review(record, tablebase(record.cards, objective=objective))
    costs = [reviewed.cost for reviewed in found.rounds]
    if max(costs) == 0:
        assert found.worst is None
    else:
        assert found.worst is found.rounds[int(np.argmax(costs))]


def test_interchangeable_cards_count_as_one(tablebase: Tablebases) -> None:
    """Holding 345 against A25 for the 3, both 3 and 4 lie between 2 and 5: a mix bids them with 1/5 together."""
    for bid, mix in ((3, {3: 0.2, 4: 0, 5: 0.8}), (4, {3: 0, 4: 0.2, 5: 0.8})):
        record = GameRecord.read(f"4A3 524 3{bid}5 2{7 - bid}2 A5A")
        third = review(record, tablebase(5)).rounds[2]
        assert third.position == Position("345/A25/A2 3 -9")
        assert dict(third.mix) == pytest.approx(mix)
        assert third.probability == pytest.approx(0.2)
        assert third.cost == 0
        assert third.best == (3, 4, 5)


def test_an_open_round_is_shown_and_costs_nothing(tablebase: Tablebases) -> None:
    whole, cut = GameRecord.read("524 3", cards=5), GameRecord.read("524", cards=5)
    found, before = review(whole, tablebase(5)), review(cut, tablebase(5))
    last = found.rounds[-1]
    assert [moves(one) for one in found.rounds[:-1]] == [moves(one) for one in before.rounds]
    assert (last.cost, last.their_cost, last.gain, last.chance, last.probability) == (0, 0, 0, 0, None)
    assert last.value_after == last.value == tablebase(5).probe(whole.position).value == found.value
    assert last.mix == with_upcard(tablebase(5).probe(whole.position)).mine
    assert (found.cost, found.gain, found.result) == (before.cost, before.gain, None)
    assert found.draw_luck == pytest.approx(before.draw_luck + last.draw_luck)


def test_a_game_that_has_not_begun(tablebase: Tablebases) -> None:
    found = review(GameRecord(Rules(5)), tablebase(5))
    assert (found.rounds, found.cost, found.value, found.result, found.worst) == ((), 0, 0, None, None)
    assert "No prize has been turned up yet." in review_text(found)


def test_a_larger_table_reviews_as_well(tablebase: Tablebases) -> None:
    record = GameRecord.read(GAME)
    one, other = review(record, tablebase(5)), review(record, tablebase(7))
    for reviewed, again in zip(one.rounds, other.rounds, strict=True):
        assert moves(reviewed) == pytest.approx(moves(again), abs=NOTHING)
    with pytest.raises(MissingTableError, match="needs a table of 5 cards"):
        review(record, tablebase(4))


def test_what_rounding_could_make_up_is_not_charged(tablebase: Tablebases, win: Win) -> None:
    """Points are stored in double precision, win in fixed point."""
    found = review(GameRecord.read(GAME), tablebase(5)), review(GameRecord.read(GAME), win(5))
    assert {reviewed.tolerance for reviewed in found[0].rounds} == {1e-9}
    (rounding,) = {reviewed.tolerance for reviewed in found[1].rounds}
    assert 2**-30 <= rounding <= 5 * 2**-30
    first = replace(found[1].rounds[1], tolerance=0.0)
    charged = replace(first, tolerance=first.cost), replace(first, tolerance=first.cost * 0.999)
    assert [reviewed.cost for reviewed in charged] == [0, first.cost]
    for reviewed in charged:  # whatever is charged, it adds up
        assert sum(moves(reviewed)) == pytest.approx(sum(moves(first)))


def test_a_review_is_frozen(tablebase: Tablebases) -> None:
    found = review(GameRecord.read(GAME), tablebase(5))
    assert found == review(GameRecord.read(GAME), tablebase(5))
    assert hash(found) == hash(review(GameRecord.read(GAME), tablebase(5)))
    with pytest.raises(FrozenInstanceError):
        found.rounds = ()  # type: ignore[misc]


# --- text and json


def test_the_text_explains_a_game(tablebase: Tablebases) -> None:
    """The numbers are those of the game of three cards that is worked by hand above."""
    record = GameRecord.read("mine: me\ntheirs: bot\n3A3 222 A3A")
    lines = review_text(review(record, tablebase(3), theirs=TablePlayer(tablebase(3)))).splitlines()
    assert lines[0] == "3 cards, objective points; you: me; they: bot"
    assert lines[4].split() == ["1", "3", "A", "3", "3", "100,", "*A", "0", "0", "-0.67", "0", "-0.67", "-0.67"]
    assert lines[5].split() == ["2", "2", "2", "2", "3", "67,", "*2", "33", "0", "0", "-1.33", "-2.00", "0"]
    assert lines[7].split() == ["total", "0", "-0.67", "-1.33", "-2.00", "-0.67"]
    assert lines[9:] == [
        "You lost by 2 points.",
        "-2.00 is made of: luck of the draw 0, your bids -0.67 against how they bid, chance in the bids",
        "-1.33.",
        "How they bid is known: optimal:points.",
        "Against perfect play your most expensive bid was in round 1: A for the 3, a bid that this mix",
        "never makes; an optimal mix bids 3 100 %. It costs 0.67 points there.",
    ]


def test_the_text_of_a_game_to_win(win: Win) -> None:
    text = review_text(review(GameRecord.read("A2A 2A2"), win(2)))
    assert text.startswith("2 cards, objective win\n")
    assert "You lost by 1 point.\n" in text
    assert "It costs 1.000 of P(win) − P(loss) there" in " ".join(text.split())


def test_the_text_of_an_open_round(tablebase: Tablebases) -> None:
    lines = review_text(review(GameRecord.read("3A3 2", cards=3), tablebase(3))).splitlines()
    assert lines[5].split() == ["2", "2", "?", "?", "3", "67,", "2", "33", "0", "0", "0", "-0.67", "0"]
    assert "Not over yet: -0.67 points expected." in lines
    assert lines[-1] == "Round 2 is open: for the 2 an optimal mix bids 3 67 %, 2 33 %."


def test_the_text_of_play_that_cost_nothing(tablebase: Tablebases) -> None:
    text = " ".join(review_text(review(GameRecord.read("2AA A22 333 444"), tablebase(4))).split())
    assert "The game was a draw." in text
    assert "None of your bids would have cost anything against perfect play; one game cannot tell" in text
    assert text.endswith("in round 1: A for the 2, a 34 % bid.")
    text = " ".join(review_text(review(GameRecord.read("222 AAA 333"), tablebase(3))).split())
    assert text.endswith(
        "None of your bids would have cost anything against perfect play: it bids the same, every time."
    )
    text = review_text(review(GameRecord.read("2", cards=3), tablebase(3)))
    assert "None of your bids" not in text  # nothing was bid


@given(record=games(), objective=OBJECTIVES)
def test_the_text_has_a_row_a_round_and_fits(tablebase: Tablebases, record: GameRecord, objective: Objective) -> None:
    found = review(record, tablebase(record.cards, objective=objective))
    lines = review_text(found).splitlines()
    assert max(map(len, lines)) <= 100
    rows = [line for line in lines[4:] if line[:5].strip().isdigit()]
    for reviewed, row in zip(found.rounds, rows, strict=True):
        played = [card_name(card) if card else "?" for card in reviewed.round]
        assert row.split()[:4] == [str(reviewed.number), *played]
        if not reviewed.round.is_open:
            assert f"*{played[1]} " in "".join(lines)  # a bid is marked in its mix
        digits = 2 if objective == Objective.POINTS else 3
        shown = [float(word) for word in row.split()[-5:]]
        assert shown == pytest.approx([*moves(reviewed), reviewed.value_after, -reviewed.cost], abs=0.51 * 10**-digits)


def test_the_json_has_documented_names(tablebase: Tablebases) -> None:
    found = review_json(review(GameRecord.read("cards: 3\nmine: me\n3A3 222 A"), tablebase(3)))
    assert json.loads(json.dumps(found)) == found
    assert list(found) == [
        *("record", "rules", "cards", "objective", "tags", "mine", "theirs", "rounds", "from", "start"),
        *("draw_luck", "gain", "chance"),
        *("value", "result", "cost", "their_cost", "worst", "won_after", "settled_after", "words"),
    ]
    assert {name: found[name] for name in ("record", "cards", "objective", "tags", "result", "worst")} == {
        "record": "3A3 222 A",
        "cards": 3,
        "objective": "points",
        "tags": {"mine": "me"},
        "result": None,
        "worst": 1,
    }
    assert (found["cost"], found["value"]) == pytest.approx((2 / 3, -2))
    assert found["draw_luck"] + found["gain"] + found["chance"] == pytest.approx(-2)
    assert found["theirs"]["player"] is None
    assert sum(found["theirs"]["estimate"].values()) == pytest.approx(1)
    second, third = found["rounds"][1:]
    assert list(second) == [
        *("round", "position", "upcard", "pot", "mine", "theirs", "value_before", "draw_luck", "value", "gain"),
        *("chance", "value_after", "cost", "their_cost", "mix", "their_mix", "their_play", "probability", "regret"),
        *("best", "gap"),
    ]
    assert (second["position"], second["upcard"], second["mine"], second["theirs"]) == ("23/A2/A 2 -3", "2", "2", "2")
    assert second["mix"] == pytest.approx({"2": 1 / 3, "3": 2 / 3})
    assert second["their_mix"] == pytest.approx({"A": 2 / 3, "2": 1 / 3})
    assert second["best"] == ["2", "3"]
    assert (third["mine"], third["theirs"], third["probability"], third["cost"]) == (None, None, None, 0)
    assert third["value_after"] == third["value"] == found["value"]


# --- the figure


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("text", [GAME, "524 3", "5", "524"])
def test_the_figure_is_a_picture(tablebase: Tablebases, tmp_path: Path, text: str, objective: Objective) -> None:
    from matplotlib.image import imread

    path, again = tmp_path / "review.png", tmp_path / "again.png"
    found = review(GameRecord.read(text, cards=5), tablebase(5, objective=objective))
    draw_review(found, path)
    assert path.read_bytes().startswith(b"\x89PNG")
    pixels = imread(path)
    assert min(pixels.shape[:2]) > 400
    assert pixels.std() > 0.01  # not a blank page
    draw_review(found, again)
    assert again.read_bytes() == path.read_bytes()
    draw_review(found.swap(), again)
    assert (again.read_bytes() == path.read_bytes()) is (text == "5")  # where nobody has bid, both see the same


def test_there_is_no_figure_of_nothing(tablebase: Tablebases, tmp_path: Path) -> None:
    with pytest.raises(GoofspielError, match="no prize has been turned up yet") as caught:
        draw_review(review(GameRecord(Rules(5)), tablebase(5)), tmp_path / "review.png")
    one_line(caught)
    assert not list(tmp_path.iterdir())


def test_a_figure_needs_the_extra(tablebase: Tablebases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(GoofspielError, match=r"a figure needs the plots extra: pip install 'goofspiel\[plots\]'"):
        draw_review(review(GameRecord.read(GAME), tablebase(5)), tmp_path / "review.png")
