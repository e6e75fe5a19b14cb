"""The page: files of the package, from a list that is made at the start, so that no request names a path."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import PurePosixPath

from goofspiel.site.page import KINDS, NOT_FOUND, VIEWS, is_lasting, page_files
from goofspiel.web.problems import ProblemError
from goofspiel.web.service import matches

PAGES = ("/", *(f"/{view}{end}" for view in VIEWS for end in ("", "/")))
LASTING = "public, max-age=31536000, immutable"
CHECKED = "no-cache"  # kept, but asked for again each time; the tag decides
_PACKED = (".css", ".html", ".js", ".json", ".svg", ".webmanifest")


@dataclass(frozen=True)
class File:
    """A file of the page."""

    name: str
    content: bytes

    @property
    def media_type(self) -> str:
        return KINDS[PurePosixPath(self.name).suffix]

    @property
    def cache_control(self) -> str:
        """For how long a client may keep it."""
        return LASTING if is_lasting(self.name) else CHECKED

    @cached_property
    def tag(self) -> str:
        """Of its content."""
        return f'"{sha256(self.content).hexdigest()[:16]}"'

    @cached_property
    def packed(self) -> bytes | None:
        """Its content compressed by gzip, where that is of use."""
        return gzip.compress(self.content, mtime=0) if PurePosixPath(self.name).suffix in _PACKED else None

    def reply(self, *, if_none_match: str | None, accept_encoding: str | None) -> tuple[bytes | None, dict[str, str]]:
        """Its content, nothing when the client has it, and the headers that go with it."""
        # The tag is a weak one: the bytes that are sent may be packed or not.
        headers = {"ETag": f"W/{self.tag}", "Cache-Control": self.cache_control}
        headers |= {"Vary": "Accept-Encoding"} if self.packed else {}
        if matches(if_none_match, self.tag):
            return None, headers
        if self.packed and _takes_gzip(accept_encoding):
            return self.packed, headers | {"Content-Encoding": "gzip"}
        return self.content, headers


class Files:
    """The files that may be asked for, by address."""

    def __init__(self) -> None:
        files = {name: File(name, content) for name, content in page_files().items()}
        self.not_found = files.pop(NOT_FOUND)
        self._files = {f"/{name}": file for name, file in files.items() if not name.endswith("index.html")}
        # Seen from /play, what is beside the page is where it is for /.
        self._files |= {page: files[f"{page[1:]}index.html" if page.endswith("/") else "index.html"] for page in PAGES}

    def __contains__(self, address: str) -> bool:
        return address in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def get(self, address: str) -> File:
        """The file at an address."""
        if address not in self._files:
            raise ProblemError("not-found", f"there is nothing at {address[:80]!r}")
        return self._files[address]


def _takes_gzip(accepted: str | None) -> bool:
    """Whether a client takes what is compressed by gzip."""
    for part in (accepted or "").split(","):
        coding, _, weight = part.partition(";")
        if coding.strip().lower() in ("gzip", "*"):
            return weight.replace(" ", "").lower() not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
