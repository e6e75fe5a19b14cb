"""Tables of other machines: read over HTTP row by row, fetched block by block; a real nginx serves them."""

import json
import os
import pickle
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import run, start, tree
from fixtures import Call, Repeats, Tally
from hosts import Host, hosted

import goofspiel as gs
from goofspiel.errors import DamagedTableError, HostError, MissingTableError, OptionError, TableVersionError
from goofspiel.rules import Rules
from goofspiel.site.plan import plan_site
from goofspiel.site.writing import write_site
from goofspiel.solver import solve
from goofspiel.store import Table, list_tables, store_at
from goofspiel.store import hosts as hosts_module
from goofspiel.store.digest import table_digest
from goofspiel.store.fetching import fetch_table, published_tables
from goofspiel.store.locations import location

GAMES = [Rules(5), Rules(6), Rules(6, objective="win"), Rules(7)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, store = tmp_path_factory.mktemp("site") / "public", tmp_path_factory.mktemp("solved")
    write_site(plan_site(GAMES, store), folder, store)
    return folder


@pytest.fixture(scope="module")
def host(site: Path) -> Iterator[Host]:
    with hosted(site, below="/games/goofspiel/", gzip=True) as found:
        yield found


def positions(cards: int, count: int) -> list[gs.Position]:
    random, found = np.random.default_rng(cards), []
    for _ in range(count):
        level = int(random.integers(2, cards + 1))
        mine, theirs, deck = (sorted((random.permutation(cards)[:level] + 1).tolist()) for _ in range(3))
        found.append(gs.Position.of(mine, theirs, deck[1:], deck[0]))
    return found


def one_line(done: tuple[int, str, str], code: int = 1) -> str:
    """What a command says that fails."""
    assert done[:2] == (code, ""), done
    assert done[2].count("\n") == 1, done
    return done[2].strip()


# --- open


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("gzip", [True, False])
def test_a_table_at_a_url_says_what_it_says_here(site: Path, ranges: bool, gzip: bool) -> None:
    with hosted(site, below="/a/b/", ranges=ranges, gzip=gzip) as host:
        for name in ("points-7", "win-6"):
            there = gs.open_tablebase(f"{host.url}tables/{name}.zarr")
            here = gs.open_tablebase(site / "tables" / f"{name}.zarr")
            asked = positions(here.cards, 12)
            assert there.probe_many(asked).value.tolist() == here.probe_many(asked).value.tolist()
            assert there.probe(asked[0]) == here.probe(asked[0])
            assert there.bound == here.bound
            assert repr(there) == repr(here).replace(str(site), host.url.rstrip("/"))


def test_only_what_is_asked_for_is_read(site: Path) -> None:
    with hosted(site) as host:
        table = Table.open(location(f"{host.url}tables/points-7.zarr"))
        for _ in range(2):
            table.read_rows(4, 3, 4)
        read = [(asked.status, asked.range) for asked in host.asked() if "/level-04/c/" in asked.path]
        shape = table._shard(4, 0)
        size, index = shape.file_bytes(entry=True), 16 * shape.chunk_count + 4
        assert read[0] == (206, f"bytes={size - index - shape.entry_bytes}-{size - 1}")
        assert [status for status, _ in read] == [206, 206]  # the end of the block, then a row; so small a file is kept
        assert read[1][1].startswith("bytes=")


def test_a_site_is_a_store(host: Host, site: Path, call: Call) -> None:
    for url in (host.url, host.url.rstrip("/"), f"{host.url}tables"):
        assert str(store_at(url)) == f"{host.url}tables"
    assert set(list_tables(store_at(host.url))) == set(GAMES)
    code, out, _ = call("probe", "24/A3/4 5", "--store", host.url, "--json")
    assert code == 0
    assert json.loads(out)["value"] == pytest.approx(41 / 9)
    code, out, _ = call("verify", "--store", host.url, "--positions", "5", "--quiet", "--json")
    assert code == 0, out
    assert call("table", "6", "--objective", "win", "--store", host.url)[0] == 0


def test_what_a_host_does_not_have(host: Host, call: Call) -> None:
    with pytest.raises(MissingTableError, match=r"there is no table http://.*/points-12\.zarr"):
        gs.open_tablebase(f"{host.url}tables/points-12.zarr")
    with pytest.raises(MissingTableError, match="no complete table of 4 cards for points at http"):
        gs.open_tablebase(4, store=host.url)  # which would be solved in a folder of one's own
    assert one_line(call("solve", "4", "--store", host.url)).endswith("or to places that fsspec knows")
    assert "no complete table" in one_line(call("probe", "start 9 3", "--store", host.url))


def test_a_folder_or_a_url_says_which_table_it_is(site: Path, tmp_path: Path) -> None:
    path = site / "tables" / "points-5.zarr"
    for where in (path, str(path), f"{path}/", path.as_uri()):
        assert gs.open_tablebase(where).probe("24/A3/4 5").value == pytest.approx(41 / 9)
    with pytest.raises(OptionError, match="says which table it is"):
        gs.open_tablebase(path, objective="win")
    shutil.copytree(path, tmp_path / "win-5.zarr")
    with pytest.raises(TableVersionError, match="holds the game '5', not '5 win'"):
        gs.open_tablebase(tmp_path / "win-5.zarr")


@pytest.mark.parametrize("url", ["http://", "https:///x", "http://host/x?y", "http://host/a b", "http://host/x#y"])
def test_urls_that_are_none(url: str) -> None:
    with pytest.raises(gs.GoofspielError, match="a URL of tables is a host and a path"):
        location(url)


def test_an_open_table_is_pickled(host: Host) -> None:
    tablebase = gs.open_tablebase(f"{host.url}tables/points-6.zarr")
    again = pickle.loads(pickle.dumps(tablebase))
    assert again.probe("24/A3/4 5") == tablebase.probe("24/A3/4 5")


def test_damage_is_told_and_no_value_is_made_of_it(site: Path, tmp_path: Path) -> None:
    shutil.copytree(site / "tables" / "points-7.zarr", tmp_path / "points-7.zarr")
    block = Table.open(tmp_path / "points-7.zarr").block_path(5, 0)
    content = bytearray(block.read_bytes())
    with hosted(tmp_path) as host:
        content[10] ^= 1
        block.write_bytes(content)
        tablebase = gs.open_tablebase(f"{host.url}points-7.zarr")
        with pytest.raises(DamagedTableError, match=r"^http://[^ ]+ is damaged: the checksum of the chunk") as told:
            tablebase.values(["23456/A3567/23456 -"] * 9)
        assert "delete" not in str(told.value)
        block.write_bytes(content[:-7])
        with pytest.raises(DamagedTableError, match="bytes instead of"):
            gs.open_tablebase(f"{host.url}points-7.zarr").values(["23456/A3567/23456 -"])
        block.unlink()
        with pytest.raises(DamagedTableError, match=r"is missing from a complete table$"):
            gs.open_tablebase(f"{host.url}points-7.zarr").values(["23456/A3567/23456 -"])


def test_a_host_without_ranges_and_a_large_table(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts_module, "MOST_WHOLE_BYTES", 1000)
    with hosted(site, ranges=False) as host:
        tablebase = gs.open_tablebase(f"{host.url}tables/points-7.zarr")
        with pytest.raises(HostError, match=r"sends only whole files \(no HTTP ranges\): goofspiel get fetches"):
            tablebase.values(["2345/A356/2345 -"])


def test_a_host_that_is_not_there(call: Call) -> None:
    said = one_line(call("get", "http://127.0.0.1:9/points-13.zarr"))
    assert "127.0.0.1:9 cannot be reached (Connection refused): http://127.0.0.1:9/points-13.zarr" in said
    assert "nowhere.invalid cannot be reached" in one_line(call("get", "https://nowhere.invalid/points-13.zarr"))


def test_redirections_and_busy_hosts(site: Path) -> None:
    # Directives of the folder, then locations besides it.
    others = "location = /old/zarr.json { return 301 /tables/points-5.zarr/zarr.json; } location /gone { return 403;"
    with hosted(site, directives=f"}} location /loop {{ return 302 /loop; }} {others}") as host:
        assert json.loads(location(f"{host.url}old/zarr.json").read_bytes())["node_type"] == "group"
        with pytest.raises(HostError, match="from one address to the next"):
            location(f"{host.url}loop").read_bytes()
        with pytest.raises(HostError, match="the host answers 403 Forbidden"):
            location(f"{host.url}gone").read_bytes()


# --- fetch


def test_a_fetched_table_is_the_published_one(host: Host, site: Path, tmp_path: Path, call: Call) -> None:
    code, out, err = call("get", f"{host.url}tables/win-6.zarr", "--store", str(tmp_path))
    assert (code, out) == (0, f"{tmp_path / 'win-6.zarr'}\n")
    assert "fetching win-6.zarr 100%" in err
    assert tree(tmp_path / "win-6.zarr") == tree(site / "tables" / "win-6.zarr")
    listed = json.loads((site / "tables" / "index.json").read_bytes())["tables"]
    digest = next(table["digest"] for table in listed if table["path"] == "win-6.zarr")
    assert table_digest(Table.open(tmp_path / "win-6.zarr")).startswith(digest)
    assert sorted(os.listdir(tmp_path)) == ["win-6.lock", "win-6.zarr"]
    before = len(host.asked())
    code, _, err = call("get", f"{host.url}tables/win-6.zarr", "--store", str(tmp_path))
    assert code == 0
    assert "is there already, nothing was fetched" in err
    assert not any("/c/" in asked.path for asked in host.asked()[before:])


def test_which_table_of_a_site(host: Host, site: Path, tmp_path: Path, call: Call) -> None:
    code, out, _ = call("get", host.url, "--cards", "6", "--objective", "win", "--store", str(tmp_path), "--json")
    assert code == 0
    (found,) = json.loads(out)["tables"]
    assert found["rules"] == "6 win"
    assert found["bytes"] == sum(
        file.stat().st_size for file in site.glob("tables/win-6.zarr/level-*/**/c/**/0") if file.is_file()
    )
    assert call("get", host.url, "--all", "--quiet", "--store", str(tmp_path))[0] == 0
    assert set(list_tables(tmp_path)) == set(GAMES)
    for wrong, said in {
        (): "has 4 tables, which one? --cards N, rules, or --all: points-5.zarr,",
        ("--all", "--cards", "6"): "--all fetches all tables",
        ("--objective", "win"): "required: --cards N",
    }.items():
        assert said in one_line(call("get", host.url, *wrong, "--store", str(tmp_path)), code=2)
    absent = one_line(call("get", host.url, "--cards", "9", "--store", str(tmp_path)))
    assert "has no table of '9': points-5.zarr, " in absent
    assert "there are no tables at" in one_line(call("get", f"{host.url}nothing", "--store", str(tmp_path)))
    # From a folder as well, that of a site or one of its tables.
    for name, source in (("one", site), ("two", site / "tables" / "points-6.zarr")):
        assert call("get", str(source), "--cards", "6", "--quiet", "--store", str(tmp_path / name))[0] == 0
        assert tree(tmp_path / name / "points-6.zarr") == tree(site / "tables" / "points-6.zarr")


@pytest.mark.parametrize("keep", ["all", "last"])
def test_tables_of_every_kind(tmp_path: Path, keep: str) -> None:
    for rules, dtype in ((Rules(5), None), (Rules(5, objective="win"), "fixed24"), (Rules(5, ties="carry"), None)):
        path = solve(rules, store=tmp_path / "there", keep=keep, dtype=dtype)
        with hosted(tmp_path / "there", ranges=False) as host:
            found = fetch_table(location(f"{host.url}{path.name}"), tmp_path / "here")
        assert tree(found.path) == tree(path)


def test_kills_in_the_middle_of_a_download(site: Path, tmp_path: Path, repeats: Repeats, tally: Tally) -> None:
    for number in range(repeats(3, 20)):
        store = tmp_path / str(number)
        with hosted(site, rate="40k") as host:
            process = start("get", f"{host.url}tables/win-6.zarr", "--quiet", store=store)
            download = store / "win-6.zarr.download"
            until = time.monotonic() + 60
            while len(list(download.glob("level-0*/*/c/*/0/0"))) < 2 + 3 * number % 14 and time.monotonic() < until:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            assert not (store / "win-6.zarr").exists()
            arrived = {str(path.relative_to(download)) for path in download.glob("level-0*/*/c/*/0/0")}
            assert arrived
        with hosted(site, below="/moved/") as host:
            assert run("get", f"{host.url}tables/win-6.zarr", "--quiet", store=store).returncode == 0
            again = {asked.path.partition(".zarr/")[2] for asked in host.asked() if "/level-" in asked.path}
            assert len(arrived & again) <= 1  # what had arrived, and was checked, is not fetched again
        assert tree(store / "win-6.zarr") == tree(site / "tables" / "win-6.zarr")
        assert not download.exists()
    tally("kills of a download", repeats(3, 20))


def test_a_block_that_is_damaged_on_its_host(site: Path, tmp_path: Path, call: Call) -> None:
    shutil.copytree(site, tmp_path / "site")
    table = Table.open(tmp_path / "site" / "tables" / "points-7.zarr")
    block = table.block_path(5, 0)
    whole = block.read_bytes()
    store = tmp_path / "store"
    with hosted(tmp_path / "site") as host:
        url = f"{host.url}tables/points-7.zarr"
        other = table.block_path(4, 0).read_bytes()
        for wrong in (bytes([whole[0] ^ 1]) + whole[1:], whole[:-5], other, b""):
            block.write_bytes(wrong)
            said = one_line(call("get", url, "--quiet", "--store", str(store)))
            assert "/level-05/c/0/0 is damaged where it is published, or on its way: " in said
            assert not (store / "points-7.zarr").exists()
        block.unlink()
        assert "is missing from a complete table" in one_line(call("get", url, "--quiet", "--store", str(store)))
        block.write_bytes(whole)
        before = len(host.asked())
        assert call("get", url, "--quiet", "--store", str(store))[0] == 0
        assert not any("/level-04/c/" in asked.path for asked in host.asked()[before:])  # it had arrived
    assert tree(store / "points-7.zarr") == tree(table.path)


def test_what_has_arrived_is_checked_again(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut may spoil what is there; what was begun of another table is thrown away."""
    source = site / "tables" / "points-7.zarr"
    monkeypatch.setattr(Table, "mark_complete", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        fetch_table(source, tmp_path)
    monkeypatch.undo()
    spoilt = tmp_path / "points-7.zarr.download" / "level-05/c/0/0"
    spoilt.write_bytes(bytes(len(spoilt.read_bytes())))
    found = fetch_table(source, tmp_path)
    assert found.blocks == 1
    assert tree(found.path) == tree(source)
    other = tmp_path / "other" / "points-7.zarr.download"
    shutil.copytree(solve(7, store=tmp_path / "solved"), other)
    assert tree(fetch_table(source, tmp_path / "other").path) == tree(source)
    assert not other.exists()


def test_no_table_is_ever_lost(site: Path, tmp_path: Path, call: Call) -> None:
    path = solve(7, store=tmp_path)  # in doubles: another table of the same game
    before = tree(path)
    assert fetch_table(site / "tables" / "points-7.zarr", tmp_path).blocks == 0
    assert tree(path) == before
    document = json.loads((path / "zarr.json").read_bytes())
    document["attributes"]["goofspiel"]["complete"] = False
    (path / "zarr.json").write_text(json.dumps(document))
    said = one_line(call("get", str(site / "tables" / "points-7.zarr"), "--store", str(tmp_path)))
    assert "is there, and partly solved: solve it on, or delete it and fetch again" in said
    (site.parent / "half").mkdir()
    shutil.copytree(path, site.parent / "half" / "points-7.zarr")
    with pytest.raises(MissingTableError, match="is not completely solved: there is nothing to fetch yet"):
        fetch_table(site.parent / "half" / "points-7.zarr", tmp_path / "new")
    with pytest.raises(MissingTableError, match="is not completely solved"):
        gs.open_tablebase(site.parent / "half" / "points-7.zarr")


def test_a_disk_that_is_full(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = site / "tables" / "points-7.zarr"
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(gs.ResourceError, match=r"MiB are to be fetched, and .* has 0 MiB free"):
        fetch_table(source, tmp_path)


def test_where_tables_are_fetched_to(site: Path, host: Host, call: Call) -> None:
    assert "to a folder of this machine, not to" in one_line(
        call("get", str(site), "--cards", "5", "--store", host.url)
    )
    assert [path.name for path in published_tables(site)] == [
        f"{rules.slug}.zarr" for rules in sorted(GAMES, key=lambda r: (r.cards, r.slug))
    ]


def test_a_server_is_a_host(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    from servers import served

    path = solve(6, store=tmp_path / "there")
    with served(store=tmp_path / "there") as server:
        asked: Any = gs.open_tablebase(6, store=server.url).probe("24/A3/4 5")
        assert asked == gs.open_tablebase(path).probe("24/A3/4 5")
        assert run("get", server.url, "--cards", "6", "--quiet", store=tmp_path / "here").returncode == 0
    assert tree(tmp_path / "here" / "points-6.zarr") == tree(path)
