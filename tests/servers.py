"""A real server of its own process, and clients that send it whatever they like."""

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from command import COMMAND, PATIENCE, start


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], first_line: str) -> None:
        self.process, self.first_line = process, first_line
        self.url = json.loads(first_line)["url"] if first_line.startswith("{") else first_line
        self.host, self.port = urlsplit(self.url).hostname or "", urlsplit(self.url).port or 0

    def get(self, path: str, *, source: str = "", **headers: str) -> tuple[HTTPResponse, bytes]:
        """An answer; `source` is the address from which it is asked for."""
        connection = HTTPConnection(
            self.host, self.port, timeout=PATIENCE, source_address=(source, 0) if source else None
        )
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def connect(self, source: str = "") -> socket.socket:
        """A connection that says nothing yet."""
        return socket.create_connection(
            (self.host, self.port), timeout=PATIENCE, source_address=(source, 0) if source else None
        )

    def raw(self, request: bytes) -> bytes:
        """Send bytes, and read until the server has said enough."""
        with socket.create_connection((self.host, self.port), timeout=PATIENCE) as connection:
            found = b""
            with suppress(ConnectionError):  # it need not listen to the end
                connection.sendall(request)
                while more := connection.recv(65536):
                    found += more
            return found

    def end(self, how: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Stop it: exit code, and what it has printed besides its first line."""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@contextmanager
def served(*arguments: str, store: Path, program: tuple[str, ...] = (COMMAND,)) -> Iterator[Server]:
    process = start("serve", "--port", "0", *arguments, store=store, program=program)
    try:
        assert process.stdout
        first_line = process.stdout.readline().strip()
        assert first_line, process.communicate(timeout=PATIENCE)
        yield Server(process, first_line)
    finally:
        process.kill()
        process.communicate()


def changed(change: str) -> tuple[str, ...]:
    """The program, after some statements that change it."""
    return sys.executable, "-c", f"{change}; import sys; from goofspiel.cli import main; sys.exit(main(sys.argv[1:]))"
