"""Verifying a table: a good one passes, a wrong one does not, even when its checksums are right."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from fixtures import Tablebases

from goofspiel.arrays import Values
from goofspiel.solver import solve
from goofspiel.store import Table
from goofspiel.tablebase import table_bound
from goofspiel.tablebase.verification import verify


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solve(6, store=tmp_path_factory.mktemp("good"))


@pytest.fixture(scope="module")
def good_win(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solve(6, objective="win", store=tmp_path_factory.mktemp("good"))


@pytest.fixture
def table(good: Path, tmp_path: Path) -> Table:
    """A copy that may be changed."""
    return Table.open(Path(shutil.copytree(good, tmp_path / good.name)))


@pytest.fixture
def table_win(good_win: Path, tmp_path: Path) -> Table:
    """A copy that may be changed, of a table with leads."""
    return Table.open(Path(shutil.copytree(good_win, tmp_path / good_win.name)))


def change(table: Table, level: int, how: Callable[[Values], Values]) -> Table:
    """Write a level again with other values: whole, with a right checksum."""
    encoding = table.layout.level(level).encoding
    for block in range(table.block_count(level)):
        table.write_block(level, block, encoding.encode(how(encoding.decode(table.read_block(level, block)))), 0.0)
    return Table.open(table.path)


@pytest.mark.parametrize("cards", range(2, 8))
def test_a_good_table_passes(tmp_path: Path, cards: int) -> None:
    table = Table.open(solve(cards, store=tmp_path))
    found = verify(table, positions=60)
    assert found.passed
    assert found.damaged == ()
    assert found.blocks == sum(table.block_count(level) for level in table.levels) >= cards - 1
    assert found.bytes == sum(table.read_rows(level, 0, 10**6).nbytes for level in table.levels)
    assert found.positions == found.swapped == 60
    assert 60 <= found.games <= 60 * (cards - 1)
    assert found.scaled > 0 or cards < 4
    assert found.largest_difference <= found.allowed < 1e-5
    assert found.largest_asymmetry == 0  # the other half is not stored
    assert found.largest_scaling_difference <= found.allowed


def test_one_card_leaves_nothing_to_ask(tmp_path: Path) -> None:
    found = verify(Table.open(solve(1, store=tmp_path)))
    assert found.passed
    assert (found.blocks, found.positions) == (0, 0)


def test_single_precision_passes_within_its_own_bound(tmp_path: Path) -> None:
    table = Table.open(solve(7, store=tmp_path, dtype="float32"))
    found = verify(table, positions=100)
    assert found.passed
    assert found.largest_difference > 1e-9
    assert found.allowed > table_bound(table).value > 1e-6


def test_the_seed_decides_what_is_asked(good: Path) -> None:
    table = Table.open(good)
    assert verify(table, positions=50, seed=1) == verify(table, positions=50, seed=1)
    assert len({verify(table, positions=50, seed=seed).games for seed in range(4)}) > 1


def test_progress_counts_the_blocks(good: Path) -> None:
    told = []
    found = verify(Table.open(good), positions=1, on_progress=lambda *step: told.append(step))
    assert told == [(done, found.blocks) for done in range(1, found.blocks + 1)]


def test_every_damaged_block_is_listed_by_name(table: Table) -> None:
    files = [table.block_path(level, 0) for level in (2, 4)]
    for file in files:
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    found = verify(table)
    assert not found.passed
    assert len(found.damaged) == 2
    assert all(str(file) in damage for file, damage in zip(files, found.damaged, strict=True))
    assert found.positions == 0  # what is damaged cannot be asked


@pytest.mark.parametrize("level", range(1, 6))
def test_wrong_values_under_a_right_checksum_are_found(table: Table, level: int) -> None:
    found = verify(change(table, level, lambda values: values + 1e-4), positions=100)
    assert found.damaged == ()
    assert not found.passed
    assert found.largest_difference > 1e-5
    # Doubling tells too, where a set of prizes can be doubled.
    assert (found.largest_scaling_difference > found.allowed) == (level <= 3)


def test_a_single_wrong_value_is_found_when_enough_is_asked(tmp_path: Path) -> None:
    table = Table.open(solve(4, store=tmp_path))
    assert verify(table, positions=500).passed

    def spoil(values: Values) -> Values:
        values[3, 2] += 0.5
        return values

    found = verify(change(table, 2, spoil), positions=500)
    assert not found.passed
    assert found.largest_difference == pytest.approx(0.5)


# --- with leads


@pytest.mark.parametrize("cards", range(1, 9))
def test_a_good_table_with_leads_passes(tablebase: Tablebases, cards: int) -> None:
    table = tablebase(cards, objective="win")._table
    found = verify(table, positions=60)
    assert found.passed
    assert found.damaged == ()
    assert found.blocks == sum(table.block_count(level) for level in table.levels)
    assert found.bytes == table.layout.disk_bytes()
    assert found.positions == found.swapped == (60 if cards > 1 else 0)
    assert found.scaled > 0 or cards == 1
    assert found.largest_difference <= found.allowed < 2e-6  # in wins, not in points
    assert max(found.largest_asymmetry, found.largest_scaling_difference) <= found.allowed


@pytest.mark.parametrize("level", range(1, 6))
def test_wrong_values_with_leads_under_a_right_checksum_are_found(table_win: Table, level: int) -> None:
    found = verify(change(table_win, level, lambda values: values * 0.9999), positions=200)
    assert found.damaged == ()
    assert not found.passed
    assert found.largest_difference > 2e-5


def test_leads_that_are_not_their_own_mirror_image_are_found(table_win: Table) -> None:
    """Only equal hands are stored at a lead and at its negative."""

    def spoil(values: Values) -> Values:
        values[:, -1] += 1e-4
        return values

    found = verify(change(table_win, 3, spoil), positions=400)
    assert not found.passed
    assert found.largest_asymmetry == pytest.approx(2e-4, rel=0.01)


def test_a_shifted_lead_is_found(table_win: Table) -> None:
    """Every row moved by one lead: all values are possible ones."""
    found = verify(change(table_win, 2, lambda values: np.roll(values, 1, axis=2)), positions=100)
    assert not found.passed
    assert found.largest_difference > 0.1


def test_damage_of_a_table_with_leads_is_listed_by_name(table_win: Table) -> None:
    files = [table_win.block_path(level, 1) for level in (2, 4)]
    assert "lead-" in str(files[0])
    for file in files:
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    gone = table_win.block_path(5, 2)
    gone.unlink()
    found = verify(table_win)
    assert not found.passed
    assert [str(file) in damage for file, damage in zip([*files, gone], found.damaged, strict=True)] == [True] * 3
    assert found.positions == 0


@pytest.mark.parametrize("objective", ["points", "win"])
def test_a_table_that_keeps_only_its_last_level_is_checked_as_far_as_it_goes(tmp_path: Path, objective: str) -> None:
    table = Table.open(solve(6, objective=objective, keep="last", store=tmp_path))
    found = verify(table)
    assert found.passed
    assert (found.blocks, found.bytes) == (table.block_count(5), table.layout.levels[-1].bytes)
    assert found.positions == 0  # what they would be solved from is gone
    table.block_path(5, 0).unlink()
    assert not verify(Table.open(table.path)).passed
    (table.path / "gap-02" / "c" / "0").unlink()
    assert "gap-02" in verify(Table.open(table.path)).damaged[-1]
