"""Players: what they bid, how they are named, and what happens when they do not answer."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import bots
import numpy as np
import pytest
from answers import with_upcard
from command import one_line
from fixtures import Tablebases
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies._internal.core import DataObject
from numpy.testing import assert_allclose

from goofspiel.batch import PositionBatch
from goofspiel.best_response.expectation import play_exactly
from goofspiel.best_response.local import local_response
from goofspiel.best_response.response import respond
from goofspiel.best_response.tabulation import tabulate
from goofspiel.errors import MissingTableError, PlayerError
from goofspiel.matches.playing import play_match
from goofspiel.players.players import (
    BidUpcardPlayer,
    FunctionPlayer,
    TablePlayer,
    UniformPlayer,
    card_at,
    checked_mixes,
    draw,
)
from goofspiel.position import Position
from goofspiel.roster import load_player, runs_code

BOTS = str(Path(bots.__file__))


def mix_of(name: str, notation: str, **options: Any) -> dict[int, float]:
    """The mix of a named player at one position, card → probability without zeros."""
    position = Position(notation)
    (mix,) = checked_mixes(load_player(name, 5, **options), PositionBatch.of([position])).tolist()
    return {card: p for card, p in zip(position.my_cards, mix, strict=True) if p}


@pytest.mark.parametrize("objective", ["points", "win"])
def test_the_optimal_player_plays_a_mix_of_the_table(tablebase: Tablebases, objective: str) -> None:
    table = tablebase(5, objective=objective)
    for position in (Position("start 5 3"), Position("A35/A24/25 4 -2"), Position("24/A3/5 4 1"), Position("2/3/- A")):
        answer = with_upcard(table.probe(position))
        mix = mix_of("optimal", str(position), objective=objective)
        worst = min(
            sum(mix.get(c, 0) * answer.matrix[i][j] for i, c in enumerate(position.my_cards))
            for j in range(position.level)
        )
        assert worst == pytest.approx(answer.value, abs=1e-9)


def test_the_optimal_player_says_which_table_it_plays_by(tablebase: Tablebases) -> None:
    assert load_player("optimal", 4).name == "optimal:points"
    assert load_player("optimal", 4, objective="win").name == "optimal:win"
    win = load_player("optimal:win", 4)
    assert (win.name, win.uses_lead) == ("optimal:win", True)
    points = load_player("optimal:points", 4, objective="win")
    assert (points.name, points.uses_lead) == ("optimal:points", False)
    assert isinstance(points, TablePlayer)


@pytest.mark.parametrize(
    ("name", "notation", "expected"),
    [
        ("uniform", "A35/A24/25 4", {1: 1 / 3, 3: 1 / 3, 5: 1 / 3}),
        ("match", "start 5 3", {3: 1}),
        ("match", "A25/A24/25 4", {5: 1}),  # the next higher card that it holds
        ("match", "A23/A24/25 4", {1: 1}),  # none is as high: its lowest
        ("match+1", "start 5 3", {4: 1}),
        ("match+1", "start 5 5", {1: 1}),
        ("match+2", "start 5 3", {5: 1}),
        ("match-1", "start 5 3", {2: 1}),
        ("match-1", "start 5 A", {1: 1}),
        ("optimal,5=A", "start 5 5", {1: 1}),
        ("uniform,5=A", "A35/A24/25 4", {1: 1 / 3, 3: 1 / 3, 5: 1 / 3}),
        ("uniform,5=2", "A3/A2/4 5", {1: 0.5, 3: 0.5}),  # the rule's card is gone
        ("match,5=A*.25+2*.75", "start 5 5", {1: 0.25, 2: 0.75}),
        ("match, 5=A , 4=2", "start 5 4", {2: 1}),
        (f"{BOTS}:lowest", "A35/A24/25 4", {1: 1}),
        (f"{BOTS}:numpy_card", "A35/A24/25 4", {5: 1}),
        (f"{BOTS}:halves", "A35/A24/25 4", {1: 0.5, 5: 0.5}),
        (f"{BOTS}:flat", "A35/A24/25 4", {1: 1 / 3, 3: 1 / 3, 5: 1 / 3}),
        (f"{BOTS}:flat_array", "A3/A2/4 5", {1: 0.5, 3: 0.5}),
        (f"{BOTS}:Lowest", "A35/A24/25 4", {1: 1}),
        (f"{BOTS}:lowest_object", "A35/A24/25 4", {1: 1}),
        ("bots:lowest", "A35/A24/25 4", {1: 1}),
        ("bots:lowest,4=5", "A35/A24/25 4", {5: 1}),
        ("respond:match", "start 5 5", {1: 1}),
        ("respond:(uniform,5=A)", "start 5 5", {2: 1}),
        ("respond:(uniform,5=A),5=3", "start 5 5", {3: 1}),
    ],
)
def test_what_players_bid(name: str, notation: str, expected: dict[int, float]) -> None:
    assert mix_of(name, notation) == pytest.approx(expected)


def test_a_function_says_whether_it_uses_the_lead() -> None:
    assert load_player("bots:lowest", 5).uses_lead
    assert not load_player("bots:ignores_the_lead", 5).uses_lead


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, False) for name in ("optimal", "optimal:win,K=A", "match", "match+1", " uniform ", "human", "nobody")),
        *((name, False) for name in ("respond:match", "respond:(uniform,5=A),5=3", "respond:respond:optimal:win", "")),
        *((name, True) for name in ("bots:lowest", " bots:lowest ,K=A", f"{BOTS}:lowest", "match:f", "human:f")),
        *((name, True) for name in ("respond:bots:lowest", "respond:(bots:lowest,5=A)", "respond: (bots:f)")),
        *((name, True) for name in ("respond:respond:(bots:f,K=A)", "respond:(respond:(bots:f,K=A),2=A),3=A")),
    ],
)
def test_names_that_run_code(name: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs_code(name) == expected
    loaded = []

    def load(name: str, *_others: None) -> None:
        loaded.append(name)
        raise PlayerError("not in this test")

    monkeypatch.setattr("goofspiel.roster._foreign", load)
    with suppress(PlayerError):
        load_player(name, 3)
    assert bool(loaded) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("perfect", "no player is called 'perfect': optimal, optimal:points"),
        ("", "no player is called ''"),
        ("optimal:chess", "optimal:points or optimal:win, not 'optimal:chess'"),
        ("no_such_module:f", "no player and no module is called 'no_such_module'"),
        ("nowhere/bot.py:f", "there is no file 'nowhere/bot.py'"),
        ("bots:no_such", "bots has no 'no_such': 'bots:no_such'"),
        ("bots:constant", "a player is a function or has mixes: 'bots:constant' is 7"),
        ("bots:Nameless", "a player has a name and says whether it uses_lead: 'bots:Nameless'"),
        ("bots:CannotBeMade", "player 'bots:CannotBeMade' cannot be made: OSError: no such model"),
        ("optimal,K", "a rule is UPCARD=BID, as in K=A, or UPCARD=BID.* not 'K'"),
        ("optimal,K=", "a rule is .* not 'K='"),
        ("optimal,K=AA", "a rule is .* not 'K=AA'"),
        ("optimal,K=X", "a rule is .* not 'K=X'"),
        ("optimal,K=A*x", "a rule is .* not"),
        ("optimal,K=A*.5", "the probabilities of a rule sum to 1, not so in 'K=A[*].5'"),
        ("optimal,K=A*-1+2*2", "the probabilities of a rule sum to 1"),
        ("optimal,K=A,K=2", "two rules for the same upcard: 'K=A,K=2'"),
    ],
)
def test_names_of_no_player(name: str, message: str) -> None:
    with pytest.raises(PlayerError, match=message) as caught:
        load_player(name, 4)
    one_line(caught)


def test_a_module_that_cannot_be_imported(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_library\n")
    with pytest.raises(PlayerError, match="cannot be loaded: ModuleNotFoundError: No module named 'no_such_library'"):
        load_player(f"{tmp_path / 'broken.py'}:f", 4)


def test_a_table_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingTableError, match="goofspiel solve 10"):
        load_player("optimal", 10, store=tmp_path)


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("not_in_hand", r"bid \[16\], which is not in its hand"),
        ("not_in_hand_mix", r"bid \[16\], which is not in its hand"),
        ("too_few", "gave 2 probabilities for 3 cards"),
        ("sums_to_two", r"gave a mix that does not sum to 1 \(A: 0.666667, 3: 0.666667, 5: 0.666667\)"),
        ("negative", r"gave a mix that is negative \(A: 1.5, 3: -0.5, 5: 0\)"),
        ("not_a_number", r"gave a mix that is not a number \(A: nan"),
        ("words", "answered 'ace', which is no card and no mix"),
        ("mix_of_words", "gave 'often' as a probability"),
        ("nothing", "gave no answer"),
        ("raises", "failed: ZeroDivisionError: division by zero"),
        ("WrongShape", r"gave an array of shape \(1, 17\) instead of \(1, 3\)"),
        ("Fails", "failed: RuntimeError: out of coffee"),
    ],
)
def test_a_player_that_does_not_answer_is_named_with_the_position(bot: str, message: str) -> None:
    player = load_player(f"bots:{bot}", 5)
    with pytest.raises(PlayerError, match=f"^player {player.name} {message}.*: 'A35/A24/25 4 -2'") as caught:
        checked_mixes(player, PositionBatch.of([Position("A35/A24/25 4 -2")]))
    one_line(caught)


def test_a_sum_that_is_only_rounded_is_scaled() -> None:
    player = FunctionPlayer(lambda position: [0.3333333, 0.3333333, 0.3333333], "rounded")
    mixes = checked_mixes(player, PositionBatch.of([Position("A35/A24/25 4")]))
    assert_allclose(mixes.sum(axis=1), 1, atol=1e-15)


# --- drawing


@given(st.lists(st.integers(1, 16), min_size=1, unique=True), st.data())
def test_the_card_of_a_rank(cards: list[int], data: DataObject) -> None:
    hand = np.array([sum(1 << card - 1 for card in cards)], dtype=np.uint16)
    rank = data.draw(st.integers(0, len(cards) - 1))
    assert card_at(hand, np.array([rank])).tolist() == [sorted(cards)[rank]]


def test_cards_are_drawn_as_often_as_they_should() -> None:
    mixes = np.tile([0.0, 0.25, 0.0, 0.75, 0.0], (4, 1))
    assert draw(mixes, np.array([0.0, 0.2499, 0.25, 1 - 1e-16])).tolist() == [1, 1, 3, 3]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=16).filter(lambda mix: sum(mix) > 1e-3), st.floats(0, 1))
def test_no_card_of_probability_zero_is_drawn(weights: list[float], chance: float) -> None:
    mix = np.array([weights]) / sum(weights)
    (rank,) = draw(mix, np.array([chance]))
    assert mix[0, rank] > 0


@given(st.integers(1, 16), st.integers(1, 16), st.integers(-3, 3))
def test_match_players_hold_what_they_bid(card: int, upcard: int, step: int) -> None:
    position = Position.of([card], [1], [], upcard)
    assert BidUpcardPlayer(step).mixes(PositionBatch.of([position])).tolist() == [[1.0]]


def test_a_name_is_no_player_and_a_player_no_name(tablebase: Tablebases) -> None:
    other: Any = UniformPlayer()
    name: Any = "match"
    for ask in (
        lambda: respond(name, 4),
        lambda: tabulate(name, 4),
        lambda: play_match(other, name, 4, games=2),
        lambda: play_exactly(name, other, 4),
        lambda: local_response(name, tablebase(4), games=2),
    ):
        with pytest.raises(TypeError) as caught:
            ask()
        assert one_line(caught) == "a Player is wanted, not 'match': load_player('match', rules) gives one"
    with pytest.raises(TypeError, match=r"^a Player is wanted, not 3$"):
        respond(3, 4)  # type: ignore[arg-type]
    wrong: Any
    for wrong in (None, other, 3):
        with pytest.raises(TypeError) as caught:
            load_player(wrong, 5)
        assert one_line(caught) == f"the name of a player must be a str, not {wrong!r}"
