"""Exact tables on disk: the same bytes again, resumption, and every kind of damage."""

import json
import shutil
from fractions import Fraction

import pytest
import reference
from command import one_line, tree
from damage import flip

from goofspiel.errors import DamagedTableError, MissingTableError, SolveError, TableVersionError
from goofspiel.exact import open_exact, solve_exact
from goofspiel.exact.store import ExactTable
from goofspiel.games.exact import to_fraction, to_rational
from goofspiel.position import Position
from goofspiel.rules import Objective

POINTS, WIN = Objective.POINTS, Objective.WIN


@pytest.fixture
def solved(exact, tmp_path):
    """A copy of the exact table of four cards, to be damaged: (store, table)."""
    copy = tmp_path / exact(4).path.name
    shutil.copytree(exact(4).path, copy)
    return tmp_path, copy


@pytest.mark.parametrize("objective", Objective)
def test_the_same_bytes_every_time(exact, objective, tmp_path):
    path = solve_exact(4, objective=objective, store=tmp_path)
    before = tree(path)
    assert before == tree(exact(4, objective).path)
    header = json.loads((path / "header.json").read_text())
    assert (header["format"], header["cards"], header["objective"], header["complete"]) == (1, 4, objective, True)
    assert solve_exact(4, objective=objective, store=tmp_path) == path
    assert tree(path) == before


def test_what_is_missing_is_solved_again(solved):
    store, table = solved
    before = tree(table)
    for name in ("level-01/0000", "level-02/0003", "level-03/0001", "level-03/0002"):
        (table / name).unlink()
    with pytest.raises(SolveError, match=r"points-4.exact is partly solved: --resume") as caught:
        solve_exact(4, store=store)
    one_line(caught)
    assert solve_exact(4, store=store, resume=True) == table
    assert tree(table) == before


def test_a_solve_that_was_stopped_goes_on(exact, tmp_path):
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.level == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_exact(4, store=tmp_path, progress=stop)
    table = ExactTable.open(tmp_path / "points-4.exact")
    assert (table.header.complete, table.done_count()) == (False, len(seen))
    with pytest.raises(SolveError, match="partly solved"):
        solve_exact(4, store=tmp_path)
    assert open_exact(4, store=tmp_path).probe(Position.start(4, 2)) == exact(4).probe(Position.start(4, 2))
    assert tree(table.path) == tree(exact(4).path)


def test_progress_ends_with_everything(tmp_path):
    seen = []
    solve_exact(4, store=tmp_path, progress=seen.append)
    assert len(seen) == 4 + 6 + 4  # prize sets of one, two and three cards
    last = seen[-1]
    assert last == type(last)(3, 3, last.games, last.games, 14, 14)


# --- damage


def ask(store):
    """Everything that the table holds."""
    table = open_exact(4, store=store)
    return [table.probe(Position.of(*hands)) for hands in reference.positions(4)]


@pytest.mark.parametrize("part", [0, 0.15, 0.5, 0.85, 1])
@pytest.mark.parametrize("name", ["level-01/0002", "level-03/0000"])
def test_a_flipped_bit(solved, name, part):
    store, table = solved
    file = table / name
    flip(file, round(part * (8 * file.stat().st_size - 1)))
    with pytest.raises(DamagedTableError, match=f"{name} is damaged") as caught:
        ask(store)
    one_line(caught)


@pytest.mark.parametrize("kept", [0, 1, 3, 4, 15, 20, 30, -4, -1])
def test_a_file_that_was_cut(solved, kept):
    store, table = solved
    file = table / "level-02/0001"
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(DamagedTableError, match="level-02/0001 is damaged") as caught:
        ask(store)
    assert "resume" in one_line(caught)
    (table / "level-03/0000").unlink()
    with pytest.raises(DamagedTableError):  # nothing is built on it
        solve_exact(4, store=store, resume=True)
    file.unlink()
    solve_exact(4, store=store, resume=True)
    ask(store)


def test_a_file_that_is_missing(solved):
    store, table = solved
    (table / "level-02/0001").unlink()
    with pytest.raises(MissingTableError, match="level-02/0001") as caught:
        ask(store)
    one_line(caught)


HEADER = {"format": 1, "cards": 4, "objective": "points", "solver": "0", "complete": True}


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
def test_a_damaged_header(solved, content):
    store, table = solved
    (table / "header.json").write_bytes(content)
    for again in (ask, lambda store: solve_exact(4, store=store, resume=True)):
        with pytest.raises(DamagedTableError, match=r"points-4\.exact") as caught:
            again(store)
        one_line(caught)


def test_a_table_of_a_later_version(solved):
    store, table = solved
    (table / "header.json").write_text(json.dumps(HEADER | {"format": 2, "new": 1}))
    with pytest.raises(TableVersionError, match="format 2"):
        ask(store)


def test_a_header_that_is_lost_is_written_again(solved):
    store, table = solved
    before = tree(table)
    (table / "header.json").unlink()
    assert ask(store)
    assert tree(table) == before


def test_values_and_back(tmp_path):
    """What is written is read, however long."""
    table = ExactTable.create(tmp_path / "points-3.exact", 3, POINTS, solver="test")
    values = [to_rational(Fraction(n)) for n in (0, -1, 10**6000, Fraction(-(3**9000), 2**9000), Fraction(1, 255), 128)]
    table.write(1, 0, values)
    assert table.read(1, 0) == values
    assert [to_fraction(v) for v in table.read(1, 0)] == [to_fraction(v) for v in values]
    assert (table.is_done(1, 0), table.is_done(1, 1), table.done_count()) == (True, False, 1)
    with pytest.raises(MissingTableError, match="level-01/0001 is not solved yet"):
        table.read(1, 1)
