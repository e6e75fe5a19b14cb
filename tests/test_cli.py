"""The command line: every verb and option, and one clear line for every mistake."""

import csv
import io
import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from command import COMMAND, PATIENCE, run, start, tree, wait_until
from corpora import corpus

import goofspiel
from goofspiel.cli import main
from goofspiel.plan import make_plan
from goofspiel.solver import solve
from goofspiel.store import Table


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A store with the tables of four and five cards, not to be changed."""
    store = tmp_path_factory.mktemp("tables")
    for cards in (4, 5):
        solve(cards, store=store)
    return store


@pytest.fixture
def call(tables, capsys, monkeypatch):
    """Run a command in this process, on the small tables: (exit code, standard output, standard error)."""
    monkeypatch.setenv("GOOFSPIEL_STORE", str(tables))

    def call(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    return call


def the_json(result):
    """The only line of a successful command, as json."""
    code, out, _ = result
    assert code == 0
    assert out.count("\n") == 1
    return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not json"))


# --- mistakes


@pytest.mark.parametrize(("arguments", "code", "expected"), corpus("bad_commands.txt"))
def test_a_mistake_is_one_clear_line(call, tmp_path, arguments, code, expected):
    places = {"file": tmp_path / "file", "empty": tmp_path / "empty"}
    places["file"].write_text("not a store")
    places["empty"].mkdir()
    found, out, err = call(*shlex.split(arguments.format(**places)))
    assert found == int(code)
    assert out == ""
    assert expected.format(**places) in err
    assert err.startswith("goofspiel")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert list(places["empty"].iterdir()) == []


def test_mistakes_in_the_shell(tmp_path):
    """The same from the real command: no traceback, the right exit code."""
    for arguments, code in ((["probe", "33/24/2 3"], 1), (["solve", "abc"], 2), ([], 2), (["table", "10"], 1)):
        done = run(*arguments, store=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
        assert "Traceback" not in done.stderr


def test_help_and_version(call):
    code, out, err = call("--help")
    assert (code, err) == (0, "")
    assert all(verb in out for verb in ("solve", "probe", "table", "verify", "info"))
    assert call("--version") == (0, f"goofspiel {goofspiel.__version__}\n", "")
    for verb in ("solve", "probe", "table", "verify", "info"):
        code, out, _ = call(verb, "--help")
        assert code == 0
        assert "--store DIR" in out
        assert "--json" in out


def test_a_damaged_table_is_one_clear_line(call, tables, tmp_path):
    shutil.copytree(tables / "points-4.zarr", tmp_path / "points-4.zarr")
    block = tmp_path / "points-4.zarr" / "level-02" / "c" / "0" / "0"
    block.write_bytes(block.read_bytes()[:-1])
    for arguments in (["probe", "24/A3/23 -"], ["table", "4"]):
        if arguments[0] == "table":
            (tmp_path / "points-4.zarr" / "level-03" / "c" / "0" / "0").unlink()
        code, out, err = call(*arguments, "--store", tmp_path)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert str(tmp_path / "points-4.zarr" / "level-0") in err


# --- solve


def test_solve_puts_the_path_on_stdout_and_plain_progress_on_stderr(tmp_path):
    done = run("solve", "5", "--store", str(tmp_path / "here"), store=tmp_path / "not here")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path}/here/points-5.zarr\n")
    progress, summary = done.stderr.splitlines()
    assert progress == "solving 100% level 4 of 4"
    assert re.fullmatch(
        rf"{make_plan(5).games} games, [0-9.]+ s, [0-9.]+ CPU-seconds; every value is within \S+ of the true one",
        summary,
    )
    assert not (tmp_path / "not here").exists()
    again = run("solve", "5", "--store", str(tmp_path / "here"), store=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "solving" not in again.stderr


def test_solve_draws_a_bar_on_a_terminal(tmp_path):
    terminal, end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [COMMAND, "solve", "6", "--store", tmp_path], stdout=subprocess.PIPE, stderr=end, text=True, env=environment
    )
    os.close(end)
    shown = b""
    try:
        while some := os.read(terminal, 4096):
            shown += some
    except OSError:
        pass  # how the end of a terminal is told
    os.close(terminal)
    out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (0, f"{tmp_path}/points-6.zarr\n")
    assert "━" in shown.decode()
    assert "100%" in shown.decode()


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_solve_quiet_json_and_threads(call, tmp_path, cards):
    result = call("solve", cards, "--json", "--quiet", "--threads", 2, "--resume", "--store", tmp_path)
    assert result[2] == ""
    path = tmp_path / f"points-{cards}.zarr"
    said = the_json(result)
    assert (said["table"], said["cards"], said["objective"]) == (str(path), cards, "points")
    assert (said["games"], said["bytes"]) == (make_plan(cards).games, make_plan(cards).disk_bytes)
    assert len(said["gaps"]) == cards - 1
    assert 0 <= said["value_bound"] < said["exploitability_bound"] < 1e-12
    assert min(said["wall_seconds"], said["cpu_seconds"], said["peak_memory_bytes"]) > 0
    assert Table.open(path).header.complete


def test_solve_dry_run_says_what_it_takes_and_does_nothing(call, tmp_path):
    store = tmp_path / "store"
    said = the_json(call("solve", 13, "--dry-run", "--json", "--threads", 2, "--store", store))
    assert said["games"] == make_plan(13).games == 1_338_879_360
    assert said["disk_bytes"] == make_plan(13).disk_bytes
    assert said["wall_seconds"] == pytest.approx(said["cpu_seconds"] / 2)
    assert (said["cards"], said["threads"], said["table"]) == (13, 2, f"{store}/points-13.zarr")
    assert {"memory_bytes", "disk_free", "blocks", "dtype", "objective"} <= said.keys()
    code, text, err = call("solve", 13, "--dry-run", "--threads", 2, "--store", store)
    assert (code, err) == (0, "")
    for part in (f"{store}/points-13.zarr", "1,338,879,360", "GiB", "2 threads", "CPU-seconds"):
        assert part in text
    assert not store.exists()


@pytest.mark.parametrize("cards", range(1, 17))
def test_every_game_can_be_forecast(call, cards):
    assert the_json(call("solve", cards, "--dry-run", "--json"))["cards"] == cards


def test_interrupted_it_says_so_and_resumes(tmp_path):
    process = start("solve", "11", store=tmp_path)
    begun = tmp_path / "points-11.zarr" / "level-04" / "c" / "0" / "0"
    assert wait_until(begun.exists, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (1, "")
    *progress, last = err.splitlines()
    assert last == "goofspiel: interrupted: what was finished is kept"
    assert all(line.startswith("solving") for line in progress)
    kept = tree(tmp_path)
    refused = run("solve", "11", store=tmp_path)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert "goofspiel solve 11 --resume" in refused.stderr
    resumed = run("solve", "11", "--resume", store=tmp_path)
    assert resumed.returncode == 0
    assert "solving 100% level 10 of 10" in resumed.stderr
    blocks = {name: content for name, content in kept.items() if "/c/" in name}
    assert blocks.items() <= tree(tmp_path).items()  # nothing lost


@pytest.mark.parametrize("moment", ["zarr.json", "level-05/zarr.json", "level-05/c"])
def test_interrupted_while_it_writes_it_says_so_in_one_line(tmp_path, moment):
    process = start("solve", "11", "--quiet", store=tmp_path)
    assert wait_until((tmp_path / "points-11.zarr" / moment).exists, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (1, "", "goofspiel: interrupted: what was finished is kept\n")
    assert not list(tmp_path.rglob("*.partial"))


# --- probe

# Worked by hand: bids down, theirs across, (3 + 2, −3 + 2 / 3 − 2, 3 + 2); a 2 × 2 game without a saddle point.
HAND = "24/A3/2 3"


def test_probe_json_has_the_fields_of_the_design(call):
    found = the_json(call("probe", HAND, "--json"))
    assert list(found) == [
        *("position", "objective", "value", "mine", "theirs", "matrix", "regret", "gap", "unique", "ranges"),
        "interchangeable",
    ]
    assert (found["position"], found["objective"]) == (HAND, "points")
    assert found["value"] == pytest.approx(2.6)
    assert found["mine"] == pytest.approx({"2": 0.4, "4": 0.6})
    assert found["theirs"] == pytest.approx({"A": 0.6, "3": 0.4})
    assert found["matrix"] == [[5, -1], [1, 5]]
    assert found["regret"] == pytest.approx({"2": 0, "4": 0}, abs=1e-12)
    assert 0 <= found["gap"] < 1e-12
    assert found["unique"] is True
    assert found["ranges"] == {card: pytest.approx([p, p]) for card, p in (("2", 0.4), ("4", 0.6))}
    assert found["interchangeable"] == []


def test_probe_json_of_a_position_with_many_optimal_mixes(call):
    found = the_json(call("probe", "A3/A2/A 2", "--json"))  # by hand: (1, −1 / 1, 2)
    assert found["value"] == pytest.approx(1)
    assert found["unique"] is False
    assert found["ranges"] == {"A": pytest.approx([0, 1 / 3], abs=1e-9), "3": pytest.approx([2 / 3, 1], abs=1e-9)}


def test_probe_json_of_interchangeable_cards(call):
    found = the_json(call("probe", "A24/35A/24 5", "--json"))
    assert found["interchangeable"] == []
    found = the_json(call("probe", "A2/34/A 2", "--json"))
    assert found["interchangeable"] == [["A", "2"]]
    assert found["mine"] == {"A": 1, "2": 0}
    assert found["value"] == -3


def test_probe_json_before_the_upcard(call):
    found = the_json(call("probe", "24/A3/23 -", "--json"))
    assert list(found) == ["position", "objective", "value", "upcards"]
    assert list(found["upcards"]) == ["2", "3"]
    assert found["upcards"]["3"] == pytest.approx(2.6)
    assert found["value"] == pytest.approx(sum(found["upcards"].values()) / 2)


def test_probe_adds_the_lead_and_takes_the_url_form(call):
    assert the_json(call("probe", f"{HAND} -5", "--json"))["value"] == pytest.approx(-2.4)
    found = the_json(call("probe", "24/A3/2_3_7", "--json"))
    assert (found["position"], found["value"]) == (f"{HAND} 7", pytest.approx(9.6))
    assert the_json(call("probe", "-/-/- - 3", "--json")) == {
        "position": "-/-/- - 3",
        "objective": "points",
        "value": 3,
        "upcards": {},
    }


def test_probe_text_says_it_to_a_reader(call):
    code, out, err = call("probe", HAND)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["24/A3/2", "3"]
    assert ["value", "+2.600000", "points"] in lines
    assert "the only optimal mix" in out
    assert ["2", "0.400000", "+2.600000", "0.000000"] in lines
    assert ["4", "0.600000", "+2.600000", "0.000000"] in lines
    assert ["3", "0.400000"] in lines
    assert ["2", "+5.000", "-1.000"] in lines
    _, out, _ = call("probe", "A3/A2/A 2")
    assert "others exist" in out
    assert "0.0000 … 0.3333" in out
    _, out, _ = call("probe", "A2/34/A 2")
    assert "A 2 are interchangeable" in out
    _, out, _ = call("probe", "24/A3/23 -")
    assert ["3", "+2.600000"] in [line.split() for line in out.splitlines()]


def test_probe_csv(call):
    code, out, err = call("probe", "-", "--csv", stdin=f"{HAND}\n24/A3/23 -\n")
    assert (code, err) == (0, "")
    first, second = csv.DictReader(io.StringIO(out))
    assert (first["position"], first["objective"]) == (HAND, "points")
    assert float(first["value"]) == pytest.approx(2.6)
    mix = dict(word.split(":") for word in first["mine"].split())
    assert {card: float(p) for card, p in mix.items()} == pytest.approx({"2": 0.4, "4": 0.6})
    assert (second["gap"], second["mine"], second["theirs"]) == ("", "", "")


def test_probe_reads_positions_and_names_the_bad_lines(call):
    lines = [HAND, "", "33/24/2 3", "  24/A3/23 -  ", "start 10 3", "start 4 K", "start 4 4"]
    code, out, err = call("probe", "-", "--json", stdin="\n".join(lines) + "\n")
    assert code == 1
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer["position"] for answer in answers] == [HAND, "24/A3/23 -", "A234/A234/A23 4"]
    complaints = err.splitlines()
    assert [complaint.split(": ")[:2] for complaint in complaints] == [["goofspiel", f"line {n}"] for n in (3, 5, 6)]
    assert "'33/24/2 3'" in complaints[0]
    assert "goofspiel solve 10" in complaints[1]
    assert call("probe", "-", "--json", stdin="") == (0, "", "")


def test_probe_reads_bytes_that_are_no_text(tables):
    """In a UTF-8 locale too, where Python refuses such bytes by itself."""
    stdin = b"\xff\xfe\n" + HAND.encode() + b"\n"
    done = run("probe", "-", "--csv", store=tables, stdin=stdin, env={"LC_ALL": "C.UTF-8", "PYTHONUTF8": "0"})
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[1].startswith(HAND)
    assert done.stderr.decode().startswith("goofspiel: line 1: ")
    assert done.stderr.count(b"\n") == 1


def test_probe_asks_the_table_that_is_named(call, tables, tmp_path):
    by_table = [the_json(call("probe", HAND, "--cards", cards, "--json")) for cards in (4, 5)]
    assert by_table[0] == by_table[1]
    # Without a name: the smallest solved table that holds the position; none is made.
    shutil.copytree(tables / "points-5.zarr", tmp_path / "points-5.zarr")
    assert call("probe", HAND, "--store", tmp_path)[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"points-5.zarr"}


def test_probe_solves_a_small_table_when_it_is_first_asked_for(call, tmp_path):
    assert the_json(call("probe", HAND, "--json", "--store", tmp_path))["value"] == pytest.approx(2.6)
    assert {path.name for path in tmp_path.iterdir()} == {"points-4.zarr", "points-4.lock"}


# --- table


def csv_table(out):
    header, *rows = csv.reader(io.StringIO(out))
    return header, {int(bid): [float(p) for p in row] for bid, *row in rows}


def test_table_csv_and_json_have_full_precision(call):
    code, out, err = call("table", 5, "--format", "csv")
    assert (code, err) == (0, "")
    header, rows = csv_table(out)
    assert header == ["bid", "1", "2", "3", "4", "5"]
    assert list(rows) == [1, 2, 3, 4, 5]
    for upcard in range(5):
        assert sum(row[upcard] for row in rows.values()) == pytest.approx(1, abs=1e-12)
    as_json = the_json(call("table", 5, "--json"))
    assert as_json == the_json(call("table", 5, "--format", "json"))
    assert as_json["probability"] == list(rows.values())  # not one bit is lost
    assert (as_json["cards"], as_json["objective"], len(as_json["unique"])) == (5, "points", 5)
    assert 0 <= as_json["gap"] < 1e-11
    for upcard in (1, 5):
        mix = the_json(call("probe", f"start 5 {upcard}", "--cards", 5, "--json"))["mine"]
        assert [row[upcard - 1] for row in rows.values()] == list(mix.values())


def test_table_text_and_latex_show_the_same_numbers(call):
    _, exact = csv_table(call("table", 5, "--format", "csv")[1])
    text = call("table", 5)[1]
    assert text == call("table", 5, "--format", "text")[1]
    header, _, *rows = text.splitlines()
    assert header.split() == ["|", "1", "2", "3", "4", "5"]
    shown = {bid: ["0" if p == 0 else f"{p:.4f}" for p in row] for bid, row in exact.items()}
    assert {int(bid): row for bid, _, *row in map(str.split, rows)} == shown
    latex = call("table", 5, "--format", "latex")[1]
    assert latex.startswith("\\begin{tabular}{c|rrrrr|}")
    assert latex.endswith("\\end{tabular}\n")
    for bid, row in shown.items():
        assert rf"\textbf{{{bid}}} & {' & '.join(row)} \\" in latex
    two = call("table", 5, "--digits", 2)[1].splitlines()[2].split()[2:]
    assert two == ["0" if p == 0 else f"{p:.2f}" for p in exact[1]]


@pytest.mark.parametrize("cards", [1, 2])
def test_table_of_the_smallest_games(call, tmp_path, cards):
    for form in ("text", "csv", "json", "latex"):
        code, out, _ = call("table", cards, "--format", form, "--store", tmp_path)
        assert code == 0
        assert "1" in out
    certain = {1: {1: [1]}, 2: {1: [1, 0], 2: [0, 1]}}  # with two cards: bid what is shown
    assert csv_table(call("table", cards, "--format", "csv", "--store", tmp_path)[1])[1] == certain[cards]


@pytest.mark.parametrize("form", ["text", "csv", "json", "latex"])
def test_table_output_goes_to_a_file(call, tmp_path, form):
    printed = call("table", 4, "--format", form)[1]
    assert call("table", 4, "--format", form, "--output", tmp_path / "out") == (0, "", "")
    assert (tmp_path / "out").read_text(encoding="utf-8") == printed


@pytest.mark.parametrize("name", ["first.png", "no-suffix", "first.pdf"])
def test_table_png_is_a_picture(call, tmp_path, name):
    from matplotlib.image import imread

    path = tmp_path / name
    assert call("table", 4, "--format", "png", "--output", path) == (0, f"{path}\n", "")
    assert path.read_bytes().startswith(b"\x89PNG")  # whatever the file is called
    pixels = imread(path, format="png")
    assert min(pixels.shape[:2]) > 200
    assert pixels.std() > 0.01  # not a blank page


def test_table_png_has_a_name_by_default(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert the_json(call("table", 4, "--format", "png", "--json")) == {"figure": "points-4.png"}
    assert Path("points-4.png").stat().st_size > 1000


# --- verify


def test_verify_says_what_it_has_checked(call, tables):
    code, out, err = call("verify")
    assert code == 0
    for cards in (4, 5):
        assert f"{tables}/points-{cards}.zarr" in out
        assert f"reading points {cards} 100% {cards - 1} of {cards - 1} blocks" in err
    assert out.count("  passed\n") == 2
    assert "200 positions" in out
    assert "0 damaged" in out
    code, out, err = call("verify", 4, "--samples", 7, "--quiet")
    assert (code, err) == (0, "")
    assert "7 positions" in out
    assert "points-5" not in out


def test_verify_json(call, tables):
    found = the_json(call("verify", 4, "--json", "--quiet", "--samples", 20, "--seed", 3))
    assert found["table"] == f"{tables}/points-4.zarr"
    assert found["passed"] is True
    assert (found["positions"], found["swapped"], found["blocks"], found["damaged"]) == (20, 20, 3, [])
    assert found["largest_difference"] <= found["allowed"]
    assert found == the_json(call("verify", 4, "--json", "--quiet", "--samples", 20, "--seed", 3))
    code, out, _ = call("verify", "--json", "--quiet", "--samples", 5)
    assert code == 0
    assert [json.loads(line)["passed"] for line in out.splitlines()] == [True, True]


def test_verify_fails_on_damage_and_still_checks_the_others(call, tables, tmp_path):
    store = Path(shutil.copytree(tables, tmp_path / "store"))
    solve(3, store=store)
    (store / "points-3.zarr" / "zarr.json").write_text("garbage")
    block = store / "points-4.zarr" / "level-02" / "c" / "0" / "0"
    data = bytearray(block.read_bytes())
    data[7] ^= 64
    block.write_bytes(data)
    code, out, err = call("verify", "--quiet", "--store", store)
    assert code == 1
    assert f"{store}/points-3.zarr/zarr.json is damaged" in err
    assert err.count("\n") == 1
    assert f"{block} is damaged" in out
    assert "FAILED" in out
    assert out.count("  passed\n") == 1
    code, out, _ = call("verify", 4, "--json", "--quiet", "--store", store)
    assert code == 1
    assert json.loads(out)["passed"] is False
    assert str(block) in json.loads(out)["damaged"][0]


# --- info


def test_info_lists_the_tables_and_their_bounds(call, tables):
    found = the_json(call("info", "--json"))
    assert found["store"] == str(tables)
    assert [(table["cards"], table["objective"]) for table in found["tables"]] == [(4, "points"), (5, "points")]
    four = found["tables"][0]
    assert (four["complete"], four["being_solved"], four["blocks"], four["blocks_done"]) == (True, False, 3, 3)
    assert (four["games"], four["bytes"]) == (make_plan(4).games, make_plan(4).disk_bytes)
    assert len(four["gaps"]) == 3
    assert 0 < four["value_bound"] < four["exploitability_bound"] < 1e-10
    code, text, err = call("info")
    assert (code, err) == (0, "")
    for part in (str(tables), "points 4", "points 5", "complete", "every value is within", "every mix loses no more"):
        assert part in text
    assert f"{four['value_bound']:.1e}" in text


def test_info_of_an_empty_store_and_of_one_that_is_not_there(call, tmp_path):
    for store in (tmp_path, tmp_path / "nowhere"):
        assert the_json(call("info", "--json", "--store", store)) == {"store": str(store), "tables": []}
        code, text, _ = call("info", "--store", store)
        assert code == 0
        assert "goofspiel solve 13" in text
    assert list(tmp_path.iterdir()) == []


def test_info_names_what_is_wrong_with_a_table(call, tables, tmp_path):
    store = Path(shutil.copytree(tables, tmp_path / "store"))
    (store / "points-4.zarr" / "zarr.json").write_text("garbage")
    (store / "points-5.zarr" / "gap-02" / "c" / "0").unlink()
    found = the_json(call("info", "--json", "--store", store))["tables"]
    assert "points-4.zarr/zarr.json is damaged" in found[0]["error"]
    assert "points-5.zarr/gap-02" in found[1]["error"]
    code, text, _ = call("info", "--store", store)
    assert code == 0
    assert found[0]["error"] in text


def test_info_counts_the_blocks_of_a_table_that_is_not_finished(call, tmp_path):
    solve(5, store=tmp_path)
    table = Table.open(tmp_path / "points-5.zarr")
    table.block_path(3, 0).unlink()
    Table.create(table.path, make_plan(5), solver="test")
    found = the_json(call("info", "--json", "--store", tmp_path))["tables"][0]
    assert (found["complete"], found["blocks_done"], found["blocks"]) == (False, 3, 4)
    assert "3 of 4 blocks" in call("info", "--store", tmp_path)[1]


# --- the streams of the shell


def in_shell(command, store):
    environment = {**os.environ, "GOOFSPIEL_STORE": str(store)}
    script = command.replace("goofspiel", shlex.quote(COMMAND))
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", script],
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE,
        check=False,
    )


def test_a_reader_that_has_seen_enough_is_no_error(tables, tmp_path):
    (tmp_path / "many").write_text(f"{HAND}\n" * 2000)
    done = in_shell(f"goofspiel probe - < {tmp_path}/many | head -1", tables)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{HAND}\n", "")
    done = in_shell("goofspiel table 4 | true", tables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("command", ["info", "table 4", f"probe '{HAND}'", "verify 4 --quiet"])
def test_output_that_cannot_be_written_is_an_error(tables, command):
    done = in_shell(f"goofspiel {command} > /dev/full", tables)
    assert (done.returncode, done.stderr) == (1, "goofspiel: No space left on device\n")


def test_closed_streams_are_no_reason_to_fail(tables):
    for command in ("table 4 >&-", "info >&-", "probe - <&-", "verify 4 2>&-", "solve 4 2>&- >&-"):
        done = in_shell(f"goofspiel {command}", tables)
        assert (command, done.returncode) == (command, 0)
        assert "Traceback" not in done.stderr


def test_a_stream_that_cannot_show_every_character(tables):
    done = run("probe", "A3/A2/A 2", store=tables, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "0.3333" in done.stdout
