"""A clock that two processes share: which call of a player has begun, and when."""

import mmap
import struct
import time
from typing import BinaryIO, NamedTuple

SIZE = mmap.PAGESIZE
_READING = struct.Struct("qd")


class Reading(NamedTuple):
    """What a clock shows."""

    call: int
    """How many calls had begun before the one that is at work, since the last reset."""
    since: float
    """When that one began, by `time.monotonic`, which all processes of a machine share."""


class Clock:
    """Set by the process that calls a player, read by the one that waits for it.

    It is memory that both have mapped: setting it costs next to nothing, so it can be set before every call.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._memory = mmap.mmap(file.fileno(), SIZE)
        self._calls = 0

    def reset(self) -> None:
        """The next call is the first."""
        self._calls = 0

    def begin(self) -> None:
        """A call begins."""
        _READING.pack_into(self._memory, 0, self._calls, time.monotonic())
        self._calls += 1

    def rest(self) -> None:
        """No call is at work: nobody is waiting for one."""
        _READING.pack_into(self._memory, 0, 0, float("inf"))

    def read(self) -> Reading:
        """Which call is at work. While it is being set, half of a reading may be old: two equal ones are true."""
        return Reading(*_READING.unpack_from(self._memory))

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()
