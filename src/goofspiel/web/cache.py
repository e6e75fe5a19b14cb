"""Finished answers, the recent ones kept."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock


class Remembered:
    """Bytes by what they answer, no more of them than fit."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self.held = 0  # bytes
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """What is kept for a key, or is made for it now."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self.held += len(made)
            while self.held > self._most:
                self.held -= len(self._kept.popitem(last=False)[1])
        return made
