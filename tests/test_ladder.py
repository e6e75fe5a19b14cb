"""The ladder of opponents, and who makes the most of them: strengths as measured, promises kept."""

import json
from pathlib import Path

import numpy as np
import pytest
from fixtures import Tablebases

from goofspiel.batch import PositionBatch
from goofspiel.best_response.expectation import expected_value
from goofspiel.best_response.response import respond
from goofspiel.errors import PlayerError
from goofspiel.players.ladder import DATA, ladder
from goofspiel.players.modelling import LOWEST, Evidence, Observed, family
from goofspiel.players.players import BidUpcardPlayer, TablePlayer, checked_mixes
from goofspiel.position import Position
from goofspiel.records.adapting import adapted, model_of
from goofspiel.records.record import GameRecord, Round
from goofspiel.roster import load_player, runs_code
from goofspiel.rules import Rules

RUNGS = [rung.name for rung in ladder()]


@pytest.mark.parametrize("name", RUNGS)
def test_strengths_are_what_is_written(name: str, store: Path) -> None:
    """Measured again where that is quick: the same numbers as the file has."""
    rung = next(rung for rung in ladder() if rung.name == name)
    player, perfect = load_player(name, 5, store=store), load_player("optimal", 5, store=store)
    lost = rung.lost(Rules(5))
    assert lost
    assert expected_value(perfect, player, 5) == pytest.approx(lost.perfect, abs=2e-6)
    assert respond(player, 5).value == pytest.approx(lost.best_response, abs=2e-6)


def test_the_ladder_goes_up() -> None:
    for game in ("5", "7", "9"):
        lost = [rung.strength[game].perfect for rung in ladder()]
        assert lost == sorted(lost, reverse=True)
        assert lost[0] > 1
        assert [rung.strength[game].best_response for rung in ladder()][-1] == 0
    assert RUNGS[0] == "novice"
    assert RUNGS[-1] == "optimal"


def test_the_page_has_the_same_ladder() -> None:
    module = Path(__file__).parents[1] / "src/goofspiel/web/static/engine/ladder.js"
    text = module.read_text(encoding="utf-8").partition("export const LADDER = ")[2].rstrip().rstrip(";")
    assert json.loads(text) == json.loads(DATA.read_text(encoding="utf-8"))


@pytest.mark.parametrize("rules", [Rules(4), Rules(5), Rules(4, objective="win"), Rules(4, ties="carry")], ids=str)
@pytest.mark.parametrize("target", ["novice", "match", "predictable", "uniform", "respond:match"])
@pytest.mark.parametrize("risk", [0.0, 0.1, 1.0])
def test_the_promise_is_kept(rules: Rules, target: str, risk: float, store: Path) -> None:
    """A best response to the exploiter gains no more than promised; and it gains what perfect play gains, or more."""
    exploiter = load_player(f"exploit:{risk}:{target}", rules, store=store)
    assert respond(exploiter, rules).value <= risk + 1e-6
    player, perfect = (load_player(name, rules, store=store) for name in (target, "optimal"))
    gained, plain = (expected_value(one, player, rules) for one in (exploiter, perfect))
    assert gained >= plain - 1e-6


def test_more_risk_gains_more(store: Path) -> None:
    gains = [
        expected_value(load_player(f"exploit:{risk}:novice", 5, store=store), load_player("novice", 5, store=store), 5)
        for risk in (0, 0.5, 1, 2)
    ]
    assert gains == sorted(gains)
    assert gains[-1] > gains[0] + 0.5


def test_shares_are_found_again(tablebase: Tablebases, store: Path) -> None:
    """Of many bids of a mixture, its shares."""
    table = tablebase(6)
    player = load_player("mix(70 match, 30 uniform)", 6, store=store)
    random = np.random.default_rng(1)
    bids = []
    for _ in range(600):
        level = int(random.integers(3, 7))
        mine, theirs, deck = (sorted((random.permutation(6) + 1)[:level].tolist()) for _ in range(3))
        position = Position.of(mine, theirs, deck).turn_up(int(random.choice(deck)))
        mix = checked_mixes(player, PositionBatch.of([position], rules=Rules(6)))[0]
        bids.append(Observed(position, int(random.choice(position.my_cards, p=mix))))
    evidence = Evidence.of(bids, table, Rules(6))
    shares = dict(zip((one.name for one in evidence.players), evidence.shares().tolist(), strict=True))
    assert shares["match"] == pytest.approx(0.7, abs=0.08)
    assert shares["uniform"] == pytest.approx(0.3, abs=0.1)


def test_one_that_adapts_learns_and_keeps_its_promise(store: Path, tablebase: Tablebases) -> None:
    """After games against a rung it gains more than perfect play does, and risks no more than it says."""
    rules = Rules(5)
    random = np.random.default_rng(5)
    novice = load_player("novice", rules, store=store)
    records = [_played(novice, random) for _ in range(40)]
    player = adapted(records, tablebase(5), rules, 1.0)
    assert respond(player, rules).value <= 1 + 1e-6
    plain = expected_value(load_player("optimal", rules, store=store), novice, rules)
    assert expected_value(player, novice, rules) > plain + 0.2
    again = load_player(player.name, rules, store=store)  # as a record has it
    batch = PositionBatch.of([Position.start(5, 3)], rules=rules)
    assert checked_mixes(again, batch)[0].tolist() == pytest.approx(checked_mixes(player, batch)[0].tolist(), abs=1e-9)


def _played(player: object, random: np.random.Generator) -> GameRecord:
    record = GameRecord(Rules(5))
    for upcard in (random.permutation(5) + 1).tolist():
        position = record.position.turn_up(upcard)
        mix = checked_mixes(player, PositionBatch.of([position], rules=Rules(5)))[0]  # type: ignore[arg-type]
        bid = int(random.choice(position.my_cards, p=mix))
        record = GameRecord(Rules(5), (*record.rounds, Round(upcard, bid, int(random.choice(position.their_cards)))))
    return record


def test_nobody_yet_is_nearly_perfect(tablebase: Tablebases) -> None:
    model = model_of([], tablebase(5), Rules(5))
    assert max(model.parts, key=lambda part: part[0])[1].name == "optimal:points"


def test_the_lowest_card_is_bid_always(tablebase: Tablebases) -> None:
    assert BidUpcardPlayer(LOWEST) in family(tablebase(4))
    batch = PositionBatch.of([Position.start(4, upcard) for upcard in (1, 2, 3, 4)], rules=Rules(4))
    assert checked_mixes(BidUpcardPlayer(LOWEST), batch)[:, 0].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "name",
    ["mix()", "mix(match)", "mix(0 match)", "mix(50 match", "mix(5 nobody)", "exploit:match", "exploit:-1:match"],
)
def test_wrong_names_are_refused_in_a_line(name: str, store: Path) -> None:
    with pytest.raises(PlayerError) as caught:
        load_player(name, 4, store=store)
    assert "\n" not in str(caught.value)


def test_what_runs_code_is_seen_inside(store: Path) -> None:
    assert runs_code("mix(50 match, 50 bot.py:play)")
    assert runs_code("exploit:1:bot.py:play")
    assert not runs_code("mix(50 match, 50 uniform)")
    assert not runs_code("exploit:1:mix(50 match, 50 optimal:points)")
    assert not runs_code("novice")
    assert isinstance(load_player("optimal", 4, store=store), TablePlayer)
