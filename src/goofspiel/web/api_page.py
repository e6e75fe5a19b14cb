"""A page that explains the API, written from its OpenAPI description: no script, nothing from other hosts."""

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from fastapi import FastAPI, Response

from goofspiel.web.models import ProblemDetails
from goofspiel.web.problems import DOCS, KINDS
from goofspiel.web.routes import API

STYLE = """\
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; }
h2 code { font-size: 1.1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8886; }
pre { padding: .8rem; overflow: auto; border: 1px solid #8886; border-radius: .3rem; }
"""


def add_api_page(app: FastAPI) -> dict[str, list[str]]:
    """Add the description, as json and as a page; the methods of every path of the API."""
    description = app.openapi()
    app.openapi_schema = described = _with_problems(description)
    page, as_json = _page(described).encode(), json.dumps(described, ensure_ascii=False).encode()
    kinds = {
        f"{API}/openapi.json": (as_json, "application/json"),
        DOCS: (page, "text/html; charset=utf-8"),
        f"{DOCS}.css": (STYLE.encode(), "text/css; charset=utf-8"),
    }

    def add(path: str, content: bytes, kind: str) -> None:
        async def give() -> Response:
            return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})

        app.add_api_route(path, give, include_in_schema=False)

    for path, (content, kind) in kinds.items():
        add(path, content, kind)
    methods = {path: list(map(str.upper, found)) for path, found in described["paths"].items()}
    methods |= {path: ["GET"] for path in kinds}
    return {path: ["GET", "HEAD", *(name for name in found if name != "GET")] for path, found in methods.items()}


def _with_problems(description: dict[str, Any]) -> dict[str, Any]:
    """With the schema of problem details, which the routes refer to by name."""
    schema = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    named = {**schema.pop("$defs", {}), "ProblemDetails": schema}
    components = description.get("components", {})
    schemas = {**named, **components.get("schemas", {})}
    return {**description, "components": {**components, "schemas": schemas}}


def _page(description: dict[str, Any]) -> str:
    info = description["info"]
    operations = [
        _operation(path, method, found, description)
        for path, methods in description["paths"].items()
        for method, found in methods.items()
    ]
    problems = _rows(
        (f'<code id="{kind}">{kind}</code>', status, escape(title), escape(remedy))
        for kind, (status, title, remedy) in KINDS.items()
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(info["title"])} API</title>
<link rel="stylesheet" href="{DOCS}.css">
</head>
<body>
<main>
<h1>{escape(info["title"])} API {escape(info["version"])}</h1>
<p>{escape(info["summary"])} Described for programs in <a href="{API}/openapi.json">openapi.json</a>.</p>
{"".join(operations)}
<h2>Problems</h2>
<p>What goes wrong is said in <code>application/problem+json</code>: type, title, status, and a detail of one line.</p>
<table><thead><tr><th>type</th><th>status</th><th>title</th><th>what to do</th></tr></thead>
<tbody>{problems}</tbody></table>
</main>
</body>
</html>
"""


def _operation(path: str, method: str, found: dict[str, Any], description: dict[str, Any]) -> str:
    name = f"{method.upper()} {path}"
    parts = [f"<h2><code>{escape(name)}</code></h2><p>{escape(found['summary'])}</p>"]
    if inputs := _inputs(found, description):
        parts.append(
            "<table><thead><tr><th>parameter</th><th>type</th><th>default</th><th>meaning</th></tr></thead>"
            f"<tbody>{_rows(inputs)}</tbody></table>"
        )
    answered = found["responses"]["200"]["content"]["application/json"]["schema"]
    fields = [
        (f"<code>{escape(name)}</code>", escape(_type(field)), escape(field.get("description", "")))
        for part in answered.get("anyOf", [answered])
        for name, field in _resolved(part, description).get("properties", {}).items()
    ]
    parts.append(
        "<table><thead><tr><th>answer</th><th>type</th><th>meaning</th></tr></thead>"
        f"<tbody>{_rows(dict.fromkeys(fields))}</tbody></table>"
    )
    for part in answered.get("anyOf", [answered]):
        for example in _resolved(part, description).get("examples", []):
            parts.append(f"<pre>{escape(json.dumps(example, ensure_ascii=False, indent=2))}</pre>")
    return "".join(parts)


def _inputs(found: dict[str, Any], description: dict[str, Any]) -> list[tuple[str, ...]]:
    """The rows of parameters, in the query, the header or the body."""
    rows = [
        (parameter["name"], parameter["schema"], parameter.get("description", ""))
        for parameter in found.get("parameters", [])
    ]
    if body := found.get("requestBody"):
        schema = _resolved(body["content"]["application/json"]["schema"], description)
        rows += [(name, field, field.get("description", "")) for name, field in schema["properties"].items()]
    return [
        (f"<code>{escape(name)}</code>", escape(_type(schema)), escape(_default(schema)), escape(said))
        for name, schema, said in rows
    ]


def _default(schema: dict[str, Any]) -> str:
    given = schema.get("default")
    return "" if given is None else json.dumps(given) if not isinstance(given, str) else given


def _type(schema: dict[str, Any]) -> str:
    """What a field holds, in words."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(_type(kind) for kind in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return " or ".join(map(str, schema.get("enum", [schema.get("const")])))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    if "minimum" in schema and "maximum" in schema:
        return f"{schema.get('type')}, {schema['minimum']:g} to {schema['maximum']:.17g}"
    return str(schema.get("type", "anything"))


def _resolved(schema: dict[str, Any], description: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in schema:
        return schema
    found: dict[str, Any] = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _rows(cells: Iterable[Iterable[object]]) -> str:
    return "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
