"""What is wrong with a request, as problem details (RFC 9457): never a traceback, never a path of this machine."""

import errno
import json
import logging
import time
from dataclasses import dataclass, field
from typing import Any

from goofspiel.errors import (
    DamagedTableError,
    GoofspielError,
    MissingTableError,
    PositionError,
    RecordError,
    RulesError,
    TableVersionError,
)
from goofspiel.web.limits import COMPLAINT_SECONDS, RETRY_SECONDS

MEDIA_TYPE = "application/problem+json"
DOCS = "/api/v1/docs"

LOG = logging.getLogger("goofspiel.web")

# Each kind of problem: its status, its title, and what to do about it.
KINDS = {
    "malformed": (400, "This is not an HTTP request", "Send HTTP/1.1, as every browser does."),
    "position": (400, "This position or record cannot be", "Correct it as the detail says."),
    "rules": (400, "There is no such game here", "Correct the rules as the detail says."),
    "not-found": (404, "There is nothing at this address", "The routes are listed on the API page."),
    "missing-table": (404, "The table is not solved here", "Whoever runs the server can run the command."),
    "player": (404, "There is no such player", "Take one of those that the detail lists."),
    "method": (405, "This method is not allowed here", "The Allow header lists those that are."),
    "too-slow": (408, "The request took too long to arrive", "Send it again, in one piece."),
    "too-large": (413, "The request is too large", "Ask for less at a time."),
    "too-long": (414, "The address is too long", "Ask many positions with POST."),
    "host": (421, "This server does not answer for this host", "Use the address that it printed when it started."),
    "parameter": (422, "A parameter is missing or malformed", "Correct it as the detail says."),
    "headers": (431, "The headers are too large", "Send fewer or shorter ones."),
    "fault": (500, "The server failed", "Its log says why."),
    "coding": (501, "This transfer coding is unknown here", "Send the body as it is, or chunked."),
    "busy": (503, "The server is busy", "Come again after the seconds of the Retry-After header."),
}


@dataclass(eq=False)
class ProblemError(Exception):
    """Something that is wrong; `detail` is one line, `more` goes into the answer as it is."""

    kind: str
    detail: str
    more: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> int:
        """Of the HTTP answer."""
        return KINDS[self.kind][0]

    def body(self) -> bytes:
        """The problem details."""
        status, title, _ = KINDS[self.kind]
        found = {"type": f"{DOCS}#{self.kind}", "title": title, "status": status, "detail": self.detail, **self.more}
        return json.dumps(found).encode()

    def all_headers(self) -> dict[str, str]:
        """With those that every problem of its status has."""
        retry = {"Retry-After": str(RETRY_SECONDS)} if self.status == 503 else {}
        return {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store", **retry, **self.headers}


def problem_of(error: GoofspielError) -> ProblemError:
    """The problem that an error of the library is to a client."""
    if isinstance(error, (PositionError, RecordError, MissingTableError)):  # the last: no game comes to it
        return ProblemError("position", str(error))
    if isinstance(error, RulesError):
        return ProblemError("rules", str(error))
    if is_exhaustion(error):
        return busy("too many files are open")
    LOG.error("%s", error)
    if isinstance(error, (DamagedTableError, TableVersionError)):
        return ProblemError("fault", "the table cannot be read here: goofspiel verify says why")
    return ProblemError("fault", "the answer could not be worked out")


def busy(why: str) -> ProblemError:
    """Too much to do; it may be better soon."""
    return ProblemError("busy", f"{why}: try again in {RETRY_SECONDS} seconds")


EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class Complaints:
    """Says of resources that run out, but not with every request that notices it."""

    def __init__(self) -> None:
        self._latest = float("-inf")

    def add(self, error: OSError) -> None:
        """Log it, if that was not done lately."""
        if time.monotonic() - self._latest >= COMPLAINT_SECONDS:
            self._latest = time.monotonic()
            LOG.error("%s: connections are dropped or turned away until that is better", error.strerror)


COMPLAINTS = Complaints()


def is_exhaustion(error: BaseException | None) -> bool:
    """Whether an error comes from resources that have run out, which is then logged: descriptors, mostly."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in EXHAUSTED:
            COMPLAINTS.add(error)
            return True
        error = error.__cause__ or error.__context__
    return False
