"""Damage of every kind, and its repair: a probe says which, verify lists all, and exactly that is made anew."""

import json
import shutil
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from command import one_line, run, tree
from damage import flip, without_manifest

import goofspiel as gs
from goofspiel.arrays import Floats
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.store import Table, make_layout, table_path
from goofspiel.store.blocks import Geometry
from goofspiel.store.encoding import DTYPES
from goofspiel.store.repair import remove_damage
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.verification import verify

CARDS = 6


@pytest.fixture(scope="module", params=["points", "win"])
def good(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good table, not to be changed."""
    return solve(CARDS, objective=request.param, store=tmp_path_factory.mktemp("good"))


@pytest.fixture
def table(good: Path, tmp_path: Path) -> Table:
    """A copy of it, to be damaged."""
    return Table.open(Path(shutil.copytree(good, tmp_path / good.name)))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-5])


def garble(file: Path) -> None:
    file.write_text("{")


Harm = Callable[[Path], object]  # what is done to a file
HARM: dict[str, Harm] = {
    "flip": lambda file: flip(file, 4 * file.stat().st_size),
    "cut": cut,
    "empty": lambda file: file.write_bytes(b""),
    "delete": Path.unlink,
}


def values_file(table: Table, level: int) -> Path:
    return table.block_path(level, 0)


def metadata_file(table: Table, level: int) -> Path:
    return table.band_path(level, 0) / "zarr.json"


def repaired(table: Table, **options: Any) -> tuple[list[str], set[Path]]:
    """What a repair finds, and the files that it leaves alone."""
    before = {file: file.stat().st_mtime_ns for file in table.path.rglob("c/**/*") if file.is_file()}
    told: list[str] = []
    objective = table.rules.objective
    solve(
        CARDS, objective=objective, store=table.path.parent, resume=True, repair=True, on_repair=told.extend, **options
    )
    same = {file for file, time in before.items() if file.exists() and file.stat().st_mtime_ns == time}
    return told, same


def blocks_of(table: Table) -> set[Path]:
    """The files of all blocks and of their gaps."""
    return {file for file in table.path.rglob("c/**/*") if file.is_file()}


def ask(table: Table) -> Floats:
    """One pair of hands of each level, with every set of prizes: of all blocks something."""
    asked = [
        gs.Position.of(range(1, level + 1), range(2, level + 2), deck)
        for level in range(1, CARDS)
        for deck in combinations(range(1, CARDS + 1), level)
    ]
    with open_tablebase(CARDS, objective=table.rules.objective, store=table.path.parent) as tablebase:
        return tablebase.values(asked)


# --- blocks


@pytest.mark.parametrize("how", HARM)
@pytest.mark.parametrize("level", [1, 3, 5])
def test_a_damaged_block_is_named_listed_and_made_anew(table: Table, good: Path, level: int, how: str) -> None:
    everything = blocks_of(table)
    file = values_file(table, level)
    HARM[how](file)
    with pytest.raises(gs.DamagedTableError, match=str(file)) as caught:
        ask(table)
    assert "--resume" in one_line(caught)
    assert [damage for damage in verify(Table.open(table.path)).damaged if str(file) in damage]
    told, same = repaired(table)
    assert told == [str(file.relative_to(table.path))]
    assert everything - same == {file, table.gap_path(level, 0)}
    assert tree(table.path) == tree(good)


@pytest.mark.parametrize("how", HARM)
def test_a_damaged_gap_is_made_anew_with_its_block(table: Table, good: Path, how: str) -> None:
    file = table.gap_path(3, 0)
    HARM[how](file)
    assert any("gap-03" in damage for damage in verify(Table.open(table.path)).damaged)
    told, _ = repaired(table)
    assert told == [str(values_file(table, 3).relative_to(table.path))]
    assert tree(table.path) == tree(good)


def test_values_that_are_no_numbers_are_made_anew(table: Table, good: Path) -> None:
    values = table.read_block(3, 0)
    values[0, 0] = table.layout.level(3).encoding.nothing
    table.write_block(3, 0, values, 0.0)
    told, _ = repaired(table)
    assert told == [str(values_file(table, 3).relative_to(table.path))]
    assert tree(table.path) == tree(good)


# --- metadata


def misspell(file: Path) -> None:
    """A value that Zarr does not know, in a file that can be read."""
    file.write_text(file.read_text().replace("float", "fmoat").replace('"endian": "little"', '"endian": "littme"'))


def reshape(file: Path) -> None:
    """Another array."""
    content = json.loads(file.read_text())
    content["shape"][0] += 1
    file.write_text(json.dumps(content))


@pytest.mark.parametrize("how", [garble, misspell, reshape, Path.unlink])
@pytest.mark.parametrize("level", [1, 4])
def test_damaged_metadata_is_named_listed_and_written_anew(table: Table, good: Path, level: int, how: Harm) -> None:
    everything = blocks_of(table)
    file = metadata_file(table, level)
    how(file)
    with pytest.raises(gs.DamagedTableError, match=str(file)) as caught:
        ask(table)
    assert "--resume --repair mends it" in one_line(caught)
    assert [damage for damage in verify(Table.open(table.path)).damaged if str(file) in damage]
    told, same = repaired(table)
    assert told == [str(file.relative_to(table.path))]
    assert same == everything  # nothing was solved again
    assert tree(table.path) == tree(good)


@pytest.mark.parametrize("how", [garble, reshape, Path.unlink])
def test_damaged_metadata_of_gaps_is_written_anew(table: Table, good: Path, how: Harm) -> None:
    file = table.path / "gap-03" / "zarr.json"
    how(file)
    assert any("gap-03" in damage for damage in verify(Table.open(table.path)).damaged)
    told, same = repaired(table)
    assert told == ["gap-03/zarr.json"]
    assert same == blocks_of(table)
    assert tree(table.path) == tree(good)


def drop_header(file: Path) -> None:
    content = json.loads(file.read_text())
    content["attributes"] = {}
    file.write_text(json.dumps(content))


@pytest.mark.parametrize("how", [garble, drop_header, Path.unlink])
def test_a_lost_header_is_written_anew(table: Table, good: Path, how: Harm) -> None:
    how(table.path / "zarr.json")
    told, same = repaired(table)
    assert told == ([] if how is Path.unlink else ["zarr.json"])
    assert same == blocks_of(table)
    assert tree(table.path) == tree(good)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_a_table_without_a_header_is_kept_in_is_noticed_by_its_arrays(tmp_path: Path, dtype: str) -> None:
    path = solve(CARDS, store=tmp_path, dtype=dtype)
    whole = tree(path)
    garble(path / "zarr.json")
    told: list[str] = []
    solve(CARDS, store=tmp_path, resume=True, repair=True, on_repair=told.extend)
    assert told == ["zarr.json"]
    assert tree(path) == whole


# --- several at once, by the command


def test_everything_that_is_damaged_is_listed_and_repaired(table: Table, good: Path) -> None:
    files = [values_file(table, 1), values_file(table, 2), values_file(table, 3), metadata_file(table, 4)]
    harms: list[Harm] = [HARM["flip"], cut, Path.unlink, garble]
    for file, how in zip(files, harms, strict=True):
        how(file)
    store = table.path.parent
    listed = run("verify", "--json", store=store)
    assert listed.returncode == 1
    damaged = json.loads(listed.stdout)["damaged"]
    assert len(damaged) == 4
    assert all(any(str(file) in damage for damage in damaged) for file in files)
    objective = str(table.rules.objective)
    refused = run("solve", str(CARDS), "--objective", objective, "--repair", store=store)
    assert (refused.returncode, refused.stderr) == (2, "goofspiel: --repair: only with --resume\n")
    done = run("solve", str(CARDS), "--objective", objective, "--resume", "--repair", "--quiet", store=store)
    assert (done.returncode, done.stdout) == (0, f"{table.path}\n")
    names = {f"damaged, to be made again: {file.relative_to(table.path)}" for file in files}
    # Once the metadata is written anew, the table is no longer complete, and what is not there is simply solved.
    assert set(done.stderr.splitlines()) == names - {f"damaged, to be made again: {files[2].relative_to(table.path)}"}
    assert tree(table.path) == tree(good)
    assert run("verify", store=store).returncode == 0


def test_a_good_table_is_left_alone(table: Table) -> None:
    before = {file: file.stat().st_mtime_ns for file in table.path.rglob("*")}
    assert repaired(table)[0] == []
    assert {file: file.stat().st_mtime_ns for file in table.path.rglob("*")} == before


def test_there_may_be_nothing_to_repair(tmp_path: Path) -> None:
    told: list[str] = []
    path = solve(3, store=tmp_path, resume=True, repair=True, on_repair=told.extend)
    assert told == []
    assert Table.open(path).header.complete


def test_a_table_that_is_partly_solved_is_repaired_as_far_as_it_goes(table: Table, good: Path) -> None:
    for level in (4, 5):
        for block in range(table.block_count(level)):
            table.block_path(level, block).unlink()
    flip(values_file(table, 2), 99)
    told, _ = repaired(table)
    assert str(values_file(table, 2).relative_to(table.path)) in told
    assert tree(table.path) == tree(good)


# --- only the last level


def test_the_last_level_is_solved_again_from_the_first(tmp_path: Path) -> None:
    """What it is made from is not kept."""
    path = solve(CARDS, keep="last", store=tmp_path)
    whole = tree(path)
    flip(Table.open(path).block_path(CARDS - 1, 0), 99)
    told: list[str] = []
    solve(CARDS, keep="last", store=tmp_path, resume=True, repair=True, on_repair=told.extend)
    assert told == [f"level-0{CARDS - 1}/c/0/0"]
    assert tree(path) == whole


@pytest.mark.parametrize("how", HARM)
def test_a_lost_gap_of_a_level_that_is_not_kept_cannot_be_repaired(tmp_path: Path, how: str) -> None:
    path = solve(CARDS, keep="last", store=tmp_path)
    HARM[how](path / "gap-02" / "c" / "0")
    with pytest.raises(gs.SolveError, match=r"gap-02/c/0 is .*: the values of that level are not kept") as caught:
        solve(CARDS, keep="last", store=tmp_path, resume=True, repair=True)
    assert one_line(caught).endswith(f"delete the table, then goofspiel solve {CARDS} --keep last --store {tmp_path}")


# --- blocks of other sizes


@pytest.fixture
def other_sizes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table whose blocks are smaller than those of today."""
    with monkeypatch.context() as other:
        other.setattr("goofspiel.store.blocks.GEOMETRY", Geometry(block_bytes=1 << 10, least_rows=4, least_lead_rows=2))
        return solve(CARDS, store=tmp_path)


def test_a_table_goes_on_with_the_blocks_that_it_began_with(other_sizes: Path, tmp_path: Path) -> None:
    whole, table = tree(other_sizes), Table.open(other_sizes)
    assert table.block_count(3) > make_layout(Rules(CARDS)).levels[2].block_count
    flip(table.block_path(3, 1), 99)
    told: list[str] = []
    solve(CARDS, store=tmp_path, resume=True, repair=True, on_repair=told.extend)
    assert told == [str(table.block_path(3, 1).relative_to(other_sizes))]
    assert tree(other_sizes) == whole


def test_a_table_of_other_sizes_that_does_not_say_so_is_not_taken_for_damaged(
    other_sizes: Path, tmp_path: Path
) -> None:
    """Format 2 knew but one geometry."""
    without_manifest(other_sizes)
    document = json.loads((other_sizes / "zarr.json").read_text())
    header = document["attributes"]["goofspiel"]
    del header["geometry"], header["rules"]
    header |= {"format": 2, "cards": CARDS, "objective": "points"}
    (other_sizes / "zarr.json").write_text(json.dumps(document))
    whole = tree(other_sizes)
    with pytest.raises(
        gs.SolveError, match=f"{other_sizes} is by goofspiel .*, whose blocks have other sizes: delete it"
    ):
        solve(CARDS, store=tmp_path, resume=True, repair=True)
    assert tree(other_sizes) == whole
    assert verify(Table.open(other_sizes), positions=20).passed


def test_a_repair_of_nothing_finds_nothing(tmp_path: Path) -> None:
    layout = make_layout(Rules(3))
    assert remove_damage(table_path(tmp_path, layout.rules), layout, solver="test", keep="all") == []


@pytest.mark.parametrize(
    "error", [OSError(5, "Input/output error"), MemoryError("a block"), TypeError("a bug")], ids=repr
)
def test_an_error_that_is_no_damage_deletes_nothing(
    table: Table, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    whole = tree(table.path)
    monkeypatch.setattr("goofspiel.store.table.read_shard", fail)
    with pytest.raises(type(error), match=str(error.args[-1])):
        repaired(table)
    assert tree(table.path) == whole
