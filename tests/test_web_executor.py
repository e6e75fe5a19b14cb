"""Under load: questions wait in line and not for ever, tables are solved once, memory is bounded."""

import asyncio
import gc
import threading
import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from web import API, Client, problem

from goofspiel.rules import Objective, Rules
from goofspiel.solver import solve
from goofspiel.web import executor as executor_module
from goofspiel.web import service
from goofspiel.web.cache import AnswerCache
from goofspiel.web.executor import BoundedPool, Executor, Together
from goofspiel.web.problems import ProblemError
from goofspiel.web.tables import NotSolvedYetError, SlowWorkError, Tables


def test_many_clients_at_once(store: Path) -> None:
    client = Client(store)
    paths = [f"{API}/probe?position=A2345/A2345/{deck}_{up}" for up, deck in zip("A2345", DECKS, strict=True)]
    alone = {path: client.get(path).content for path in paths}
    fresh = Client(store)
    for path, response in zip(paths * 30, fresh.all(paths * 30), strict=True):
        assert (response.status_code, response.content) == (200, alone[path])


DECKS = ["2345", "A345", "A245", "A235", "A234"]


def test_a_small_table_is_solved_once_for_all_who_ask(tmp_path: Path) -> None:
    client = Client(tmp_path)
    found = client.all([f"{API}/probe?position=start_6_{upcard}" for upcard in range(1, 7)] * 3)
    assert {response.status_code for response in found} == {200}
    assert len({response.headers["etag"] for response in found}) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["points-6.lock", "points-6.zarr"]


def test_a_full_pool_refuses() -> None:
    go = threading.Event()

    async def crowd() -> list[bool | BaseException]:
        pool = BoundedPool("test", threads=1, most_waiting=2)
        tasks = [asyncio.create_task(pool.run(go.wait)) for _ in range(5)]
        await asyncio.sleep(0)
        refused = [task for task in tasks if task.done()]
        await asyncio.sleep(0)
        go.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert await pool.run(go.wait)  # it takes calls again
        pool.close()
        assert all(task.exception() for task in refused)
        return found

    found = asyncio.run(crowd())
    assert found[:3] == [True] * 3
    assert [error.kind for error in found[3:] if isinstance(error, ProblemError)] == ["busy", "busy"]


def test_everybody_gets_their_own_answer_or_error() -> None:
    async def crowd() -> Sequence[float | BaseException]:
        pool = BoundedPool("test", threads=1, most_waiting=100)
        found = await asyncio.gather(
            *(pool.run(partial(pow, 12.0, n)) for n in (0, -1, 400, 2)), return_exceptions=True
        )
        pool.close()
        return found

    for _ in range(2):  # in another loop as well
        found = asyncio.run(crowd())
        assert (found[0], found[1], found[3]) == (1, 1 / 12, 144)
        assert isinstance(found[2], OverflowError)


def test_questions_that_wait_are_answered_together() -> None:
    go, asked = threading.Event(), list[list[int]]()

    def answer(questions: Sequence[int]) -> list[float | Exception]:
        asked.append(list(questions))
        return [1 / number if number else ZeroDivisionError("nothing") for number in questions]

    def fail(questions: Sequence[int]) -> list[float | Exception]:
        raise OSError("all of them")

    def few(questions: Sequence[int]) -> list[float | Exception]:
        return [len(questions)] * len(questions)

    async def crowd() -> Sequence[object]:
        pool = BoundedPool("test", threads=1, most_waiting=100)
        held = asyncio.create_task(pool.run(go.wait))
        await asyncio.sleep(0)
        calls: list[Callable[[], float]] = [
            *(Together(number, answer) for number in (1, 0, 4)),
            lambda: 7.0,
            Together(8, answer),
            Together(1, fail),
            Together(2, fail),
            *(Together(number, few, most=2) for number in (1, 2, 3)),
        ]
        waiting = asyncio.gather(*map(pool.run, calls), return_exceptions=True)
        await asyncio.sleep(0)
        go.set()
        await held
        found = await waiting
        with pytest.raises(ZeroDivisionError):
            await pool.run(Together(0, answer))
        pool.close()
        return found

    one, nothing, four, seven, eight, *failed, first, second, third = asyncio.run(crowd())
    assert (one, four, seven, eight) == (1, 0.25, 7, 0.125)
    assert isinstance(nothing, ZeroDivisionError)
    assert [str(error) for error in failed] == ["all of them"] * 2
    assert (first, second, third) == (2, 2, 1)
    assert asked == [[1, 0, 4], [8], [0]]  # in the order in which they came, others between them


def test_who_no_longer_waits_is_not_answered_and_who_waits_when_it_ends_is_let_go() -> None:
    go = threading.Event()
    begun: list[int] = []

    async def crowd() -> None:
        pool = BoundedPool("test", threads=1, most_waiting=10)
        first = asyncio.create_task(pool.run(go.wait))
        await asyncio.sleep(0)
        gone, left = (asyncio.create_task(pool.run(partial(begun.append, number))) for number in (1, 2))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.sleep(0)
        pool.close()  # waits for the first
        assert await first
        for task in (gone, left):
            with pytest.raises(asyncio.CancelledError):
                await task
        assert await pool.run(lambda: 5) == 5  # it opens again
        pool.close()

    thread = threading.Timer(0.05, go.set)
    thread.start()
    asyncio.run(crowd())
    thread.join()
    assert begun == []


def test_an_answer_that_takes_too_long(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, "ANSWER_SECONDS", 0.01)
    go = threading.Event()

    async def ask() -> None:
        executor = Executor(Tables(store))
        with pytest.raises(ProblemError) as late:
            await executor.run(go.wait)
        assert late.value.status == 503
        go.set()
        executor.close()

    asyncio.run(ask())


def test_a_solve_that_takes_too_long_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor_module, "ANSWER_SECONDS", 0.01)
    client = Client(tmp_path)
    busy = client.get(f"{API}/table?cards=8&objective=win")
    problem(busy, 503, "busy")
    assert busy.headers["retry-after"] == "2"
    tables = Tables(tmp_path)
    tables.solve(Rules(8, objective=Objective.WIN))  # waits for the other solve
    monkeypatch.setattr(executor_module, "ANSWER_SECONDS", 600)
    assert client.get(f"{API}/table?cards=8&objective=win").status_code == 200


def test_slow_questions_do_not_hold_up_quick_ones(store: Path) -> None:
    go = threading.Event()

    async def ask() -> None:
        executor = Executor(Tables(store))
        slow = [asyncio.create_task(executor.run(go.wait, slow=True)) for _ in range(4)]
        assert await executor.run(lambda: 5) == 5
        assert not any(task.done() for task in slow)
        go.set()
        assert await asyncio.gather(*slow) == [True] * 4
        executor.close()

    asyncio.run(ask())


def test_only_small_tables_are_solved(tmp_path: Path) -> None:
    tables = Tables(tmp_path)
    with pytest.raises(NotSolvedYetError):
        tables.get(Rules(9, objective=Objective.WIN))
    with pytest.raises(SlowWorkError) as told:  # what it would cost is worked out elsewhere
        tables.get(Rules(10, objective=Objective.WIN))
    with pytest.raises(ProblemError) as missing:
        told.value.work()
    assert missing.value.status == 404
    with pytest.raises(ProblemError):
        tables.solve(Rules(10, objective=Objective.WIN))
    assert list(tmp_path.iterdir()) == []


def test_threads_open_a_table_once(tmp_path: Path) -> None:
    Tables(tmp_path).solve(Rules(5))
    tables = Tables(tmp_path)
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: tables.get(Rules(5)), range(64)))
    assert len(set(map(id, found))) == 1


def test_what_is_there_is_opened_at_the_start(tmp_path: Path) -> None:
    for objective in Objective:
        Tables(tmp_path).solve(Rules(3, objective=objective))
    tables = Tables(tmp_path)
    executor = Executor(tables)
    executor.preload()
    executor.close()
    assert tables.in_store() == [Rules(3), Rules(3, objective=Objective.WIN)]
    assert len([table for table in tables.facts() if table["complete"]]) == 2


def test_the_answer_cache_is_bounded() -> None:
    made: list[str] = []
    cache = AnswerCache(3 * size_of("1", b"x" * 30))

    def ask(key: str) -> bytes:
        def make() -> bytes:
            made.append(key)
            return b"x" * 30

        return cache.get(key, make)

    for key in "1231412":
        assert ask(key) == b"x" * 30
    assert made == ["1", "2", "3", "4", "2"]  # the one that was not asked for longest is forgotten
    held = cache.size
    assert cache.get("large", lambda: b"x" * 3000) == b"x" * 3000
    assert cache.size == held == 3 * size_of("1", b"x" * 30)


def size_of(key: str, answer: bytes) -> int:
    """What the cache counts for an answer."""
    cache = AnswerCache(10**6)
    cache.get(key, lambda: answer)
    assert cache.size > len(key) + len(answer)
    return cache.size


@pytest.mark.parametrize(("key", "answer"), [("{}", b"4"), ("{}" + "k" * 500, b"4"), ("{}", b"x" * 2000)])
def test_the_answer_cache_counts_all_that_it_holds(key: str, answer: bytes) -> None:
    most = 1 << 20
    cache = AnswerCache(most)
    tracemalloc.start()
    try:
        for number in range(20_000):
            cache.get(key.format(number), lambda: bytes(bytearray(answer)))  # each its own
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most / 4 < used <= most
    assert most / 2 < cache.size <= most


def test_distinct_questions_fill_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept stays within the promise, scaled down: keys and all."""
    most = 1 << 17
    monkeypatch.setattr(service, "ANSWER_CACHE_BYTES", most)
    asked = service.Service(Tables(tmp_path))
    seeds = iter(range(10**9))

    def ask(count: int) -> int:
        """Bytes in use after so many questions that were never asked before."""
        for _ in range(count):
            asked.deck(Rules(2), next(seeds))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before, full, after = ask(1), ask(500), ask(1500)  # without a bound about 400 bytes each
    finally:
        tracemalloc.stop()
    assert full - before <= most * 1.25  # a little is remembered elsewhere, of the first game
    assert after - full <= most / 4  # of what other threads keep a little comes and goes; without a bound 600 kB


def test_games_without_a_table_are_not_kept(tmp_path: Path) -> None:
    """Whatever clients ask for, a server holds no more tables than the store does."""
    found = Tables(tmp_path)
    solve(3, store=tmp_path)
    for cards in range(1, 17):
        for objective in Objective:
            with suppress(NotSolvedYetError, SlowWorkError):
                found.get(Rules(cards, objective=objective))
    assert list(found._open) == [Rules(3)]


def test_the_lifespan_of_the_application(tmp_path: Path) -> None:
    client = Client(tmp_path)

    async def live() -> None:
        async with client.app.router.lifespan_context(client.app):
            pass

    for _ in range(2):
        asyncio.run(live())
        assert client.get(f"{API}/table?cards=3").status_code == 200
