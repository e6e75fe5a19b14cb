"""The table of the built-in players: those that errors list, and numbers that hold."""

import json
import sys
from pathlib import Path

import pytest

from goofspiel.roster import load_player

sys.path.append(str(Path(__file__).parent.parent / "docs/results"))
import players

FOUND = json.loads(players.FILE.read_text(encoding="utf-8"))
FIXED = ("uniform", "match", "match+1")  # which no table decides


def test_only_players_are_in_it() -> None:
    assert list(FOUND["players"]) == players.listed()
    assert {"optimal", "uniform", "match"} <= set(players.listed())
    for name in players.listed():
        assert load_player(name, FOUND["cards"]).name


@pytest.mark.parametrize("kind", ["", " win"])
def test_the_numbers_hold(kind: str) -> None:
    rules = f"{FOUND['cards']}{kind}"
    perfect = FOUND["players"]["optimal"][rules]
    assert abs(perfect["exploitability"]) < 1e-6
    assert abs(perfect["optimal"]) < 1e-6
    for name in FIXED:
        said, found = FOUND["players"][name][rules], players.measured(name, rules)
        assert found["exploitability"] == pytest.approx(said["exploitability"], abs=1e-6)
        assert found["uniform"] == pytest.approx(said["uniform"], abs=1e-6)
        assert found["optimal"] == pytest.approx(said["optimal"], abs=0.2)  # which optimal mix is found may differ
        assert -said["exploitability"] <= said["optimal"] <= 1e-6


def test_ross() -> None:
    cards = FOUND["cards"]
    found = FOUND["players"]
    assert found["uniform"][str(cards)]["exploitability"] == pytest.approx((cards**2 - 1) / 6)
    assert found["match"][str(cards)]["uniform"] == pytest.approx((cards**2 - 1) / 6)
    assert found["match"][str(cards)]["exploitability"] == pytest.approx(cards * (cards - 3) / 2)
