"""Ask a server as many clients at once do: probes a second, how long they take, and what memory it comes to.

The server is a process of its own, the clients share this one. Every question is another position, drawn at random;
the rows of the table are in memory, the answers are not.
"""

import argparse
import json
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from textwrap import fill
from time import perf_counter, process_time
from typing import Any
from urllib.parse import quote

from machine import machine, versions
from tables import Grid, number

from goofspiel import Position, Rules, open_tablebase
from goofspiel.batch import cards_needed
from goofspiel.render.answers import answer_json
from goofspiel.tablebase.asking import settled
from goofspiel.web.limits import SETTLED

ROOT = Path(__file__).resolve().parent.parent
RESULT, PAGE = ROOT / "docs/results/serve.json", ROOT / "docs/reference/http.md"
COMMAND = [sys.executable, "-m", "goofspiel", "serve", "--port", "0", "--quiet"]
CHECKED = 20  # answers that are compared with the table's own
WARMING = 500  # questions before the measurement
BATCH_CLIENTS = 4  # that ask many at once
MOST_TRIES = 1000  # for a position that was not asked yet
WIDTH = 120
PACKAGES = ("goofspiel", "fastapi", "orjson", "uvicorn")

_PART = re.compile(r"(?<=<!-- generated: load -->\n).*?(?=<!-- end -->)", re.DOTALL)


def positions(rules: Rules, seed: int) -> Iterator[Position]:
    """Random positions of a game with an upcard: any hands and prizes; where leads count, one that can have come about.

    None comes twice, as long as there are others.
    """
    chance = random.Random(seed)
    everything = range(1, rules.cards + 1)
    seen: set[Position] = set()
    tries = 0
    while True:
        level = chance.randint(2, rules.cards)
        mine, theirs, prizes = (chance.sample(everything, level) for _ in range(3))
        gone = sum(everything) - sum(prizes)
        lead = chance.randint(-gone, gone) if rules.has_leads else 0
        position = Position.of(mine, theirs, prizes[1:], prizes[0], lead=lead)
        tries += 1
        if tries > MOST_TRIES:
            seen.clear()
        if position not in seen and cards_needed(position, rules) <= rules.cards:
            seen.add(position)
            tries = 0
            yield position


@dataclass(frozen=True)
class Load:
    """What clients saw."""

    seconds: float
    latencies: list[float]  # of each request, ascending
    errors: list[str]


class Clients:
    """Connections that are kept, each with one request under way; all in one loop, which takes little of a core."""

    def __init__(self, port: int, count: int) -> None:
        self._sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
        self._epoll = select.epoll()
        for connection in self._sockets:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._epoll.register(connection, select.EPOLLIN)
        self._by_number = {connection.fileno(): connection for connection in self._sockets}

    def ask(self, requests: Iterator[bytes], *, seconds: float = 600.0, most: int | None = None) -> Load:
        """One request after the other on each connection, for so long or so many."""
        started = perf_counter()
        until, sent, waiting = started + seconds, dict[int, float](), dict[int, _Reply]()
        latencies: list[float] = []
        errors: list[str] = []

        def send(which: int, now: float) -> None:
            asked = len(latencies) + len(sent)
            if now < until and (most is None or asked < most):
                sent[which], waiting[which] = now, _Reply()
                self._by_number[which].sendall(next(requests))

        for which in self._by_number:
            send(which, perf_counter())
        while sent:
            for which, _ in self._epoll.poll():
                if not waiting[which].read(self._by_number[which]):
                    continue
                now = perf_counter()
                latencies.append(now - sent.pop(which))
                if waiting[which].status != 200:
                    errors.append(f"status {waiting[which].status}")
                send(which, now)
        return Load(perf_counter() - started, sorted(latencies), errors)

    def one(self, request: bytes) -> tuple[int, bytes]:
        """A request and the body of its answer."""
        connection, reply = self._sockets[0], _Reply()
        connection.sendall(request)
        while not reply.read(connection):
            pass
        return reply.status, b"".join(reply.parts)[reply.head :]

    def close(self) -> None:
        """End all connections."""
        self._epoll.close()
        for connection in self._sockets:
            connection.close()


class _Reply:
    """What has arrived of an answer."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.status = self.head = self._left = 0

    def read(self, connection: socket.socket) -> bool:
        """Take what is there; whether that is all."""
        part = connection.recv(1 << 20)
        if not part:
            raise ConnectionError("the server ended a connection")
        self.parts.append(part)
        if not self.head:
            self.parts = [part := b"".join(self.parts)]
            end = part.find(b"\r\n\r\n")
            if end < 0:
                return False
            self.status, self.head = int(part[9:12]), end + 4
            start = part.lower().index(b"content-length:", 0, end) + 15
            self._left = int(part[start : part.index(b"\r\n", start)]) + self.head
        self._left -= len(part)
        return self._left <= 0


def probes(questions: Iterator[Position], rules: Rules) -> Iterator[bytes]:
    """Requests for one position each."""
    for position in questions:
        path = f"/api/v1/probe?position={quote(position.url)}&objective={rules.objective}&cards={rules.cards}"
        yield f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def batches(questions: Iterator[Position], rules: Rules, size: int) -> Iterator[bytes]:
    """Requests for many positions each."""
    while True:
        asked = {"positions": [str(next(questions)) for _ in range(size)]}
        body = json.dumps({**asked, "objective": rules.objective, "cards": rules.cards}).encode()
        head = "POST /api/v1/probe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
        yield f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def load(port: int, given: argparse.Namespace, server: int) -> dict[str, Any]:
    """All clients at once, and the server's memory; then the same with batches."""
    rules = Rules(given.cards, objective=given.objective)
    questions = positions(rules, given.seed)
    check(port, questions, rules, given.store)
    single = probes(questions, rules)
    many = batches(questions, rules, given.batch)
    found = measured(port, given.clients, single, seconds=given.seconds, server=server, warming=WARMING)
    of_batches = measured(port, BATCH_CLIENTS, many, seconds=given.seconds / 4, server=server, warming=BATCH_CLIENTS)
    return {
        "cards": rules.cards,
        "objective": str(rules.objective),
        **found,
        "batches": {"positions": given.batch, **of_batches},
    }


def measured(
    port: int, count: int, requests: Iterator[bytes], *, seconds: float, server: int, warming: int
) -> dict[str, Any]:
    """What so many clients see, and what it takes. Requests are made before: that is no part of the load."""
    clients = Clients(port, count)
    rate = warming / clients.ask(requests, most=warming).seconds
    ready = list(islice(requests, int(2 * rate * seconds) + count))
    memory = resident(server)
    used, own, made = cpu_seconds(server), process_time(), cycle(ready)
    found = clients.ask(made, seconds=seconds)
    clients.close()
    times, asked = found.latencies, len(found.latencies)
    return {
        "clients": count,
        "seconds": found.seconds,
        "requests": asked,
        "requests_per_second": asked / found.seconds,
        "errors": found.errors,
        "milliseconds": {name: 1e3 * times[int(share * (asked - 1))] for name, share in SHARES.items()},
        "server_cpu_milliseconds": 1e3 * (cpu_seconds(server) - used) / asked,
        "client_cpu_milliseconds": 1e3 * (process_time() - own) / asked,
        "memory_bytes": {"before": memory, "after": resident(server)},
    }


SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


def check(port: int, questions: Iterator[Position], rules: Rules, store: Path) -> None:
    """The server says what the table says."""
    clients = Clients(port, 1)
    with open_tablebase(rules, store=store) as tablebase:
        asked = list(islice(questions, CHECKED))
        expected = [{**answer_json(settled(tablebase.probe(one), SETTLED)), "outcomes": None} for one in asked]
        for position, answer in zip(asked, expected, strict=True):
            status, body = clients.one(next(probes(iter([position]), rules)))
            assert status == 200, body
            assert {**json.loads(body), "outcomes": None} == answer, position
        status, body = clients.one(next(batches(iter(asked), rules, CHECKED)))
        assert status == 200, body
        assert [{**found, "outcomes": None} for found in json.loads(body)["answers"]] == expected
    clients.close()


def resident(process: int) -> int:
    """Bytes of memory."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def cpu_seconds(process: int) -> float:
    """Of all threads of a process."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(given: argparse.Namespace) -> dict[str, Any]:
    """Start a server, ask it, end it."""
    here = machine(PACKAGES)
    with open_tablebase(given.cards, objective=given.objective, store=given.store):
        pass  # solved before the server needs it
    server = subprocess.Popen([*COMMAND, "--store", str(given.store)], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        port = int(server.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        found = load(port, given, server.pid)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
    return {"machine": here, **found}


def grid(found: dict[str, Any]) -> Grid:
    """The figures as a table."""
    many = found["batches"]
    both = found, many
    per_second = found["requests_per_second"], many["requests_per_second"] * many["positions"]
    rows = [
        ["", "one position", f"{many['positions']:,} positions"],
        ["clients", *(str(part["clients"]) for part in both)],
        ["positions a second", *map(number, per_second)],
        ["errors", *(str(len(part["errors"])) for part in both)],
        *([f"milliseconds, {name}", *(number(part["milliseconds"][name]) for part in both)] for name in SHARES),
        ["CPU-milliseconds of the server", *(number(part["server_cpu_milliseconds"]) for part in both)],
        ["CPU-milliseconds of the clients", *(number(part["client_cpu_milliseconds"]) for part in both)],
        *(
            [f"MiB of the server, {when}", *(number(part["memory_bytes"][when] / 2**20) for part in both)]
            for when in ("before", "after")
        ),
    ]
    return Grid(f"requests for {found['cards']} cards, {found['objective']}", rows)


def filled(text: str, found: dict[str, Any]) -> str:
    """A page with the figures in it."""
    here = found["machine"]
    words = fill(
        f"{found['clients']} clients at once for {found['seconds']:.0f} seconds, random positions of {found['cards']} "
        f"cards ({found['objective']}), each asked once; then {found['batches']['clients']} clients, "
        f"{found['batches']['positions']:,} positions in each request. Times are those of a request. Measured on "
        f"{here['date']} on {here['cores']} cores, which the clients share (load average before: "
        f"{here['load_average']:.1f}), Python {here['python']}; {versions(here)}.",
        WIDTH,
    )
    return _PART.sub(lambda _: f"\n{words}\n\n{grid(found).to_markdown()}\n\n", text)


def main() -> None:
    """Measure, print, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60.0, metavar="S", help="default: 60")
    options.add_argument("--clients", type=int, default=64, metavar="C", help="default: 64")
    options.add_argument("--batch", type=int, default=1000, metavar="P", help="positions of a batch (default: 1000)")
    options.add_argument("--cards", type=int, default=9, metavar="N", help="default: 9")
    options.add_argument("--objective", choices=["points", "win"], default="points")
    options.add_argument("--seed", type=int, default=0, metavar="S", help="other positions (default: 0)")
    options.add_argument("--store", type=Path, metavar="DIR", help="where the table is (default: solved anew)")
    options.add_argument("--write", action="store_true", help="write the figures into the documentation")
    options.add_argument("--redraw", action="store_true", help="measure nothing: print the page from the last figures")
    given = options.parse_args()
    if given.redraw:
        result = json.loads(RESULT.read_text(encoding="utf-8"))
        sys.stdout.write(filled(PAGE.read_text(encoding="utf-8"), result))
        return
    with tempfile.TemporaryDirectory() as folder:
        given.store = given.store or Path(folder)
        result = measure(given)
    print(grid(result).to_text())
    for error in [*result["errors"], *result["batches"]["errors"]][:5]:
        print(error, file=sys.stderr)
    if given.write:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), result), encoding="utf-8")
    if result["errors"] or result["batches"]["errors"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
