"""The API as a whole: what it can be asked, what it says of wrong parameters, how it describes itself."""

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from command import GAME
from web import API, Client, problem

from goofspiel import __version__
from goofspiel.web import models
from goofspiel.web.service import PLAYERS


@pytest.fixture(scope="module")
def openapi(client: Client) -> Any:
    return client.get(f"{API}/openapi.json").json()


# --- health, tables


def test_health(client: Client) -> None:
    response = client.get(f"{API}/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "version": __version__})
    assert response.headers["cache-control"] == "no-store"


def test_tables_are_those_that_can_be_asked(tmp_path: Path) -> None:
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
        ("table", "cards: is missing; or rules, which say it"),
        ("deck?seed=1", "cards: is missing; or rules, which say it"),
        ("table?cards=5&rules=5", "cards: the rules say it, '5'"),
        ("probe?position=24/A3/2_3&rules=5&objective=win", "objective: the rules say it, '5'"),
        ("table?cards=5&format=png", "format: Input should be 'json' or 'csv', not 'png'"),
        ("review?cards=5", "record: is missing"),
        ("review?record=2A3&cards=3&side=ours", "side: Input should be 'mine' or 'theirs', not 'ours'"),
        ("bid?position=24/A3/2_3", "seed: is missing"),
        ("bid?position=24/A3/2_3&seed=-1", "seed: must be 0 to 9007199254740991, not '-1'"),
        ("deck?cards=5&seed=9007199254740992", "seed: must be 0 to 9007199254740991, not '9007199254740992'"),
        ("deck?cards=5&seed=1e3", "seed: must be 0 to 9007199254740991, not '1e3'"),
    ],
)
def test_malformed_parameters(client: Client, path: str, detail: str) -> None:
    assert problem(client.get(f"{API}/{path}"), 422, "parameter") == detail


def test_what_is_too_long_is_quoted_in_part(client: Client) -> None:
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
        (b'{"positions": [], "objective": 5}', "objective: Input should be 'points' or 'win', not 5"),
        (b"\xff\xfe", "the body:"),
        (b"[" * 20000, "the body:"),
    ],
)
def test_malformed_bodies(client: Client, body: bytes, detail: str) -> None:
    found = client.post(f"{API}/probe", content=body, headers={"content-type": "application/json"})
    assert problem(found, 422, "parameter").startswith(detail)


def test_a_body_is_json(client: Client) -> None:
    found = client.post(f"{API}/probe", content=b'{"positions": []}', headers={"content-type": "text/plain"})
    problem(found, 422, "parameter")


# --- the description


def test_the_description_names_every_route_and_status(openapi: dict[str, Any]) -> None:
    assert {(path, method) for path, methods in openapi["paths"].items() for method in methods} == {
        (f"{API}/probe", "post"),
        *((f"{API}/{name}", "get") for name in ("health", "tables", "probe", "table", "review", "bid", "deck")),
    }
    for methods in openapi["paths"].values():
        for operation in methods.values():
            assert {"200", "413", "414", "421", "422", "503"} <= set(operation["responses"])
            assert operation["summary"]


def shown(found: Any) -> Any:
    """What is alike on all kinds of CPUs: not the last digits, nor what is rounding alone."""
    if isinstance(found, dict):
        return {name: shown(inner) for name, inner in found.items() if name not in ("gap", "bound")}
    if isinstance(found, list):
        return [shown(inner) for inner in found]
    return round(found, 9) if isinstance(found, float) else found


def test_examples_are_real_answers(client: Client, openapi: dict[str, Any]) -> None:
    schemas = openapi["components"]["schemas"]
    (example,) = schemas["Answer"]["examples"]
    found = client.get(f"{API}/probe", {"position": example["position"], "cards": 5}).json()
    assert set(found) == set(example)
    assert shown(found) == shown(example)
    (wrong,) = schemas["ProblemDetails"]["examples"]
    assert client.get(f"{API}/probe?position=A3/24/5+5").json() == wrong
    (body,) = schemas["ProbeMany"]["examples"]
    answers = client.post(f"{API}/probe", json=body).json()["answers"]
    assert [answer["position"] for answer in answers] == body["positions"]


def test_answers_have_the_described_shape(client: Client) -> None:
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
        answer = model.model_validate_json(text, strict=True)
        assert json.loads(answer.model_dump_json(exclude_unset=True, by_alias=True)) == json.loads(text)
