"""Stores at URLs: the same files, read and written through fsspec; places that cannot be reached are said so."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pytest
from command import one_line, run, tree

import goofspiel as gs
from goofspiel.solver import forecast, solve
from goofspiel.store import SolveLock, Table, is_being_solved, store_at
from goofspiel.store.locations import is_local, location, open_bytes, remove_tree, written_whole
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.verification import verify


@pytest.fixture
def memory() -> Iterator[str]:
    """A place that every fsspec has: the memory of this process. An empty one."""
    files = fsspec.filesystem("memory")
    files.store.clear()
    yield "memory://store"
    files.store.clear()


def contents(url: str) -> dict[str, bytes]:
    """All files below a URL, names and contents."""
    files = fsspec.filesystem("memory")
    root = url.removeprefix("memory:/")
    return {name.removeprefix(f"{root}/"): files.cat_file(name) for name in files.find(root)}


# --- the same tables


@pytest.mark.parametrize("options", [{}, {"objective": "win"}, {"objective": "win", "keep": "last"}])
def test_a_table_at_a_url_is_the_same(memory: str, tmp_path: Path, options: dict[str, Any]) -> None:
    there = solve(6, store=memory, **options)
    here = solve(6, store=tmp_path, **options)
    assert str(there) == f"{memory}/{here.name}"
    assert contents(str(there)) == tree(here)
    assert set(contents(memory)) == {f"{here.name}/{name}" for name in tree(here)}  # no lock, nothing else


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_table_at_a_url_answers_alike(memory: str, tmp_path: Path, objective: str) -> None:
    for store in (memory, tmp_path):
        solve(6, objective=objective, store=store)
    there, here = (open_tablebase(6, objective=objective, store=store) for store in (memory, tmp_path))
    for position in ("start 6 3", "245/A36/45 6", "24/A3/5 6"):
        assert there.probe(gs.Position(position)).value == here.probe(gs.Position(position)).value
    assert there.bound == here.bound
    found = verify(Table.open(location(f"{memory}/{objective}-6.zarr")), positions=50)
    assert found.passed
    assert found.blocks > 4


def test_a_small_table_is_solved_on_first_use(memory: str) -> None:
    assert open_tablebase(3, store=memory).probe(gs.Position("start 3 3")).value == 0
    assert "points-3.zarr/zarr.json" in contents(memory)


def test_a_table_at_a_url_is_resumed_and_repaired(memory: str) -> None:
    path = solve(6, objective="win", store=memory)
    whole, table = contents(str(path)), Table.open(path)
    table.block_path(3, 1).unlink()
    damaged = table.block_path(2, 0)
    damaged.write_bytes(damaged.read_bytes()[:-3])
    with pytest.raises(gs.DamagedTableError, match=re.escape(f"{damaged} is damaged")):
        table.read_block(2, 0)
    solve(6, objective="win", store=memory, resume=True)
    assert contents(str(path)) == whole
    damaged.write_bytes(damaged.read_bytes()[:-3])
    told: list[str] = []
    solve(6, objective="win", store=memory, resume=True, repair=True, on_repair=told.extend)
    assert told == ["level-02/lead-03/c/0/0/0"]
    assert contents(str(path)) == whole


def test_the_default_store_may_be_a_url(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOFSPIEL_STORE", memory)
    assert str(solve(3)) == f"{memory}/points-3.zarr"


def test_a_forecast_does_not_know_the_room_at_a_url(memory: str) -> None:
    said = forecast(5, store=memory)
    assert said.disk_free is None
    assert "free" not in said.to_text()
    assert contents(memory) == {}


def test_there_is_no_lock_at_a_url(memory: str) -> None:
    path = store_at(memory) / "points-5.zarr"
    with SolveLock(path), SolveLock(path):
        assert not is_being_solved(path)
    assert contents(memory) == {}


def test_file_urls_are_folders(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    assert location(f"file://{tmp_path}/with%20space") == folder
    path = solve(3, store=f"file://{tmp_path}/with%20space")
    assert path == folder / "points-3.zarr"
    assert (folder / "points-3.lock").exists()  # a lock as ever


# --- places


def test_what_is_local() -> None:
    assert is_local(location("/tmp/a"))
    assert is_local(location("relative/b"))
    assert is_local(location("file:///tmp/a"))
    assert not is_local(location("memory://a"))


@pytest.mark.parametrize("url", ["abc://somewhere", "://x", "no such scheme://x"])
def test_a_scheme_that_nobody_knows_is_quoted(tmp_path: Path, url: str) -> None:
    with pytest.raises(gs.GoofspielError, match=f"'{url}' cannot be reached: ") as caught:
        solve(3, store=url)
    one_line(caught)
    for words in (["solve", "3"], ["info"], ["verify"], ["probe", "start 3 3"]):
        refused = run(*words, "--store", url, store=tmp_path)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith(f"goofspiel: '{url}' cannot be reached: ")
        assert refused.stderr.count("\n") == 1


def test_a_place_whose_package_is_missing_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adlfs", None)
    with pytest.raises(gs.GoofspielError, match=r"'abfs://bucket/store' cannot be reached: .*adlfs"):
        location("abfs://bucket/store")


def test_a_url_needs_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "upath", None)
    with pytest.raises(gs.GoofspielError, match=re.escape("needs pip install 'goofspiel[cluster]': 'memory://a'")):
        location("memory://a")


class FarError(Exception):
    """As some places raise it."""


@pytest.mark.parametrize("where", ["memory://a/b", "file"])
def test_a_file_is_written_whole_or_not_at_all(memory: str, tmp_path: Path, where: str) -> None:
    path = location(where) if "://" in where else tmp_path / where
    with pytest.raises(KeyError), written_whole(path) as file:  # noqa: PT012
        file.write(b"half")
        raise KeyError
    assert not path.exists()
    with written_whole(path) as file:
        file.write(b"all")
    with open_bytes(path, 3, size=3) as file:
        assert file.read() == b"all"


def test_what_a_place_says_in_its_own_way_is_an_error_of_a_file(memory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = solve(4, store=memory)
    table = Table.open(path)
    assert table.block_count(2) == 1  # its metadata is known

    def fail(*_: object, **__: object) -> None:
        raise FarError("the line is dead\nand buried")

    monkeypatch.setattr(fsspec.filesystem("memory").__class__, "open", fail)
    with pytest.raises(OSError, match=r"the line is dead$"):
        table.read_block(2, 0)
    monkeypatch.setattr(type(path), "write_bytes", fail)
    with pytest.raises(gs.SolveError, match="cannot be written: the line is dead; goofspiel solve 4") as caught:
        table.write_block(2, 0, np.zeros((6, 3)), 0.0)
    one_line(caught)


def test_a_folder_is_removed_with_all_in_it(memory: str, tmp_path: Path) -> None:
    for folder in (location(f"{memory}/a"), tmp_path / "a"):
        with written_whole(folder / "b" / "c") as file:
            file.write(b"x")
        assert (folder / "b" / "c").exists()
        remove_tree(folder)
        assert not (folder / "b" / "c").exists()


def test_folders_are_made_only_below_one_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), written_whole(tmp_path / "a" / "b" / "c", below=tmp_path / "a"):
        pass
    assert not (tmp_path / "a").exists()
    (tmp_path / "a").mkdir()
    with written_whole(tmp_path / "a" / "b" / "c", below=tmp_path / "a"):
        pass
    assert (tmp_path / "a" / "b" / "c").exists()


@pytest.mark.parametrize("command", [["probe", "start 4 3"], ["solve", "4", "--quiet"], ["info"], ["table", "4"]])
def test_a_url_within_a_url(command: list[str], tmp_path: Path) -> None:
    done = run(*command, "--store", "simplecache::memory://x", store=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
