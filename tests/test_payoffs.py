"""Objectives that are odd functions of the final lead: tables and endgames against the obvious recursion."""

import pickle
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest
import reference

from goofspiel.errors import ResourceError, RulesError
from goofspiel.objective import Objective
from goofspiel.position import Position
from goofspiel.rules import Rules
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.alone import probe_alone
from goofspiel.tablebase.base import next_upcards

GAMES = [
    Rules(3, objective=[0, 0.1, 0.2, 0.4, 0.7, 1]),
    Rules(3, objective=[0, 0.5, -0.5, 1, 0.25], ties="carry"),
    Rules(4, objective=(0, 0, 1), order="descending"),
    Rules(4, objective=[0, 1], rounds=2),
]


@cache
def value(position: Position, rules: Rules) -> Fraction:
    """What a position is worth, by all that can follow."""
    if rules.is_over(position.level):
        return Fraction(float(rules.at_the_end(position.lead)))
    if not position.upcard:
        upcards = next_upcards(position, rules)
        return sum((value(position.turn_up(card), rules) for card in upcards), Fraction(0)) / len(upcards)
    rows = [
        [value(position.play(mine, theirs, carry=rules.has_pots), rules) for theirs in position.their_cards]
        for mine in position.my_cards
    ]
    return reference.solve_game(rows)[0]


def positions(position: Position, rules: Rules) -> set[Position]:
    """It, and all that can follow."""
    found = {position}
    for card in next_upcards(position, rules):
        shown = position.turn_up(card)
        found.add(shown)
        for bids in product(shown.my_cards, shown.their_cards):
            found |= positions(shown.play(*bids, carry=rules.has_pots), rules)
    return found


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_every_position(rules: Rules, tmp_path: Path) -> None:
    with open_tablebase(rules, store=tmp_path) as table:
        for position in positions(Position.start(rules), rules):
            true = float(value(position, rules))
            for answer in (table.probe(position), probe_alone(position, rules, exact=False)):
                assert abs(answer.value - true) <= answer.bound


def test_to_win_is_one_of_them(tmp_path: Path) -> None:
    odd = Rules(4, objective=[0, 1])
    with open_tablebase(odd, store=tmp_path) as table, open_tablebase("4 win", store=tmp_path) as win:
        for position in list(positions(Position.start(3, 2), Rules(3)))[:200]:
            asked = Position.of(position.my_cards, position.their_cards, position.deck, position.upcard)
            if table.holds(asked):
                assert table.probe(asked).value == pytest.approx(win.probe(asked).value, abs=1e-6)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_rules_are_written_and_read(rules: Rules) -> None:
    for again in (Rules.parse(str(rules)), pickle.loads(pickle.dumps(rules)), Rules.of(rules)):
        assert again == rules
        assert hash(again) == hash(rules)
    assert rules.objective not in list(Objective)
    assert not rules.nests


@pytest.mark.parametrize("wrong", [[1, 2], [0, 2], [], [0, float("nan")], 3])
def test_what_is_no_objective(wrong: object) -> None:
    with pytest.raises(RulesError, match="objective must be points or win; or what leads of 0, 1, … are worth"):
        Rules(3, objective=wrong)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="objective must be points or win, not 'payoff=0,x'"):
        Rules(3, objective="payoff=0,x")


def test_fractions_are_for_points_and_win() -> None:
    with pytest.raises(ResourceError, match="exact answers are for points and win, not 'payoff"):
        probe_alone(Position.start(3), GAMES[0])
