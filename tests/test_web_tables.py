"""Tables as files over HTTP: what is listed, parts of files, tables that are made, and paths that lead nowhere."""

import json
from pathlib import Path

import pytest
from engine import running

pytest.importorskip("fastapi")

from damage import without_manifest
from servers import served
from web import Client, problem

from goofspiel.rules import Rules
from goofspiel.site.facts import table_facts
from goofspiel.solver import solve
from goofspiel.store import Table, table_path
from goofspiel.web import published


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for rules in (Rules(4), Rules(5, objective="win"), Rules(4, objective=[0, 0.5, 1])):
        solve(rules, store=folder)
    return folder


def test_what_is_listed(client: Client, store: Path) -> None:
    """What the engine knows, as it is; an odd payoff is not among it."""
    index = client.get("/tables/index.json").json()
    tables = {table["rules"]: table for table in index["tables"]}
    assert tables.keys() == {"4", "5 win"}
    for rules, facts in tables.items():
        path = table_path(store, Rules.parse(rules))
        assert facts == json.loads(json.dumps(table_facts(Table.open(path))))
        assert client.get(f"/tables/{path.stem}.json").json() == facts
    assert index["solves"] == 9


def test_parts_of_files(client: Client, store: Path) -> None:
    folder = table_path(store, Rules(5, objective="win"))
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        content, address = path.read_bytes(), f"/tables/{path.relative_to(store).as_posix()}"
        whole = client.get(address)
        assert (whole.status_code, whole.content) == (200, content)
        assert whole.headers["accept-ranges"] == "bytes"
        half, last = len(content) // 2, len(content) - 1
        for asked, start, stop in (
            (f"bytes=0-{half}", 0, half + 1),
            (f"bytes={half}-", half, len(content)),
            (f"bytes={half}-{10**12}", half, len(content)),
        ):
            part = client.get(address, headers={"range": asked})
            assert (part.status_code, part.content) == (206, content[start:stop])
            assert part.headers["content-range"] == f"bytes {start}-{stop - 1}/{len(content)}"
        for asked in (f"bytes={last + 1}-", "bytes=-1", "bytes=0-1,3-4", "bytes=5-2", "lines=0-1"):
            assert client.get(address, headers={"range": asked}).status_code == 200  # may be ignored
        head = client.request("HEAD", address, headers={"range": "bytes=0-0"})
        assert (head.status_code, head.content, head.headers["content-length"]) == (206, b"", "1")


def test_large_files_are_sent_in_pieces(client: Client, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = max((path for path in store.rglob("c/**/*") if path.is_file()), key=lambda path: path.stat().st_size)
    monkeypatch.setattr("goofspiel.web.routes.PIECE_BYTES", 100)
    monkeypatch.setattr(published, "PIECE_BYTES", 64)
    address, content = f"/tables/{path.relative_to(store).as_posix()}", path.read_bytes()
    assert len(content) > 1000
    assert client.get(address).content == content
    assert client.get(address, headers={"range": "bytes=3-900"}).content == content[3:901]


@pytest.mark.parametrize(
    "path",
    [
        "/tables",
        "/tables/",
        "/tables/index",
        "/tables/points-4.zarr",
        "/tables/points-4.zarr/",
        "/tables/points-4.zarr/level-01",
        "/tables/points-4.zarr/level-01/c",
        "/tables/points-4.zarr/level-01/c/0/1",
        "/tables/points-4.zarr/../points-4.lock",
        "/tables/points-4.zarr/%2e%2e/points-4.lock",
        "/tables/points-4.zarr//etc/passwd",
        "/tables/points-4.zarr/level-01\\c",
        "/tables/points-4.lock",
        "/tables/points-0.json",
        "/tables/luck-4.json",
        "/tables/points-4-hidden.json",
    ],
)
def test_paths_that_lead_nowhere(client: Client, path: str) -> None:
    problem(client.get(path), 404, "not-found")


def test_small_tables_are_made_and_large_ones_named(tmp_path: Path) -> None:
    client = Client(tmp_path)
    assert client.get("/tables/index.json").json()["tables"] == []
    facts = client.get("/tables/win-4-carry.json").json()
    assert facts["rules"] == "4 win carry"
    assert client.get("/tables/win-4-carry.zarr/zarr.json").json()["attributes"]["goofspiel"]["rules"] == "4 win carry"
    own = client.get("/tables/points-3-prizes-2-2-50.json").json()
    assert client.get(f"/tables/{own['path']}/zarr.json").status_code == 200
    assert not table_path(tmp_path, Rules(3, prizes=(2, 2, 50))).exists()  # not in the store, where nobody asked for it
    said = problem(client.get("/tables/win-13.json"), 404, "missing-table")
    assert "goofspiel solve 13 --objective win" in said


def test_a_table_of_an_early_format_is_listed(tmp_path: Path) -> None:
    solve(4, store=tmp_path)
    without_manifest(table_path(tmp_path, Rules(4)))
    (facts,) = Client(tmp_path).get("/tables/index.json").json()["tables"]
    assert facts["format"] == 3


FROM_HOST = """async (load, { base, asked }) => {
    const { HttpHost } = await load("hosts.js");
    const { Service } = await load("service.js");
    const service = new Service(new HttpHost(base));
    return Promise.all(asked.map(([what, params]) => service.answer(what, params).catch((error) => error.message)));
}"""


def test_the_engine_asks_a_server(store: Path) -> None:
    with served("--quiet", store=store) as server, running() as engine:
        asked = [
            ["probe", {"rules": "4", "position": "24/A3/2 3", "cards": 4}],
            ["probe", {"rules": "9 win", "position": "start 9 3"}],  # is solved for it
            ["probe", {"rules": "16", "position": "start 16"}],
        ]
        small, made, missing = engine.run(FROM_HOST, {"base": f"{server.url}tables/", "asked": asked})
        assert small["cards"] == 4
        assert made["value"] == pytest.approx(0, abs=1e-8)
        assert "goofspiel solve 16 (about" in missing
        server.end()
        (gone,) = engine.run(FROM_HOST, {"base": f"{server.url}tables/", "asked": asked[:1]})
        assert gone.endswith("does not answer. Is goofspiel serve still running?")
