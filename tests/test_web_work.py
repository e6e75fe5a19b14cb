"""Under load: questions wait in line and not for ever, tables are solved once, memory is bounded."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from web import API, Client, problem

from goofspiel.rules import Objective
from goofspiel.web import executor
from goofspiel.web.cache import Remembered
from goofspiel.web.executor import Lane, Work
from goofspiel.web.problems import ProblemError
from goofspiel.web.tables import NotSolvedYetError, Tables


def test_many_clients_at_once(store):
    client = Client(store)
    paths = [f"{API}/probe?position=A2345/A2345/{deck}_{up}" for up, deck in zip("A2345", DECKS, strict=True)]
    alone = {path: client.get(path).content for path in paths}
    fresh = Client(store)
    for path, response in zip(paths * 30, fresh.all(paths * 30), strict=True):
        assert (response.status_code, response.content) == (200, alone[path])


DECKS = ["2345", "A345", "A245", "A235", "A234"]


def test_a_small_table_is_solved_once_for_all_who_ask(tmp_path):
    client = Client(tmp_path)
    found = client.all([f"{API}/probe?position=start_6_{upcard}" for upcard in range(1, 7)] * 3)
    assert {response.status_code for response in found} == {200}
    assert len({response.headers["etag"] for response in found}) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["points-6.lock", "points-6.zarr"]


def test_a_full_lane_refuses(store):
    go = threading.Event()

    async def crowd() -> list[bool | BaseException]:
        lane = Lane("test", threads=1, most_waiting=2)
        asked = [asyncio.create_task(lane.run(go.wait)) for _ in range(5)]
        await asyncio.sleep(0)
        refused = [task for task in asked if task.done()]
        await asyncio.sleep(0)
        go.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert await lane.run(go.wait)  # there is room again
        lane.close()
        assert all(task.exception() for task in refused)
        return found

    found = asyncio.run(crowd())
    assert found[:3] == [True] * 3
    assert [error.kind for error in found[3:] if isinstance(error, ProblemError)] == ["busy", "busy"]


def test_everybody_is_told_their_own_answer_or_error():
    async def crowd() -> list[float | BaseException]:
        lane = Lane("test", threads=1, most_waiting=100)
        found = await asyncio.gather(
            *(lane.run(partial(pow, 12.0, n)) for n in (0, -1, 400, 2)), return_exceptions=True
        )
        lane.close()
        return found

    for _ in range(2):  # in another loop as well
        found = asyncio.run(crowd())
        assert (found[0], found[1], found[3]) == (1, 1 / 12, 144)
        assert isinstance(found[2], OverflowError)


def test_who_no_longer_waits_is_not_answered_and_who_waits_when_it_ends_is_let_go():
    go, begun = threading.Event(), []

    async def crowd() -> None:
        lane = Lane("test", threads=1, most_waiting=10)
        first = asyncio.create_task(lane.run(go.wait))
        await asyncio.sleep(0)
        gone, left = (asyncio.create_task(lane.run(partial(begun.append, number))) for number in (1, 2))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        lane.close()  # waits for the first
        assert await first
        for task in (gone, left):
            with pytest.raises(asyncio.CancelledError):
                await task
        assert await lane.run(lambda: 5) == 5  # it opens again
        lane.close()

    thread = threading.Timer(0.05, go.set)
    thread.start()
    asyncio.run(crowd())
    thread.join()
    assert begun == []


def test_an_answer_that_takes_too_long(store, monkeypatch):
    monkeypatch.setattr(executor, "ANSWER_SECONDS", 0.01)
    go = threading.Event()

    async def ask() -> None:
        work = Work(Tables(store))
        with pytest.raises(ProblemError) as late:
            await work.answer(go.wait)
        assert late.value.status == 503
        go.set()
        work.close()

    asyncio.run(ask())


def test_a_solve_that_takes_too_long_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(executor, "ANSWER_SECONDS", 0.01)
    client = Client(tmp_path)
    busy = client.get(f"{API}/table?cards=8&objective=win")
    problem(busy, 503, "busy")
    assert busy.headers["retry-after"] == "2"
    tables = Tables(tmp_path)
    tables.solve(8, Objective.WIN)  # waits for the other solve
    monkeypatch.setattr(executor, "ANSWER_SECONDS", 600)
    assert client.get(f"{API}/table?cards=8&objective=win").status_code == 200


def test_slow_questions_do_not_hold_up_quick_ones(store):
    go = threading.Event()

    async def ask() -> None:
        work = Work(Tables(store))
        slow = [asyncio.create_task(work.answer(go.wait, slow=True)) for _ in range(4)]
        assert await work.answer(lambda: 5) == 5
        assert not any(task.done() for task in slow)
        go.set()
        assert await asyncio.gather(*slow) == [True] * 4
        work.close()

    asyncio.run(ask())


def test_only_small_tables_are_solved(tmp_path):
    tables = Tables(tmp_path)
    with pytest.raises(NotSolvedYetError):
        tables.get(9, Objective.WIN)
    with pytest.raises(ProblemError) as missing:
        tables.get(10, Objective.WIN)
    assert missing.value.status == 404
    with pytest.raises(ProblemError):
        tables.solve(10, Objective.WIN)
    assert list(tmp_path.iterdir()) == []


def test_threads_open_a_table_once(tmp_path):
    Tables(tmp_path).solve(5, Objective.POINTS)
    tables = Tables(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: tables.get(5, Objective.POINTS), range(64)))
    assert len(set(map(id, found))) == 1


def test_a_survey_opens_what_is_there(tmp_path):
    for objective in Objective:
        Tables(tmp_path).solve(3, objective)
    tables = Tables(tmp_path)
    work = Work(tables)
    work.survey()
    work.close()
    assert [cards for cards, _ in tables.there()] == [3, 3]
    assert len([table for table in tables.listed() if table["complete"]]) == 2


def test_what_is_remembered_is_bounded():
    made: list[int] = []
    kept = Remembered(100)

    def ask(number: int) -> bytes:
        return kept.get(number, lambda: made.append(number) or b"x" * 30)

    for number in (1, 2, 3, 1, 4, 1, 2):
        assert ask(number) == b"x" * 30
    assert made == [1, 2, 3, 4, 2]  # the one that was not asked for longest is forgotten
    assert kept.get("large", lambda: b"x" * 1000) == b"x" * 1000
    assert kept.held <= 100


def test_the_lifespan_of_the_application(tmp_path: Path):
    client = Client(tmp_path)

    async def live() -> None:
        async with client.app.router.lifespan_context(client.app):
            pass

    for _ in range(2):
        asyncio.run(live())
        assert client.get(f"{API}/table?cards=3").status_code == 200
