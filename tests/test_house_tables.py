"""Tables of every kind of rules: the same bytes however they are solved; damage, and tables of other rules."""

import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import house
import numpy as np
import pytest
from clusters import Cluster
from command import PATIENCE, file_count, has_files, one_line, start, tree, wait_until
from damage import edit_header, flip, outcome
from fixtures import Repeats, Tally

import goofspiel as gs
from goofspiel.games.fast import kernels
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.solver.exact import solve_exact
from goofspiel.solver.plan import Plan
from goofspiel.store import Table, blocks, make_layout, table_path
from goofspiel.store.blocks import Geometry
from goofspiel.store.exact_table import ExactTable
from goofspiel.tablebase import open_tablebase, table_bound
from goofspiel.tablebase.verification import verify

SMALL = Geometry(block_bytes=1 << 12, chunk_bytes=1 << 11, least_rows=8, least_lead_rows=1)
KINDS = [
    *("8 carry", "6 win carry", "12 order=descending", "8 win order=2,8,3,7,1,6,4,5", "8 carry order=2,8,3,7,1,6,4,5"),
    *("8 prizes=1,1,2,2,3,5,8,13", "6 win carry prizes=1,1,2,3,5,8", "8 carry rounds=4"),
    "6 win prizes=1,1,2,3,5,8,13 rounds=4",
]  # fmt: skip
GAMES = pytest.mark.parametrize("text", KINDS)

# Solves a game in many blocks: which, and where.
SOLVE = f"""
import sys
from goofspiel.store import blocks
blocks.GEOMETRY = blocks.{SMALL}
from goofspiel.solver import solve
solve(sys.argv[1], store=sys.argv[2], resume=True)
"""


@pytest.fixture(autouse=True)
def many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "GEOMETRY", SMALL)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function: the table of a game, solved without disturbance on one thread, not to be changed."""
    store = tmp_path_factory.mktemp("calm")
    return lambda text: solve(text, store=store, threads=1)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers."""
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    cluster.start_workers(2)
    yield cluster
    cluster.close()


def blocks_of(table: Table) -> list[tuple[int, int]]:
    return [(block.level, block.index) for level in table.layout.levels for block in level.blocks]


# --- the same bytes


@GAMES
def test_threads_do_not_change_the_bytes(calm: Callable[[str], Path], tmp_path: Path, text: str) -> None:
    assert tree(solve(text, store=tmp_path, threads=2)) == tree(calm(text))


@GAMES
def test_streamed_levels_give_the_same_bytes(calm: Callable[[str], Path], tmp_path: Path, text: str) -> None:
    """As little as possible held."""
    plan = Plan(make_layout(Rules.parse(text)), threads=2)
    least = max(plan.level_memory(level, children_held=False, held=False) for level in plan.layout.levels)
    assert plan.held_levels(least) < plan.held_levels(1 << 40)
    assert tree(solve(text, store=tmp_path, threads=2, memory=least)) == tree(calm(text))


@GAMES
def test_nothing_held_gives_the_same_bytes(
    calm: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """Every block reads its own children, a row at a time."""
    monkeypatch.setattr(Plan, "held_levels", lambda *_: frozenset())
    monkeypatch.setattr(Plan, "reads_whole", lambda *_: False)
    monkeypatch.setattr("goofspiel.solver.children.READ_BYTES", 1)
    assert tree(solve(text, store=tmp_path, threads=2)) == tree(calm(text))


@GAMES
def test_a_cluster_writes_the_same_bytes(
    calm: Callable[[str], Path], workers: Cluster, tmp_path: Path, text: str
) -> None:
    assert tree(solve(text, store=tmp_path, cluster=workers.address)) == tree(calm(text))


def test_processes_of_this_machine_write_the_same_bytes(calm: Callable[[str], Path], tmp_path: Path) -> None:
    for text in ("6 win carry prizes=1,1,2,3,5,8", "8 carry rounds=4"):
        assert tree(solve(text, store=tmp_path, cluster="local:2")) == tree(calm(text))


def test_slices_of_a_block_on_a_cluster_give_the_same_bytes(
    workers: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks with a pot are cut into slices, too."""
    monkeypatch.setattr(blocks, "GEOMETRY", blocks.Geometry())
    calm = solve("9 carry", store=tmp_path / "calm", threads=1)
    assert tree(solve("9 carry", store=tmp_path / "cluster", cluster=workers.address)) == tree(calm)


@pytest.mark.parametrize("kernel", kernels())
@GAMES
def test_builds_of_the_kernel_agree(calm: Callable[[str], Path], tmp_path: Path, text: str, kernel: str) -> None:
    ours, theirs = Table.open(calm(text)), Table.open(solve(text, store=tmp_path, kernel=kernel))
    allowed = table_bound(ours).value + table_bound(theirs).value
    for level, block in blocks_of(ours):
        decode = ours.layout.level(level).encoding.decode
        assert np.abs(decode(ours.read_block(level, block)) - decode(theirs.read_block(level, block))).max() <= allowed


@GAMES
def test_only_the_last_level_is_kept(calm: Callable[[str], Path], tmp_path: Path, text: str) -> None:
    path, rules = solve(text, store=tmp_path, keep="last"), Rules.parse(text)
    whole, kept = Table.open(calm(text)), Table.open(path)
    assert list(kept.levels) == [rules.cards - 1]
    for block in range(kept.block_count(rules.cards - 1)):
        assert (kept.read_block(rules.cards - 1, block) == whole.read_block(rules.cards - 1, block)).all()
    opening = gs.Position.start(rules)
    upcard = (rules.order or rules.prizes)[0]
    with open_tablebase(rules, store=tmp_path) as base:
        assert base.probe(opening.turn_up(upcard)).value == pytest.approx(0, abs=base.bound.value)


# --- stopped, damaged


@GAMES
def test_killed_and_resumed_it_ends_with_the_same_bytes(
    calm: Callable[[str], Path], repeats: Repeats, tally: Tally, tmp_path: Path, text: str
) -> None:
    whole = tree(calm(text))
    path = table_path(tmp_path, Rules.parse(text))
    program = sys.executable, "-c", SOLVE
    first = sum(name.endswith("zarr.json") for name in whole)  # then blocks and gaps
    goals = random.Random(text).sample(range(first + 1, len(whole)), repeats(1, 4))
    kills = 0
    for goal in sorted(goals):
        process = start(text, str(tmp_path), store=tmp_path, program=program)
        wait_until(has_files(path, goal), process)
        process.kill()
        process.communicate(timeout=PATIENCE)
        kills += process.returncode != 0
    tally("kills of a solve", kills)
    assert file_count(path) <= len(whole)
    last = start(text, str(tmp_path), store=tmp_path, program=program)
    assert last.communicate(timeout=PATIENCE) == ("", "")
    assert tree(path) == whole


@GAMES
def test_damage_is_named_listed_and_made_anew(calm: Callable[[str], Path], tmp_path: Path, text: str) -> None:
    path = Path(shutil.copytree(calm(text), tmp_path / calm(text).name))
    table, chance = Table.open(path), random.Random(text)
    harmed = chance.sample(blocks_of(table), 3)
    files = [table.block_path(*which) for which in harmed]
    flip(files[0], chance.randrange(8 * files[0].stat().st_size))
    files[1].write_bytes(files[1].read_bytes()[:-3])
    files[2].unlink()
    damaged = verify(Table.open(path)).damaged
    assert all(any(str(file) in line for line in damaged) for file in files)
    with pytest.raises(gs.DamagedTableError, match=str(files[0])) as caught:
        Table.open(path).read_block(*harmed[0])
    assert "--resume" in one_line(caught)
    told: list[str] = []
    solve(text, store=tmp_path, resume=True, repair=True, on_repair=told.extend)
    assert sorted(told) == sorted(str(file.relative_to(path)) for file in files)
    assert tree(path) == tree(calm(text))


@GAMES
def test_deleted_blocks_are_solved_again_to_the_same_bytes(
    calm: Callable[[str], Path], tmp_path: Path, text: str
) -> None:
    path = Path(shutil.copytree(calm(text), tmp_path / calm(text).name))
    table = Table.open(path)
    some = random.Random(text).sample(blocks_of(table), 4)
    for which in some:
        table.block_path(*which).unlink()
    with pytest.raises(gs.SolveError, match="partly solved") as caught:
        solve(text, store=tmp_path)
    assert " ".join(word for pair in Rules.parse(text).options().items() for word in (f"--{pair[0]}", pair[1])) in (
        one_line(caught)
    )
    solve(text, store=tmp_path, resume=True)
    assert tree(path) == tree(calm(text))


@pytest.mark.parametrize("text", ["4 carry", "4 win carry", "4 win order=3,1,4,2", "4 win prizes=1,1,2,5 rounds=3"])
def test_any_flipped_bit_gives_the_truth_or_an_error(repeats: Repeats, tally: Tally, tmp_path: Path, text: str) -> None:
    path, rules = solve(text, store=tmp_path), Rules.parse(text)
    asked = [house.position_of(state, rules) for state in house.states(rules)]
    whole, chance = tree(path), random.Random(text)

    def ask() -> list[float]:
        with open_tablebase(rules, store=tmp_path) as base:
            return list(map(float, base.values(asked)))

    truth, errors = ask(), 0
    names = [name for name in whole if "/c/" in name]
    some = chance.sample(names, min(len(names), repeats(20, 200)))
    tally("flipped bits", len(some))
    for name in some:
        flip(path / name, chance.randrange(8 * len(whole[name])))
        assert not verify(Table.open(path, rules), positions=1).passed
        answer = outcome(ask)
        errors += answer != truth
        assert answer == truth or str(path) in answer, name
        (path / name).write_bytes(whole[name])
    assert errors == sum(name.startswith("level-") for name in some) > 0


# --- exact tables


@pytest.mark.parametrize("text", ["4 carry", "4 win carry", "5 order=descending", "4 win prizes=1,1,2,5 rounds=3"])
def test_an_exact_table_goes_on_where_it_was_stopped_or_harmed(tmp_path: Path, text: str) -> None:
    path = solve_exact(text, store=tmp_path)
    whole, table = tree(path), ExactTable.open(path)
    chance = random.Random(text)
    files = [table.file(*which) for which in chance.sample(table.prize_sets(), 3)]
    files[0].unlink()
    flip(files[1], chance.randrange(8 * files[1].stat().st_size))
    files[2].write_bytes(files[2].read_bytes()[:-2])
    found = verify(ExactTable.open(path)).damaged
    assert all(any(str(file) in line for line in found) for file in files)
    solve_exact(text, store=tmp_path, resume=True)
    assert tree(path) == whole
    assert verify(ExactTable.open(path), positions=30).passed


# --- other rules


OTHERS = [
    *(("4", "4 carry"), ("4 carry", "4 win carry"), ("5", "5 order=descending"), ("5", "5 prizes=1,2,3,4,6")),
    *(("5 order=ascending", "5 order=descending"), ("4 win", "4 win carry"), ("5 rounds=3", "5 rounds=4")),
]  # fmt: skip


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("text", "other"), OTHERS)
def test_a_table_of_other_rules_is_not_taken_for_one(tmp_path: Path, text: str, other: str, exact: bool) -> None:
    make = solve_exact if exact else solve
    rules = Rules.parse(text)
    (path := table_path(tmp_path, rules, exact=exact)).parent.mkdir(exist_ok=True)
    shutil.copytree(make(other, store=tmp_path / "other"), path)
    with pytest.raises(gs.GoofspielError, match=str(path)) as caught:
        open_tablebase(rules, store=tmp_path, exact=True) if exact else open_tablebase(rules, store=tmp_path)
    assert str(Rules.parse(other)) in one_line(caught)
    with pytest.raises(gs.GoofspielError, match=str(path)):
        make(text, store=tmp_path, resume=True)


# The same shapes: nothing but what a block says of itself tells them apart.
ALIKE = [
    ("5", "5 prizes=1,2,3,4,6"),
    ("5 order=ascending", "5 order=descending"),
    ("4 carry", "4 carry prizes=2,4,6,8"),
]


@pytest.mark.parametrize(("text", "other"), ALIKE)
def test_a_block_of_other_rules_is_not_taken_for_one(tmp_path: Path, text: str, other: str) -> None:
    mine, theirs = (Table.open(solve(game, store=tmp_path / game.replace("=", "-"))) for game in (text, other))
    file = mine.block_path(2, 0)
    assert len(file.read_bytes()) == len(theirs.block_path(2, 0).read_bytes())
    shutil.copyfile(theirs.block_path(2, 0), file)
    with pytest.raises(gs.DamagedTableError, match=str(file)) as caught:
        mine.read_block(2, 0)
    assert "instead of block 0 of level 2 of table" in one_line(caught)
    assert not verify(Table.open(mine.path)).passed


@pytest.mark.parametrize(("text", "other"), ALIKE)
def test_an_exact_file_of_other_rules_is_not_taken_for_one(tmp_path: Path, text: str, other: str) -> None:
    mine, theirs = (
        ExactTable.open(solve_exact(game, store=tmp_path / game.replace("=", "-"))) for game in (text, other)
    )
    file = mine.file(2, 0)
    shutil.copyfile(theirs.file(2, 0), file)
    with pytest.raises(gs.DamagedTableError, match=str(file)) as caught:
        mine.read(2, 0)
    assert "instead of" in one_line(caught)


def test_a_header_that_says_other_rules_is_damage(tmp_path: Path) -> None:
    path = solve("5 order=ascending", store=tmp_path / "from")
    other = table_path(tmp_path, Rules.parse("5 order=descending"))
    shutil.copytree(path, other)
    edit_header(other, rules="5 order=descending")
    with open_tablebase("5 order=descending", store=tmp_path) as base, pytest.raises(gs.DamagedTableError):
        base.probe("24/A3/2A -")
    edit_header(other, rules="5 order=sideways")
    with pytest.raises(gs.DamagedTableError, match="sideways") as caught:
        open_tablebase("5 order=descending", store=tmp_path)
    assert str(other) in one_line(caught)
