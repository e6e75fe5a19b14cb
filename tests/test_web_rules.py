"""Rules of every kind over HTTP: answers are those of the library, nothing is mistaken, and the work is bounded."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")

from web import API, Client, problem

from goofspiel.cards import prize_name
from goofspiel.matches.session import Session
from goofspiel.players.players import UniformPlayer
from goofspiel.position import Position
from goofspiel.records.record import GameRecord
from goofspiel.records.reviews import review
from goofspiel.render.answers import answer_json
from goofspiel.render.first_moves import first_move
from goofspiel.render.reviews import review_json
from goofspiel.rules import Rules
from goofspiel.solver import solve
from goofspiel.store import list_tables
from goofspiel.tablebase import open_tablebase
from goofspiel.tablebase.alone import probe_alone
from goofspiel.tablebase.asking import settled
from goofspiel.tablebase.outcomes import outcomes
from goofspiel.web import bounds
from goofspiel.web.executor import Executor
from goofspiel.web.limits import SETTLED
from goofspiel.web.scratch import Scratch
from goofspiel.web.tables import NoTable, SlowWorkError, Tables

RULES = [
    "5 carry",
    "5 win carry",
    "5 order=descending",
    "5 win order=3,1,5,2,4",
    "5 prizes=1,1,2,5,40",
    "5 win carry prizes=1,1,2,5,40",
    "5 rounds=3",
    "4 prizes=1,2,3,4,5,6 order=descending rounds=3",
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store without larger games that hold those of these tests."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def client(tables: Path) -> Client:
    return Client(tables)


def in_url(text: str) -> str:
    return text.replace(" ", "_")


# --- answers


@pytest.mark.parametrize("text", RULES)
def test_a_whole_game_says_what_the_library_says(client: Client, tables: Path, text: str) -> None:
    rules, played = Rules.parse(text), {"rules": in_url(text)}
    tablebase = open_tablebase(rules, store=tables)
    deck = client.get(f"{API}/deck", played | {"seed": 3}).json()["upcards"]
    game = Session.begin(rules, UniformPlayer(), seed=3)
    while not game.is_over:
        position = game.position
        found = client.get(f"{API}/probe", played | {"position": position.url}).json()
        answer = tablebase.probe(position)
        assert (found["rules"], found["position"]) == (text, str(position))
        assert found["value"] == pytest.approx(answer.value, abs=1e-6)
        bid = client.get(f"{API}/bid", played | {"position": position.swap().url, "seed": 1}).json()["bid"]
        assert bid in map(prize_name, position.their_cards)
        game = game.bid(position.my_cards[0])
    assert deck == [prize_name(each.upcard) for each in game.rounds]
    record = GameRecord(rules, game.rounds)
    reviewed = client.get(f"{API}/review", played | {"record": in_url(str(record))}).json()
    assert reviewed == {"side": "mine", **review_json(review(record, tablebase))}
    assert client.get(f"{API}/table", played).json() == first_move(tablebase).to_json()


def test_many_positions_of_other_rules(client: Client, tables: Path) -> None:
    positions = ["24/A3/4 5 0 3", "24/A3/45 -", "24/A3/4 5 0 99", "start 5"]
    asked = {"positions": positions, "rules": "5 carry"}
    *answers, wrong, start = client.post(f"{API}/probe", json=asked).json()["answers"]
    tablebase = open_tablebase(Rules.parse("5 carry"), store=tables)
    values = [tablebase.probe(Position(text, tablebase.rules)).value for text in positions[:2]]
    assert [answer["value"] for answer in answers] == pytest.approx(values)
    assert "needs a table of 15 cards, not of 5" in wrong["error"]
    assert start["value"] == 0


# --- nothing is mistaken


def test_tags_and_answers_tell_rules_apart(tmp_path: Path) -> None:
    client = Client(tmp_path)
    texts = ["4", "4 win", "4 carry", "4 win carry", "4 order=ascending", "4 order=descending", "4 rounds=3"]
    texts += ["4 prizes=1,2,3,5"]
    positions = {text: Position.start(Rules.parse(text), 1 if "ascending" in text else None) for text in texts}
    found = {text: client.get(f"{API}/probe", {"rules": text, "position": positions[text].url}) for text in texts}
    for text, response in found.items():  # a larger game that holds it may have been solved already
        wanted, said = Rules.parse(text), Rules.parse(response.json()["rules"])
        assert said == (wanted.with_cards(max(said.cards, wanted.cards)) if wanted.nests else wanted)
    tags = [response.headers["etag"] for response in found.values()]
    assert len(set(tags)) == len(texts)
    for text, tag in zip(texts, tags, strict=True):
        kept = [
            client.get(
                f"{API}/probe",
                {"rules": other, "position": positions[other].url},
                headers={"If-None-Match": tag},
            ).status_code
            for other in texts
        ]
        assert [other for other, status in zip(texts, kept, strict=True) if status == 304] == [text]
    decks = [client.get(f"{API}/deck", {"rules": text, "seed": 1}).headers["etag"] for text in texts]
    assert len(set(decks)) == len(texts)


def test_answers_without_a_table_have_tags_of_their_rules(tmp_path: Path) -> None:
    client = Client(tmp_path)
    path = f"{API}/probe?position=24/A3/Q_K"
    found = [client.get(f"{path}&rules={rules}") for rules in ("13", "13_win", "13_carry", "13_win_carry")]
    assert [response.status_code for response in found] == [200] * 4
    assert len({response.headers["etag"] for response in found}) == 4
    assert found[0].headers["etag"] == client.get(path).headers["etag"]


def test_a_table_of_more_cards_answers_for_the_same_ties_only(tmp_path: Path) -> None:
    solve(Rules(6, ties="carry"), store=tmp_path)
    client = Client(tmp_path)
    position = f"{API}/probe?position=24/A3/2_3"
    assert client.get(f"{position}&rules=4_carry").headers["etag"].startswith('"points-6-carry-')
    assert client.get(f"{position}&rules=4").headers["etag"].startswith('"points-4-')
    assert client.get(f"{position}&cards=6").headers["etag"].startswith('"points-6-')


@pytest.mark.parametrize(
    ("rules", "detail"),
    [
        ("x", "rules start with a number of cards, as in '13 win': 'x'"),
        ("17", "number of cards must be 1 to 16, not 17: '17'"),
        ("5_order=1,2", "an order has each of the prizes 1,2,3,4,5 once, not 1,2: '5_order=1,2'"),
        ("5_rounds=6", "a game of 5 cards has 1 to 5 rounds, not 6: '5_rounds=6'"),
        ("5_prizes=1,2", "5 cards need 5 prizes, not 2: 1,2: '5_prizes=1,2'"),
        ("5_luck", "rules know no 'luck': '5_luck'; they are written "),
        ("5_hidden", "only games with open bids can be had here, goofspiel.hidden has the others: '5 hidden'"),
        ("5_win_prizes=1,2,3,900,999", "prizes that are worth 1905 in all are too many to play to win, at most 1000"),
        ("12_carry_prizes=1,2,3,4,5,6,7,8,9,10,11,20", "with ties carried over and prizes of one's own a server"),
    ],
)
@pytest.mark.parametrize(
    "path", ["probe?position=24/A3/2_3", "table?format=csv", "review?record=2A3", "bid?position=24/A3/2_3&seed=1"]
)
def test_wrong_rules_are_explained(client: Client, path: str, rules: str, detail: str) -> None:
    assert problem(client.get(f"{API}/{path}&rules={rules}"), 400, "rules").startswith(detail)
    assert problem(client.get(f"{API}/deck?seed=1&rules={rules}"), 400, "rules").startswith(detail)


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("probe?rules=5&position=24/A3/2_3_0_4", "there is no pot where ties are discarded, not one of 4"),
        ("probe?rules=5_order=descending&position=24/A3/A2_-", "the prizes come in the order 2A"),
        ("probe?rules=5_prizes=1,1,2,5,8&position=24/A3/99_-", "prize 9 is not left: the prizes are AA258"),
        ("probe?rules=5_rounds=3&position=24/A3/45_-_20", "comes to such a lead"),
        ("probe?rules=4_carry&position=start_5", "needs a table of 5 cards, not of 4"),
        ("review?rules=5_order=descending&record=4A2", "round 1, '4A2': the next prize is 5"),
        ("review?rules=5_rounds=1&record=4A2_321", "the game is over after 1 round"),
        ("review?rules=5_carry&record=4A2%0Arules:_9_carry%0A", "the record is of the game '9 carry', not of 5 cards"),
    ],
)
def test_what_does_not_fit_the_rules(client: Client, path: str, detail: str) -> None:
    assert detail in problem(client.get(f"{API}/{path}"), 400, "position")


# --- without a table


@pytest.mark.parametrize("rules", ["13", "13 win", "13 carry", "13 win carry"])
def test_few_cards_need_no_table(tmp_path: Path, rules: str) -> None:
    client = Client(tmp_path)
    for text in ("24/A3/Q K", "2468/A379/9TQ K", "246/A37/TQK -", "24/A3/Q K 5"):
        found = client.get(f"{API}/probe", {"position": text, "rules": rules})
        assert found.status_code == 200
        answer = probe_alone(text, Rules.parse(rules), exact=False)
        expected = answer_json(settled(answer, SETTLED), outcomes=outcomes(answer))
        assert found.json() == expected
    assert list_tables(tmp_path) == []


def test_eight_cards_are_worked_out_where_others_need_not_wait(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    eight = Position("A2345678/23456789/2345678 K")
    assert tables.find_for(eight, Rules(16, objective="win"), any_cards=True) == NoTable(Rules(13, objective="win"))
    nine = Position("A23456789/23456789T/23456789 K")
    with pytest.raises(SlowWorkError):
        tables.find_for(nine, Rules(16, objective="win"), any_cards=True)

    async def ask() -> None:
        executor = Executor(tables)
        go, begun = threading.Event(), threading.Event()

        def work() -> str:
            begun.set()
            return "done" if go.wait(60) else "late"

        def question() -> str:
            raise SlowWorkError(work)

        slow = asyncio.create_task(executor.run(question))
        while not begun.is_set():
            await asyncio.sleep(0.01)
        assert await executor.run(lambda: 5) == 5  # a quick one is not held up
        go.set()
        assert await slow == "done"
        executor.close()

    asyncio.run(ask())


def test_what_was_worked_out_is_remembered(tmp_path: Path) -> None:
    client = Client(tmp_path)
    path = f"{API}/probe?position=A234567/2345678/234567_K&objective=win"
    begun = time.monotonic()
    first = client.get(path)
    took = time.monotonic() - begun
    begun = time.monotonic()
    assert client.get(path).content == first.content
    assert time.monotonic() - begun < took / 2
    assert client.get(path, headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_many_cards_in_a_hand_and_few_rounds() -> None:
    """What follows may be much: it is that which is bounded, and not only the rounds."""
    large = "prizes=101,103,107,109,113,127,131,137"
    can = ["16 rounds=2", "10 rounds=3", "8", "8 win", "8 carry", "8 win carry", f"8 carry {large}"]
    cannot = [
        "9",
        "16 win carry rounds=3",
        "16 rounds=5",
        "16 rounds=8",
        "13 rounds=6",
        f"8 win {large}",
        f"8 win carry {large}",
    ]
    for text, wanted in [*((text, True) for text in can), *((text, False) for text in cannot)]:
        rules = Rules.parse(text)
        assert bounds.is_worked_out(Position.start(rules), rules) is wanted, text


def test_a_batch_works_out_fewer_cards(tmp_path: Path) -> None:
    positions = ["A23456/234567/23456 K", "A234567/2345678/234567 K"]
    asked = {"positions": positions, "rules": "13 win carry"}
    answers: list[Any] = Client(tmp_path).post(f"{API}/probe", json=asked).json()["answers"]
    assert answers[0]["cards"] == 13
    assert "takes too long in a batch: ask it alone" in answers[1]["error"]


# --- missing tables


@pytest.mark.parametrize(
    ("rules", "command", "cost"),
    [
        ("13 carry", "goofspiel solve 13 --ties carry", "about "),
        ("9 win carry", "goofspiel solve 9 --ties carry --objective win", "about "),
        ("13 rounds=6", "goofspiel solve 13 --rounds 6", "about "),
        ("16 win order=descending", "goofspiel solve 16 --objective win --order descending", "about "),
        ("16 carry", "goofspiel solve 16 --ties carry", None),  # to count its states would take long
    ],
)
def test_a_missing_table_says_what_it_costs(tmp_path: Path, rules: str, command: str, cost: str | None) -> None:
    client = Client(tmp_path)
    cards = rules.split(maxsplit=1)[0]
    for path in (f"probe?position=start_{cards}", "table?format=json"):
        response = client.get(f"{API}/{path}&rules={in_url(rules)}")
        detail, found = problem(response, 404, "missing-table"), response.json()
        assert detail.startswith(f"the table of {rules!r} is not solved here: {command}")
        assert (found["rules"], found["command"]) == (rules, command)
        if cost is None:
            assert found["cost"] is None
        else:
            assert found["cost"].startswith(cost)
            assert detail.endswith(f"({found['cost']})")
            assert "disk" in found["cost"]
            assert "memory" in found["cost"]
    assert list_tables(tmp_path) == []


# --- tables of rules that anybody may think up


def test_tables_of_special_rules_do_not_fill_the_store(tmp_path: Path) -> None:
    client = Client(tmp_path)
    for first in range(1, 5):
        rules = f"4_prizes={first},7,8,9"
        assert client.get(f"{API}/probe?position=start_4&rules={rules}").json()["value"] == 0
    assert list_tables(tmp_path) == []
    assert client.get(f"{API}/probe?position=start_4&rules=4_carry").json()["value"] == 0
    assert list_tables(tmp_path) == [Rules(4, ties="carry")]  # there are few of these


def test_those_of_a_store_are_found(tmp_path: Path) -> None:
    rules = Rules(4, prizes=(1, 7, 8, 9))
    solve(rules, store=tmp_path)
    tables = Tables(tmp_path)
    assert tables.get(rules).table.path.parent == tmp_path


def test_the_scratch_folder_is_bounded_and_goes() -> None:
    scratch = Scratch(most_bytes=10**9, most_tables=2)
    games = [Rules(3, prizes=(1, 2, last)) for last in (4, 5, 6)]
    for rules in games[:2]:
        solve(rules, store=scratch.folder)
        assert scratch.add(rules) == []
    assert games[0] in scratch  # asked for: the other one goes first
    solve(games[2], store=scratch.folder)
    assert scratch.add(games[2]) == [games[1]]
    assert set(list_tables(scratch.folder)) == {games[0], games[2]}
    small = Scratch(most_bytes=1, most_tables=9)
    for rules in games:
        solve(rules, store=small.folder)
        small.add(rules)
    assert list_tables(small.folder) == [games[2]]
    folder = small.folder
    del small
    assert not folder.exists()
