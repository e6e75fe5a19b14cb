"""Verifying a table: a good one passes, a wrong one does not, even when its checksums are right."""

import shutil
from pathlib import Path

import pytest

from goofspiel.solver import solve
from goofspiel.store import Table
from goofspiel.tablebase import table_bound, verify


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    return solve(6, store=tmp_path_factory.mktemp("good"))


@pytest.fixture
def table(good, tmp_path):
    """A copy that may be changed."""
    return Table.open(Path(shutil.copytree(good, tmp_path / good.name)))


def change(table, level, how):
    """Write a level again with other values: whole, with a right checksum."""
    for block in range(table.block_count(level)):
        rows = table.block_rows(level)
        values = table.read_rows(level, block * rows, (block + 1) * rows)
        table.write_block(level, block, how(values), 0.0)
    return Table.open(table.path)


@pytest.mark.parametrize("cards", range(2, 8))
def test_a_good_table_passes(tmp_path, cards):
    table = Table.open(solve(cards, store=tmp_path))
    found = verify(table, samples=60)
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


def test_one_card_leaves_nothing_to_ask(tmp_path):
    found = verify(Table.open(solve(1, store=tmp_path)))
    assert found.passed
    assert (found.blocks, found.positions) == (0, 0)


def test_single_precision_passes_within_its_own_bound(tmp_path):
    table = Table.open(solve(7, store=tmp_path, dtype="float32"))
    found = verify(table, samples=100)
    assert found.passed
    assert found.largest_difference > 1e-9
    assert found.allowed > table_bound(table).value > 1e-6


def test_the_seed_decides_what_is_asked(good):
    table = Table.open(good)
    assert verify(table, samples=50, seed=1) == verify(table, samples=50, seed=1)
    assert len({verify(table, samples=50, seed=seed).games for seed in range(4)}) > 1


def test_progress_counts_the_blocks(good):
    told = []
    found = verify(Table.open(good), samples=1, progress=lambda *step: told.append(step))
    assert told == [(done, found.blocks) for done in range(1, found.blocks + 1)]


def test_every_damaged_block_is_listed_by_name(table):
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
def test_wrong_values_under_a_right_checksum_are_found(table, level):
    found = verify(change(table, level, lambda values: values + 1e-4), samples=100)
    assert found.damaged == ()
    assert not found.passed
    assert found.largest_difference > 1e-5
    # Doubling tells too, where a set of prizes can be doubled.
    assert (found.largest_scaling_difference > found.allowed) == (level <= 3)


def test_a_single_wrong_value_is_found_when_enough_is_asked(tmp_path):
    table = Table.open(solve(4, store=tmp_path))
    assert verify(table, samples=500).passed

    def spoil(values):
        values[3, 2] += 0.5
        return values

    found = verify(change(table, 2, spoil), samples=500)
    assert not found.passed
    assert found.largest_difference == pytest.approx(0.5)
