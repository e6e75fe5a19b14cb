"""Systems that are not POSIX: the command does its work where what only POSIX has is missing.

No Windows is here. Its Python is imitated as far as the source can tell: modules that it does not have cannot be
imported by the package, functions and constants that it does not have are gone.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from goofspiel import system

ELSEWHERE = """
import builtins, os, signal, sys
import subprocess, multiprocessing.connection, tempfile, asyncio  # which may use what they find on this system

posix = {"fcntl", "grp", "pwd", "resource", "termios", "tty"}
import_ = builtins.__import__
def guarded(name, globals=None, *rest, **more):
    if name in posix and (globals or {}).get("__name__", "").startswith("goofspiel"):
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return import_(name, globals, *rest, **more)
builtins.__import__ = guarded
gone = "killpg sched_getaffinity sysconf sync pread pwrite fork getuid O_DIRECTORY O_NOFOLLOW O_NONBLOCK"
for name in gone.split():
    delattr(os, name)
for name in "pthread_sigmask SIGWINCH SIGTSTP SIGCONT SIGHUP".split():
    delattr(signal, name)
import goofspiel.system as system
system.c_function = lambda name: None
system._installed_on_windows = lambda: 1 << 33

from goofspiel.cli import main
sys.exit(main())
"""


def elsewhere(store: Path, *words: str, said: str = "") -> str:
    command = [sys.executable, "-c", ELSEWHERE, *words, "--store", str(store)]
    environment = {**os.environ, "GOOFSPIEL_GAMES": str(store)}
    done = subprocess.run(command, input=said, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("words", "said", "answer"),
    [
        (("solve", "5", "--quiet"), "", "points-5.zarr"),
        (("solve", "5", "--dry-run"), "", "memory"),
        (("table", "4"), "", "0.5269"),
        (("probe", "24/A3/4 5"), "", "+4.555556"),
        (("verify", "4", "--positions", "5"), "", "passed"),
        (("info",), "", "points 4"),
        (("match", "optimal", "uniform", "--cards", "4", "--games", "50", "--quiet"), "", "50 games"),
        (("review", "344 A5A 423 235 512"), "", "You lost by 10 points"),
        (("play", "--cards", "3", "--seed", "1"), "A\n2\n3\n", "round"),
    ],
    ids=lambda part: part[0] if isinstance(part, tuple) else "",
)
def test_verbs_where_nothing_is_posix(tmp_path: Path, words: tuple[str, ...], said: str, answer: str) -> None:
    elsewhere(tmp_path, "table", "4")
    assert answer in elsewhere(tmp_path, *words, said=said)


def test_limits_of_this_system() -> None:
    assert system.most_resident() > 1 << 20
    assert system.installed_memory() > 1 << 28
    code = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (77, 77)); "
    code += "from goofspiel import system; print(system.descriptor_limit(), system.address_limit())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[0] == "77"


def test_how_processes_end() -> None:
    assert (system.ending(3), system.ending(-9)) == ("exit code 3", "signal SIGKILL")
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True)
    system.end_with_descendants(process)
    assert system.ending(process.wait()) == "signal SIGKILL"
    assert process.stdin
    process.stdin.close()
