"""What every request passes before it is read, and every answer before it is sent: bounds, host, headers."""

import asyncio
from collections.abc import Callable, Iterable
from ipaddress import ip_address

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from goofspiel.errors import GoofspielError
from goofspiel.web.limits import BODY_SECONDS, MOST_BODY, MOST_HEAD, MOST_TARGET
from goofspiel.web.problems import LOG, ProblemError, busy, is_exhaustion, problem_of

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
CLOSE = (b"connection", b"close")
PAGE = "text/html; charset=utf-8"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
HEALTH = "/api/v1/health"
SPARE = "spare"  # in the state of a request: its connection is one too many, and is only told whether the server lives


class GuardMiddleware:
    """The outermost ASGI application.

    `methods` are the methods of a path, none where there is nothing. With `hosts`, a request for any other name is
    refused, unless it is the address at which it came in: a page of another site could otherwise have its name lead
    here, and read the answers. Starlette's TrustedHostMiddleware would refuse it, too, but as plain text, and this
    server promises problem details. A browser that goes where there is nothing gets the page `not_found`.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        methods: Callable[[str], Iterable[str]],
        hosts: frozenset[str] | None = None,
        not_found: bytes | None = None,
    ) -> None:
        self._app, self._methods, self._hosts, self._not_found = app, methods, hosts, not_found

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        spare = bool(scope.get("state", {}).get(SPARE))
        responder = _Responder(send, bodiless=scope["method"] == "HEAD", closes=spare)
        try:
            self._check(scope)
            body = await _body(scope, receive)
            if scope["method"] == "HEAD":
                scope = {**scope, "method": "GET"}
            await self._app(scope, _replay(body, receive), responder.send)
        except ProblemError as problem:
            if problem.kind == "not-found" and self._not_found and _is_for_people(scope):
                await responder.page(problem.status, self._not_found)
            else:
                await responder.problem(problem)
        except GoofspielError as error:
            await responder.problem(problem_of(error))
        except asyncio.CancelledError:  # only when the server ends, and all tasks with it
            await responder.problem(busy("the server ends"))
        except Exception as error:
            if is_exhaustion(error):
                await responder.problem(busy("too many files are open"))
                return
            LOG.exception("%s %r", scope["method"], scope["path"])
            await responder.problem(ProblemError("fault", "the server failed; its log says why"))

    def _check(self, scope: Scope) -> None:
        head = sum(len(name) + len(text) + 4 for name, text in scope["headers"])
        if head > MOST_HEAD:
            raise ProblemError("headers", f"headers have no more than {MOST_HEAD} bytes, not {head}")
        target = len(scope.get("raw_path") or scope["path"].encode()) + len(scope["query_string"])
        if target > MOST_TARGET:
            raise ProblemError("too-long", f"an address has no more than {MOST_TARGET} bytes, not {target}")
        if self._hosts is not None and (host := _host(scope)) not in self._hosts and not _is_own(host, scope):
            raise ProblemError("host", f"this server does not answer for {host[:80]!r}: --allow-host names others")
        if scope.get("state", {}).get(SPARE) and scope["path"] != HEALTH:
            raise busy("too many connections")
        allowed = list(self._methods(scope["path"]))
        if not allowed:
            raise ProblemError("not-found", f"there is nothing at {scope['path'][:80]!r}")
        if scope["method"] not in allowed:
            detail = f"{', '.join(allowed)} are allowed here, not {scope['method'][:20]!r}"
            raise ProblemError("method", detail, headers={"Allow": ", ".join(allowed)})


class _Responder:
    """Sends what is sent back."""

    def __init__(self, send: Send, *, bodiless: bool, closes: bool) -> None:
        self._send, self._bodiless, self._closes = send, bodiless, closes
        self._started = False

    async def send(self, message: Message) -> None:
        """Add the headers that all answers have; an answer to HEAD has no body."""
        if message["type"] == "http.response.start":
            self._started = True
            end = [CLOSE] if self._closes else []
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS, *end]}
        elif message["type"] == "http.response.body" and self._bodiless:
            message = {**message, "body": b""}
        await self._send(message)

    async def problem(self, problem: ProblemError) -> None:
        """Say what is wrong, unless an answer is already on its way."""
        if self._started:
            return
        # What was not read of a request must not be taken for the next one.
        self._closes |= problem.kind in ("too-large", "too-slow")
        headers, body = encoded_problem(problem)
        await self.send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    async def page(self, status: int, body: bytes) -> None:
        """Send a document."""
        headers = {"content-type": PAGE, "cache-control": "no-store", "content-length": str(len(body))}
        encoded = [(name.encode(), text.encode()) for name, text in headers.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": encoded})
        await self.send({"type": "http.response.body", "body": body})


def encoded_problem(problem: ProblemError) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The headers and the body of its answer; those headers that all answers have are not among them."""
    body = problem.body()
    headers = {**problem.all_headers(), "Content-Length": str(len(body))}
    return [(name.lower().encode(), text.encode()) for name, text in headers.items()], body


def _is_for_people(scope: Scope) -> bool:
    """Whether a browser asks for something to be shown, and not a program for data."""
    accepted = next((text for name, text in scope["headers"] if name == b"accept"), b"")
    is_data = scope["path"].startswith(("/api/", "/tables/", "/static/"))
    return scope["method"] in ("GET", "HEAD") and b"text/html" in accepted and not is_data


def _host(scope: Scope) -> str:
    """The name that the request is for, without its port."""
    named = next((text for name, text in scope["headers"] if name == b"host"), b"").decode("latin-1").lower()
    return str(named[: named.index("]") + 1] if named.startswith("[") and "]" in named else named.partition(":")[0])


def _is_own(host: str, scope: Scope) -> bool:
    """Whether a host is the address of this machine at which the request came in."""
    try:
        own, named = ip_address((scope.get("server") or [""])[0]), ip_address(host.strip("[]"))
    except ValueError:
        return False
    return named in (own, getattr(own, "ipv4_mapped", None))


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
