"""The command line with --exact: what solve, probe and table say, in every format."""

import csv
import io
import json
import shlex
from decimal import Decimal
from fractions import Fraction

import pytest
from command import HAND, the_json, tree
from corpora import corpus

# The fraction that the paper prints in full: five cards, upcard 1, bid 1.
_, _, _, NUMERATOR, DENOMINATOR, _ = corpus("exact_first_move.txt")[0]
PRINTED = f"{NUMERATOR}/{DENOMINATOR}"
TWELVE = f"{Decimal(NUMERATOR) / Decimal(DENOMINATOR):.12f}"


# --- table


def test_table_text_cuts_long_fractions(call):
    code, out, err = call("table", 5, "--exact")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == [
        "upcard 1",
        f"  bid 1  {NUMERATOR[:10]}…/{DENOMINATOR[:10]}… (254/256 digits) ≈ 0.046989",
    ]
    assert [line for line in lines if line.startswith("upcard")] == [f"upcard {n}" for n in range(1, 6)]
    assert max(map(len, lines)) <= 120


def test_table_of_short_fractions_is_a_table(call):
    code, out, err = call("table", 3, "--exact")
    assert (code, err) == (0, "")
    header, rule, *rows = out.splitlines()
    assert header.split() == ["|", "1", "2", "3"]
    assert set(rule) == set("-+")
    assert [row.split() for row in rows] == [["1", "|", "1", "0", "0"], ["2", "|", "0", "1", "0"], ["3", "|", *"001"]]
    assert len({len(line) for line in (header, *rows)}) == 1


def test_table_in_full(call):
    code, out, err = call("table", 5, "--exact", "--full")
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == f"  bid 1  {PRINTED}"
    assert "…" not in out
    assert "≈" not in out


def test_table_csv_and_json_are_exact(call):
    code, out, err = call("table", 5, "--exact", "--format", "csv")
    assert (code, err) == (0, "")
    header, *rows = csv.reader(io.StringIO(out))
    assert header == ["bid", *"12345"]
    assert [row[0] for row in rows] == list("12345")
    assert rows[0][1] == PRINTED
    columns = list(zip(*([Fraction(p) for p in row[1:]] for row in rows), strict=True))
    assert [sum(column) for column in columns] == [1] * 5
    found = the_json(call("table", 5, "--exact", "--json"))
    assert list(found) == ["cards", "objective", "probability", "unique"]
    assert (found["cards"], found["objective"], found["unique"]) == (5, "points", [True] * 5)
    assert found["probability"] == [row[1:] for row in rows]
    assert call("table", 5, "--exact", "--format", "json") == call("table", 5, "--exact", "--json")


def test_table_in_decimals(call):
    code, out, err = call("table", 5, "--exact", "--digits", 12)
    assert (code, err) == (0, "")
    header, _, *rows = (line.split() for line in out.splitlines())
    assert header == ["|", *"12345"]
    assert rows[0][:3] == ["1", "|", TWELVE]
    assert {len(cell) for row in rows for cell in row[2:]} == {14}
    code, out, _ = call("table", 5, "--exact", "--digits", 500, "--format", "csv")
    assert code == 0
    first = list(csv.reader(io.StringIO(out)))[1][1]
    assert len(first) == 502
    assert abs(Fraction(first) - Fraction(PRINTED)) * 2 * 10**500 <= 1


def test_table_to_win_and_into_a_file(call, tmp_path):
    code, out, err = call("table", 4, "--exact", "--objective", "win", "--digits", 4, "--output", tmp_path / "table")
    assert (code, out, err) == (0, "", "")
    rows = [line.split()[2:] for line in (tmp_path / "table").read_text().splitlines()[2:]]
    assert [row[1] for row in rows] == ["0.1860", "0.1247", "0.6893", "0.0000"]
    assert [row[2] for row in rows] == ["0.2286", "0.0000", "0.5143", "0.2571"]


# --- probe


def test_probe_text(call):
    code, out, err = call("probe", HAND, "--exact")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == HAND.split()
    assert ["value", "13/5", "points,", "exactly"] in lines
    assert "the only optimal mix" in out
    assert lines[lines.index(["mine", "probability"]) + 1 :][:2] == [["2", "2/5"], ["4", "3/5"]]
    assert lines[lines.index(["theirs", "probability"]) + 1 :] == [["A", "3/5"], ["3", "2/5"]]
    _, out, _ = call("probe", "A3/A2/A 2", "--exact")
    assert "others exist" in out
    assert "between 0 and 1/3" in out
    _, out, _ = call("probe", "A2/34/A 2", "--exact")
    assert "A 2 are interchangeable" in out
    _, out, _ = call("probe", "24/A3/23 -", "--exact")
    assert ["3", "13/5"] in [line.split() for line in out.splitlines()]
    _, out, _ = call("probe", HAND, "--exact", "--objective", "win")
    assert "P(win) − P(loss), exactly" in out


def test_probe_text_of_long_fractions(call):
    _, out, _ = call("probe", "start 5 1", "--exact")
    assert f"   A  {NUMERATOR[:10]}…/{DENOMINATOR[:10]}… (254/256 digits) ≈ 0.046989\n" in out
    _, out, _ = call("probe", "start 5 1", "--exact", "--full")
    assert f"   A  {PRINTED}\n" in out
    assert "…" not in out
    _, out, _ = call("probe", "start 5 1", "--exact", "--digits", 12)
    assert f"   A  {TWELVE}\n" in out


def test_probe_json(call):
    found = the_json(call("probe", HAND, "--exact", "--json"))
    assert found == {
        "position": HAND,
        "objective": "points",
        "value": "13/5",
        "mine": {"2": "2/5", "4": "3/5"},
        "theirs": {"A": "3/5", "3": "2/5"},
        "matrix": [["5", "-1"], ["1", "5"]],
        "regret": {"2": "0", "4": "0"},
        "unique": True,
        "ranges": {"2": ["2/5", "2/5"], "4": ["3/5", "3/5"]},
        "interchangeable": [],
    }
    assert the_json(call("probe", "start 5 1", "--exact", "--json"))["mine"]["A"] == PRINTED
    assert the_json(call("probe", "start 5 1", "--exact", "--json", "--digits", 12))["mine"]["A"] == TWELVE
    before = the_json(call("probe", "24/A3/23 - 1", "--exact", "--json"))
    assert list(before) == ["position", "objective", "value", "upcards"]
    assert before["upcards"]["3"] == "18/5"
    assert Fraction(before["value"]) == sum(map(Fraction, before["upcards"].values())) / 2


def test_probe_csv(call):
    code, out, err = call("probe", "-", "--exact", "--csv", stdin=f"{HAND}\n24/A3/23 -\nstart 5 1\n")
    assert (code, err) == (0, "")
    first, second, third = csv.DictReader(io.StringIO(out))
    assert first == {"position": HAND, "objective": "points", "value": "13/5", "mine": "2:2/5 4:3/5"} | {
        "theirs": "A:3/5 3:2/5"
    }
    assert (second["mine"], second["theirs"]) == ("", "")
    assert third["mine"].startswith(f"A:{PRINTED} 2:")
    assert third["mine"] == third["theirs"]


def test_probe_names_the_bad_lines(call):
    lines = [HAND, "33/24/2 3", "start 8 3", "24/A3/Q K"]
    code, out, err = call("probe", "-", "--exact", "--json", stdin="\n".join(lines) + "\n")
    assert code == 1
    assert [json.loads(line)["value"] for line in out.splitlines()] == ["13/5", "313/25"]
    assert [line.split(": ")[:2] for line in err.splitlines()] == [["goofspiel", f"line {n}"] for n in (2, 3)]


def test_exact_and_floating_point_answers_agree(call):
    for position in (HAND, "A35/234/A3 5", "start 4 2"):
        exact, rounded = (the_json(call("probe", position, "--json", *more)) for more in (["--exact"], []))
        assert list(exact) == [field for field in rounded if field != "gap"]
        assert float(Fraction(exact["value"])) == pytest.approx(rounded["value"], abs=1e-12)
        for side in ("mine", "theirs", "regret"):
            numbers = {card: float(Fraction(p)) for card, p in exact[side].items()}
            assert numbers == pytest.approx(rounded[side], abs=1e-12)


# --- solve


def test_solve_twice(call, tmp_path):
    code, out, _ = call("solve", 5, "--exact", "--store", tmp_path)
    assert (code, out) == (0, f"{tmp_path / 'points-5.exact'}\n")
    before = tree(tmp_path)
    code, out, err = call("solve", 5, "--exact", "--store", tmp_path, "--quiet")
    assert (code, out, err) == (0, f"{tmp_path / 'points-5.exact'}\n", "")
    assert tree(tmp_path) == before
    found = the_json(call("solve", 4, "--exact", "--objective", "win", "--store", tmp_path, "--quiet", "--json"))
    assert found == {"table": str(tmp_path / "win-4.exact"), "cards": 4, "objective": "win"}
    (tmp_path / "points-5.exact/level-02/0004").unlink()
    code, out, err = call("solve", 5, "--exact", "--store", tmp_path)
    assert (code, out) == (1, "")
    assert "--resume" in err
    assert call("solve", 5, "--exact", "--resume", "--quiet", "--store", tmp_path)[0] == 0
    assert {name: content for name, content in tree(tmp_path).items() if name in before} == before


def test_a_dry_run_solves_nothing(call, tmp_path):
    for cards in (4, 7, 8):
        code, out, err = call("solve", cards, "--exact", "--dry-run", "--store", tmp_path)
        assert (code, err) == (0, "")
        assert "about" in out
    assert the_json(call("solve", 7, "--exact", "--dry-run", "--json", "--store", tmp_path))["cards"] == 7
    assert list(tmp_path.iterdir()) == []


def test_an_exact_table_is_no_floating_point_table(call, tmp_path):
    call("solve", 4, "--exact", "--quiet", "--store", tmp_path)
    code, out, _ = call("verify", 4, "--store", tmp_path)
    assert (code, out) == (1, "")
    code, out, err = call("info", "--store", tmp_path)
    assert (code, err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("solve 8 --exact", "exact points tables are for up to 7 cards, not 8"),
        ("solve 7 --exact --objective win", "exact win tables are for up to 6 cards, not 7"),
        ("table 8 --exact", "exact points tables are for up to 7 cards, not 8"),
        ("table 7 --exact", "goofspiel solve 7 --exact"),
        ("table 4 --exact --format png", "text, csv or json, not as png"),
        ("table 4 --exact --format latex", "text, csv or json, not as latex"),
        ("table 4 --digits 18", "no more than 17 digits, not 18"),
        ("probe 'start 8 3' --exact", "exact points tables are for up to 7 cards, not 8"),
        ("probe 'start 5 3' --exact --cards 4", "'A2345/A2345/A245 3' needs an exact table of 5 cards"),
        ("probe 'start 7 3' --exact", "goofspiel solve 7 --exact"),
    ],
)
def test_what_is_refused(call, tmp_path, arguments, expected):
    store = tmp_path / "store"
    code, out, err = call(*shlex.split(arguments), "--store", store)
    assert (code, out) == (1, "")
    assert expected in err
    assert err.startswith("goofspiel: ")
    assert err.count("\n") == 1
    assert not list(store.glob("*.exact/header.json")) or "--cards" in arguments
