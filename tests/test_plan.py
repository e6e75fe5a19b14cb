"""The plan of a solve: what it covers and counts; forecasts that hold."""

import shutil
from collections import Counter
from pathlib import Path

import pytest
from command import tree

import goofspiel as gs
from goofspiel.rules import Rules
from goofspiel.solver import available_threads, forecast
from goofspiel.solver.plan import Plan
from goofspiel.store import make_layout


@pytest.mark.parametrize("cards", range(1, 17))
def test_the_plan_is_pure_and_covers_every_prize_set_once(
    cards: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = make_layout(Rules(cards))
    assert plan == make_layout(Rules(cards))
    assert hash(plan) == hash(make_layout(Rules(cards)))
    assert list(tmp_path.iterdir()) == []
    assert [level.level for level in plan.levels] == list(range(1, cards))
    for level in plan.levels:
        (band,) = level.bands
        blocks = level.blocks
        assert blocks == make_layout(Rules(cards)).levels[level.level - 1].blocks
        assert [block.index for block in blocks] == list(range(level.block_count))
        covered = Counter(prize_set for block in blocks for prize_set in range(block.start, block.stop))
        assert covered == Counter(range(level.space.rows))
        assert band.rows == level.space.rows
        assert band.block_rows % band.chunk_rows == 0
    assert plan.block_count == sum(level.block_count for level in plan.levels)


# Games, and bytes in float64, as far as the design gives their digits.
@pytest.mark.parametrize(
    ("cards", "games", "size"),
    [
        (9, "1.18e+06", "2e+06"),
        (13, "1338879360", "1.3e+09"),
        (14, "7.7e+09", "7.2e+09"),
        (15, "4.5e+10", "3.9e+10"),
        (16, "2.6e+11", "2.1e+11"),
    ],
)
def test_the_plan_counts_what_the_design_counts(cards: int, games: str, size: str) -> None:
    plan = make_layout(Rules(cards), dtype="float64")
    digits = len(games.split("e", maxsplit=1)[0].replace(".", ""))
    assert f"{plan.games:.{digits}g}" == games
    assert f"{plan.disk_bytes():.{len(size.split('e', maxsplit=1)[0].replace('.', ''))}g}" == size


def test_large_tables_are_kept_in_four_bytes() -> None:
    assert [make_layout(Rules(cards)).dtype for cards in (13, 14, 15, 16)] == [
        "float64",
        "float64",
        "fixed32",
        "fixed32",
    ]


@pytest.mark.parametrize("cards", [0, 17, -3])
def test_there_is_no_plan_for_a_game_that_does_not_exist(cards: int) -> None:
    with pytest.raises(gs.RulesError, match=f"number of cards must be 1 to 16, not {cards}"):
        make_layout(Rules(cards))


def test_the_forecast_holds(undisturbed: tuple[Path, int]) -> None:
    """Eleven cards for real: memory and disk are neither less than said nor far from it."""
    path, memory = undisturbed
    said = forecast(11, store=path.parent, threads=2)
    assert said.path == path
    assert memory <= 1.1 * said.memory_bytes
    assert said.memory_bytes <= 3 * memory
    disk = sum(len(content) for content in tree(path).values())
    assert disk == pytest.approx(said.disk_bytes, rel=0.01)
    assert said.disk_free == pytest.approx(shutil.disk_usage(path).free, rel=0.1)


def test_the_forecast_makes_nothing(tmp_path: Path) -> None:
    said = forecast(16, store=tmp_path / "not" / "there")
    assert list(tmp_path.iterdir()) == []
    assert said.threads == available_threads() >= 1
    assert said.wall_seconds == pytest.approx(said.cpu_seconds / said.threads)


def test_a_missing_table_is_forecast_as_a_dry_run_is(tmp_path: Path) -> None:
    *_, time = forecast(13, store=tmp_path).to_text().splitlines()
    with pytest.raises(gs.MissingTableError) as caught:
        gs.open_tablebase(13, store=tmp_path)
    assert f"(about {time.removeprefix('time').partition(',')[0].strip()}, " in str(caught.value)


def test_more_threads_take_more_memory() -> None:
    layout, plenty = make_layout(Rules(13)), 1 << 40
    one, two, eight, many = (Plan(layout, threads).memory_bytes(plenty) for threads in (1, 2, 8, 64))
    assert one < eight < many
    assert two < 3 << 30


def test_little_memory_is_honoured_by_holding_fewer_levels() -> None:
    plan = Plan(make_layout(Rules(14)), threads=2)
    most = plan.memory_bytes(1 << 40)
    assert plan.held_levels(1 << 40) == set(range(1, 14))
    for memory in (most * 3 // 4, most * 3 // 5):
        assert plan.memory_bytes(memory) <= memory
        assert plan.held_levels(memory) < plan.held_levels(1 << 40)
    assert plan.memory_bytes(1) > 1  # what cannot be honoured is told
