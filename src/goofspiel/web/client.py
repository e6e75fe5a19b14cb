"""Ask the application without a server and without a network."""

# By hand and not by httpx.ASGITransport: only `serve --get` would need httpx, which tidies addresses up besides.

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from starlette.types import ASGIApp, Message

_UNQUOTED = "%/?:@!$&'()*+,;=~-._[]"  # what an address may hold as it is


@dataclass(frozen=True)
class Response:
    """What the application answered."""

    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes


def get(app: ASGIApp, address: str) -> Response:
    """What the application answers for a path and its query."""
    return asyncio.run(_get(app, address))


async def _get(app: ASGIApp, address: str) -> Response:
    path, _, query = quote(address, safe=_UNQUOTED).partition("?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"localhost")],
        "client": None,
        "server": ("localhost", 80),
    }
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    headers = {name.decode("latin-1").lower(): text.decode("latin-1") for name, text in sent[0]["headers"]}
    return Response(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))
