"""The host of files that tests use is one: what it is told to do, it does."""

import gzip
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit

from hosts import hosted

TEXT = b"thirteen cards " * 1000


def get(url: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port or 0, timeout=60)
    connection.request("GET", parts.path, headers=headers)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_a_host_gives_files_and_parts_of_them_below_a_path(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    with hosted(tmp_path, below="/games/goofspiel/") as host:
        assert host.url.endswith("/games/goofspiel/")
        assert get(host.url + "a.txt")[1] == TEXT
        response, body = get(host.url + "a.txt", Range="bytes=9-13")
        assert (response.status, body) == (206, b"cards")
        assert get(host.url + "b.txt")[0].status == 404
        last = host.asked()[1]
        assert (last.path, last.status, last.sent, last.range) == ("/games/goofspiel/a.txt", 206, 5, "bytes=9-13")


def test_a_host_may_have_no_ranges_and_may_compress(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    with hosted(tmp_path, ranges=False, gzip=True) as host:
        response, body = get(host.url + "a.txt", Range="bytes=9-13")
        assert (response.status, body) == (200, TEXT)
        response, body = get(host.url + "a.txt", **{"Accept-Encoding": "gzip"})
        assert response.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(body) == TEXT
