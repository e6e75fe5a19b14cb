"""The page: files of the package, from a list that is made at the start, so that no request names a path."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import PurePosixPath

from goofspiel.site.page import KINDS, VIEWS, page_files
from goofspiel.web.problems import ProblemError
from goofspiel.web.service import Reply, matches

PAGES = ("/", *(f"/{view}{end}" for view in VIEWS for end in ("", "/")))


class Files:
    """The files that may be asked for, by address."""

    def __init__(self) -> None:
        files = page_files()
        self._files = {f"/{name}": name for name in files if not name.endswith("index.html")}
        # Seen from /play, what is beside the page is where it is for /.
        self._files |= {page: f"{page[1:]}index.html" if page.endswith("/") else "index.html" for page in PAGES}
        self._tags = {name: f'"{sha256(content).hexdigest()[:16]}"' for name, content in files.items()}

    def __contains__(self, address: str) -> bool:
        return address in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def get(self, address: str, *, if_none_match: str | None = None) -> Reply:
        """A file, or only its tag when the client has it."""
        name = self._files.get(address)
        if name is None:
            raise ProblemError("not-found", f"there is nothing at {address[:80]!r}")
        content = None if matches(if_none_match, self._tags[name]) else page_files()[name]
        return Reply(self._tags[name], content, KINDS[PurePosixPath(name).suffix])
