"""What every request passes before it is read, and every answer before it is sent: bounds, host, headers."""

import asyncio
from collections.abc import Callable, Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from goofspiel.errors import GoofspielError
from goofspiel.web.limits import BODY_SECONDS, MOST_BODY, MOST_TARGET
from goofspiel.web.problems import LOG, ProblemError, problem_of

POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


class GuardMiddleware:
    """The outermost ASGI application.

    `methods` are the methods of a path, none where there is nothing. With `hosts`, a request for any other name is
    refused: a page of another site could otherwise have its name lead here, and read the answers. Starlette's
    TrustedHostMiddleware would refuse it, too, but as plain text, and this server promises problem details.
    """

    def __init__(
        self, app: ASGIApp, *, methods: Callable[[str], Iterable[str]], hosts: frozenset[str] | None = None
    ) -> None:
        self._app, self._methods, self._hosts = app, methods, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        responder = _Responder(send, bodiless=scope["method"] == "HEAD")
        try:
            self._check(scope)
            body = await _body(scope, receive)
            if scope["method"] == "HEAD":
                scope = {**scope, "method": "GET"}
            await self._app(scope, _replay(body, receive), responder.send)
        except ProblemError as problem:
            await responder.problem(problem)
        except GoofspielError as error:
            await responder.problem(problem_of(error))
        except Exception:
            LOG.exception("%s %r", scope["method"], scope["path"])
            await responder.problem(ProblemError("fault", "the server failed; its log says why"))

    def _check(self, scope: Scope) -> None:
        target = len(scope.get("raw_path") or scope["path"].encode()) + len(scope["query_string"])
        if target > MOST_TARGET:
            raise ProblemError("too-long", f"an address has no more than {MOST_TARGET} bytes, not {target}")
        if self._hosts is not None and (host := _host(scope)) not in self._hosts:
            raise ProblemError("host", f"this server is {', '.join(sorted(self._hosts))}, not {host[:80]!r}")
        allowed = list(self._methods(scope["path"]))
        if not allowed:
            raise ProblemError("not-found", f"there is nothing at {scope['path'][:80]!r}")
        if scope["method"] not in allowed:
            detail = f"{', '.join(allowed)} are allowed here, not {scope['method'][:20]!r}"
            raise ProblemError("method", detail, headers={"Allow": ", ".join(allowed)})


class _Responder:
    """Sends what is sent back."""

    def __init__(self, send: Send, *, bodiless: bool) -> None:
        self._send, self._bodiless = send, bodiless
        self._started = False

    async def send(self, message: Message) -> None:
        """Add the headers that all answers have; an answer to HEAD has no body."""
        if message["type"] == "http.response.start":
            self._started = True
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        elif message["type"] == "http.response.body" and self._bodiless:
            message = {**message, "body": b""}
        await self._send(message)

    async def problem(self, problem: ProblemError) -> None:
        """Say what is wrong, unless an answer is already on its way."""
        if self._started:
            return
        body = problem.body()
        headers = {**problem.all_headers(), "Content-Length": str(len(body))}
        # What was not read of a request must not be taken for the next one.
        if problem.kind in ("too-large", "too-slow"):
            headers["Connection"] = "close"
        encoded = [(name.lower().encode(), text.encode()) for name, text in headers.items()]
        await self.send({"type": "http.response.start", "status": problem.status, "headers": encoded})
        await self.send({"type": "http.response.body", "body": body})


def _host(scope: Scope) -> str:
    """The name that the request is for, without its port."""
    named = next((text for name, text in scope["headers"] if name == b"host"), b"").decode("latin-1").lower()
    return str(named[: named.index("]") + 1] if named.startswith("[") and "]" in named else named.partition(":")[0])


async def _body(scope: Scope, receive: Receive) -> bytes:
    """The whole body, if it is small and comes in time."""
    announced = next((text for name, text in scope["headers"] if name == b"content-length"), b"0")
    if not announced.isdigit() or int(announced[:12]) > MOST_BODY:
        raise ProblemError("too-large", f"a request has no more than {MOST_BODY} bytes")
    found = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                found += message.get("body", b"")
                if len(found) > MOST_BODY:
                    raise ProblemError("too-large", f"a request has no more than {MOST_BODY} bytes")
                if not message.get("more_body"):
                    return bytes(found)
    except TimeoutError:
        raise ProblemError("too-slow", f"a request arrives within {BODY_SECONDS:g} seconds") from None


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body that was read, then whatever comes."""
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def next_message() -> Message:
        return next(messages, None) or await receive()

    return next_message
