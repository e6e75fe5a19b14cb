"""Work out answers on a few threads: quick questions do not wait for slow ones, and nothing waits for ever."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Generic, TypeVar

from goofspiel.rules import Rules
from goofspiel.tablebase import SOLVED_ON_FIRST_USE
from goofspiel.web.limits import (
    ANSWER_SECONDS,
    BATCH_SECONDS,
    MOST_WAITING_QUICK,
    MOST_WAITING_SLOW,
    QUICK_THREADS,
)
from goofspiel.web.problems import busy
from goofspiel.web.tables import NotSolvedYetError, SlowWorkError, Tables

T = TypeVar("T")
MOST_TOGETHER = 64  # questions
SLICE = 16  # of the answers of a batch that take longer: so many are made before others have their turn


@dataclass(frozen=True, slots=True)
class Together(Generic[T]):
    """A question that is answered together with others that wait: `answer` takes them all, and fails for each alone."""

    question: Any
    answer: Callable[[Sequence[Any]], Sequence[T | Exception]]
    most: int = MOST_TOGETHER  # questions

    def __call__(self) -> T:
        """The answer to this one."""
        (found,) = self.answer([self.question])
        if isinstance(found, Exception):
            raise found
        return found


@dataclass(slots=True, eq=False)
class _Job:
    """A call that waits for a thread, and what came of it."""

    call: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: "asyncio.Future[Any]"
    result: Any = None
    error: BaseException | None = None

    def run(self) -> None:
        """In a thread."""
        try:
            self.result = self.call()
        except BaseException as error:  # raised where the result is awaited
            self.error = error

    @staticmethod
    def run_together(jobs: "Sequence[_Job]") -> None:
        """In a thread, questions that have their answers in common."""
        try:
            found = jobs[0].call.answer([job.call.question for job in jobs])  # type: ignore[attr-defined]
            for job, one in zip(jobs, found, strict=True):
                job.result, job.error = (None, one) if isinstance(one, Exception) else (one, None)
        except BaseException as error:
            for job in jobs:
                job.error = error

    def resolve(self) -> None:
        """In its loop, if somebody still waits."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class BoundedPool:
    """Some threads, and how many calls may wait for them.

    A thread runs several calls before it hands over their results: between threads, Python takes longer to change hands
    than a quick answer takes.
    """

    def __init__(self, name: str, threads: int, most_waiting: int) -> None:
        self._name, self._count, self._most = name, threads, threads + most_waiting
        self._threads: ThreadPoolExecutor | None = None  # made when it is needed
        self._accepted = 0  # calls that are awaited
        self._lock = Lock()
        self._waiting: deque[_Job] = deque()
        self._working = 0  # threads

    @property
    def threads(self) -> ThreadPoolExecutor:
        """Without bounds."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._count, thread_name_prefix=f"goofspiel-{self._name}")
        return self._threads

    async def run(self, call: Callable[[], T]) -> T:
        """The result of the call; refused when too many wait already."""
        if self._accepted >= self._most:
            raise busy("too many questions at once")
        self._accepted += 1
        loop = asyncio.get_running_loop()
        job = _Job(call, loop, loop.create_future())
        try:
            with self._lock:
                self._waiting.append(job)
                begins = self._working < self._count
                self._working += begins
            if begins:
                self.threads.submit(self._run_waiting)
            result: T = await job.future
            return result
        finally:
            self._accepted -= 1

    def _run_waiting(self) -> None:
        """Run whatever waits, until nothing does."""
        while True:
            finished: list[_Job] = []
            until = time.monotonic() + BATCH_SECONDS
            while time.monotonic() < until and (jobs := self._next()):
                waited = [job for job in jobs if not job.future.cancelled()]
                if len(waited) > 1:
                    _Job.run_together(waited)
                elif waited:
                    waited[0].run()
                finished += waited
            for loop in {job.loop for job in finished}:
                with suppress(RuntimeError):  # it is closed: nobody waits
                    loop.call_soon_threadsafe(_resolve, [job for job in finished if job.loop is loop])
            with self._lock:
                if not self._waiting:
                    self._working -= 1
                    return

    def _next(self) -> list[_Job]:
        """What waits longest, and what comes next and is answered together with it."""
        with self._lock:
            found = [self._waiting.popleft()] if self._waiting else []
            first = found[0].call if found else None
            while isinstance(first, Together) and self._waiting and len(found) < first.most:
                if getattr(self._waiting[0].call, "answer", None) != first.answer:
                    break
                found.append(self._waiting.popleft())
            return found

    def close(self) -> None:
        """Finish what was begun, and nothing else."""
        with self._lock:
            dropped = list(self._waiting)
            self._waiting.clear()
        for job in dropped:
            with suppress(RuntimeError):
                job.loop.call_soon_threadsafe(job.future.cancel)
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
            self._threads = None
        self._working = 0


@contextmanager
def _in_time() -> Iterator[None]:
    try:
        yield
    except TimeoutError:
        raise busy("the answer takes too long") from None


def _call_all(calls: Sequence[Callable[[], T]]) -> list[T]:
    return [call() for call in calls]


def _resolve(jobs: Sequence[_Job]) -> None:
    for job in jobs:
        job.resolve()


class Executor:
    """The threads of a server: for quick questions, for slow ones, and for the solving of small tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._quick = BoundedPool("quick", QUICK_THREADS, MOST_WAITING_QUICK)
        self._slow = BoundedPool("slow", 1, MOST_WAITING_SLOW)
        self._solver = BoundedPool("solver", 1, 2 * SOLVED_ON_FIRST_USE)
        self._solving: dict[Rules, asyncio.Task[None]] = {}

    async def run(self, call: Callable[[], T], *, slow: bool = False) -> T:
        """What a call returns; a table that it lacks is solved first, what takes long waits in another line."""
        with _in_time():
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._run(call, self._slow if slow else self._quick)

    async def run_in_turns(self, call: Callable[[], Sequence[T | Callable[[], T]]]) -> list[T]:
        """What a slow call returns; what it leaves to be called is called, some at a time: others have their turn."""
        with _in_time():
            async with asyncio.timeout(ANSWER_SECONDS):
                found = await self._run(call, self._slow)
                left = [each for each in found if callable(each)]
                made: list[T] = []
                for start in range(0, len(left), SLICE):
                    made += await self._run(partial(_call_all, left[start : start + SLICE]), self._slow)
        later = iter(made)
        return [next(later) if callable(each) else each for each in found]

    async def _run(self, call: Callable[[], T], pool: BoundedPool) -> T:
        while True:
            try:
                return await pool.run(call)
            except NotSolvedYetError as missing:
                await self._solve(missing.rules)
            except SlowWorkError as slow:
                call, pool = slow.work, self._slow

    async def _solve(self, rules: Rules) -> None:
        """Wait until a table is solved; all who need it wait for the same solve, and none of them ends it."""
        if rules not in self._solving:
            solve = asyncio.create_task(self._solver.run(partial(self._tables.solve, rules)))
            solve.add_done_callback(lambda _: self._forget(rules))
            self._solving[rules] = solve
        await asyncio.shield(self._solving[rules])

    def _forget(self, rules: Rules) -> None:
        solve = self._solving.pop(rules)
        if not solve.cancelled():
            solve.exception()  # seen, even when nobody waits for it any more

    def preload(self) -> None:
        """Open the tables that are there, in the background, so that nobody waits for it."""
        for rules in self._tables.in_store():
            self._solver.threads.submit(self._tables.load, rules)

    def close(self) -> None:
        """Finish what was begun."""
        for pool in (self._quick, self._slow, self._solver):
            pool.close()
