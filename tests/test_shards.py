"""Blocks on disk: they are Zarr, whoever writes and reads them, and damage is noticed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from zarr.codecs import BytesCodec, Crc32cCodec

from goofspiel.arrays import Values
from goofspiel.rules import Objective, Rules
from goofspiel.solver import solve
from goofspiel.store import Table, make_layout
from goofspiel.store.blocks import Geometry
from goofspiel.store.encoding import DTYPES, Encoding
from goofspiel.store.locations import PARTIAL
from goofspiel.store.metadata import FILL_VALUES
from goofspiel.store.shards import ShardError, ShardShape, read_shard, write_shard

SHAPE = ShardShape(rows=6, columns=7, leads=3, chunk_rows=2, chunk_columns=3, encoding=Encoding("float32", 1.0))
CHUNK = 2 * 3 * 3 * 4 + 4  # bytes of a chunk and its checksum
CHUNKS = 3 * 3
EVERYTHING = slice(0, 6), slice(0, 7)


def read_part(path: Path, shape: ShardShape, rows: slice, columns: slice) -> Values:
    """Some rows and matchups of a shard, in memory of their own."""
    into: Values = np.empty((rows.stop - rows.start, columns.stop - columns.start, shape.leads), dtype=shape.dtype)
    read_shard(path, shape, rows, columns, into=into)
    return into


@st.composite
def shapes(draw: st.DrawFn) -> ShardShape:
    """Shapes of shards: whole chunks of rows, and perhaps a last chunk of matchups that is partly empty."""
    chunk_rows, matchups = draw(st.integers(1, 4)), draw(st.integers(1, 9))
    return ShardShape(
        rows=chunk_rows * draw(st.integers(1, 4)),
        columns=matchups,
        leads=draw(st.sampled_from([1, 3, 7])),
        chunk_rows=chunk_rows,
        chunk_columns=draw(st.integers(1, matchups)),
        encoding=Encoding(draw(st.sampled_from(list(DTYPES))), 100.0),
    )


def numbers(shape: ShardShape, rows: int, seed: int = 0) -> Values:
    values = np.random.default_rng(seed).normal(size=(rows, shape.columns, shape.leads))
    return shape.encoding.encode(values)


def for_zarr(values: Values) -> Values:
    """As Zarr has them: three bytes are an axis of their own."""
    return np.ascontiguousarray(values)[..., None].view(np.uint8) if values.dtype.kind == "V" else values


def as_array(folder: Path, shape: ShardShape, blocks: int) -> zarr.Array[Any]:
    """An empty Zarr array of so many blocks, made as a table makes it."""
    across = -(-shape.columns // shape.chunk_columns) * shape.chunk_columns
    kept = DTYPES[shape.encoding.dtype][1]
    bytes_ = (3,) * (kept == "uint8")
    return zarr.create_array(
        folder,
        shape=(blocks * shape.rows, shape.columns, shape.leads, *bytes_),
        shards=(shape.rows, across, shape.leads, *bytes_),
        chunks=(*shape.chunk, *bytes_),
        dtype=kept,
        filters=None,
        serializer=BytesCodec(endian="little"),
        compressors=(Crc32cCodec(),),
        fill_value=FILL_VALUES[kept],
        config={"write_empty_chunks": True},
    )


def shard_path(folder: Path, block: int, shape: ShardShape = SHAPE) -> Path:
    return folder.joinpath("c", str(block), "0", "0", *["0"] * (shape.dtype.kind == "V"))


@pytest.fixture
def shard(tmp_path: Path) -> tuple[Path, Values]:
    """A shard of nine chunks, and what it holds."""
    values = numbers(SHAPE, SHAPE.rows)
    write_shard(tmp_path / "shard", values, SHAPE)
    return tmp_path / "shard", values


# --- Zarr reads what we write, and we read what Zarr writes


@given(shape=shapes(), data=st.data())
def test_zarr_reads_what_we_write(
    tmp_path_factory: pytest.TempPathFactory, shape: ShardShape, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("array")
    array = as_array(folder, shape, 2)
    values = numbers(shape, 2 * shape.rows, data.draw(st.integers(0, 99)))
    for block in range(2):
        write_shard(shard_path(folder, block, shape), values[block * shape.rows : (block + 1) * shape.rows], shape)
    assert np.array_equal(array[...], for_zarr(values))
    assert np.array_equal(zarr.open_array(folder, mode="r")[...], for_zarr(values))


@given(shape=shapes(), data=st.data())
def test_we_read_what_zarr_writes(
    tmp_path_factory: pytest.TempPathFactory, shape: ShardShape, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("array")
    values = numbers(shape, 2 * shape.rows)
    as_array(folder, shape, 2)[...] = for_zarr(values)
    rows, columns = (
        slice(*sorted(data.draw(st.lists(st.integers(0, size), min_size=2, max_size=2, unique=True))))
        for size in (shape.rows, shape.columns)
    )
    for block in range(2):
        found = read_part(shard_path(folder, block, shape), shape, rows, columns)
        assert found.dtype == shape.dtype
        assert np.array_equal(found, values[block * shape.rows :][rows, columns])


@given(shape=shapes(), data=st.data())
def test_any_part_of_a_shard_is_read(
    tmp_path_factory: pytest.TempPathFactory, shape: ShardShape, data: st.DataObject
) -> None:
    """The last shard of an array may have fewer rows than the others."""
    path = tmp_path_factory.mktemp("shard") / "deep" / "shard"
    values = numbers(shape, data.draw(st.integers(1, shape.rows)))
    write_shard(path, values, shape)
    rows, columns = (
        slice(*sorted(data.draw(st.lists(st.integers(0, size), min_size=2, max_size=2, unique=True))))
        for size in values.shape[:2]
    )
    assert np.array_equal(read_part(path, shape, rows, columns), values[rows, columns])
    rest = read_part(path, shape, slice(0, shape.rows), slice(0, shape.columns))[len(values) :]
    assert not any(shape.encoding.is_complete(number) for number in rest.reshape(-1, 1))
    assert [file.name for file in path.parent.iterdir()] == ["shard"]


@pytest.mark.parametrize(
    ("cards", "objective", "dtype"),
    [
        (6, "points", "float64"),
        (6, "points", "fixed24"),
        (5, "win", "float32"),
        (6, "win", None),
        (5, "win", "fixed24"),
    ],
)
def test_zarr_reads_a_whole_table(tmp_path: Path, cards: int, objective: str, dtype: str | None) -> None:
    table = Table.open(solve(cards, objective=objective, dtype=dtype, store=tmp_path))
    group = zarr.open_group(table.path, mode="r")
    for level in table.layout.levels:
        for index, band in enumerate(level.bands):
            name = f"level-{level.level:02}" + (f"/lead-{band.lead:02}" if objective == "win" else "")
            array = group[name]
            assert isinstance(array, zarr.Array)
            values = np.asarray(array[...])
            axes = (
                band.rows,
                band.columns,
                *([band.leads] if objective == "win" else []),
                *([3] if dtype == "fixed24" else []),
            )
            assert values.shape == axes
            assert np.isfinite(values).all()
            found = for_zarr(table.read_rows(level.level, 0, band.rows, band=index))
            assert np.array_equal(values.reshape(found.shape), found)


@pytest.mark.parametrize(
    ("objective", "dtype"), [(Objective.POINTS, "float64"), (Objective.WIN, "fixed32"), (Objective.WIN, "fixed24")]
)
def test_a_table_filled_by_zarr_is_read(tmp_path: Path, objective: Objective, dtype: str) -> None:
    """Many blocks and chunks: rows and matchups are cut."""
    small = Geometry(block_bytes=1 << 11, chunk_bytes=1 << 9, least_rows=4, least_lead_rows=2)
    plan = make_layout(Rules(6, objective=objective), dtype=dtype, geometry=small)
    table = Table.create(tmp_path / "table", plan, solver="test", version=3)  # without a manifest, which is not Zarr's
    group = zarr.open_group(table.path, mode="r+")
    random = np.random.default_rng(1)
    cut = set()
    for level in plan.levels:
        for index, band in enumerate(level.bands):
            name = f"level-{level.level:02}" + (f"/lead-{band.lead:02}" if objective == Objective.WIN else "")
            array = group[name]
            assert isinstance(array, zarr.Array)
            numbers = random.normal(size=(band.rows, band.columns, band.leads)) / 5
            values = level.encoding.encode(numbers)
            array[...] = for_zarr(values).reshape(array.shape)
            found = table.read_rows(level.level, 0, band.rows, band=index)
            assert np.array_equal(found, values)
            assert (
                np.abs(table.values(level.level, 0, band.rows, band=index) - numbers).max() <= level.encoding.rounding
            )
            cut |= {"blocks"} if band.block_count > 1 else set()
            cut |= {"chunks"} if band.chunk_rows < band.block_rows else set()
            cut |= {"matchups"} if band.chunk_columns < band.columns else set()
            start, stop = sorted(random.integers(band.rows + 1, size=2))
            along = slice(*sorted(random.integers(band.columns + 1, size=2)))
            if start < stop and along.start < along.stop:
                found = table.read_rows(level.level, start, stop, band=index, columns=along)
                assert np.array_equal(found, values[start:stop, along])
    assert cut == ({"blocks", "chunks", "matchups"} if objective == Objective.WIN else {"blocks", "chunks"})


# --- damage


def test_a_good_shard_is_read(shard: tuple[Path, Values]) -> None:
    path, values = shard
    assert np.array_equal(read_part(path, SHAPE, *EVERYTHING), values)
    assert path.stat().st_size == CHUNKS * (CHUNK + 16) + 4


@given(bit=st.integers(0, 8 * (CHUNKS * (CHUNK + 16) + 4) - 1))
def test_any_flipped_bit_is_noticed(tmp_path_factory: pytest.TempPathFactory, bit: int) -> None:
    path = tmp_path_factory.mktemp("flipped") / "shard"
    write_shard(path, numbers(SHAPE, SHAPE.rows), SHAPE)
    data = bytearray(path.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    path.write_bytes(data)
    what = "chunk" if bit // 8 < CHUNKS * CHUNK else "index"
    with pytest.raises(ShardError, match=f"the checksum of the {what} does not match"):
        read_part(path, SHAPE, *EVERYTHING)


def test_only_the_chunks_that_are_read_are_checked(shard: tuple[Path, Values]) -> None:
    path, values = shard
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(data)
    rest = slice(2, 6), slice(0, 7)
    assert np.array_equal(read_part(path, SHAPE, *rest), values[rest])
    with pytest.raises(ShardError):
        read_part(path, SHAPE, slice(1, 2), slice(2, 3))


@given(kept=st.integers(0, CHUNKS * (CHUNK + 16) + 3))
def test_a_truncated_shard_is_noticed(tmp_path_factory: pytest.TempPathFactory, kept: int) -> None:
    path = tmp_path_factory.mktemp("truncated") / "shard"
    write_shard(path, numbers(SHAPE, SHAPE.rows), SHAPE)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ShardError):
        read_part(path, SHAPE, *EVERYTHING)


def test_an_index_that_points_beyond_the_file_is_noticed(shard: tuple[Path, Values]) -> None:
    path, _ = shard
    data = path.read_bytes()
    path.write_bytes(data[-(CHUNKS * 16 + 4) :])  # the index alone, its checksum right
    with pytest.raises(ShardError, match="chunk"):
        read_part(path, SHAPE, *EVERYTHING)


def test_an_absent_chunk_is_noticed(tmp_path: Path) -> None:
    """Zarr leaves out a chunk that was never written."""
    array = as_array(tmp_path, SHAPE, 1)
    array[:2] = 1.0
    path = shard_path(tmp_path, 0)
    assert (read_part(path, SHAPE, slice(0, 2), slice(0, 7)) == 1).all()
    with pytest.raises(ShardError, match="a chunk is absent"):
        read_part(path, SHAPE, *EVERYTHING)


def test_chunks_of_another_size_are_noticed(shard: tuple[Path, Values]) -> None:
    path, _ = shard
    with pytest.raises(ShardError, match="a chunk of 76 bytes instead of"):
        read_part(path, replace(SHAPE, leads=5), *EVERYTHING)
    with pytest.raises(ShardError):
        read_part(path, replace(SHAPE, chunk_rows=3), *EVERYTHING)


def test_a_shard_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_part(tmp_path / "shard", SHAPE, *EVERYTHING)


def test_a_shard_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "shard"
    write_shard(path, numbers(SHAPE, 6, 1), SHAPE)
    before = path.read_bytes()
    calls = []

    def fail(data: Values) -> bytes:
        calls.append(len(list(tmp_path.glob(f"*{PARTIAL}"))))
        if len(calls) == 5:
            raise KeyboardInterrupt
        return b"sum!"

    monkeypatch.setattr("goofspiel.store.shards._checksum", fail)
    with pytest.raises(KeyboardInterrupt):
        write_shard(path, numbers(SHAPE, 6, 2), SHAPE)
    assert calls == [1] * 5  # it was under another name
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["shard"]
