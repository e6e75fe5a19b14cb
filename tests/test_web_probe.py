"""Probes over HTTP say what the library says, of one position or of many; a missing table is named."""

import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from fixtures import Tablebases, Win

pytest.importorskip("fastapi")

from command import HAND
from web import API, Client, problem

from goofspiel.errors import GoofspielError
from goofspiel.position import Position
from goofspiel.render.answers import answer_json
from goofspiel.rules import Objective, Rules
from goofspiel.store import SolveLock, table_path
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.asking import settled
from goofspiel.tablebase.outcomes import outcomes
from goofspiel.web.limits import SETTLED
from goofspiel.web.probing import Question
from goofspiel.web.service import Batch, Service
from goofspiel.web.tables import NotSolvedYetError, Tables

POSITIONS = [HAND, "24/A3/45 -", "start 5 3", "start 5", "234/A35/24 5 -3", "-/-/- - 4", "2/A/- 3 5", "A23/345/12 3"]


# --- one position


@pytest.mark.parametrize("objective", list(Objective))
@pytest.mark.parametrize("text", POSITIONS)
def test_probe_says_what_the_table_says(client: Client, tablebase: Tablebases, text: str, objective: Objective) -> None:
    found = client.get(f"{API}/probe", {"position": text, "objective": str(objective), "cards": 7})
    assert found.status_code == 200
    answer = settled(tablebase(7, objective=objective).probe(Position(text)), SETTLED)
    assert found.json() == answer_json(answer, outcomes=outcomes(answer))


def test_by_hand(client: Client) -> None:
    found = client.get(f"{API}/probe", {"position": HAND}).json()
    assert found["matrix"] == [[5, -1], [1, 5]]
    assert found["value"] == pytest.approx(2.6)
    assert found["mine"] == pytest.approx({"2": 0.4, "4": 0.6})


@pytest.mark.parametrize("written", ["24/A3/2_3", "24/A3/2%203", "24/A3/2+3", "42/31/2_3", "24%2FA3%2F2_3_0"])
def test_a_position_may_be_written_in_many_ways(client: Client, written: str) -> None:
    assert client.get(f"{API}/probe?position={written}").json()["position"] == HAND


def test_without_cards_the_smallest_table_that_is_there_answers(tmp_path: Path) -> None:
    client = Client(tmp_path)
    assert client.get(f"{API}/probe?position={HAND}&cards=6").headers["etag"].startswith('"points-6-')
    assert client.get(f"{API}/probe?position={HAND}").headers["etag"].startswith('"points-6-')
    assert client.get(f"{API}/probe?position={HAND}&cards=4").headers["etag"].startswith('"points-4-')
    assert client.get(f"{API}/probe?position={HAND}").headers["etag"].startswith('"points-4-')
    assert client.get(f"{API}/probe?position=start_3_2").headers["etag"].startswith('"points-4-')


def test_outcomes_of_many_cards_are_worked_out_when_asked_for(client: Client, win: Win) -> None:
    def outcomes_at(position: str, **more: str) -> Any:
        params = {"position": position, "objective": "win", "cards": "9", **more}
        return client.get(f"{API}/probe", params).json()["outcomes"]

    six, seven, nine = "A23456/234567/12456 3", "A234567/2345678/1245678 -", "start 9 5"
    for position in (six, seven):
        expected = outcomes(win(9).probe(Position(position)))
        assert expected
        assert outcomes_at(position, outcomes="true") == asdict(expected)
    assert outcomes_at(six) is not None
    assert outcomes_at(seven) is None
    assert outcomes_at(nine, outcomes="true") is None


def bad_positions() -> Iterator[str]:
    for line in (Path(__file__).parent / "bad_positions.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")[0]


def test_wrong_positions_are_explained(client: Client) -> None:
    explained = 0
    for text in bad_positions():
        with pytest.raises(GoofspielError) as wrong:
            Position(text)
        if len(text) <= 256:
            assert problem(client.get(f"{API}/probe", {"position": text}), 400, "position") == str(wrong.value)
            explained += 1
    assert explained > 40


def test_a_position_that_does_not_fit(client: Client) -> None:
    found = client.get(f"{API}/probe?position=start_5_3&cards=4")
    assert problem(found, 400, "position") == "'A2345/A2345/A245 3' needs a table of 5 cards, not of 4"
    found = client.get(f"{API}/probe?position={'A2/34/56_-_120'}&objective=win")
    assert found.status_code == 200  # decided
    found = client.get(f"{API}/probe?position=[15][16]/A2/[15]_[16]_31&objective=win&cards=16")
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
def test_a_large_table_is_never_solved_for_a_request(
    client: Client, store: Path, path: str, objective: str, command: str
) -> None:
    before = sorted(store.iterdir())
    response = client.get(f"{API}/{path}")
    detail = problem(response, 404, "missing-table")
    cost = response.json()["cost"]
    assert detail == f"the {objective} table of 16 cards is not solved here: {command} ({cost})"
    assert re.fullmatch(r"about [\d.]+ (?:h|min) on \d+ threads?, [\d.]+ [GT]iB of disk, [\d.]+ GiB of memory", cost)
    assert {name: response.json()[name] for name in ("cards", "objective", "command")} == {
        "cards": 16,
        "objective": objective,
        "command": command,
    }
    assert sorted(store.iterdir()) == before


def test_the_store_is_named_to_its_owner_only(tmp_path: Path) -> None:
    path = f"{API}/probe?position=start_16_K"
    assert str(tmp_path) not in Client(tmp_path).get(path).text
    owner = Client(tmp_path, tell_store=True).get(path).json()
    assert owner["command"] == f"goofspiel solve 16 --store {tmp_path}"


def test_a_table_that_is_being_solved(tmp_path: Path) -> None:
    with SolveLock(table_path(tmp_path, Rules(10, objective=Objective.WIN))):
        response = Client(tmp_path).get(f"{API}/table?cards=10&objective=win")
    assert problem(response, 404, "missing-table") == (
        "the win table of 10 cards is still being solved: goofspiel info"
    )


# --- many positions


def test_probe_many(client: Client, tablebase: Tablebases) -> None:
    response = client.post(f"{API}/probe", json={"positions": [*POSITIONS, "nonsense", "start 16"], "cards": None})
    *answers, nonsense, missing = response.json()["answers"]
    for text, answer in zip(POSITIONS, answers, strict=True):
        assert answer["position"] == str(Position(text))
        assert answer["value"] == pytest.approx(tablebase(5).probe(Position(text)).value)
    assert set(nonsense) == set(missing) == {"error"}
    assert "'nonsense'" in nonsense["error"]
    assert "goofspiel solve 16" in missing["error"]
    assert response.headers["cache-control"] == "no-store"


def test_probe_many_as_one(client: Client) -> None:
    one = client.get(f"{API}/probe", {"position": "23/45/5 4 2", "objective": "win", "cards": 6}).content
    many = client.post(f"{API}/probe", json={"positions": ["23/45/5 4 2"], "objective": "win", "cards": 6})
    assert many.content == b'{"answers":[' + one + b"]}"


def test_batches_that_are_answered_together_are_answered_each_alone(tmp_path: Path) -> None:
    service = Service(Tables(tmp_path))
    open_tablebase(5, store=tmp_path).close()
    mine = [Question(text, Rules(5), False, 5) for text in POSITIONS]
    unsolved = [Question(HAND, Rules(4, objective="win"), False, 5)]
    wrong = [Question("nonsense", Rules(5), False, 5)]
    found = service.probe_many([mine, unsolved, wrong, [], mine[:2]])
    assert isinstance(found[1], NotSolvedYetError)
    alone = [service.probe_many([batch])[0] for batch in (mine, wrong, [], mine[:2])]
    assert [made(batch) for batch in (found[0], *found[2:])] == [made(batch) for batch in alone]
    assert len(made(alone[0])) == len(POSITIONS)
    assert b"error" in made(alone[1])[0]


def made(batch: Batch | Exception) -> list[bytes]:
    """The answers of a batch."""
    assert isinstance(batch, list)
    return [one() if callable(one) else one for one in batch]


@pytest.mark.parametrize("objective", [[{}], [0, 0.5], {}, 5, "luck"])
def test_an_objective_that_is_none(client: Client, objective: object) -> None:
    response = client.post(f"{API}/probe", json={"positions": [HAND], "objective": objective})
    problem(response, 422, "parameter")


def test_an_objective_of_ones_own_in_the_rules(client: Client) -> None:
    """Several mixes may be optimal: fractions, which would tell, know no such objective."""
    found = client.get(f"{API}/probe?position=24/24/2_3&rules=4_payoff=0,0.5")
    assert (found.status_code, found.json()["value"]) == (200, 0)


def test_a_batch_is_bounded(client: Client) -> None:
    full = client.post(f"{API}/probe", json={"positions": [HAND] * 1000})
    assert len(full.json()["answers"]) == 1000
    more = client.post(f"{API}/probe", json={"positions": [HAND] * 1001})
    assert problem(more, 413, "too-large") == "a batch has no more than 1000 positions, not 1001"
    assert client.post(f"{API}/probe", json={"positions": []}).json() == {"answers": []}
