"""The names in json, which stay: what each verb prints is on the page of the command line."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import GAME, HAND, run

from goofspiel.cards import CARD_NAMES
from goofspiel.store import Table

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
# Whose keys are no names of ours: hands, players, objectives, stages of a game, what a record says, columns.
FREE = {"belief", "controlled", "estimate", "model", "by_stage", "tags", "columns", "geometry"}
ROWS = {"summary", "data"}  # of a study, each with columns of its own
HIDDEN = "--bids hidden --order descending"
COMMANDS = [
    "solve 4 --quiet",
    "solve 4 --dry-run",
    "solve 3 --exact --quiet",
    "solve 3 --exact --dry-run",
    f"solve 3 {HIDDEN} --quiet",
    f"solve 3 {HIDDEN} --dry-run",
    "info --digest",
    "verify --quiet --positions 20",
    f"probe '{HAND}'",
    f"probe '{HAND}' --objective win",
    "probe '24/A3/23 -'",
    f"probe '{HAND}' --exact",
    f"probe '33= 2' --cards 3 {HIDDEN}",
    "table 4",
    "match optimal uniform --cards 4 --games 20 --quiet",
    f"match optimal uniform --cards 3 {HIDDEN} --games 20 --quiet",
    "play --cards 4 --seed 1",
    f"play --cards 3 {HIDDEN} --seed 1",
    "train --puzzle 'endgame 3 17'",
    "respond match --cards 4 --quiet",
    "respond match --cards 4 --policy policy --samples 2 --quiet",
    "respond uniform --cards 4 --games 20 --quiet",
    f"respond uniform --cards 3 {HIDDEN}",
    f"review '{GAME}'",
    "habits games.txt",
    "judge games.txt --quiet",
    "export OUT --cards 3 --quiet",
    "study parity --cards 5-6 --quiet",
    "site SITE --cards 3 --dry-run",
    "site SITE --cards 3 --quiet",
    "get SITE --cards 3 --store fetched --quiet",
]


def keys_of(found: Any) -> Iterator[str]:
    """The names in an object and in all that it holds."""
    if isinstance(found, list):
        for one in found:
            yield from keys_of(one)
    if isinstance(found, dict):
        for key, value in found.items():
            if key not in CARD_NAMES and not key.isdecimal():
                yield key
            if key not in ROWS:
                yield from keys_of(list(value.values()) if key in FREE and isinstance(value, dict) else value)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, a game, and tables of all kinds: whole, begun, damaged."""
    folder = tmp_path_factory.mktemp("keys")
    (folder / "games.txt").write_text(f"cards: 5\nmine: me\ntheirs: you\n\n{GAME}\n", encoding="utf-8")
    for game in ("4 carry", "5 carry"):
        run("solve", game, "--quiet", store=folder / "store")
    Table.open(folder / "store/points-4-carry.zarr").block_path(3, 0).unlink()
    (folder / "store/points-5-carry.zarr/zarr.json").write_text("{", encoding="utf-8")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_every_name_is_on_the_page(place: Path, command: str) -> None:
    verb, *rest = shlex.split(command)
    done = run(verb, *rest, "--json", store=place / "store", stdin="4\n3\n2\nA\n", cwd=place)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines, done.stderr
    section = SECTIONS[verb]
    missing = {key for key in keys_of(lines) if f"`{key}`" not in section}
    assert missing == set()
