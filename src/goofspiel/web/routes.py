"""The routes: a question in, its answer out, with what caches need to know."""

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from goofspiel import __version__
from goofspiel.web import models, queries
from goofspiel.web.executor import Executor, Together
from goofspiel.web.files import Files
from goofspiel.web.limits import (
    BATCHES_TOGETHER,
    MAX_AGE_SECONDS,
    MOST_POSITIONS,
    OUTCOMES,
    OUTCOMES_IN_BATCH,
    OUTCOMES_ON_REQUEST,
)
from goofspiel.web.probing import Question, as_json
from goofspiel.web.problems import KINDS, MEDIA_TYPE, ProblemError
from goofspiel.web.published import PIECE_BYTES, PREFIX, Published
from goofspiel.web.queries import rules_of
from goofspiel.web.service import CSV, Reply, Service

API = "/api/v1"
BYTES = "application/octet-stream"

IfNoneMatch = Annotated[
    str | None, Header(alias="If-None-Match", description="The tag of an answer that the client has already.")
]


def problems(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """How a route's problems are described."""
    titles: dict[int, list[str]] = {}
    for kind in ("too-large", "too-long", "host", "parameter", "headers", "fault", "busy", *kinds):
        titles.setdefault(KINDS[kind][0], []).append(KINDS[kind][1])
    schema = {"schema": {"$ref": "#/components/schemas/ProblemDetails"}}
    return {
        status: {"description": "; ".join(said), "content": {MEDIA_TYPE: schema}} for status, said in titles.items()
    }


TAGGED: dict[int | str, dict[str, Any]] = {
    200: {
        "headers": {
            "ETag": {"description": "The tag of the table.", "schema": {"type": "string"}},
            "Cache-Control": {"schema": {"type": "string"}},
        }
    },
    304: {"description": "The client has this answer already"},
}


def add_routes(app: FastAPI, service: Service, executor: Executor) -> None:
    """Add the API."""
    api = APIRouter(prefix=API)

    @api.get("/health", response_model=models.Health, responses=problems(), summary="Is the server there?")
    async def health(_query: Annotated[queries.Nothing, Query()]) -> Response:
        return _uncached(as_json({"status": "ok", "version": __version__}))

    @api.get("/tables", response_model=models.Tables, responses=problems(), summary="What can be asked?")
    async def tables(_query: Annotated[queries.Nothing, Query()]) -> Response:
        return _uncached(await executor.run(service.tables))

    @api.get(
        "/probe",
        response_model=models.Answer | models.ChanceAnswer,
        responses=TAGGED | problems("position", "rules", "missing-table"),
        summary="Value and optimal mixes of a position",
    )
    async def probe(query: Annotated[queries.ProbeQuery, Query()], if_none_match: IfNoneMatch = None) -> Response:
        rules, any_cards = rules_of(query)
        most = OUTCOMES_ON_REQUEST if query.outcomes else OUTCOMES - rules.has_pots
        ask = Together((Question(query.position, rules, any_cards, most), if_none_match), service.probe)
        return _tagged(await executor.run(ask, slow=query.outcomes))

    @api.post(
        "/probe",
        response_model=models.Answers,
        responses=problems("too-slow", "rules"),
        summary="Values and optimal mixes of many positions",
    )
    async def probe_many(query: queries.ProbeMany) -> Response:
        texts = query.positions
        if len(texts) > MOST_POSITIONS:
            raise ProblemError("too-large", f"a batch has no more than {MOST_POSITIONS} positions, not {len(texts)}")
        rules, any_cards = rules_of(query)
        most = OUTCOMES_IN_BATCH - rules.has_pots
        questions = [Question(text, rules, any_cards, most) for text in texts]
        found = await executor.run_in_turns(Together(questions, service.probe_many, BATCHES_TOGETHER))
        return _uncached(b'{"answers":[' + b",".join(found) + b"]}")

    @api.get(
        "/table",
        response_model=models.FirstMove,
        responses=_with_csv(TAGGED) | problems("rules", "missing-table"),
        summary="The first-move table: how often to bid each card, for each upcard",
    )
    async def table(query: Annotated[queries.TableQuery, Query()], if_none_match: IfNoneMatch = None) -> Response:
        rules, _ = rules_of(query, whole=True)
        ask = partial(service.table, rules, query.format, if_none_match=if_none_match)
        return _tagged(await executor.run(ask))

    @api.get(
        "/review",
        response_model=models.Review,
        responses=TAGGED | problems("position", "rules", "missing-table"),
        summary="What each bid of a game cost, and what was luck",
    )
    async def review(query: Annotated[queries.ReviewQuery, Query()], if_none_match: IfNoneMatch = None) -> Response:
        rules, any_cards = rules_of(query)
        ask = partial(
            service.review,
            query.record,
            rules,
            any_cards=any_cards and query.rules is None,
            side=query.side,
            if_none_match=if_none_match,
        )
        return _tagged(await executor.run(ask))

    @api.get(
        "/bid",
        response_model=models.Bid,
        responses=TAGGED | problems("position", "rules", "missing-table", "player"),
        summary="What a player bids at a position",
    )
    async def bid(query: Annotated[queries.BidQuery, Query()], if_none_match: IfNoneMatch = None) -> Response:
        rules, any_cards = rules_of(query)
        ask = partial(
            service.bid,
            query.position,
            query.player,
            rules,
            query.seed,
            any_cards=any_cards,
            if_none_match=if_none_match,
        )
        return _tagged(await executor.run(ask))

    @api.get(
        "/deck",
        response_model=models.Deck,
        responses=TAGGED | problems("rules"),
        summary="The order of the prizes of a game, by its seed",
    )
    async def deck(query: Annotated[queries.DeckQuery, Query()], if_none_match: IfNoneMatch = None) -> Response:
        rules, _ = rules_of(query, whole=True)
        ask = partial(service.deck, rules, query.seed, if_none_match=if_none_match)
        return _tagged(await executor.run(ask))

    app.include_router(api)


def add_page(app: FastAPI, files: Files) -> None:
    """Add the page and its files."""

    async def file(request: Request) -> Response:
        found = files.get(request.scope["path"])
        asked = request.headers.get("If-None-Match"), request.headers.get("Accept-Encoding")
        content, headers = found.reply(if_none_match=asked[0], accept_encoding=asked[1])
        if content is None:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=found.media_type, headers=headers)

    for path in files:
        app.add_api_route(path, file, include_in_schema=False)


def add_tables(app: FastAPI, published: Published, executor: Executor) -> None:
    """Add the files of the tables."""

    async def index() -> Response:
        body = await executor.run(published.index)
        return Response(body, media_type="application/json", headers={"Cache-Control": "no-cache"})

    async def file(request: Request) -> Response:
        ask = partial(published.ask, request.scope["path"], request.headers.get("Range"))
        found = await executor.run(ask)
        if isinstance(found, Reply):
            return _tagged(found, "no-cache")
        headers = {
            "Accept-Ranges": "bytes",
            "Cache-Control": f"public, max-age={MAX_AGE_SECONDS}",
            "Content-Length": str(found.stop - found.start),
            "ETag": found.etag,
        }
        if not found.is_whole:
            headers["Content-Range"] = f"bytes {found.start}-{found.stop - 1}/{found.size}"
        status = 200 if found.is_whole else 206
        if found.stop - found.start > PIECE_BYTES:
            return StreamingResponse(found.pieces(), status, headers, BYTES)
        body = await executor.run(lambda: b"".join(found.pieces()))
        return Response(body, status, headers, BYTES)

    app.add_api_route(f"{PREFIX}index.json", index, include_in_schema=False)
    app.add_api_route(PREFIX + "{name:path}", file, include_in_schema=False)


def _tagged(found: Reply, cache_control: str = f"public, max-age={MAX_AGE_SECONDS}") -> Response:
    """An answer that does not change as long as its tag does not."""
    headers = {"ETag": found.etag, "Cache-Control": cache_control}
    if found.body is None:
        return Response(status_code=304, headers=headers)
    if found.file:
        headers["Content-Disposition"] = f'attachment; filename="{found.file}"'
    return Response(found.body, media_type=found.media_type, headers=headers)


def _uncached(body: bytes) -> Response:
    """An answer that is not to be kept."""
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _with_csv(responses: dict[int | str, dict[str, Any]]) -> dict[int | str, dict[str, Any]]:
    content = {CSV.partition(";")[0]: {"schema": {"type": "string"}}}
    return responses | {200: {**responses[200], "content": content}}
