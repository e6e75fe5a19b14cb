"""The verb serve: the page and the API, behind a local server."""

import argparse
import json
import re
import sys
from contextlib import suppress
from io import TextIOWrapper
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network

from goofspiel.cli.converters import whole_number
from goofspiel.cli.options import DONE, FAILED, Commands, UsageError, add_quiet, complain, refuse
from goofspiel.errors import GoofspielError

HOST, PORT = "127.0.0.1", 8000
EXTRA = {"cachetools", "fastapi", "pydantic", "starlette", "uvicorn"}


def add_serve(commands: Commands) -> None:
    """Add the verb."""
    serve = commands.add("serve", _serve, "a page to play, explore and study, and an API, in the browser")
    serve.add_argument("--host", default=HOST, metavar="HOST", help=f"the address to listen at (default: {HOST})")
    serve.add_argument(
        "--port",
        type=whole_number(0, 65535, "port"),
        default=PORT,
        metavar="P",
        help=f"the port to listen at, 0 for any free one (default: {PORT})",
    )
    serve.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a name to answer for besides those of this machine, * for any; may be given again",
    )
    serve.add_argument(
        "--proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a reverse proxy on another machine: it may have as many connections as this one; may be given again",
    )
    serve.add_argument("--open", action="store_true", help="open the page in the browser")
    serve.add_argument("--get", metavar="PATH", help="print what the server would answer for a path; start none")
    add_quiet(serve)


def _serve(options: argparse.Namespace) -> int:
    try:
        return _get(options) if options.get is not None else _run(options)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA:
            raise
        raise GoofspielError("serve needs the web extra: pip install 'goofspiel[web]'") from None


def _run(options: argparse.Namespace) -> int:
    from goofspiel.web.server import is_loopback, listen, serve, url_of

    hosts, proxies = [_host(name) for name in options.allow_host], [_network(text) for text in options.proxy]
    listening = listen(options.host, options.port)
    url = url_of(listening, options.host)
    if not is_loopback(listening):
        print(f"goofspiel: everybody who reaches this machine at {url} can use it", file=sys.stderr, flush=True)

    def tell() -> None:
        print(json.dumps({"url": url}) if options.json else url, flush=True)
        if not options.quiet:
            print("Ctrl-C ends the server", file=sys.stderr, flush=True)
        if options.open:
            import webbrowser

            webbrowser.open(url)

    with suppress(KeyboardInterrupt):
        serve(listening, options.host, store=options.store, started=tell, allowed_hosts=hosts, proxies=proxies)
    return DONE


def _host(name: str) -> str:
    bare = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        return str(IPv6Address(bare))
    except ValueError:
        if not re.fullmatch(r"\*|[\w.-]+", name, re.ASCII):
            raise UsageError(f"--allow-host takes a name without a port, or *, not {name!r}") from None
        return name


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        raise UsageError(f"--proxy takes an address or a network, such as 172.17.0.0/16, not {text!r}") from None


def _get(options: argparse.Namespace) -> int:
    unused = {"host": HOST, "port": PORT, "allow_host": [], "proxy": [], "open": False, "json": False}
    refuse(options, unused, "not with --get, which starts no server, and prints what it would answer")
    if not options.get.startswith("/"):
        raise UsageError(f"a path starts with /, as in /api/v1/health, not {options.get!r}")
    try:
        options.get.encode()
    except UnicodeEncodeError:
        raise UsageError(f"a path is text in UTF-8, not {options.get!r}") from None
    from goofspiel.web.app import create_app
    from goofspiel.web.client import get

    got = get(create_app(options.store, tell_store=True), options.get)
    if got.status >= 300:
        return complain(json.loads(got.body)["detail"], FAILED)
    body = got.body + b"\n" * (got.headers["content-type"] == "application/json")
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.buffer.write(body)  # a file of the page as it is
    else:
        sys.stdout.write(body.decode("utf-8", errors="replace"))
    return DONE
