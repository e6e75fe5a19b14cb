"""Whom a cluster listens to: a local one only this machine, one with certificates only those who have one, too."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from blocks import points_path
from clusters import FORKED, Cluster, certificates, listening
from command import run, tree

from goofspiel.solver import solve
from goofspiel.solver.dask_client import connected

LOOPBACK = {"127.0.0.1"}
Secure = tuple[Cluster, subprocess.Popen[bytes], dict[str, str]]


def test_a_local_cluster_listens_only_on_the_loopback_interface() -> None:
    with connected("local:1") as client:
        client.wait_for_workers(1)
        assert listening(psutil.Process()) == LOOPBACK


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    """A scheduler and a worker that speak TLS, and the environment with their certificates."""
    folder = tmp_path_factory.mktemp("tls")
    try:
        env = certificates(folder)
    except FileNotFoundError:
        pytest.skip("there is no openssl to make certificates with")
    cluster = Cluster(folder, env=env, scheme="tls")
    worker = cluster.start_workers(1, env=FORKED | env, host="127.0.0.1")
    yield cluster, worker, env
    cluster.close()


def test_a_cluster_with_certificates_solves_the_same_bytes(secure: Secure, tmp_path: Path) -> None:
    cluster, worker, env = secure
    done = run("solve", "5", "--quiet", "--cluster", cluster.address, store=tmp_path / "tls", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    solve(5, store=tmp_path / "threads")
    assert tree(points_path(tmp_path / "tls", 5)) == tree(points_path(tmp_path / "threads", 5))
    assert listening(psutil.Process(cluster.scheduler.pid), psutil.Process(worker.pid)) == LOOPBACK


def test_a_client_without_a_certificate_is_refused_in_one_line(secure: Secure, tmp_path: Path) -> None:
    cluster, _, _ = secure
    done = run("solve", "5", "--quiet", "--cluster", cluster.address, store=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"goofspiel: {cluster.address!r} asks for certificates")
    assert "DASK_DISTRIBUTED__COMM__TLS__CA_FILE" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_certificate_of_somebody_else_is_refused_in_one_line(secure: Secure, tmp_path: Path) -> None:
    cluster, _, _ = secure
    (tmp_path / "others").mkdir()
    env = certificates(tmp_path / "others")
    done = run("solve", "5", "--quiet", "--cluster", cluster.address, store=tmp_path, env=env)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"goofspiel: there is no Dask scheduler at {cluster.address!r} that trusts")


def test_a_certificate_that_is_missing_is_named(secure: Secure, tmp_path: Path) -> None:
    cluster, _, env = secure
    env = env | {"DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": str(tmp_path / "nowhere.pem")}
    done = run("solve", "5", "--quiet", "--cluster", cluster.address, store=tmp_path, env=env)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert str(tmp_path / "nowhere.pem") in done.stderr
