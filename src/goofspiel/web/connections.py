"""One connection: how long it may take for what, and the answer where what it sends is no request."""

import asyncio
import sys
from contextlib import suppress
from enum import Enum
from typing import Any, cast

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.server import ServerState

from goofspiel.web.admission import Admission
from goofspiel.web.limits import (
    FIRST_SECONDS,
    HEAD_SECONDS,
    KEEP_ALIVE_SECONDS,
    LINGER_SECONDS,
    MOST_HEAD,
    WORK_SECONDS,
)
from goofspiel.web.middleware import CLOSE, HEADERS, SPARE, encoded_problem
from goofspiel.web.problems import ProblemError


class Phase(Enum):
    """What a connection waits for."""

    FIRST = "the first byte of its first request"
    HEAD = "the rest of a head"
    WORK = "the body, the answer, and that it is taken"
    KEPT = "another request"
    LINGER = "what the client still sends, so that it reads why it was refused"


PATIENCE = {
    Phase.FIRST: FIRST_SECONDS,
    Phase.HEAD: HEAD_SECONDS,
    Phase.WORK: WORK_SECONDS,
    Phase.KEPT: KEEP_ALIVE_SECONDS,
    Phase.LINGER: LINGER_SECONDS,
}
UNREAD = (h11.IDLE, h11.SEND_BODY, h11.ERROR)  # states of a client that may still send


class State(ServerState):
    """What the connections of a server share."""

    def __init__(self, admission: Admission) -> None:
        super().__init__()
        self.admission = admission


class Connection(H11Protocol):
    """A connection. h11 reads it; who may stay, for how long, and what is refused is decided here."""

    def __init__(self, config: Config, server_state: State, app_state: dict[str, Any], **options: Any) -> None:
        super().__init__(config, server_state, app_state, **options)
        self._admission = server_state.admission
        self._phase = Phase.FIRST
        self._timer: asyncio.TimerHandle | None = None
        self._begun: object = None  # the last request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Find a place for it."""
        super().connection_made(transport)
        self._socket = transport
        self.transport = cast(asyncio.Transport, _Lingering(transport, self))
        if not self._admission.enter(self, self.client[0] if self.client else ""):
            self.app_state = {**self.app_state, SPARE: True}
        self._enter(Phase.FIRST)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        if self._phase is Phase.LINGER:
            return
        if self._phase in (Phase.FIRST, Phase.KEPT):
            self._enter(Phase.HEAD)
        super().data_received(data)
        self._follow()

    def on_response_complete(self) -> None:
        """Wait for another request, or read it if it is there already."""
        super().on_response_complete()
        self._follow()

    def _follow(self) -> None:
        """Notice that a request has begun or ended."""
        if self.transport.is_closing() or self.cycle is None:
            return
        if not self.cycle.response_complete:
            if self.cycle is not self._begun:
                self._begun = self.cycle
                self._admission.work(self)
                self._enter(Phase.WORK)
        elif self._phase is Phase.WORK:
            self._admission.rest(self)
            self._enter(Phase.HEAD if self.conn.trailing_data[0] else Phase.KEPT)

    def _enter(self, phase: Phase) -> None:
        if self._timer:
            self._timer.cancel()
        self._phase = phase
        self._timer = self.loop.call_later(PATIENCE[phase], self._lose_patience)

    def _lose_patience(self) -> None:
        if self._phase is Phase.HEAD and self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(ProblemError("too-slow", f"a head arrives within {PATIENCE[Phase.HEAD]:g} seconds"))
        else:
            self.drop()

    def send_400_response(self, msg: str) -> None:
        """Say what is wrong with what is no request; called where h11's error is handled."""
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431 and b"\n" not in self.conn.trailing_data[0]:
            self._refuse(ProblemError("too-long", f"an address and its method have no more than {MOST_HEAD} bytes"))
        elif status == 431:
            self._refuse(ProblemError("headers", f"a head has no more than {MOST_HEAD} bytes"))
        elif status == 501:
            self._refuse(ProblemError("coding", "a body is sent as it is, or chunked"))
        else:
            self._refuse(ProblemError("malformed", f"this is not HTTP/1.1: {error or msg}"))

    def _refuse(self, problem: ProblemError) -> None:
        """Answer without the application, and end."""
        waiting = self.cycle is not None and not self.cycle.response_complete
        headers, body = encoded_problem(problem)
        headers = [*self.server_state.default_headers, *headers, *HEADERS, CLOSE]
        reason = STATUS_PHRASES[problem.status]
        events: list[h11.Event] = [h11.Response(status_code=problem.status, headers=headers, reason=reason)]
        if not (waiting and self.scope["method"] == "HEAD"):
            events.append(h11.Data(data=body))
        try:
            output = b"".join(self.conn.send(event) or b"" for event in [*events, h11.EndOfMessage()])
        except h11.LocalProtocolError:  # an answer is on its way already: nothing can be said any more
            self.drop()
            return
        if waiting:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.transport.write(output)
        self.transport.close()

    def close(self) -> None:
        """End it when all is sent; while the client still sends, the answer would be lost if the socket were closed."""
        if self._phase is Phase.LINGER or self._socket.is_closing():
            return
        unread = self._phase in (Phase.HEAD, Phase.WORK) and self.conn.their_state in UNREAD
        if not unread:
            self._socket.close()
            return
        self._enter(Phase.LINGER)
        with suppress(OSError):  # it has gone
            self._socket.write_eof()
        self.flow.resume_reading()

    @property
    def is_closing(self) -> bool:
        """Whether nothing more is to be said."""
        return self._phase is Phase.LINGER or self._socket.is_closing()

    def drop(self) -> None:
        """End it at once."""
        self._admission.leave(self)
        self._socket.abort()

    def shutdown(self) -> None:
        """The server ends."""
        if self._phase is Phase.WORK:
            super().shutdown()
        else:
            self.drop()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended."""
        if self._timer:
            self._timer.cancel()
        self._admission.leave(self)
        super().connection_lost(exc)


class _Lingering:
    """The transport of a connection, which says itself how it is closed."""

    def __init__(self, transport: asyncio.Transport, connection: Connection) -> None:
        self._transport, self._connection = transport, connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        self._connection.close()

    def is_closing(self) -> bool:
        return self._connection.is_closing
