"""What is said of an answer is true of the true game: uniqueness, ranges, bounds, positions that cannot occur."""

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from answers import with_upcard
from command import run
from fixtures import Exact, Tablebases, Win

import goofspiel as gs
from goofspiel.interop.histories import game_to
from goofspiel.position import Position
from goofspiel.rules import Objective, Rules
from goofspiel.states.occurrence import occurs
from goofspiel.tablebase.alone import probe_alone
from goofspiel.tablebase.asking import Asker

REFUTED = "A28/A23/34 5 -1"  # to win: its mixes in single precision look like the only ones, and are not


def random_positions(count: int, cards: int, level: int, seed: int, *, leads: bool) -> Iterator[Position]:
    """Positions with an upcard, whatever their hands and prizes."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        mine, theirs, prizes = ((random.permutation(cards)[:level] + 1).tolist() for _ in range(3))
        lead = int(random.integers(-6, 7)) if leads else 0
        yield Position.of(mine, theirs, prizes, lead=lead).turn_up(prizes[0])


def test_a_table_in_single_precision_does_not_say_that_a_mix_is_the_only_one(win: Win) -> None:
    answer = with_upcard(win(8).probe(REFUTED))
    assert answer.unique is None
    assert answer.ranges[1][1] - answer.ranges[1][0] > 0.79
    exact = with_upcard(probe_alone(REFUTED, objective="win"))
    assert exact.unique is False
    assert exact.ranges[1] == (Fraction(0), Fraction(4, 5))


@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_asks_an_exact_endgame_where_the_table_cannot_tell(store: Path, as_json: bool) -> None:
    done = run("probe", REFUTED, "--objective", "win", *["--json"] * as_json, store=store)
    assert done.returncode == 0
    if as_json:
        said = json.loads(done.stdout)
        assert said["unique"] is False
        assert said["ranges"]["A"] == pytest.approx([0, 0.8])
    else:
        assert "an optimal mix; others exist, see the ranges" in done.stdout
        assert "0.0000 … 0.8000" in done.stdout


@pytest.mark.parametrize(("objective", "level"), [("points", 3), ("win", 2), ("win", 3)])
def test_what_a_table_says_of_its_mixes_is_true(tablebase: Tablebases, objective: str, level: int) -> None:
    """Random positions in a table of nine cards against exact endgames."""
    table = tablebase(9, objective=objective)
    seen: Counter[bool | None] = Counter()
    for position in random_positions(120, 9, level, level, leads=objective == "win"):
        if not table.holds(position):
            continue
        answer, exact = with_upcard(table.probe(position)), with_upcard(probe_alone(position, objective=objective))
        assert abs(Fraction(answer.value) - exact.value) <= Fraction(answer.bound)
        assert answer.unique in (exact.unique, None), position
        for card, (least, greatest) in exact.ranges.items():
            low, high = answer.ranges[card]
            assert low - 1e-6 <= least, position
            assert greatest <= high + 1e-6, position
        seen[answer.unique] += 1
    assert seen[True] > 20
    if level > 2:
        assert seen[None] > 0, "no position was hard"


def test_single_precision_for_points_neither(tmp_path: Path) -> None:
    gs.solve(9, store=tmp_path, dtype="float32")
    table = gs.open_tablebase(9, store=tmp_path)
    assert with_upcard(table.probe("356/258/69 7")).unique is None
    answer = with_upcard(Asker(Rules(1), cards=9, store=tmp_path).probe("356/258/69 7"))
    assert answer.unique == with_upcard(probe_alone("356/258/69 7")).unique


def test_a_bound_holds_for_every_value_of_a_game(exact: Exact, tablebase: Tablebases) -> None:
    for objective in Objective:
        for upcard in range(1, 6):
            position = Position.start(5, upcard)
            answer = with_upcard(tablebase(5, objective=objective).probe(position))
            true = with_upcard(exact(5, objective).probe(position))
            assert abs(Fraction(answer.value) - true.value) <= Fraction(answer.bound) <= Fraction(1, 10**6)
            assert true.bound == 0
            for ours, theirs in zip(chain(*answer.matrix), chain(*true.matrix), strict=True):
                assert abs(Fraction(ours) - theirs) <= Fraction(answer.bound)


def test_a_position_that_cannot_occur_is_answered_and_said_to_be_impossible(tablebase: Tablebases) -> None:
    assert not tablebase(4).probe("A/2/A - 10").occurs  # two rounds were lost at least: nobody leads by ten
    assert tablebase(4).probe("start 4").occurs
    done = run("probe", "A/2/A - 5", "--cards", "2", store=tablebase(4).path.parent)
    assert "note      no game of 2 cards comes to this position; one of " in done.stdout
    done = run("probe", "A/2/A - 136", store=tablebase(4).path.parent)
    assert "note      no game of 2 cards comes to this position, nor one of up to 16" in done.stdout


@pytest.mark.parametrize("cards", [3, 4])
def test_what_occurs_is_what_a_game_leads_to(cards: int) -> None:
    """Every position of small games, from all their courses."""
    reached = {Position.start(cards)}
    for _ in range(cards):
        after = set()
        for position in reached:
            for upcard in position.deck:
                shown = position.turn_up(upcard)
                after |= {shown.play(mine, theirs) for mine in shown.my_cards for theirs in shown.their_cards}
        for position in after:
            assert occurs(position, Rules(cards))
            for lead in range(-10, 11):
                other = position.replaced(lead=lead)
                assert occurs(other, Rules(cards)) == (other in after)
        reached = after


def test_a_game_is_found_for_what_occurs() -> None:
    for position in random_positions(40, 7, 3, 1, leads=True):
        if occurs(position, Rules(7)):
            assert game_to(position, 7).position == position
        else:
            with pytest.raises(gs.PositionError):
                game_to(position, 7)
