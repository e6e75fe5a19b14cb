"""Tables that keep only their last level: enough for the first move, and clear about the rest."""

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import tree
from fixtures import Call

import goofspiel as gs
from goofspiel.env import parallel_env
from goofspiel.render.first_moves import first_move
from goofspiel.rules import Rules
from goofspiel.solver import forecast, solve
from goofspiel.solver.plan import Plan
from goofspiel.solver.progress import Progress
from goofspiel.store import Table, make_layout, table_path
from goofspiel.store.blocks import Geometry
from goofspiel.tablebase import open_for, open_tablebase
from goofspiel.tablebase.asking import Asker

CARDS = 6
Both = Callable[[str], tuple[Path, Path]]  # by objective: the tables with all levels and with the last
OBJECTIVES = pytest.mark.parametrize("objective", ["points", "win"])


def interrupted_at(games_done: float) -> Callable[[Progress], None]:
    """A progress that interrupts a solve once so many games are done."""

    def stop(report: Progress) -> None:
        if report.games_done >= games_done:
            raise InterruptedError

    return stop


@pytest.fixture(scope="module", autouse=True)
def many_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        small = Geometry(block_bytes=1 << 11, least_rows=4, least_lead_rows=2)
        patch.setattr("goofspiel.store.blocks.GEOMETRY", small)
        yield


@pytest.fixture(scope="module")
def kept(many_blocks: None, tmp_path_factory: pytest.TempPathFactory) -> Both:
    """A function: the tables of an objective, one with all levels and one with the last; not to be changed."""
    store = tmp_path_factory.mktemp("kept")

    @cache
    def solve_both(objective: str) -> tuple[Path, Path]:
        whole, last = (solve(CARDS, objective=objective, keep=keep, store=store / keep) for keep in ("all", "last"))
        return whole, last

    return solve_both


def blocks(path: Path) -> dict[str, bytes]:
    """The files of values, and what they hold."""
    return {name: content for name, content in tree(path).items() if name.startswith("level-") and "/c/" in name}


@OBJECTIVES
def test_only_the_last_level_remains(kept: Both, objective: str) -> None:
    everything, last = map(blocks, kept(objective))
    assert last == {name: content for name, content in everything.items() if name.startswith(f"level-0{CARDS - 1}/")}
    assert len(everything) > len(last) > 0


@OBJECTIVES
def test_never_more_than_two_levels_are_there(tmp_path: Path, objective: str) -> None:
    seen = set()

    def look(report: Progress) -> None:
        there = {name.split("/")[0] for name in blocks(table_path(tmp_path, Rules(CARDS, objective=objective)))}
        assert there <= {f"level-{level:02}" for level in (report.level - 1, report.level)}
        seen.add(len(there))

    solve(CARDS, objective=objective, keep="last", store=tmp_path, on_progress=look)
    assert seen >= {1, 2}


@OBJECTIVES
@pytest.mark.parametrize("cards", range(1, 7))
def test_the_first_move_is_that_of_the_whole_table(tmp_path: Path, objective: str, cards: int) -> None:
    moves = []
    for keep in ("all", "last"):
        solve(cards, objective=objective, keep=keep, store=tmp_path / keep)
        with open_tablebase(cards, objective=objective, store=tmp_path / keep) as tablebase:
            moves.append((first_move(tablebase), tablebase.probe(gs.Position.start(cards)), tablebase.bound))
    (ours, opening, bound), (other, other_opening, other_bound) = moves
    assert np.array_equal(ours.probability, other.probability)
    assert (ours.unique, ours.gap) == (other.unique, other.gap)
    assert (opening, bound) == (other_opening, other_bound)  # the gaps of all levels are kept


@OBJECTIVES
def test_a_position_below_is_one_clear_line(kept: Both, objective: str) -> None:
    _, path = kept(objective)
    with open_tablebase(CARDS, objective=objective, store=path.parent) as tablebase:
        for notation in ("24/A3/3 2", "24/A3/23 -", "A234/2345/A23 4", "A2345/23456/A2345 -"):
            position = gs.Position(notation)
            assert not tablebase.holds(position)
            assert tablebase.get(position) is None
            with pytest.raises(gs.MissingTableError, match=f"{path} keeps only its last level") as caught:
                tablebase.probe(position)
            assert "\n" not in str(caught.value)
        # The last level itself, before its upcard, is one of its numbers.
        last = gs.Position("A2345/23456/A2345 -")
        with open_tablebase(CARDS, objective=objective, store=path.parent.parent / "all") as whole:
            assert tablebase.values([last]) == whole.values([last])
            assert tablebase.get(gs.Position("start 6 3")) == whole.probe(gs.Position("start 6 3"))
            assert tablebase.probe(gs.Position("4/2/- 3")) == whole.probe(gs.Position("4/2/- 3"))  # nothing to look up


@pytest.mark.parametrize(
    "command",
    [
        ("play",),
        ("play", "--opponent", "adapt"),
        ("play", "--opponent", "forgetful"),
        ("match", "optimal", "uniform"),
        ("match", "exploit:1:match", "uniform"),
        ("respond", "optimal"),
        ("respond", "match", "--games", "10"),
    ],
)
def test_what_goes_through_all_levels_is_not_begun(
    kept: Both, call: Call, games: Path, command: tuple[str, ...]
) -> None:
    _, path = kept("points")
    code, out, err = call(*command, "--cards", CARDS, "--store", path.parent)
    solved = f"goofspiel solve {CARDS} --store {path.parent}"
    assert (code, out) == (1, "")
    assert err == f"goofspiel: {path} keeps only its last level, this needs all: delete it, then {solved}\n"
    assert not games.exists() or list(games.iterdir()) == []


def test_a_match_goes_on_without_an_estimate(kept: Both, call: Call) -> None:
    _, path = kept("points")
    code, _, err = call("match", "match", "uniform", "--cards", CARDS, "--games", 10, "--store", path.parent)
    assert code == 0
    assert f"no estimate without luck for points: {path} keeps only its last level, this needs all" in err


def test_a_judge_of_learners_needs_all_levels(kept: Both) -> None:
    _, path = kept("points")
    with pytest.raises(gs.MissingTableError, match="keeps only its last level, this needs all"):
        parallel_env(CARDS, judge=True, store=path.parent)


@OBJECTIVES
def test_the_smallest_table_that_answers_is_one_that_keeps_the_level(tmp_path: Path, objective: str) -> None:
    solve(5, objective=objective, keep="last", store=tmp_path)
    position = gs.Position("24/A3/5 4")
    with pytest.raises(gs.MissingTableError, match="keeps only its last level, this needs all: delete it, then"):
        open_for(position, objective=objective, store=tmp_path)
    asker = Asker(Rules(5, objective=gs.Objective(objective)), store=tmp_path)
    assert asker.ask(position).table is None  # few cards: as where there is no table
    solve(6, objective=objective, store=tmp_path)
    for asked in (position, gs.Position("24/A3/3 2")):
        found = open_for(asked, objective=objective, store=tmp_path)
        assert found.cards == 6
        assert found.probe(asked).position == asked
    assert open_for(gs.Position("start 5 5"), objective=objective, store=tmp_path).cards == 5


# --- stopped and resumed


@OBJECTIVES
@pytest.mark.parametrize("share", [0.001, 0.1, 0.3, 0.6, 0.8, 0.95, 1.0])
def test_interrupted_and_resumed_it_ends_with_the_same_bytes(
    kept: Both, tmp_path: Path, objective: str, share: float
) -> None:
    _, calm = kept(objective)
    layout = make_layout(Rules(CARDS, objective=objective))
    path, games = table_path(tmp_path, layout.rules), layout.games
    with pytest.raises(InterruptedError):
        solve(CARDS, objective=objective, keep="last", store=tmp_path, on_progress=interrupted_at(share * games))
    assert not Table.open(path).header.complete
    choice = " --objective win" if objective == "win" else ""
    command = f"goofspiel solve {CARDS}{choice} --keep last --store {tmp_path} --resume"
    with pytest.raises(gs.SolveError, match=f"partly solved .*: {command} goes on with it"):
        solve(CARDS, objective=objective, keep="last", store=tmp_path)
    reports: list[Progress] = []
    solve(CARDS, objective=objective, keep="last", store=tmp_path, resume=True, on_progress=reports.append)
    done = [report.games_done for report in reports]
    assert done == sorted(done)
    assert done[-1] == games
    assert tree(path) == tree(calm)


@OBJECTIVES
@pytest.mark.parametrize("level", [2, 3, 5])
def test_interrupted_while_it_removes_a_level(
    kept: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objective: str, level: int
) -> None:
    """The level above is complete, so nobody needs what is left of the one below."""
    _, calm = kept(objective)
    remove = Table.remove_level

    def stop(table: Table, removed: int) -> None:
        if removed == level - 1:
            table.block_path(removed, 0).unlink()
            raise InterruptedError
        remove(table, removed)

    monkeypatch.setattr(Table, "remove_level", stop)
    with pytest.raises(InterruptedError):
        solve(CARDS, objective=objective, keep="last", store=tmp_path)
    monkeypatch.setattr(Table, "remove_level", remove)
    path = solve(CARDS, objective=objective, keep="last", store=tmp_path, resume=True)
    assert tree(path) == tree(calm)


@OBJECTIVES
def test_with_little_memory_it_is_the_same(tmp_path: Path, objective: str) -> None:
    """The level below is read from the store, and removed only when nobody reads it any more."""
    plan = Plan(make_layout(Rules(CARDS, objective=objective)), threads=2)
    least = max(plan.level_memory(level, children_held=False, held=False) for level in plan.layout.levels)
    assert plan.held_levels(least) < set(range(1, CARDS))
    choices: dict[str, Any] = {"objective": objective, "keep": "last", "threads": 2}
    streamed = solve(CARDS, **choices, store=tmp_path / "streamed", memory=least)
    assert tree(streamed) == tree(solve(CARDS, **choices, store=tmp_path / "held"))


@OBJECTIVES
def test_what_was_solved_is_not_solved_again(tmp_path: Path, objective: str) -> None:
    with pytest.raises(InterruptedError):
        solve(CARDS, objective=objective, keep="last", store=tmp_path, on_progress=interrupted_at(500))
    path = table_path(tmp_path, Rules(CARDS, objective=objective))
    before = {file: file.stat().st_mtime_ns for file in path.rglob("level-*/**/c/**/*") if file.is_file()}
    assert before
    touched = set()

    def look(_: Progress) -> None:
        for file, when in before.items():
            if file.exists() and file.stat().st_mtime_ns != when:
                touched.add(file)

    solve(CARDS, objective=objective, keep="last", store=tmp_path, resume=True, on_progress=look)
    assert touched == set()


@OBJECTIVES
def test_a_lost_block_of_a_complete_table_is_solved_again_from_the_start(tmp_path: Path, objective: str) -> None:
    path = solve(CARDS, objective=objective, keep="last", store=tmp_path)
    whole = tree(path)
    lost = Table.open(path).block_path(CARDS - 1, 0)
    lost.unlink()
    with (
        open_tablebase(CARDS, objective=objective, store=tmp_path) as tablebase,
        pytest.raises(gs.DamagedTableError, match=f"{lost} is missing from a complete table"),
    ):
        first_move(tablebase)
    solve(CARDS, objective=objective, keep="last", store=tmp_path, resume=True)
    assert tree(path) == whole


def test_a_table_that_is_not_finished_names_the_command_that_goes_on(tmp_path: Path) -> None:
    layout = make_layout(Rules(10, objective="win"))
    Table.create(table_path(tmp_path, layout.rules), layout, solver="test", keep="last")
    command = f"goofspiel solve 10 --objective win --keep last --store {tmp_path} --resume"
    with pytest.raises(gs.MissingTableError, match=f"not completely solved.*{command}"):
        open_tablebase(10, objective="win", store=tmp_path)


# --- one or the other


@OBJECTIVES
def test_a_table_begun_with_one_choice_does_not_go_on_with_the_other(tmp_path: Path, objective: str) -> None:
    for keep, other in (("all", "last"), ("last", "all")):
        store = tmp_path / keep
        with pytest.raises(InterruptedError):
            solve(CARDS, objective=objective, keep=keep, store=store, on_progress=interrupted_at(200))
        before = tree(store)
        path = table_path(store, Rules(CARDS, objective=objective))
        refusal = f"{path} was begun with --keep {keep}, it cannot go on with --keep {other}"
        with pytest.raises(gs.SolveError, match=refusal):
            solve(CARDS, objective=objective, keep=other, store=store, resume=True)
        assert tree(store) == before


@OBJECTIVES
def test_a_complete_table_with_one_level_is_not_one_with_all(kept: Both, objective: str) -> None:
    everything, last = kept(objective)
    with pytest.raises(gs.SolveError, match="begun with --keep last"):
        solve(CARDS, objective=objective, store=last.parent)
    before = tree(everything)
    with pytest.raises(
        gs.SolveError, match=r"begun with --keep all, it cannot go on with --keep last: delete it, then"
    ):
        solve(CARDS, objective=objective, keep="last", store=everything.parent)
    assert tree(everything) == before


def test_another_choice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(gs.SolveError, match="keep must be all or last, not 'first'"):
        solve(4, keep="first", store=tmp_path)
    assert list(tmp_path.iterdir()) == []


# --- less room


def test_less_room_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goofspiel.store.blocks.GEOMETRY", Geometry(block_bytes=1 << 24))
    plan = make_layout(Rules(8, objective="win"))
    free = (plan.disk_bytes("last") + plan.disk_bytes()) // 2
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=free))
    with pytest.raises(gs.SolveError, match="no room on disk"):
        solve(8, objective="win", store=tmp_path)
    assert forecast(8, objective="win", keep="last", store=tmp_path).disk_bytes == plan.disk_bytes("last")
    assert forecast(8, objective="win", store=tmp_path).disk_bytes == plan.disk_bytes()
    largest = 0

    def look(_: Progress) -> None:
        nonlocal largest
        largest = max(largest, sum(map(len, blocks(table_path(tmp_path / "last", Rules(8, objective="win"))).values())))

    solve(8, objective="win", keep="last", store=tmp_path / "last", on_progress=look)
    assert largest == pytest.approx(plan.disk_bytes("last"), rel=0.02)
