"""Let something that cannot be left half done end before Ctrl-C takes effect."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def defer_sigint() -> Iterator[Callable[[], None]]:
    """Hold back Ctrl-C until the end, or until what this gives is called, at a moment when nothing is half done.

    However often it came, it is let through once.

    Zarr works in tasks of its own, which complain at length when they are left alone. Locks of Python's own threads
    stay locked for ever when Ctrl-C comes just as one is taken.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: None
        return
    held_back: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held_back.append((number, frame)))

    def deliver_sigint() -> None:
        if held_back and threading.current_thread() is threading.main_thread():
            first = held_back[0]
            held_back.clear()
            handler(*first)

    try:
        yield deliver_sigint
    finally:
        signal.signal(signal.SIGINT, handler)
        deliver_sigint()


@contextmanager
def block_sigint() -> Iterator[None]:
    """Hold back Ctrl-C in the operating system: processes and threads that are started meanwhile never see it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        with defer_sigint():
            yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with defer_sigint():  # threads from before may still get it, and hand it to the main thread
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
