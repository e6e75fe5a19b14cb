"""Connections: idle ones lock nobody out, what is no request is refused as promised, descriptors may run out."""

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from ipaddress import ip_network
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")

from command import PATIENCE
from servers import Server, changed, served

from goofspiel.site.page import page_files
from goofspiel.web.admission import Admission, client_of
from goofspiel.web.connections import PATIENCE as PATIENCES
from goofspiel.web.connections import Phase
from goofspiel.web.limits import (
    CONNECTIONS_OF_ADDRESS,
    CONNECTIONS_OF_PROXY,
    MOST_BODY,
    MOST_CONNECTIONS,
    MOST_HEAD,
    SPARE_CONNECTIONS,
)
from goofspiel.web.middleware import HEADERS
from goofspiel.web.problems import KINDS

HEALTH = "/api/v1/health"
HOST = b"Host: localhost\r\n"
POST = b"POST /api/v1/probe HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[Server]:
    with served("--quiet", store=store) as server:
        yield server
        assert server.end() == (0, "", "")


# --- too many of them


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has ended it, or does so within the patience."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_idle_connections_lock_nobody_out(server: Server) -> None:
    """Nothing is waited for: with the patience of an hour it would be the same."""
    with ExitStack() as stack:
        idle = [stack.enter_context(server.connect("127.0.0.1")) for _ in range(CONNECTIONS_OF_PROXY + 150)]
        assert server.get(HEALTH, source="127.0.0.1")[0].status == 200
        assert server.get(HEALTH, source="127.0.0.2")[0].status == 200
        assert server.get("/api/v1/deck?cards=3&seed=1", source="127.0.0.2")[0].status == 200
        assert all(is_closed(connection) for connection in idle[:150])  # those that were idle longest


def test_who_waits_for_an_answer_is_not_dropped(store: Path) -> None:
    few = changed("from goofspiel.web import admission; admission.CONNECTIONS_OF_PROXY = 4")
    with served("--quiet", store=store, program=few) as server, ExitStack() as stack:
        working = [stack.enter_context(server.connect("127.0.0.1")) for _ in range(4)]
        for connection in working:
            connection.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 16\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 100 ")  # the server has read it
        # All that this address may have are at work: others are not touched, and health is told in any case.
        response, body = server.get("/", source="127.0.0.1")
        assert (response.status, json.loads(body)["detail"]) == (
            503,
            "too many connections: try again in 2 seconds",
        )
        assert (response.headers["retry-after"], response.headers["connection"]) == ("2", "close")
        for _ in range(2 * SPARE_CONNECTIONS):
            stack.enter_context(server.connect("127.0.0.1"))
        response, _ = server.get(HEALTH, source="127.0.0.1")
        assert (response.status, response.headers["connection"]) == (200, "close")
        assert server.get("/", source="127.0.0.2")[0].status == 200
        for connection in working:
            connection.sendall(b'{"positions":[]}')
            assert answer(connection)[1] == {"answers": []}
        assert server.get("/", source="127.0.0.1")[0].status == 200
        assert server.end() == (0, "", "")


class Idle:
    """A connection of which only its end is noted."""

    def __init__(self, admission: Admission) -> None:
        self.admission, self.dropped = admission, False

    def drop(self) -> None:
        self.dropped = True
        self.admission.leave(self)


def enter(admission: Admission, address: str, count: int) -> tuple[list[Idle], int]:
    """So many connections of an address, all at work, and how many of them may ask anything."""
    found, admitted = [Idle(admission) for _ in range(count)], 0
    for connection in found:
        admitted += admission.enter(connection, address)
        admission.work(connection)
    return found, admitted


@pytest.mark.parametrize(
    ("address", "most"),
    [
        ("203.0.113.7", CONNECTIONS_OF_ADDRESS),
        ("2001:db8::7", CONNECTIONS_OF_ADDRESS),
        ("127.0.0.1", CONNECTIONS_OF_PROXY),
        ("::1", CONNECTIONS_OF_PROXY),
        ("::ffff:127.0.0.1", CONNECTIONS_OF_PROXY),
        ("172.17.0.1", CONNECTIONS_OF_PROXY),
        ("172.18.0.1", CONNECTIONS_OF_ADDRESS),
        ("fe80::1%eth0", CONNECTIONS_OF_ADDRESS),
    ],
)
def test_so_many_of_an_address(address: str, most: int) -> None:
    admission = Admission(proxies=[ip_network("172.17.0.0/16")])
    assert enter(admission, address, 600)[1] == most
    assert len(admission) == most + SPARE_CONNECTIONS
    assert enter(admission, "203.0.113.8", 1)[1] == 1  # there is room for others


def test_so_many_in_all() -> None:
    admission = Admission()
    connections = []
    for number in range(20):
        connections += enter(admission, f"203.0.113.{number}", CONNECTIONS_OF_ADDRESS)[0]
    assert len(admission) == MOST_CONNECTIONS + SPARE_CONNECTIONS
    admission.rest(connections[3])
    admission.rest(connections[1])
    assert enter(admission, "198.51.100.1", 2)[1] == 2  # they make room, the one that is idle longer first
    assert connections[1].dropped
    assert connections[3].dropped
    assert enter(admission, "198.51.100.1", 1)[1] == 0
    for connection in connections:
        admission.leave(connection)
        admission.leave(connection)
    assert len(admission) == 3


def test_whom_connections_are_counted_for() -> None:
    assert client_of("203.0.113.7") == client_of("::ffff:203.0.113.7") == "203.0.113.7"
    assert client_of("2001:db8:1:2::1") == client_of("2001:db8:1:2:ffff::9") == "2001:db8:1:2::/64"
    assert client_of("2001:db8:1:2::1") != client_of("2001:db8:1:3::1")


# --- patience


@pytest.mark.parametrize(
    ("phase", "sent", "status"),
    [
        ("FIRST", b"", 0),
        ("HEAD", b"GET / HTTP/1.1\r\nHost: loc", 408),
        ("KEPT", b"GET /api/v1/health HTTP/1.1\r\n" + HOST + b"\r\n", 200),
        ("HEAD", b"GET /api/v1/health HTTP/1.1\r\n" + HOST + b"\r\nGET", 200),
        ("WORK", POST + b"Content-Length: 10\r\n\r\n", 0),
    ],
)
def test_patience_ends(store: Path, phase: str, sent: bytes, status: int) -> None:
    """That of one phase is short, the others last for an hour."""
    change = (
        "from goofspiel.web.connections import PATIENCE, Phase; PATIENCE.update(dict.fromkeys(Phase, 3600)); "
        f"PATIENCE[Phase.{phase}] = 0.2; from goofspiel.web import server; server.KEEP_ALIVE_SECONDS = 3600"
    )
    with served("--quiet", store=store, program=changed(change)) as server:
        found = server.raw(sent)
        assert found.startswith(f"HTTP/1.1 {status} ".encode()) if status else found == b""
        assert server.get(HEALTH)[0].status == 200
        assert server.end() == (0, "", "")


def test_the_page_names_the_bounds() -> None:
    page = (Path(__file__).parents[1] / "docs/reference/http.md").read_text(encoding="utf-8")
    section = page.partition("\n## Connections\n")[2].partition("\n## ")[0]
    bounds = re.findall(r"^\| (\d+)(?: s)? \|", section, re.MULTILINE)
    counts = [MOST_CONNECTIONS, CONNECTIONS_OF_ADDRESS, CONNECTIONS_OF_PROXY]
    times = [PATIENCES[phase] for phase in (Phase.FIRST, Phase.HEAD, Phase.KEPT, Phase.WORK)]
    assert list(map(int, bounds)) == counts + times
    assert f"there are {SPARE_CONNECTIONS} connections" in section
    assert f"more than {MOST_HEAD >> 10} KiB of headers" in page


# --- what is no request


def answer(connection: socket.socket) -> tuple[HTTPResponse, object]:
    response = HTTPResponse(connection)
    response.begin()
    return response, json.loads(response.read() or b"null")


LONG = b"a" * 70_000
CHUNK = b"1000\r\n" + b" " * 4096 + b"\r\n"
REFUSED = {
    "nonsense": (b"nonsense\r\n\r\n", "malformed"),
    "tls": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200) + b"\r\n\r\n", "malformed"),
    "zeros": (bytes(100) + b"\r\n\r\n", "malformed"),
    "http 2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "host"),
    "http 0.9": (b"GET /\r\n\r\n", "malformed"),
    "http 11": (b"GET / HTTP/11\r\n" + HOST + b"\r\n", "malformed"),
    "space in the address": (b"GET /a b HTTP/1.1\r\n" + HOST + b"\r\n", "malformed"),
    "bytes in the address": (b"GET /\xff HTTP/1.1\r\n" + HOST + b"\r\n", "malformed"),
    "strange method": (b"G\x00T / HTTP/1.1\r\n" + HOST + b"\r\n", "malformed"),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", "malformed"),
    "two hosts": (b"GET / HTTP/1.1\r\n" + HOST + HOST + b"\r\n", "malformed"),
    "no colon": (b"GET / HTTP/1.1\r\n" + HOST + b"nonsense\r\n\r\n", "malformed"),
    "space before the colon": (b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", "malformed"),
    "zero in a header": (b"GET / HTTP/1.1\r\n" + HOST + b"A: \x00\r\n\r\n", "malformed"),
    "length is no number": (POST + b"Content-Length: x\r\n\r\n", "malformed"),
    "negative length": (POST + b"Content-Length: -1\r\n\r\n", "malformed"),
    "two lengths": (POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "malformed"),
    "bad chunk": (POST + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n", "malformed"),
    "unknown coding": (POST + b"Transfer-Encoding: gzip\r\n\r\n", "coding"),
    "long address": (b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", "too-long"),
    "endless address": (b"GET /" + LONG, "too-long"),
    "long header": (b"GET / HTTP/1.1\r\n" + HOST + b"A: " + LONG + b"\r\n\r\n", "headers"),
    "endless header": (b"GET / HTTP/1.1\r\n" + HOST + b"A: " + LONG, "headers"),
    "many headers": (b"GET / HTTP/1.1\r\n" + HOST + b"A: b\r\n" * 10_000 + b"\r\n", "headers"),
    "large body": (POST + b"Content-Length: 1000000\r\n\r\n" + b" " * 1_000_000, "too-large"),
    "many chunks": (
        POST + b"Transfer-Encoding: chunked\r\n\r\n" + (MOST_BODY // 4096 + 9) * (b"1000\r\n" + b" " * 4096 + b"\r\n"),
        "too-large",
    ),
    "other host": (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "host"),
    "old and no host": (b"GET / HTTP/1.0\r\n\r\n", "host"),
    "connect": (b"CONNECT localhost:80 HTTP/1.1\r\n" + HOST + b"\r\n", "not-found"),
    "options of all": (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", "not-found"),
    "options": (b"OPTIONS /api/v1/probe HTTP/1.1\r\n" + HOST + b"\r\n", "method"),
    "own method": (b"FROB / HTTP/1.1\r\n" + HOST + b"\r\n", "method"),
    "no such file": (b"GET /static/no.js HTTP/1.1\r\n" + HOST + b"\r\n", "not-found"),
    "no such file, in part": (b"GET /static/no.js HTTP/1.1\r\n" + HOST + b"Range: bytes=0-1\r\n\r\n", "not-found"),
    "websocket": (
        b"GET /nothing HTTP/1.1\r\n" + HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        "not-found",
    ),
    "not json": (POST + b"Content-Length: 1\r\n\r\nx", "parameter"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_a_problem(server: Server, name: str) -> None:
    sent, kind = REFUSED[name]
    with server.connect() as connection:
        connection.sendall(sent)
        response, found = answer(connection)
    status, title, _ = KINDS[kind]
    assert isinstance(found, dict)
    assert (response.status, found["status"], found["title"]) == (status, status, title), found
    assert found["type"] == f"/api/v1/docs#{kind}"
    assert found["detail"]
    assert "\n" not in found["detail"]
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    for header, text in HEADERS:
        assert response.headers.get_all(header.decode()) == [text.decode()]
    assert len(response.headers.get_all("date") or []) == 1
    if status == 405:
        assert response.headers["allow"].startswith("GET, HEAD")
    assert server.get(HEALTH)[0].status == 200


def test_head_of_nothing(server: Server) -> None:
    found = server.raw(b"HEAD /nothing HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 404 ")
    assert found.endswith(b"\r\n\r\n")
    found = server.raw(
        b"HEAD /api/v1/health HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nxyz\r\n"
    )
    assert found.startswith(b"HTTP/1.1 400 ")
    assert found.endswith(b"\r\n\r\n")


def test_parts_are_not_given(server: Server) -> None:
    """A range may be ignored (RFC 9110, 14.2)."""
    icon = next(f"/{name}" for name in page_files() if name.endswith("/icon.svg"))
    whole, body = server.get(icon)
    part, same = server.get(icon, Range="bytes=0-1")
    assert (part.status, same) == (200, body)
    assert "accept-ranges" not in whole.headers


def test_nonsense_after_an_answer_ends_the_connection(server: Server) -> None:
    """The first request is refused before its body is read: then nothing can be said of the body."""
    head = b"POST /nothing HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(head)
        assert answer(connection)[0].status == 404
        connection.sendall(b"xyz\r\n")
        assert is_closed(connection)
    found = server.raw(b"GET /api/v1/health HTTP/1.1\r\n" + HOST + b"\r\nnonsense\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 200 ")
    assert b"HTTP/1.1 400 " in found


def test_who_waits_when_the_server_ends_is_told(store: Path) -> None:
    soon = changed("from goofspiel.web import server; server.ENDING_SECONDS = 0.2")
    with served("--quiet", store=store, program=soon) as server, server.connect() as connection:
        connection.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 16\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        code, _, complaints = server.end()
        assert (code, complaints) == (
            0,
            "goofspiel: Cancel 1 running task(s), timeout graceful shutdown exceeded\n",
        )
        response, found = answer(connection)
        assert isinstance(found, dict)
        assert (response.status, found["detail"]) == (503, "the server ends: try again in 2 seconds")


# --- names


@pytest.mark.parametrize(
    ("allowed", "answered", "refused"),
    [
        (
            (),
            # The second is where the request comes in.
            ("localhost", "127.0.0.2:8000", "127.0.0.1", "[::1]", socket.gethostname().upper()),
            ("evil.example", "127.0.0.3", "0.0.0.0", "[::2]", "localhost.evil.example", ""),
        ),
        (
            ("goofspiel.example", "other.example"),
            ("Goofspiel.example:80", "other.example", "localhost"),
            ("evil.example", "evil.goofspiel.example", "goofspiel.example.evil.example", "*"),
        ),
        (("*",), ("evil.example", "localhost"), ()),
    ],
)
def test_a_public_server_answers_for_its_names_only(
    store: Path, allowed: tuple[str, ...], answered: tuple[str, ...], refused: tuple[str, ...]
) -> None:
    """A page of evil.example whose name is made to lead here must not read the answers."""
    options = [part for name in allowed for part in ("--allow-host", name)]
    with served("--host", "0.0.0.0", "--quiet", *options, store=store) as server:
        server.host = "127.0.0.2"
        for host in answered:
            assert server.get("/", Host=host)[0].status == 200, host
        for host in refused:
            response, body = server.get("/", Host=host)
            assert response.status == 421
            assert json.loads(body)["detail"] == f"this server does not answer for {host!r}: --allow-host names others"


# --- descriptors


def at_last(server: Server, path: str) -> int:
    """The status of an answer, when a connection is not dropped any more."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return server.get(path)[0].status
        except ConnectionError:
            assert time.monotonic() < deadline


def test_descriptors_that_run_out(store: Path) -> None:
    """Some are dropped or turned away, one line says so, and when there are some again, all is well."""
    few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40)); "
    many = "from goofspiel.web import server; server.most_connections = lambda: 512"
    with served("--quiet", store=store, program=changed(few + many)) as server:
        with ExitStack() as stack:
            working = []
            for _ in range(60):
                connection = stack.enter_context(server.connect())
                try:
                    connection.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 16\r\n\r\n")
                    working += [connection] if connection.recv(100).startswith(b"HTTP/1.1 100 ") else []
                except ConnectionError:
                    pass
            assert 5 < len(working) < 40  # the others were turned away, and did not wait in vain
            working[0].sendall(b'{"positions":[]}')
            assert answer(working[0])[0].status == 200
            assert at_last(server, HEALTH) == 200  # in the place of the one that is idle now
        assert at_last(server, "/") == 200
        _, _, complaints = server.end()
        assert complaints == (
            "goofspiel: Too many open files: connections are dropped or turned away until that is better\n"
        )


def test_few_descriptors_are_enough(store: Path) -> None:
    """There are fewer connections then, and always descriptors for what is asked."""
    few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))"
    with served("--quiet", store=store, program=changed(few)) as server, ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(server.connect())
        assert server.get("/api/v1/probe?position=24/A3/2_3&cards=4")[0].status == 200
        assert server.get("/")[0].status == 200
        assert server.end() == (0, "", "")
