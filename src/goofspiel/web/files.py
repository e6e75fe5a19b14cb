"""The page: files of the package, from a list that is made at the start, so that no request names a path."""

from hashlib import sha256
from pathlib import Path

from goofspiel.web.problems import ProblemError
from goofspiel.web.service import Reply, matches

FOLDER = Path(__file__).with_name("static")
PAGES = ("/", "/play", "/explore", "/study")  # one page; its modules look at the address
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


class Files:
    """The files that may be asked for, by address."""

    def __init__(self, folder: Path = FOLDER) -> None:
        there = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in KINDS)
        self._files = {f"/static/{path.relative_to(folder).as_posix()}": path for path in there}
        if (page := folder / "index.html") in there:
            self._files |= dict.fromkeys(PAGES, page)

    def __contains__(self, address: str) -> bool:
        return address in self._files

    def get(self, address: str, *, if_none_match: str | None = None) -> Reply:
        """A file, or only its tag when the client has it."""
        path = self._files.get(address)
        if path is None:
            raise ProblemError("not-found", f"there is nothing at {address[:80]!r}")
        content = path.read_bytes()
        etag = f'"{sha256(content).hexdigest()[:16]}"'
        return Reply(etag, None if matches(if_none_match, etag) else content, KINDS[path.suffix])
