"""The manifest: a chunk, a block or a gap in the place of another is noticed; copies have the same digest."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import google_crc32c
import numpy as np
import pytest
import zarr
from command import one_line, run, tree
from damage import flip, without_manifest
from fixtures import Repeats, Tally

import goofspiel as gs
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.store import Table
from goofspiel.store.blocks import Geometry
from goofspiel.store.digest import table_digest
from goofspiel.store.manifest import Entry, entry_bytes
from goofspiel.tablebase.verification import verify

CARDS = 7
# Many blocks, each of several chunks.
CUT = Geometry(block_bytes=1 << 12, least_rows=4, least_lead_rows=4, chunk_bytes=1 << 9)


@pytest.fixture(scope="module", params=["points", "win"])
def good(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good table, not to be changed."""
    with pytest.MonkeyPatch.context() as other:
        other.setattr("goofspiel.store.blocks.GEOMETRY", CUT)
        return solve(CARDS, objective=request.param, store=tmp_path_factory.mktemp("good"))


@pytest.fixture
def table(good: Path, tmp_path: Path) -> Table:
    """A copy of it, to be damaged."""
    return Table.open(Path(shutil.copytree(good, tmp_path / good.name)))


def twins(table: Table) -> tuple[int, int, int]:
    """A level, and two of its blocks that are equally long and differ."""
    for level in table.levels:
        files = [table.block_path(level, block) for block in range(table.block_count(level))]
        for first in range(len(files) - 1):
            one, other = (file.read_bytes() for file in files[first : first + 2])
            if len(one) == len(other) and one != other:
                return level, first, first + 1
    raise AssertionError


def read_everything(table: Table) -> None:
    opened = Table.open(table.path)
    for level in opened.levels:
        for block in range(opened.block_count(level)):
            opened.read_block(level, block)


def is_noticed_and_repaired(table: Table, good: Path, *files: Path) -> str:
    """By every read, by verify, and by a repair, which makes exactly these files anew."""
    with pytest.raises(gs.DamagedTableError, match=str(files[0])) as caught:
        read_everything(table)
    one_line(caught)
    assert {str(file) for file in files} <= {line.split()[0] for line in verify(Table.open(table.path)).damaged}
    told: list[str] = []
    objective, store = table.rules.objective, table.path.parent
    solve(CARDS, objective=objective, store=store, resume=True, repair=True, on_repair=told.extend)
    assert told == [str(file.relative_to(table.path)) for file in files]
    assert tree(table.path) == tree(good)
    return str(caught.value)


def chunk_size(table: Table, level: int, block: int) -> int:
    return table._shard(level, table._band_of(level, block)[0]).chunk_bytes + 4


def test_a_chunk_in_the_place_of_another_is_noticed(table: Table, good: Path) -> None:
    level, block, _ = twins(table)
    file, size = table.block_path(level, block), chunk_size(table, level, block)
    data = bytearray(file.read_bytes())
    assert data[:size] != data[size : 2 * size]
    data[:size] = data[size : 2 * size]  # with its checksum, which is right
    file.write_bytes(data)
    said = is_noticed_and_repaired(table, good, file)
    assert said.endswith("a chunk is not the one that the manifest has for its place")


def test_a_chunk_of_another_block_is_noticed(table: Table, good: Path) -> None:
    level, one, other = twins(table)
    file, size = table.block_path(level, one), chunk_size(table, level, one)
    data = table.block_path(level, other).read_bytes()[:size] + file.read_bytes()[size:]
    assert data != file.read_bytes()
    file.write_bytes(data)
    is_noticed_and_repaired(table, good, file)


def test_blocks_that_have_changed_places_are_noticed(table: Table, good: Path) -> None:
    """Chunks, entry and index of each go together."""
    level, *blocks = twins(table)
    files = [table.block_path(level, block) for block in blocks]
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, reversed(contents), strict=True):
        file.write_bytes(content)
    said = is_noticed_and_repaired(table, good, *files)
    assert f"block {blocks[1]} of level {level} of table" in said.partition("it is ")[2].partition(" instead of ")[0]


def test_a_block_of_another_table_is_noticed(
    table: Table, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goofspiel.store.blocks.GEOMETRY", CUT)
    dtype = "float32" if table.rules == Rules(CARDS) else None
    other = Table.open(solve(CARDS - 1, store=tmp_path / "other", objective=table.rules.objective, dtype=dtype))
    file = table.block_path(1, 0)
    file.write_bytes(other.block_path(1, 0).read_bytes())
    is_noticed_and_repaired(table, good, file)


def test_an_index_whose_chunks_have_changed_places_is_noticed(table: Table, good: Path) -> None:
    level, block, _ = twins(table)
    file = table.block_path(level, block)
    count = table._shard(level, table._band_of(level, block)[0]).chunk_count
    data = file.read_bytes()
    index = np.frombuffer(data[-16 * count - 4 : -4], dtype="<u8").reshape(-1, 2).copy()
    index[[0, 1]] = index[[1, 0]]
    changed = index.tobytes()
    file.write_bytes(data[: -16 * count - 4] + changed + google_crc32c.value(changed).to_bytes(4, "little"))
    said = is_noticed_and_repaired(table, good, file)
    assert said.endswith("its index names other places than those of its chunks")


def test_a_damaged_entry_is_noticed(table: Table, good: Path) -> None:
    level, block, _ = twins(table)
    file = table.block_path(level, block)
    count = table._shard(level, table._band_of(level, block)[0]).chunk_count
    flip(file, 8 * (file.stat().st_size - 16 * count - 4 - 20))
    said = is_noticed_and_repaired(table, good, file)
    assert said.endswith("the checksum of the entry of the manifest does not match")


def test_a_gap_in_the_place_of_another_is_noticed(table: Table, good: Path) -> None:
    """A gap that is too small would make the bound a lie."""
    levels = [(level, block) for level in table.levels for block in range(table.block_count(level))]
    largest = max(levels, key=lambda which: table.block_gap(*which))
    smallest = min(levels, key=lambda which: table.block_gap(*which))
    assert table.block_gap(*smallest) < table.block_gap(*largest)
    file = table.gap_path(*largest)
    shutil.copy(table.gap_path(*smallest), file)
    (damage,) = verify(Table.open(table.path)).damaged
    assert str(file) in damage
    solve(CARDS, objective=table.rules.objective, store=table.path.parent, resume=True, repair=True)
    assert tree(table.path) == tree(good)


def test_the_value_of_every_swapped_chunk_is_refused_or_right(table: Table, repeats: Repeats, tally: Tally) -> None:
    """As a table of eleven cards was attacked: one chunk over another, at random."""
    random, trials = np.random.default_rng(1), repeats(40, 1000)
    tally("swapped chunks", trials)
    whole = [(level, block) for level in table.levels for block in range(table.block_count(level))]
    right = {which: table.read_block(*which) for which in whole}
    noticed = 0
    for _ in range(trials):
        which = whole[random.integers(len(whole))]
        file, size = table.block_path(*which), chunk_size(table, *which)
        before = file.read_bytes()
        count = table._shard(which[0], table._band_of(*which)[0]).chunk_count
        one, other = (size * int(number) for number in random.integers(count, size=2))
        data = bytearray(before)
        data[one : one + size] = data[other : other + size]
        file.write_bytes(data)
        if data == before:
            table.check_block(*which)
        else:
            noticed += 1
            with pytest.raises(gs.DamagedTableError, match="the manifest"):
                table.check_block(*which)
            with suppress(gs.DamagedTableError):  # a chunk after the last row holds no value
                assert np.array_equal(table.read_block(*which), right[which])
        file.write_bytes(before)
    assert noticed > trials / 4


def test_zarr_reads_a_table_with_a_manifest(table: Table) -> None:
    group = zarr.open_group(table.path, mode="r")
    assert {name.partition("-")[0] for name, _ in group.members()} == {"level", "gap"}
    for level in table.layout.levels:
        for index, band in enumerate(level.bands):
            array = group[str(table.band_path(level.level, index).relative_to(table.path))]
            assert isinstance(array, zarr.Array)
            found = table.read_rows(level.level, 0, band.rows, band=index)
            assert np.array_equal(np.asarray(array[...]).reshape(found.shape), found)


def test_an_entry_is_read_as_it_was_written() -> None:
    place = b"GOOFSPIELBLOCK04" + bytes(24)
    entry = Entry(0.25, np.array([1, 2, 3], dtype=np.uint32))
    raw = entry.to_bytes(place)
    assert len(raw) == entry_bytes(3)
    read = Entry.read(raw, place)
    assert (read.gap, read.checksums.tolist()) == (0.25, [1, 2, 3])
    with pytest.raises(ValueError, match="it is no block instead of block 0 of level 0 of table 00000000"):
        Entry.read(b"", place)


# --- the digest


def test_copies_have_the_same_digest_and_nothing_else_has(table: Table, good: Path, tmp_path: Path) -> None:
    digest = table_digest(Table.open(good))
    assert table_digest(table) == digest
    assert len(digest) == 64
    assert table_digest(Table.open(without_manifest(table.path))) == digest
    other = solve(CARDS, objective=table.rules.objective, store=tmp_path / "other")  # cut otherwise
    assert table_digest(Table.open(other)) != digest


def test_the_digest_of_a_table_with_another_value_is_another(table: Table) -> None:
    digest = table_digest(table)
    values, gap = table.read_block(3, 0), table.block_gap(3, 0)
    table.write_block(3, 0, values, gap)
    assert table_digest(table) == digest
    values[0, 0] = np.nextafter(values[0, 0], 9)
    table.write_block(3, 0, values, gap)
    assert table_digest(table) != digest


def test_a_table_that_keeps_only_its_last_level_has_a_digest(tmp_path: Path) -> None:
    table = Table.open(solve(5, keep="last", store=tmp_path))
    digest = table_digest(table)
    assert digest == table_digest(Table.open(without_manifest(table.path)))
    flip(table.gap_path(2, 0), 3)
    with pytest.raises(gs.DamagedTableError, match="gap-02"):
        table_digest(table)


def test_info_prints_digests(tables: Path, tmp_path: Path) -> None:
    store = Path(shutil.copytree(tables, tmp_path / "store"))
    solve(3, store=store)
    run("solve", "3", "--exact", "--quiet", store=store)
    found = json.loads(run("info", "--digest", "--json", store=store).stdout)["tables"]
    assert [table["digest"] for table in found if not table["exact"]] == [
        table_digest(Table.open(store / f"points-{cards}.zarr")) for cards in (3, 4, 5)
    ]
    (exact,) = [table for table in found if table["exact"]]
    text = run("info", "--digest", store=store).stdout
    assert [f"  sha256 {table['digest']}" in text.splitlines() for table in found] == [True] * 4
    assert exact["digest"] not in {table["digest"] for table in found if not table["exact"]}
    assert "digest" not in json.loads(run("info", "--json", store=store).stdout)["tables"][0]
    flip(store / "points-3.exact" / "level-01" / "0001", 200)
    (exact,) = [
        table for table in json.loads(run("info", "--digest", "--json", store=store).stdout)["tables"] if table["exact"]
    ]
    assert "0001 is damaged" in exact["error"]
