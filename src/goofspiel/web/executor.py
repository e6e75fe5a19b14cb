"""Work out answers on a few threads: quick questions do not wait for slow ones, and nothing waits for ever."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from goofspiel.rules import Objective
from goofspiel.tablebase import SOLVED_ON_FIRST_USE
from goofspiel.web.limits import (
    ANSWER_SECONDS,
    MOST_WAITING_QUICK,
    MOST_WAITING_SLOW,
    QUICK_THREADS,
    TOGETHER_SECONDS,
)
from goofspiel.web.problems import busy
from goofspiel.web.tables import NotSolvedYetError, Tables

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Asked:
    """A question that waits for a thread."""

    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    result: Any = None
    error: BaseException | None = None

    def answer(self) -> None:
        """In a thread."""
        try:
            self.result = self.work()
        except BaseException as error:  # told to who asked
            self.error = error

    def tell(self) -> None:
        """In the loop of who asked, if somebody still waits."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class Lane:
    """Some threads, and how many requests may wait for them.

    A thread answers several questions before it tells them: between threads, Python takes longer to change hands than
    a quick answer takes.
    """

    def __init__(self, name: str, threads: int, most_waiting: int) -> None:
        self._name, self._threads, self._most = name, threads, threads + most_waiting
        self._pool: ThreadPoolExecutor | None = None  # made when it is needed
        self._taken = 0
        self._lock = Lock()
        self._waiting: deque[_Asked] = deque()
        self._at_work = 0  # threads

    @property
    def pool(self) -> ThreadPoolExecutor:
        """The threads."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix=f"goofspiel-{self._name}")
        return self._pool

    async def run(self, work: Callable[[], T]) -> T:
        """The result of the work; refused when too many wait already."""
        if self._taken >= self._most:
            raise busy("too many questions at once")
        self._taken += 1
        loop = asyncio.get_running_loop()
        asked = _Asked(work, loop, loop.create_future())
        try:
            with self._lock:
                self._waiting.append(asked)
                begins = self._at_work < self._threads
                self._at_work += begins
            if begins:
                self.pool.submit(self._work_off)
            result: T = await asked.future
            return result
        finally:
            self._taken -= 1

    def _work_off(self) -> None:
        """Answer whoever waits, until nobody does."""
        while True:
            answered = []
            until = time.monotonic() + TOGETHER_SECONDS
            while time.monotonic() < until and (asked := self._next()):
                if not asked.future.cancelled():
                    asked.answer()
                    answered.append(asked)
            for loop in {asked.loop for asked in answered}:
                with suppress(RuntimeError):  # it is closed: nobody waits
                    loop.call_soon_threadsafe(_tell, [asked for asked in answered if asked.loop is loop])
            with self._lock:
                if not self._waiting:
                    self._at_work -= 1
                    return

    def _next(self) -> _Asked | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def close(self) -> None:
        """Finish what was begun, and nothing else."""
        with self._lock:
            dropped = list(self._waiting)
            self._waiting.clear()
        for asked in dropped:
            with suppress(RuntimeError):
                asked.loop.call_soon_threadsafe(asked.future.cancel)
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        self._at_work = 0


def _tell(answered: Sequence[_Asked]) -> None:
    for asked in answered:
        asked.tell()


class Work:
    """The lanes of a server: quick questions, slow ones, and the solving of small tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._quick = Lane("quick", QUICK_THREADS, MOST_WAITING_QUICK)
        self._slow = Lane("slow", 1, MOST_WAITING_SLOW)
        self._solver = Lane("solver", 1, 2 * SOLVED_ON_FIRST_USE)
        self._solving: dict[tuple[int, Objective], asyncio.Task[None]] = {}

    async def answer(self, ask: Callable[[], T], *, slow: bool = False) -> T:
        """What `ask` returns; a table that it lacks is solved first."""
        (found,) = await self.answers([ask], slow=slow)
        return found

    async def answers(self, asks: Sequence[Callable[[], T]], *, slow: bool = False) -> list[T]:
        """The same for several, one after the other: in between, others have their turn."""
        lane = self._slow if slow else self._quick
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return [await self._answer(ask, lane) for ask in asks]
        except TimeoutError:
            raise busy("the answer takes too long") from None

    async def _answer(self, ask: Callable[[], T], lane: Lane) -> T:
        while True:
            try:
                return await lane.run(ask)
            except NotSolvedYetError as missing:
                await self._solved(missing.cards, missing.objective)

    async def _solved(self, cards: int, objective: Objective) -> None:
        """Wait until a table is solved; all who need it wait for the same solve, and none of them ends it."""
        game = cards, objective
        if game not in self._solving:
            solve = asyncio.create_task(self._solver.run(partial(self._tables.solve, cards, objective)))
            solve.add_done_callback(lambda _: self._end(game))
            self._solving[game] = solve
        await asyncio.shield(self._solving[game])

    def _end(self, game: tuple[int, Objective]) -> None:
        solve = self._solving.pop(game)
        if not solve.cancelled():
            solve.exception()  # seen, even when nobody waits for it any more

    def survey(self) -> None:
        """Open the tables that are there, in the background, so that nobody waits for it."""
        for cards, objective in self._tables.there():
            self._solver.pool.submit(self._tables.look, cards, objective)

    def close(self) -> None:
        """Finish what was begun."""
        for lane in (self._quick, self._slow, self._solver):
            lane.close()
