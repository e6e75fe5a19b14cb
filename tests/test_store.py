"""Tables on disk: damage of every kind is noticed and named, and what can be mended is."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run, tree
from damage import edit_header, flip, outcome, restore, without_manifest
from fixtures import Repeats, Tally

import goofspiel as gs
from goofspiel.arrays import Floats
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.states import matchups
from goofspiel.states.subsets import all_subsets
from goofspiel.store import FORMAT, Table, list_tables, table_path
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.bounds import Bound
from goofspiel.tablebase.verification import verify

CARDS = 6


def all_positions(cards: int) -> list[gs.Position]:
    """Every stored position of a game."""
    return [
        gs.Position.from_masks(mine, theirs, deck)
        for level in range(1, cards)
        for deck in all_subsets(cards, level).tolist()
        for mine, theirs in zip(*(words.tolist() for words in matchups.all_matchups(cards, level)), strict=True)
    ]


@pytest.fixture(scope="module")
def asked() -> list[gs.Position]:
    return all_positions(CARDS)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good table, not to be changed."""
    return solve(CARDS, store=tmp_path_factory.mktemp("good"))


@pytest.fixture(scope="module")
def truth(good: Path, asked: list[gs.Position]) -> tuple[Floats, Bound]:
    with open_tablebase(CARDS, store=good.parent) as tablebase:
        return tablebase.values(asked), tablebase.bound


@pytest.fixture
def table(good: Path, tmp_path: Path) -> Path:
    """A copy of the good table, to be damaged."""
    return Path(shutil.copytree(good, tmp_path / good.name))


def ask_everything(table: Path, asked: list[gs.Position]) -> tuple[Floats, Bound]:
    """The values and the bound, freshly read."""
    with open_tablebase(CARDS, store=table.parent) as tablebase:
        return tablebase.values(asked), tablebase.bound


def block(table: Path, level: int) -> Path:
    return Table.open(table).block_path(level, 0)


def test_a_good_table_is_read_back(table: Path, asked: list[gs.Position], truth: tuple[Floats, Bound]) -> None:
    values, bound = ask_everything(table, asked)
    assert np.array_equal(values, truth[0])
    assert bound == truth[1]
    assert np.isfinite(values).all()
    assert np.unique(values).size > 100  # not all alike


# --- damaged files


@pytest.mark.parametrize("where", [0.0, 0.3, 0.7, 0.98, 1.0])
@pytest.mark.parametrize("level", range(1, CARDS))
def test_a_flipped_bit_in_a_block_is_noticed(table: Path, asked: list[gs.Position], level: int, where: float) -> None:
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
def test_a_truncated_block_is_noticed(table: Path, asked: list[gs.Position], level: int, share: float) -> None:
    file = block(table, level)
    file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])
    with pytest.raises(gs.DamagedTableError, match=str(file)):
        ask_everything(table, asked)
    assert not verify(Table.open(table)).passed


def test_a_deleted_block_is_noticed_and_mended(table: Path, good: Path, asked: list[gs.Position]) -> None:
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


def test_a_damaged_block_stops_a_resumed_solve(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flip(block(table, 3), 100)
    block(table, 4).unlink()
    monkeypatch.setattr("goofspiel.store.table.SYNCED_BYTES", 0)  # as if it were too large to be read to see
    with pytest.raises(gs.DamagedTableError, match="level-03"):
        solve(CARDS, store=table.parent, resume=True)


def test_a_small_block_that_is_damaged_is_solved_again(table: Path, good: Path) -> None:
    flip(block(table, 3), 100)
    with pytest.raises(gs.SolveError, match=r"partly solved \(4 of 5 blocks\)"):
        solve(CARDS, store=table.parent)
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(good)


@pytest.mark.parametrize("looked", [0, 1 << 20], ids=["large", "small"])
@pytest.mark.parametrize("left", [0, 1, 100, -1])
def test_a_resumed_solve_looks_at_the_sizes_of_blocks(
    table: Path, good: Path, monkeypatch: pytest.MonkeyPatch, left: int, looked: int
) -> None:
    """An emptied or truncated block of a complete table is not done."""
    monkeypatch.setattr("goofspiel.store.table.SYNCED_BYTES", looked)
    file = block(table, 3)
    file.write_bytes(file.read_bytes()[:left])
    assert not Table.open(table).is_level_done(3)
    assert Table.open(table).done_count() == CARDS - 2
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(good)


@pytest.mark.parametrize("looked", [0, 1 << 20], ids=["large", "small"])
@pytest.mark.parametrize("how", [Path.unlink, lambda file: file.write_bytes(b""), lambda file: flip(file, 3)])
def test_a_block_without_its_gap_is_not_done(
    table: Path, good: Path, monkeypatch: pytest.MonkeyPatch, how: Callable[[Path], object], looked: int
) -> None:
    monkeypatch.setattr("goofspiel.store.table.SYNCED_BYTES", looked)
    how(table / "gap-03" / "c" / "0")
    assert not Table.open(table).is_level_done(3)
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(good)


def test_a_block_of_nan_is_noticed(table: Path) -> None:
    opened = Table.open(table)
    values = opened.read_block(3, 0)
    values[2, 1] = np.nan
    opened.write_block(3, 0, values, 0.0)  # under a right checksum
    found = verify(Table.open(table))
    (damage,) = found.damaged
    assert damage.startswith(f"{block(table, 3)} is damaged (delete it, then goofspiel solve 6")
    assert damage.endswith("not all of its values are numbers")
    assert not found.passed
    with pytest.raises(gs.DamagedTableError, match="not all of its values are numbers"):
        Table.open(table).read_block(3, 0)


@pytest.mark.parametrize("how", ["delete", "truncate", "flip"])
def test_damaged_gaps_are_noticed(table: Path, how: str) -> None:
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
def test_garbage_instead_of_metadata_is_noticed(
    table: Path, asked: list[gs.Position], name: str, garbage: bytes
) -> None:
    file = table / name
    file.write_bytes(garbage)
    with pytest.raises(gs.DamagedTableError, match=str(file.parent)):
        ask_everything(table, asked)


def test_metadata_of_another_shape_is_noticed(table: Path, asked: list[gs.Position]) -> None:
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
        {"keep": "some"},
        {"keep": None},
        {"complete": "yes"},
        {"complete": 1},
        {"solver": None},
        {"more": 1},
    ],
    ids=str,
)
def test_a_header_of_wrong_types_is_damage(table: Path, wrong: dict[str, Any]) -> None:
    edit_header(table, **wrong)
    with pytest.raises(gs.DamagedTableError, match=str(table)):
        open_tablebase(CARDS, store=table.parent)


@pytest.mark.parametrize("attribute", [[], 5, "text", {}], ids=str)
def test_a_header_that_is_none_is_damage(table: Path, attribute: object) -> None:
    file = table / "zarr.json"
    content = json.loads(file.read_text())
    content["attributes"]["goofspiel"] = attribute
    file.write_text(json.dumps(content))
    with pytest.raises(gs.DamagedTableError, match=f"{file} is damaged .*: its header is "):
        open_tablebase(CARDS, store=table.parent)


def test_a_file_in_place_of_a_table(tmp_path: Path) -> None:
    table_path(tmp_path, Rules(CARDS, objective=gs.Objective.POINTS)).write_text("not a table")
    for ask in (open_tablebase, solve):
        with pytest.raises(gs.DamagedTableError, match=r"points-6\.zarr is not a table"):
            ask(CARDS, store=tmp_path)


def test_any_flipped_bit_gives_the_truth_or_an_error(
    table: Path, asked: list[gs.Position], truth: tuple[Floats, Bound], repeats: Repeats, tally: Tally
) -> None:
    """Many bits of all files, one at a time: never a wrong value, never an error of another kind."""
    random_bits, trials = random.Random(1), repeats(60, 240)
    tally("flipped bits", trials)
    whole = tree(table)
    names = sorted(whole)
    seen = {"truth": 0, "error": 0, "found by verify": 0}
    for trial in range(trials):
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
        found = outcome(lambda: verify(Table.open(table, Rules(CARDS)), positions=2))
        noticed = isinstance(found, str) or not found.passed
        assert noticed or name.endswith("zarr.json"), (name, bit)
        seen["found by verify"] += noticed
        restore(table, whole)
    assert seen["error"] > trials * 5 / 8
    assert seen["truth"] > 0  # for example a bit of the solver's version
    assert seen["found by verify"] >= seen["error"]


# --- a table that is not the one that is asked for


def early_format(table: Path, number: int) -> dict[str, Any]:
    """The metadata of a table as earlier formats had it: cards and objective for rules, no geometry, no manifest."""
    without_manifest(table)
    content: dict[str, Any] = json.loads((table / "zarr.json").read_text())
    header = content["attributes"]["goofspiel"]
    del header["geometry"], header["rules"]
    header |= {"format": number, "cards": CARDS, "objective": "points"}
    return content


@pytest.fixture
def third(good: Path, tmp_path: Path) -> Path:
    """The good table as format 3 had it."""
    return without_manifest(Path(shutil.copytree(good, tmp_path / "third" / good.name)))


def test_a_table_of_the_third_format_is_read_and_goes_on(
    third: Path, asked: list[gs.Position], truth: tuple[Floats, Bound]
) -> None:
    whole = tree(third)
    values, bound = ask_everything(third, asked)
    assert np.array_equal(values, truth[0])
    assert bound == truth[1]
    assert verify(Table.open(third), positions=20).passed
    block(third, 4).unlink()
    solve(CARDS, store=third.parent, resume=True)
    assert tree(third) == whole
    (third / "zarr.json").unlink()
    solve(CARDS, store=third.parent, resume=True, repair=True)
    assert tree(third) == whole


def test_a_table_of_the_second_format_is_read_and_goes_on(
    table: Path, asked: list[gs.Position], truth: tuple[Floats, Bound], third: Path
) -> None:
    (table / "zarr.json").write_text(json.dumps(early_format(table, 2)))
    assert (Table.open(table).header.format, Table.open(table).rules) == (2, gs.Rules(CARDS))
    values, bound = ask_everything(table, asked)
    assert np.array_equal(values, truth[0])
    assert bound == truth[1]
    edit_header(table, complete=False)
    block(table, 4).unlink()
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(third)


def test_a_table_of_the_first_format_is_read(
    table: Path, asked: list[gs.Position], truth: tuple[Floats, Bound]
) -> None:
    """Its header did not say what is kept."""
    file = table / "zarr.json"
    content = early_format(table, 2)
    header = content["attributes"]["goofspiel"]
    assert header.pop("keep") == "all"
    file.write_text(json.dumps(content))
    with pytest.raises(gs.DamagedTableError, match="its header is "):
        Table.open(table)
    edit_header(table, format=1)
    assert (Table.open(table).header.format, Table.open(table).header.keep) == (1, "all")
    values, bound = ask_everything(table, asked)
    assert np.array_equal(values, truth[0])
    assert bound == truth[1]
    assert solve(CARDS, store=table.parent) == table
    assert json.loads(file.read_text()) == content | {
        "attributes": {"goofspiel": header | {"format": 1}}
    }  # left as it is


def test_a_table_begun_in_the_first_format_goes_on(table: Path, third: Path) -> None:
    file = table / "zarr.json"
    content = early_format(table, 1)
    del content["attributes"]["goofspiel"]["keep"]
    file.write_text(json.dumps(content))
    edit_header(table, complete=False)
    block(table, 4).unlink()
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(third)


def test_a_newer_format_is_refused(table: Path) -> None:
    edit_header(table, format=FORMAT + 1, something_new=1)
    with pytest.raises(gs.TableVersionError, match=f"{table} has format {FORMAT + 1}.*reads up to {FORMAT}"):
        open_tablebase(CARDS, store=table.parent)
    with pytest.raises(gs.TableVersionError, match=str(table)):
        solve(CARDS, store=table.parent, resume=True)
    assert not verify_command_passes(table.parent)


def test_a_table_of_another_number_of_cards_is_refused(table: Path) -> None:
    renamed = table.rename(table.with_name("points-7.zarr"))
    for ask in (open_tablebase, solve):
        with pytest.raises(gs.TableVersionError, match=f"{renamed} holds the game '6', not '7'"):
            ask(7, store=renamed.parent)


def test_a_table_of_another_objective_is_refused(table: Path) -> None:
    edit_header(table, rules="6 win")
    with pytest.raises(gs.TableVersionError, match=f"{table} holds the game '6 win', not '6'"):
        open_tablebase(CARDS, store=table.parent)


def verify_command_passes(store: Path) -> bool:
    return run("verify", store=store).returncode == 0


def test_only_names_of_tables_count_as_tables(tmp_path: Path) -> None:
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
    assert list_tables(tmp_path) == [gs.Rules(9, objective="win"), gs.Rules(16)]


# --- what a killed process leaves behind


@pytest.mark.parametrize("made", ["", "level-01", "gap-01/c"])
def test_a_solve_killed_while_it_made_the_table_starts_again(tmp_path: Path, good: Path, made: str) -> None:
    (tmp_path / good.name / made).mkdir(parents=True)
    (tmp_path / good.name / "zarr.0123.partial").write_text("{")
    assert tree(solve(CARDS, store=tmp_path)) == tree(good)


def test_leftovers_of_a_killed_process_are_removed(table: Path, good: Path) -> None:
    edit_header(table, complete=False)
    block(table, 4).unlink()
    (table / "level-04" / "c" / "0" / "0.abc.partial").write_bytes(b"half")
    (table / "zarr.abc.partial").write_bytes(b"half")
    solve(CARDS, store=table.parent, resume=True)
    assert tree(table) == tree(good)
