"""The server as an ASGI application."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from goofspiel import __version__
from goofspiel.web.api_page import add_api_page
from goofspiel.web.executor import Executor
from goofspiel.web.files import Files
from goofspiel.web.middleware import LOOPBACK_NAMES, GuardMiddleware
from goofspiel.web.problems import ProblemError
from goofspiel.web.published import Published, is_address
from goofspiel.web.routes import add_page, add_routes, add_tables
from goofspiel.web.service import Service
from goofspiel.web.tables import Tables

SUMMARY = "Values and optimal mixes of every position of Goofspiel, the Game of Pure Strategy, from solved tables."
SHOWN = 3  # malformed parameters that an error names
SHOWN_LENGTH = 80  # of an input that an error quotes


def create_app(
    store: Path | str | None = None, *, hosts: frozenset[str] | None = LOOPBACK_NAMES, tell_store: bool = False
) -> FastAPI:
    """The application over a store, by default the user's.

    It answers for `hosts` only, without them for every name that leads to it. With `tell_store` the command that makes
    a missing table names the store.
    """
    tables = Tables(store, tell_store=tell_store)
    executor, service, files = Executor(tables), Service(tables), Files()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        executor.preload()
        yield
        executor.close()

    app = FastAPI(
        title="Goofspiel",
        summary=SUMMARY,
        version=__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    add_routes(app, service, executor)
    add_page(app, files)
    add_tables(app, Published(tables), executor)
    described = add_api_page(app)

    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _refused)

    def methods(path: str) -> list[str]:
        return described.get(path) or (["GET", "HEAD"] if path in files or is_address(path) else [])

    app.add_middleware(GuardMiddleware, methods=methods, hosts=hosts, not_found=files.not_found.content)
    return app


async def _malformed(_request: Request, error: Exception) -> Response:
    """Say what is wrong with the parameters, in one line."""
    assert isinstance(error, RequestValidationError)
    return _response(ProblemError("parameter", "; ".join(map(_wrong, error.errors()[:SHOWN]))))


def _wrong(error: dict[str, Any]) -> str:
    """One malformed parameter: its name, what it should be, and what it is."""
    name = ".".join(_plain(part) for part in error["loc"][1:] if not str(part).startswith("function-")) or "the body"
    if error["type"] in ("missing", "extra_forbidden"):
        return f"{name}: {'is missing' if error['type'] == 'missing' else 'there is no such parameter'}"
    if error["type"] == "json_invalid":
        return f"the body: {error['msg']}: {error.get('ctx', {}).get('error', '')}"
    return f"{name}: {error['msg']}, not {_quoted(error.get('input'))}"


def _plain(part: str | int) -> str:
    """The name of a parameter; what cannot be one is quoted."""
    return str(part) if re.fullmatch(r"\w{1,40}", str(part)) else _quoted(part)


def _quoted(given: object) -> str:
    text = repr(given)
    return text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…"


async def _refused(_request: Request, error: Exception) -> Response:
    """What the framework refuses by itself: of what the guard lets pass, only a body that it cannot decode."""
    assert isinstance(error, HTTPException)
    return _response(ProblemError("parameter", f"the body: {error.detail}"))


def _response(problem: ProblemError) -> Response:
    return Response(problem.body(), problem.status, problem.all_headers())
