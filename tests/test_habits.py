"""Habits: rates, what they cost and how sure they are, against games whose answer is known."""

import json
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from answers import with_upcard
from command import run
from fixtures import Tablebases

from goofspiel.position import Position
from goofspiel.records.habits import WHOLE, Habit, habits, tail
from goofspiel.records.record import GameRecord, Round
from goofspiel.render.habits import habits_json, habits_text
from goofspiel.rules import Rules


def first_bids(counts: dict[int, int], upcard: int = 5) -> list[GameRecord]:
    """Games that end after their first round, in which each card was bid so often."""
    rules = Rules(5)
    return [GameRecord(rules, (Round(upcard, bid, 1),)) for bid, count in counts.items() for _ in range(count)]


def of(found: tuple[Habit, ...], card: int) -> Habit:
    return next(habit for habit in found if habit.card == card and habit.stage == WHOLE)


def test_the_cost_of_a_rate_is_what_who_knows_it_gains(tablebase: Tablebases) -> None:
    """For first bids all positions are the same: the mix can be written down, and answered."""
    answer = with_upcard(tablebase(5).probe(Position.start(5, 5)))
    records = first_bids({5: 38, 1: 2})
    habit = of(habits(records, tablebase(5)).found, 5)
    assert (habit.rate, habit.bids) == (0.95, 40)
    assert habit.perfect == pytest.approx(answer.mine[5])
    others = {card: share for card, share in answer.mine.items() if card != 5}
    mix = [0.05 * others[card] / sum(others.values()) if card != 5 else 0.95 for card in answer.mine]
    lost = answer.value - (np.array(mix) @ np.array(answer.matrix)).min()
    assert habit.cost == pytest.approx(lost, abs=1e-9)
    assert lost > 0


def test_perfect_play_is_no_habit(tablebase: Tablebases) -> None:
    """Of games of perfect players next to none is called sure: less than one in twenty of such collections."""
    table, random = tablebase(5), np.random.default_rng(2)
    surprises = 0
    for _ in range(10):
        records = []
        for _ in range(25):
            record = GameRecord(Rules(5))
            for upcard in (random.permutation(5) + 1).tolist():
                answer = with_upcard(table.probe(record.position.turn_up(upcard)))
                bids = [int(random.choice(list(mix), p=list(mix.values()))) for mix in (answer.mine, answer.theirs)]
                record = GameRecord(Rules(5), (*record.rounds, Round(upcard, *bids)))
            records.append(record)
        found = habits(records, table)
        assert found.regret == pytest.approx(0, abs=1e-9)
        surprises += any(habit.is_sure for habit in found.found)
    assert surprises <= 2


def test_what_is_sure_comes_first_and_then_what_costs_most(tablebase: Tablebases) -> None:
    found = habits(first_bids({5: 40}) + first_bids({3: 2}, upcard=3), tablebase(5)).found
    order = [(not habit.is_sure, -habit.cost) for habit in found]
    assert order == sorted(order)
    assert found[0].is_sure


def test_what_nobody_bids_is_no_habit(tablebase: Tablebases) -> None:
    """Kinds that neither perfect play nor I ever make: the same game over and over."""
    found = habits([GameRecord.read("555 AAA 243 334 422")] * 30, tablebase(5))
    assert found.games == 30
    assert all(habit.rate != habit.perfect for habit in found.found)


def test_one_bid_is_not_sure(tablebase: Tablebases) -> None:
    found = habits(first_bids({2: 1}), tablebase(5))
    assert not any(habit.is_sure for habit in found.found)
    assert "Nothing that you do is surely a habit yet" in habits_text(found)


def test_what_perfect_play_never_does_is_said_of_one_bid_and_of_many(tablebase: Tablebases) -> None:
    for count, bids in ((1, "1 bid"), (30, "30 bids")):
        some = habits_json(habits(first_bids({4: count}), tablebase(5)))["habits"]
        found = next(habit for habit in some if habit["card"] == "4")
        assert (found["perfect"], found["sure"]) == (0, 1)
        assert found["words"].endswith(f" points a game ({bids}; perfect play never does so).")
    (found, *_) = habits_json(habits(first_bids({1: 40}), tablebase(5)))["habits"]
    assert found["words"].endswith(" points a game (40 bids, 99.9 % sure not to be chance).")


@pytest.mark.parametrize("count", range(5))
def test_the_tail_is_that_of_all_cases(count: int) -> None:
    chances = [0.1, 0.5, 0.7, 0.9]
    cases = {
        case: prod(p if one else 1 - p for one, p in zip(case, chances, strict=True))
        for case in product((0, 1), repeat=4)
    }
    more = sum(share for case, share in cases.items() if sum(case) >= count)
    less = sum(share for case, share in cases.items() if sum(case) <= count)
    assert tail(np.array(chances), count) == pytest.approx(min(more, less))


def test_the_verb_reads_kept_games_and_exports_them(store: Path, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for number, record in enumerate(first_bids({5: 12})):
        (folder / f"{number:02}.txt").write_text(record.to_file(), encoding="utf-8")
    (folder / "99.txt").write_text("no game", encoding="utf-8")
    exported = tmp_path / "all.txt"
    done = run("habits", "--saved", str(folder), "--json", "--records", str(exported), store=store)
    assert "left out" in done.stderr
    found = json.loads(done.stdout)
    assert (found["games"], found["rules"]) == (12, "5")
    assert sum(found["model"].values()) == pytest.approx(1)
    again = json.loads(run("habits", str(exported), "--json", store=store).stdout)
    assert again == found
    piped = run("habits", "-", "--json", store=store, stdin=exported.read_text(encoding="utf-8"))
    assert json.loads(piped.stdout) == found
    assert run("habits", "--saved", str(tmp_path), store=store).returncode == 1
