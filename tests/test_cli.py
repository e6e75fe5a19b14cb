"""The command line: solve, verify and info, one clear line for every mistake, and the streams of the shell."""

import json
import os
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command import COMMAND, HAND, PATIENCE, run, start, the_json, tree, wait_until
from corpora import corpus
from fixtures import Call

import goofspiel
from goofspiel.games import kernels
from goofspiel.rules import Rules
from goofspiel.solver import forecast, solve
from goofspiel.store import FORMAT, SolveLock, Table, make_layout

# --- mistakes


@pytest.mark.parametrize(("arguments", "code", "expected"), corpus("bad_commands.txt"))
def test_a_mistake_is_one_clear_line(call: Call, tmp_path: Path, arguments: str, code: str, expected: str) -> None:
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


def test_mistakes_in_the_shell(tmp_path: Path) -> None:
    """The same from the real command: no traceback, the right exit code."""
    for arguments, code in ((["probe", "33/24/2 3"], 1), (["solve", "abc"], 2), ([], 2), (["table", "10"], 1)):
        done = run(*arguments, store=tmp_path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
        assert "Traceback" not in done.stderr


def test_help_and_version(call: Call) -> None:
    code, out, err = call("--help")
    assert (code, err) == (0, "")
    assert all(verb in out for verb in ("solve", "probe", "table", "verify", "info"))
    assert call("--version") == (0, f"goofspiel {goofspiel.__version__}\n", "")
    for verb in ("solve", "probe", "table", "verify", "info"):
        code, out, _ = call(verb, "--help")
        assert code == 0
        assert "--store DIR" in out
        assert "--json" in out


def test_a_damaged_table_is_one_clear_line(call: Call, tables: Path, tmp_path: Path) -> None:
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


def test_solve_puts_the_path_on_stdout_and_plain_progress_on_stderr(tmp_path: Path) -> None:
    done = run("solve", "5", "--store", str(tmp_path / "here"), store=tmp_path / "not here")
    assert (done.returncode, done.stdout) == (0, f"{tmp_path}/here/points-5.zarr\n")
    progress, summary = done.stderr.splitlines()
    assert progress == "solving 100% level 4 of 4"
    assert re.fullmatch(
        rf"{make_layout(Rules(5)).games} games, [0-9.]+ s, [0-9.]+ CPU-seconds; "
        r"every value is within \S+ of the true one",
        summary,
    )
    assert not (tmp_path / "not here").exists()
    again = run("solve", "5", "--store", str(tmp_path / "here"), store=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert "solving" not in again.stderr


def test_solve_draws_a_bar_on_a_terminal(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("game", ["4", "3 hidden"])
def test_solve_says_it_once_as_json(call: Call, tmp_path: Path, game: str) -> None:
    assert "CPU-seconds" in call("solve", game, "--store", tmp_path / "text")[2]
    result = call("solve", game, "--json", "--store", tmp_path / "json")
    assert the_json(result)["cpu_seconds"] > 0
    assert "CPU-seconds" not in result[2]


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_solve_quiet_json_and_threads(call: Call, tmp_path: Path, cards: int) -> None:
    result = call("solve", cards, "--json", "--quiet", "--threads", 2, "--resume", "--store", tmp_path)
    assert result[2] == ""
    path = tmp_path / f"points-{cards}.zarr"
    said = the_json(result)
    assert (said["table"], said["cards"], said["objective"]) == (str(path), cards, "points")
    assert (said["games"], said["bytes"]) == (make_layout(Rules(cards)).games, make_layout(Rules(cards)).disk_bytes())
    assert len(said["gaps"]) == cards - 1
    assert 0 <= said["value_bound"] < said["exploitability_bound"] < 1e-12
    assert min(said["wall_seconds"], said["cpu_seconds"], said["peak_memory_bytes"]) > 0
    assert said["kernel"] == kernels()[0]
    assert Table.open(path).header.complete


def test_solve_dry_run_says_what_it_takes_and_does_nothing(call: Call, tmp_path: Path) -> None:
    store = tmp_path / "store"
    said = the_json(call("solve", 13, "--dry-run", "--json", "--threads", 2, "--memory", "8GiB", "--store", store))
    assert said["games"] == make_layout(Rules(13)).games == 1_338_879_360
    assert said["disk_bytes"] == make_layout(Rules(13)).disk_bytes()
    assert said["wall_seconds"] == pytest.approx(said["cpu_seconds"] / 2)
    assert (said["cards"], said["threads"], said["table"]) == (13, 2, f"{store}/points-13.zarr")
    assert said["memory_bytes"] <= said["memory_free"] == 8 << 30
    assert {"disk_free", "blocks", "dtype", "objective"} <= said.keys()
    code, text, err = call("solve", 13, "--dry-run", "--threads", 2, "--memory", "8GiB", "--store", store)
    assert (code, err) == (0, "")
    for part in (f"{store}/points-13.zarr", "1,338,879,360", "GiB", "2 threads", "CPU-seconds"):
        assert part in text
    assert "NOT ENOUGH MEMORY" not in text
    _, text, _ = call("solve", 13, "--dry-run", "--memory", "1GiB", "--store", store)
    assert "GiB, 1.00 GiB may be used: NOT ENOUGH MEMORY" in text
    said = the_json(call("solve", 13, "--dry-run", "--json", "--cluster", "local:2", "--store", store))
    assert (said["threads"], said["memory_free"]) == (2, None)  # of its workers
    said = the_json(call("solve", 13, "--dry-run", "--json", "--cluster", "tcp://host:8786", "--store", store))
    assert (said["threads"], said["wall_seconds"]) == (None, None)
    text = call("solve", 13, "--dry-run", "--cluster", "local:1", "--store", store)[1]
    assert "for each worker of one thread\n" in text
    assert " on 1 thread, " in text
    assert not store.exists()


def test_a_dry_run_looks_at_what_is_there(call: Call, tmp_path: Path) -> None:
    ask = ("solve", 8, "--dry-run", "--threads", 2, "--store", tmp_path)
    whole = the_json(call(*ask, "--json"))
    assert (whole["state"], whole["blocks"], whole["blocks_done"]) == ("missing", 7, 0)
    assert "state    nothing yet\n" in call(*ask)[1]
    call("solve", 8, "--dtype", "float32", "--quiet", "--store", tmp_path)
    done = the_json(call(*ask, "--json"))
    assert (done["state"], done["dtype"], done["cpu_seconds"]) == ("complete", "float32", 0)
    assert done["disk_used"] > done["disk_bytes"] > 0
    assert call(*ask)[1].endswith("time     nothing to do\n")
    table = Table.open(tmp_path / "points-8.zarr")
    table.block_path(7, 0).unlink()
    rest = the_json(call(*ask, "--json"))
    assert (rest["state"], rest["blocks_done"]) == ("begun", 6)
    assert rest["disk_used"] < done["disk_used"]
    assert "state    6 of 7 blocks are solved, --resume goes on\n" in call(*ask)[1]
    with SolveLock(table.path):
        assert "--resume goes on, being solved by another process\n" in call(*ask)[1]
    assert call("solve", 8, "--dry-run", "--resume", "--repair")[0] == 2
    assert table.done_count() == 6


def test_the_rest_of_a_table_takes_less_time(tmp_path: Path) -> None:
    whole = forecast(9, store=tmp_path).cpu_seconds
    table = Table.open(solve(9, store=tmp_path))
    table.block_path(8, 0).unlink()
    top = forecast(9, store=tmp_path).cpu_seconds
    table.block_path(7, 0).unlink()
    assert 0 < top < forecast(9, store=tmp_path).cpu_seconds < whole


@pytest.mark.parametrize(
    ("made", "asked"),
    [(("--dtype", "float32"), ("--dtype", "fixed24")), (("--keep", "last"), ()), ((), ("--keep", "last"))],
)
def test_a_dry_run_refuses_what_the_solve_refuses(
    call: Call, tmp_path: Path, made: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    call("solve", 6, *made, "--quiet", "--store", tmp_path)
    refused = call("solve", 6, *asked, "--store", tmp_path)
    assert refused[:2] == (1, "")
    assert call("solve", 6, *asked, "--dry-run", "--store", tmp_path) == refused
    (tmp_path / "points-6.zarr/zarr.json").write_text("{", encoding="utf-8")
    refused = call("solve", 6, *made, "--store", tmp_path)
    assert refused[:2] == (1, "")
    assert call("solve", 6, *made, "--dry-run", "--store", tmp_path) == refused


@pytest.mark.parametrize("cards", range(1, 17))
def test_every_game_can_be_forecast(call: Call, cards: int) -> None:
    assert the_json(call("solve", cards, "--dry-run", "--json"))["cards"] == cards


def test_interrupted_it_says_so_and_resumes(tmp_path: Path) -> None:
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
def test_interrupted_while_it_writes_it_says_so_in_one_line(tmp_path: Path, moment: str) -> None:
    process = start("solve", "11", "--quiet", store=tmp_path)
    assert wait_until((tmp_path / "points-11.zarr" / moment).exists, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (1, "", "goofspiel: interrupted: what was finished is kept\n")
    assert not list(tmp_path.rglob("*.partial"))


# --- verify


def test_verify_says_what_it_has_checked(call: Call, tables: Path) -> None:
    code, out, err = call("verify")
    assert code == 0
    for cards in (4, 5):
        assert f"{tables}/points-{cards}.zarr" in out
        assert f"reading points {cards} 100% {cards - 1} of {cards - 1} blocks" in err
    assert out.count("  passed\n") == 2
    assert "200 positions" in out
    assert "0 damaged" in out
    code, out, err = call("verify", 4, "--positions", 7, "--quiet")
    assert (code, err) == (0, "")
    assert "7 positions" in out
    assert "points-5" not in out


def test_verify_json(call: Call, tables: Path) -> None:
    found = the_json(call("verify", 4, "--json", "--quiet", "--positions", 20, "--seed", 3))
    assert found["table"] == f"{tables}/points-4.zarr"
    assert found["passed"] is True
    assert (found["positions"], found["swapped"], found["blocks"], found["damaged"]) == (20, 20, 3, [])
    assert found["largest_difference"] <= found["allowed"]
    assert found == the_json(call("verify", 4, "--json", "--quiet", "--positions", 20, "--seed", 3))
    code, out, _ = call("verify", "--json", "--quiet", "--positions", 5)
    assert code == 0
    assert [json.loads(line)["passed"] for line in out.splitlines()] == [True, True]


def test_verify_fails_on_damage_and_still_checks_the_others(call: Call, tables: Path, tmp_path: Path) -> None:
    store = Path(shutil.copytree(tables, tmp_path / "store"))
    solve(3, store=store)
    (store / "points-3.zarr" / "zarr.json").write_text("garbage")
    block = store / "points-4.zarr" / "level-02" / "c" / "0" / "0"
    data = bytearray(block.read_bytes())
    data[7] ^= 64
    block.write_bytes(data)
    code, out, err = call("verify", "--quiet", "--store", store)
    assert code == 1
    mending = f"goofspiel solve 3 --store {store} --resume --repair"
    assert f"{store}/points-3.zarr/zarr.json is damaged ({mending} mends it): " in err
    assert err.count("\n") == 1
    assert f"{block} is damaged" in out
    assert "FAILED" in out
    assert out.count("  passed\n") == 1
    code, out, _ = call("verify", 4, "--json", "--quiet", "--store", store)
    assert code == 1
    assert json.loads(out)["passed"] is False
    assert str(block) in json.loads(out)["damaged"][0]
    code, out, err = call("verify", 3, "--json", "--quiet", "--store", store)
    said = {"table": f"{store}/points-3.zarr", "rules": "3", "passed": False}
    assert (code, json.loads(out)) == (1, said | {"error": err.removeprefix("goofspiel: ").rstrip()})
    assert call(*shlex.split(mending)[1:], "--quiet")[0] == 0
    assert call("verify", 3, "--quiet", "--store", store)[0] == 0


def test_a_table_that_has_lost_its_header_is_mended_as_is_said(call: Call, tables: Path, tmp_path: Path) -> None:
    store = Path(shutil.copytree(tables, tmp_path / "store"))
    before = tree(store / "points-4.zarr")
    (store / "points-4.zarr" / "zarr.json").unlink()
    said = the_json(call("info", 4, "--json", "--store", store))["tables"][0]["error"]
    mending = f"goofspiel solve 4 --store {store} --resume --repair"
    assert said == f"{store}/points-4.zarr has lost its zarr.json: {mending} mends it"
    assert call(*shlex.split(mending)[1:], "--quiet")[0] == 0
    assert tree(store / "points-4.zarr") == before


def test_verify_tells_what_is_missing_from_what_is_damaged(call: Call, tmp_path: Path) -> None:
    table = Table.open(solve(6, store=tmp_path))
    table.block_path(5, 0).unlink()
    begun = Table.create(table.path, make_layout(Rules(6)), solver="test")
    code, out, err = call("verify", "--quiet", "--store", tmp_path)
    assert (code, err) == (1, "")
    _, read, state = out.splitlines()
    assert re.fullmatch("  4 blocks read, .*: 0 damaged", read)
    assert state == f"  not complete: 4 of 5 blocks; goofspiel solve 6 --store {tmp_path} --resume goes on"
    begun.block_path(3, 0).write_bytes(b"garbage")
    code, out, _ = call("verify", "--quiet", "--json", "--store", tmp_path)
    found = json.loads(out)
    assert (code, found["passed"], found["blocks"], found["missing"]) == (1, False, 4, 1)
    (damage,) = found["damaged"]
    assert str(begun.block_path(3, 0)) in damage
    assert "  FAILED\n" in call("verify", "--quiet", "--store", tmp_path)[1]


# --- info


def test_info_lists_the_tables_and_their_bounds(call: Call, tables: Path) -> None:
    found = the_json(call("info", "--json"))
    assert found["store"] == str(tables)
    assert [(table["cards"], table["objective"]) for table in found["tables"]] == [(4, "points"), (5, "points")]
    four = found["tables"][0]
    assert (four["complete"], four["being_solved"], four["blocks"], four["blocks_done"]) == (True, False, 3, 3)
    assert (four["games"], four["bytes"]) == (make_layout(Rules(4)).games, make_layout(Rules(4)).disk_bytes())
    assert len(four["gaps"]) == 3
    assert 0 < four["value_bound"] < four["exploitability_bound"] < 1e-10
    code, text, err = call("info")
    assert (code, err) == (0, "")
    for part in (str(tables), "points 4", "points 5", "complete", "every value is within", "every mix loses no more"):
        assert part in text
    assert f"{four['value_bound']:.1e}" in text


def test_info_of_an_empty_store_and_of_one_that_is_not_there(call: Call, tmp_path: Path) -> None:
    for store in (tmp_path, tmp_path / "nowhere"):
        assert the_json(call("info", "--json", "--store", store)) == {"store": str(store), "tables": [], "policies": []}
        code, text, _ = call("info", "--store", store)
        assert code == 0
        assert "goofspiel solve 13" in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("11",), "there is no table of 11 cards in {store}: goofspiel solve 11 makes one"),
        (("4 carry",), "there is no table of the game '4 carry' in {store}: goofspiel solve 4 --ties carry makes one"),
        (("--rounds", "15"), "there is no table with --rounds 15 in {store}: goofspiel solve N --rounds 15 makes one"),
    ],
)
@pytest.mark.parametrize("verb", ["info", "verify"])
def test_a_table_that_was_asked_for_and_is_not_there(
    call: Call, tables: Path, verb: str, words: tuple[str, ...], said: str
) -> None:
    for form in ([], ["--json"]):
        assert call(verb, *words, *form) == (1, "", f"goofspiel: {said.format(store=tables)}\n")


def test_info_names_what_is_wrong_with_a_table(call: Call, tables: Path, tmp_path: Path) -> None:
    store = Path(shutil.copytree(tables, tmp_path / "store"))
    (store / "points-4.zarr" / "zarr.json").write_text("garbage")
    (store / "points-5.zarr" / "gap-02" / "c" / "0").unlink()
    found = the_json(call("info", "--json", "--store", store))["tables"]
    assert "points-4.zarr/zarr.json is damaged" in found[0]["error"]
    assert "points-5.zarr/gap-02" in found[1]["error"]
    code, text, _ = call("info", "--store", store)
    assert code == 0
    assert found[0]["error"] in text


def test_info_counts_the_blocks_of_a_table_that_is_not_finished(call: Call, tmp_path: Path) -> None:
    solve(5, store=tmp_path)
    table = Table.open(tmp_path / "points-5.zarr")
    table.block_path(3, 0).unlink()
    Table.create(table.path, make_layout(Rules(5)), solver="test")
    found = the_json(call("info", "--json", "--store", tmp_path))["tables"][0]
    assert (found["complete"], found["blocks_done"], found["blocks"]) == (False, 3, 4)
    assert "3 of 4 blocks" in call("info", "--store", tmp_path)[1]
    assert found["bytes"] == sum(map(len, tree(table.path).values()))  # not what the whole table takes


# --- the streams of the shell


def in_shell(command: str, store: Path) -> subprocess.CompletedProcess[str]:
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


def test_a_reader_that_has_seen_enough_is_no_error(tables: Path, tmp_path: Path) -> None:
    (tmp_path / "many").write_text(f"{HAND}\n" * 2000)
    done = in_shell(f"goofspiel probe - < {tmp_path}/many | head -1", tables)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{HAND}\n", "")
    done = in_shell("goofspiel table 4 | true", tables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_errors_come_between_the_answers_that_they_stand_for(tables: Path) -> None:
    done = in_shell(f"printf '{HAND}\\nwrong\\n24/A3/23 -\\n' | goofspiel probe - --csv 2>&1", tables)
    assert done.returncode == 1
    assert [line.split(",")[0][:17] for line in done.stdout.splitlines()] == [
        *("position", HAND, "goofspiel: line 2", "24/A3/23 -")
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    "command", ["info", "table 4", f"probe '{HAND}'", "verify 4 --quiet", "--version", "--help", "solve --help"]
)
def test_output_that_cannot_be_written_is_an_error(tables: Path, command: str) -> None:
    done = in_shell(f"goofspiel {command} > /dev/full", tables)
    assert (done.returncode, done.stderr) == (1, "goofspiel: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_records_that_cannot_be_written_are_named(tables: Path, tmp_path: Path) -> None:
    (tmp_path / "game.txt").write_text("cards: 4\n\n444\n", encoding="utf-8")
    for command in ("match match uniform --cards 4 --games 10 --quiet", f"habits {tmp_path}/game.txt"):
        done = in_shell(f"goofspiel {command} --records /dev/full", tables)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "goofspiel: No space left on device: /dev/full\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_error_after_output_that_cannot_be_written(tables: Path) -> None:
    done = in_shell("echo wrong | goofspiel probe - --csv > /dev/full", tables)
    assert done.returncode == 1
    assert [line[:17] for line in done.stderr.splitlines()] == ["goofspiel: line 1", "goofspiel: No spa"]


def test_ctrl_c_before_there_are_verbs_is_one_line() -> None:
    program = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'goofspiel.cli.ask': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from goofspiel.cli import main\n"
        "sys.exit(main(['info']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "goofspiel: interrupted\n")


def test_closed_streams_are_no_reason_to_fail(tables: Path) -> None:
    for command in ("verify 4 2>&- > /dev/null", "solve 4 2>&- > /dev/null"):
        done = in_shell(f"goofspiel {command}", tables)
        assert (command, done.returncode) == (command, 0)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["probe -", "review -", "engine"])
def test_what_is_to_be_read_from_a_closed_stream_is_an_error(tables: Path, command: str) -> None:
    done = in_shell(f"goofspiel {command} <&-", tables)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "goofspiel: standard input is closed\n")


@pytest.mark.parametrize(
    "command",
    ["--version >&-", "--help >&-", "table 4 >&-", "info >&-", "solve 4 --quiet >&-", f"probe '{HAND}' --json >&- <&-"],
)
def test_results_for_a_closed_stream_are_lost_and_that_is_an_error(tables: Path, command: str) -> None:
    done = in_shell(f"goofspiel {command}", tables)
    assert (done.returncode, done.stderr) == (1, "goofspiel: standard output is closed\n")
    assert in_shell(f"goofspiel {command} 2>&-", tables).returncode == 1


def test_a_stream_that_cannot_show_every_character(tables: Path) -> None:
    done = run("probe", "A3/A2/A 2", store=tables, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "0.3333" in done.stdout


# --- with the objective win


def test_solve_verify_and_info_of_a_table_with_leads(call: Call, tmp_path: Path) -> None:
    said = the_json(call("solve", 5, "--objective", "win", "--json", "--quiet", "--store", tmp_path))
    plan = make_layout(Rules(5, objective=goofspiel.Objective.WIN))
    assert (said["table"], said["objective"], said["dtype"]) == (f"{tmp_path}/win-5.zarr", "win", "fixed32")
    assert (said["games"], said["bytes"], said["keep"]) == (plan.games, plan.disk_bytes(), "all")
    assert 0 < said["value_bound"] < said["exploitability_bound"] < 1e-6
    found = the_json(call("verify", "--json", "--quiet", "--positions", 20, "--store", tmp_path))
    assert (found["table"], found["passed"], found["positions"]) == (said["table"], True, 20)
    (table,) = the_json(call("info", "--json", "--store", tmp_path))["tables"]
    assert (table["objective"], table["complete"], table["format"]) == ("win", True, FORMAT)
    assert (table["blocks_done"], table["blocks"]) == (plan.block_count, plan.block_count)
    assert "win 5" in call("info", "--store", tmp_path)[1]


def test_solve_keeps_only_the_last_level_when_told(call: Call, tmp_path: Path) -> None:
    options = ["--objective", "win", "--keep", "last", "--store", tmp_path]
    plan = make_layout(Rules(5, objective=goofspiel.Objective.WIN))
    forecast = the_json(call("solve", 5, *options, "--dry-run", "--json"))
    assert forecast["disk_bytes"] == plan.disk_bytes("last") < plan.disk_bytes()
    said = the_json(call("solve", 5, *options, "--json", "--quiet"))
    assert (said["keep"], said["bytes"]) == ("last", plan.levels[-1].bytes)
    assert "only the last level is kept" in call("info", "--store", tmp_path)[1]
    assert call("table", 5, "--objective", "win", "--store", tmp_path)[0] == 0
    assert call("verify", "--quiet", "--store", tmp_path)[0] == 0
    code, out, err = call("probe", "24/A3/5 4", "--objective", "win", "--cards", 5, "--store", tmp_path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert f"{tmp_path}/win-5.zarr keeps only its last level" in err
    code, out, err = call("solve", 5, "--objective", "win", "--store", tmp_path)
    assert (code, out) == (1, "")
    assert "was begun with --keep last, it cannot go on with --keep all" in err


def test_the_forecast_of_every_game_with_leads(call: Call, tmp_path: Path) -> None:
    for cards in (1, 2, 9, 13):
        said = the_json(call("solve", cards, "--objective", "win", "--dry-run", "--json", "--store", tmp_path))
        assert (said["cards"], said["objective"]) == (cards, "win")
        assert said["games"] == make_layout(Rules(cards, objective=goofspiel.Objective.WIN)).games
    assert list(tmp_path.iterdir()) == []
