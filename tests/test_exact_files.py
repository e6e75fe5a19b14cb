"""Exact tables on disk: the same bytes again, resumption, and every kind of damage."""

import json
import shutil
import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import google_crc32c
import pytest
import reference
from command import one_line, tree
from damage import flip
from fixtures import Exact

from goofspiel.errors import DamagedTableError, MissingTableError, SolveError, TableVersionError
from goofspiel.games.exact import to_fraction, to_rational
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.solver.exact import solve_exact
from goofspiel.solver.progress import Progress
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.answer import Answer, ChanceAnswer

POINTS, WIN = Objective.POINTS, Objective.WIN


@pytest.fixture
def solved(exact: Exact, tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the exact table of four cards, to be damaged: (store, table)."""
    copy = tmp_path / exact(4).path.name
    shutil.copytree(exact(4).path, copy)
    return tmp_path, copy


@pytest.mark.parametrize("objective", Objective)
def test_the_same_bytes_every_time(exact: Exact, objective: Objective, tmp_path: Path) -> None:
    path = solve_exact(4, objective=objective, store=tmp_path)
    before = tree(path)
    assert before == tree(exact(4, objective).path)
    header = json.loads((path / "header.json").read_text())
    assert (header["format"], header["rules"], header["complete"]) == (3, str(Rules(4, objective=objective)), True)
    assert solve_exact(4, objective=objective, store=tmp_path) == path
    assert tree(path) == before


def test_what_is_missing_is_solved_again(solved: tuple[Path, Path]) -> None:
    store, table = solved
    before = tree(table)
    for name in ("level-01/0000", "level-02/0003", "level-03/0001", "level-03/0002"):
        (table / name).unlink()
    with pytest.raises(SolveError, match=r"points-4.exact is partly solved \(10 of 14 prize sets\)") as caught:
        solve_exact(4, store=store)
    assert f"goofspiel solve 4 --exact --store {store} --resume goes on with it" in one_line(caught)
    assert solve_exact(4, store=store, resume=True) == table
    assert tree(table) == before


def test_a_solve_that_was_stopped_goes_on(exact: Exact, tmp_path: Path) -> None:
    seen: list[Progress] = []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        if progress.level == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_exact(4, store=tmp_path, on_progress=stop)
    table = ExactTable.open(tmp_path / "points-4.exact")
    assert (table.header.complete, table.done_count()) == (False, len(seen))
    with pytest.raises(SolveError, match="partly solved"):
        solve_exact(4, store=tmp_path)
    assert open_tablebase(4, store=tmp_path, exact=True).probe(Position.start(4, 2)) == exact(4).probe(
        Position.start(4, 2)
    )
    assert tree(table.path) == tree(exact(4).path)


def test_progress_ends_with_everything(tmp_path: Path) -> None:
    seen: list[Progress] = []
    solve_exact(4, store=tmp_path, on_progress=seen.append)
    assert len(seen) == 4 + 6 + 4  # prize sets of one, two and three cards
    last = seen[-1]
    assert last == type(last)(3, 3, last.games, last.games, 14, 14)


# --- damage


def ask(store: Path, objective: Objective = POINTS) -> list[Answer[Fraction] | ChanceAnswer[Fraction]]:
    """Everything that the table holds."""
    table = open_tablebase(4, objective=objective, store=store, exact=True)
    return [table.probe(Position.of(*hands)) for hands in reference.positions(4)]


def mend(store: Path, objective: Objective = POINTS) -> str:
    """The command that a message must name."""
    option = "" if objective == POINTS else f" --objective {objective}"
    return f"goofspiel solve 4{option} --exact --store {store} --resume"


@pytest.mark.parametrize("part", [0, 0.05, 0.15, 0.5, 0.85, 1])
@pytest.mark.parametrize("name", ["level-01/0002", "level-03/0000"])
def test_a_flipped_bit(solved: tuple[Path, Path], name: str, part: float) -> None:
    store, table = solved
    whole, file = tree(table), table / name
    flip(file, round(part * (8 * file.stat().st_size - 1)))
    with pytest.raises(DamagedTableError, match=f"{name} is damaged") as caught:
        ask(store)
    assert f"({mend(store)} mends it)" in one_line(caught)
    solve_exact(4, store=store, resume=True)
    assert tree(table) == whole


@pytest.mark.parametrize("kept", [0, 1, 3, 4, 15, 20, 31, 32, 36, -4, -1])
def test_a_file_that_was_cut(solved: tuple[Path, Path], kept: int) -> None:
    store, table = solved
    whole, file = tree(table), table / "level-02/0001"
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(DamagedTableError, match="level-02/0001 is damaged") as caught:
        ask(store)
    assert mend(store) in one_line(caught)
    (table / "level-03/0000").unlink()
    solve_exact(4, store=store, resume=True)  # nothing is built on it
    assert tree(table) == whole


def resealed(data: bytes) -> bytes:
    """The bytes of a file with a right checksum."""
    return data[:-4] + int(google_crc32c.value(bytes(data[:-4]))).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: b"\0\0\0\0", "it holds no values of format 3"),
        (lambda data: resealed(data[:16] + bytes(4)), "it holds no values of format 3"),
        (lambda data: resealed(b"GOOFSPIELEXACT01" + data[16:]), "it holds no values of format 3"),
        (lambda data: resealed(data[:40] + bytes(4)), "buffer is smaller"),
        (lambda data: resealed(data[:-4] + bytes(1) + bytes(4)), "its length is not that of its numbers"),
        (lambda data: resealed(data[:-5] + bytes(1) + bytes(4)), "by zero|zero denominator"),
    ],
)
def test_nonsense_under_a_right_checksum(solved: tuple[Path, Path], change: Callable[[bytes], bytes], why: str) -> None:
    store, table = solved
    whole, file = tree(table), table / "level-02/0001"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(DamagedTableError, match=f"level-02/0001 is damaged .*{why}") as caught:
        ask(store)
    one_line(caught)
    solve_exact(4, store=store, resume=True)
    assert tree(table) == whole


@pytest.mark.parametrize(
    ("origin", "name", "what"),
    [
        ((4, POINTS), "level-02/0003", "6 values of points, 4 cards, level 2, prize set 3"),
        ((4, POINTS), "level-01/0001", "1 value of points, 4 cards, level 1, prize set 1"),
        ((5, POINTS), "level-02/0001", "6 values of points, 5 cards, level 2, prize set 1"),
        ((4, WIN), "level-02/0001", "63 values of win, 4 cards, level 2, prize set 1"),
    ],
)
def test_a_whole_file_in_the_wrong_place(
    exact: Exact, solved: tuple[Path, Path], origin: tuple[int, Objective], name: str, what: str
) -> None:
    store, table = solved
    whole = tree(table)
    shutil.copyfile(exact(*origin).path / name, table / "level-02/0001")
    with pytest.raises(DamagedTableError, match="level-02/0001 is damaged") as caught:
        ask(store)
    right = "6 values of points, 4 cards, level 2, prize set 1"
    assert one_line(caught).endswith(f"({mend(store)} mends it): it holds {what} instead of {right}")
    solve_exact(4, store=store, resume=True)
    assert tree(table) == whole


@pytest.mark.parametrize("objective", Objective)
def test_a_file_that_is_missing(exact: Exact, tmp_path: Path, objective: Objective) -> None:
    table = tmp_path / exact(4, objective).path.name
    shutil.copytree(exact(4, objective).path, table)
    (table / "level-02/0001").unlink()
    with pytest.raises(DamagedTableError, match="level-02/0001 is missing from a complete table") as caught:
        ask(tmp_path, objective)
    assert one_line(caught).endswith(f": {mend(tmp_path, objective)} mends it")


def test_leftovers_of_a_killed_process_are_removed(solved: tuple[Path, Path]) -> None:
    store, table = solved
    whole = tree(table)
    (table / "level-02/0001").rename(table / "level-02/0001.123.partial")
    solve_exact(4, store=store, resume=True)
    assert tree(table) == whole


HEADER = {"format": 2, "cards": 4, "objective": "points", "solver": "0", "complete": True}


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", b"null", b"[]", b"{}", b'"header"']
    + [
        json.dumps(HEADER | change).encode()
        for change in (
            {"objective": "luck"},
            {"objective": 1},
            {"format": "1"},
            {"cards": "4"},
            {"cards": 17},
            {"cards": 5},
            {"objective": "win"},
            {"complete": "yes"},
            {"extra": 1},
        )
    ]
    + [json.dumps({name: field for name, field in HEADER.items() if name != "cards"}).encode()],
)
def test_a_damaged_header(solved: tuple[Path, Path], content: bytes) -> None:
    store, table = solved
    (table / "header.json").write_bytes(content)
    for again in (ask, lambda store: solve_exact(4, store=store, resume=True)):
        with pytest.raises(DamagedTableError, match=r"points-4\.exact") as caught:
            again(store)
        one_line(caught)


def test_a_table_of_a_later_version(solved: tuple[Path, Path]) -> None:
    store, table = solved
    (table / "header.json").write_text(json.dumps(HEADER | {"format": 4, "new": 1}))
    for again in (ask, lambda store: solve_exact(4, store=store, resume=True)):
        with pytest.raises(TableVersionError, match="has format 4, this version of goofspiel reads up to 3"):
            again(store)


def test_a_table_of_the_first_format_is_made_anew(solved: tuple[Path, Path]) -> None:
    store, table = solved
    whole = tree(table)
    (table / "header.json").write_text(json.dumps(HEADER | {"format": 1}))
    for again in (ask, lambda store: solve_exact(4, store=store, resume=True)):
        with pytest.raises(TableVersionError, match=r"points-4\.exact has format 1, .* reads format 2") as caught:
            again(store)
        assert one_line(caught).endswith(f": delete it, then goofspiel solve 4 --exact --store {store}")
    shutil.rmtree(table)
    solve_exact(4, store=store)
    assert tree(table) == whole


def test_a_table_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "points-4.exact").write_text("not a table")
    for again in (ask, lambda store: solve_exact(4, store=store)):
        with pytest.raises(DamagedTableError, match=r"points-4\.exact is not an exact table") as caught:
            again(tmp_path)
        one_line(caught)


def test_a_header_that_is_lost_is_written_again(solved: tuple[Path, Path]) -> None:
    store, table = solved
    before = tree(table)
    (table / "header.json").unlink()
    assert ask(store)
    assert tree(table) == before


def test_values_and_back(tmp_path: Path) -> None:
    """What is written is read, however long."""
    table = ExactTable.create(tmp_path / "points-5.exact", Rules(5, objective=POINTS), solver="test")
    values = [to_rational(Fraction(n)) for n in (0, -1, 10**6000, Fraction(-(3**9000), 2**9000), Fraction(1, 255), 128)]
    table.write(2, 7, values)
    assert table.read(2, 7) == values
    assert [to_fraction(v) for v in table.read(2, 7)] == [to_fraction(v) for v in values]
    assert (table.is_done(2, 7), table.is_done(2, 1), table.done_count()) == (True, False, 1)
    assert table.disk_bytes() == table.file(2, 7).stat().st_size
    with pytest.raises(MissingTableError, match="level-02/0001 is not solved yet"):
        table.read(2, 1)


@pytest.mark.parametrize("count", [0, 5, 7])
def test_a_wrong_number_of_values_is_not_read(tmp_path: Path, count: int) -> None:
    table = ExactTable.create(tmp_path / "points-5.exact", Rules(5, objective=POINTS), solver="test")
    table.write(2, 7, [to_rational(1)] * count)
    with pytest.raises(DamagedTableError, match=f"it holds {count} values of .* instead of 6 values of"):
        table.read(2, 7)


def test_the_bytes_are_those_that_the_documentation_describes(exact: Exact) -> None:
    """Read with nothing but the standard library."""
    raw = (exact(4, WIN).path / "level-02/0001").read_bytes()
    magic, objective, cards, level, number, count = struct.unpack_from("<16s6sBBII", raw)
    assert (magic, objective, cards, level, number) == (b"GOOFSPIELEXACT02", b"win\0\0\0", 4, 2, 1)
    lengths = struct.unpack_from(f"<{2 * count}I", raw, 32)
    parts, at = [], 32 + 8 * count
    for length in lengths:
        parts.append(raw[at : at + length])
        at += length
    assert len(raw) == at + 4
    found = [
        Fraction(int.from_bytes(top, "little", signed=True), int.from_bytes(bottom, "little"))
        for top, bottom in zip(parts[::2], parts[1::2], strict=True)
    ]
    assert found == [to_fraction(value) for value in ExactTable.open(exact(4, WIN).path).read(2, 1)]
    assert {-1, 1} < set(found)
