"""Damage files of a table, see what comes of it, and put them back; tables as earlier formats had them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import goofspiel as gs
from goofspiel.store import Table


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


def edit_header(table: Path, **changes: Any) -> None:
    file = table / "zarr.json"
    content = json.loads(file.read_text())
    content["attributes"]["goofspiel"] |= changes
    file.write_text(json.dumps(content, indent=2))


def without_manifest(path: Path) -> Path:
    """A table in format 3: its blocks have no entry."""
    opened = Table.open(path)
    blocks = {
        (level, block): (opened.read_block(level, block), opened.block_gap(level, block))
        for level in opened.levels
        for block in range(opened.block_count(level))
    }
    opened.header = replace(opened.header, format=3)
    for which, (values, gap) in blocks.items():
        opened.write_block(*which, values, gap)
    edit_header(path, format=3)
    return path
