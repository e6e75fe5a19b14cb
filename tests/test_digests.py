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
from fixtures import Tablebases
from levels import solved_levels

from goofspiel.arrays import Numbers, Values
from goofspiel.games.fast import kernels
from goofspiel.rules import Objective
from goofspiel.tablebase import Tablebase, open_tablebase

TABLES = list(product(Objective, range(2, 8)))  # with one card there is nothing to store
# Values are rounded down to whole units after a shift that keeps every one of them away from an edge: two tables that
# are right to within their bounds have the same digests, whatever the order of their additions. Tables with leads are
# kept in single precision, and a small unit has no room for all their values; but among so many, even a small change
# moves some across an edge of a large one.
UNIT = {Objective.POINTS: 1e-8, Objective.WIN: 0.02}
SHIFT = {Objective.POINTS: 0.502, Objective.WIN: 0.59406}


def rounded(values: Values, objective: Objective) -> Numbers:
    """Whole units, as little-endian integers of 64 bits."""
    return np.floor(values.astype(np.float64) / UNIT[objective] + SHIFT[objective]).astype("<i8")


def digest(bands: list[Values], objective: Objective) -> str:
    """The digest of a level's values, band by band."""
    return hashlib.sha256(b"".join(rounded(values, objective).tobytes() for values in bands)).hexdigest()


def stored_levels(table: Tablebase) -> Iterator[tuple[int, list[Values]]]:
    for level in table._table.layout.levels:
        yield (
            level.level,
            [table._table.read_rows(level.level, 0, band.rows, band=index) for index, band in enumerate(level.bands)],
        )


def expected(cards: int, objective: Objective) -> dict[int, str]:
    return {int(level): text for o, n, level, text in corpus("digests.txt") if (o, int(n)) == (objective, cards)}


@pytest.mark.parametrize(("objective", "cards"), TABLES)
def test_digests_of_tables(tablebase: Tablebases, objective: Objective, cards: int) -> None:
    levels = stored_levels(tablebase(cards, objective=objective))
    assert {level: digest(bands, objective) for level, bands in levels} == expected(cards, objective)


@pytest.mark.parametrize("kernel", kernels())
@pytest.mark.parametrize(("objective", "cards"), TABLES)
def test_digests_of_every_build_of_the_kernel(objective: Objective, cards: int, kernel: str) -> None:
    levels = solved_levels(cards, kernel, objective)
    found = {works[0].level.level: digest(bands, objective) for works, _, bands in levels}
    assert found == expected(cards, objective)


@pytest.mark.parametrize(("objective", "cards"), TABLES)
def test_no_value_is_so_near_an_edge_that_a_right_table_could_differ(
    tablebase: Tablebases, objective: Objective, cards: int
) -> None:
    table = tablebase(cards, objective=objective)
    bound = table.bound.value
    for _, bands in stored_levels(table):
        for values in bands:
            part = (values.astype(np.float64) / UNIT[objective] + SHIFT[objective]) % 1
            assert min(part.min(), 1 - part.max()) * UNIT[objective] > 2 * bound


def write() -> None:
    """Solve the tables afresh and write their digests."""
    units = ", ".join(f"{unit:g} for {objective}" for objective, unit in UNIT.items())
    lines = [f"# objective\tcards\tlevel\tsha256 of the values in units of {units}, by python tests/test_digests.py"]
    with TemporaryDirectory() as store:
        for objective, cards in TABLES:
            table = open_tablebase(cards, objective=objective, store=store)
            for level, bands in stored_levels(table):
                lines.append(f"{objective}\t{cards}\t{level}\t{digest(bands, objective)}")
    (DATA / "digests.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
