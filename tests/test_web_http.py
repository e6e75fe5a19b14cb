"""HTTP: caching, methods, bounds, hosts, headers, files; nothing of this machine is told, whatever goes wrong."""

import asyncio
import errno
import re
import shutil
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from goofspiel.store import Table

pytest.importorskip("fastapi")

from damage import flip
from web import API, Client, problem

from goofspiel.site.page import KINDS, page_files
from goofspiel.solver import solve
from goofspiel.web import middleware, problems, service, tables
from goofspiel.web.client import get
from goofspiel.web.files import PAGES
from goofspiel.web.problems import KINDS as PROBLEMS

TAGGED = [
    "probe?position=24/A3/2_3&cards=4",
    "probe?position=24/A3/23_-&cards=4&objective=win",
    "table?cards=4",
    "table?cards=4&format=csv",
    "review?record=2A3_332_A2A",
    "bid?position=24/A3/2_3&cards=4&seed=1",
    "bid?position=24/A3/2_3&player=match&seed=1",
    "deck?cards=4&seed=1",
]
UNTAGGED = ["health", "tables"]
ICON = next(f"/{name}" for name in page_files() if name.endswith("/icon.svg"))
WRONG = ["nonsense", "probe", "probe?position=x", "table?cards=16", "bid?position=24/A3/2_3&seed=1&player=x"]


# --- caching


@pytest.mark.parametrize("path", TAGGED)
def test_what_a_client_has_is_not_sent_again(client: Client, path: str) -> None:
    response = client.get(f"{API}/{path}")
    etag = response.headers["etag"]
    assert re.fullmatch(r'"[a-z0-9.-]+"', etag)
    assert response.headers["cache-control"] == "public, max-age=3600"
    for tags in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = client.get(f"{API}/{path}", headers={"if-none-match": tags})
        assert (again.status_code, again.content) == (304, b"")
        assert (again.headers["etag"], again.headers["cache-control"]) == (etag, "public, max-age=3600")
    for tags in ('"other"', "", etag.strip('"')):
        again = client.get(f"{API}/{path}", headers={"if-none-match": tags})
        assert (again.status_code, again.content) == (200, response.content)


def test_answers_of_a_table_have_the_tag_of_the_table(client: Client) -> None:
    paths = ["probe?position=24/A3/2_3&cards=4", "probe?position=24/A3/23_-&cards=4", "table?cards=4"]
    assert len({client.get(f"{API}/{path}").headers["etag"] for path in paths}) == 1
    others = [
        f"probe?position=24/A3/2_3&cards={cards}&objective={kind}" for cards in (4, 5) for kind in ("points", "win")
    ]
    assert len({client.get(f"{API}/{path}").headers["etag"] for path in others}) == 4


def test_a_wrong_question_is_wrong_whatever_the_client_has(client: Client) -> None:
    problem(client.get(f"{API}/probe?position=x", headers={"if-none-match": "*"}), 400, "position")


def test_the_tag_changes_with_the_table_and_not_with_its_location(tmp_path: Path) -> None:
    path = f"{API}/probe?position=24/A3/2_3"
    first, copy, other = (tmp_path / name for name in ("first", "copy", "other"))
    solve(4, store=first)
    shutil.copytree(first, copy)
    solve(4, store=other, dtype="float32")
    etag = Client(first).get(path).headers["etag"]
    assert Client(copy).get(path).headers["etag"] == etag
    changed = Client(other).get(path).headers["etag"]
    assert changed != etag

    # A server notices that its table was made anew.
    server = Client(first)
    assert server.get(path).headers["etag"] == etag
    shutil.rmtree(first / "points-4.zarr")
    solve(4, store=first, dtype="float32")
    assert server.get(path, headers={"if-none-match": etag}).headers["etag"] == changed


def test_a_store_at_a_url(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("upath")
    client = Client("memory://tables")
    missing = f"{API}/probe?position=24/A3/2_3&cards=10"
    problem(client.get(missing), 404, "missing-table")
    solve(4, store="memory://tables")
    path = f"{API}/probe?position=24/A3/2_3&cards=4"
    here, there = Client(store).get(path), client.get(path)
    assert (there.content, there.headers["etag"]) == (here.content, here.headers["etag"])
    assert client.get(f"{API}/table?cards=3").status_code == 200
    assert [table["cards"] for table in client.get(f"{API}/tables").json()["tables"] if table["complete"]] == [3, 4]

    # A large table that is finished later is found as well, though not at once.
    solve(10, store="memory://tables")
    monkeypatch.setattr(tables, "RELIST_SECONDS", 1e-9)
    assert client.get(missing).status_code == 200


def test_a_table_that_is_solved_later_is_found(tmp_path: Path) -> None:
    client = Client(tmp_path)
    problem(client.get(f"{API}/table?cards=10"), 404, "missing-table")
    solve(10, store=tmp_path, keep="last")
    assert client.get(f"{API}/table?cards=10").json()["cards"] == 10
    missing = client.get(f"{API}/probe?position=24/A3/2_3&cards=10")
    assert problem(missing, 404, "missing-table").startswith(
        "the points table of 10 cards keeps only its last level: delete it, then goofspiel solve 10 ("
    )


# --- methods


@pytest.mark.parametrize("path", [f"{API}/{path}" for path in TAGGED + UNTAGGED + WRONG] + ["/", "/nothing"])
def test_head_is_get_without_a_body(client: Client, path: str) -> None:
    plain = {"accept-encoding": "identity"}
    full, head = client.get(path, headers=plain), client.request("HEAD", path, headers=plain)
    assert head.content == b""
    assert (head.status_code, head.headers) == (full.status_code, full.headers)
    assert int(head.headers["content-length"]) == len(full.content)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "NONSENSE"])
@pytest.mark.parametrize("path", [f"{API}/health", f"{API}/probe", f"{API}/openapi.json", "/", ICON])
def test_other_methods(client: Client, method: str, path: str) -> None:
    response = client.request(method, path)
    if (method, path) == ("POST", f"{API}/probe"):
        problem(response, 422, "parameter")
        return
    problem(response, 405, "method")
    assert response.headers["allow"] == ("GET, HEAD, POST" if path == f"{API}/probe" else "GET, HEAD")


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/v1", "/api/v2/health", f"{API}/", f"{API}/health/", f"{API}/Health", "/docs", "/openapi.json"],
)
def test_nothing_there(client: Client, path: str) -> None:
    assert problem(client.get(path), 404, "not-found") == f"there is nothing at {path!r}"


# --- bounds


def test_a_body_is_bounded(client: Client) -> None:
    largest = b'{"positions": []' + b" " * (131072 - 17) + b"}"
    json = {"content-type": "application/json"}
    assert client.post(f"{API}/probe", content=largest, headers=json).json() == {"answers": []}
    for body in (largest + b" ", b"x" * 10**6):
        found = client.post(f"{API}/probe", content=body, headers=json)
        assert problem(found, 413, "too-large") == "a request has no more than 131072 bytes"

    async def endless() -> AsyncIterator[bytes]:
        sent = 0
        while True:
            sent += 1
            assert sent < 100, "the server reads on and on"
            yield b" " * 4096

    found = client.post(f"{API}/probe", content=endless(), headers=json)
    problem(found, 413, "too-large")
    found = client.post(f"{API}/probe", content=b"", headers={**json, "content-length": "9" * 400})
    problem(found, 413, "too-large")


def test_a_body_must_arrive(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "BODY_SECONDS", 0.01)

    async def never() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.sleep(3600)

    found = Client(store).post(f"{API}/probe", content=never(), headers={"content-type": "application/json"})
    problem(found, 408, "too-slow")


def test_an_address_is_bounded(client: Client) -> None:
    assert problem(client.get(f"{API}/probe?position={'A' * 9000}"), 414, "too-long").startswith(
        "an address has no more than 8192 bytes"
    )
    problem(client.get(f"/{'a' * 9000}"), 414, "too-long")


# --- hosts


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8000"])
def test_the_names_of_this_machine(client: Client, host: str) -> None:
    assert client.get(f"{API}/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "evil.example:8000", "", "127.0.0.1.evil.example", "[::1", "[::2]"],
)
def test_other_names_are_refused(client: Client, host: str) -> None:
    for path in (f"{API}/health", "/", "/nothing"):
        problem(client.get(path, headers={"host": host}), 421, "host")


def test_a_public_server_has_any_name(store: Path) -> None:
    assert Client(store, hosts=None).get(f"{API}/health", headers={"host": "goofspiel.example"}).status_code == 200


# --- headers


@pytest.mark.parametrize("path", [f"{API}/{path}" for path in TAGGED + UNTAGGED + WRONG] + ["/", f"{API}/docs", "/x"])
def test_every_answer_has_the_headers_that_protect_a_browser(client: Client, path: str) -> None:
    for response in (client.get(path), client.post(path), client.get(path, headers={"if-none-match": "*"})):
        headers = response.headers
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
        assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in headers
        assert "server" not in headers
        assert "access-control-allow-origin" not in headers


# --- files


def unlinked(document: bytes) -> bytes:
    """A document without the modules that it names."""
    return b"".join(line for line in document.splitlines(keepends=True) if b"modulepreload" not in line)


def test_the_page(client: Client) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    assert page.content == page_files()["index.html"]
    for path in PAGES:
        again = client.get(f"{path}?position=24/A3/Q_K")
        # Seen from /play/, what is beside the page is one folder up; it is the same page, with other modules first.
        assert unlinked(again.content.replace(b'="../', b'="./')) == unlinked(page.content)
        assert client.get(path, headers={"if-none-match": again.headers["etag"]}).status_code == 304


def test_every_file_of_the_page_is_given(client: Client) -> None:
    files = {name: content for name, content in page_files().items() if not name.endswith(".html")}
    assert len(files) > 5
    for name, content in files.items():
        response = client.get(f"/{name}")
        assert response.content == content, name
        assert response.headers["content-type"] == KINDS[Path(name).suffix]
        tag, kept = response.headers["etag"], response.headers["cache-control"]
        assert kept == ("public, max-age=31536000, immutable" if name.startswith("static/") else "no-cache")
        again = client.get(f"/{name}", headers={"if-none-match": tag})
        assert (again.status_code, again.content) == (304, b"")


def test_the_files_of_the_page_are_sent_compressed(client: Client) -> None:
    """To those who take it."""
    for name in page_files():
        if name.endswith(".html"):
            continue
        plain = client.get(f"/{name}", headers={"accept-encoding": "br, gzip;q=0"})
        packed = client.get(f"/{name}", headers={"accept-encoding": "br, gzip"})
        assert "content-encoding" not in plain.headers
        assert plain.content == packed.content
        assert plain.headers["etag"] == packed.headers["etag"]
        if name.endswith(".png"):
            assert "content-encoding" not in packed.headers
        else:
            assert packed.headers["content-encoding"] == "gzip"
            assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
            assert int(packed.headers["content-length"]) < len(plain.content)


@pytest.mark.parametrize("path", ["/nowhere", "/Play", "/a/b/c", "/play/x"])
def test_where_there_is_nothing_browsers_get_a_page(client: Client, path: str) -> None:
    """And programs the problem."""
    page = client.get(path, headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert page.content == page_files()["404.html"]
    problem(client.get(path), 404, "not-found")
    problem(client.get("/api/v1/nowhere", headers={"accept": "text/html"}), 404, "not-found")


@pytest.mark.parametrize(
    "path",
    [
        "/static/",
        "/static",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/..%5capp.py",
        "/static/index.html%00",
        "/static/%00",
        "/static//index.html",
        "/static/./index.html",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/INDEX.HTML",
        "/static/index.html/",
        "/static/%ff%fe",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/app.py",
        "/index.html",
    ],
)
def test_no_path_reaches_the_file_system(client: Client, path: str) -> None:
    response = get(client.app, path)  # as it is: another client would tidy it up
    assert response.status == 404
    assert b"not-found" in response.body


# --- the page of the API


class Links(HTMLParser):
    """What a page refers to, and the names of its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        found = {name: value or "" for name, value in attrs}
        assert not [name for name in found if name.startswith("on") or name == "style"]
        self.targets += [found[name] for name in ("href", "src") if name in found]
        if "id" in found:
            self.names.add(found["id"])


def test_the_page_of_the_api_explains_everything(client: Client) -> None:
    response = client.get(f"{API}/docs")
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    links = Links()
    links.feed(response.text)
    assert links.tags & {"script", "style", "iframe", "img"} == set()
    assert set(links.targets) == {f"{API}/docs.css", f"{API}/openapi.json"}
    assert all(client.get(target).status_code == 200 for target in links.targets)
    assert set(PROBLEMS) <= links.names  # where the types of problems lead
    for path, methods in client.get(f"{API}/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            assert f"<code>{method.upper()} {path}</code>" in response.text
            for parameter in operation.get("parameters", []):
                assert f"<code>{parameter['name']}</code>" in response.text


# --- faults


def test_a_damaged_table_is_a_fault_without_details(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    solve(4, store=tmp_path)
    blocks = [path for path in tmp_path.rglob("level-02/c/*/*") if path.is_file()]
    flip(blocks[0], 100)
    response = Client(tmp_path, tell_store=True).get(f"{API}/probe?position=A24/A34/12_3")
    assert problem(response, 500, "fault") == "the table cannot be read here: goofspiel verify says why"
    assert str(tmp_path) not in response.text
    assert str(blocks[0]) in caplog.text


def test_a_block_that_is_gone(tmp_path: Path) -> None:
    solve(4, store=tmp_path)
    client = Client(tmp_path)
    shutil.rmtree(tmp_path / "points-4.zarr" / "level-02")
    problem(client.get(f"{API}/probe?position=A24/A34/12_3"), 500, "fault")


def test_a_store_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = Client(tmp_path / "file")
    (tmp_path / "file").write_text("not a store")
    response = client.get(f"{API}/table?cards=3")
    assert problem(response, 500, "fault") == "the answer could not be worked out"
    assert str(tmp_path) not in response.text
    assert str(tmp_path) in caplog.text
    assert len(client.get(f"{API}/tables").json()["tables"]) == 18


def test_an_unforeseen_error_is_a_fault(
    store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(service, "first_move", fail)
    response = Client(store).get(f"{API}/table?cards=3")
    assert problem(response, 500, "fault") == "the server failed; its log says why"
    assert "secret" not in response.text
    assert "ZeroDivisionError: secret" in caplog.text


@pytest.mark.parametrize("path", [f"{API}/table?cards=3", f"{API}/probe?position=24/A3/2_3&cards=4"])
def test_files_that_cannot_be_opened_for_now(
    store: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    """With no descriptor left: it is not the table that is damaged, and the log is not filled with it."""

    def fail(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files", str(store))

    client = Client(store)
    monkeypatch.setattr(problems, "COMPLAINTS", problems.Complaints())
    monkeypatch.setattr(Table, "open", fail)
    for _ in range(3):
        response = client.get(path)
        assert problem(response, 503, "busy") == "too many files are open: try again in 2 seconds"
        assert response.headers["retry-after"] == "2"
    assert caplog.messages == ["Too many open files: connections are dropped or turned away until that is better"]
