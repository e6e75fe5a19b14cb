"""What games beyond one machine need, from the plan: blocks, storage, traffic, and hours of a number of cores."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from statistics import fmean

from tables import Grid, duration, number, rounded

from goofspiel.cards import MAX_CARDS
from goofspiel.rules import Objective, Rules
from goofspiel.solver.level_cache import HELD_SHARE, level_needs
from goofspiel.solver.plan import INTERPRETER_BYTES, RATE, Plan, block_children, cells, cpu_seconds, size_text
from goofspiel.states import matchups
from goofspiel.states.space import level_space
from goofspiel.store import make_layout
from goofspiel.store.blocks import GEOMETRY, LevelLayout
from goofspiel.store.encoding import Encoding

RUNS = Path(__file__).resolve().parent.parent / "docs/results/points/runs.csv"
GROWTH = {Objective.POINTS: (10, 11, 12, 13, 14, 15, 16), Objective.WIN: (10, 11, 12, 13)}
LARGER = (14, 15, 16, 17)  # cards
CORES = (16, 64, 256)
WORKER_MEMORY = 8 << 30  # of a worker of one thread
FOUR_BYTES = 4  # a value
BRIEF = 2.0  # CPU seconds


@dataclass(frozen=True)
class Needs:
    """What one level takes."""

    games: int
    bytes: int
    cpu_seconds: float
    blocks: int
    children_bytes: float  # what a block reads, on average, of the level below, when that is not held in memory
    below_bytes: int
    free_bytes: float  # for the level below, in the memory of a worker

    def read_bytes(self, workers: int) -> float:
        """By all workers: each reads the level below once, or each task what it needs of it."""
        tasks = self.blocks + workers - 1  # with those that are cut to keep all workers busy
        if self.below_bytes <= self.free_bytes:
            return min(tasks, workers) * self.below_bytes
        return tasks * self.children_bytes


def needs_of(cards: int) -> list[Needs]:
    """Level by level; beyond the most cards of the plan, what it knows of its most cards is carried on."""
    if cards > MAX_CARDS:
        return [_carried_on(cards, level) for level in range(1, cards)]
    layout = make_layout(Rules(cards))
    found = []
    for level in layout.levels:
        below = layout.levels[level.level - 2] if level.level > 1 else None
        found.append(
            Needs(
                games=level.games,
                bytes=level.bytes,
                cpu_seconds=cpu_seconds(level),
                blocks=level.block_count,
                children_bytes=fmean(block_children(level)) * below.largest.row_bytes if below else 0,
                below_bytes=below.bytes if below else 0,
                free_bytes=HELD_SHARE * WORKER_MEMORY - level_needs(layout, level, 1),
            )
        )
    return found


def _carried_on(cards: int, level: int) -> Needs:
    """A level of more cards than a plan can be made for: its counts are formulas, the rest as in the largest plan."""
    fewer, most = (
        LevelLayout(level_space(Rules(known), min(level, known - 1)), Encoding("fixed32", 1.0), GEOMETRY)
        for known in (MAX_CARDS - 1, MAX_CARDS)
    )
    columns = matchups.count(cards, level)
    below = matchups.count(cards, level - 1) if level > 1 else 0
    sets = comb(cards, level)
    games = sets * columns * level
    size = 2 * cells(most.rules, most.level) - cells(
        fewer.rules, fewer.level
    )  # with more cards, hands have less in common
    rows = min(most.largest.block_rows, sets)
    return Needs(
        games=games,
        bytes=FOUR_BYTES * sets * columns,
        cpu_seconds=1e-9 * games * RATE.nanoseconds(size),
        blocks=-(-sets // rows),
        children_bytes=FOUR_BYTES * below * fmean(block_children(most)),
        below_bytes=FOUR_BYTES * comb(cards, level - 1) * below,
        free_bytes=HELD_SHARE * WORKER_MEMORY - INTERPRETER_BYTES - 4 * FOUR_BYTES * rows * columns,
    )


def growth(objective: Objective, cards: Sequence[int]) -> Grid:
    """How the number of blocks and their size grow with the cards."""
    rows = [["N", "blocks", "of the largest level", "largest block", "table", "games of a block"]]
    for n in cards:
        plan = make_layout(Rules(n, objective=objective))
        most = max(plan.levels, key=lambda level: level.block_count)
        largest = max(level.largest.block_bytes for level in plan.levels)
        rows.append(
            [
                str(n),
                f"{plan.block_count:,}",
                f"{most.block_count:,}",
                size_text(largest),
                size_text(plan.disk_bytes()),
                rounded(plan.games / plan.block_count),
            ]
        )
    return Grid(f"blocks, {objective}", rows)


def needed(measured: float) -> Grid:
    """What a solve takes on clusters of some sizes, when a core needs so many times what the plan says."""
    header = ["N", "games", "storage", "core hours"]
    header += [f"{cores} cores: time, read" for cores in CORES]
    rows = [header]
    for n in LARGER:
        levels = needs_of(n)
        seconds = measured * sum(level.cpu_seconds for level in levels)
        row = [
            str(n),
            rounded(sum(level.games for level in levels)),
            size_text(sum(level.bytes for level in levels)),
            number(seconds / 3600),
        ]
        for cores in CORES:
            row.append(f"{duration(seconds / cores)}, {size_text(sum(level.read_bytes(cores) for level in levels))}")
        rows.append(row)
    return Grid("what larger games need", rows)


def measured_rates() -> Grid:
    """Whole solves that were recorded, against what the plan says of them."""
    rows = [["N", "CPU seconds, measured", "by the plan", "ratio"]]
    with RUNS.open(encoding="utf-8", newline="") as file:
        for run in csv.DictReader(file):
            measured, planned = (
                float(run["cpu_seconds"]),
                Plan(make_layout(Rules(int(run["cards"]))), threads=1).cpu_seconds,
            )
            if run["blocks_found"] != "0" or measured < BRIEF:
                continue  # only the rest of a table, or mostly the start of the program
            rows.append([run["cards"], number(measured), number(planned), f"{measured / planned:.2f}"])
    return Grid("measured rates", rows)


def last_ratio() -> float:
    """Of the largest game: what was measured to what the plan says."""
    return float(measured_rates().rows[-1][-1])


if __name__ == "__main__":
    for objective, cards in GROWTH.items():
        print(growth(objective, cards).to_text())
    print(measured_rates().to_text())
    print(needed(last_ratio()).to_text())
