"""Ask a server as many clients at once do: probes a second, how long they take, and what memory it comes to.

The server is a process of its own, the clients share this one: on a machine of two cores, each has one at the most.
Every question is another position, drawn at random; the rows of the table are in memory, the answers are not.
"""

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from time import monotonic, perf_counter
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
COMMAND = [sys.executable, "-m", "goofspiel.cli", "serve", "--port", "0", "--quiet"]
CHECKED = 20  # answers that are compared with the table's own
WARMING = 500  # questions before the measurement
MOST_TRIES = 1000  # for a position that was not asked yet
WIDTH = 120
PACKAGES = ("goofspiel", "fastapi", "uvicorn")

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


class Client:
    """One connection that is kept."""

    def __init__(self, port: int, query: str) -> None:
        self.port, self._query = port, query
        self.latencies: list[float] = []
        self.errors: list[str] = []

    async def ask(self, questions: Iterator[Position], *, until: float, most: int | None = None) -> None:
        """One question after the other."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        while monotonic() < until and (most is None or len(self.latencies) < most):
            started = perf_counter()
            status, _ = await self.one(reader, writer, next(questions))
            self.latencies.append(perf_counter() - started)
            if status != 200:
                self.errors.append(f"status {status}")
        writer.close()
        await writer.wait_closed()

    async def one(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, position: Position
    ) -> tuple[int, bytes]:
        """A question and its answer."""
        path = f"/api/v1/probe?position={quote(position.url)}{self._query}"
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        return int(head[9:12]), await reader.readexactly(int(length.partition(b":")[2]))


async def load(port: int, given: argparse.Namespace, server: int) -> dict[str, Any]:
    """All clients at once, and the server's memory while they ask."""
    rules = Rules(given.cards, objective=given.objective)
    query = f"&objective={rules.objective}&cards={rules.cards}"
    questions = positions(rules, given.seed)
    await check(Client(port, query), questions, rules, given.store)
    warming = [Client(port, query) for _ in range(given.clients)]
    share = -(-WARMING // given.clients)
    await asyncio.gather(*(client.ask(questions, until=monotonic() + 600, most=share) for client in warming))
    clients = [Client(port, query) for _ in range(given.clients)]
    memory = [resident(server)]
    used, started = cpu_seconds(server), monotonic()
    work = [asyncio.create_task(client.ask(questions, until=started + given.seconds)) for client in clients]
    while monotonic() < started + given.seconds:
        await asyncio.sleep(min(1.0, given.seconds / 4))
        memory.append(resident(server))
    failed = [str(found) for found in await asyncio.gather(*work, return_exceptions=True) if found is not None]
    took = monotonic() - started
    latencies = sorted(latency for client in clients for latency in client.latencies)
    return {
        "cards": rules.cards,
        "objective": str(rules.objective),
        "clients": given.clients,
        "seconds": took,
        "probes": len(latencies),
        "probes_per_second": len(latencies) / took,
        "errors": failed + [error for client in clients for error in client.errors],
        "milliseconds": {name: 1e3 * latencies[int(share * (len(latencies) - 1))] for name, share in SHARES.items()},
        "server_cores": (cpu_seconds(server) - used) / took,
        "memory_bytes": {"before": memory[0], "half": memory[len(memory) // 2], "after": memory[-1]},
    }


SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}


async def check(client: Client, questions: Iterator[Position], rules: Rules, store: Path) -> None:
    """The server says what the table says."""
    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    with open_tablebase(rules, store=store) as tablebase:
        for _ in range(CHECKED):
            position = next(questions)
            status, body = await client.one(reader, writer, position)
            found, expected = json.loads(body), answer_json(settled(tablebase.probe(position), SETTLED))
            assert status == 200, body
            assert {**found, "outcomes": None} == {**expected, "outcomes": None}, position
    writer.close()
    await writer.wait_closed()


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
        found = asyncio.run(load(port, given, server.pid))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
    return {"machine": here, **found}


def grid(found: dict[str, Any]) -> Grid:
    """The figures as a table."""
    memory = {name: number(count / 2**20) for name, count in found["memory_bytes"].items()}
    times = found["milliseconds"]
    rows = [
        ["", "measured"],
        ["probes a second", number(found["probes_per_second"])],
        ["errors", str(len(found["errors"]))],
        *([f"milliseconds, {name}", number(times[name])] for name in SHARES),
        ["cores that the server used", f"{found['server_cores']:.2f}"],
        *([f"MiB of the server, {when}", memory[when]] for when in memory),
    ]
    return Grid(
        f"{found['clients']} clients for {found['seconds']:.0f} s, {found['cards']} cards, {found['objective']}", rows
    )


def filled(text: str, found: dict[str, Any]) -> str:
    """A page with the figures in it."""
    here = found["machine"]
    words = fill(
        f"{found['clients']} clients at once for {found['seconds']:.0f} seconds, random positions of {found['cards']} "
        f"cards ({found['objective']}), each asked once. Measured on {here['date']} on {here['cores']} cores, "
        f"which the clients share (load average before: {here['load_average']:.1f}), Python {here['python']}; "
        f"{versions(here)}.",
        WIDTH,
    )
    return _PART.sub(lambda _: f"\n{words}\n\n{grid(found).to_markdown()}\n\n", text)


def main() -> None:
    """Measure, print, write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60.0, metavar="S", help="default: 60")
    options.add_argument("--clients", type=int, default=64, metavar="C", help="default: 64")
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
    for error in result["errors"][:5]:
        print(error, file=sys.stderr)
    if given.write:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), result), encoding="utf-8")
    if result["errors"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
