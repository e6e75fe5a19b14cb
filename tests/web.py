"""Ask the application as a browser would, without a network."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx

from goofspiel.web.app import create_app

API = "/api/v1"


class Client:
    """A client of the application over a store."""

    def __init__(self, store: Path | str | None = None, **options: Any) -> None:
        self.app = create_app(store, **options)

    def get(self, path: str, params: dict[str, Any] | None = None, **options: Any) -> httpx.Response:
        return self.request("GET", path, params=params, **options)

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self.request("POST", path, **options)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        return asyncio.run(self._all([(method, path, options)]))[0]

    def all(self, paths: list[str]) -> list[httpx.Response]:
        """All at once."""
        return asyncio.run(self._all([("GET", path, {}) for path in paths]))

    async def _all(self, requests: list[tuple[str, str, dict[str, Any]]]) -> list[httpx.Response]:
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await asyncio.gather(*(client.request(method, path, **more) for method, path, more in requests))


def problem(response: httpx.Response, status: int, kind: str) -> str:
    """The detail of a problem, which must be one line and of this kind."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = json.loads(response.content)
    assert found["status"] == status
    assert found["type"] == f"{API}/docs#{kind}"
    assert found["title"]
    assert found["detail"]
    assert "\n" not in found["detail"]
    assert "Traceback" not in response.text
    return str(found["detail"])
