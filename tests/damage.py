"""Damage files of a table, see what comes of it, and put them back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import goofspiel as gs


def flip(file: Path, bit: int) -> None:
    data = bytearray(file.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)


def outcome(ask: Callable[[], Any]) -> Any:
    """The answer, or the message of an error that is raised on purpose."""
    try:
        return ask()
    except gs.GoofspielError as error:
        return str(error)


def restore(table: Path, whole: dict[str, bytes]) -> None:
    """Put the files back; a table that has lost its header may have been started anew."""
    for file in table.rglob("*"):
        if file.is_file() and str(file.relative_to(table)) not in whole:
            file.unlink()
    for name, content in whole.items():
        (table / name).write_bytes(content)
