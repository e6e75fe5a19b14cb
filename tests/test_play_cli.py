"""Games through pipes: what the play verb prints, saves and resumes, and what it refuses."""

import json
import os
import re
import shlex
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from command import run, the_json
from fixtures import Call
from terminal import only_file

from goofspiel.records.saved import held, load
from goofspiel.terminal.words import outcome, scored

pytestmark = pytest.mark.usefixtures("games")


def play(*arguments: str, store: Path, stdin: str = "", **options: Any) -> CompletedProcess[str]:
    return run("play", *arguments, store=store, stdin=stdin, **options)


def test_a_game_through_a_pipe(tables: Path, games: Path) -> None:
    done = play("--cards", "4", "--seed", "2", "--opponent", "match", store=tables, stdin="9\n4\nh\n1\n?\n\n3\n2\n")
    assert (done.returncode, done.stderr) == (0, "")
    record = load(only_file(games))
    assert record.is_over
    assert [played.mine for played in record.rounds] == [4, 1, 3, 2]
    assert record.tags["hints"] == "2"
    out = done.stdout
    assert "There is no 9 in a game of 4 cards." in out
    assert "An optimal mix" in out
    assert "How to play" in out
    for found in scored(record):
        assert outcome(found) in out
    mine = sum(played.upcard for played in record.rounds if played.mine > played.theirs)
    assert re.search(rf"You (win|lose), {mine} : \d+\.|A draw", out)
    assert "luck of the draw" in out  # the review
    assert f"goofspiel review {only_file(games)}" in out


def test_the_same_by_optimal_play_without_the_review_table(tables: Path, games: Path) -> None:
    """Against another player no table is needed; a hint and the review say what is missing."""
    done = play(
        "--cards",
        "12",
        "--seed",
        "2",
        "--opponent",
        "uniform",
        store=tables,
        stdin="h\n" + "".join(f"{c}\n" for c in range(1, 13)),
    )
    assert done.returncode == 0
    assert "No hint: the table of 12 cards for points is not solved" in done.stdout
    assert "No review: the table of 12 cards for points is not solved" in done.stdout
    assert "goofspiel solve 12" in done.stdout
    assert load(only_file(games)).is_over


def test_json(tables: Path, games: Path) -> None:
    done = play("--cards", "4", "--seed", "2", "--json", "--undo", store=tables, stdin="4\nu\n3\nh\n2\n1\n4\n")
    found = json.loads(done.stdout)
    record = load(only_file(games))
    mine = sum(played.upcard for played in record.rounds if played.mine > played.theirs)
    theirs = sum(played.upcard for played in record.rounds if played.mine < played.theirs)
    assert found == {
        "rules": "4",
        "cards": 4,
        "objective": "points",
        "opponent": "optimal",
        "seed": 2,
        "record": str(record),
        "over": True,
        "points": {"mine": mine, "theirs": theirs},
        "result": "win" if mine > theirs else "loss" if mine < theirs else "draw",
        "hints": [2],
        "undone": 1,
        "file": str(only_file(games)),
    }
    assert "Round 1 of 4" in done.stderr


def test_a_pipe_that_ends_early_leaves_the_game_to_be_resumed(tables: Path, games: Path) -> None:
    whole = play("--cards", "4", "--seed", "5", "--json", store=tables, stdin="1\n2\n3\n4\n")
    only_file(games).unlink()
    half = the_json(_call(play("--cards", "4", "--seed", "5", "--json", store=tables, stdin="1\n2\n")))
    assert (half["over"], half["result"]) == (False, None)
    assert len(half["record"].split()) == 3  # the last one open
    said = play("--resume", store=tables, stdin="q\n")
    assert "The game is saved, and goes on with: goofspiel play --resume" in said.stdout
    rest = the_json(_call(play("--resume", "--json", store=tables, stdin="3\n4\n")))
    assert rest["record"] == json.loads(whole.stdout)["record"]
    over = play("--resume", store=tables)
    assert (over.returncode, over.stdout) == (1, "")
    assert over.stderr == f"goofspiel: there is no unfinished game in {games}\n"
    named = play("--resume", str(only_file(games)), store=tables)
    assert named.returncode == 1
    assert named.stderr == f"goofspiel: {only_file(games)}: the game is over: goofspiel review {only_file(games)}\n"


def test_a_damaged_newest_game_is_left_out_and_named(tables: Path, games: Path) -> None:
    play("--cards", "4", "--seed", "5", store=tables, stdin="1\nq\n")
    good, bad = only_file(games), games / "bad.txt"
    bad.write_text("cards: 4\nmine: human\ntheirs: optimal\nseed: 3\n\n23A 9\n")
    os.utime(bad, (2**33, 2**33))
    found = the_json(_call(done := play("--resume", "--json", store=tables, stdin="2\n3\n4\n")))
    assert (found["over"], found["file"]) == (True, str(good))
    assert done.stderr.startswith(f"goofspiel: left out: {bad}: round 2, '9'")


def test_the_second_of_two_that_resume_a_game_is_refused(tables: Path, games: Path) -> None:
    play("--cards", "4", "--seed", "5", store=tables, stdin="1\nq\n")
    path = only_file(games)
    with held(path):
        for arguments in (["--resume"], ["--resume", str(path)]):
            done = play(*arguments, store=tables, stdin="2\n")
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith(f"goofspiel: {path} is being played by another process (pid {os.getpid()}")
            assert done.stderr.count("\n") == 1
    assert the_json(_call(play("--resume", "--json", store=tables, stdin="2\n3\n4\n")))["over"]


def _call(done: CompletedProcess[str]) -> tuple[int, str, str]:
    return done.returncode, done.stdout, done.stderr


def test_a_game_elsewhere_says_how_it_goes_on(tables: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    done = play("--cards", "4", "--saved", str(folder), store=tables, stdin="q\n")
    command = done.stdout.rpartition("goes on with: ")[2].strip()
    assert command == f"goofspiel play --resume '{only_file(folder)}'"


@pytest.mark.parametrize(
    ("rounds", "named"),
    [
        ("23A A22 2", "round 3, '2'"),
        ("23A 9", "round 2, '9'"),
        ("23A A2", "round 2: a round is upcard, my bid, their bid, or an upcard alone, not 'A2'"),
        ("23A A3Z", "round 2: unknown card 'Z'"),
    ],
)
def test_a_damaged_file_is_an_error_that_names_the_round(tables: Path, games: Path, rounds: str, named: str) -> None:
    games.mkdir()
    path = games / "game.txt"
    path.write_text(f"cards: 4\nmine: human\ntheirs: optimal\nseed: 3\n\n{rounds}\n")
    before = path.read_bytes()
    for arguments in (["--resume"], ["--resume", str(path)]):
        done = play(*arguments, store=tables, stdin="4\n")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"goofspiel: {path}: {named}")
        assert done.stderr.count("\n") == 1
    assert path.read_bytes() == before
    assert only_file(games) == path


def test_what_is_no_text_is_no_game(tables: Path, games: Path) -> None:
    games.mkdir()
    path = games / "game.txt"
    path.write_bytes(b"\xff\xfe\x00")
    done = play("--resume", store=tables)
    assert _call(done) == (1, "", f"goofspiel: {path}: this is no text\n")


def test_a_folder_that_cannot_be_written_stops_the_game_before_it_starts(tables: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = play("--cards", "4", "--saved", str(tmp_path / "file" / "games"), store=tables, stdin="4\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert str(tmp_path / "file") in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--cards", "1"], 2, "number of cards must be 2 to 16, not 1"),
        (["--cards", "17"], 2, "number of cards must be 1 to 16, not '17'"),
        (["--seed", "-1"], 2, "seed must be 0 to"),
        (["--resume", "--cards", "9"], 2, "--cards: not with --resume"),
        (["--resume", "--cards", "9", "--seed", "3"], 2, "--cards and --seed: not with --resume"),
        (["--resume", "nowhere.txt"], 1, "No such file or directory: nowhere.txt"),
        (["--opponent", "nobody"], 2, "no player is called 'nobody'"),
        (["--opponent", "human"], 2, "you play yourself"),
        (["--cards", "12"], 1, "goofspiel solve 12"),
        (["--cards", "12", "--objective", "win"], 1, "goofspiel solve 12 --objective win"),
    ],
)
def test_errors_are_one_line(call: Call, games: Path, arguments: list[str], code: int, said: str) -> None:
    found, out, err = call("play", *arguments)
    assert (found, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1
    assert not games.exists()


def test_a_table_that_must_be_solved_first_is_announced(tmp_path: Path) -> None:
    done = play("--cards", "3", "--objective", "win", store=tmp_path, stdin="q\n")
    assert done.stderr == "solving the game of 3 cards to win, once …\n"
    assert done.stdout.startswith("Goofspiel, 3 cards, to win, against optimal.")
    assert play("--cards", "3", "--objective", "win", store=tmp_path, stdin="q\n").stderr == ""


def test_a_player_that_fails_ends_the_game_in_one_line(tables: Path, games: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def bid(position):\n    return 1 if position.level == 3 else position.my_cards[9]\n")
    done = play("--cards", "3", "--opponent", f"{bot}:bid", store=tables, stdin="3\n2\n")
    assert done.returncode == 1
    assert "IndexError" in done.stderr
    assert done.stderr.count("\n") == 1
    bot.write_text("def bid(position):\n    return 1 if position.level == 3 else position.my_cards[0]\n")
    assert play("--resume", "--opponent", f"{bot}:bid", store=tables, stdin="3\n2\n1\n").returncode == 0
    assert load(only_file(games)).is_over


# --- a record names code


@pytest.mark.parametrize("form", ["{}", "respond:({},3=A)"])
def test_a_record_does_not_run_code_unless_the_command_line_names_it(
    tables: Path, games: Path, tmp_path: Path, form: str
) -> None:
    (tmp_path / "bot.py").write_text(
        "from pathlib import Path\nPath(__file__).with_name('ran').touch()\n"
        "def bid(position):\n    return position.my_cards[0]\n"
    )
    opponent = form.format(f"{tmp_path}/bot.py:bid")
    games.mkdir()
    path = games / "game.txt"
    path.write_text(f"cards: 4\nmine: human\ntheirs: {opponent}\nseed: 3\n\n")
    for arguments in (["--resume"], ["--resume", str(path)]):
        done = play(*arguments, store=tables, stdin="4\n")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert done.stderr.startswith(f"goofspiel: {path}: its opponent {opponent!r} is code")
        assert f"--opponent {shlex.quote(opponent)}" in done.stderr
    other = play("--resume", "--opponent", f"{tmp_path}/bot.py:other", store=tables, stdin="4\n")
    assert (other.returncode, other.stdout, other.stderr.count("\n")) == (2, "", 1)
    assert f"the game was begun against {opponent!r}" in other.stderr
    assert not (tmp_path / "ran").exists()
    done = play("--resume", "--opponent", opponent, store=tables, stdin="4\n")
    assert done.returncode == 0
    assert done.stdout.endswith(f"goofspiel play --resume --opponent {shlex.quote(opponent)}\n")
    assert (tmp_path / "ran").exists()


def test_a_review_does_not_load_players(tables: Path, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("from pathlib import Path\nPath(__file__).with_name('ran').touch()\n")
    record = tmp_path / "game.txt"
    record.write_text(f"cards: 4\nmine: {tmp_path}/bot.py:f\ntheirs: {tmp_path}/bot.py:f\n\n444 A2A 333 2A2\n")
    assert run("review", str(record), store=tables).returncode == 0
    assert not (tmp_path / "ran").exists()
