"""Solving on two hosts with a network between them: a cable is pulled for a while, and the solve finishes."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clusters import FORKED, Cluster
from command import COMMAND, PATIENCE, start, tree, wait_until
from networks import Network, network

import goofspiel as gs
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.store import table_path


@pytest.fixture
def hosts() -> Iterator[Network]:
    with network(2) as made:
        yield made


@pytest.fixture
def start_cluster(hosts: Network, tmp_path: Path) -> Iterator[Callable[[str], Cluster]]:
    """A function: a scheduler on host 0, a worker on each of the others; how long they wait for one that is silent."""
    started = []

    def start(patience: str) -> Cluster:
        (tmp_path / "cluster").mkdir()
        env = FORKED | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": patience}
        cluster = Cluster(tmp_path / "cluster", host=hosts.address(0), within=hosts.within(0), env=env)
        started.append(cluster)
        for host in (1, 2):
            worker = cluster.start_workers(within=hosts.within(host), env=env)
            assert wait_until(cluster.has_said(f"Register worker addr: tcp://{hosts.address(host)}"), worker)
        return cluster

    yield start
    for cluster in started:
        cluster.close()


BLOCKS = (9, "win", "level-06/lead-22/c")  # what is solved, and the folder that is there when the cable is pulled
SLICES = (11, "points", "level-06/c")


@pytest.mark.parametrize(("game", "given_up"), [(BLOCKS, False), (SLICES, True)])
def test_a_link_that_is_cut_for_a_while(
    hosts: Network, start_cluster: Callable[[str], Cluster], tmp_path: Path, game: tuple[int, str, str], given_up: bool
) -> None:
    """For a moment, or until the host is given up. The hosts reach their store by another way."""
    cards, objective, folder = game
    calm = solve(cards, objective=objective, store=tmp_path / "calm")
    cluster = start_cluster("11s" if given_up else "60s")
    path = table_path(tmp_path / "store", Rules(cards, objective=gs.Objective(objective)))
    words = "solve", str(cards), "--objective", objective, "--quiet", "--cluster", cluster.address
    process = start(*words, store=tmp_path / "store", program=(*hosts.within(0), COMMAND))
    assert wait_until((path / folder).exists, process)
    hosts.cut(1)
    removal = f"Remove worker addr: tcp://{hosts.address(1)}"
    if given_up:
        assert wait_until(cluster.has_said(removal), process)
    else:
        time.sleep(2)
    hosts.restore(1)
    assert process.communicate(timeout=PATIENCE) == (f"{path}\n", "")
    assert process.returncode == 0
    assert tree(path) == tree(calm)
    assert given_up or removal not in cluster.log()
