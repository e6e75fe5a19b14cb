"""Fixtures that tests share: a store of their own, solved tables and studies of them, folders and clusters.

Workers of pytest-xdist run whole modules, those that take longest first. What is expensive is made once for all of
them, in a folder that they share. What is only repeated is done a few times; with --soak, in full.
"""

import fcntl
import io
import json
import os
import pickle
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from blocks import points_path
from command import run
from fixtures import Call, Exact, Made, Repeats, Tablebases, Tally, Win

from goofspiel import __version__
from goofspiel.cli import main
from goofspiel.rules import Objective
from goofspiel.solver import solve
from goofspiel.tablebase import Tablebase, open_tablebase

if TYPE_CHECKING:
    from browser import Visit
    from clusters import Cluster
    from engine import Engine
    from web import Client

    from goofspiel.studies.study import Study

# A shell that starts the tests in the background has them ignore Ctrl-C, and with them every command that they start;
# nohup does the same to the signal of a window that is closed.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)  # which commands do not inherit

# Commands keep back what they print into a pipe, as they do for everybody, wherever the tests are run.
os.environ.pop("PYTHONUNBUFFERED", None)

# The same examples in every run, others in every soak; a first example may have to wait for a table to be solved.
hypothesis.settings.register_profile("tests", deadline=None, derandomize=True, database=None)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=1000, print_blob=True, database=None)

# GOOFSPIEL_TEST_STORE=DIR uses (and adds to) the tables that are already in DIR: quick, but they are trusted unseen.
KEPT_STORE = "GOOFSPIEL_TEST_STORE"

# What a soak has counted, for docs/why/trust.md.
SOAK_RESULT = Path(__file__).parent.parent / "docs/results/soak.json"

SHARED = pytest.StashKey[Path]()  # the folder that all processes of a run share

# Modules that take more than some seconds of a core, longest first.
LONGEST = """
    test_paper test_page_table test_page_training test_hosted test_page_defects test_page_rules
    test_cluster_faults test_docs test_emulated test_hidden_faults test_textarena
    test_studies test_cluster test_patience test_cluster_trust
    test_cluster_network test_house_rules test_house_tables test_solve_faults test_cli test_power_cut test_manifest
    test_claims test_judge test_study_heuristics test_page_views test_repair test_serve test_solve_win test_page
    test_review test_reference test_benchmarks test_win test_exact_tables test_keep test_play_cli test_verify
    test_kernel test_cluster_benchmark test_web_benchmark test_play_terminal test_respond test_open_spiel test_web_fuzz
    test_cli_fuzz test_places test_properties test_answer test_outcomes test_exact_files test_games test_store_processes
    test_examples test_match
"""


# --- a run, in one process or several


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="repeat kills, games, positions, requests, … in full")


def pytest_configure(config: pytest.Config) -> None:
    hypothesis.settings.load_profile("soak" if config.getoption("--soak") else "tests")
    given = getattr(config, "workerinput", {}).get("shared")
    config.stash[SHARED] = Path(given or tempfile.mkdtemp(prefix="goofspiel-tests-"))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist."""
    node.workerinput["shared"] = str(node.config.stash[SHARED])


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(config.stash[SHARED])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes longest comes first, so that no core is idle at the end; a soak is what repeats, and nothing else."""
    if config.getoption("--soak"):
        items[:] = [item for item in items if repeats_something(item)]
    ranks = {name: rank for rank, name in enumerate(LONGEST.split())}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(ranks)))


def repeats_something(item: pytest.Item) -> bool:
    """Whether a soak does more than a test; a property that Hypothesis draws examples for is counted."""
    if hypothesis.is_hypothesis_test(getattr(item, "function", None)):
        item.user_properties.append(("properties on drawn examples", 1))
        return True
    return bool({"repeats", "tally"} & set(getattr(item, "fixturenames", ())))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: pytest.ExitCode, config: pytest.Config
) -> None:
    """What the tests have counted; a whole soak that has passed writes it down."""
    totals: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for what, count in report.user_properties:
            totals[what] += count
    if totals:
        terminalreporter.write_line(", ".join(f"{count:,} {what}" for what, count in sorted(totals.items())))
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.getoption("keyword")
    if config.getoption("--soak") and is_whole and exitstatus == pytest.ExitCode.OK:
        counted = json.dumps({"version": __version__, "counts": dict(sorted(totals.items()))}, indent=2)
        SOAK_RESULT.write_text(f"{counted}\n", encoding="utf-8")


@pytest.fixture(scope="session")
def repeats(pytestconfig: pytest.Config) -> Repeats:
    """A function: how often something is repeated, in a test and in a soak."""
    return lambda few, all_of_them: all_of_them if pytestconfig.getoption("--soak") else few


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """A function: count what a test has done, for the last line of the run."""
    return lambda what, count: request.node.user_properties.append((what, count))


@pytest.fixture(scope="session")
def shared(pytestconfig: pytest.Config) -> Path:
    """A folder for what is made once for all processes of a run."""
    return pytestconfig.stash[SHARED]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Only one process at a time."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


# --- tables


@pytest.fixture(scope="session", autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The store of this process, and the default store of everything run in it; removed at the end."""
    kept = os.environ.get(KEPT_STORE)
    folder = Path(kept).resolve() if kept else tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOOFSPIEL_STORE", str(folder))
        yield folder
    if not kept:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def large_store(shared: Path) -> Path:
    """The store of tables that take long: one for all processes."""
    kept = os.environ.get(KEPT_STORE)
    return Path(kept).resolve() if kept else shared / "store"


@pytest.fixture(scope="session")
def tablebase(store: Path) -> Tablebases:
    """A function: the tablebase of a game of at most nine cards, solved when it is first asked for."""
    return cache(open_tablebase)


@pytest.fixture(scope="session")
def win(tablebase: Tablebases) -> Win:
    """The same, of tables with leads."""
    return lambda cards: tablebase(cards, objective="win")


@pytest.fixture(scope="session")
def win10(large_store: Path) -> Tablebase:
    """The tablebase of 10 cards with leads: solving it takes about 20 seconds of a core, and 190 MB on disk."""
    solve(10, objective="win", store=large_store, resume=True, wait=True)
    return open_tablebase(10, objective="win", store=large_store)


@pytest.fixture(scope="session")
def exact(store: Path) -> Exact:
    """A function: the exact tablebase of a small game, solved when it is first asked for."""
    return cache(lambda cards, objective=Objective.POINTS: open_tablebase(cards, objective=objective, exact=True))


@pytest.fixture(scope="session")
def table13(large_store: Path) -> Tablebase:
    """The tablebase of 13 cards: solving it takes about a minute on two cores, and 1.3 GiB on disk."""
    solve(13, store=large_store, resume=True, wait=True)
    return open_tablebase(13, store=large_store)


@pytest.fixture(scope="session")
def undisturbed(shared: Path) -> tuple[Path, int]:
    """The table of eleven cards, solved by the command without disturbance; and the memory that this took, in bytes."""
    store, said = shared / "undisturbed", shared / "undisturbed.json"
    with locked(shared / "undisturbed.lock"):
        if not said.exists():
            done = run("solve", "11", "--quiet", "--json", "--threads", "2", store=store)
            assert (done.returncode, done.stderr) == (0, "")
            said.write_text(done.stdout)
    return points_path(store, 11), json.loads(said.read_text())["peak_memory_bytes"]


@pytest.fixture(scope="session")
def made(store: Path, shared: Path) -> Made:
    """A function: a study of small games, made once for all processes."""
    from goofspiel.studies.catalogue import find_study
    from goofspiel.studies.request import Request

    @cache
    def make(name: str, **asked: Any) -> "Study":
        kept = shared / f"study {name} {asked}"
        with locked(shared / f"{kept.name} lock"):
            if not kept.exists():
                kept.write_bytes(pickle.dumps(find_study(name).make(Request(**asked))))
        study: Study = pickle.loads(kept.read_bytes())
        return study

    return make


@pytest.fixture(scope="module")
def opened(store: Path) -> Iterator["Callable[..., Visit]"]:
    """A server and a browser: a function that opens a tab."""
    from browser import place

    with place(store) as found:
        yield found


@pytest.fixture
def visit(opened: "Callable[..., Visit]") -> Iterator["Callable[..., Visit]"]:
    """A function that opens a tab. After the test, none may have complained."""
    from browser import visits

    with visits(opened) as found:
        yield found


@pytest.fixture(scope="module")
def client(store: Path) -> "Client":
    """Asks the server of a store, without a connection."""
    from web import Client

    return Client(store)


@pytest.fixture(scope="module")
def engine() -> Iterator["Engine"]:
    """The page's engine, run by Node."""
    from engine import running

    with running() as found:
        yield found


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
def call(tables: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Run a command in this process, on the small tables: (exit code, standard output, standard error)."""
    monkeypatch.setenv("GOOFSPIEL_STORE", str(tables))

    def call(*arguments: object, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *capsys.readouterr()

    return call
