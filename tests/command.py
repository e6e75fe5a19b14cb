"""Run the goofspiel command as a process of its own, and look at what it prints and leaves behind."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, overload

import pytest

COMMAND = str(Path(sys.executable).with_name("goofspiel"))
PATIENCE = 120  # seconds, a safety net: nothing is measured by it

# Worked by hand: bids down, theirs across, (3 + 2, −3 + 2 / 3 − 2, 3 + 2); a 2 × 2 game without a saddle point.
HAND = "24/A3/2 3"

# Five cards. I give away something in round 2, they do in rounds 1 and 2.
GAME = "524 A5A 3A3 435 242"


@overload
def run(*arguments: str, store: Path, stdin: str = "", **options: Any) -> subprocess.CompletedProcess[str]: ...


@overload
def run(*arguments: str, store: Path, stdin: bytes, **options: Any) -> subprocess.CompletedProcess[bytes]: ...


def run(*arguments: str, store: Path, stdin: str | bytes = "", **options: Any) -> subprocess.CompletedProcess[Any]:
    """The finished command; text unless stdin is bytes."""
    environment = {**os.environ, "GOOFSPIEL_STORE": str(store), **options.pop("env", {})}
    return subprocess.run(
        [COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        text=isinstance(stdin, str),
        env=environment,
        timeout=PATIENCE,
        check=False,
        **options,
    )


def start(*arguments: str, store: Path, program: tuple[str, ...] = (COMMAND,)) -> subprocess.Popen[str]:
    """The running command, its output in pipes."""
    environment = {**os.environ, "GOOFSPIEL_STORE": str(store)}
    return subprocess.Popen(
        [*program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[Any]) -> bool:
    """Wait for something to happen; False when the process ended before it did."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if process.poll() is not None:
            return False
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.001)
    return True


def the_json(result: tuple[int, str, str]) -> dict[str, Any]:
    """The only line of a successful command, as json."""
    code, out, _ = result
    assert (code, out.count("\n")) == (0, 1), result
    answer: dict[str, Any] = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not json"))
    return answer


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder, names and contents."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def file_count(folder: Path) -> int:
    """How many files there are below a folder, while another process may be making them: those that are whole."""
    return sum(not name.endswith(".partial") for _, _, files in os.walk(folder) for name in files)


def has_files(folder: Path, count: int) -> Callable[[], bool]:
    """A function: whether there are so many of them."""
    return lambda: file_count(folder) >= count


def one_line(caught: pytest.ExceptionInfo[BaseException]) -> str:
    """The message of an error, which must be one line."""
    message = str(caught.value)
    assert message
    assert "\n" not in message
    return message
