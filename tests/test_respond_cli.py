"""What the respond verb prints, for people and for programs, and what it refuses."""

import re
from pathlib import Path

import pytest
from command import the_json
from courses import ROUNDING, slow_response
from fixtures import Call

from goofspiel.best_response.response import Response, respond
from goofspiel.players.players import BidUpcardPlayer
from goofspiel.position import Position


def test_the_command_says_it_in_words(call: Call) -> None:
    code, out, err = call("respond", "uniform", "--cards", 3)
    assert code == 0
    assert out.splitlines() == [
        "player          uniform, 3 cards",
        "best response   +1.333333 points",
        "exploitability  1.333333",
        "",
        "upcard  best bid       gains  the player's mix",
        "     A         A   +1.333333  A 0.3333  2 0.3333  3 0.3333",
        "     2         2   +1.333333  A 0.3333  2 0.3333  3 0.3333",
        "     3         3   +1.333333  A 0.3333  2 0.3333  3 0.3333",
    ]
    assert err == "responding 100% 57 of 57 positions\n"
    assert call("respond", "uniform", "--cards", 3, "--quiet")[2] == ""


def test_the_command_shortens_long_mixes_and_small_numbers(call: Call) -> None:
    _, out, _ = call("respond", "uniform", "--cards", 5, "--objective", "win", "--quiet")
    assert re.search(r"^best response   \+0\.\d{6} P\(win\) − P\(loss\)$", out, re.MULTILINE)
    assert out.count("A 0.2000  2 0.2000  3 0.2000  4 0.2000  …\n") == 5
    _, out, _ = call("respond", "optimal", "--cards", 4, "--quiet")
    assert re.search(r"^best response   \+0\.000000 points$", out, re.MULTILINE)
    assert re.search(r"^exploitability  \d\.\de[-+]\d\d$", out, re.MULTILINE)


def test_the_command_for_programs(call: Call) -> None:
    found = the_json(call("respond", "match", "--cards", 4, "--objective", "win", "--json", "--threads", 1))
    response = respond(BidUpcardPlayer(), 4, objective="win")
    assert isinstance(response, Response)
    assert found.pop("wall_seconds") > 0
    moves = found.pop("first_move")
    assert found == {
        "player": "match",
        "rules": "4 win",
        "cards": 4,
        "objective": "win",
        "value": response.value,
        "exploitability": response.value,
        "nash_conv": 2 * response.value,
    }
    assert list(moves) == ["A", "2", "3", "4"]
    assert moves["4"]["mix"] == {"A": 0.0, "2": 0.0, "3": 0.0, "4": 1.0}
    assert sum(move["value"] for move in moves.values()) / 4 == response.value


def test_a_rule_as_an_option_is_a_rule_in_the_name(call: Call) -> None:
    results = [
        the_json(call("respond", *words, "--cards", 4, "--json"))
        for words in (["optimal,3=A,4=2"], ["optimal", "--lock", "3=A", "--lock", "4=2"])
    ]
    for result in results:
        del result["wall_seconds"]
    assert results[0] == results[1]
    assert results[0]["player"] == "optimal:points,3=A,4=2"
    assert results[0]["value"] > 0.5


def test_a_function_from_a_file(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "bots.py"
    file.write_text(
        "import time\ndef highest(position):\n    return position.my_cards[-1]\n"
        "def slow(position):\n    time.sleep(60)\ndef silent(position):\n    pass\n",
        encoding="utf-8",
    )
    found = the_json(call("respond", f"{file}:highest", "--cards", 3, "--json"))
    expected = slow_response(lambda position: {position.my_cards[-1]: 1.0}, "points")(Position.start(3))
    assert found["value"] == pytest.approx(expected, abs=ROUNDING)
    for name, said in (("slow", "gave no answer within 1 seconds"), ("silent", "gave no answer")):
        code, out, err = call("respond", f"{file}:{name}", "--cards", 2, "--patience", 1, "--quiet")
        assert (code, out) == (1, "")
        assert err.startswith(f"goofspiel: player {file}:{name} {said}: 'A2/A2/")
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("drawn", "answers '"),
        ("denies_the_lead", "says that it does not look at the lead, but answers "),
    ],
)
def test_a_function_that_is_no_mix_is_refused_in_one_line(call: Call, name: str, said: str) -> None:
    bot = f"{Path(__file__).parent / 'bots.py'}:{name}"
    code, out, err = call("respond", bot, "--cards", 5, "--quiet")
    assert (code, out) == (1, "")
    assert err.startswith(f"goofspiel: player {bot} {said}")
    assert err.count("\n") == 1
    assert call("match", bot, "uniform", "--cards", 5, "--games", 64, "--quiet")[0] == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nobody"], 2, "no player is called 'nobody'"),
        (["uniform", "--lock", "K"], 2, "a rule is UPCARD=BID, as in K=A, or UPCARD=BID*P+BID*P with probabilities"),
        (["uniform", "--lock", "3=A", "--lock", "3=2"], 2, "two rules for the same upcard"),
        (["uniform", "--cards", "16"], 1, "a best response to uniform in a game of 16 cards needs"),
        (["uniform", "--cards", "17"], 2, "number of cards must be 1 to 16, not '17'"),
        (["uniform", "--threads", "0"], 2, "threads must be 1 to 1024, not '0'"),
        (["uniform", "--patience", "0"], 2, "patience must be 1 to"),
        (["uniform", "--objective", "money"], 2, "invalid choice: 'money'"),
        ([], 2, "PLAYER"),
    ],
)
def test_wrong_commands_are_refused_in_one_line(call: Call, words: list[str], code: int, said: str) -> None:
    done, out, err = call("respond", *words)
    assert (done, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1
