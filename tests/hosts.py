"""A real host of files: Debian's nginx over a folder, with or without ranges, gzip, a sub-path, a slow line."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from command import PATIENCE

CONFIGURATION = """
daemon off;
master_process off;
pid {own}/pid;
error_log {own}/errors warn;
events {{ worker_connections 256; }}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    log_format asked '$request_method $uri $status $body_bytes_sent $http_range';
    access_log {own}/asked asked;
    client_body_temp_path {own}/body;
    proxy_temp_path {own}/proxy;
    fastcgi_temp_path {own}/fastcgi;
    uwsgi_temp_path {own}/uwsgi;
    scgi_temp_path {own}/scgi;
    {options}
    server {{
        listen 127.0.0.1:{port};
        {server}
    }}
}}
"""
_MARK = "/what-was-asked-so-far"  # no test has a file of this name
GZIP = "gzip on; gzip_min_length 1; gzip_proxied any; gzip_types *;"


@dataclass(frozen=True)
class Asked:
    """A request that the host has answered."""

    method: str
    path: str
    status: int
    sent: int  # bytes of the body
    range: str  # as the client asked for it, "-" for none


@dataclass(frozen=True)
class Host:
    """A running host: its folder is found at `url`, which ends with a slash."""

    url: str
    _log: Path

    def asked(self) -> list[Asked]:
        """What it was asked for so far.

        It writes that down when an answer has been sent, one request after the other: one more makes sure of the rest.
        """
        address = urlsplit(self.url)
        connection = HTTPConnection(str(address.hostname), address.port, timeout=PATIENCE)
        connection.request("GET", _MARK)
        connection.getresponse().read()
        connection.close()
        fields = [line.split(" ", 4) for line in self._log.read_text(encoding="utf-8").splitlines()]
        answered = [Asked(method, path, int(status), int(sent), asked) for method, path, status, sent, asked in fields]
        return [asked for asked in answered if asked.path != _MARK]


@contextmanager
def hosted(
    folder: Path,
    *,
    below: str = "/",
    ranges: bool = True,
    gzip: bool = False,
    rate: str = "",
    directives: str = "",
    server: str = "",
) -> Iterator[Host]:
    """nginx over a folder. `rate`, as in 64k, is how many bytes a second a connection gets.

    `server` says all of how the folder is served, instead of a location with `directives`.
    """
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    assert program, "no nginx here, which the tests of static hosts need: apt-get install nginx-light"
    server = server or f"location {below} {{ alias {folder.resolve()}/; {directives} }}"
    options = "" if ranges else "max_ranges 0;"
    options += GZIP * gzip + f"limit_rate {rate};" * bool(rate)
    with TemporaryDirectory(prefix="goofspiel-nginx-") as own:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        configuration, log = Path(own, "nginx.conf"), Path(own, "asked")
        configuration.write_text(
            CONFIGURATION.format(own=own, port=port, options=options, server=server), encoding="utf-8"
        )
        process = subprocess.Popen(
            [program, "-e", f"{own}/errors", "-p", own, "-c", str(configuration)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            _wait_for(process, port, Path(own, "errors"))
            yield Host(f"http://127.0.0.1:{port}{below}", log)
        finally:
            process.kill()
            process.communicate()


def _wait_for(process: subprocess.Popen[bytes], port: int, errors: Path) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        if process.poll() is not None:
            raise AssertionError(errors.read_text(encoding="utf-8"))
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < until, errors.read_text(encoding="utf-8")
            time.sleep(0.01)
