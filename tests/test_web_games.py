"""Games over HTTP: first moves, reviews, bids and decks are those of the library."""

from itertools import pairwise
from pathlib import Path

import pytest
from fixtures import Tablebases

pytest.importorskip("fastapi")

from command import GAME, HAND
from web import API, Client, problem

from goofspiel.cards import card_name
from goofspiel.errors import GoofspielError
from goofspiel.matches.session import Session
from goofspiel.players.players import UniformPlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.render.first_moves import first_move
from goofspiel.render.reviews import review_json
from goofspiel.rules import Objective
from goofspiel.web.service import PLAYERS

# --- first moves and reviews


@pytest.mark.parametrize("objective", list(Objective))
def test_table(client: Client, tablebase: Tablebases, objective: Objective) -> None:
    expected = first_move(tablebase(5, objective=objective))
    assert client.get(f"{API}/table?cards=5&objective={objective}").json() == expected.to_json()
    csv = client.get(f"{API}/table?cards=5&objective={objective}&format=csv")
    assert csv.text == expected.to_csv()
    assert csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert csv.headers["content-disposition"] == f'attachment; filename="{objective}-5.csv"'


@pytest.mark.parametrize("objective", list(Objective))
def test_review(tmp_path: Path, tablebase: Tablebases, objective: Objective) -> None:
    client = Client(tmp_path)
    expected = review(GameRecord.read(GAME), tablebase(5, objective=objective))
    params = {"record": GAME.replace(" ", "_"), "objective": str(objective)}
    assert client.get(f"{API}/review", params).json() == {"side": "mine", **review_json(expected)}
    theirs = client.get(f"{API}/review", params | {"side": "theirs"}).json()
    assert theirs == {"side": "theirs", **review_json(expected.swap())}


def test_review_of_an_open_game(client: Client) -> None:
    found = client.get(f"{API}/review?record=35A_4&cards=5").json()
    assert [(reviewed["upcard"], reviewed["mine"]) for reviewed in found["rounds"]] == [("3", "5"), ("4", None)]
    assert found["result"] is None


@pytest.mark.parametrize("record", ["", "X", "K53_2AJ_7", "2A3_2A3", "524_A5A_3A3_435_242_1"])
def test_wrong_records_are_explained(client: Client, record: str) -> None:
    with pytest.raises(GoofspielError) as wrong:
        GameRecord.read(record.replace("_", " "), cards=5)
    assert problem(client.get(f"{API}/review", {"record": record, "cards": 5}), 400, "position") == str(wrong.value)


# --- bids


@pytest.mark.parametrize("player", PLAYERS)
def test_a_bid_follows_from_position_and_seed(client: Client, player: str) -> None:
    for text in ("24/A3/2_3", "start_7_5", "2/A/-_3_5"):
        params = {"position": text, "player": player, "seed": "7", "objective": "win"}
        bid = client.get(f"{API}/bid", params).json()["bid"]
        assert bid in map(card_name, Position(text).my_cards)
        assert Client().get(f"{API}/bid", params).json()["bid"] == bid


def test_bids_are_drawn_from_the_mix(client: Client) -> None:
    paths = [f"{API}/bid?position=24/A3/2_3&seed={seed}" for seed in range(500)]
    bids = [
        response.json()["bid"]
        for group in pairwise([*range(0, 500, 50), 500])
        for response in client.all(paths[slice(*group)])
    ]
    assert bids.count("2") / 500 == pytest.approx(0.4, abs=0.11)  # five deviations
    assert set(bids) == {"2", "4"}


def test_rules_without_a_table(client: Client) -> None:
    assert client.get(f"{API}/bid?position=24/A3/2_3&player=match&seed=1").json() == {"bid": "4"}
    assert client.get(f"{API}/bid?position=24/A3/3_2&player=match&seed=1").json() == {"bid": "2"}
    # In a query, + is a space.
    for written in ("match+1", "match%2B1", "match%201"):
        assert client.get(f"{API}/bid?position=24/A3/3_2&player={written}&seed=1").json() == {"bid": "4"}
    # No table is needed for it.
    assert client.get(f"{API}/bid?position=start_16_K&player=match&seed=1").json() == {"bid": "K"}


@pytest.mark.parametrize(
    "player", ["human", "os:system", "bots.py:ace", "optimal,K=A", "respond:uniform", "", "match+2"]
)
def test_other_players_are_not_loaded(client: Client, player: str) -> None:
    detail = problem(client.get(f"{API}/bid", {"position": HAND, "player": player, "seed": 1}), 404, "player")
    assert detail == f"no player is called {player!r} here: optimal, uniform, match, match+1"


@pytest.mark.parametrize("position", ["24/A3/23_-", "-/-/-_-"])
def test_a_bid_needs_an_upcard(client: Client, position: str) -> None:
    detail = problem(client.get(f"{API}/bid?position={position}&seed=1"), 400, "position")
    assert detail.startswith("no upcard is shown to bid for")


# --- decks


@pytest.mark.parametrize("cards", [1, 5, 16])
def test_the_deck_of_a_seed_is_that_of_a_game_on_the_terminal(client: Client, cards: int) -> None:
    found = client.get(f"{API}/deck?cards={cards}&seed=42").json()["upcards"]
    assert sorted(found) == sorted(map(card_name, range(1, cards + 1)))
    game = Session.begin(cards, UniformPlayer(), seed=42)
    while not game.is_over:
        game = game.bid(game.position.my_cards[-1])
    assert found == [card_name(played.upcard) for played in game.rounds]


def test_another_seed_is_another_deck(client: Client) -> None:
    decks = {client.get(f"{API}/deck?cards=13&seed={seed}").text for seed in (0, 1, 2, 2**53 - 1)}
    assert len(decks) == 4
