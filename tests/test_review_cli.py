"""What the review verb reads, prints and draws, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import GAME, run, the_json
from fixtures import Call, Tablebases

from goofspiel.records.record import GameRecord, Round
from goofspiel.records.reviews import review
from goofspiel.render.reviews import review_json, review_text
from goofspiel.rules import Rules
from goofspiel.solver import solve


def test_review_of_a_game_on_the_command_line(call: Call, tablebase: Tablebases) -> None:
    code, out, err = call("review", GAME)
    assert (code, err) == (0, "")
    assert out == review_text(review(GameRecord.read(GAME), tablebase(5))) + "\n"


def test_review_reads_files_and_standard_input(call: Call, tmp_path: Path) -> None:
    expected = call("review", GAME)
    assert expected[0] == 0
    file = tmp_path / "game.txt"
    for content in (GAME, f"\ufeff{GAME}\n", GameRecord.read(GAME).to_file(), f"# a remark\n\n{GAME}"):
        file.write_text(content, encoding="utf-8")
        assert call("review", file) == expected
        assert call("review", "-", stdin=content.removeprefix("\ufeff")) == expected


def rounded(found: Any) -> Any:
    """Without the last bits, which depend on what a process has solved before."""
    if isinstance(found, dict):
        return {name: rounded(part) for name, part in found.items()}
    if isinstance(found, list):
        return [rounded(part) for part in found]
    return round(found, 9) + 0.0 if isinstance(found, float) else found


def test_review_json_is_one_object_a_game(call: Call, tablebase: Tablebases) -> None:
    found = the_json(call("review", GAME, "--json"))
    plain = review_json(review(GameRecord.read(GAME), tablebase(5)))
    assert rounded(found) == rounded({"game": 1, "side": "mine", **plain})
    other = the_json(call("review", GAME, "--json", "--side", "theirs"))
    swapped = review_json(review(GameRecord.read(GAME), tablebase(5)).swap())
    assert rounded(other) == rounded({"game": 1, "side": "theirs", **swapped})
    assert other["record"] == "542 AA5 33A 453 224"
    assert other["cost"] == found["their_cost"] > 0


def test_review_of_several_games(call: Call) -> None:
    text = f"{GameRecord.read(GAME).to_file()}\n{GameRecord(Rules(4), (Round(3, 2, 1),)).to_file()}"
    code, out, err = call("review", "-", "--json", stdin=text)
    assert (code, err) == (0, "")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["game"], line["cards"], line["record"]) for line in lines] == [(1, 5, GAME), (2, 4, "32A")]
    assert the_json(call("review", "-", "--json", "--game", 2, stdin=text)) == lines[1]
    code, out, err = call("review", "-", stdin=text)
    assert (code, err) == (0, "")
    assert out.startswith("game 1: 5 cards, objective points\n")
    assert "\n\ngame 2: 4 cards, objective points\n" in out
    assert call("review", "-", "--game", 2, stdin=text)[1].startswith("game 2: 4 cards")


def test_review_for_the_objective_of_the_record_or_another(store: Path) -> None:
    tagged = "objective: win\n\n2A3 33A A22"
    for text, options, objective in (
        ("2A3 33A A22", (), "points"),
        (tagged, (), "win"),
        (tagged, ("--objective", "points"), "points"),
        ("2A3 33A A22", ("--objective", "win"), "win"),
    ):
        done = run("review", "-", "--json", *options, store=store, stdin=text)
        assert (done.returncode, done.stderr) == (0, "")
        assert json.loads(done.stdout)["objective"] == objective


def test_review_draws_a_figure(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "review.png"
    code, out, err = call("review", GAME, "--figure", path)
    assert (code, err) == (0, "")
    assert out == f"{call('review', GAME)[1]}\n{path}\n"
    assert path.read_bytes().startswith(b"\x89PNG")
    assert the_json(call("review", GAME, "--json", "--figure", path))["figure"] == str(path)


TWO = "cards: 5\n\n524\n\ncards: 5\n\n524 5"


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (["nowhere.txt"], "", "there is no file 'nowhere.txt', and it is no record: round 1: unknown card 'n'"),
        (["games"], "", "there is no file 'games', and it is no record"),
        (["524 3X"], "", "there is no file '524 3X', and it is no record: round 2: unknown card 'X' in '3X'"),
        (["524 33"], "", "round 2: a round is upcard, my bid, their bid, or an upcard alone, not '33'"),
        (["524 325", "--cards", "5"], "", "round 2, '325': card 2 is not in my hand"),
        (["-", "--cards", "5"], "524\n325", "round 2, '325': card 2 is not in my hand"),
        (["524"], "", "does not say how many cards there are (a line 'cards: 13', or --cards): '524'"),
        (["-"], TWO, "game 2: round 2, '5': card 5 is not in the deck"),
        (["-", "--game", "1"], TWO, "game 2: round 2, '5': card 5 is not in the deck"),
        (["-"], "cards: 5\nobjective: glory\n\n524", "the objective of a record is points or win, not 'glory'"),
        (["-", "--cards", "4"], "cards: 5\n\n524", "the record is of a game of 5 cards, not of 4"),
        (["-"], "", "there is no game in the record '-'"),
        ([""], "", "there is no game in the record ''"),
        (["524", "--cards", "5", "--game", "2"], "", "the record has 1 game, not a game 2"),
        (["-", "--game", "3"], "cards: 5\n\n524\n\ncards: 5\n\n5", "the record has 2 games, not a game 3"),
        (["-", "--figure", "x.png"], "cards: 5\n5\ncards: 5\n5", "a figure is of one game: --game picks one of the 2"),
        (["524", "--cards", "10"], "", "the table of 10 cards for points is not solved in"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_1(call: Call, arguments: list[str], stdin: str, message: str) -> None:
    code, out, err = call("review", *arguments, stdin=stdin)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("goofspiel: ")
    assert message in err


@pytest.mark.parametrize(
    "options",
    [["--cards", "17"], ["--side", "both"], ["--objective", "glory"], ["--game", "0"], ["--game", "x"], ["more"]],
)
def test_wrong_options_are_usage(call: Call, options: list[str]) -> None:
    code, out, err = call("review", GAME, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_a_missing_table_names_the_command_and_the_game(call: Call, tables: Path) -> None:
    text = "cards: 10\n\n524\n\ncards: 5\n\n524"
    code, out, err = call("review", "-", "--json", stdin=text)
    assert code == 1
    asked = f"goofspiel: game 1: the table of 10 cards for points is not solved in {tables}: goofspiel solve 10 (about "
    assert err.startswith(asked)
    assert json.loads(out)["game"] == 2  # the other one is reviewed


def test_a_table_that_keeps_only_its_last_level(call: Call, tmp_path: Path) -> None:
    solve(5, store=tmp_path, keep="last")
    code, out, err = call("review", GAME, "--store", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "keeps only its last level" in err
    assert "goofspiel solve 5" in err


def test_what_is_no_text_file(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "game.bin"
    file.write_bytes(b"\xff\xfe524")
    assert call("review", file) == (1, "", f"goofspiel: {file} is not a text file: a record is written in utf-8\n")
    code, out, err = call("review", tmp_path)
    assert (code, out) == (1, "")
    assert err == f"goofspiel: Is a directory: {tmp_path}\n"


def test_an_error_in_a_file_names_the_file(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("cards: 5\n\n524 5", encoding="utf-8")
    code, _, err = call("review", file)
    assert code == 1
    assert err.startswith(f"goofspiel: {file}: round 2, '5': card 5 is not in the deck")
