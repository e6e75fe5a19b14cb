"""Digests of small tables: no change of the solver may change its values, on whatever CPU it runs.

`python tests/test_digests.py` writes them anew.
"""

import hashlib
from collections.abc import Iterator
from itertools import product
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from corpora import DATA, corpus
from levels import solved_levels

from goofspiel import prizes
from goofspiel.games.fast import kernels
from goofspiel.tablebase import Tablebase, open_tablebase

CARDS = range(2, 8)  # of the tables; with one card there is nothing to store
# Values are rounded down to whole units after a shift that keeps every one of them away from an edge: two tables that
# are right to within their bounds have the same digests, whatever the order of their additions.
UNIT = 1e-8
SHIFT = 0.502


def rounded(values: np.ndarray) -> np.ndarray:
    """Whole units, as little-endian integers of 64 bits."""
    return np.floor(values / UNIT + SHIFT).astype("<i8")


def digest(values: np.ndarray) -> str:
    return hashlib.sha256(rounded(values).tobytes()).hexdigest()


def stored_levels(table: Tablebase) -> Iterator[tuple[int, np.ndarray]]:
    for level in range(1, table.cards):
        yield level, table._table.read_rows(level, 0, prizes.count(table.cards, level))


def expected(cards: int) -> dict[int, str]:
    return {int(level): text for n, level, text in corpus("digests.txt") if int(n) == cards}


@pytest.mark.parametrize("cards", CARDS)
def test_digests_of_tables(tablebase, cards):
    assert {level: digest(values) for level, values in stored_levels(tablebase(cards))} == expected(cards)


@pytest.mark.parametrize(("cards", "kernel"), list(product(CARDS, kernels())))
def test_digests_of_every_build_of_the_kernel(cards, kernel):
    levels = solved_levels(cards, kernel)
    assert {works[0].level.level: digest(values) for works, _, values in levels} == expected(cards)


@pytest.mark.parametrize("cards", CARDS)
def test_no_value_is_so_near_an_edge_that_a_right_table_could_differ(tablebase, cards):
    for _, values in stored_levels(tablebase(cards)):
        part = (values / UNIT + SHIFT) % 1
        assert min(part.min(), 1 - part.max()) * UNIT > 2 * tablebase(cards).bound.value


def write() -> None:
    """Solve the tables afresh and write their digests."""
    lines = [f"# cards\tlevel\tsha256 of the values in units of {UNIT:g}, by python tests/test_digests.py"]
    with TemporaryDirectory() as store:
        for cards in CARDS:
            table = open_tablebase(cards, store=store)
            lines += [f"{cards}\t{level}\t{digest(values)}" for level, values in stored_levels(table)]
    (DATA / "digests.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
