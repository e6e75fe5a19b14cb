"""Damaged tables: what no table can say is refused in one line, and a damaged one keeps no other from answering."""

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import google_crc32c
import pytest
from command import HAND, one_line, run
from damage import edit_header, flip, without_manifest
from fixtures import Call
from web import API, Client

import goofspiel as gs
from goofspiel.solver import solve
from goofspiel.store import Table
from goofspiel.tablebase import open_for, open_tablebase, table_bound
from goofspiel.tablebase.verification import verify

Harm = Callable[[Path], None]  # what is done to a table


@pytest.fixture
def copies(tables: Path, tmp_path: Path) -> Path:
    """The tables of four and five cards, to be damaged."""
    return Path(shutil.copytree(tables, tmp_path / "store"))


# --- what no table can say


def gap(value: float) -> Harm:
    """A recorded gap, its checksum right."""

    def write(table: Path) -> None:
        data = struct.pack("<d", value)
        (table / "gap-02" / "c" / "0").write_bytes(data + google_crc32c.value(data).to_bytes(4, "little"))

    return write


def document(name: str, *keys: str | int, to: int | str) -> Harm:
    """Another number or text in some metadata."""

    def write(table: Path) -> None:
        file = table / name / "zarr.json"
        content = node = json.loads(file.read_text())
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = to
        file.write_text(json.dumps(content))

    return write


def early(harm: Harm) -> Harm:
    return lambda table: harm(without_manifest(table))


HUGE = 10**10
SHARD, CHUNK = ("chunk_grid", "configuration", "chunk_shape", 0), ("codecs", 0, "configuration", "chunk_shape", 0)
ENDIAN = "codecs", 0, "configuration", "codecs", 0, "configuration", "endian"
GAPS = {f"gap {value}": gap(value) for value in (float("inf"), float("nan"), -1.0, -1e-300, 1e300, 40.0)}
GAPS["gaps in another byte order"] = document("gap-02", "codecs", 0, "configuration", "endian", to="big")
GAPS["a huge number of gaps"] = document("gap-02", "shape", 0, to=HUGE)
VALUES = {
    "another byte order": document("level-02", *ENDIAN, to="big"),
    "a huge shape": document("level-02", "shape", 0, to=HUGE),
    "a huge block": document("level-02", *SHARD, to=HUGE),
    "a huge chunk": document("level-02", *CHUNK, to=HUGE),
    "no chunk": document("level-02", *CHUNK, to=0),
    "a huge block of format 3": early(document("level-02", *SHARD, to=HUGE)),
    "another byte order of format 3": early(document("level-02", *ENDIAN, to="big")),
}
HEADERS: dict[str, Harm] = {
    "format -1": lambda table: edit_header(table, format=-1),
    "format 0": lambda table: edit_header(table, format=0),
    "format 10**10": lambda table: edit_header(table, format=HUGE),
    "dtype >f8": lambda table: edit_header(table, dtype=">f8"),
    "10**10 cards": lambda table: edit_header(table, rules=str(HUGE)),
    "a negative geometry": lambda table: edit_header(table, geometry={"block_bytes": -1}),
}
REFUSED = gs.DamagedTableError, gs.TableVersionError


@pytest.mark.parametrize("what", GAPS)
def test_a_gap_that_none_can_be_is_refused_by_everything_that_reads_it(copies: Path, what: str) -> None:
    path = copies / "points-5.zarr"
    GAPS[what](path)
    with pytest.raises(REFUSED, match="gap-02") as caught:
        table_bound(Table.open(path))
    one_line(caught)
    with pytest.raises(REFUSED, match="gap-02"):
        _ = open_tablebase(5, store=copies).bound
    assert any("gap-02" in damage for damage in verify(Table.open(path)).damaged)
    assert "gap-02" in told(copies)


@pytest.mark.parametrize("what", VALUES)
def test_metadata_that_no_values_have_is_refused_by_everything_that_reads_it(copies: Path, what: str) -> None:
    path = copies / "points-5.zarr"
    VALUES[what](path)
    with pytest.raises(REFUSED, match="level-02") as caught:
        open_tablebase(5, store=copies).probe("235/A24/34 5")
    one_line(caught)
    assert any("level-02" in damage for damage in verify(Table.open(path)).damaged)
    assert "level-02" in told(copies)


@pytest.mark.parametrize("what", HEADERS)
def test_a_header_that_no_table_has_is_refused_by_everything(copies: Path, what: str) -> None:
    HEADERS[what](copies / "points-5.zarr")
    for ask in (open_tablebase, solve):
        with pytest.raises(REFUSED, match=r"points-5\.zarr") as caught:
            ask(5, store=copies)
        one_line(caught)
    assert "points-5.zarr" in told(copies)


def told(store: Path) -> str:
    """What info says of the table of five cards; it still tells of that of four."""
    four, five = json.loads(run("info", "--json", store=store).stdout)["tables"]
    assert four["complete"]
    assert "\n" not in five["error"]
    return str(five["error"])


# --- one damaged table, others are fine


def harm_header(table: Path) -> None:
    (table / "zarr.json").write_text("{")


def harm_version(table: Path) -> None:
    edit_header(table, format=99)


def harm_blocks(table: Path) -> None:
    for file in table.glob("level-*/c/0/0"):
        flip(file, 5)


def harm_metadata(table: Path) -> None:
    for file in table.glob("level-*/zarr.json"):
        file.write_text("")


HARM = [harm_header, harm_version, harm_blocks, harm_metadata]


@pytest.mark.parametrize("how", HARM)
def test_a_damaged_table_does_not_keep_a_larger_one_from_answering(copies: Path, how: Harm) -> None:
    right = open_tablebase(5, store=copies).probe(HAND).value
    how(copies / "points-4.zarr")
    assert open_for(HAND, store=copies).cards == 5
    done = run("probe", HAND, "--json", store=copies)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["value"] == right
    answer = Client(copies).get(f"{API}/probe?position={HAND.replace(' ', '_')}")
    assert answer.headers["etag"].startswith('"points-5-')
    assert answer.json()["value"] == right
    named = run("probe", HAND, "--cards", "4", store=copies)
    assert (named.returncode, named.stderr.count("\n")) == (1, 1)
    assert "points-4.zarr" in named.stderr


@pytest.mark.parametrize("how", HARM)
def test_where_all_that_hold_a_position_are_damaged_it_is_said(copies: Path, how: Harm) -> None:
    for cards in (4, 5):
        how(copies / f"points-{cards}.zarr")
    done = run("probe", HAND, store=copies)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1


def test_a_damaged_larger_table_does_not_keep_a_small_one_from_being_solved(copies: Path) -> None:
    harm_header(copies / "points-4.zarr")
    harm_header(copies / "points-5.zarr")
    assert open_for("A2/A3/2 3", store=copies).cards == 3


def test_a_table_that_cannot_be_read_ends_neither_info_nor_verify(
    copies: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    from goofspiel.store import metadata

    def refuse(path: Path) -> bytes:
        if "points-4" in str(path):
            raise PermissionError(13, "Permission denied", str(path))
        return path.read_bytes()

    monkeypatch.setattr(metadata, "read_whole", refuse)
    code, out, err = call("info", "--json", "--store", copies)
    four, five = json.loads(out)["tables"]
    assert (code, err, five["complete"]) == (0, "", True)
    assert four["error"] == f"{copies / 'points-4.zarr'} cannot be read: Permission denied"
    code, out, err = call("verify", "--quiet", "--store", copies)
    assert (code, err) == (1, f"goofspiel: {copies / 'points-4.zarr'} cannot be read: Permission denied\n")
    assert f"{copies / 'points-5.zarr'}" in out
    assert open_for(HAND, store=copies).cards == 5


def test_a_file_in_place_of_a_table_ends_neither_info_nor_verify(copies: Path) -> None:
    shutil.rmtree(copies / "points-4.zarr")
    (copies / "points-4.zarr").write_text("a file")
    four, five = json.loads(run("info", "--json", store=copies).stdout)["tables"]
    assert "is not a directory" in four["error"]
    assert five["complete"]
    assert open_for(HAND, store=copies).cards == 5
