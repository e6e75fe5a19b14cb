"""Whatever is asked, a server answers as it describes itself: requests drawn by Schemathesis from the description."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from fixtures import Repeats, Tally

pytest.importorskip("fastapi")
pytest.importorskip("schemathesis")

import hypothesis
import schemathesis
from command import PATIENCE, start
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from goofspiel.position import Position
from goofspiel.rules import Objective, Rules, Ties
from goofspiel.tablebase.base import next_upcards

EXAMPLES = 25, 250  # of each route and each kind of data; the second in a soak
CHECKS = [
    not_a_server_error,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
]
TOO_LONG = 413, 414
ROUTES = [
    *(("GET", name) for name in ("health", "tables", "probe", "table", "review", "bid", "deck")),
    ("POST", "probe"),
]


@pytest.fixture(scope="module")
def url(store: Path) -> Iterator[str]:
    """A server of its own process, that must neither complain nor end."""
    server = start("serve", "--port", "0", "--quiet", store=store)
    assert server.stdout
    yield server.stdout.readline().strip().rstrip("/")
    server.send_signal(signal.SIGINT)
    _, complaints = server.communicate(timeout=PATIENCE)
    assert (server.returncode, complaints) == (0, "")


@pytest.fixture(scope="module")
def schema(url: str) -> Any:
    with urlopen(f"{url}/api/v1/openapi.json") as response:
        return schemathesis.openapi.from_dict(json.load(response))


def test_every_route_is_asked(schema: Any) -> None:
    described = {(found.ok().method.upper(), found.ok().path) for found in schema.get_all_operations()}
    assert described == {(method, f"/api/v1/{name}") for method, name in ROUTES}


@pytest.fixture
def settings(repeats: Repeats) -> hypothesis.settings:
    """How many requests are drawn."""
    return hypothesis.settings(max_examples=repeats(*EXAMPLES), suppress_health_check=list(hypothesis.HealthCheck))


@pytest.mark.parametrize(("method", "name"), ROUTES)
def test_answers_are_as_described(
    url: str, schema: Any, settings: hypothesis.settings, tally: Tally, method: str, name: str
) -> None:
    statuses: list[int] = []
    route = schema[f"/api/v1/{name}"][method]

    described = route.definition.raw.get("parameters", [])
    example = {each["name"]: each["schema"]["examples"][0] for each in described if each["required"]}

    @settings
    @hypothesis.example(route.Case(query=example, media_type="application/json"))
    @hypothesis.given(route.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def ask(case: Any) -> None:
        response = case.call(base_url=url)
        statuses.append(response.status_code)
        case.validate_response(response, checks=CHECKS)

    ask()
    tally("drawn requests", len(statuses))
    assert 200 in statuses


@pytest.mark.parametrize(("method", "name"), [route for route in ROUTES if route[1] not in ("health", "tables")])
def test_what_is_not_as_described_is_refused(
    url: str, schema: Any, settings: hypothesis.settings, tally: Tally, method: str, name: str
) -> None:
    statuses: list[int] = []

    @settings
    @hypothesis.given(schema[f"/api/v1/{name}"][method].as_strategy(generation_mode=GenerationMode.NEGATIVE))
    def ask(case: Any) -> None:
        response = case.call(base_url=url)
        statuses.append(response.status_code)
        # What is also too long is refused for that, which Schemathesis does not expect.
        refused = {negative_data_rejection} if response.status_code in TOO_LONG else set()
        case.validate_response(response, checks=[check for check in CHECKS if check not in refused])

    ask()
    tally("drawn requests", len(statuses))
    assert 422 in statuses


@st.composite
def positions(draw: st.DrawFn, *, shown: st.SearchStrategy[bool]) -> Position:
    """Any hands and prizes of up to 7 cards; any lead."""
    cards = st.permutations(range(1, draw(st.integers(1, 7)) + 1))
    level = draw(st.integers(0, 5))
    mine, theirs, prizes = (draw(cards)[:level] for _ in range(3))
    position = Position.of(mine, theirs, prizes, lead=draw(st.integers(-10, 10)))
    return position.turn_up(prizes[0]) if bool(prizes) and draw(shown) else position


@pytest.mark.parametrize("name", ["probe", "bid"])
def test_real_positions(url: str, schema: Any, settings: hypothesis.settings, tally: Tally, name: str) -> None:
    statuses: list[int] = []
    shown = st.just(True) if name == "bid" else st.booleans()  # nobody bids without an upcard

    @settings
    @hypothesis.given(schema[f"/api/v1/{name}"]["GET"].as_strategy(), positions(shown=shown))
    def ask(case: Any, position: Position) -> None:
        case.query.pop("rules", None)  # they would say what cards and objective say
        case.query["position"] = position.url
        response = case.call(base_url=url)
        statuses.append(response.status_code)
        case.validate_response(response, checks=CHECKS)

    ask()
    tally("drawn requests", len(statuses))
    assert statuses.count(200) > settings.max_examples / 5


@st.composite
def games(draw: st.DrawFn) -> tuple[Rules, Position]:
    """Any rules of up to 5 cards, and a position that a game comes to."""
    cards = draw(st.integers(1, 5))
    prizes = sorted(draw(st.lists(st.integers(1, 40), min_size=cards, max_size=cards)))
    rules = Rules(
        cards,
        prizes=draw(st.sampled_from([(), prizes])),
        ties=draw(st.sampled_from(list(Ties))),
        rounds=draw(st.integers(1, cards)),
        objective=draw(st.sampled_from(list(Objective))),
    )
    if draw(st.booleans()):
        rules = Rules.of(rules, order=draw(st.permutations(rules.prizes)))
    position = Position.start(rules)
    for _ in range(draw(st.integers(0, rules.rounds))):
        upcard = position.deck[0] if rules.order else draw(st.sampled_from(position.deck))
        bids = [draw(st.sampled_from(hand)) for hand in (position.my_cards, position.their_cards)]
        position = position.turn_up(upcard).play(*bids, carry=rules.has_pots)
    return rules, position


@pytest.mark.parametrize("name", ["probe", "bid", "table", "deck"])
def test_real_rules(url: str, schema: Any, settings: hypothesis.settings, tally: Tally, name: str) -> None:
    statuses: list[int] = []

    @settings
    @hypothesis.given(schema[f"/api/v1/{name}"]["GET"].as_strategy(), games())
    def ask(case: Any, game: tuple[Rules, Position]) -> None:
        rules, position = game
        case.query = {key: value for key, value in case.query.items() if key not in ("cards", "objective")}
        case.query["rules"] = str(rules).replace(" ", "_")
        if name in ("probe", "bid"):
            left = next_upcards(position, rules)
            case.query["position"] = (position.turn_up(left[0]) if left and name == "bid" else position).url
        response = case.call(base_url=url)
        statuses.append(response.status_code)
        case.validate_response(response, checks=CHECKS)

    ask()
    tally("drawn requests", len(statuses))
    assert statuses.count(200) > len(statuses) / 5
