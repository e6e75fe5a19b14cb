"""Fixtures that tests share: a store of their own, solved tables and studies of them, folders and clusters."""

import io
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
from blocks import points_path
from command import run

from goofspiel.cli import main
from goofspiel.rules import Objective
from goofspiel.solver import solve
from goofspiel.tablebase import Tablebase, open_tablebase
from goofspiel.tablebase.exact import ExactTablebase

if TYPE_CHECKING:
    from clusters import Cluster

    from goofspiel.studies.study import Study

# A shell that starts the tests in the background has them ignore Ctrl-C, and with them every command that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run; a first example may have to wait for a table to be solved.
hypothesis.settings.register_profile("tests", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("tests")

# GOOFSPIEL_TEST_STORE=DIR uses (and adds to) the tables that are already in DIR: quick, but they are trusted unseen.
KEPT_STORE = "GOOFSPIEL_TEST_STORE"


@pytest.fixture(scope="session", autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The store of this session, and the default store of everything run in it; removed at the end."""
    kept = os.environ.get(KEPT_STORE)
    folder = Path(kept).resolve() if kept else tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOOFSPIEL_STORE", str(folder))
        yield folder
    if not kept:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def tablebase(store: Path) -> Callable[..., Tablebase]:
    """A function: the tablebase of a game of at most nine cards, solved when it is first asked for."""
    return cache(open_tablebase)


@pytest.fixture(scope="session")
def win(tablebase: Callable[..., Tablebase]) -> Callable[[int], Tablebase]:
    """The same, of tables with leads."""
    return lambda cards: tablebase(cards, objective="win")


@pytest.fixture(scope="session")
def win10(store: Path) -> Tablebase:
    """The tablebase of 10 cards with leads: solving it takes about 20 seconds of a core, and 190 MB on disk."""
    solve(10, objective="win", store=store, resume=True)
    return open_tablebase(10, objective="win", store=store)


@pytest.fixture(scope="session")
def exact(store: Path) -> Callable[..., ExactTablebase]:
    """A function: the exact tablebase of a small game, solved when it is first asked for."""
    return cache(lambda cards, objective=Objective.POINTS: open_tablebase(cards, objective=objective, exact=True))


@pytest.fixture(scope="session")
def table13(store: Path) -> Tablebase:
    """The tablebase of 13 cards: solving it takes about a minute on two cores, and 1.3 GiB on disk."""
    solve(13, store=store, resume=True)
    return open_tablebase(13, store=store)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The table of eleven cards, solved by the command without disturbance; and the memory that this took, in bytes."""
    store = tmp_path_factory.mktemp("undisturbed")
    done = run("solve", "11", "--quiet", "--json", "--threads", "2", store=store)
    assert (done.returncode, done.stderr) == (0, "")
    return points_path(store, 11), json.loads(done.stdout)["peak_memory_bytes"]


@pytest.fixture(scope="session")
def made(store: Path) -> "Callable[..., Study]":
    """A function: a study of small games, made once."""
    from goofspiel.studies.catalogue import find_study
    from goofspiel.studies.request import Request

    return cache(lambda name, **asked: find_study(name).make(Request(**asked)))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the tables of four and five cards, not to be changed."""
    store = tmp_path_factory.mktemp("tables")
    for cards in (4, 5):
        solve(cards, store=store)
    return store


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that games are saved in."""
    folder = tmp_path / "games"
    monkeypatch.setenv("GOOFSPIEL_GAMES", str(folder))
    return folder


@pytest.fixture
def lone(tmp_path: Path) -> Iterator["Cluster"]:
    """A cluster without workers, to be given some."""
    from clusters import Cluster

    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    yield cluster
    cluster.close()


@pytest.fixture
def call(
    tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process, on the small tables: (exit code, standard output, standard error)."""
    monkeypatch.setenv("GOOFSPIEL_STORE", str(tables))

    def call(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as stop:
            code = stop.code or 0
        return code, *capsys.readouterr()

    return call
