"""Run the goofspiel command on a terminal of its own, press keys, and read what is on its screen."""

import os
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command import COMMAND, PATIENCE

# What a shell does: the terminal becomes the one whose keys send signals to the command.
_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
_FRAME = re.compile(r"\x1b\[H|\x1b\[\?1049[hl]")  # begins a screen, or changes to the other one
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """A command on a terminal. What it drew last is `frame`, all that it wrote is `written`."""

    def __init__(
        self,
        *arguments: str,
        env: dict[str, str] | None = None,
        size: tuple[int, int] = (80, 24),
        program: str = COMMAND,
    ) -> None:
        self._keyboard, self._terminal = os.openpty()
        self.resize(*size)
        self.before = self.attributes()
        self.written = ""
        environment = {
            name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE_TERMINAL, program, *arguments],
            stdin=self._terminal,
            stdout=self._terminal,
            stderr=self._terminal,
            start_new_session=True,
            env=environment | {"TERM": "xterm-256color", "PYTHONUTF8": "1"} | (env or {}),
        )

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self.hang_up()
        os.close(self._terminal)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size; the command is told by a signal."""
        termios.tcsetwinsize(self._terminal, (rows, columns))

    def attributes(self) -> list[Any]:
        """How the terminal is set: what is echoed, whether lines are gathered, …"""
        return termios.tcgetattr(self._terminal)

    def press(self, keys: str | bytes) -> None:
        """Type."""
        os.write(self._keyboard, keys.encode() if isinstance(keys, str) else keys)

    def hang_up(self) -> None:
        """Take the terminal away."""
        if self._keyboard >= 0:
            os.close(self._keyboard)
            self._keyboard = -1

    @property
    def frame(self) -> str:
        """What was drawn last, and written since, without colours."""
        return _CONTROL.sub("", _FRAME.split(self.written)[-1]).replace("\r", "")

    def wait_for(self, *texts: str) -> str:
        """Read on until all of these are on the screen: the screen, whole if what is drawn last is one of them."""
        return self._read_until(lambda: all(text in self.frame for text in texts), texts)

    def wait_for_end(self) -> tuple[int, str]:
        """The exit code, and what is left on the screen."""
        self._read_until(lambda: self.process.poll() is not None and not self._ready(0), ("the end",))
        return self.process.wait(PATIENCE), self.frame

    def _ready(self, seconds: float) -> bool:
        return bool(select.select([self._keyboard], [], [], seconds)[0])

    def _read_until(self, happened: Callable[[], bool], what: tuple[str, ...]) -> str:
        deadline = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < deadline, f"waited in vain for {what}: {self.written!r}"
            ended = self.process.poll() is not None  # before looking: then nothing comes after what is there
            if self._ready(0.01):
                self.written += os.read(self._keyboard, 1 << 16).decode(errors="replace")
            else:
                assert not ended or happened(), f"ended without {what}: {self.written!r}"
        return self.frame


def only_file(folder: Path) -> Path:
    """The only file of a folder, but for locks."""
    (path,) = folder.glob("[!.]*")
    return path
