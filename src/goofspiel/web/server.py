"""Run the application behind a socket until it is interrupted."""

import asyncio
import gc
import logging
import os
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn

from goofspiel.errors import GoofspielError
from goofspiel.system import descriptor_limit
from goofspiel.web.admission import Admission, Network
from goofspiel.web.app import create_app
from goofspiel.web.connections import Connection, State
from goofspiel.web.limits import KEEP_ALIVE_SECONDS, MOST_CONNECTIONS, MOST_HEAD, SPARE_CONNECTIONS, SPARE_DESCRIPTORS
from goofspiel.web.middleware import LOOPBACK_NAMES
from goofspiel.web.problems import is_exhaustion

ENDING_SECONDS = 5  # that answers on their way have when the server ends
BACKLOG = 512  # connections that wait to be taken
COLLECTED_AFTER = 50_000  # objects more than were let go; the answers of a batch are fewer
TAKEN_AT_ONCE = 8  # of them, so that those that make room are closed before there are many more
FEWEST_CONNECTIONS = 8  # however few descriptors there are
ANY_HOST = "*"
WILDCARDS = ("0.0.0.0", "::")


class Listener(socket.socket):
    """A socket that listens. When no descriptor is left, it turns clients away: they would wait in vain otherwise.

    asyncio would try again every second, and log each of hundreds of attempts.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._reserve: int | None = None  # a descriptor, given up to take a connection that is turned away
        self.make_room: Callable[[], bool] = lambda: False  # end what is idle

    def listen(self, _taken_at_once: int = TAKEN_AT_ONCE) -> None:
        """Begin. asyncio calls it, too, with one number for how many wait and how many are taken at once."""
        super().listen(BACKLOG)

    def accept(self) -> tuple[socket.socket, Any]:
        """Take a connection; BlockingIOError when there is none, or it was turned away."""
        if self._reserve is None:
            with suppress(OSError):
                self._reserve = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return super().accept()
        except OSError as error:
            if not is_exhaustion(error):
                raise
            if self.make_room():  # the connection that waits is taken next time
                raise BlockingIOError from None
            if self._reserve is None:
                raise
        os.close(self._reserve)
        self._reserve = None
        super().accept()[0].close()
        raise BlockingIOError

    def close(self) -> None:
        """Do not listen any more."""
        if self._reserve is not None:
            os.close(self._reserve)
            self._reserve = None
        super().close()


def listen(host: str, port: int) -> Listener:
    """A socket that listens; port 0 takes any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError):  # the latter where no name can be like that
        raise GoofspielError(f"there is no such host: {host!r}") from None
    listening = Listener(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
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
    name = "localhost" if address in WILDCARDS else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def host_names(listening: socket.socket, host: str, allowed: Iterable[str] = ()) -> frozenset[str] | None:
    """The names that a server answers for; None when it is any. The address of a connection is always one of them."""
    if ANY_HOST in allowed:
        return None
    names = {*LOOPBACK_NAMES, *map(_named, allowed)}
    if is_loopback(listening):
        return frozenset({*names, _named(host)})
    # Not 0.0.0.0 and ::, at which it listens but which are nobody's address.
    names |= {_named(host)} if listening.getsockname()[0] not in WILDCARDS else set()
    return frozenset({*names, _named(socket.gethostname())})


def _named(host: str) -> str:
    """As in a Host header."""
    return f"[{host}]".lower() if ":" in host and not host.startswith("[") else host.lower()


def most_connections() -> int:
    """As many as there are descriptors for, but at least a few."""
    descriptors = descriptor_limit()
    if descriptors is None:
        return MOST_CONNECTIONS
    return max(FEWEST_CONNECTIONS, min(MOST_CONNECTIONS, descriptors - SPARE_CONNECTIONS - SPARE_DESCRIPTORS))


def serve(
    listening: Listener,
    host: str,
    *,
    store: Path | str | None,
    started: Callable[[], None],
    allowed_hosts: Iterable[str] = (),
    proxies: Iterable[Network] = (),
) -> None:
    """Answer until interrupted; `started` is called when the first request can come.

    `allowed_hosts` are names to answer for besides those of the machine, `proxies` those that speak for many clients.
    """
    logging.basicConfig(format="goofspiel: %(message)s", level=logging.ERROR)
    hosts = host_names(listening, host, list(allowed_hosts))
    app = create_app(store, hosts=hosts, tell_store=is_loopback(listening))
    config = uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",  # not uvloop, where it is installed: it takes connections past the listener
        h11_max_incomplete_event_size=MOST_HEAD,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=TAKEN_AT_ONCE,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=ENDING_SECONDS,
    )
    admission = Admission(most_connections(), proxies=proxies)
    listening.make_room = admission.drop_idle
    _Server(config, admission, started).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Tells when it has started."""

    def __init__(self, config: uvicorn.Config, admission: Admission, started: Callable[[], None]) -> None:
        super().__init__(config)
        self.server_state = State(admission)
        self._when_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        asyncio.get_running_loop().set_exception_handler(_on_error)
        await super().startup(sockets)
        # What is there now stays: a collection need not look at it. The answers of a batch go without one.
        gc.freeze()
        gc.set_threshold(COLLECTED_AFTER)
        if self.started:
            self._when_started()


def _on_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What no request is to blame for; resources that run out are told of elsewhere."""
    if not is_exhaustion(context.get("exception")):
        loop.default_exception_handler(context)
