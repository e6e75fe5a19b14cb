"""Work out answers on a few threads: quick questions do not wait for slow ones, and nothing waits for ever."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from goofspiel.rules import Objective
from goofspiel.tablebase import SOLVED_ON_FIRST_USE
from goofspiel.web.limits import ANSWER_SECONDS, MOST_WAITING_QUICK, MOST_WAITING_SLOW, QUICK_THREADS
from goofspiel.web.problems import busy
from goofspiel.web.tables import NotSolvedYetError, Tables

T = TypeVar("T")


class Lane:
    """Some threads, and how many requests may wait for them."""

    def __init__(self, name: str, threads: int, most_waiting: int) -> None:
        self._name, self._threads, self._most = name, threads, threads + most_waiting
        self._pool: ThreadPoolExecutor | None = None  # made when it is needed
        self._taken = 0

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
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, work)
        finally:
            self._taken -= 1

    def close(self) -> None:
        """Finish what was begun, and nothing else."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


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
