"""Finished answers, the recent ones kept."""

from collections.abc import Callable
from contextlib import suppress
from sys import getsizeof
from threading import Lock

from cachetools import LRUCache

ENTRY_BYTES = 480  # besides its key and its answer, at most: three dicts, which are sparse when much is forgotten


class AnswerCache:
    """Answers by what they answer, written as text; no more of them than fit into so many bytes of memory."""

    def __init__(self, most_bytes: int) -> None:
        self._entries: LRUCache[str, tuple[str, bytes]] = LRUCache(most_bytes, getsizeof=_size)
        self._lock = Lock()

    @property
    def size(self) -> int:
        """The bytes in use."""
        return int(self._entries.currsize)

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """What is kept for a key, or is made for it now."""
        with self._lock:
            if entry := self._entries.get(key):
                return entry[1]
        made = bytes(memoryview(make()))  # a copy: what orjson writes has room to spare, which nobody counts
        with self._lock, suppress(ValueError):  # it is larger than all that is kept
            self._entries[key] = key, made
        return made


def _size(entry: tuple[str, bytes]) -> int:
    key, answer = entry
    return ENTRY_BYTES + getsizeof(key) + getsizeof(answer)
