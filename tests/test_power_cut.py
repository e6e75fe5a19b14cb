"""A power cut at any moment: what was not synced is lost, and a resumed solve ends with the same bytes."""

import random
from pathlib import Path
from typing import Any

import pytest
from blocks import MANY_BLOCKS
from command import tree
from fixtures import Repeats, Tally
from power import Disk, PowerCutError

from goofspiel.errors import MissingTableError
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.store import Table, table_path
from goofspiel.store.blocks import Geometry

SMALL = Geometry(block_bytes=1 << 11, least_rows=4, least_lead_rows=2, chunk_bytes=1 << 9)


@pytest.fixture(params=[1 << 20, 1 << 11, 0], ids=["none synced", "some synced", "all synced"])
def synced_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Blocks of so many bytes are synced one by one."""
    count: int = request.param
    monkeypatch.setattr("goofspiel.store.table.SYNCED_BYTES", count)
    monkeypatch.setattr("goofspiel.store.blocks.GEOMETRY", SMALL)
    return count


def solve_until_the_cut(store: Path, cut: int | None, **how: Any) -> tuple[Disk, bool]:
    """Solve on a disk that loses power after so many steps; the disk, and whether it was before the end."""
    store.mkdir(exist_ok=True)
    disk = Disk(store, cut=cut)
    try:
        with disk.watched():
            solve(store=store, threads=1, resume=True, **how)
    except PowerCutError:
        return disk, True
    return disk, False


@pytest.mark.parametrize("how", [{"rules": "6"}, {"rules": "5 win"}, {"rules": "6", "keep": "last"}], ids=str)
def test_a_power_cut_at_any_moment_loses_nothing_for_good(
    tmp_path: Path, synced_bytes: int, how: dict[str, Any], repeats: Repeats, tally: Tally
) -> None:
    disk, cut = solve_until_the_cut(tmp_path / "good", None, **how)
    disk.close()
    assert not cut
    rules = Rules.parse(how["rules"])
    whole = tree(table_path(tmp_path / "good", rules))
    random_cuts, trials = random.Random(1), repeats(12, 200)
    tally("power cuts", trials)
    for trial in range(trials):
        store, after = tmp_path / f"{trial}", tmp_path / f"{trial}-after"
        broken, cut = solve_until_the_cut(store, random_cuts.randrange(1, disk.steps), **how)
        assert cut
        broken.after_the_cut(after, random_cuts)
        path = table_path(after, rules)
        try:
            complete = Table.open(path).header.complete
        except MissingTableError:
            complete = False
        if complete:
            assert tree(path) == whole  # what says that it is complete is
        solve(store=after, threads=1, resume=True, **how)
        assert tree(path) == whole


def test_what_was_synced_before_the_cut_is_done_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of blocks that are synced one by one, at most the one at hand is lost."""
    monkeypatch.setattr("goofspiel.store.table.SYNCED_BYTES", 0)
    monkeypatch.setattr("goofspiel.store.blocks.GEOMETRY", MANY_BLOCKS)
    disk, _ = solve_until_the_cut(tmp_path / "good", None, rules="8")
    disk.close()
    for cut in range(disk.steps // 2, disk.steps, disk.steps // 9):
        store, after = tmp_path / f"{cut}", tmp_path / f"{cut}-after"
        broken, _ = solve_until_the_cut(store, cut, rules="8")
        broken.after_the_cut(after, random.Random(cut))
        before, found = (Table.open(table_path(folder, Rules(8))).done_count() for folder in (store, after))
        assert found >= before - 1 >= 1
