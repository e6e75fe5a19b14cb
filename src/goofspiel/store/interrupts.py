"""Let something that cannot be left half done end before Ctrl-C takes effect."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C: Zarr works in tasks of its own, which complain at length when they are left alone."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    held_back: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held_back.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held_back:
            handler(*held_back[0])


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Hold back Ctrl-C in the operating system: processes and threads that are started meanwhile never see it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
