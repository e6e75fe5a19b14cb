"""Digests of small tables: no change of the solver may change its values, on whatever CPU it runs, nor the bytes that a
build of the kernel writes unless it is meant to.

`python tests/test_digests.py` writes them anew.
"""

import hashlib
import platform
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
from goofspiel.rules import Objective, Rules
from goofspiel.tablebase import Tablebase, open_tablebase

# With one card there is nothing to store.
USUAL = [Rules(cards, objective=objective) for objective, cards in product(Objective, range(2, 8))]
HOUSE = [
    *(Rules(5, ties="carry"), Rules(6, ties="carry", rounds=4), Rules(6, ties="carry", order=(2, 6, 1, 5, 3, 4))),
    *(Rules(7, order="descending"), Rules(6, prizes=(1, 1, 2, 2, 5, 9))),
    Rules(5, ties="carry", prizes=(1, 1, 2, 5, 8, 40), rounds=3),
    *(Rules(cards, ties="carry", objective="win") for cards in (4, 5)),
    Rules(6, ties="carry", order=(2, 6, 1, 5, 3, 4), objective="win"),
    *(Rules(7, order="descending", objective="win"), Rules(5, prizes=(1, 1, 2, 5, 8), objective="win")),
    Rules(5, ties="carry", prizes=(1, 1, 2, 3, 3, 9), rounds=3, objective="win"),
]
TABLES = pytest.mark.parametrize("rules", [*USUAL, *HOUSE], ids=str)
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
            [
                level.encoding.decode(table._table.read_rows(level.level, 0, band.rows, band=index))
                for index, band in enumerate(level.bands)
            ],
        )


def known() -> dict[tuple[Rules, int], str]:
    """By game and level: those of usual games are named by objective and cards, others by their rules."""
    found = {(Rules(int(n), objective=o), int(level)): text for o, n, level, text in corpus("digests.txt")}
    return found | {(Rules.parse(text), int(level)): digest for text, level, digest in corpus("digests-rules.txt")}


KNOWN = known()
# Tables in which a sum that is rounded in another order shows.
ROUNDED = {"7 carry": "float64", "8": "float64", "6 carry win": "float32", "7 win": "float32"}


def expected(rules: Rules) -> dict[int, str]:
    return {level: text for (game, level), text in KNOWN.items() if game == rules}


@TABLES
def test_digests_of_tables(tablebase: Tablebases, rules: Rules) -> None:
    levels = stored_levels(tablebase(rules))
    assert {level: digest(bands, rules.objective) for level, bands in levels} == expected(rules)


@pytest.mark.parametrize("kernel", kernels())
@TABLES
def test_digests_of_every_build_of_the_kernel(rules: Rules, kernel: str) -> None:
    levels = solved_levels(rules, kernel)
    found = {}
    for works, _, bands in levels:
        level = works[0].level
        found[level.level] = digest([level.encoding.decode(band) for band in bands], rules.objective)
    assert found == expected(rules)


def bytes_digest(rules: str, kernel: str) -> str:
    """The digest of all values of a table, byte for byte."""
    levels = solved_levels(Rules.parse(rules), kernel, dtype=ROUNDED[rules])
    return hashlib.sha256(b"".join(band.tobytes() for _, _, bands in levels for band in bands)).hexdigest()


# Elsewhere `portable` is another build: one that multiplies and adds in one step.
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="digests of builds for x86-64")
@pytest.mark.parametrize("kernel", kernels())
@pytest.mark.parametrize("rules", ROUNDED)
def test_bytes_of_every_build_of_the_kernel(rules: str, kernel: str) -> None:
    known_bytes = {(build, table): text for build, table, text in corpus("digests-bytes.txt")}
    assert bytes_digest(rules, kernel) == known_bytes[kernel, rules]


@TABLES
def test_no_value_is_so_near_an_edge_that_a_right_table_could_differ(tablebase: Tablebases, rules: Rules) -> None:
    table = tablebase(rules)
    unit, shift, bound = UNIT[rules.objective], SHIFT[rules.objective], table.bound.value
    for _, bands in stored_levels(table):
        for values in bands:
            part = (values.astype(np.float64) / unit + shift) % 1
            assert min(part.min(), 1 - part.max()) * unit > 2 * bound


def write(name: str, columns: str, games: dict[str, Rules]) -> None:
    """Solve the tables afresh and write their digests."""
    units = ", ".join(f"{unit:g} for {objective}" for objective, unit in UNIT.items())
    lines = [f"# {columns}\tlevel\tsha256 of the values in units of {units}, by python tests/test_digests.py"]
    with TemporaryDirectory() as store:
        for named, rules in games.items():
            for level, bands in stored_levels(open_tablebase(rules, store=store)):
                lines.append(f"{named}\t{level}\t{digest(bands, rules.objective)}")
    (DATA / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write("digests.txt", "objective\tcards", {f"{rules.objective}\t{rules.cards}": rules for rules in USUAL})
    write("digests-rules.txt", "rules", {str(rules): rules for rules in HOUSE})
    builds = [f"{kernel}\t{rules}\t{bytes_digest(rules, kernel)}" for kernel in kernels() for rules in ROUNDED]
    columns = "# kernel\trules\tsha256 of all bytes, by python tests/test_digests.py"
    (DATA / "digests-bytes.txt").write_text("\n".join([columns, *builds]) + "\n", encoding="utf-8")
