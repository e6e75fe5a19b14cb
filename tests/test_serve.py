"""The verb serve: a real server from its first line to Ctrl-C, and answers without one."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures import Tablebases

pytest.importorskip("uvicorn")

from command import COMMAND, HAND, PATIENCE, run, wait_until
from servers import Server, served

from goofspiel.position import Position
from goofspiel.render.answers import answer_json
from goofspiel.web.limits import MOST_BODY

POSITION = "/api/v1/probe?position=24/A3/2_3"


# --- a server


def test_from_start_to_end(store: Path, tablebase: Tablebases) -> None:
    with served(store=store) as server:
        assert server.url == f"http://127.0.0.1:{server.port}/"
        response, body = server.get(f"{POSITION}&cards=4")
        assert response.status == 200
        assert json.loads(body) == answer_json(tablebase(4).probe(Position(HAND)))
        assert "server" not in response.headers
        page, body = server.get("/")
        assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert body.lower().startswith(b"<!doctype html>")
        again, body = server.get(f"{POSITION}&cards=4", **{"If-None-Match": response.headers["etag"]})
        assert (again.status, body) == (304, b"")
        assert server.end() == (0, "", "Ctrl-C ends the server\n")


def test_quiet_and_json(store: Path) -> None:
    with served("--quiet", "--json", store=store) as server:
        assert json.loads(server.first_line) == {"url": f"http://127.0.0.1:{server.port}/"}
        assert server.get("/api/v1/health")[0].status == 200
        assert server.end() == (0, "", "")


def test_it_can_be_terminated(store: Path) -> None:
    with served("--quiet", store=store) as server:
        assert server.end(signal.SIGTERM) == (-signal.SIGTERM, "", "")


def test_a_port_that_is_taken(store: Path) -> None:
    with served(store=store) as server:
        done = run("serve", "--port", str(server.port), store=store)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            f"goofspiel: port {server.port} of 127.0.0.1 cannot be taken: Address already in use; "
            "--port names another, 0 any free one\n"
        )


@pytest.mark.parametrize("host", ["no host", "a..b", "x" * 70, "\udcff"])
def test_a_host_that_is_none(store: Path, host: str) -> None:
    done = run("serve", "--host", host, "--port", "0", store=store)
    assert (done.returncode, done.stderr) == (1, f"goofspiel: there is no such host: {host!r}\n")


@pytest.mark.parametrize(
    ("option", "given", "takes"),
    [
        ("--allow-host", "goofspiel.example:80", "a name without a port, or *"),
        ("--allow-host", "127.0.0.1:80", "a name without a port, or *"),
        ("--allow-host", "http://x/", "a name without a port, or *"),
        ("--allow-host", "", "a name without a port, or *"),
        ("--proxy", "localhost", "an address or a network, such as 172.17.0.0/16"),
        ("--proxy", "172.17.0.1/16", "an address or a network, such as 172.17.0.0/16"),
    ],
)
def test_options_that_are_none(store: Path, option: str, given: str, takes: str) -> None:
    done = run("serve", "--port", "0", option, given, store=store)
    assert (done.returncode, done.stderr) == (2, f"goofspiel: {option} takes {takes}, not {given!r}\n")


def test_a_server_behind_a_proxy(store: Path) -> None:
    options = ("--allow-host", "goofspiel.example", "--allow-host", "2001:DB8::1", "--proxy", "172.17.0.0/16")
    with served("--quiet", *options, "--proxy", "2001:db8::7", store=store) as server:
        for host in ("goofspiel.example", "[2001:db8::1]:80"):
            assert server.get("/", Host=host)[0].status == 200


def test_beyond_this_machine_it_warns(store: Path) -> None:
    with served("--host", "0.0.0.0", "--quiet", store=store) as server:
        assert server.url == f"http://localhost:{server.port}/"
        assert server.get("/api/v1/health", Host="evil.example")[0].status == 421
        missing, body = server.get("/api/v1/probe?position=start_16_K")
        assert missing.status == 404
        assert str(store).encode() not in body
        _, _, complaints = server.end()
        assert complaints == (
            f"goofspiel: everybody who reaches this machine at http://localhost:{server.port}/ can use it\n"
        )


def test_another_name_does_not_reach_a_local_server(store: Path) -> None:
    with served("--quiet", store=store) as server:
        assert server.get("/", Host="evil.example")[0].status == 421
        assert server.get("/", Host=f"localhost:{server.port}")[0].status == 200


def test_a_local_server_names_its_store(store: Path, tmp_path: Path) -> None:
    with served("--quiet", "--store", str(tmp_path), store=store) as server:
        _, body = server.get("/api/v1/table?cards=16")
        assert json.loads(body)["command"] == f"goofspiel solve 16 --store {tmp_path}"


def test_ipv6(store: Path) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    with served("--host", "::1", "--quiet", store=store) as server:
        assert server.url == f"http://[::1]:{server.port}/"
        assert server.get("/api/v1/health")[0].status == 200
        assert server.end() == (0, "", "")


def test_open_opens_the_page(store: Path, tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.partial && mv {opened}.partial {opened}\n')
    browser.chmod(0o755)
    program = ("env", f"BROWSER={browser} %s", COMMAND)
    with served("--open", store=store, program=program) as server:
        assert wait_until(opened.exists, server.process)
        assert opened.read_text() == server.url


# --- bytes that no browser sends


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET /static/../app.py HTTP/1.1", 404),
        ("GET /static/%2e%2e%2fapp.py HTTP/1.1", 404),
        ("GET /../../../../etc/passwd HTTP/1.1", 404),
        ("GET /static/index.html%00.css HTTP/1.1", 404),
        ("GET //evil.example/ HTTP/1.1", 404),
        ("GET http://evil.example/ HTTP/1.1", 404),
        ("OPTIONS * HTTP/1.1", 404),
        ("TRACE / HTTP/1.1", 405),
        ("GET /api/v1/probe?position=%ff%00%0d%0a HTTP/1.1", 400),
        ("GET /api/v1/probe?position=" + "A" * 9000 + " HTTP/1.1", 414),
        ("nonsense", 400),
    ],
    ids=lambda value: str(value)[:40],
)
def test_strange_requests(strange: Server, request_line: str, status: int) -> None:
    answer = strange.raw(f"{request_line}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"Traceback" not in answer
    assert strange.get("/api/v1/health")[0].status == 200


@pytest.fixture(scope="module")
def strange(store: Path) -> Iterator[Server]:
    with served("--quiet", store=store) as server:
        yield server
        assert server.end() == (0, "", "")


def test_a_head_without_end(strange: Server) -> None:
    """It is read no further than to where it is too long, but the client learns why."""
    answer = strange.raw(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 414 ")
    assert strange.get("/api/v1/health")[0].status == 200


def test_a_body_in_more_and_more_chunks(strange: Server) -> None:
    head = b"POST /api/v1/probe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    chunk = b"1000\r\n" + b" " * 0x1000 + b"\r\n"
    answer = strange.raw(head + b"Transfer-Encoding: chunked\r\n\r\n" + (MOST_BODY // 0x1000 + 1) * chunk)
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_large_body_is_refused_before_it_is_sent(strange: Server) -> None:
    head = b"POST /api/v1/probe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    answer = strange.raw(head + b"Content-Length: 1000000000\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert f'"a request has no more than {MOST_BODY} bytes"'.encode() in answer


# --- without a server


def test_get(store: Path, tablebase: Tablebases) -> None:
    done = run("serve", "--get", f"/api/v1/probe?position={HAND}&cards=4", store=store)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == answer_json(tablebase(4).probe(Position(HAND)))
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("path", "code", "printed"),
    [
        ("/api/v1/probe?position=A3/24/5 5", 1, "goofspiel: upcard 5 is also in the deck: 'A3/24/5 5'\n"),
        (
            "/api/v1/table?cards=16",
            1,
            "goofspiel: the points table of 16 cards is not solved here: goofspiel solve 16 (about ",
        ),
        ("/api/v1/nothing", 1, "goofspiel: there is nothing at '/api/v1/nothing'\n"),
        ("/api/v1/table?cards=ä", 1, "goofspiel: cards: must be 1 to 16, not 'ä'\n"),
        ("api/v1/health", 2, "goofspiel: a path starts with /, as in /api/v1/health, not 'api/v1/health'\n"),
        ("/\udcff", 2, "goofspiel: a path is text in UTF-8, not '/\\udcff'\n"),  # a byte that is no text
        ("", 2, "goofspiel: a path starts with /, as in /api/v1/health, not ''\n"),
    ],
)
def test_get_says_what_is_wrong(store: Path, path: str, code: int, printed: str) -> None:
    done = run("serve", "--get", path, store=store)
    assert (done.returncode, done.stdout, done.stderr[: len(printed)]) == (code, "", printed)
    assert done.stderr.count("\n") == 1


def test_get_starts_nothing(store: Path) -> None:
    done = run("serve", "--get", "/", "--open", "--port", "1", store=store)
    assert done.returncode == 2
    said = "--port and --open: not with --get, which starts no server, and prints what it would answer"
    assert done.stderr == f"goofspiel: {said}\n"


def test_get_gives_files_as_they_are(store: Path) -> None:
    from goofspiel.site.page import page_files

    for name, content in page_files().items():
        if name.endswith(("/icon.svg", "/icon-192.png", "sw.js")):
            assert run("serve", "--get", f"/{name}", store=store, stdin=b"").stdout == content


@pytest.mark.parametrize("port", ["-1", "65536", "x", "80.5"])
def test_ports_that_are_none(store: Path, port: str) -> None:
    done = run("serve", "--port", port, store=store)
    assert done.returncode == 2
    assert f"port must be 0 to 65535, not {port!r}" in done.stderr


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_without_the_extra(missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; from goofspiel.cli import main; sys.exit(main(['serve']))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=os.environ | {"PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "goofspiel: serve needs the web extra: pip install 'goofspiel[web]'\n"
