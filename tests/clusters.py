"""Dask clusters for tests: a scheduler and workers, each a process of its own."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil
from command import PATIENCE
from distributed import Client

SCHEDULER = ("-m", "distributed.cli.dask_scheduler", "--no-dashboard")
WORKER = ("-m", "distributed.cli.dask_worker", "--no-dashboard")

# A worker that is killed is back sooner when it is forked from a process that has loaded everything.
FORKED = {"DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD": "forkserver"}
LOADED = """
from distributed.utils import get_mp_context
get_mp_context().set_forkserver_preload(["distributed", "goofspiel.solver.worker", "zarr"])
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Cluster:
    """A scheduler, which can be killed and started again at the same address, and its workers."""

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        within: tuple[str, ...] = (),
        env: Mapping[str, str] = {},
        scheme: str = "tcp",
    ) -> None:
        self._folder, self._host, self._within, self._env = folder, host, within, env
        self._scheme = scheme
        self._port = free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        self.start_scheduler()

    @property
    def address(self) -> str:
        return f"{self._scheme}://{self._host}:{self._port}"

    def _start(self, *command: str, env: Mapping[str, str] = os.environ) -> subprocess.Popen[bytes]:
        with (self._folder / "log").open("ab") as log:
            process = subprocess.Popen(command, env={**os.environ, **env}, cwd=self._folder, stdout=log, stderr=log)
        self._processes.append(process)
        return process

    def start_scheduler(self) -> None:
        command = *self._within, sys.executable, *SCHEDULER
        where = "--host", self._host, "--port", str(self._port), "--protocol", self._scheme
        pages = "--dashboard-address", f"{self._host}:0"
        self.scheduler = self._start(*command, *where, *pages, env=self._env)

    def start_workers(
        self,
        count: int = 1,
        *,
        nanny: bool = True,
        host: str | None = None,
        env: Mapping[str, str] = FORKED,
        within: tuple[str, ...] = (),
        python: tuple[str, ...] = (),
        preload: str = "goofspiel.solver.worker",
    ) -> subprocess.Popen[bytes]:
        """Workers of one thread each; with a nanny, which starts them again when they are killed."""
        loaded = self._folder / "loaded.py"
        loaded.write_text(LOADED)
        return self._start(
            *(*within, sys.executable, *python, *WORKER, self.address, "--nworkers", str(count), "--nthreads", "1"),
            *("--memory-limit", "2GiB", "--local-directory", str(self._folder), "--preload", preload),
            *(("--host", host, "--dashboard-address", f"{host}:0") if host else ()),
            *(("--nanny", "--preload-nanny", str(loaded)) if nanny else ("--no-nanny",)),
            env=env,
        )

    @contextmanager
    def client(self, workers: int) -> Iterator[Client]:
        """Ask the scheduler, when so many workers are there."""
        with Client(self.address, set_as_default=False, timeout=PATIENCE) as client:
            client.wait_for_workers(workers, timeout=PATIENCE)
            yield client

    def wait_for(self, workers: int) -> None:
        with self.client(workers):
            pass

    def log(self) -> str:
        return (self._folder / "log").read_text(encoding="utf-8")

    def has_said(self, words: str, *, times: int = 1) -> Callable[[], bool]:
        """A function: whether they are in the log, so often. A process writes after others have seen what it did."""
        return lambda: self.log().count(words) >= times

    def close(self) -> None:
        for process in self._processes:
            family = [process, *_descendants(process.pid)] if process.poll() is None else []
            for member in family:
                member.kill()
            process.wait()


def certificates(folder: Path) -> dict[str, str]:
    """A certificate authority and a key that it has signed; the environment that has Dask use them."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=the authority")
    openssl("req", *key, "-keyout", "node.key", "-out", "node.csr", "-subj", "/CN=node")
    signed = "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "30"
    openssl("x509", "-req", "-in", "node.csr", "-out", "node.pem", *signed)
    prefix, files = "DASK_DISTRIBUTED__COMM__", {"CERT": "node.pem", "KEY": "node.key"}
    return {
        f"{prefix}REQUIRE_ENCRYPTION": "True",
        f"{prefix}TLS__CA_FILE": str(folder / "ca.pem"),
        **{
            f"{prefix}TLS__{role}__{what}": str(folder / file)
            for role in ("SCHEDULER", "WORKER", "CLIENT")
            for what, file in files.items()
        },
    }


def listening(*processes: psutil.Process) -> set[str]:
    """The addresses at which processes and their descendants accept connections."""
    family = {one for process in processes for one in (process, *process.children(recursive=True))}
    return {
        socket_.laddr.ip
        for one in family
        for socket_ in one.net_connections("inet")
        if socket_.status == psutil.CONN_LISTEN
    }


def _descendants(pid: int) -> list[psutil.Process]:
    family: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    return family


def workers_of(client: Client) -> dict[str, int]:
    """The address and the process number of each worker that answers."""
    found: dict[str, int] = client.run(os.getpid, on_error="ignore")
    return found
