"""Tables on disk: damage of every kind is noticed and named, and processes do not get into each other's way."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import PATIENCE, file_count, run, start, tree, wait_until

import goofspiel as gs
from goofspiel import matchups, prizes
from goofspiel.plan import make_plan
from goofspiel.solver import solve
from goofspiel.store import FORMAT, Table, is_being_solved, list_tables, table_path
from goofspiel.store.interrupts import uninterrupted
from goofspiel.tablebase import open_for, open_tablebase, verify

CARDS = 6


def all_positions(cards):
    """Every stored position of a game."""
    return [
        gs.Position.from_masks(mine, theirs, deck)
        for level in range(1, cards)
        for deck in prizes.all_prize_sets(cards, level).tolist()
        for mine, theirs in zip(*(words.tolist() for words in matchups.all_matchups(cards, level)), strict=True)
    ]


@pytest.fixture(scope="module")
def asked():
    return all_positions(CARDS)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A good table, not to be changed."""
    return solve(CARDS, store=tmp_path_factory.mktemp("good"))


@pytest.fixture(scope="module")
def truth(good, asked):
    with open_tablebase(CARDS, store=good.parent) as tablebase:
        return tablebase.values(asked), tablebase.bound


@pytest.fixture
def table(good, tmp_path):
    """A copy of the good table, to be damaged."""
    return Path(shutil.copytree(good, tmp_path / good.name))


def ask_everything(table, asked):
    """The values and the bound, freshly read."""
    with open_tablebase(CARDS, store=table.parent) as tablebase:
        return tablebase.values(asked), tablebase.bound


def block(table, level, index=0):
    return Table.open(table).block_path(level, index)


def flip(file, bit):
    data = bytearray(file.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)


def edit_header(table, **changes):
    file = table / "zarr.json"
    content = json.loads(file.read_text())
    content["attributes"]["goofspiel"] |= changes
    file.write_text(json.dumps(content))


def test_a_good_table_is_read_back(table, asked, truth):
    values, bound = ask_everything(table, asked)
    assert np.array_equal(values, truth[0])
    assert bound == truth[1]
    assert np.isfinite(values).all()
    assert np.unique(values).size > 100  # not all alike


# --- damaged files


@pytest.mark.parametrize("where", [0.0, 0.3, 0.7, 0.98, 1.0])
@pytest.mark.parametrize("level", range(1, CARDS))
def test_a_flipped_bit_in_a_block_is_noticed(table, asked, level, where):
    file = block(table, level)
    flip(file, int(where * (8 * file.stat().st_size - 1)))
    with pytest.raises(gs.DamagedTableError, match=f"{file} is damaged") as caught:
        ask_everything(table, asked)
    assert f"goofspiel solve {CARDS} --store {table.parent} --resume" in str(caught.value)
    found = verify(Table.open(table))
    assert not found.passed
    assert [damage for damage in found.damaged if str(file) in damage]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("level", [1, 3, 5])
def test_a_truncated_block_is_noticed(table, asked, level, share):
    file = block(table, level)
    file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])
    with pytest.raises(gs.DamagedTableError, match=str(file)):
        ask_everything(table, asked)
    assert not verify(Table.open(table)).passed


def test_a_deleted_block_is_noticed_and_mended(table, good, asked):
    file = block(table, 3)
    file.unlink()
    with pytest.raises(gs.DamagedTableError, match=f"{file} is missing from a complete table") as caught:
        ask_everything(table, asked)
    assert f"goofspiel solve {CARDS} --store {table.parent} --resume" in str(caught.value)
    assert not verify(Table.open(table)).passed
    with pytest.raises(gs.SolveError, match="partly solved"):
        solve(CARDS, store=table.parent)
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(good)


def test_a_damaged_block_stops_a_resumed_solve(table):
    flip(block(table, 3), 100)
    block(table, 4).unlink()
    with pytest.raises(gs.DamagedTableError, match="level-03"):
        solve(CARDS, store=table.parent, resume=True)


def test_a_block_of_nan_is_noticed(table):
    opened = Table.open(table)
    values = opened.read_rows(3, 0, opened.block_rows(3))
    values[2, 1] = np.nan
    opened.write_block(3, 0, values, 0.0)
    with pytest.raises(gs.DamagedTableError, match=r"level-03.*not all of its values are numbers"):
        Table.open(table).read_rows(3, 0, 5)


@pytest.mark.parametrize("how", ["delete", "truncate", "flip"])
def test_damaged_gaps_are_noticed(table, how):
    file = table / "gap-03" / "c" / "0"
    if how == "delete":
        file.unlink()
    elif how == "truncate":
        file.write_bytes(file.read_bytes()[:5])
    else:
        flip(file, 9)
    with pytest.raises(gs.DamagedTableError, match="gap-03"):
        _ = open_tablebase(CARDS, store=table.parent).bound
    found = verify(Table.open(table))
    assert not found.passed
    assert "gap-03" in found.damaged[0]


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"{", b"[]", b"null", b"\xff\xfe\x00", b'{"zarr_format":2}'])
@pytest.mark.parametrize("name", ["zarr.json", "level-03/zarr.json", "gap-03/zarr.json"])
def test_garbage_instead_of_metadata_is_noticed(table, asked, name, garbage):
    file = table / name
    file.write_bytes(garbage)
    with pytest.raises(gs.DamagedTableError, match=str(file.parent)):
        ask_everything(table, asked)


def test_metadata_of_another_shape_is_noticed(table, asked):
    file = table / "level-03" / "zarr.json"
    content = json.loads(file.read_text())
    content["shape"][1] -= 1  # still readable, but every row would be one too short
    file.write_text(json.dumps(content))
    with pytest.raises(gs.DamagedTableError, match=str(file)):
        ask_everything(table, asked)


@pytest.mark.parametrize(
    "wrong",
    [
        {"format": "1"},
        {"format": None},
        {"format": True},
        {"cards": "6"},
        {"cards": 6.0},
        {"objective": 1},
        {"objective": "luck"},
        {"dtype": "int8"},
        {"dtype": 8},
        {"complete": "yes"},
        {"complete": 1},
        {"solver": None},
        {"more": 1},
    ],
    ids=str,
)
def test_a_header_of_wrong_types_is_damage(table, wrong):
    edit_header(table, **wrong)
    with pytest.raises(gs.DamagedTableError, match=str(table)):
        open_tablebase(CARDS, store=table.parent)


@pytest.mark.parametrize("attribute", [[], 5, "text", {}], ids=str)
def test_a_header_that_is_none_is_damage(table, attribute):
    file = table / "zarr.json"
    content = json.loads(file.read_text())
    content["attributes"]["goofspiel"] = attribute
    file.write_text(json.dumps(content))
    with pytest.raises(gs.DamagedTableError, match=f"{file} has a damaged header"):
        open_tablebase(CARDS, store=table.parent)


def test_a_file_in_place_of_a_table(tmp_path):
    table_path(tmp_path, CARDS, gs.Objective.POINTS).write_text("not a table")
    for ask in (open_tablebase, solve):
        with pytest.raises(gs.DamagedTableError, match=r"points-6\.zarr is not a table"):
            ask(CARDS, store=tmp_path)


def test_any_flipped_bit_gives_the_truth_or_an_error(table, asked, truth):
    """Hundreds of bits of all files, one at a time: never a wrong value, never an error of another kind."""
    random_bits = random.Random(1)
    whole = tree(table)
    names = sorted(whole)
    seen = {"truth": 0, "error": 0, "found by verify": 0}
    for trial in range(240):
        name = names[trial % len(names)]
        bit = random_bits.randrange(8 * len(whole[name]))
        file = table / name
        flip(file, bit)
        answer = outcome(lambda: ask_everything(table, asked))
        if isinstance(answer, str):
            assert str(table) in answer, (name, bit)
            seen["error"] += 1
        else:
            assert np.array_equal(answer[0], truth[0]), (name, bit)
            assert answer[1] == truth[1], (name, bit)
            seen["truth"] += 1
        restore(table, whole)
        flip(file, bit)
        found = outcome(lambda: verify(Table.open(table, cards=CARDS), samples=2))
        noticed = isinstance(found, str) or not found.passed
        assert noticed or name.endswith("zarr.json"), (name, bit)
        seen["found by verify"] += noticed
        restore(table, whole)
    assert seen["error"] > 150
    assert seen["truth"] > 0  # for example a bit of the solver's version
    assert seen["found by verify"] >= seen["error"]


def outcome(ask):
    """The answer, or the message of an error that is raised on purpose."""
    try:
        return ask()
    except gs.GoofspielError as error:
        return str(error)


def restore(table, whole):
    """Put the files back; a table that has lost its header may have been started anew."""
    for file in table.rglob("*"):
        if file.is_file() and str(file.relative_to(table)) not in whole:
            file.unlink()
    for name, content in whole.items():
        (table / name).write_bytes(content)


# --- a table that is not the one that is asked for


def test_a_newer_format_is_refused(table):
    edit_header(table, format=FORMAT + 1, something_new=1)
    with pytest.raises(gs.TableVersionError, match=f"{table} has format {FORMAT + 1}.*reads up to {FORMAT}"):
        open_tablebase(CARDS, store=table.parent)
    with pytest.raises(gs.TableVersionError, match=str(table)):
        solve(CARDS, store=table.parent, resume=True)
    assert not verify_command_passes(table.parent)


def test_a_table_of_another_number_of_cards_is_refused(table):
    renamed = table.rename(table.with_name("points-7.zarr"))
    for ask in (open_tablebase, solve):
        with pytest.raises(gs.TableVersionError, match=f"{renamed} holds cards 6, not 7"):
            ask(7, store=renamed.parent)


def test_a_table_of_another_objective_is_refused(table):
    edit_header(table, objective="win")
    with pytest.raises(gs.TableVersionError, match=f"{table} holds objective win, not points"):
        open_tablebase(CARDS, store=table.parent)


def verify_command_passes(store):
    return run("verify", store=store).returncode == 0


def test_only_names_of_tables_count_as_tables(tmp_path):
    for name in (
        "points-0.zarr",
        "points-17.zarr",
        "points-07.zarr",
        "points-5.zar",
        "luck-5.zarr",
        "points-5.zarr.old",
    ):
        (tmp_path / name).mkdir()
    assert list_tables(tmp_path) == []
    (tmp_path / "points-16.zarr").mkdir()
    (tmp_path / "win-9.zarr").mkdir()
    assert list_tables(tmp_path) == [(9, gs.Objective.WIN), (16, gs.Objective.POINTS)]


# --- a table that is not finished


@pytest.fixture
def begun(tmp_path):
    """A table of ten cards, of which only the first level is there."""
    plan = make_plan(10)
    path = table_path(tmp_path, 10, plan.objective)
    table = Table.create(path, plan, solver="test")
    first = plan.levels[0]
    table.write_block(1, 0, np.ones((first.prize_sets, first.matchups)), 0.0)
    return path


def test_an_incomplete_table_is_no_answer(begun):
    command = f"goofspiel solve 10 --store {begun.parent} --resume"
    with pytest.raises(gs.MissingTableError, match=f"not completely solved.*{command}"):
        open_tablebase(10, store=begun.parent)
    with pytest.raises(gs.MissingTableError, match=command):
        open_for(gs.Position("start 10"), store=begun.parent)
    with pytest.raises(gs.MissingTableError, match=r"level-02/c/0/0 is not solved yet"):
        Table.open(begun).read_rows(2, 0, 1)
    assert len(verify(Table.open(begun)).damaged) > 0


def test_an_incomplete_table_goes_on_only_when_told(begun):
    with pytest.raises(gs.SolveError, match=r"partly solved \(1 of 9 blocks\): goofspiel solve 10 .*--resume"):
        solve(10, store=begun.parent)


@pytest.mark.parametrize("made", ["", "level-01", "gap-01/c"])
def test_a_solve_killed_while_it_made_the_table_starts_again(tmp_path, good, made):
    (tmp_path / good.name / made).mkdir(parents=True)
    (tmp_path / good.name / "zarr.0123.partial").write_text("{")
    assert tree(solve(CARDS, store=tmp_path)) == tree(good)


def test_leftovers_of_a_killed_process_are_removed(table, good):
    edit_header(table, complete=False)
    block(table, 4).unlink()
    (table / "level-04" / "c" / "0" / "0.abc.partial").write_bytes(b"half")
    (table / "zarr.abc.partial").write_bytes(b"half")
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(good)


def test_an_interrupt_waits_for_the_end_of_a_file_operation():
    reached = []
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with uninterrupted(), uninterrupted():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append("end of the operation")
        reached.append("what follows")
    assert reached == ["end of the operation"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# --- several processes


HOLD = """
import sys
from pathlib import Path
from goofspiel.store import SolveLock
with SolveLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(begun):
    """Another process that holds the begun table for writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(begun)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.communicate(timeout=PATIENCE)


def test_a_table_that_another_process_is_solving_is_busy(begun, holder):
    assert is_being_solved(begun)
    with pytest.raises(gs.TableBusyError, match=f"{begun} is being solved by another process .pid {holder.pid}."):
        solve(10, store=begun.parent, resume=True)
    with pytest.raises(gs.TableBusyError, match=f"{begun} is still being solved"):
        open_tablebase(10, store=begun.parent)
    refused = run("solve", "10", "--resume", store=begun.parent)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert f"pid {holder.pid}" in refused.stderr
    assert json.loads(run("info", "--json", store=begun.parent).stdout)["tables"][0]["being_solved"] is True


def test_a_killed_holder_lets_go(begun, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait(timeout=PATIENCE)
    assert not is_being_solved(begun)
    solve(10, store=begun.parent, resume=True)
    assert open_tablebase(10, store=begun.parent).cards == 10


def test_the_second_of_two_solves_is_refused(tmp_path):
    """Two real solves: the second ends at once, the first is not disturbed."""
    path = table_path(tmp_path, 11, gs.Objective.POINTS)
    first = start("solve", "11", "--quiet", store=tmp_path)
    try:
        assert wait_until(lambda: file_count(path) > 0, first)
        with pytest.raises(gs.TableBusyError, match=f"pid {first.pid}"):
            solve(11, store=tmp_path, resume=True)
    finally:
        first.kill()
        first.communicate(timeout=PATIENCE)


def test_processes_that_ask_for_a_new_small_table_at_once_all_get_their_answer(tmp_path):
    askers = [start("probe", "start 7 4", "--json", store=tmp_path) for _ in range(3)]
    answers = [asker.communicate(timeout=PATIENCE) for asker in askers]
    assert [asker.returncode for asker in askers] == [0, 0, 0], answers
    assert len({out for out, _ in answers}) == 1
    assert abs(json.loads(answers[0][0])["value"]) < 1e-12  # equal hands
    assert verify(Table.open(table_path(tmp_path, 7, gs.Objective.POINTS))).passed
