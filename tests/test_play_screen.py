"""The screen of a game: everything is on it, whatever its size, and nothing moves."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures import Tablebases
from rich.cells import cell_len
from sessions import UNIFORM, begin, dialogue, plain, shown

from goofspiel.matches.session import Session
from goofspiel.records.record import GameRecord, Round
from goofspiel.roster import load_player
from goofspiel.rules import Objective
from goofspiel.terminal.dialogue import Dialogue, key_of
from goofspiel.terminal.screen import cost, percent, screen
from goofspiel.terminal.words import Scored, outcome, scored


def scenes(cards: int, tablebase: Tablebases) -> Iterator[Dialogue]:
    """A game at several moments: at first, with a hint, later, with trouble, with the help page."""
    ask = {"tablebase": lambda: tablebase(cards)} if cards <= 9 else {}
    game, _ = dialogue(begin(cards, theirs="a player with quite a long name, longer than some terminals"), **ask)
    yield game
    game.say("h")
    yield game
    for card in range(cards, cards // 2, -1):
        game.say(key_of(card))
    yield game
    game.say("h")
    yield game
    game.say("x9")
    game.unsaved = "No space left on device"
    yield game
    game.say("?")
    yield game


@pytest.mark.parametrize("cards", [2, 5, 9, 13, 16])
@pytest.mark.parametrize("width", [12, 20, 39, 60, 79, 119])
def test_no_line_is_longer_than_the_screen_is_wide(cards: int, width: int, tablebase: Tablebases) -> None:
    for game in scenes(cards, tablebase):
        for height in (5, 12, 24, 50):
            lines = screen(game, width, height)
            assert len(lines) <= height
            assert max(cell_len(line) for line in plain(lines)) <= width


@pytest.mark.parametrize("cards", [2, 5, 9, 13, 16])
@pytest.mark.parametrize(("width", "height"), [(79, 24), (39, 24), (119, 50)])
def test_everything_is_on_the_screen(cards: int, width: int, height: int, tablebase: Tablebases) -> None:
    for game in scenes(cards, tablebase):
        text = " ".join(shown(game, width, height).split())
        if game.helping:
            assert "How to play" in text
            assert "quit" in text
            continue
        session = game.session
        mine, theirs = session.points
        assert f"you {mine} : {theirs} they" in text
        assert re.search(rf"round {len(session.rounds)}( of |/){cards}", text)
        for key in ("h hint", "? help", "x quit" if cards > 11 else "q quit"):
            assert key in text
        bids = " ".join(key_of(card) + (f"={card}" if card > 13 else "") for card in session.position.my_cards)
        assert f"Bid: {bids}" in text
        if session.played:
            assert outcome(scored(session.record)[-1]) in text
        if game.hint:
            assert "An optimal mix" in text
        if game.reply:
            assert game.reply in text


def test_nothing_moves_when_a_hint_appears(tablebase: Tablebases) -> None:
    for width, height in [(79, 24), (39, 24), (119, 40)]:
        game, _ = dialogue(begin(9).bid(4), tablebase=lambda: tablebase(9))
        without = plain(screen(game, width, height))
        game.say("h")
        hinted = plain(screen(game, width, height))
        assert len(hinted) == len(without)
        assert all(line == other for line, other in zip(without, hinted, strict=True) if line)
        assert hinted != without


def test_the_screen_in_the_documentation(tablebase: Tablebases) -> None:
    page = (Path(__file__).parent.parent / "docs/how-to/play.md").read_text(encoding="utf-8")
    session = begin(9, 2, load_player("optimal", 9), theirs="optimal")
    game, _ = dialogue(session, tablebase=lambda: tablebase(9))
    for key in "736h":
        game.say(key)
    assert page.partition("```text\n")[2].partition("```")[0].splitlines() == shown(game).splitlines()


def test_interchangeable_cards_are_marked(tablebase: Tablebases) -> None:
    session = Session.resume(GameRecord.read("cards: 5\ntheirs: uniform\nseed: 1\n\n135 224 5"), UNIFORM)
    game, _ = dialogue(session, tablebase=lambda: tablebase(5))
    game.say("h")
    assert game.hint
    assert game.hint.interchangeable == ((4, 5),)
    row = next(line for line in shown(game).splitlines() if line.startswith(" % mix"))
    assert re.fullmatch(r"\d+%|·", row[25:30].strip())  # below the 4
    assert row[30:].strip() == "="


@pytest.mark.parametrize(
    ("played", "words"),
    [
        (Round(13, 5, 3), "You bid 5, they bid 3: you win the K, 13 points."),
        (Round(1, 5, 12), "You bid 5, they bid Q: they win the A, 1 point."),
        (Round(14, 16, 16), "Both bid 16: nobody wins the 14."),
    ],
)
def test_a_round_in_words(played: Round, words: str) -> None:
    gain = played.upcard * ((played.mine > played.theirs) - (played.mine < played.theirs))
    assert outcome(Scored(played, 0, gain, 0)) == words


def test_numbers_of_hints() -> None:
    points, win = Objective.POINTS, Objective.WIN
    assert [cost(lost, points) for lost in (0, 1e-9, 0.004, 0.347, 9.999, 12.34, 99.99)] == [
        *("0", "0", "0.00", "0.35", "10.0", "12.3", "100")
    ]
    assert [cost(lost, points, width=3) for lost in (0.347, 1.26, 12.34)] == [".35", "1.3", "12"]
    assert [cost(lost, win) for lost in (1e-6, 0.0124, 0.7664, 1.5)] == ["0", ".012", ".766", "1.50"]
    assert [percent(share) for share in (0, 0.001, 0.005, 0.47, 0.999, 1)] == [
        "0%",
        "<1%",
        "<1%",
        "47%",
        "100%",
        "100%",
    ]
