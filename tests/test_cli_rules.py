"""The command line: every verb takes the rules, and says of which game it speaks."""

import csv
import io
import json
from pathlib import Path

import pytest
from command import the_json
from fixtures import Call

from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.store.paths import rules_options
from goofspiel.tablebase.alone import probe_alone

GAMES = (
    "4 carry",
    "4 win carry",
    "4 order=descending",
    "4 win order=3,1,4,2",
    "4 prizes=1,1,2,5",
    "4 carry prizes=2,2,20,30",
    "5 rounds=3",
    "4 win carry prizes=1,2,2,7,9 order=7,2,9,1,2 rounds=3",
)


def options_of(game: str) -> list[str]:
    return rules_options(Rules.parse(game))


@pytest.mark.parametrize("game", GAMES)
def test_solve_probe_table_verify_and_info_of_any_game(call: Call, tmp_path: Path, game: str) -> None:
    rules, options = Rules.parse(game), options_of(game)
    there = ["--store", tmp_path]
    forecast = the_json(call("solve", rules.cards, *options, "--dry-run", "--json", *there))
    solved = the_json(call("solve", rules.cards, *options, "--json", "--quiet", *there))
    assert forecast["table"] == solved["table"] == f"{tmp_path}/{rules.slug}.zarr"
    assert (forecast["rules"], solved["rules"], solved["games"]) == (game, game, forecast["games"])
    found = the_json(call("verify", rules.cards, *options, "--json", "--quiet", "--positions", 20, *there))
    assert (found["rules"], found["passed"]) == (game, True)
    (listed,) = the_json(call("info", *options, "--json", *there))["tables"]
    assert (listed["rules"], listed["complete"], listed["bytes"]) == (game, True, solved["bytes"])
    name = " ".join([rules.objective, str(rules.cards), *(word for word in game.split()[1:] if word != "win")])
    assert name in call("info", *there)[1].splitlines()

    exact = probe_alone(Position.start(rules), rules)
    shown = the_json(call("probe", f"start {rules.cards}", "--cards", rules.cards, *options, "--json", *there))
    assert (shown["rules"], shown["table"]) == (game, solved["table"])
    assert shown["value"] == pytest.approx(float(exact.value), abs=1e-6)
    assert float(exact.value) == 0  # both begin with the same
    table = the_json(call("table", rules.cards, *options, "--json", *there))
    upcards = list(table["upcards"])
    assert upcards == ([rules.order[0]] if rules.order else sorted(set(rules.prizes)))
    for column, upcard in enumerate(upcards):
        asked = f"start {rules.cards} [{upcard}]"
        mix = the_json(call("probe", asked, "--cards", rules.cards, *options, "--json", *there))["mine"]
        assert [row[column] for row in table["probability"]] == list(mix.values())


@pytest.mark.parametrize("game", ["4 carry", "4 win order=3,1,4,2", "4 prizes=1,1,2,5", "4 rounds=2"])
def test_rules_in_one_word_are_the_same_as_options(call: Call, tmp_path: Path, game: str) -> None:
    rules = Rules.parse(game)
    one = the_json(call("table", game, "--json", "--store", tmp_path))
    assert one == the_json(call("table", rules.cards, *options_of(game), "--json", "--store", tmp_path))
    assert one["rules"] == game
    assert one == the_json(call("table", "4 open", *options_of(game), "--json", "--store", tmp_path))
    asked = ["probe", f"start 4 [{one['upcards'][0]}]", "--json", "--store", tmp_path]
    assert the_json(call(*asked, "--cards", game)) == the_json(call(*asked, "--cards", 4, *options_of(game)))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("solve", "5 win", "--objective", "points"), ("'5 win'", "points")),
        (("solve", "5 points", "--objective", "win", "--dry-run"), ("'5 points'", "win")),
        (("table", "5 win", "--objective", "points"), ("'5 win'", "points")),
        (("info", "5 win", "--objective", "points"), ("'5 win'", "points")),
        (("verify", "4 rounds=3", "--rounds", "2"), ("'4 rounds=3'", "2")),
        (("probe", "start 5", "--cards", "5 win", "--objective", "points"), ("'5 win'", "points")),
        (("match", "uniform", "match", "--cards", "4 carry", "--ties", "discard"), ("'4 carry'", "discard")),
        (("respond", "match", "--cards", "4 order=4,3,2,1", "--order", "ascending"), ("order=4,3,2,1'", "1,2,3,4")),
        (("play", "--cards", "4 hidden", "--bids", "open"), ("'4 hidden'", "open")),
        (("review", "-", "--cards", "5 win", "--objective", "points"), ("'5 win'", "points")),
    ],
)
def test_rules_in_one_word_are_not_said_otherwise(call: Call, words: tuple[str, ...], named: tuple[str, str]) -> None:
    code, out, err = call(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert all(word in err for word in named), err
    assert call("info", "4 points", "--objective", "points")[0] == 0  # the same twice is no contradiction


def test_listed_prizes_say_how_many_cards_there_are(call: Call, tmp_path: Path) -> None:
    there = ["--quiet", "--json", "--store", tmp_path]
    assert the_json(call("solve", "--prizes", "8,1,1,A", *there))["rules"] == "4 prizes=1,1,1,8"
    assert the_json(call("solve", "--order", "3,A,2", *there))["rules"] == "3 order=3,1,2"
    assert the_json(call("solve", "--prizes", "2,2,5", "--order", "descending", "--rounds", 2, *there))["rules"] == (
        "3 prizes=2,2,5 order=descending rounds=2"
    )
    assert the_json(call("solve", 2, "--prizes", "2,2,5", "--rounds", 1, *there))["rules"] == (
        "2 prizes=2,2,5 rounds=1"
    )
    found = the_json(call("probe", "A23/A23/A2 3", "--order", "3,1,2", "--rounds", 1, "--json", "--store", tmp_path))
    assert found["rules"] == "3 order=3,1,2 rounds=1"


@pytest.mark.parametrize("game", GAMES)
def test_exact_tables_of_any_game(call: Call, tmp_path: Path, game: str) -> None:
    rules, options = Rules.parse(game), [*options_of(game), "--exact", "--store", tmp_path]
    assert the_json(call("solve", rules.cards, *options, "--json", "--quiet"))["rules"] == game
    code, out, _ = call("table", rules.cards, *options)
    assert (code, out.splitlines()[0]) == (0, f"rules {game}")
    found = the_json(call("probe", f"start {rules.cards}", "--cards", rules.cards, *options, "--json"))
    assert (found["rules"], found["value"]) == (game, "0")


# --- without a table


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ("24/A3/Q K", ["--objective", "win"]),
        ("24/A3/Q K -5", []),
        ("24/A3/Q K 0 11", ["--ties", "carry"]),
        ("24/A3/Q K -3 11", ["--ties", "carry", "--objective", "win"]),
        ("24/A3/7 [100]", ["--prizes", "1,1,1,1,1,1,1,1,1,7,100", "--objective", "points"]),
        ("QK/JK/A[99] 2", ["--cards", "13", "--rounds", "12", "--prizes", "1,2,3,4,5,6,7,8,9,10,11,12,13,99"]),
    ],
)
def test_few_cards_are_answered_without_a_table(call: Call, tmp_path: Path, asked: str, options: list[str]) -> None:
    found = the_json(call("probe", asked, *options, "--json", "--store", tmp_path))
    assert found["table"] is None
    exact = the_json(call("probe", asked, *options, "--exact", "--digits", 9, "--json", "--store", tmp_path))
    assert exact["table"] is None
    assert found["value"] == pytest.approx(float(exact["value"]), abs=1e-8)
    for also in ([], ["--exact"]):
        code, out, err = call("probe", asked, *options, *also, "--store", tmp_path)
        assert (code, err) == (0, "")
        assert "table     none: worked out without one" in out.splitlines()
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_is_there_is_asked_and_one_that_is_named_is_needed(call: Call, tmp_path: Path) -> None:
    """The value of a carried tie: the 2 waits for who wins the A, and mine is the higher card."""
    asked = ["probe", "3/2/- A 0 2", "--ties", "carry", "--store", tmp_path]
    assert the_json(call(*asked, "--cards", 3, "--json"))["value"] == 3
    assert the_json(call(*asked, "--json"))["table"] == f"{tmp_path}/points-3-carry.zarr"
    code, out, err = call("probe", "start 10 3", "--ties", "carry", "--store", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    for part in ("'10 carry'", f"goofspiel solve 10 --ties carry --store {tmp_path}", "of disk", "of memory", " on "):
        assert part in err
    code, out, err = call("probe", "24/A3/Q K", "--ties", "carry", "--cards", 13, "--store", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)


# --- how it looks


def test_answers_name_rules_that_are_not_usual(call: Call, tmp_path: Path) -> None:
    options = ["--ties", "carry", "--cards", 3, "--store", tmp_path]
    code, out, err = call("probe", "3/2/- A 0 2", *options)
    assert (code, err) == (0, "")
    assert out.splitlines()[:2] == ["3/2/- A 0 2", "rules     3 carry"]
    code, out, err = call("probe", "-", *options, "--csv", stdin="3/2/- A 0 2\n3/2/- 2 x\nstart 3\n")
    assert code == 1
    assert "line 2" in err
    first, second = csv.DictReader(io.StringIO(out))
    assert (first["rules"], float(first["value"])) == ("3 carry", 3)
    assert (second["position"], second["rules"]) == ("A23/A23/A23 -", "3 carry")
    assert "rules" not in call("probe", "3/2/- A", "--csv", "--cards", 3, "--store", tmp_path)[1]


def test_a_position_that_no_such_game_comes_to(call: Call, tmp_path: Path) -> None:
    options = ["--order", "3,1,2", "--store", tmp_path]
    _, out, _ = call("probe", "3/A/2 - -4", *options)
    assert "note" not in out
    _, out, _ = call("probe", "3/A/2 - -2", *options)
    assert "note      no game of 3 cards comes to this position\n" in out


def test_first_moves_have_a_column_for_each_upcard(call: Call, tmp_path: Path) -> None:
    there = ["--store", tmp_path]
    code, out, err = call("table", "--prizes", "1,1,2,30", *there)
    assert (code, err) == (0, "")
    title, blank, header, _, *rows = out.splitlines()
    assert (title, blank, header.split()) == ("rules 4 prizes=1,1,2,30", "", ["|", "1", "2", "30"])
    assert [len(row.split()) for row in rows] == [5] * 4
    assert rows[-1].split()[-1] == "1.0000"  # the 30 is all that counts: the 4 is bid for it
    _, out, _ = call("table", "--prizes", "1,1,2,30", "--csv", *there)
    lines = list(csv.reader(io.StringIO(out)))
    assert lines[0] == ["bid", "1", "2", "30", "rules"]
    assert {line[-1] for line in lines[1:]} == {"4 prizes=1,1,2,30"}
    latex = call("table", "--prizes", "1,1,2,30", "--latex", *there)[1]
    assert latex.startswith("% rules 4 prizes=1,1,2,30\n\\begin{tabular}{c|rrr|}\n  & \\multicolumn{3}{c}{upcard}")
    header, _, *rows = call("table", 4, "--order", "descending", *there)[1].splitlines()[2:]
    assert (header.split(), [len(row.split()) for row in rows]) == (["|", "4"], [3] * 4)


@pytest.mark.parametrize("options", [["--prizes", "1,1,2,30"], ["--order", "4,1,2,3"], ["--ties", "carry"]])
def test_first_moves_as_a_figure(call: Call, tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "first.svg"
    assert call("table", 4, *options, "--figure", path, "--store", tmp_path)[0] == 0
    assert path.read_bytes().startswith(b"<?xml")
    assert f"rules: {Rules.of(4, **{options[0][2:]: _read(options)})}" in path.read_text(encoding="utf-8")


def _read(options: list[str]) -> str | tuple[int, ...]:
    return options[1] if options[1] == "carry" else tuple(map(int, options[1].split(",")))


def test_verify_and_info_of_some_games_only(call: Call, tmp_path: Path) -> None:
    for game in ("3", "3 carry", "3 win carry", "3 order=descending", "4 carry"):
        assert call("solve", game, "--quiet", "--store", tmp_path)[0] == 0

    def named(*arguments: object) -> list[str]:
        code, out, err = call(*arguments, "--json", "--store", tmp_path)
        assert (code, err) == (0, "")
        found = [json.loads(line) for line in out.splitlines()]
        return sorted(table["rules"] for table in (found[0]["tables"] if arguments[0] == "info" else found))

    for verb, *cards in (("verify", "--quiet", "--positions", 5, 3), ("info", 3)):
        assert named(verb, *cards) == ["3", "3 carry", "3 order=descending", "3 win carry"]
        assert named(verb, *cards, "--ties", "carry") == ["3 carry", "3 win carry"]
        assert named(verb, *cards, "--ties", "discard", "--objective", "points") == ["3", "3 order=descending"]
        assert named(verb, *cards, "--order", "3,2,1") == ["3 order=descending"]
        assert named(verb, *cards[:-1], "3 win carry") == ["3 win carry"]
    assert named("verify", "--quiet", "--positions", 5, "--ties", "carry") == ["3 carry", "3 win carry", "4 carry"]
    assert "points 3 carry" in call("verify", "--ties", "carry", "--positions", 5, "--store", tmp_path)[2]


# --- records


def test_review_by_options_and_by_what_the_record_says(call: Call, tmp_path: Path) -> None:
    """By hand: the 2 is tied and carried on, so the A is worth 3, and who bids the 2 against the 3 loses them."""
    rounds = "233 A21 3A2"
    there = ["--json", "--store", tmp_path]
    by_options = the_json(call("review", rounds, "--ties", "carry", *there))
    assert (by_options["rules"], by_options["result"]) == ("3 carry", 0)
    assert [found["pot"] for found in by_options["rounds"]] == [0, 2, 0]
    said = tmp_path / "game.txt"
    said.write_text(f"rules: 3 carry\n\n{rounds}\n")
    assert the_json(call("review", said, *there)) == by_options
    assert the_json(call("review", said, "--objective", "win", *there))["rules"] == "3 win carry"
    assert the_json(call("review", rounds, "--cards", "3 win carry", *there))["rules"] == "3 win carry"
    assert the_json(call("review", rounds, *there))["result"] == -2  # discarded
    code, out, err = call("review", said, "--ties", "discard", "--store", tmp_path)
    assert (code, out) == (1, "")
    assert err == f"goofspiel: {said}: the record is of the game '3 carry', not of '3'\n"
    _, text, _ = call("review", said, "--store", tmp_path)
    assert text.startswith("3 cards, objective points, ties carried over\n")
    assert " 2   A+2    2    A " in text


def test_play_match_and_respond_take_the_rules(call: Call, tmp_path: Path) -> None:
    carry = ["--ties", "carry", "--cards", 3, "--store", tmp_path, "--json"]
    records = tmp_path / "games"
    found = the_json(call("match", "uniform", "match", *carry, "--games", 10, "--records", records, "--quiet"))
    assert found["rules"] == "3 carry"
    assert records.read_text().count("rules: 3 carry\n") == 10
    assert the_json(call("respond", "match", *carry, "--quiet"))["rules"] == "3 carry"


def test_an_objective_of_ones_own_is_answered(call: Call, tmp_path: Path) -> None:
    """How the game ends is worked out only to win; fractions know points and win."""
    game = "4 payoff=0,0.5"
    code, out, err = call("probe", "24/24/2 3", "--cards", game, "--store", tmp_path)
    assert (code, err) == (0, "")
    assert "value     +0.000000 payoff" in out
    assert "P(win)" not in out
    code, out, err = call("probe", "24/24/2 3", "--cards", game, "--exact", "--store", tmp_path)
    assert (code, out, err) == (1, "", "goofspiel: exact answers are for points and win, not 'payoff=0.0,0.5'\n")
