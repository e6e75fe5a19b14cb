"""The real command on a real terminal: keys, screens, signals; the terminal is afterwards as it was before."""

import os
import re
import signal
import termios
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import COMMAND, PATIENCE
from terminal import Terminal, only_file

from goofspiel.records.saved import load
from goofspiel.terminal.words import outcome, scored

COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*(?:3[0-7]|9[0-7]|38;[0-9;]+)m")
LFLAG = 3  # among the attributes of a terminal: whether it echoes, and gathers lines


@pytest.fixture
def play(tables: Path, games: Path) -> Callable[..., Terminal]:
    """Start the command on a terminal."""

    def play(*arguments: str, env: dict[str, str] | None = None, **options: Any) -> Terminal:
        folders = {"GOOFSPIEL_STORE": str(tables), "GOOFSPIEL_GAMES": str(games)}
        return Terminal("play", *arguments, env=folders | (env or {}), **options)

    return play


def bids(path: Path) -> list[int]:
    return [played.mine for played in load(path).rounds if played.mine]


def test_a_game_from_the_first_key_to_the_review(play: Callable[..., Terminal], games: Path) -> None:
    with play("--cards", "4", "--seed", "5") as terminal:
        terminal.wait_for("Goofspiel · 4 cards · points · against optimal", "round 1 of 4", "Bid: A 2 3 4", "q quit")
        assert terminal.attributes() != terminal.before  # keys come one by one, unseen
        terminal.press("h")
        terminal.wait_for("An optimal mix", "% mix", "− cost")
        terminal.press("9")
        terminal.wait_for("There is no 9 in a game of 4 cards.", "round 1 of 4", "q quit")
        terminal.press("\x1b[A\x1b[B\x1bOD")  # arrow keys are no aces
        terminal.press(b"\xe9")  # of another encoding
        terminal.wait_for("is no card")
        terminal.press("?")
        terminal.wait_for("How to play")
        terminal.press("4")
        terminal.wait_for("round 1 of 4", "Bid: A 2 3 4", "q quit")  # any key leaves the help, and bids nothing
        terminal.press("3")
        second = terminal.wait_for("round 2 of 4", "Bid: A 2 4", "q quit")
        assert outcome(scored(load(only_file(games)))[0]) in second
        assert bids(only_file(games)) == [3]
        terminal.press("3")
        terminal.wait_for("You no longer hold the 3.")
        terminal.press("a2")
        terminal.wait_for("round 4 of 4", "Bid: 4", "q quit")
        terminal.press("4")
        code, left = terminal.wait_for_end()
        assert code == 0
        assert terminal.attributes() == terminal.before
    record = load(only_file(games))
    assert (record.is_over, record.tags["hints"]) == (True, "1")
    assert bids(only_file(games)) == [3, 1, 2, 4]
    assert outcome(scored(record)[-1]) in left
    assert re.search(r"You (win|lose), \d+ : \d+\.|A draw, \d+ : \d+\.", left)
    assert "luck of the draw" in left
    assert f"goofspiel review {only_file(games)}" in left
    assert terminal.written.count("\x1b[?1049h") == terminal.written.count("\x1b[?1049l") == 1
    assert COLOUR.search(terminal.written)


def test_quit_and_resume_is_the_same_game(play: Callable[..., Terminal], games: Path) -> None:
    with play("--cards", "5", "--seed", "11") as terminal:
        for number, key in enumerate("42531", start=1):
            terminal.wait_for(f"round {number} of 5", "q quit")
            terminal.press(key)
        assert terminal.wait_for_end()[0] == 0
    whole = load(only_file(games))
    only_file(games).unlink()
    with play("--cards", "5", "--seed", "11") as terminal:
        terminal.wait_for("round 1 of 5", "q quit")
        terminal.press("42")
        before = terminal.wait_for("round 3 of 5", "q quit")
        terminal.press("q")
        code, left = terminal.wait_for_end()
        assert code == 0
        assert "The game is saved, and goes on with: goofspiel play --resume" in " ".join(left.split())
        assert terminal.attributes() == terminal.before
    with play("--resume") as terminal:
        assert terminal.wait_for("round 3 of 5", "q quit") == before
        terminal.press("531")
        assert terminal.wait_for_end()[0] == 0
    record = load(only_file(games))
    assert record.rounds == whole.rounds
    assert {**record.tags, "date": ""} == {**whole.tags, "date": ""}


def test_undo_takes_a_round_back(play: Callable[..., Terminal], games: Path) -> None:
    with play("--cards", "4", "--undo") as terminal:
        terminal.wait_for("round 1 of 4", "u undo", "q quit")
        terminal.press("2")
        terminal.wait_for("round 2 of 4", "q quit")
        terminal.press("u")
        terminal.wait_for("round 1 of 4", "Bid: A 2 3 4", "q quit")
        terminal.press("q")
        assert terminal.wait_for_end()[0] == 0
    assert load(only_file(games)).tags["undone"] == "1"


@pytest.mark.parametrize("stop", ["\x03", signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_game_is_kept_and_the_terminal_restored(
    play: Callable[..., Terminal], games: Path, stop: signal.Signals | str
) -> None:
    with play("--cards", "4", "--seed", "3") as terminal:
        terminal.wait_for("round 1 of 4", "q quit")
        terminal.press("2")
        terminal.wait_for("round 2 of 4", "q quit")
        if isinstance(stop, str):
            terminal.press(stop)
        else:
            os.kill(terminal.process.pid, stop)
        code, left = terminal.wait_for_end()
        assert code == 1
        said = " ".join(left.split())
        assert said == "goofspiel: interrupted: the game is saved, and goes on with: goofspiel play --resume"
        assert terminal.attributes() == terminal.before
        assert terminal.written.rstrip().rpartition("\x1b[?1049l")[0].endswith("\x1b[?25h")  # the cursor is back
    assert bids(only_file(games)) == [2]
    assert load(only_file(games)).rounds[-1].is_open


def test_a_terminal_that_goes_away_leaves_the_game(play: Callable[..., Terminal], games: Path) -> None:
    with play("--cards", "4") as terminal:
        terminal.wait_for("round 1 of 4", "q quit")
        terminal.press("2")
        terminal.wait_for("round 2 of 4", "q quit")
        terminal.hang_up()
        terminal.process.wait(PATIENCE)
    assert bids(only_file(games)) == [2]


def test_the_screen_follows_the_size_of_the_terminal(play: Callable[..., Terminal]) -> None:
    with play("--cards", "4") as terminal:
        wide = terminal.wait_for("round 1 of 4", "q quit")
        assert max(map(len, wide.splitlines())) > 40
        terminal.resize(40, 20)
        terminal.wait_for("round 1/4", "q quit")
        assert max(map(len, terminal.frame.splitlines())) < 40
        assert len(terminal.frame.splitlines()) <= 20
        terminal.resize(100, 40)
        terminal.wait_for("round 1 of 4", "q quit")
        terminal.press("q")
        assert terminal.wait_for_end()[0] == 0


def test_a_suspended_game_gives_the_terminal_back_and_goes_on(tables: Path, games: Path) -> None:
    """Ctrl-Z under a shell that controls jobs."""
    env = {"GOOFSPIEL_STORE": str(tables), "GOOFSPIEL_GAMES": str(games), "PS1": "ready ", "HISTFILE": ""}
    with Terminal("--norc", "--noprofile", "--noediting", "-i", env=env, program="/bin/bash") as terminal:
        terminal.wait_for("ready ")
        terminal.press(f"{COMMAND} play --cards 4 --seed 3\n")
        terminal.wait_for("round 1 of 4", "q quit")
        during = terminal.attributes()[LFLAG]
        terminal.press("2")
        terminal.wait_for("round 2 of 4", "q quit")
        terminal.press("\x1a")
        terminal.wait_for("Stopped")
        assert terminal.attributes()[LFLAG] & termios.ICANON
        assert terminal.attributes()[LFLAG] & termios.ECHO
        terminal.press("fg\n")
        terminal.wait_for("round 2 of 4", "Bid: A 3 4", "q quit")
        assert terminal.attributes()[LFLAG] == during
        terminal.press("3")
        terminal.wait_for("round 3 of 4", "q quit")
        terminal.press("q")
        terminal.wait_for("The game is saved")
        terminal.press("exit\n")
        assert terminal.wait_for_end()[0] == 0
    assert bids(only_file(games)) == [2, 3]


def test_no_colour_where_none_is_wanted(play: Callable[..., Terminal]) -> None:
    with play("--cards", "4", "--hints", env={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("round 1 of 4", "% mix", "q quit")
        terminal.press("q")
        assert terminal.wait_for_end()[0] == 0
    assert not COLOUR.search(terminal.written)


def test_a_terminal_without_unicode(play: Callable[..., Terminal]) -> None:
    with play("--cards", "4", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}) as terminal:
        frame = terminal.wait_for("round 1 of 4", "q quit")
        assert "| A || 2 || 3 || 4 |" in frame
        assert "\\" not in frame
        terminal.press("q")
        assert terminal.wait_for_end()[0] == 0


def test_a_dumb_terminal_is_asked_line_by_line(play: Callable[..., Terminal], games: Path) -> None:
    with play("--cards", "4", "--opponent", "match", env={"TERM": "dumb"}) as terminal:
        for card in (4, 3, 2, 1):
            terminal.wait_for(f"Round {5 - card} of 4", "bid? ")
            terminal.press(f"{card}\n")
        assert terminal.wait_for_end()[0] == 0
    assert "\x1b" not in terminal.written
    assert bids(only_file(games)) == [4, 3, 2, 1]
