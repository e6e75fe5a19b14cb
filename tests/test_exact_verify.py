"""Verifying an exact table: a good one passes, a wrong one does not, however little it differs."""

import shutil
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path

import pytest
from fixtures import Exact
from flint import fmpq

from goofspiel.games.exact import to_rational
from goofspiel.rules import Objective, Rules
from goofspiel.states.space import level_space
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase.verification import verify

POINTS, WIN = Objective.POINTS, Objective.WIN
Copy = Callable[..., ExactTable]


@pytest.fixture
def copy(exact: Exact, tmp_path: Path) -> Copy:
    """A function: a copy of an exact table that may be changed."""

    def copied(cards: int, objective: Objective = POINTS) -> ExactTable:
        path = exact(cards, objective).path
        return ExactTable.open(shutil.copytree(path, tmp_path / path.name))

    return copied


def change(table: ExactTable, level: int, how: Callable[[fmpq], fmpq]) -> None:
    """Write the values of a level again: whole, with a right checksum."""
    for number in range(comb(table.rules.cards, level)):
        table.write(level, number, [how(value) for value in table.read(level, number)])


@pytest.mark.parametrize(("cards", "objective"), [*product(range(2, 7), [POINTS]), *product(range(2, 6), [WIN])])
def test_a_good_table_passes(exact: Exact, cards: int, objective: Objective) -> None:
    table = ExactTable.open(exact(cards, objective).path)
    found = verify(table, positions=60)
    assert found.passed
    assert found.exact
    assert found.damaged == ()
    assert (found.blocks, found.bytes) == (2**cards - 2, table.disk_bytes())
    assert found.positions == found.swapped == 60
    assert 60 <= found.games <= 60 * (cards - 1)
    assert found.scaled > 0 or cards < 4
    assert found.largest_asymmetry == found.largest_scaling_difference == 0
    assert found.largest_difference <= found.allowed == (1e-8 if objective == WIN else 1e-8 * Rules(cards).total)


def test_one_card_leaves_nothing_to_ask(exact: Exact) -> None:
    found = verify(ExactTable.open(exact(1).path))
    assert found.passed
    assert (found.blocks, found.positions) == (0, 0)


def test_the_seed_decides_what_is_asked(exact: Exact) -> None:
    table = ExactTable.open(exact(5).path)
    assert verify(table, positions=30, seed=1) == verify(table, positions=30, seed=1)
    assert len({verify(table, positions=30, seed=seed).games for seed in range(4)}) > 1


def test_progress_counts_the_prize_sets(exact: Exact) -> None:
    told = []
    verify(ExactTable.open(exact(4).path), positions=1, on_progress=lambda *step: told.append(step))
    assert told == [(done, 14) for done in range(1, 15)]


@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("objective", Objective)
def test_wrong_values_under_a_right_checksum_are_found(copy: Copy, objective: Objective, level: int) -> None:
    table = copy(5, objective)
    change(table, level, lambda value: value * to_rational(Fraction(9999, 10000)))
    found = verify(table, positions=100)
    assert found.damaged == ()
    assert not found.passed
    assert found.largest_difference > 1e-5


def test_a_difference_too_small_for_a_double_is_found(copy: Copy) -> None:
    """All prizes doubled, a value must double to the last digit."""
    table = copy(6)
    tiny = to_rational(Fraction(1, 10**400))
    change(table, 2, lambda value: value + tiny)
    found = verify(table, positions=100)
    assert found.largest_difference <= found.allowed
    assert 0 < found.largest_scaling_difference < 1e-300
    assert not found.passed


def test_leads_that_are_not_their_own_mirror_image_are_found(copy: Copy) -> None:
    """Only equal hands are stored at a lead and at its negative, as the last values of a prize set."""
    table = copy(5, WIN)
    tiny = to_rational(Fraction(1, 10**400))
    for number in range(comb(5, 3)):
        values = table.read(3, number)
        ahead = len(values) // level_space(Rules(5, objective=WIN), 3).columns // 2
        table.write(3, number, values[:-ahead] + [value - tiny for value in values[-ahead:]])
    found = verify(table, positions=400)
    assert found.largest_difference <= found.allowed
    assert 0 < found.largest_asymmetry < 1e-300
    assert not found.passed


def test_every_damaged_file_is_listed_by_name(copy: Copy) -> None:
    table = copy(4)
    cut, gone, moved = (table.file(level, 1) for level in (1, 2, 3))
    cut.write_bytes(cut.read_bytes()[:-1])
    gone.unlink()
    shutil.copyfile(table.file(3, 2), moved)
    found = verify(table)
    assert not found.passed
    wrong = ("checksum does not match", "is missing from a complete table", "prize set 2 instead of")
    for file, what, damage in zip((cut, gone, moved), wrong, found.damaged, strict=True):
        assert str(file) in damage
        assert what in damage
        assert "goofspiel solve 4 --exact" in damage
    assert found.positions == 0  # what is damaged cannot be asked


@pytest.mark.parametrize(("objective", "most"), [(POINTS, 10), (WIN, 1)])
def test_values_that_nobody_can_win_are_damage(copy: Copy, objective: Objective, most: int) -> None:
    table = copy(4, objective)
    values = table.read(2, 3)
    table.write(2, 3, [to_rational(10**6000), *values[1:]])
    found = verify(table)
    assert found.damaged == (f"{table.file(2, 3)} holds a value above {most}, all there is to win",)
    assert not found.passed


def test_what_is_not_solved_yet_is_missing_and_not_damaged(copy: Copy) -> None:
    table = copy(4)
    table.file(3, 1).unlink()
    begun = ExactTable.create(table.path, Rules(4, objective=POINTS), solver="test")
    found = verify(begun)
    assert (found.blocks, found.missing, found.damaged, found.passed) == (13, 1, (), False)
