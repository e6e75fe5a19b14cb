"""Run the application behind a socket until it is interrupted."""

import asyncio
import logging
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from goofspiel.errors import GoofspielError
from goofspiel.web.app import create_app
from goofspiel.web.limits import MOST_BODY, MOST_CONNECTIONS, STALLED_SECONDS
from goofspiel.web.middleware import LOOPBACK_NAMES

KEEP_ALIVE_SECONDS = 15
ENDING_SECONDS = 5  # that answers on their way have when the server ends
BACKLOG = 512  # connections that wait to be taken


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError:
        raise GoofspielError(f"there is no such host: {host!r}") from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise GoofspielError(
            f"port {port} of {host} cannot be taken: {error.strerror}; --port names another, 0 any free one"
        ) from None
    return listening


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine reaches a socket."""
    address = str(listening.getsockname()[0])
    return address.startswith("127.") or address == "::1"


def url_of(listening: socket.socket, host: str) -> str:
    """Where to find it."""
    address, port = listening.getsockname()[:2]
    name = "localhost" if address in ("0.0.0.0", "::") else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def serve(listening: socket.socket, host: str, *, store: Path | str | None, started: Callable[[], None]) -> None:
    """Answer until interrupted; `started` is called when the first request can come."""
    local = is_loopback(listening)
    logging.basicConfig(format="goofspiel: %(message)s", level=logging.ERROR)
    named = f"[{host}]" if ":" in host else host.lower()
    app = create_app(store, hosts=LOOPBACK_NAMES | {named} if local else None, tell_store=local)
    config = uvicorn.Config(
        app,
        http=_Protocol,
        h11_max_incomplete_event_size=MOST_BODY,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=ENDING_SECONDS,
    )
    _Server(config, started).run(sockets=[listening])


class _Protocol(H11Protocol):
    """A connection; h11 bounds the size of what it reads, this the time that it may take."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch it."""
        super().connection_made(transport)
        self._watch()

    def _watch(self) -> None:
        self._begun = self.cycle  # the last request
        self._watching = self.loop.call_later(STALLED_SECONDS, self._drop_if_stalled)

    def _drop_if_stalled(self) -> None:
        if self.cycle is self._begun:
            self.transport.abort()
        else:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching it."""
        self._watching.cancel()
        super().connection_lost(exc)


class _Server(uvicorn.Server):
    """Tells when it has started."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        if self.started:
            self._when_started()
