"""What a person types: words, keys, replies, hints; the files that a game is saved in."""

import os
import shutil
from functools import partial
from pathlib import Path

import pytest
from fixtures import Tablebases
from sessions import begin, dialogue, lowest, shown, to_the_end

from goofspiel.errors import PlayerError, RecordError
from goofspiel.position import Position
from goofspiel.records.saved import held, load, new_file, save, unfinished
from goofspiel.roster import load_player
from goofspiel.terminal.console import is_whole, keys_in
from goofspiel.terminal.dialogue import key_of, understood
from goofspiel.terminal.transcript import game_json

# --- what is understood


@pytest.mark.parametrize(
    ("words", "cards", "wish"),
    [
        ("A a 1 [1]", 9, 1),
        ("9 [9]", 9, 9),
        ("T t 0 10 [10]", 13, 10),
        ("Q q 12", 12, 12),
        ("K k 13", 13, 13),
        ("L l 14 [14]", 16, 14),
        ("N n 16", 16, 16),
        ("q x X quit exit \x04", 11, "quit"),
        ("x quit", 13, "quit"),
        ("h H hint", 13, "hint"),
        ("u undo", 13, "undo"),
        ("? help", 13, "help"),
        ("w 17 00 AA -1 é", 13, None),
    ],
)
def test_words(words: str, cards: int, wish: int | str | None) -> None:
    assert [understood(f"{word}\n", cards) for word in words.split(" ")] == [wish] * len(words.split(" "))
    assert understood("\n", cards) is None


def test_every_card_has_a_key_of_its_own() -> None:
    for cards in range(2, 17):
        assert [understood(key_of(card).lower(), cards) for card in range(1, cards + 1)] == list(range(1, cards + 1))


@pytest.mark.parametrize(
    ("typed", "keys", "whole"),
    [
        ("5", "5", True),
        ("5K", "5K", True),
        ("\x1b[A", "", True),  # an arrow
        ("\x1b[15~", "", True),  # a function key
        ("\x1b[1;5C7", "7", True),  # an arrow with Ctrl, and a card
        ("\x1bOA\x1bOB3", "3", True),
        ("\x1bk", "", True),  # Alt and a card
        ("4\x1b", "4", False),
        ("4\x1b[", "4", False),
        ("4\x1b[1;", "4", False),
        ("\x1bO", "", False),
        ("é", "é", True),
    ],
)
def test_keys_of_several_characters_are_no_cards(typed: str, keys: str, whole: bool) -> None:
    assert "".join(keys_in(typed)) == keys
    assert is_whole(typed) is whole


# --- the dialogue


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("6", "There is no 6 in a game of 5 cards."),
        ("k", "There is no K in a game of 5 cards."),
        ("z", "'z' is no card: press ? for help."),
        ("u", "A bid cannot be taken back, unless the game is started with --undo."),
        ("h", "No hint: not solved: goofspiel solve 13"),
    ],
)
def test_replies(said: str, reply: str) -> None:
    game, saved = dialogue()
    before = game.session
    game.say(said)
    assert (game.reply, game.session) == (reply, before)
    assert saved == [before.record]
    game.say("\n")
    assert game.reply == ""


def test_a_card_is_bid_once() -> None:
    game, saved = dialogue()
    game.say("3")
    game.say("3")
    assert game.reply == "You no longer hold the 3."
    assert saved == [begin().record, begin().bid(3).record]


def test_who_wants_to_quit_by_the_queen_is_told_how() -> None:
    game, _ = dialogue(begin(12))
    game.say("q")
    game.say("q")
    assert game.reply == "You no longer hold the Q. To quit, press x."
    assert not game.is_over


def test_undo_by_a_key() -> None:
    game, saved = dialogue(may_undo=True)
    game.say("u")
    assert game.reply == "There is no round to take back."
    game.say("3")
    game.say("u")
    assert game.session == begin().bid(3).undo()
    assert saved[-1] == game.session.record


def test_hints_by_a_key_and_unasked(tablebase: Tablebases) -> None:
    game, saved = dialogue(tablebase=lambda: tablebase(5))
    assert game.hint is None
    game.say("h")
    assert game.hint == tablebase(5).probe(game.session.position)
    assert saved[-1].tags["hints"] == "1"
    game.say("3")
    assert game.hint is None
    always, saved = dialogue(tablebase=lambda: tablebase(5), always_hint=True)
    for _ in range(5):
        always.say(key_of(lowest(always.session)))
    assert saved[-1].tags["hints"] == "1 2 3 4 5"
    assert always.is_over


def test_a_game_that_cannot_be_saved_goes_on_and_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    path = folder / "game.txt"
    game, _ = dialogue(save=partial(save, path))
    assert load(path) == game.session.record
    shutil.rmtree(folder)
    folder.write_text("in the way")
    game.say("2")
    assert game.session == begin().bid(2)
    assert game.unsaved
    assert f"The game could not be saved: {game.unsaved}." in shown(game)
    assert game_json(game, path)["file"] is None
    folder.unlink()
    game.say("3")
    assert not game.unsaved
    assert load(path) == game.session.record


# --- files


def test_files_of_games(tmp_path: Path, games: Path) -> None:
    from datetime import datetime

    now = datetime(2026, 7, 1, 20, 15, 9)
    assert unfinished(games) is None
    paths = [new_file(games, now) for _ in range(3)]
    assert [path.name for path in paths] == [
        "2026-07-01-201509.txt",
        "2026-07-01-201509-2.txt",
        "2026-07-01-201509-3.txt",
    ]
    assert unfinished(games) is None  # nothing is in them yet
    save(paths[2], begin(5, 1).record)
    save(paths[0], to_the_end(begin(5, 2)).record)
    save(paths[1], begin(5, 3).record)
    for age, path in enumerate([paths[0], paths[2], paths[1]]):
        os.utime(path, (1000 - age, 1000 - age))
    assert unfinished(games) == paths[2]  # the one that was played last, over or not by its name
    assert load(paths[2]) == begin(5, 1).record
    assert sorted(games.iterdir()) == sorted(paths)  # nothing is left of writing


def test_a_damaged_game_does_not_hide_an_older_one(games: Path) -> None:
    from datetime import datetime

    good, bad, worse = (new_file(games, datetime(2026, 7, day)) for day in (1, 2, 3))
    save(good, begin(5, 1).record)
    bad.write_text("cards: 5\n\n23")
    worse.write_bytes(b"\xff\xfe")
    (games / "gone.txt").symlink_to(games / "nowhere")
    for age, path in enumerate([worse, bad, good]):
        os.utime(path, (1000 - age, 1000 - age))
    told: list[RecordError] = []
    assert unfinished(games, told.append) == good
    assert [str(error).partition(":")[0] for error in told] == [str(worse), str(bad)]


def test_a_game_is_played_by_one_at_a_time(games: Path) -> None:
    from datetime import datetime

    path = new_file(games, datetime(2026, 7, 1))
    with held(path):
        with pytest.raises(RecordError, match=f"{path} is being played by another process .pid {os.getpid()} on "):
            held(path).__enter__()
        assert unfinished(games) is None
    with held(path), pytest.raises(FileNotFoundError):
        held(games / "none.txt").__enter__()
    assert list(games.iterdir()) == [path]


# --- a person in a match


def test_a_person_as_a_player(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from io import StringIO

    monkeypatch.setattr("sys.stdin", StringIO("9\nx\n4\n"))
    player = load_player("human", 5)
    assert player.name == "human"
    from goofspiel.batch import PositionBatch

    asked = PositionBatch.of([Position("24/A3/Q K 5")])
    assert player.mixes(asked).tolist() == [[0.0, 1.0]]
    out, err = capsys.readouterr()
    assert out == ""
    assert "Your lead is 5. The prize is K." in err
    assert err.count("bid? ") == 3
    with pytest.raises(PlayerError, match="there are no more bids to read"):
        player.mixes(asked)
