"""Games of other rules on the terminal: the pot, the order of the prizes, and the end after fewer rounds."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import run
from rich.cells import cell_len
from sessions import UNIFORM, dialogue, plain, shown
from terminal import only_file

from goofspiel.matches.session import Session
from goofspiel.players.players import BidUpcardPlayer
from goofspiel.records.record import GameRecord, Round
from goofspiel.records.saved import load
from goofspiel.rules import Rules
from goofspiel.terminal.screen import help_lines, screen
from goofspiel.terminal.transcript import question, result
from goofspiel.terminal.words import Scored, outcome, scored

GAMES = (
    "7 carry",
    "7 order=3,7,1,5,2,6,4",
    "5 prizes=1,1,2,5,8",
    "13 win carry prizes=1,1,2,2,3,3,4,4,5,5,6,6,7,7,8,900 order=descending rounds=6",
    "6 rounds=4",
)


def begun(game: str) -> Session:
    return Session.begin(Rules.parse(game), UNIFORM, seed=3)


def test_the_pot_is_shown_until_it_is_won() -> None:
    """The opponent bids what the prize is worth, so I can tie at will."""
    game, _ = dialogue(Session.begin(Rules(7, ties="carry"), BidUpcardPlayer(), seed=9))
    assert "the pot is empty" in shown(game)
    first = game.session.position.upcard
    game.say(str(first))
    text = shown(game)
    second = game.session.position.upcard
    assert f"Both bid {first}: the {first} waits in the pot, which holds {first}." in text
    assert f"and {first} in the pot: {first + second} to win" in text
    assert f"The prize is {second}, and {first} in the pot: {first + second} to win." in question(game)
    assert game.session.points == (0, 0)
    highest = max(game.session.position.my_cards)
    game.say(str(highest))
    assert f"you win the {second} and the pot of {first}, {first + second} points." in shown(game)
    assert game.session.points == (first + second, 0)
    assert "the pot is empty" in shown(game)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Scored(Round(7, 3, 3), 0, 0, 7), "Both bid 3: the 7 waits in the pot, which holds 7."),
        (Scored(Round(7, 3, 3), 5, 0, 12), "Both bid 3: the 7 joins the pot, which now holds 12."),
        (Scored(Round(7, 3, 3), 5, 0, 0), "Both bid 3: nobody wins the 7 and the pot of 5."),
        (Scored(Round(1, 4, 3), 12, 13, 0), "You bid 4, they bid 3: you win the A and the pot of 12, 13 points."),
        (Scored(Round(900, 3, 4), 0, -900, 0), "You bid 3, they bid 4: they win the 900, 900 points."),
    ],
)
def test_a_round_with_a_pot_in_words(found: Scored, words: str) -> None:
    assert outcome(found) == words


def test_the_last_tie_is_nobodys() -> None:
    record = GameRecord.read("2AA A22", cards=2, ties="carry")
    assert [found.waiting for found in scored(record)] == [2, 0]
    session = Session.begin(Rules(2, ties="carry"), BidUpcardPlayer(), seed=1)
    while not session.is_over:
        session = session.bid(session.position.upcard)
    assert result(session) == "A draw, 0 : 0. Nobody won the other 3."


def test_a_known_order_is_shown_as_it_comes() -> None:
    game, _ = dialogue(begun("7 order=3,7,1,5,2,6,4"))
    row = next(line for line in shown(game).splitlines() if line.startswith(" ♦ next"))
    assert row.split() == ["♦", "next", "7", "A", "5", "2", "6", "4"]
    assert "\n  next  7 A 5 2 6 4" in question(game)
    assert [game.session.bid(4).position.upcard, game.session.position.upcard] == [7, 3]
    assert "in an order that both know: 3 7 A 5 2 6 4" in " ".join(" ".join(plain(help_lines(game, 99))).split())


def test_prizes_that_are_left_over_are_in_brackets_and_named_at_the_end() -> None:
    game, _ = dialogue(begun("7 order=3,7,1,5,2,6,4 rounds=3"))
    row = next(line for line in shown(game).splitlines() if line.startswith(" ♦ next"))
    assert row.split() == ["♦", "next", "7", "A", "(5)", "(2)", "(6)", "(4)"]
    for card in "123":
        assert not game.is_over
        assert "of 3" in shown(game)
        game.say(card)
    assert game.is_over
    assert game.session.record.is_over
    assert result(game.session).endswith(" Not turned up: 2 4 5 6.")


def test_prizes_of_their_own_have_a_row_of_their_own() -> None:
    game, _ = dialogue(begun("5 prizes=1,1,2,5,8"))
    row = next(line for line in shown(game).splitlines() if line.startswith(" ♦ deck"))
    cells = row.split()[2:]
    assert (len(cells), cells.count("·")) == (5, 1)
    assert [cell for cell in cells if cell != "·"] == [
        {1: "A"}.get(prize, str(prize)) for prize in game.session.position.deck
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("width", [12, 39, 79])
def test_screens_of_any_game_fit_and_stay_where_they_are(game: str, width: int) -> None:
    playing, _ = dialogue(begun(game))
    heights = set()
    while not playing.is_over:
        for height in (12, 24, 50):
            lines = plain(screen(playing, width, height))
            assert len(lines) <= height
            assert max(map(cell_len, lines)) <= width
        if playing.session.played and width > 12:  # there, the cards of the hand take several lines
            heights.add(len(screen(playing, width, 99)))
        playing.say("?")
        assert "How to play" in shown(playing, width)
        playing.say("?")
        playing.say(str(playing.session.position.my_cards[0]))
    assert len(heights) <= 1
    assert Session.begin(Rules.parse(game), UNIFORM, seed=3).record.rules == playing.session.rules


@pytest.mark.parametrize("game", ["4 carry", "4 win order=descending", "4 prizes=1,1,2,5 rounds=3"])
def test_a_game_through_a_pipe_is_saved_resumed_and_reviewed(tmp_path: Path, game: str) -> None:
    rules, games = Rules.parse(game), tmp_path / "games"
    options = [word for name, value in rules.options().items() for word in (f"--{name}", value)]
    environment = {"GOOFSPIEL_GAMES": str(games)}

    def play(*arguments: str, stdin: str) -> subprocess.CompletedProcess[str]:
        done = run("play", *arguments, store=tmp_path / "store", stdin=stdin, env=environment)
        assert done.returncode == 0, done.stderr
        return done

    play("--cards", "4", *options, "--seed", "5", stdin="h\n2\n")
    assert load(only_file(games)).rules == rules
    done = play("--resume", "--json", stdin="".join(f"{card}\n" for card in (1, 3, 4)))
    found = json.loads(done.stdout)
    assert (found["rules"], found["over"]) == (game, True)
    record = load(only_file(games))
    assert len(record.rounds) == rules.rounds
    assert found["points"]["mine"] - found["points"]["theirs"] == record.position.lead
    done = run("review", str(only_file(games)), "--json", store=tmp_path / "store")
    assert json.loads(done.stdout)["rules"] == game
    refused = run("play", "--resume", *options, store=tmp_path / "store", env={**os.environ, **environment})
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "not with --resume" in refused.stderr
