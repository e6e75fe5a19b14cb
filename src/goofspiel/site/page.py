"""The page as files: one document for each view, beside the modules and styles that they share."""

from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent.parent / "web" / "static"
VIEWS = ("play", "explore", "study")  # one document; its modules look at the address
ROOT = '="./'  # how the document names what is beside it
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}


@cache
def page_files() -> dict[str, bytes]:
    """Every file of the page, by its path below the folder of the site."""
    there = sorted(path for path in STATIC.rglob("*") if path.is_file() and path.suffix in KINDS)
    found = {f"static/{path.relative_to(STATIC).as_posix()}": path.read_bytes() for path in there}
    document = found.pop("static/index.html").decode()
    below = document.replace(ROOT, '="../').encode()
    return {"index.html": document.encode(), **{f"{view}/index.html": below for view in VIEWS}, **found}
