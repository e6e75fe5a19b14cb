"""The command line with --exact: what solve, probe, table, verify and info say, in every format."""

import csv
import io
import json
import re
import shlex
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from command import HAND, the_json, tree
from corpora import corpus
from damage import flip
from fixtures import Call

import goofspiel
from goofspiel.errors import ResourceError
from goofspiel.rules import Objective, Rules
from goofspiel.solver.exact import solve_exact
from goofspiel.solver.plan import size_text
from goofspiel.store import SolveLock, make_layout
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase import open_tablebase

# The fraction that the paper prints in full: five cards, upcard 1, bid 1.
_, _, _, NUMERATOR, DENOMINATOR, _ = corpus("exact_first_move.txt")[0]
PRINTED = f"{NUMERATOR}/{DENOMINATOR}"
TWELVE = f"{Decimal(NUMERATOR) / Decimal(DENOMINATOR):.12f}"


# --- table


def test_table_text_cuts_long_fractions(call: Call) -> None:
    code, out, err = call("table", 5, "--exact")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[:2] == [
        "upcard 1",
        f"  bid 1  {NUMERATOR[:10]}…/{DENOMINATOR[:10]}… (254/256 digits) ≈ 0.046989",
    ]
    assert [line for line in lines if line.startswith("upcard")] == [f"upcard {n}" for n in range(1, 6)]
    assert max(map(len, lines)) <= 120


def test_table_of_short_fractions_is_a_table(call: Call) -> None:
    code, out, err = call("table", 3, "--exact")
    assert (code, err) == (0, "")
    header, rule, *rows = out.splitlines()
    assert header.split() == ["|", "1", "2", "3"]
    assert set(rule) == set("-+")
    assert [row.split() for row in rows] == [["1", "|", "1", "0", "0"], ["2", "|", "0", "1", "0"], ["3", "|", *"001"]]
    assert len({len(line) for line in (header, *rows)}) == 1


def test_table_in_full(call: Call) -> None:
    code, out, err = call("table", 5, "--exact", "--full")
    assert (code, err) == (0, "")
    assert out.splitlines()[1] == f"  bid 1  {PRINTED}"
    assert "…" not in out
    assert "≈" not in out


def test_table_csv_and_json_are_exact(call: Call) -> None:
    code, out, err = call("table", 5, "--exact", "--csv")
    assert (code, err) == (0, "")
    header, *rows = csv.reader(io.StringIO(out))
    assert header == ["bid", *"12345"]
    assert [row[0] for row in rows] == list("12345")
    assert rows[0][1] == PRINTED
    columns = list(zip(*([Fraction(p) for p in row[1:]] for row in rows), strict=True))
    assert [sum(column) for column in columns] == [1] * 5
    found = the_json(call("table", 5, "--exact", "--json"))
    assert list(found) == ["rules", "cards", "objective", "upcards", "probability", "unique"]
    assert (found["cards"], found["objective"], found["unique"]) == (5, "points", [True] * 5)
    assert found["probability"] == [row[1:] for row in rows]


def test_table_in_decimals(call: Call) -> None:
    code, out, err = call("table", 5, "--exact", "--digits", 12)
    assert (code, err) == (0, "")
    header, _, *rows = (line.split() for line in out.splitlines())
    assert header == ["|", *"12345"]
    assert rows[0][:3] == ["1", "|", TWELVE]
    assert {len(cell) for row in rows for cell in row[2:]} == {14}
    code, out, _ = call("table", 5, "--exact", "--digits", 500, "--csv")
    assert code == 0
    first = list(csv.reader(io.StringIO(out)))[1][1]
    assert len(first) == 502
    assert abs(Fraction(first) - Fraction(PRINTED)) * 2 * 10**500 <= 1


def test_table_to_win(call: Call) -> None:
    code, out, err = call("table", 4, "--exact", "--objective", "win", "--digits", 4)
    assert (code, err) == (0, "")
    rows = [line.split()[2:] for line in out.splitlines()[4:]]
    assert [row[1] for row in rows] == ["0.1860", "0.1247", "0.6893", "0.0000"]
    assert [row[2] for row in rows] == ["0.2286", "0.0000", "0.5143", "0.2571"]


# --- probe


def test_probe_text(call: Call) -> None:
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


def test_probe_text_of_long_fractions(call: Call) -> None:
    _, out, _ = call("probe", "start 5 1", "--exact")
    assert f"   A  {NUMERATOR[:10]}…/{DENOMINATOR[:10]}… (254/256 digits) ≈ 0.046989\n" in out
    _, out, _ = call("probe", "start 5 1", "--exact", "--full")
    assert f"   A  {PRINTED}\n" in out
    assert "…" not in out
    _, out, _ = call("probe", "start 5 1", "--exact", "--digits", 12)
    assert f"   A  {TWELVE}\n" in out
    assert "value     0.000000000000 points, exactly\n" in out


def test_what_is_rounded_is_not_called_exact(call: Call) -> None:
    assert "value     4.5556 points, rounded\n" in call("probe", "24/A3/4 5", "--exact", "--digits", 4)[1]
    assert "value     41/9 points, exactly\n" in call("probe", "24/A3/4 5", "--exact")[1]
    assert "value     2.60 points, exactly\n" in call("probe", HAND, "--exact", "--digits", 2)[1]


def test_probe_json(call: Call) -> None:
    found = the_json(call("probe", HAND, "--exact", "--json"))
    assert found.pop("table").endswith("points-4.exact")
    assert found == {
        "position": HAND,
        "rules": "4",
        "objective": "points",
        "value": "13/5",
        "cards": 4,
        "occurs": False,
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
    assert list(before) == ["position", "rules", "objective", "value", "cards", "occurs", "upcards", "table"]
    assert before["upcards"]["3"] == "18/5"
    assert Fraction(before["value"]) == sum(map(Fraction, before["upcards"].values())) / 2


def test_probe_csv(call: Call) -> None:
    code, out, err = call("probe", "-", "--exact", "--csv", stdin=f"{HAND}\n24/A3/23 -\nstart 5 1\n")
    assert (code, err) == (0, "")
    first, second, third = csv.DictReader(io.StringIO(out))
    assert first == {"position": HAND, "objective": "points", "value": "13/5", "mine": "2:2/5 4:3/5"} | {
        "theirs": "A:3/5 3:2/5"
    }
    assert (second["mine"], second["theirs"]) == ("", "")
    assert third["mine"].startswith(f"A:{PRINTED} 2:")
    assert third["mine"] == third["theirs"]


def test_probe_names_the_bad_lines(call: Call) -> None:
    lines = [HAND, "33/24/2 3", "start 8 3", "24/A3/Q K"]
    code, out, err = call("probe", "-", "--exact", "--json", stdin="\n".join(lines) + "\n")
    assert code == 1
    assert [json.loads(line)["value"] for line in out.splitlines()] == ["13/5", "313/25"]
    assert [line.split(": ")[:2] for line in err.splitlines()] == [["goofspiel", f"line {n}"] for n in (2, 3)]


def test_exact_and_floating_point_answers_agree(call: Call) -> None:
    for position in (HAND, "A35/234/A3 5", "start 4 2"):
        exact, rounded = (the_json(call("probe", position, "--json", *more)) for more in (["--exact"], []))
        assert list(exact) == [field for field in rounded if field not in ("gap", "bound")]
        assert float(Fraction(exact["value"])) == pytest.approx(rounded["value"], abs=1e-12)
        for side in ("mine", "theirs", "regret"):
            numbers = {card: float(Fraction(p)) for card, p in exact[side].items()}
            assert numbers == pytest.approx(rounded[side], abs=1e-12)


# --- solve


def test_solve_twice(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "points-5.exact"
    code, out, err = call("solve", 5, "--exact", "--store", tmp_path)
    assert (code, out) == (0, f"{path}\n")
    *progress, summary = err.splitlines()
    assert progress[-1] == "solving 100% level 4 of 4"
    games, size = make_layout(Rules(5)).games, size_text(ExactTable.open(path).disk_bytes())
    assert re.fullmatch(
        rf"{games:,} games, [0-9.]+ s, [0-9.]+ CPU-seconds; {size} of fractions, nothing is rounded", summary
    )
    before = tree(tmp_path)
    code, out, err = call("solve", 5, "--exact", "--store", tmp_path, "--quiet")
    assert (code, out, err) == (0, f"{path}\n", "")
    assert tree(tmp_path) == before
    (path / "level-02/0004").unlink()
    code, out, err = call("solve", 5, "--exact", "--store", tmp_path)
    assert (code, out) == (1, "")
    assert "--resume" in err
    assert call("solve", 5, "--exact", "--resume", "--quiet", "--store", tmp_path)[0] == 0
    assert tree(tmp_path) == before


def test_solve_json_says_what_it_took(call: Call, tmp_path: Path) -> None:
    options = ["--exact", "--objective", "win", "--store", tmp_path, "--quiet", "--json"]
    path = tmp_path / "win-4.exact"
    said = the_json(call("solve", 4, *options))
    assert (said["table"], said["cards"], said["objective"], said["exact"]) == (str(path), 4, "win", True)
    assert said["games"] == make_layout(Rules(4, objective=Objective.WIN)).games
    assert (said["prize_sets"], said["prize_sets_found"]) == (14, 0)
    assert said["bytes"] == sum(file.stat().st_size for file in path.glob("level-*/*"))
    assert min(said["wall_seconds"], said["cpu_seconds"], said["peak_memory_bytes"]) > 0
    for name in ("level-02/0004", "level-03/0001"):
        (path / name).unlink()
    again = the_json(call("solve", 4, *options, "--resume"))
    assert again["prize_sets_found"] == 12
    took = {"wall_seconds", "cpu_seconds", "peak_memory_bytes", "prize_sets_found"}
    assert {name: said[name] for name in said if name not in took} == {
        name: again[name] for name in again if name not in took
    }


def test_damage_is_mended_by_the_command_that_is_named(call: Call, tmp_path: Path) -> None:
    call("solve", 4, "--exact", "--quiet", "--store", tmp_path)
    before = tree(tmp_path)
    flip(tmp_path / "points-4.exact/level-02/0004", 300)
    (tmp_path / "points-4.exact/level-03/0002").unlink()
    code, out, _ = call("verify", "--quiet", "--store", tmp_path)
    assert code == 1
    named = re.findall(r"(goofspiel solve .*? --resume) mends it", out)
    assert len(named) == 2
    assert len(set(named)) == 1
    assert call(*shlex.split(named[0])[1:], "--quiet")[0] == 0
    assert tree(tmp_path) == before
    assert call("verify", "--quiet", "--store", tmp_path)[0] == 0


def test_a_dry_run_solves_nothing(call: Call, tmp_path: Path) -> None:
    for cards in (4, 7):
        code, out, err = call("solve", cards, "--exact", "--dry-run", "--store", tmp_path)
        assert (code, err) == (0, "")
        assert ("at least" if cards > 7 else "about") in out
    assert the_json(call("solve", 7, "--exact", "--dry-run", "--json", "--store", tmp_path))["cards"] == 7
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_looks_at_the_exact_table_that_is_there(call: Call, tmp_path: Path) -> None:
    ask = ("solve", 4, "--exact", "--dry-run", "--store", tmp_path)
    whole = the_json(call(*ask, "--json"))
    assert (whole["state"], whole["prize_sets"], whole["prize_sets_done"]) == ("missing", 14, 0)
    call("solve", 4, "--exact", "--quiet", "--store", tmp_path)
    done = the_json(call(*ask, "--json"))
    assert (done["state"], done["prize_sets_done"], done["cpu_seconds"]) == ("complete", 14, 0)
    assert "state    complete\n" in call(*ask)[1]
    (tmp_path / "points-4.exact/level-03/0002").unlink()
    rest = the_json(call(*ask, "--json"))
    assert (rest["state"], rest["prize_sets_done"]) == ("begun", 13)
    assert 0 < rest["cpu_seconds"] < whole["cpu_seconds"]
    assert "state    13 of 14 prize sets are solved, --resume goes on\n" in call(*ask)[1]
    (tmp_path / "points-4.exact/header.json").write_text("{", encoding="utf-8")
    assert call(*ask)[0] == 1


def test_what_is_too_large_can_be_forecast(call: Call, tmp_path: Path) -> None:
    """Refused, with what it would take: the same as a dry run says."""
    options = ["--exact", "--objective", "win", "--store", tmp_path]
    said = the_json(call("solve", 7, *options, "--dry-run", "--force", "--json"))
    assert (said["cards"], said["objective"], said["games"]) == (
        7,
        "win",
        make_layout(Rules(7, objective=Objective.WIN)).games,
    )
    assert said["cpu_seconds"] == 100 * the_json(call("solve", 6, *options, "--dry-run", "--json"))["cpu_seconds"]
    time = f"at least {said['cpu_seconds']:,.0f} s on one core"
    assert time in call("solve", 7, *options, "--dry-run", "--force")[1]
    assert call("solve", 7, *options, "--dry-run") == call("solve", 7, *options)
    code, out, err = call("solve", 7, *options)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"exact win tables are for up to 6 cards, not 7: it would take {time}" in err
    assert f"goofspiel solve 7 --objective win --exact --store {tmp_path} --force tries" in err
    for cards, hours in ((8, "2 h"), (9, "250 h"), (10, "25,000 h")):
        for ask in (partial(solve_exact, cards), partial(open_tablebase, cards, exact=True)):
            with pytest.raises(ResourceError) as caught:
                ask(store=tmp_path)
            assert f"up to 7 cards, not {cards}: it would take at least {hours} on one core" in str(caught.value)
            assert f"goofspiel solve {cards} --exact --store {tmp_path} --force tries" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


# --- verify and info


def test_verify_where_all_tables_are_exact(call: Call, tmp_path: Path) -> None:
    for objective in Objective:
        call("solve", 4, "--exact", "--quiet", "--objective", objective, "--store", tmp_path)
    code, out, err = call("verify", "--store", tmp_path, "--positions", 50)
    assert code == 0
    assert err.splitlines() == [f"reading {objective} 4 exact 100% 14 of 14 blocks" for objective in Objective]
    first, second = out.split("  passed\n")[:2]
    for objective, text in ((Objective.POINTS, first), (Objective.WIN, second)):
        path = tmp_path / f"{objective}-4.exact"
        size = size_text(ExactTable.open(path).disk_bytes())
        assert text.splitlines()[:2] == [str(path), f"  14 blocks read, {size}: 0 damaged"]
        assert "  50 positions (" in text
        assert "50 positions against their mirror image: largest difference 0.0e+00\n" in text
        assert " from HiGHS, none otherwise\n" in text
    code, out, err = call("verify", 5, "--store", tmp_path)
    assert (code, out) == (1, "")
    assert "there is no table of 5 cards" in err


def test_verify_json_of_an_exact_table(call: Call, tmp_path: Path) -> None:
    call("solve", 4, "--exact", "--quiet", "--store", tmp_path)
    options = ["--json", "--quiet", "--positions", 20, "--store", tmp_path]
    found = the_json(call("verify", 4, *options, "--seed", 3))
    assert (found["table"], found["exact"], found["passed"]) == (str(tmp_path / "points-4.exact"), True, True)
    assert (found["blocks"], found["damaged"], found["positions"], found["swapped"]) == (14, [], 20, 20)
    assert found["largest_asymmetry"] == found["largest_scaling_difference"] == 0
    assert found["largest_difference"] <= found["allowed"] == pytest.approx(1e-7)
    assert found == the_json(call("verify", 4, *options, "--seed", 3))
    assert len({the_json(call("verify", 4, *options, "--seed", n))["games"] for n in range(5)}) > 1


def test_verify_checks_both_kinds_and_goes_on_after_damage(call: Call, tmp_path: Path) -> None:
    for more in ([], ["--exact"], ["--exact", "--objective", "win"]):
        call("solve", 3, "--quiet", "--store", tmp_path, *more)
    (tmp_path / "points-3.exact/header.json").write_text("garbage")
    code, out, err = call("verify", "--quiet", "--store", tmp_path)
    assert code == 1
    assert [line for line in out.splitlines() if line.startswith("/")] == [
        str(tmp_path / name) for name in ("points-3.zarr", "win-3.exact")
    ]
    assert out.count("  passed\n") == 2
    assert err.count("\n") == 1
    mending = f"goofspiel solve 3 --exact --store {tmp_path} --resume"
    assert f"points-3.exact/header.json is damaged (delete it, then {mending}): " in err


def test_info_lists_exact_tables(call: Call, tmp_path: Path) -> None:
    call("solve", 4, "--quiet", "--store", tmp_path)
    call("solve", 4, "--exact", "--quiet", "--store", tmp_path)
    call("solve", 3, "--exact", "--objective", "win", "--quiet", "--store", tmp_path)
    found = the_json(call("info", "--json", "--store", tmp_path))["tables"]
    assert [(table["cards"], table["objective"], table["exact"]) for table in found] == [
        (4, "points", False),
        (3, "win", True),
        (4, "points", True),
    ]
    four = found[2]
    path = tmp_path / "points-4.exact"
    assert four == {
        "rules": "4",
        "cards": 4,
        "objective": "points",
        "exact": True,
        "path": str(path),
        "games": make_layout(Rules(4)).games,
        "prize_sets": 14,
        "bytes": sum(file.stat().st_size for file in path.glob("level-*/*")),
        "format": 3,
        "solver": goofspiel.__version__,
        "complete": True,
        "prize_sets_done": 14,
        "being_solved": False,
    }
    code, text, err = call("info", "--store", tmp_path)
    assert (code, err) == (0, "")
    assert text.split("\n\n")[3].splitlines() == [
        "points 4 exact",
        f"  complete; {four['games']:,} games, {size_text(four['bytes'])}, fractions",
        f"  format 3, made by goofspiel {goofspiel.__version__}",
        "  every value is the true one",
    ]


def test_info_of_an_exact_table_that_is_being_solved(call: Call, tmp_path: Path) -> None:
    call("solve", 4, "--exact", "--quiet", "--store", tmp_path)
    path = tmp_path / "points-4.exact"
    (path / "level-03/0002").unlink()
    ExactTable.create(path, Rules(4, objective=Objective.POINTS), solver="test")  # as if it had never been finished
    assert "\n  13 of 14 prize sets; " in call("info", "--store", tmp_path)[1]
    with SolveLock(path):
        (found,) = the_json(call("info", "--json", "--store", tmp_path))["tables"]
        assert (found["complete"], found["prize_sets_done"], found["being_solved"]) == (False, 13, True)
        assert found["bytes"] == ExactTable.open(path).disk_bytes() > 0
        assert "\n  13 of 14 prize sets, being solved now; " in call("info", "--store", tmp_path)[1]


def test_info_names_what_is_wrong_with_an_exact_table(call: Call, tmp_path: Path) -> None:
    for cards in (2, 3, 4):
        call("solve", cards, "--exact", "--quiet", "--store", tmp_path)
    (tmp_path / "points-2.exact/header.json").write_text("garbage")
    old = {"format": 1, "cards": 3, "objective": "points", "solver": "0", "complete": True}
    (tmp_path / "points-3.exact/header.json").write_text(json.dumps(old))
    (tmp_path / "points-4.exact/level-03/0002").unlink()
    (tmp_path / "win-5.exact").write_text("no table")
    found = the_json(call("info", "--json", "--store", tmp_path))["tables"]
    for table, expected in zip(
        found,
        (
            "points-2.exact/header.json is damaged",
            "points-3.exact has format 1, this version of goofspiel reads format 2 and later: "
            f"delete it, then {command(3)}",
            f"1 of 14 prize sets are missing from {tmp_path}/points-4.exact: {command(4)} --store {tmp_path} --resume",
            "win-5.exact is not an exact table",
        ),
        strict=True,
    ):
        assert expected in table["error"]
    code, text, err = call("info", "--store", tmp_path)
    assert (code, err) == (0, "")
    assert all(f"\n  {table['error']}" in text for table in found)


def command(cards: int) -> str:
    return f"goofspiel solve {cards} --exact"


# --- mistakes


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("solve 4 --exact --threads 2", "--threads: not with --exact"),
        ("solve 4 --exact --memory 1GiB", "--memory: not with --exact"),
        ("solve 4 --exact --dtype float64", "--dtype: not with --exact"),
        ("solve 4 --exact --keep last", "--keep: not with --exact"),
        ("solve 4 --exact --keep last --threads 1", "--threads and --keep: not with --exact"),
        ("solve 4 --force", "--force: only with --exact"),
        ("probe '24/A3/2 3' --digits 5", "--digits: only with --exact"),
        ("probe '24/A3/2 3' --full", "--full: only with --exact"),
        ("table 4 --full", "--full: only with --exact"),
    ],
)
def test_options_without_effect_are_refused(call: Call, tmp_path: Path, arguments: str, expected: str) -> None:
    code, out, err = call(*shlex.split(arguments), "--store", tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith(f"goofspiel: {expected}")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("solve 8 --exact", "exact points tables are for up to 7 cards, not 8"),
        ("solve 7 --exact --objective win", "exact win tables are for up to 6 cards, not 7"),
        ("table 8 --exact", "exact points tables are for up to 7 cards, not 8"),
        ("table 7 --exact", "goofspiel solve 7 --exact"),
        ("probe 'start 8 3' --exact", "exact points tables are for up to 7 cards, not 8"),
        ("probe 'start 5 3' --exact --cards 4", "'A2345/A2345/A245 3' needs an exact table of 5 cards"),
        ("probe 'start 7 3' --exact", "goofspiel solve 7 --exact"),
    ],
)
def test_what_is_refused(call: Call, tmp_path: Path, arguments: str, expected: str) -> None:
    store = tmp_path / "store"
    code, out, err = call(*shlex.split(arguments), "--store", store)
    assert (code, out) == (1, "")
    assert expected in err
    assert err.startswith("goofspiel: ")
    assert err.count("\n") == 1
    assert not list(store.glob("*.exact/header.json")) or "--cards" in arguments
