"""Connect to a Dask cluster, or start one on this machine; and close it again, whatever happens."""

import gc
import logging
import re
import socket
import ssl
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING

from goofspiel.errors import ClusterError
from goofspiel.interrupts import block_sigint
from goofspiel.solver.resources import available_memory

if TYPE_CHECKING:
    from distributed import Client

LOCAL = re.compile(r"local:([1-9][0-9]{0,2})")
TLS = "tls://"
TLS_FILES = ("ca-file", "client.cert", "client.key")  # settings of Dask's, below distributed.comm.tls
TLS_VARIABLE = "DASK_DISTRIBUTED__COMM__TLS__"  # the same settings as variables of the environment
LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 30.0  # to look for a scheduler, at the start and whenever it is lost
CLOSE_SECONDS = 2.0
AGAIN_SECONDS = 0.2
# By default Dask looks after each of its processes many times a second, which takes some percent of a core each; and
# it gives out more tasks than there are threads, so that the last ones wait behind others while somebody is free.
CALM = {
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "1s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "2s",
}


def check_address(address: str) -> str:
    """What can be the address of a cluster; whether there is one shows when it is connected to."""
    if LOCAL.fullmatch(address) or "://" in address:
        return address
    raise ClusterError(
        f"a cluster is tcp://HOST:PORT, tls://HOST:PORT, or local:N for N processes here, not {address!r}"
    )


@contextmanager
def connected(address: str) -> Iterator["Client"]:
    """A client of a cluster: one at `tcp://HOST:PORT` or `tls://HOST:PORT`, or `local:2`, two processes begun here."""
    try:
        import dask
        import distributed  # noqa: F401
    except ModuleNotFoundError:
        raise ClusterError("a cluster needs pip install 'goofspiel[cluster]'") from None
    with _silence(), dask.config.set(CALM):
        if found := LOCAL.fullmatch(check_address(address)):
            with _local_cluster(int(found[1])) as client:
                yield client
        else:
            with _remote_cluster(address) as client:
                yield client


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold back Ctrl-C: a client that is half made is hard to get rid of. Hold back collections, too.

    Were a client collected that was never closed, it would close itself, and wait for a lock that its thread holds.
    """
    was_enabled = gc.isenabled()
    with block_sigint():
        gc.disable()
        try:
            yield
        finally:
            if was_enabled:
                gc.enable()


@contextmanager
def _local_cluster(processes: int) -> Iterator["Client"]:
    """Processes of one thread each. Ctrl-C is for this process: it ends them in order."""
    from distributed import Client, LocalCluster

    resource_tracker.ensure_running()  # started later, it would let Ctrl-C through again
    with _undisturbed():
        cluster = LocalCluster(
            n_workers=processes,
            threads_per_worker=1,
            processes=True,
            host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0",  # without a host, Dask would listen to the whole network
            memory_limit=available_memory() // processes,
            silence_logs=logging.CRITICAL,
        )
        client = Client(cluster, set_as_default=False, timeout=CONNECT_SECONDS)
    try:
        yield client
    finally:
        with _undisturbed():
            try:
                _close(client)
            finally:
                with suppress(TimeoutError):  # then its processes end with this one
                    cluster.close(timeout=CONNECT_SECONDS)


@contextmanager
def _remote_cluster(address: str) -> Iterator["Client"]:
    from distributed import Client

    context = _certificates(address) if address.startswith(TLS) else None
    try:
        _wait_for_port(address, context)
        with _undisturbed():
            client = Client(address, set_as_default=False, timeout=CONNECT_SECONDS)
    except ssl.SSLError as error:
        raise ClusterError(
            f"there is no Dask scheduler at {address!r} that trusts these certificates, and is trusted: {error.reason}"
        ) from None
    except (OSError, TimeoutError, ValueError, ImportError, RuntimeError) as error:
        raise ClusterError(f"there is no Dask scheduler at {address!r}: {one_line(error)}") from None
    try:
        yield client
    finally:
        with _undisturbed():
            _close(client)


def _close(client: "Client") -> None:
    """Take leave, for as long as that is worth: a scheduler that hangs does not answer."""
    with suppress(TimeoutError):
        client.close(timeout=CLOSE_SECONDS)


def _certificates(address: str) -> ssl.SSLContext:
    """What Dask's own settings say of certificates."""
    import dask
    from distributed.security import Security

    for setting in TLS_FILES:
        file = dask.config.get(f"distributed.comm.tls.{setting}", None)
        if file and not Path(file).is_file():
            raise ClusterError(f"there is no certificate {file!r} for {address!r}: distributed.comm.tls.{setting}")
    try:
        context = Security().get_connection_args("client").get("ssl_context")
    except (OSError, ValueError) as error:
        raise ClusterError(f"the certificates for {address!r} cannot be used: {one_line(error)}") from None
    if not isinstance(context, ssl.SSLContext):
        names = ", ".join(TLS_VARIABLE + s.upper().replace(".", "__").replace("-", "_") for s in TLS_FILES)
        raise ClusterError(f"{address!r} asks for certificates, and none are set: {names}")
    return context


def _wait_for_port(address: str, context: ssl.SSLContext | None) -> None:
    """Until somebody listens at an address of TCP; with certificates, until both sides have accepted them."""
    from distributed.comm import get_address_host_port

    if not address.startswith(("tcp://", TLS)):
        return
    where = get_address_host_port(address, strict=True)
    deadline = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            with socket.create_connection(where, timeout=CONNECT_SECONDS) as plain:
                if context is not None:
                    with context.wrap_socket(plain, server_hostname=where[0]) as secure:
                        secure.recv(1)  # a scheduler speaks first: only then is it known that it accepts ours
            return
        except ssl.SSLError:
            raise
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(AGAIN_SECONDS)


@contextmanager
def _silence() -> Iterator[None]:
    """What Dask logs and warns of is told here, in one line, when it matters."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "distributed.comm.tcp")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"distributed\.")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def one_line(error: BaseException | None) -> str:
    """An error of somebody else's, for a message."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}".splitlines()[0]
