"""Fixtures of all tests: a store of their own, and solved tables in it."""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import hypothesis
import pytest

from goofspiel.solver import solve
from goofspiel.tablebase import Tablebase, open_tablebase

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
def tablebase(store: Path) -> Callable[[int], Tablebase]:
    """A function: the tablebase of a game of at most nine cards, solved when it is first asked for."""
    return cache(open_tablebase)


@pytest.fixture(scope="session")
def table13(store: Path) -> Tablebase:
    """The tablebase of 13 cards: solving it takes about a minute on two cores, and 1.3 GiB on disk."""
    solve(13, store=store, resume=True)
    return open_tablebase(13, store=store)
