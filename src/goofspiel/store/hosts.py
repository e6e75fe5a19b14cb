"""Tables on a host of files, read over HTTP: only the parts that are asked for, over connections that are kept."""

import json
import os
import ssl
import threading
import time
import weakref
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from io import RawIOBase
from typing import Any, NamedTuple, NoReturn
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from goofspiel.errors import HostError

INDEX = "index.json"  # what a folder of tables says it has
HTTP = ("http://", "https://")
TIMEOUT = 30.0  # seconds without a word
TRIES = 4  # of what a busy host, or a connection that was lost, may answer the next time
BUSY = {429, 500, 502, 503, 504}
LONGEST_WAIT = 10.0  # seconds that a busy host may ask for
MOST_REDIRECTIONS = 5
MOST_WHOLE_BYTES = 32 << 20  # of a file, from a host that sends no parts
KEPT_BYTES = 64 << 20  # of what is asked for again and again: small files, and the ends of blocks
SMALL_BYTES = 1 << 16
PIECE_BYTES = 1 << 20  # of a file that is copied
AGENT = "goofspiel"


class _Part(NamedTuple):
    """Some bytes of a file, and how many it has in all."""

    content: bytes
    size: int


class Host:
    """Asks hosts for files. Threads may ask at the same time, each over its own connections."""

    def __init__(self) -> None:
        self._connections: dict[tuple[int, str], HTTPConnection] = {}  # by thread, and by scheme and host
        weakref.finalize(self, _close_all, self._connections)
        self._kept: OrderedDict[tuple[str, int, int], _Part] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def whole(self, url: str) -> bytes:
        """All of a small file."""
        return self._known(url, 0, 0, lambda: self._whole(url)).content

    def part(self, url: str, start: int, stop: int, *, keep: bool = False) -> _Part:
        """Some bytes of a file; what is to be kept is not asked for twice."""
        if keep:
            return self._known(url, start, stop, lambda: self._part(url, start, stop))
        return self._part(url, start, stop)

    def size(self, url: str) -> int:
        """The bytes of a file."""
        with self._asked(url, {}, method="HEAD") as response:
            return _length(response, url)

    def pieces(self, url: str) -> Iterator[bytes]:
        """All of a file, some bytes at a time."""
        with self._asked(url, {}) as response, _told(url):
            decoder = _decoder(response, url)
            count = 0
            while piece := response.read(PIECE_BYTES):
                count += len(piece)
                yield decoder(piece)
            if (length := response.headers["Content-Length"]) and int(length) != count:
                raise HostError(f"{url}: the connection was lost after {count:,} of {int(length):,} bytes")

    def _known(self, url: str, start: int, stop: int, ask: Callable[[], _Part]) -> _Part:
        key = url, start, stop
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        found = ask()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = found
                self._held += len(found.content)
            while self._held > KEPT_BYTES and len(self._kept) > 1:
                self._held -= len(self._kept.popitem(last=False)[1].content)
        return found

    def _whole(self, url: str) -> _Part:
        content = b"".join(self.pieces(url))
        return _Part(content, len(content))

    def _part(self, url: str, start: int, stop: int) -> _Part:
        with self._asked(url, {"Range": f"bytes={start}-{stop - 1}"}) as response, _told(url):
            if response.status == 206:
                size = _total(response, url, start)
                content = _decoder(response, url)(response.read())
                if len(content) != min(stop, size) - start:
                    raise HostError(f"{url}: {len(content):,} bytes came instead of {min(stop, size) - start:,}")
                return _Part(content, size)
            if response.status == 416:
                raise ValueError(f"it has no bytes {start} to {stop - 1}")
            length = _length(response, url)
            if length > MOST_WHOLE_BYTES:
                self._forget_connection(url)
                raise HostError(
                    f"{url} has {length / 2**20:.0f} MiB, and its host sends only whole files (no HTTP ranges): "
                    "goofspiel get fetches the table"
                )
        file = self.whole(url)
        return _Part(file[start:stop], len(file))

    @contextmanager
    def _asked(self, url: str, headers: dict[str, str], *, method: str = "GET") -> Iterator[HTTPResponse]:
        """The answer to a request; a FileNotFoundError where there is nothing."""
        response, url = self._answer(url, headers, method)
        try:
            if response.status == 404:
                raise FileNotFoundError(f"there is nothing at {url}")
            if response.status not in {200, 206, 416}:
                raise HostError(f"{url}: the host answers {response.status} {response.reason}".rstrip())
            yield response
        finally:
            if not response.isclosed() and (length := response.length) is not None and length < SMALL_BYTES:
                with _told(url):
                    response.read()  # so that the connection can be used again
            if not response.isclosed():
                self._forget_connection(url)

    def _answer(self, url: str, headers: dict[str, str], method: str) -> tuple[HTTPResponse, str]:
        tries = redirections = 0
        while True:
            try:
                response = self._request(url, headers, method)
            except (HTTPException, OSError) as error:
                self._forget_connection(url)
                tries += 1
                if tries >= TRIES or not isinstance(error, HTTPException | ConnectionError):
                    _lost(url, error)
                continue
            moved = response.headers["Location"] if response.status in {301, 302, 303, 307, 308} else None
            if not moved and response.status not in BUSY:
                return response, url
            response.read()
            if moved:
                redirections += 1
                if redirections > MOST_REDIRECTIONS:
                    raise HostError(f"{url}: the host sends from one address to the next, for ever")
                url = urljoin(url, moved)
                if not url.startswith(HTTP):
                    raise HostError(f"the host sends to {url!r}, which is no address of HTTP")
                continue
            tries += 1
            if tries >= TRIES:
                return response, url
            asked = response.headers["Retry-After"] or ""
            time.sleep(min(int(asked) if asked.isdigit() else 2.0**tries / 4, LONGEST_WAIT))

    def _request(self, url: str, headers: dict[str, str], method: str) -> HTTPResponse:
        parts = urlsplit(url)
        connection, is_proxy = self._connection(parts)
        target = url if is_proxy else (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        common = {"Accept-Encoding": "identity", "User-Agent": AGENT}
        connection.request(method, target, headers=common | headers)
        return connection.getresponse()

    def _connection(self, parts: SplitResult) -> tuple[HTTPConnection, bool]:
        """The one of this thread to a host, and whether it is one to a proxy that is told the whole address."""
        known = self._connections
        host = parts.hostname or ""
        proxy = None if proxy_bypass(host) else getproxies().get(parts.scheme)
        is_secure = parts.scheme == "https"
        key = _key(parts)
        if key not in known:
            via = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else parts
            port = via.port or (443 if via.scheme == "https" else 80)
            name = via.hostname or ""
            if is_secure:
                context = ssl.create_default_context()
                secure = HTTPSConnection(name, port, timeout=TIMEOUT, context=context)
                if proxy:
                    secure.set_tunnel(host, parts.port or 443)
                known[key] = secure
            else:
                known[key] = HTTPConnection(name, port, timeout=TIMEOUT)
        return known[key], bool(proxy) and not is_secure

    def _forget_connection(self, url: str) -> None:
        if connection := self._connections.pop(_key(urlsplit(url)), None):
            connection.close()


def has_host(url: str) -> bool:
    """Whether a URL names a host, and a port only as a number."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # brackets of no address, a port out of range
        return False


def _key(parts: SplitResult) -> tuple[int, str]:
    return threading.get_ident(), f"{parts.scheme}://{parts.netloc}"


def _close_all(connections: dict[tuple[int, str], HTTPConnection]) -> None:
    for connection in connections.values():
        connection.close()


@dataclass(frozen=True)
class WebPath:
    """A file or folder at a URL, with those methods of a path that reading takes. Nothing can be written there."""

    url: str  # without a slash at its end
    _host: Host = field(default_factory=Host, repr=False, compare=False)

    def __reduce__(self) -> Any:
        return WebPath, (self.url,)

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str) -> "WebPath":
        return WebPath(f"{self.url}/{quote(name)}", self._host)

    def joinpath(self, *names: str) -> "WebPath":
        """Below it."""
        return self / "/".join(names)

    @property
    def name(self) -> str:
        """The last part."""
        return unquote(self.url.rpartition("/")[2])

    @property
    def parent(self) -> "WebPath":
        """The folder that it is in."""
        return WebPath(self.url.rpartition("/")[0], self._host)

    @property
    def stem(self) -> str:
        """The name without its end."""
        return os.path.splitext(self.name)[0]

    @property
    def suffix(self) -> str:
        """The end of the name."""
        return os.path.splitext(self.name)[1]

    def with_name(self, name: str) -> "WebPath":
        """Another one in the same folder."""
        return self.parent / name

    def exists(self) -> bool:
        """Whether there is a table, a list of tables, or a file."""
        return self.is_dir() or self.is_file()

    def is_dir(self) -> bool:
        """Hosts of files have no folders: whether there is a table, or a list of tables."""
        return (self / "zarr.json").is_file() or (self / INDEX).is_file()

    def is_file(self) -> bool:
        """Whether there is one."""
        try:
            self._host.size(self.url)
        except FileNotFoundError:
            return False
        return True

    def stat(self) -> os.stat_result:
        """Only its size is known."""
        return os.stat_result((0, 0, 0, 0, 0, 0, self._host.size(self.url), 0, 0, 0))

    def iterdir(self) -> Iterator["WebPath"]:
        """The tables that a folder says it has."""
        try:
            listed = json.loads((self / INDEX).read_bytes())
            names = [table["path"] for table in listed["tables"]]
            if not all(isinstance(name, str) and "/" not in name for name in names):
                raise ValueError("a name of a table has a slash")
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError) as error:
            raise HostError(f"{self / INDEX} is no list of tables: {error!r}") from None
        for name in names:
            yield self / name

    def read_bytes(self) -> bytes:
        """All of a small file."""
        return self._host.whole(self.url)

    def pieces(self) -> Iterator[bytes]:
        """All of a file, some bytes at a time."""
        return self._host.pieces(self.url)

    def reader(self, expected: int, size: int) -> "WebFile":
        """To read here and there, so many bytes at once; the file should have this size."""
        return WebFile(self.url, self._host, expected, size)

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise HostError(f"{self.url} can only be read: tables are written to folders, or to places that fsspec knows")

    write_bytes = mkdir = unlink = rmdir = rglob = glob = open = _refuse


class WebFile(RawIOBase):
    """A file of a host, to be read here and there. Its end, where blocks have their index, is kept."""

    def __init__(self, url: str, host: Host, expected: int, size: int) -> None:
        self._url, self._host, self._expected, self._size = url, host, expected, size
        self._place = self._from = 0
        self._content = b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place; nothing is asked for yet."""
        self._place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}[whence]
        return self._place

    def readinto(self, buffer: Any) -> int:
        """Read on from the place."""
        view = memoryview(buffer).cast("B")
        if not self._from <= self._place <= self._place + len(view) <= self._from + len(self._content):
            stop = min(max(self._place + len(view), self._place + self._expected), self._size)
            is_end = self._size - self._place <= SMALL_BYTES
            stop = self._size if is_end else stop
            found = self._host.part(self._url, self._place, stop, keep=is_end)
            if found.size != self._size:
                raise ValueError(f"{found.size} bytes instead of {self._size}")
            self._from, self._content = self._place, found.content
        start = self._place - self._from
        piece = self._content[start : start + len(view)]
        view[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)


def _length(response: HTTPResponse, url: str) -> int:
    told = response.headers["Content-Length"]
    if told is None or not told.isdigit():
        raise HostError(f"{url}: the host does not say how long the file is")
    return int(told)


def _total(response: HTTPResponse, url: str, start: int) -> int:
    """How many bytes the file has, as an answer with a part of it says."""
    told = response.headers["Content-Range"] or ""
    where, _, total = told.removeprefix("bytes ").partition("/")
    if where.partition("-")[0] != str(start) or not total.isdigit():
        raise HostError(f"{url}: the host sends another part than it was asked for: {told!r}")
    return int(total)


def _decoder(response: HTTPResponse, url: str) -> Callable[[bytes], bytes]:
    """What makes the file of what is sent: it was asked for as it is, but some hosts compress all the same."""
    coding = response.headers["Content-Encoding"] or "identity"
    if coding == "identity":
        return lambda piece: piece
    if coding == "gzip" and response.status == 200:
        return zlib.decompressobj(wbits=31).decompress
    raise HostError(f"{url}: the host sends it as {coding!r}, which it was not asked for")


@contextmanager
def _told(url: str) -> Iterator[None]:
    """What is lost on the way is said in one line."""
    try:
        yield
    except (HTTPException, OSError, zlib.error) as error:
        if isinstance(error, FileNotFoundError):
            raise
        _lost(url, error)


def _lost(url: str, error: Exception) -> NoReturn:
    host = urlsplit(url).netloc
    if isinstance(error, TimeoutError):
        raise HostError(f"{host} does not answer within {TIMEOUT:.0f} seconds: {url}") from None
    why = (isinstance(error, OSError) and error.strerror) or str(error).partition("\n")[0] or type(error).__name__
    raise HostError(f"{host} cannot be reached ({why}): {url}") from None
