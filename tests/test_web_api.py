"""The API: every route says what the library says, and every wrong question is answered with what is wrong."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from command import GAME, HAND
from goofspiel.tablebase.first_moves import first_move
from web import API, Client, problem

from goofspiel.errors import GoofspielError
from goofspiel.matches.session import Session
from goofspiel.players.players import UniformPlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.render.answers import answer_json
from goofspiel.render.reviews import review_json
from goofspiel.rules import Objective, card_name
from goofspiel.store import SolveLock, table_path
from goofspiel.web import models
from goofspiel.web.service import PLAYERS

POSITIONS = [HAND, "24/A3/45 -", "start 5 3", "start 5", "234/A35/24 5 -3", "-/-/- - 4", "2/A/- 3 5", "A23/345/12 3"]


@pytest.fixture(scope="module")
def client(store: Path) -> Client:
    return Client(store)


@pytest.fixture(scope="module")
def openapi(client: Client) -> dict:
    return client.get(f"{API}/openapi.json").json()


# --- health, tables


def test_health(client):
    response = client.get(f"{API}/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "version": "0.1.0"})
    assert response.headers["cache-control"] == "no-store"


def test_tables_are_those_that_can_be_asked(tmp_path):
    client = Client(tmp_path)
    small = [(cards, objective) for cards in range(1, 10) for objective in ("points", "win")]
    found = client.get(f"{API}/tables").json()
    assert [(table["cards"], table["objective"]) for table in found["tables"]] == small
    assert not any(table["complete"] or table["etag"] or table["value_bound"] for table in found["tables"])
    assert found["players"] == list(PLAYERS)
    assert found["solved_on_first_use"] == 9

    etag = client.get(f"{API}/probe?position=24/A3/2_3&cards=4").headers["etag"]
    tables = client.get(f"{API}/tables").json()["tables"]
    (solved,) = [table for table in tables if table["complete"]]
    assert (solved["cards"], solved["objective"], solved["etag"], solved["keep"]) == (4, "points", etag, "all")
    assert 0 < solved["value_bound"] < solved["exploitability_bound"] < 1e-9
    assert solved["games"] > 0


# --- probe


@pytest.mark.parametrize("objective", list(Objective))
@pytest.mark.parametrize("text", POSITIONS)
def test_probe_says_what_the_table_says(client, tablebase, text, objective):
    found = client.get(f"{API}/probe", {"position": text, "objective": str(objective), "cards": 7})
    assert found.status_code == 200
    assert found.json() == answer_json(tablebase(7, objective=objective).probe(Position(text)))


def test_by_hand(client):
    found = client.get(f"{API}/probe", {"position": HAND}).json()
    assert found["matrix"] == [[5, -1], [1, 5]]
    assert found["value"] == pytest.approx(2.6)
    assert found["mine"] == pytest.approx({"2": 0.4, "4": 0.6})


@pytest.mark.parametrize("written", ["24/A3/2_3", "24/A3/2%203", "24/A3/2+3", "42/31/2_3", "24%2FA3%2F2_3_0"])
def test_a_position_may_be_written_in_many_ways(client, written):
    assert client.get(f"{API}/probe?position={written}").json()["position"] == HAND


def test_without_cards_the_smallest_table_that_is_there_answers(tmp_path):
    client = Client(tmp_path)
    assert client.get(f"{API}/probe?position={HAND}&cards=6").headers["etag"].startswith('"points-6-')
    assert client.get(f"{API}/probe?position={HAND}").headers["etag"].startswith('"points-6-')
    assert client.get(f"{API}/probe?position={HAND}&cards=4").headers["etag"].startswith('"points-4-')
    assert client.get(f"{API}/probe?position={HAND}").headers["etag"].startswith('"points-4-')
    assert client.get(f"{API}/probe?position=start_3_2").headers["etag"].startswith('"points-4-')


def test_outcomes_of_many_cards_are_worked_out_when_asked_for(client, win):
    def asked(position: str, **more: str) -> dict | None:
        params = {"position": position, "objective": "win", "cards": "9", **more}
        return client.get(f"{API}/probe", params).json()["outcomes"]

    six, seven, nine = "A23456/234567/12456 3", "A234567/2345678/1245678 -", "start 9 5"
    for position in (six, seven):
        expected = answer_json(win(9).probe(Position(position)))["outcomes"]
        assert asked(position, outcomes="true") == expected
    assert asked(six) is not None
    assert asked(seven) is None
    assert asked(nine, outcomes="true") is None


def bad_positions() -> Iterator[str]:
    for line in (Path(__file__).parent / "bad_positions.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")[0]


def test_wrong_positions_are_explained(client):
    asked = 0
    for text in bad_positions():
        with pytest.raises(GoofspielError) as wrong:
            Position(text)
        if len(text) <= 256:
            assert problem(client.get(f"{API}/probe", {"position": text}), 400, "position") == str(wrong.value)
            asked += 1
    assert asked > 40


def test_a_position_that_does_not_fit(client):
    found = client.get(f"{API}/probe?position=start_5_3&cards=4")
    assert problem(found, 400, "position") == "'A2345/A2345/A245 3' needs a table of 5 cards, not of 4"
    found = client.get(f"{API}/probe?position={'A2/34/56_-_120'}&objective=win")
    assert found.status_code == 200  # decided
    found = client.get(f"{API}/probe?position=[15][16]/A2/[15]_[16]_31&objective=win")
    assert found.status_code == 404
    found = client.get(f"{API}/probe?position=A23456789TJQK/A23456789TJQK/456789TJQK[14][15]_[16]_120&objective=win")
    assert "no game of up to 16 cards comes to such a lead" in problem(found, 400, "position")


# --- missing tables


@pytest.mark.parametrize(
    ("path", "objective", "command"),
    [
        ("probe?position=start_16_K", "points", "goofspiel solve 16"),
        ("probe?position=start_16_K&objective=win", "win", "goofspiel solve 16 --objective win"),
        ("probe?position=24/A3/2_3&cards=16", "points", "goofspiel solve 16"),
        ("table?cards=16", "points", "goofspiel solve 16"),
        ("review?record=K53&cards=16", "points", "goofspiel solve 16"),
        ("bid?position=start_16_K&seed=1", "points", "goofspiel solve 16"),
    ],
)
def test_a_large_table_is_never_solved_for_a_request(client, store, path, objective, command):
    before = sorted(store.iterdir())
    response = client.get(f"{API}/{path}")
    detail = problem(response, 404, "missing-table")
    assert detail == f"the {objective} table of 16 cards is not solved here: {command}"
    assert {name: response.json()[name] for name in ("cards", "objective", "command")} == {
        "cards": 16,
        "objective": objective,
        "command": command,
    }
    assert sorted(store.iterdir()) == before


def test_the_store_is_named_to_its_owner_only(tmp_path):
    path = f"{API}/probe?position=start_16_K"
    assert str(tmp_path) not in Client(tmp_path).get(path).text
    told = Client(tmp_path, tell_store=True).get(path).json()
    assert told["command"] == f"goofspiel solve 16 --store {tmp_path}"


def test_a_table_that_is_being_solved(tmp_path):
    with SolveLock(table_path(tmp_path, 10, Objective.WIN)):
        response = Client(tmp_path).get(f"{API}/table?cards=10&objective=win")
    assert problem(response, 404, "missing-table") == (
        "the win table of 10 cards is still being solved: goofspiel info"
    )


# --- many positions


def test_probe_many(client, tablebase):
    response = client.post(f"{API}/probe", json={"positions": [*POSITIONS, "nonsense", "start 16"], "cards": None})
    *answers, nonsense, missing = response.json()["answers"]
    for text, answer in zip(POSITIONS, answers, strict=True):
        assert answer["position"] == str(Position(text))
        assert answer["value"] == pytest.approx(tablebase(5).probe(Position(text)).value)
    assert set(nonsense) == set(missing) == {"error"}
    assert "'nonsense'" in nonsense["error"]
    assert "goofspiel solve 16" in missing["error"]
    assert response.headers["cache-control"] == "no-store"


def test_probe_many_as_one(client):
    one = client.get(f"{API}/probe", {"position": "23/45/5 4 2", "objective": "win", "cards": 6}).content
    many = client.post(f"{API}/probe", json={"positions": ["23/45/5 4 2"], "objective": "win", "cards": 6})
    assert many.content == b'{"answers": [' + one + b"]}"


def test_a_batch_is_bounded(client):
    full = client.post(f"{API}/probe", json={"positions": [HAND] * 256})
    assert len(full.json()["answers"]) == 256
    more = client.post(f"{API}/probe", json={"positions": [HAND] * 257})
    assert problem(more, 413, "too-large") == "a batch has no more than 256 positions, not 257"
    assert client.post(f"{API}/probe", json={"positions": []}).json() == {"answers": []}


# --- table, review, bid, deck


@pytest.mark.parametrize("objective", list(Objective))
def test_table(client, tablebase, objective):
    expected = first_move(tablebase(5, objective=objective))
    assert client.get(f"{API}/table?cards=5&objective={objective}").json() == expected.to_json()
    csv = client.get(f"{API}/table?cards=5&objective={objective}&format=csv")
    assert csv.text == expected.to_csv()
    assert csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert csv.headers["content-disposition"] == f'attachment; filename="{objective}-5.csv"'


@pytest.mark.parametrize("objective", list(Objective))
def test_review(tmp_path, tablebase, objective):
    client = Client(tmp_path)
    expected = review(GameRecord.read(GAME), tablebase(5, objective=objective))
    asked = {"record": GAME.replace(" ", "_"), "objective": str(objective)}
    assert client.get(f"{API}/review", asked).json() == {"side": "mine", **review_json(expected)}
    theirs = client.get(f"{API}/review", asked | {"side": "theirs"}).json()
    assert theirs == {"side": "theirs", **review_json(expected.swap())}


def test_review_of_an_open_game(client):
    found = client.get(f"{API}/review?record=35A_4&cards=5").json()
    assert [(reviewed["upcard"], reviewed["mine"]) for reviewed in found["rounds"]] == [("3", "5"), ("4", None)]
    assert found["result"] is None


@pytest.mark.parametrize("record", ["", "X", "K53_2AJ_7", "2A3_2A3", "524_A5A_3A3_435_242_1"])
def test_wrong_records_are_explained(client, record):
    with pytest.raises(GoofspielError) as wrong:
        GameRecord.read(record.replace("_", " "), cards=5)
    assert problem(client.get(f"{API}/review", {"record": record, "cards": 5}), 400, "position") == str(wrong.value)


@pytest.mark.parametrize("player", PLAYERS)
def test_a_bid_follows_from_position_and_seed(client, player):
    for text in ("24/A3/2_3", "start_7_5", "2/A/-_3_5"):
        asked = {"position": text, "player": player, "seed": "7", "objective": "win"}
        bid = client.get(f"{API}/bid", asked).json()["bid"]
        assert bid in map(card_name, Position(text).my_cards)
        assert Client().get(f"{API}/bid", asked).json()["bid"] == bid


def test_bids_are_drawn_from_the_mix(client):
    paths = [f"{API}/bid?position=24/A3/2_3&seed={seed}" for seed in range(500)]
    bids = [
        response.json()["bid"]
        for group in pairwise([*range(0, 500, 50), 500])
        for response in client.all(paths[slice(*group)])
    ]
    assert bids.count("2") / 500 == pytest.approx(0.4, abs=0.11)  # five deviations
    assert set(bids) == {"2", "4"}


def test_rules_without_a_table(client):
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
def test_other_players_are_not_loaded(client, player):
    detail = problem(client.get(f"{API}/bid", {"position": HAND, "player": player, "seed": 1}), 404, "player")
    assert detail == f"no player is called {player!r} here: optimal, uniform, match, match+1"


@pytest.mark.parametrize("position", ["24/A3/23_-", "-/-/-_-"])
def test_a_bid_needs_an_upcard(client, position):
    detail = problem(client.get(f"{API}/bid?position={position}&seed=1"), 400, "position")
    assert detail.startswith("no upcard is shown to bid for")


@pytest.mark.parametrize("cards", [1, 5, 16])
def test_the_deck_of_a_seed_is_that_of_a_game_on_the_terminal(client, cards):
    found = client.get(f"{API}/deck?cards={cards}&seed=42").json()["upcards"]
    assert sorted(found) == sorted(map(card_name, range(1, cards + 1)))
    game = Session.begin(cards, UniformPlayer(), seed=42)
    while not game.is_over:
        game = game.bid(game.position.my_cards[-1])
    assert found == [card_name(played.upcard) for played in game.rounds]


def test_another_seed_is_another_deck(client):
    decks = {client.get(f"{API}/deck?cards=13&seed={seed}").text for seed in (0, 1, 2, 2**53 - 1)}
    assert len(decks) == 4


# --- malformed parameters


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("probe", "position: is missing"),
        ("probe?position=24/A3/2_3&cards=0", "cards: must be 1 to 16, not '0'"),
        ("probe?position=24/A3/2_3&cards=17", "cards: must be 1 to 16, not '17'"),
        ("probe?position=24/A3/2_3&cards=%203", "cards: must be 1 to 16, not ' 3'"),
        ("probe?position=24/A3/2_3&cards=5.0", "cards: must be 1 to 16, not '5.0'"),
        ("probe?position=24/A3/2_3&cards=٣", "cards: must be 1 to 16, not '٣'"),
        ("probe?position=24/A3/2_3&cards=", "cards: must be 1 to 16, not ''"),
        ("probe?position=24/A3/2_3&objective=luck", "objective: Input should be 'points' or 'win', not 'luck'"),
        ("probe?position=24/A3/2_3&objective=WIN", "objective: Input should be 'points' or 'win', not 'WIN'"),
        ("probe?position=24/A3/2_3&exact=1", "exact: there is no such parameter"),
        ("probe?positon=24/A3/2_3", "position: is missing; positon: there is no such parameter"),
        ("health?x=1", "x: there is no such parameter"),
        ("health?a_b=1", "a_b: there is no such parameter"),
        ("health?a%0Ab=1", "'a\\nb': there is no such parameter"),
        ("tables?x=1", "x: there is no such parameter"),
        ("table", "cards: is missing"),
        ("table?cards=5&format=png", "format: Input should be 'json' or 'csv', not 'png'"),
        ("review?cards=5", "record: is missing"),
        ("review?record=2A3&cards=3&side=ours", "side: Input should be 'mine' or 'theirs', not 'ours'"),
        ("bid?position=24/A3/2_3", "seed: is missing"),
        ("bid?position=24/A3/2_3&seed=-1", "seed: must be 0 to 9007199254740991, not '-1'"),
        ("deck?cards=5&seed=9007199254740992", "seed: must be 0 to 9007199254740991, not '9007199254740992'"),
        ("deck?cards=5&seed=1e3", "seed: must be 0 to 9007199254740991, not '1e3'"),
    ],
)
def test_malformed_parameters(client, path, detail):
    assert problem(client.get(f"{API}/{path}"), 422, "parameter") == detail


def test_what_is_too_long_is_quoted_in_part(client):
    for path in (f"probe?position={'A' * 300}", f"review?record={'A' * 600}&cards=5"):
        assert len(problem(client.get(f"{API}/{path}"), 422, "parameter")) < 200


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"", "the body: is missing"),
        (b"nonsense", "the body: JSON decode error"),
        (b"[]", "the body: Input should be"),
        (b"{}", "positions: is missing"),
        (b'{"positions": "24/A3/2 3"}', "positions: Input should be a valid list, not '24/A3/2 3'"),
        (b'{"positions": [5]}', "positions.0: Input should be a valid string, not 5"),
        (b'{"positions": [], "cards": true}', "cards: must be 1 to 16, not True"),
        (b'{"positions": [], "cards": 5.5}', "cards: must be 1 to 16, not 5.5"),
        (b'{"positions": [], "cards": 1e999}', "cards: must be 1 to 16, not inf"),
        (b'{"positions": [], "seed": 1}', "seed: there is no such parameter"),
        (b'{"positions": [], "objective": null}', "objective: Input should be 'points' or 'win', not None"),
        (b"\xff\xfe", "the body:"),
        (b"[" * 20000, "the body:"),
    ],
)
def test_malformed_bodies(client, body, detail):
    found = client.post(f"{API}/probe", content=body, headers={"content-type": "application/json"})
    assert problem(found, 422, "parameter").startswith(detail)


def test_a_body_is_json(client):
    found = client.post(f"{API}/probe", content=b'{"positions": []}', headers={"content-type": "text/plain"})
    problem(found, 422, "parameter")


# --- the description


def test_the_description_names_every_route_and_status(openapi):
    assert {(path, method) for path, methods in openapi["paths"].items() for method in methods} == {
        (f"{API}/probe", "post"),
        *((f"{API}/{name}", "get") for name in ("health", "tables", "probe", "table", "review", "bid", "deck")),
    }
    for methods in openapi["paths"].values():
        for operation in methods.values():
            assert {"200", "413", "414", "421", "422", "503"} <= set(operation["responses"])
            assert operation["summary"]


def test_examples_are_real_answers(client, openapi):
    schemas = openapi["components"]["schemas"]
    (example,) = schemas["Answer"]["examples"]
    assert client.get(f"{API}/probe", {"position": example["position"], "cards": 5}).json() == example
    (wrong,) = schemas["ProblemDetails"]["examples"]
    assert client.get(f"{API}/probe?position=A3/24/5+5").json() == wrong
    (body,) = schemas["ProbeMany"]["examples"]
    answers = client.post(f"{API}/probe", json=body).json()["answers"]
    assert [answer["position"] for answer in answers] == body["positions"]


def test_answers_have_the_described_shape(client):
    for path, model in (
        ("health", models.Health),
        ("tables", models.Tables),
        ("table?cards=4", models.FirstMove),
        (f"review?record={GAME.replace(' ', '_')}", models.Review),
        ("bid?position=24/A3/2_3&seed=1", models.Bid),
        ("deck?cards=16&seed=1", models.Deck),
        ("probe?position=24/A3/2_3&objective=win", models.Answer),
        ("probe?position=24/A3/23_-", models.ChanceAnswer),
    ):
        text = client.get(f"{API}/{path}").text
        # Nothing is lost: the model names every field.
        assert json.loads(model.model_validate_json(text, strict=True).model_dump_json(exclude_unset=True)) == (
            json.loads(text)
        )
